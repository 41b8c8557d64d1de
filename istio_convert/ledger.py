"""The ledger: one entry for every leaf of the input, exactly once.

Only the mapping engine writes it. Recording a leaf twice, or one that is not in the input, is a bug and raises;
closing it adds an entry for every leaf that nobody claimed and checks that the number adds up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from istio_convert.errors import LedgerError
from istio_convert.source.nodes import Leaf


class Outcome(str, Enum):
    """What became of a leaf. The order is the order of severity."""

    VALUE = "value"
    PATCH = "patch"
    RELEASE = "release"
    DEFAULT = "default"
    OVERRIDDEN = "overridden"
    INERT = "inert"
    MANUAL = "manual"
    LOST = "lost"

    @property
    def severity(self) -> int:
        """0 for the harmless ones, then 1 inert, 2 manual, 3 lost."""
        return _SEVERE.index(self) + 1 if self in _SEVERE else 0


_SEVERE = (Outcome.INERT, Outcome.MANUAL, Outcome.LOST)


class Place(NamedTuple):
    """Where a leaf lives on.

    Attributes:
        release: name of the release.
        path: the chart's values path, or ``Kind name: manifest path`` for a patch.
    """

    release: str
    path: str

    def __str__(self) -> str:
        return f"{self.release}: {self.path}"


@dataclass(slots=True, unsafe_hash=True)
class Entry:
    """The account of one leaf.

    Attributes:
        leaf: the leaf.
        outcome: what became of it.
        rule: id of the rule that decided.
        places: where it lives on (``value`` and ``patch``; may be several charts).
        reason: why; never empty unless the outcome is ``value`` or ``patch``.
        action: what a person must do; never empty for ``manual`` and ``lost``.
        derived: true when the proof, not a rule, found the place.
    """

    leaf: Final[Leaf]
    outcome: Final[Outcome]
    rule: Final[str]
    places: Final[tuple[Place, ...]] = ()
    reason: Final[str] = ""
    action: Final[str] = ""
    derived: Final[bool] = False


class Ledger:
    """An open ledger over a fixed set of leaves."""

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        self._entries: dict[Leaf, Entry | None] = dict.fromkeys(leaves)

    def record(self, entry: Entry) -> None:
        """Write one entry.

        Raises:
            LedgerError: the leaf is unknown or has an entry, or the entry lacks its reason or action.
        """
        leaf = entry.leaf
        if leaf not in self._entries:
            raise LedgerError("an entry for a leaf that is not in the input", origin=leaf.origin)
        if self._entries[leaf] is not None:
            raise LedgerError("a second entry for one leaf", origin=leaf.origin)
        if not entry.reason and entry.outcome not in (Outcome.VALUE, Outcome.PATCH):
            raise LedgerError(f"an entry of rule {entry.rule} without a reason", origin=leaf.origin)
        if not entry.action and entry.outcome in (Outcome.MANUAL, Outcome.LOST):
            raise LedgerError(f"an entry of rule {entry.rule} without an action", origin=leaf.origin)
        self._entries[leaf] = entry

    def __contains__(self, leaf: Leaf) -> bool:
        return self._entries.get(leaf) is not None

    def open_leaves(self) -> list[Leaf]:
        """The leaves without an entry, in input order."""
        return [leaf for leaf, entry in self._entries.items() if entry is None]

    def close(self) -> ClosedLedger:
        """Check that every leaf has its entry, and freeze.

        Raises:
            LedgerError: a leaf has none.
        """
        if missing := self.open_leaves():
            raise LedgerError(f"{len(missing)} leaves without an entry", origin=missing[0].origin)
        return ClosedLedger(tuple(entry for entry in self._entries.values() if entry is not None))


@dataclass(frozen=True, slots=True)
class ClosedLedger:
    """A complete ledger, entries in input order."""

    entries: tuple[Entry, ...]

    def totals(self) -> dict[Outcome, int]:
        """How many entries each outcome has; every outcome is a key."""
        counted = Counter(entry.outcome for entry in self.entries)
        return {outcome: counted[outcome] for outcome in Outcome}

    def worst(self) -> int:
        """The highest severity of all entries; 0 when all is well."""
        return max((entry.outcome.severity for entry in self.entries), default=0)
