"""The rule that the documentation adds works as it stands there: nothing but the entry of the table is needed."""

from __future__ import annotations

import pytest

from istio_convert import convert
from istio_convert.mapping import controlplane, table
from istio_convert.mapping.model import Example, Slot
from istio_convert.mapping.table import rules
from tests.docs.pages import blocks
from tests.mapping.test_rule_examples import test_example as run_example

PAGE = "docs/contributing/rules.md"
OPERATOR = """
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec: {components: {pilot: {k8s: {service: {ipFamilyPolicy: PreferDualStack, sessionAffinity: ClientIP}}}}}
"""


def rule_of_the_page() -> Slot:
    block = next(block for block in blocks(PAGE) if block.all("rule") == ["SLOTS"])
    rule = eval(block.text, {"Slot": Slot, "Example": Example})
    assert isinstance(rule, Slot)
    return rule


def test_before_the_rule_the_field_is_a_patch() -> None:
    rule = rule_of_the_page()
    assert rule.id not in {one.id for one in rules()}, "the table has the rule now: the page needs another example"
    with pytest.raises(AssertionError):
        run_example(rule)


def test_the_rule_is_the_whole_change(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = rule_of_the_page()
    for module in (controlplane, table):
        monkeypatch.setattr(module, "SLOTS", (*module.SLOTS, rule))
    rules.cache_clear()
    try:
        assert rule in rules()
        run_example(rule)
        entries = {str(entry.leaf.path[-1]): entry for entry in convert(OPERATOR, to="1.25.3").ledger.entries}
        assert (entries["ipFamilyPolicy"].outcome.value, entries["ipFamilyPolicy"].rule) == ("value", rule.id)
        assert entries["sessionAffinity"].outcome.value == "patch"
    finally:
        monkeypatch.undo()
        rules.cache_clear()
