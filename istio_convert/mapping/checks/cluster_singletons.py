"""What exists once per cluster, when the operators of one run bring several control planes.

Each of them brings a base release, and so the definitions and the default validator. One object cannot belong to two
Helm releases: the base of the first control plane brings what there is once, the others leave it out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from istio_convert.errors import Issue
from istio_convert.ledger import Outcome, Place
from istio_convert.mapping.draft.claims import Claim
from istio_convert.mapping.draft.release import Draft
from istio_convert.operator.components import Component, enabling_leaf
from istio_convert.operator.effective import Effective
from istio_convert.paths import Path
from istio_convert.source.nodes import Leaf, Node, Scalar, Sequence, get, leaves, to_data

RULE = "base.once"
RULE_CLUSTER = "cluster.once"
VALIDATOR: Path = ("defaultRevision",)
EXCLUDED: Path = ("base", "excludedCRDs")
TEMPLATED: Path = ("base", "enableCRDTemplates")


@dataclass(frozen=True, slots=True)
class Built:
    """One release in the making, with what it comes from."""

    operator: Effective
    component: Component
    draft: Draft

    @property
    def key(self) -> tuple[str, str]:
        """Name and namespace, which tell releases apart."""
        return (self.draft.release.name, self.draft.release.namespace)


@dataclass(slots=True)
class ClusterSingletons:
    """Settles which release brings what there is once.

    Attributes:
        built: all releases in the making, in the order of the operators.
        home: the namespace of the first control plane, whose base release brings it; empty when there is none.
    """

    built: list[Built]
    home: str = ""
    warnings: list[Issue] = field(default_factory=list)

    def settle(self) -> None:
        """Leave out of the later releases what the first one brings, or say what a person must decide."""
        bases = [one for one in self.built if one.component.kind == "base"]
        wanted = [*filter(_wants_validator, bases), *(b for b in bases if b.draft.release.namespace == self.home)]
        for owner in [*wanted, *bases][:1]:
            others = [one for one in bases if one.key != owner.key]
            names = " and ".join(dict.fromkeys(_title(other) for other in others))
            if others:
                owner.draft.release.notes.append(
                    "it brings what exists once per cluster, the definitions and the default validator, also for "
                    f"{names}: never uninstall it while another control plane runs"
                )
                self._bring_for_all(owner, others)
            for other in others:
                self._leave_out(other, owner)
        self._shared_objects()

    @staticmethod
    def _bring_for_all(owner: Built, others: list[Built]) -> None:
        """The owner may leave out only those definitions that no other base brings either."""
        present = get(owner.draft.release.values, EXCLUDED)
        if not isinstance(present, Sequence):
            return
        kept = set.intersection(*(_excluded(other) for other in others))
        for item in [node for node in present.items if str(to_data(node)) not in kept]:
            present.items.remove(item)
            for leaf in leaves(item):
                why = "another control plane of this run brings the definition, and this release does so for all"
                owner.draft.claims.overridden(leaf, None, RULE, why)

    def _leave_out(self, other: Built, owner: Built) -> None:
        draft, title = other.draft, _title(owner)
        why = f"the default validator exists once per cluster, and {title} brings it"
        present = get(draft.release.values, VALIDATOR)
        contested = present is not None and _wants_validator(other)
        if not (isinstance(present, Scalar) and present.value == ""):
            draft.set_value(VALIDATOR, Scalar(""), RULE, why_wins=why, replace=True)
        for leaf in leaves(present) if present is not None and contested else ():
            action = "leave defaultRevision to the operator whose istiod validates what names no revision"
            draft.claims.add(leaf, Claim(Outcome.MANUAL, RULE, None, why, action))
        note = f"the default validator exists once per cluster, and {title} brings it; so do the definitions"
        draft.release.notes.append(note)
        draft.release.depends_on = list(dict.fromkeys([*draft.release.depends_on, owner.draft.release.name]))
        templated = _in_force(draft, TEMPLATED)
        excludes = draft.chart.reads(EXCLUDED)
        if templated and excludes:
            self._exclude(draft, title)
        elif bool(templated) != excludes:
            self._brings_again(other, title)

    @staticmethod
    def _exclude(draft: Draft, title: str) -> None:
        present = get(draft.release.values, EXCLUDED)
        own = list(present.items) if isinstance(present, Sequence) else []
        known = {node.value for node in own if isinstance(node, Scalar)}
        missing: list[Node] = [Scalar(name) for name in sorted(draft.chart.crds) if name not in known]
        why = f"{title} brings the definitions"
        draft.set_value(EXCLUDED, Sequence([*own, *missing]), RULE, why_wins=why)

    @staticmethod
    def _brings_again(other: Built, title: str) -> None:
        """The chart of this version, set up like this, renders the definitions and cannot leave them out."""
        draft = other.draft
        node = get(draft.release.values, TEMPLATED)
        for leaf in leaves(node) if node is not None else ():
            reason = (
                f"with it the base chart of {draft.release.version} renders the definitions and cannot leave them "
                f"out, but {title} brings them: the second of the two releases would be refused"
            )
            action = "remove it from the operators"
            draft.claims.add(leaf, Claim(Outcome.MANUAL, RULE, draft.place(TEMPLATED), reason, action))

    def _shared_objects(self) -> None:
        """Objects of a fixed name that two releases of one chart would both bring; no chart has a switch for them."""
        first: dict[str, Built] = {}
        for one in self.built:
            chart = one.draft.release.chart
            if one.component.kind == "base" or one.component.is_gateway:
                continue
            known = first.setdefault(chart, one)
            if known.key == one.key:
                continue
            fixed = [o for o in one.draft.chart.skeleton.objects if not o.namespaced and "{" not in o.pattern]
            if not fixed:
                continue
            self._fixed_names(one, known, f"{fixed[0].kind} {fixed[0].pattern}")

    def _fixed_names(self, one: Built, known: Built, example: str) -> None:
        reason = (
            f"the {one.draft.release.chart} chart brings objects that exist once per cluster, such as {example}, and "
            f"so does {_title(known)}: the second of the two releases would be refused"
        )
        action = f"give the component {one.component.kind} to one of the operators, and switch it off in the other"
        leaf = _cause(one)
        if leaf is None:
            self.warnings.append(Issue(reason, one.component.node.origin, action))
            return
        place = Place(one.draft.release.name, example)
        one.draft.claims.add(leaf, Claim(Outcome.MANUAL, RULE_CLUSTER, place, reason, action))


def _wants_validator(base: Built) -> bool:
    """Whether the operator itself says whose the default validator is."""
    own = get(base.operator.user, ("values", *VALIDATOR))
    return isinstance(own, Scalar) and bool(own.value)


def _excluded(base: Built) -> set[str]:
    """The definitions that a base release leaves out by itself."""
    present = get(base.draft.release.values, EXCLUDED)
    return {str(to_data(item)) for item in present.items} if isinstance(present, Sequence) else set()


def _cause(one: Built) -> Leaf | None:
    """The leaf by which there is this release: the component's switch, something said about it, or the profile."""
    profile = one.operator.user.items.get("profile")
    switch = enabling_leaf(one.component)
    own = next(leaves(one.component.node), None)
    return switch or own or (profile.leaf if isinstance(profile, Scalar) else None)


def _in_force(draft: Draft, path: Path) -> object:
    node = get(draft.release.values, path)
    return to_data(node) if node is not None else draft.chart.default(path)


def _title(one: Built) -> str:
    return f"release {one.draft.release.name} in {one.draft.release.namespace}"
