"""What the parts of the engine find out about leaves, before the ledger is closed.

One leaf may be claimed several times: ``global.hub`` by every chart that reads it. Settling turns the claims of a leaf
into its one entry: what needs a person wins over what is fine, what lives on wins over what is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from istio_convert.ledger import Entry, Ledger, Outcome, Place
from istio_convert.source.nodes import Leaf

#: which outcome wins when a leaf has several
_RANK = {
    Outcome.LOST: 7,
    Outcome.MANUAL: 6,
    Outcome.VALUE: 5,
    Outcome.PATCH: 5,
    Outcome.RELEASE: 4,
    Outcome.DEFAULT: 3,
    Outcome.OVERRIDDEN: 2,
    Outcome.INERT: 1,
}
#: it lives on
_ALIVE = (Outcome.VALUE, Outcome.PATCH)
_WITH_PLACES = (*_ALIVE, Outcome.MANUAL, Outcome.LOST, Outcome.DEFAULT)
_T = TypeVar("_T")


class Claim(NamedTuple):
    """One finding about one leaf."""

    outcome: Outcome
    rule: str
    place: Place | None = None
    reason: str = ""
    action: str = ""


def lost_to(winner: Leaf | None, rule: str, why: str) -> Claim:
    """The finding that another leaf, if known, wins."""
    by = f"{winner.origin} wins: " if winner is not None else ""
    return Claim(Outcome.OVERRIDDEN, rule, None, f"{by}{why}")


@dataclass(slots=True)
class Claims:
    """All findings of a run.

    Attributes:
        companions: leaf -> the leaf whose fate it shares (an env variable's name that of its value, an overlay's path
            that of its value).
        shared: leaf -> leaves, of which it shares the fate of one that lives on, else of the first (the kind of an
            overlay with several patches).
    """

    by_leaf: dict[Leaf, list[Claim]] = field(default_factory=dict)
    companions: dict[Leaf, Leaf] = field(default_factory=dict)
    shared: dict[Leaf, tuple[Leaf, ...]] = field(default_factory=dict)

    def add(self, leaf: Leaf | None, claim: Claim) -> None:
        """Note a finding; the same one twice counts once."""
        if leaf is None:
            return
        claims = self.by_leaf.get(leaf)
        if claims is None:
            self.by_leaf[leaf] = [claim]
        elif claim not in claims:
            claims.append(claim)

    def overridden(self, leaf: Leaf, winner: Leaf | None, rule: str, why: str, *, release: str | None = None) -> None:
        """A leaf lost against another: what was found about it in this release (in all, when None) no longer counts."""
        kept = [
            claim
            for claim in self.by_leaf.get(leaf, [])
            if release is not None and claim.place is not None and claim.place.release != release
        ]
        self.by_leaf[leaf] = [*kept, lost_to(winner, rule, why)]

    def moved(self, leaf: Leaf, place: Place, claim: Claim) -> None:
        """Replace the finding about one place by another."""
        claims = self.by_leaf.get(leaf, [])
        self.by_leaf[leaf] = [c for c in claims if c.place != place]
        self.add(leaf, claim)

    def settle(self, ledger: Ledger) -> None:
        """Write one entry for every claimed leaf."""
        for leaf, principal in self.companions.items():
            if leaf not in self.by_leaf:
                root, seen = principal, {leaf}
                while root not in self.by_leaf and root in self.companions and root not in seen:
                    seen.add(root)
                    root = self.companions[root]
                if root in self.by_leaf:
                    self.by_leaf[leaf] = list(self.by_leaf[root])
        for leaf, principals in self.shared.items():
            known = [self.by_leaf[principal] for principal in principals if principal in self.by_leaf]
            alive = [claims for claims in known if settle_one(leaf, claims).outcome in _ALIVE]
            if known and leaf not in self.by_leaf:
                self.by_leaf[leaf] = list((alive or known)[0])
        for leaf, claims in self.by_leaf.items():
            ledger.record(settle_one(leaf, claims))


def settle_one(leaf: Leaf, claims: list[Claim]) -> Entry:
    """The entry that the claims of one leaf amount to."""
    if len(claims) == 1:  # nearly all leaves are like this
        (only,) = claims
        place = only.place if only.outcome in _WITH_PLACES else None
        return Entry(
            leaf,
            only.outcome,
            only.rule,
            (place,) if place else (),
            only.reason,
            "" if only.outcome in _ALIVE else only.action,
        )
    best = max(claims, key=lambda claim: _RANK[claim.outcome])
    outcomes = _ALIVE if best.outcome in _ALIVE else (best.outcome,)
    said = [claim for claim in claims if claim.outcome in outcomes]
    best = next((claim for claim in said if claim.outcome is Outcome.VALUE), said[0])
    places = _each(claim.place for claim in said) if best.outcome in _WITH_PLACES else ()
    actions = () if best.outcome in _ALIVE else _each(claim.action for claim in said)
    reasons = _each(claim.reason for claim in said)
    return Entry(leaf, best.outcome, best.rule, places, "; ".join(reasons), "; ".join(actions))


def _each(found: Iterable[_T | None]) -> tuple[_T, ...]:
    """What is not empty, each once, in order."""
    return tuple(dict.fromkeys(one for one in found if one))
