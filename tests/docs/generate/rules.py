"""The table of mapping rules, one section for each rule, with its example and what becomes of it."""

from __future__ import annotations

from typing import Any

from istio_convert import Conversion, convert
from istio_convert.mapping.model import Example, GatewaySlot, Rule, Slot
from istio_convert.mapping.rules.spec import FieldRule
from istio_convert.mapping.rules.table import manifest_side, rules, value_side
from istio_convert.paths import render
from istio_convert.source import read
from istio_convert.source.nodes import to_data
from istio_convert.source.writer import dump
from tests.docs.generate.markdown import code, prose, sentence

_HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"
_GROUPS = {
    Slot: "Settings of the control plane",
    GatewaySlot: "Gateways",
    Rule: "Values, names and everything else",
    FieldRule: "Fields that decide about releases, and fields without a place",
}


def section() -> str:
    """All rules, in groups."""
    parts: list[str] = []
    for kind, title in _GROUPS.items():
        parts += [f"## {title}", *(_rule(rule) for rule in rules() if _kind(rule) is kind)]
    return "\n\n".join(parts)


def _kind(rule: Rule) -> type[Rule]:
    return next((kind for kind in (Slot, GatewaySlot, FieldRule) if isinstance(rule, kind)), Rule)


def _rule(rule: Rule) -> str:
    facts = [("field", code(rule.source)), ("value", code(value_side(rule))), ("manifest", code(manifest_side(rule)))]
    if isinstance(rule, FieldRule):
        facts.append(("outcome", code(rule.outcome.value)))
        facts.append(("action", prose(rule.action)))
    lines = [f"### {code(rule.id)}", sentence(prose(rule.why))]
    lines.append("\n".join(f"- {name}: {text}" for name, text in facts if text))
    if rule.example is not None:
        lines += _example(rule.example)
    return "\n\n".join(lines)


def _example(example: Example) -> list[str]:
    spec = example.spec if not example.spec.startswith("{") else example.spec[1:-1]
    document = to_data(read(f"{_HEAD}spec: {{{spec}}}\n", "example")[0].root)
    parts = [f"```yaml\n{dump({'spec': document['spec']}).rstrip()}\n```"]
    conversion = convert(f"{_HEAD}spec: {{{spec}}}\n", to=example.to)
    if example.values is not None:
        values = _part(_values(conversion, example), dict(example.values))
        parts.append(f"Values of `{example.release}` at {example.to}:")
        parts.append(f"```yaml\n{dump(values).rstrip()}\n```")
    if example.patch is not None:
        parts.append(f"Patch of the {example.kind} of `{example.release}` at {example.to}:")
        parts.append(f"```yaml\n{dump(example.patch).rstrip()}\n```")
    if example.outcome:
        entry = next(one for one in conversion.ledger.entries if render(one.leaf.path) == f"spec.{example.leaf}")
        action = f" To do: {prose(entry.action)}." if entry.action else ""
        parts.append(f"`{example.leaf}` at {example.to} is `{entry.outcome.value}`: {prose(entry.reason)}.{action}")
    return parts


def _values(conversion: Conversion, example: Example) -> dict[str, Any]:
    return next(release for release in conversion.releases if release.name == example.release).values_data()


def _part(whole: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """What the example names of the values, as they are."""
    return {
        key: _part(whole[key], value)
        if isinstance(value, dict) and value and isinstance(whole[key], dict)
        else whole[key]
        for key, value in wanted.items()
    }
