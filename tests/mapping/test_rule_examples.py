"""Every rule's own example, run as it stands in the table."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert import Conversion, convert
from istio_convert.mapping.model import Example, Rule
from istio_convert.mapping.rules.table import rules
from istio_convert.paths import render

#: rules about the document around the spec, or about several documents, for which a spec is no example
WITHOUT_EXAMPLE = {
    "base.once",
    "cluster.once",
    "document",
    "document.kind",
    "metadata",
    "status",
    "gateway.enabled",
    "gateway.namespace",
    "gateway.switch",
    "foreign",
}


def converted(example: Example) -> Conversion:
    spec = example.spec if not example.spec.startswith("{") else example.spec[1:-1]
    lines = f"{{{spec}}}"
    return convert(f"apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec: {lines}\n", to=example.to)


def holds(whole: Any, part: Any) -> bool:
    """Whether ``part`` is contained in ``whole``: maps by key, lists item by item."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and holds(whole[key], value) for key, value in part.items())
    if isinstance(part, list):
        return (
            isinstance(whole, list)
            and len(whole) == len(part)
            and all(holds(w, p) for w, p in zip(whole, part, strict=True))
        )
    return bool(whole == part and type(whole) is type(part))


def test_only_rules_about_the_document_lack_an_example() -> None:
    assert {rule.id for rule in rules() if rule.example is None} == WITHOUT_EXAMPLE


@pytest.mark.parametrize("rule", [rule for rule in rules() if rule.example], ids=lambda rule: rule.id)
def test_example(rule: Rule) -> None:
    example = rule.example
    assert example is not None
    assert example.values or example.patch or example.outcome, "an example must show something"
    conversion = converted(example)
    release = next((release for release in conversion.releases if release.name == example.release), None)
    if example.values is not None:
        assert release is not None
        assert holds(release.values_data(), dict(example.values)), release.values_data()
    if example.patch is not None:
        assert release is not None
        bodies = [patch.body for patch in release.patches if patch.target.kind == example.kind]
        assert any(holds(body, example.patch) for body in bodies), bodies
    if example.outcome:
        entry = next(e for e in conversion.ledger.entries if render(e.leaf.path) == f"spec.{example.leaf}")
        assert (entry.outcome.value, entry.rule) == (example.outcome, rule.id), entry.reason
