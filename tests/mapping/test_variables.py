"""Variables that refer to others stand behind them under Helm where they do with istioctl, and only there."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert import Conversion, convert
from istio_convert.mapping.converters.env_order import references, replaced
from istio_convert.mapping.draft.strategic_merge import interleaved
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"
ZED = "{name: ZED, value: z}"


def converted(k8s: str, *, values: str = "{}", gateway: bool = False, to: str = "1.25.3") -> Conversion:
    component = (
        f"ingressGateways: [{{name: istio-ingressgateway, enabled: true, k8s: {k8s}}}]"
        if gateway
        else f"pilot: {{k8s: {k8s}}}"
    )
    return convert(f"{HEAD}  values: {values}\n  components: {{{component}}}\n", to=to)


def variables(conversion: Conversion, component: str = "pilot") -> tuple[dict[str, Any], list[Any]]:
    """The variables of a release: those in the values, and those in its patch."""
    release = next(r for r in conversion.releases if r.component == component)
    values = release.values_data()
    bodies = [patch.body for patch in release.patches if isinstance(patch.body, dict) and patch.target.kind[0] == "D"]
    patched = [body["spec"]["template"]["spec"]["containers"][0]["env"] for body in bodies]
    return values.get(component, values).get("env", {}), patched[-1] if patched else []


def outcomes(conversion: Conversion, part: str) -> list[str]:
    return [e.outcome.value for e in conversion.ledger.entries if part in render(e.leaf.path)]


def test_references() -> None:
    assert references("a $(A) $$(B) $$$(C) $(D") == ["A", "C"]
    assert replaced(["A", "B"], {"A": "$(B)", "B": "$(A) $(C)", "D": "$(A)"}) == {("B", "A")}


@pytest.mark.parametrize(
    ("before", "patch", "order"),
    [
        ("abc", "xy", "xyabc"),
        ("abc", "xb", "xabc"),
        ("abc", "bx", "abxc"),
        ("abc", "ca", "bca"),
        ("", "ba", "ba"),
    ],
)
def test_the_order_of_a_merged_list_is_that_of_kubernetes(before: str, patch: str, order: str) -> None:
    assert "".join(interleaved(before, patch)) == order


@pytest.mark.parametrize("gateway", [False, True])
@pytest.mark.parametrize("to", ["1.25.3", "1.31.0"])
def test_what_the_map_would_print_behind_is_in_the_order_of_the_setting(gateway: bool, to: str) -> None:
    alpha = "{name: ALPHA, value: 'a-$(ZED)'}"
    conversion = converted(f"{{env: [{ZED}, {alpha}, {{name: OTHER, value: o}}]}}", gateway=gateway, to=to)
    values, patched = variables(conversion, "ingressGateways" if gateway else "pilot")
    pair = [{"name": "ZED", "value": "z"}, {"name": "ALPHA", "value": "a-$(ZED)"}]
    release = next(r for r in conversion.releases if r.component == ("ingressGateways" if gateway else "pilot"))
    if gateway and to == "1.31.0":
        assert release.values_data()["envVarFrom"] == pair
    else:
        assert [item for item in patched if item["name"] != "OTHER"] == pair
    assert {"ZED", "ALPHA"}.isdisjoint(values)
    if gateway or to == "1.25.3":
        assert values == {"OTHER": "o"}
    assert "manual" not in outcomes(conversion, "env")


def test_an_order_that_the_map_has_too_stays_a_value() -> None:
    conversion = converted(f"{{env: [{{name: ALPHA, value: a}}, {{name: BETA, value: $(ALPHA) $$(ZED)}}, {ZED}]}}")
    assert variables(conversion) == ({"ALPHA": "a", "BETA": "$(ALPHA) $$(ZED)", "ZED": "z"}, [])


def test_a_value_of_the_chart_counts_along() -> None:
    # istioctl's ZED stands before all that the chart prints; among the values it would stand behind MID
    values, patched = variables(converted(f"{{env: [{ZED}]}}", values="{pilot: {env: {MID: $(ZED)}}}"))
    assert (values, patched) == ({"MID": "$(ZED)"}, [{"name": "ZED", "value": "z"}])


def test_a_name_of_the_template_is_not_replaced_where_istioctl_leaves_it() -> None:
    text = "{name: BETA, value: $(POD_NAME)}"
    assert variables(converted(f"{{env: [{text}]}}")) == ({}, [{"name": "BETA", "value": "$(POD_NAME)"}])


@pytest.mark.parametrize(
    "k8s",
    [
        "{env: [{name: CLUSTER_ID, value: $(POD_NAME)}]}",
        (
            "{overlays: [{kind: Deployment, name: istiod, patches: [{path: "
            "'spec.template.spec.containers.[name:discovery].env.[name:CLUSTER_ID]', "
            "value: {name: CLUSTER_ID, value: $(POD_NAME)}}]}]}"
        ),
        (
            "{overlays: [{kind: Deployment, name: istiod, patches: [{path: "
            "'spec.template.spec.containers.[name:discovery].env.[name:CLUSTER_ID].value', value: $(POD_NAME)}]}]}"
        ),
    ],
)
def test_a_name_of_the_template_stays_in_front_of_what_refers_to_it(k8s: str) -> None:
    expected = [{"name": "POD_NAME"}, {"name": "CLUSTER_ID", "value": "$(POD_NAME)"}]
    assert variables(converted(k8s)) == ({}, expected)


def test_what_injection_would_replace_and_istioctl_does_not_is_for_a_person() -> None:
    text = "{name: BETA, value: $(POD_NAME)}"
    conversion = converted(f"{{env: [{text}]}}", gateway=True)
    [entry] = [e for e in conversion.ledger.entries if render(e.leaf.path).endswith("env[0].value")]
    assert (entry.outcome.value, "one side only" in entry.reason) == ("manual", True)
    # istioctl prints a variable of the values behind its own, where injection puts it, too
    values = "{gateways: {istio-ingressgateway: {env: {BETA: $(POD_NAME)}}}}"
    conversion = converted("{}", values=values, gateway=True)
    assert variables(conversion, "ingressGateways")[0] == {"BETA": "$(POD_NAME)"}
    assert outcomes(conversion, "BETA") == ["value"]
