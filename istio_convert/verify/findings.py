"""What a comparison finds: every difference with its class and its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from istio_convert.verify.manifests import ObjectId

#: A value that is not there on one side.
ABSENT = "<absent>"


class Kind(str, Enum):
    """The class of a difference."""

    EQUAL = "equal"
    RELEASE_LABEL = "release-label"
    REFUSED = "refused"
    INJECTION = "injection"
    UNREAD = "unread"
    ORPHAN = "orphan"
    NEW = "new"
    UNEXPLAINED = "unexplained"


#: The classes in words.
TITLES = {
    Kind.EQUAL: "equal",
    Kind.RELEASE_LABEL: "labels of the release",
    Kind.REFUSED: "refused from istioctl",
    Kind.INJECTION: "provided by injection",
    Kind.UNREAD: "recorded, read by nothing",
    Kind.ORPHAN: "only with istioctl",
    Kind.NEW: "only with Helm",
    Kind.UNEXPLAINED: "unexplained",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference.

    Attributes:
        kind: its class.
        path: where in the object (``spec.template.spec.containers[discovery].env[A].value``); empty for the whole.
        before: what istioctl's side has; :data:`ABSENT` when nothing.
        after: what Helm's side has.
        why: why it is in its class, or what to do about it.
        steps: the path as steps of the normal form, where the comparison knows it.
    """

    kind: Kind
    path: str
    before: Any = ABSENT
    after: Any = ABSENT
    why: str = ""
    steps: tuple[str, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Compared:
    """One object, or one pair of objects.

    Attributes:
        id: its identity on istioctl's side; on Helm's side when it is only there.
        reference: the component that renders it with istioctl; empty when none does.
        candidate: the release that renders it with Helm; empty when none does.
        differences: what differs, in path order.
        paired_with: its identity on Helm's side when that is another one.
    """

    id: ObjectId
    reference: str
    candidate: str
    differences: tuple[Difference, ...] = ()
    paired_with: ObjectId | None = None

    @property
    def kind(self) -> Kind:
        """The gravest class of its differences."""
        order = list(Kind)
        return max((d.kind for d in self.differences), key=order.index, default=Kind.EQUAL)

    @property
    def unexplained(self) -> tuple[Difference, ...]:
        """The differences that nothing explains."""
        return tuple(d for d in self.differences if d.kind is Kind.UNEXPLAINED)


@dataclass(frozen=True, slots=True)
class Verification:
    """The proof, or what is missing from it.

    Attributes:
        version: the release.
        objects: every object of either side, in the order of kinds and names.
        source: what istioctl's side is: ``built-in istioctl 1.25.3``, or the name of a file.
        notes: what limits the proof.
        tags: pinned image tags that were read as the release, as in the conversion.
    """

    version: str
    objects: tuple[Compared, ...]
    source: str = ""
    notes: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def unexplained(self) -> tuple[tuple[ObjectId, Difference], ...]:
        """Every difference that nothing explains, with its object."""
        return tuple((compared.id, d) for compared in self.objects for d in compared.unexplained)

    @property
    def proven(self) -> bool:
        """Whether both sides are the same but for what is explained."""
        return not self.unexplained

    def totals(self) -> dict[Kind, int]:
        """How many objects have each class as their gravest; every class is a key."""
        counted = Counter(compared.kind for compared in self.objects)
        return {kind: counted[kind] for kind in Kind}
