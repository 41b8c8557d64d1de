"""Generated gateways: one feature of the pod each, for every feature that a gateway's pod can have, and pairs of them.

The same cases in the same order, always. A case is an operator that ``istioctl`` takes; its name says what it is about:
``env/value/GOMAXPROCS``.
"""

from __future__ import annotations

from functools import cache

from tests.pods.gateways import containers, metadata, pairs, planes, pod, probes, values, variables, volumes
from tests.pods.gateways.features import Case, Feature

__all__ = ["Case", "Feature", "cases", "features", "kinds"]

_FAMILIES = (variables, probes, volumes, containers, pod, metadata, values)


@cache
def features() -> tuple[Feature, ...]:
    """Every feature, in the order of the families."""
    found = tuple(feature for family in _FAMILIES for feature in family.features())
    assert len({feature.name for feature in found}) == len(found), "two features of one name"
    return found


@cache
def cases() -> tuple[Case, ...]:
    """Every gateway: a bare one, one for each feature, some beside other control planes, and pairs."""
    single = [feature.case() for feature in features()]
    found = (Feature("bare").case(), *single, *planes.cases(features()), *pairs.cases(features()))
    assert len({case.name for case in found}) == len(found), "two cases of one name"
    return found


def kinds() -> dict[str, list[Case]]:
    """The cases by their kind, which is the first word of the name."""
    found: dict[str, list[Case]] = {}
    for case in cases():
        found.setdefault(case.kind, []).append(case)
    return found
