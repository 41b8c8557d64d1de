"""Overlays into the metrics of an autoscaler."""

from __future__ import annotations

import pytest

from istio_convert import Outcome, convert

OLD = "{type: Resource, resource: {name: cpu, targetAverageUtilization: 60}}"
NEW = "{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}"
TARGET = "resource.target.averageUtilization"


def _outcomes(gateway: bool, metrics: str, path: str) -> set[Outcome]:
    name = "gw" if gateway else "istiod"
    patch = f"{{path: '{path}', value: 44}}"
    overlay = f"{{kind: HorizontalPodAutoscaler, name: {name}, patches: [{patch}]}}"
    k8s = f"{{hpaSpec: {{minReplicas: 1, maxReplicas: 4, metrics: [{metrics}]}}, overlays: [{overlay}]}}"
    block = f"ingressGateways: [{{name: gw, enabled: true, k8s: {k8s}}}]" if gateway else f"pilot: {{k8s: {k8s}}}"
    head = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"
    conversion = convert(f"{head}  components: {{{block}}}\n", to="1.30.3")
    return {entry.outcome for entry in conversion.ledger.entries if "overlays" in entry.leaf.path}


@pytest.mark.parametrize("gateway", [False, True])
def test_a_target_beside_the_old_form_is_for_a_person(gateway: bool) -> None:
    assert _outcomes(gateway, OLD, f"spec.metrics[0].{TARGET}") == {Outcome.MANUAL}
    assert _outcomes(gateway, f"{NEW}, {OLD}", f"spec.metrics[1].{TARGET}") == {Outcome.MANUAL}
    assert Outcome.MANUAL not in _outcomes(gateway, NEW, f"spec.metrics[0].{TARGET}")


def test_the_old_form_of_istiod_cannot_be_overlaid() -> None:
    assert _outcomes(False, OLD, "spec.metrics[0].resource.targetAverageUtilization") == {Outcome.MANUAL}


def test_the_old_form_of_a_gateway_can() -> None:
    assert _outcomes(True, OLD, "spec.metrics[0].resource.targetAverageUtilization") == {Outcome.VALUE}
