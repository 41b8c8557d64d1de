"""Which rules are about a path, for ``explain``. Pure: a path in, rules out.

Rules name their source in words that people read (``values.gateways.*.replicaCount, k8s.replicaCount``); here these
words become patterns. A path may be one of the operator, of a chart's values, or of a rendered object.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from istio_convert.mapping.model import GatewaySlot, Rule, Slot
from istio_convert.mapping.rules.table import manifest_side, rules, value_side
from istio_convert.operator.shape import field_names

_OVERLAY = re.compile(r"components\.\*\.k8s\.overlays \((?P<path>.+)\)")
_GATEWAYS = ("ingressGateways", "egressGateways")
_ROOTS = frozenset(field_names("Spec")) | {"apiVersion", "kind", "metadata"}
_LIST_STEP = re.compile(r"\[[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that is about a path.

    Attributes:
        rule: the rule.
        closeness: the larger, the more of the path the rule names; general rules have 0.
    """

    rule: Rule
    closeness: int


def operator_steps(path: str) -> list[str]:
    """The map keys of a path of the operator, list positions and a leading ``spec`` left out."""
    steps = [step for step in split(path) if step]
    return steps[1:] if len(steps) > 1 and steps[0] == "spec" and steps[1] in _ROOTS else steps


def split(path: str) -> list[str]:
    r"""The map keys of a path; ``\.`` is a dot inside a key, ``[…]`` is left out."""
    plain = _LIST_STEP.sub("", path)
    return [step.replace("\0", ".") for step in plain.replace("\\.", "\0").split(".")]


def find(path: str) -> list[Match]:
    """The rules that are about a path, the closest first, general ones last."""
    steps = operator_steps(path)
    found = []
    for number, rule in enumerate(rules()):
        closeness = max((_closeness(pattern, steps, rule) for pattern in patterns(rule)), default=-1)
        closeness = max(closeness, _closeness_elsewhere(rule, split(path)))
        if closeness >= 0:
            found.append((-closeness, number, Match(rule, closeness)))
    return [match for _, _, match in sorted(found, key=lambda item: item[:2])]


def patterns(rule: Rule) -> list[list[str]]:
    """The paths of the operator that a rule names, as steps with ``*`` and ``**``."""
    found: list[list[str]] = []
    for words in rule.source.split(", "):
        if words in ("overlays", "other documents") or _OVERLAY.fullmatch(words):
            continue
        steps = split(words)
        if steps[0] == "k8s":
            steps = ["components", "*Gateways", *steps]
        elif len(steps) == 1 and found and len(found[-1]) > 1 and steps[0] not in _ROOTS:
            steps = [*found[-1][:-1], *steps]
        found.append(steps[1:] if steps[0] == "spec" else steps)
    return found


def _closeness(pattern: list[str], steps: list[str], rule: Rule) -> int:
    """How closely a pattern is about a path; -1 when it is not."""
    open_end = pattern[-1] == "**"
    fixed = pattern[:-1] if open_end else pattern
    common = min(len(fixed), len(steps))
    if not all(_step(fixed[i], steps[i], rule) for i in range(common)):
        return -1
    if len(steps) < len(fixed):
        # the path is above the field: only the parts of a whole that somebody asks for
        return common if len(steps) > 1 and not open_end else -1
    if open_end:
        return 0
    return 2 * len([step for step in fixed if step != "*"])


def _step(pattern: str, step: str, rule: Rule) -> bool:
    if pattern == "*Gateways":
        return step in _GATEWAYS
    if pattern == "*":
        # a component that exists once, where the tables have rules of their own for gateways
        own_for_gateways = isinstance(rule, Slot) or rule.id.startswith("component.")
        return not (own_for_gateways and step in _GATEWAYS)
    return pattern in ("**", step)


def _closeness_elsewhere(rule: Rule, steps: list[str]) -> int:
    """How closely a rule is about a path of the values or of a rendered object; -1 when it is not."""
    if not isinstance(rule, Slot | GatewaySlot):
        return -1
    places = [[str(step) for step in rule.path if isinstance(step, str)]]
    if isinstance(rule, GatewaySlot):
        places.append(list(rule.value_path))
    else:
        places += [list(path) for path in rule.values.values()]
    named = [place for place in places if place and place != ["spec"]]  # every object has a spec
    return max((2 * len(place) for place in named if steps[: len(place)] == place), default=-1)


def describe(rule: Rule) -> list[tuple[str, str]]:
    """What the table says about a rule, as pairs of word and text; empty places are left out."""
    rows = [("field", rule.source), ("value", value_side(rule)), ("manifest", manifest_side(rule)), ("why", rule.why)]
    return [(word, text) for word, text in rows if text]
