"""A sample of pairs of features: the same ones always."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from tests.pods.gateways.features import Case, Feature, operator

NUMBER, SEED = 60, 16
#: Kinds that leave no gateway to judge beside another feature, or whose values exclude one another.
_ALONE = ("profile", "spec", "namespace", "workload", "injector")


def cases(features: Sequence[Feature]) -> Iterator[Case]:
    """Pairs of features of different kinds."""
    chosen = random.Random(SEED)
    usable = [feature for feature in features if feature.name.split("/")[0] not in _ALONE]
    kinds = sorted({feature.name.split("/")[0] for feature in usable})
    seen: set[tuple[str, str]] = set()
    while len(seen) < NUMBER:
        one, other = (
            chosen.choice([f for f in usable if f.name.startswith(f"{kind}/")]) for kind in chosen.sample(kinds, 2)
        )
        if (one.name, other.name) in seen:
            continue
        seen.add((one.name, other.name))
        yield Case(f"pair/{one.name}+{other.name}", operator([one, other]))
