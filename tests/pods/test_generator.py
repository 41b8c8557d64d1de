"""The generator: the same gateways always, each an operator that the conversion takes."""

from __future__ import annotations

import importlib

import pytest

from istio_convert import Outcome, convert
from tests.pods import gateways
from tests.pods.gateways import metadata, variables, volumes

SAMPLE = gateways.cases()[::29]


def test_the_same_cases_always() -> None:
    first = [(case.name, case.text) for case in gateways.cases()]
    gateways.cases.cache_clear()
    gateways.features.cache_clear()
    importlib.reload(variables)
    assert [(case.name, case.text) for case in gateways.cases()] == first


def test_every_kind_of_place_has_cases() -> None:
    names = {case.name for case in gateways.cases()}
    for name in variables.NAMES:
        assert {f"env/value/{name}", f"env/field/{name}"} <= names
    for source in volumes.SOURCES:
        assert {f"volume/{source}/{name}" for name in (*volumes.IN_CHART, *volumes.OTHERS)} <= names
    for name in metadata.ANNOTATIONS:
        assert any(case.startswith(f"annotation/{name}=") for case in names)
    assert len(gateways.cases()) > 1000


@pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.name)
def test_a_case_is_an_operator_with_its_gateway(case: gateways.Case) -> None:
    conversion = convert(case.text, to="1.25.3")
    assert [one for one in conversion.releases if one.component == "ingressGateways"]
    assert not [entry for entry in conversion.ledger.entries if entry.outcome is Outcome.LOST]
