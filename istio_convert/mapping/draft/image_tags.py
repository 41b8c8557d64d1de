"""Image tags. A chart brings the tag of its release; an operator's tag that names another release is not carried."""

from __future__ import annotations

import re
from dataclasses import dataclass

from istio_convert.ledger import Outcome
from istio_convert.mapping.draft.claims import Claim
from istio_convert.mapping.draft.release import LATER_WINS, Draft
from istio_convert.mapping.draft.template_text import text_of
from istio_convert.paths import Path
from istio_convert.source.nodes import Node, Scalar, get, leaves, remove

SHARED: Path = ("global", "tag")
SHARED_VARIANT: Path = ("global", "variant")
#: values paths that hold a tag
TAG_PATHS: frozenset[Path] = frozenset({SHARED, ("pilot", "tag"), ("cni", "tag"), ("tag",)})
RULE = "tag"
_RELEASE = re.compile(r"v?(1\.\d+(?:\.\d+)?)(?:-(distroless|debug))?$")
_LEADING = re.compile(r"v?(1\.\d+(?:\.\d+)?)(?![0-9])")


def split_tag(tag: str) -> tuple[str, str] | None:
    """A release and its variant from a tag; None when the tag names no release.

    >>> split_tag("1.23.2-distroless")
    ('1.23.2', 'distroless')
    """
    match = _RELEASE.match(tag)
    return (match.group(1), match.group(2) or "") if match else None


def release_in(tag: str) -> str | None:
    """The release that a tag names or begins with; None when there is none.

    >>> release_in("1.24.6-acme.3")
    '1.24.6'
    """
    match = _LEADING.match(tag)
    return match.group(1) if match else None


@dataclass(slots=True)
class TagMapper:
    """Decides about one tag in one release."""

    draft: Draft

    def carry(self, path: Path, node: Node, *, rule: str = RULE, loser: Node | None = None) -> None:
        """Carry the tag, or leave it to the chart and say so.

        Other values of the chart are there already, the tag of all components before that of one.

        Args:
            path: the values path of the tag.
            node: the tag.
            rule: id of the rule.
            loser: a tag of the operator's values that this one wins over.
        """
        draft = self.draft
        tag = text_of(node)
        if not tag:
            return
        value = Scalar(tag, node.leaf, node.origin) if isinstance(node, Scalar) else node
        parts = split_tag(tag)
        if path != SHARED and not (parts and parts[1]):
            self._keep_variant_to_others()
        if parts is None:
            draft.set_value(path, value, rule)
            for leaf in leaves(node):
                action = "check that this image fits the chart, or remove the tag and let the chart bring its own"
                claim = Claim(
                    Outcome.MANUAL, rule, draft.place(path), "the tag names no release of Istio; it is carried", action
                )
                draft.claims.add(leaf, claim)
        elif parts[0] == draft.release.version:
            draft.set_value(path, value, rule)
        else:
            self._leave_to_chart(path, node, rule, parts[1])
        for leaf in leaves(loser) if loser is not None else ():
            draft.claims.overridden(leaf, next(leaves(node), None), rule, LATER_WINS, release=draft.release.name)

    def _leave_to_chart(self, path: Path, node: Node, rule: str, variant: str) -> None:
        draft = self.draft
        if get(draft.release.values, path) is not None:
            remove(draft.release.values, path)  # a tag that loses against this one
        shared = get(draft.release.values, SHARED) if path != SHARED else None
        if shared is not None and text_of(shared) != draft.release.version:
            draft.set_value(path, Scalar(draft.release.version), rule, explicit=True)
        reason = (
            f"another release than the chart's {draft.release.version}: an old image under a new chart is no "
            "supported pair, so the chart brings its own"
        )
        claim = Claim(Outcome.RELEASE, rule, None, reason)
        own = get(draft.release.values, (*path[:-1], "variant"))
        if variant and own is not None and text_of(own):
            reason += "; the operator sets the variant, too, and that setting lives on"
            claim = Claim(Outcome.RELEASE, rule, None, reason)
            if text_of(own) != variant:
                action = "istioctl puts one behind the other into the name of the image: decide for one of them"
                claim = Claim(Outcome.MANUAL, rule, None, reason, action)
        elif variant:
            claim = Claim(Outcome.RELEASE, rule, None, f"{reason}; the variant {variant} lives on")
            draft.set_value((*path[:-1], "variant"), Scalar(variant), rule, why_wins="the tag names a variant")
        for leaf in leaves(node):
            draft.claims.add(leaf, claim)

    def _keep_variant_to_others(self) -> None:
        """A tag without a suffix stands beside the tag of all components: a variant that came of it is put back there.

        As a variant it would also be put behind this tag.
        """
        values = self.draft.release.values
        variant = get(values, SHARED_VARIANT)
        if isinstance(variant, Scalar) and variant.leaf is None:
            remove(values, SHARED_VARIANT)
            self.draft.set_value(SHARED, Scalar(f"{self.draft.release.version}-{variant.value}"), RULE)
