"""A budget that is no longer rendered: the reason names what brings it back, and that does."""

from __future__ import annotations

import pytest

from istio_convert.api import convert
from istio_convert.ledger import Outcome
from istio_convert.paths import render

SPEC = """
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  values: VALUES
  components:
    pilot: {k8s: {hpaSpec: {minReplicas: 3}, podDisruptionBudget: {maxUnavailable: 1}}}
    ingressGateways:
      - {name: istio-ingressgateway, enabled: true,
         k8s: {hpaSpec: {minReplicas: 3}, podDisruptionBudget: {maxUnavailable: 1}}}
"""
CURES = ("pilot", "gateways.istio-ingressgateway")


def reasons(version: str, values: str = "{}") -> list[tuple[Outcome, str]]:
    entries = convert(SPEC.replace("VALUES", values), to=version).ledger.entries
    return [(e.outcome, e.reason) for e in entries if "podDisruptionBudget" in render(e.leaf.path)]


@pytest.mark.parametrize("version", ["1.29.6", "1.30.3"])
def test_the_reason_names_the_cure(version: str) -> None:
    found = reasons(version)
    assert [outcome for outcome, _ in found] == [Outcome.INERT] * 2
    for (_, reason), values in zip(found, CURES, strict=True):
        assert f"it takes values.{values}.autoscaleMin of 2 or more" in reason
    cured = reasons(version, "{pilot: {autoscaleMin: 2}, gateways: {istio-ingressgateway: {autoscaleMin: 2}}}")
    assert [outcome for outcome, _ in cured] == [Outcome.PATCH, Outcome.VALUE]


def test_a_budget_that_is_switched_off_has_another_reason() -> None:
    for _, reason in reasons("1.30.3", "{global: {defaultPodDisruptionBudget: {enabled: false}}}"):
        assert reason.endswith("values.global.defaultPodDisruptionBudget.enabled is off")
