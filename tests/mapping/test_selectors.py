"""Selectors of the operator's own: a budget's replaces that of the chart, a Service's is merged into it."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert import Conversion, convert
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"


def pilot(k8s: str) -> Conversion:
    return convert(f"{HEAD}  components: {{pilot: {{k8s: {k8s}}}}}\n", to="1.25.3")


def gateway(k8s: str) -> Conversion:
    own = f"{{name: gw, enabled: true, label: {{tier: edge}}, k8s: {k8s}}}"
    return convert(f"{HEAD}  components: {{ingressGateways: [{own}]}}\n", to="1.25.3")


def selectors(conversion: Conversion, kind: str) -> list[Any]:
    patches = [patch for release in conversion.releases for patch in release.patches if patch.target.kind == kind]
    return [patch.body["spec"].get("selector", "none") for patch in patches if isinstance(patch.body, dict)]


def outcomes(conversion: Conversion) -> set[tuple[str, str]]:
    entries = [e for e in conversion.ledger.entries if "elector" in str(e.leaf.path) + str(e.leaf.value)]
    return {(render(e.leaf.path).rpartition(".k8s.")[2], e.outcome.value) for e in entries}


OWN = {"$patch": "replace", "matchLabels": {"app": "x"}}


@pytest.mark.parametrize("convert_", [pilot, gateway])
def test_a_budgets_selector_replaces_that_of_the_chart(convert_: Any) -> None:
    conversion = convert_("{podDisruptionBudget: {minAvailable: 2, selector: {matchLabels: {app: x}}}}")
    assert selectors(conversion, "PodDisruptionBudget") == [OWN]
    assert outcomes(conversion) == {("podDisruptionBudget.selector.matchLabels.app", "patch")}


@pytest.mark.parametrize("convert_", [pilot, gateway])
def test_an_empty_selector_takes_in_every_pod(convert_: Any) -> None:
    conversion = convert_("{podDisruptionBudget: {selector: {}}}")
    assert selectors(conversion, "PodDisruptionBudget") == [{"$patch": "replace"}]
    assert outcomes(conversion) == {("podDisruptionBudget.selector", "patch")}


@pytest.mark.parametrize("convert_", [pilot, gateway])
@pytest.mark.parametrize(("setting", "kind"), [("podDisruptionBudget", "PodDisruptionBudget"), ("service", "Service")])
def test_a_selector_may_go(convert_: Any, setting: str, kind: str) -> None:
    conversion = convert_(f"{{{setting}: {{selector: null}}}}")
    assert selectors(conversion, kind) == [None]
    assert outcomes(conversion) == {(f"{setting}.selector", "patch")}


def test_the_gateways_own_labels_are_what_the_chart_selects_by() -> None:
    labels = "{app: istio-ingressgateway, istio: ingressgateway, tier: edge}"
    conversion = gateway(f"{{podDisruptionBudget: {{selector: {{matchLabels: {labels}}}}}}}")
    assert selectors(conversion, "PodDisruptionBudget") == [{"matchLabels": {"tier": "edge"}}]
    assert {outcome for _, outcome in outcomes(conversion)} == {"default"}


@pytest.mark.parametrize(
    ("patch", "labels"),
    [
        ("{path: spec.selector.matchLabels.a, value: b}", {"app", "istio", "tier", "a"}),
        ("{path: spec.selector.matchLabels.app}", {"istio", "tier"}),
    ],
)
def test_an_overlay_on_a_budgets_selector(patch: str, labels: set[str]) -> None:
    conversion = gateway(f"{{overlays: [{{kind: PodDisruptionBudget, name: gw, patches: [{patch}]}}]}}")
    [selector] = selectors(conversion, "PodDisruptionBudget")
    assert selector["$patch"] == "replace"
    assert set(selector["matchLabels"]) == labels
    assert {outcome for _, outcome in outcomes(conversion)} == {"patch"}


def test_a_services_selector_is_merged() -> None:
    [selector] = selectors(gateway("{service: {selector: {a: b, app: null}}}"), "Service")
    assert selector == {"tier": "edge", "a": "b", "app": None}
