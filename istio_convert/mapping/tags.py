"""Image tags. A chart brings the tag of its release; an operator's tag that names another release is not carried."""

from __future__ import annotations

import re
from dataclasses import dataclass

from istio_convert.ledger import Outcome
from istio_convert.mapping.claims import Claim
from istio_convert.mapping.draft import Draft
from istio_convert.mapping.scalars import text_of
from istio_convert.paths import Path
from istio_convert.source.nodes import Node, Scalar, get, leaves

#: values paths that hold a tag
TAG_PATHS: frozenset[Path] = frozenset({("global", "tag"), ("pilot", "tag"), ("cni", "tag"), ("tag",)})
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

    def carry(self, path: Path, node: Node, *, rule: str = RULE) -> None:
        """Carry the tag, or leave it to the chart and say so. Other values of the chart are there already."""
        draft = self.draft
        tag = text_of(node)
        if not tag:
            return
        value = Scalar(tag, node.leaf, node.origin) if isinstance(node, Scalar) else node
        parts = split_tag(tag)
        if parts is None:
            draft.set_value(path, value, rule)
            for leaf in leaves(node):
                action = "check that this image fits the chart, or remove the tag and let the chart bring its own"
                claim = Claim(
                    Outcome.MANUAL, rule, draft.place(path), "the tag names no release of Istio; it is carried", action
                )
                draft.claims.add(leaf, claim)
            return
        release, variant = parts
        if release == draft.release.version:
            draft.set_value(path, value, rule)
            return
        reason = (
            f"another release than the chart's {draft.release.version}: an old image under a new chart is no "
            "supported pair, so the chart brings its own"
        )
        own = get(draft.release.values, (*path[:-1], "variant"))
        if variant and own is not None and text_of(own):
            reason += "; the operator sets the variant, too, and that setting lives on"
        elif variant:
            reason += f"; the variant {variant} lives on"
            draft.set_value((*path[:-1], "variant"), Scalar(variant), rule, why_wins="the tag names a variant")
        for leaf in leaves(node):
            draft.claims.add(leaf, Claim(Outcome.RELEASE, rule, None, reason))
