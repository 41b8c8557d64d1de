"""All mapping rules in one place, for ``rules``, ``explain``, the docs and the tests of the examples."""

from __future__ import annotations

from functools import lru_cache

from istio_convert.mapping.model import GatewaySlot, Rule, Slot
from istio_convert.mapping.rules.gateway import GATEWAY_SLOTS
from istio_convert.mapping.rules.gateway_pod import DEPLOYMENT
from istio_convert.mapping.rules.general import GENERAL_RULES
from istio_convert.mapping.rules.spec import FIELD_RULES
from istio_convert.mapping.rules.values import VALUE_RULES
from istio_convert.mapping.rules.workload import OVERLAY_SLOTS, SLOTS
from istio_convert.paths import render


def _tables() -> dict[str, tuple[Rule, ...]]:
    """The entries of each file of the table, in the order of the docs."""
    return {
        "spec.py": FIELD_RULES,
        "values.py": VALUE_RULES,
        "general.py": GENERAL_RULES,
        "workload.py": (*SLOTS, *OVERLAY_SLOTS),
        "gateway_pod.py": DEPLOYMENT,
        "gateway.py": tuple(slot for slot in GATEWAY_SLOTS if slot not in DEPLOYMENT),
    }


def code_of(rule: Rule) -> str:
    """The file that holds a rule's entry, from the root of the source; a test or a person looks for its id there."""
    file = next(file for file, table in _tables().items() if any(known.id == rule.id for known in table))
    return f"istio_convert/mapping/rules/{file}"


@lru_cache(maxsize=1)
def rules() -> tuple[Rule, ...]:
    """Every rule, in the order of the docs. Ids are unique.

    Raises:
        ValueError: two rules have one id (a bug).
    """
    table = tuple(rule for entries in _tables().values() for rule in entries)
    seen: set[str] = set()
    for rule in table:
        if rule.id in seen:
            raise ValueError(f"two rules are called {rule.id}")
        seen.add(rule.id)
    return table


def value_side(rule: Rule) -> str:
    """The rule's place in the values, in words; empty when it has none."""
    if isinstance(rule, Slot):
        return ", ".join(f"{render(path)} ({component})" for component, path in rule.values.items())
    if isinstance(rule, GatewaySlot):
        return render(rule.value_path)
    return rule.value


def manifest_side(rule: Rule) -> str:
    """The rule's place in the manifest, in words; empty when it has none."""
    if isinstance(rule, Slot | GatewaySlot):
        kind = {"workload": "Deployment/DaemonSet"}.get(rule.kind, rule.kind)
        steps = "".join(f"[{step[0]}:{step[1]}]" if isinstance(step, tuple) else f".{step}" for step in rule.path)
        return f"{kind} {steps.removeprefix('.')}"
    return rule.manifest
