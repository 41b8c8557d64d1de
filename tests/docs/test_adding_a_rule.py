"""The rules that the documentation adds work as they stand there: nothing but the entry of the table is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from istio_convert import convert
from istio_convert.mapping.controlplane import settings
from istio_convert.mapping.gateway import mapper, overlays
from istio_convert.mapping.model import Example, GatewaySlot, Rule, Slot
from istio_convert.mapping.rules import table
from istio_convert.mapping.rules.gateway import GATEWAY_SLOTS
from istio_convert.mapping.rules.table import rules
from tests.docs.pages import blocks
from tests.mapping.test_rule_examples import test_example as run_example

PAGE = "docs/contributing/rules.md"
HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"
READERS = {"SLOTS": (settings, table), "GATEWAY_SLOTS": (mapper, overlays, table)}


def rule_of_the_page(name: str) -> Any:
    block = next(block for block in blocks(PAGE) if block.all("rule") == [name])
    return eval(block.text, {"Slot": Slot, "GatewaySlot": GatewaySlot, "Example": Example})


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, tuple[Rule, ...]], None]]:
    """Put another table in the place of one."""

    def put_(name: str, entries: tuple[Rule, ...]) -> None:
        for module in READERS[name]:
            monkeypatch.setattr(module, name, entries)
        rules.cache_clear()

    yield put_
    monkeypatch.undo()
    rules.cache_clear()


def outcomes(spec: str) -> dict[str, tuple[str, str]]:
    entries = convert(f"{HEAD}spec: {spec}\n", to="1.25.3").ledger.entries
    return {str(entry.leaf.path[-1]): (entry.outcome.value, entry.rule) for entry in entries}


def test_before_the_rule_the_field_is_a_patch() -> None:
    rule = rule_of_the_page("SLOTS")
    assert rule.id not in {one.id for one in rules()}, "the table has the rule now: the page needs another example"
    with pytest.raises(AssertionError):
        run_example(rule)


def test_the_rule_is_the_whole_change(put: Callable[[str, tuple[Rule, ...]], None]) -> None:
    rule = rule_of_the_page("SLOTS")
    put("SLOTS", (*settings.SLOTS, rule))
    assert rule in rules()
    run_example(rule)
    found = outcomes(
        "{components: {pilot: {k8s: {service: {ipFamilyPolicy: PreferDualStack, sessionAffinity: ClientIP}}}}}"
    )
    assert found["ipFamilyPolicy"] == ("value", rule.id)
    assert found["sessionAffinity"][0] == "patch"


def test_the_rule_for_gateways_is_that_of_the_table() -> None:
    """The gateway chart has no value left without a rule, so the page shows one that the table has."""
    rule = rule_of_the_page("GATEWAY_SLOTS")
    (entry,) = (one for one in GATEWAY_SLOTS if one.id == rule.id)
    assert replace(entry, example=None) == replace(rule, example=None)
    run_example(rule)


def test_the_rule_for_gateways_is_the_whole_change(put: Callable[[str, tuple[Rule, ...]], None]) -> None:
    rule = rule_of_the_page("GATEWAY_SLOTS")
    without = tuple(one for one in GATEWAY_SLOTS if one.id != rule.id)
    put("GATEWAY_SLOTS", without)
    spec = f"{{{rule.example.spec}}}"
    assert outcomes(spec)["value"][0] == "patch"
    put("GATEWAY_SLOTS", (*without, rule))
    assert outcomes(spec)["value"] == ("value", rule.id)
