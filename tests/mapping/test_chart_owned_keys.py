"""Names that a chart's template sets itself, and maps that an overlay replaces: patches, since a value would not do."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert import Conversion, convert
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n  profile: minimal\n"
POD = "spec.template.metadata"


def converted(text: str) -> Conversion:
    return convert(f"{HEAD}  {text}\n", to="1.25.3")


def overlay(component: str, *patches: str) -> str:
    kind, name = ("Deployment", "istiod") if component == "pilot" else ("DaemonSet", "ztunnel")
    if component == "cni":
        name = "istio-cni-node"
    listed = ", ".join(f"{{path: '{patch.split('=')[0]}', value: {patch.split('=')[1]}}}" for patch in patches)
    given = f"overlays: [{{kind: {kind}, name: {name}, patches: [{listed}]}}]"
    return f"components: {{{component}: {{enabled: true, k8s: {{{given}}}}}}}"


def result(conversion: Conversion, component: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of a release, and the pod template's metadata as its patch has it."""
    release = next(r for r in conversion.releases if r.component == component)
    values = release.values_data()
    bodies = [patch.body for patch in release.patches if isinstance(patch.body, dict)]
    metadata = bodies[0]["spec"]["template"].get("metadata", {}) if bodies else {}
    return values.get(component, values), metadata


def outcome(conversion: Conversion, path: str) -> str:
    return next(e.outcome.value for e in conversion.ledger.entries if render(e.leaf.path) == path)


@pytest.mark.parametrize("component", ["pilot", "cni", "ztunnel"])
@pytest.mark.parametrize("by", ["k8s", "values", "overlay"])
def test_an_annotation_that_the_template_sets_is_a_patch(component: str, by: str) -> None:
    own, escaped = "sidecar.istio.io/inject", r"sidecar\.istio\.io/inject"
    text = {
        "k8s": f"components: {{{component}: {{enabled: true, k8s: {{podAnnotations: {{{own}: 'true', mine: a}}}}}}}}",
        "values": f"values: {{{component}: {{podAnnotations: {{{own}: 'true', mine: a}}}}}}\n"
        f"  components: {{{component}: {{enabled: true}}}}",
        "overlay": overlay(component, f"{POD}.annotations.{escaped}='true'", f"{POD}.annotations.mine=a"),
    }[by]
    conversion = converted(text)
    values, metadata = result(conversion, component)
    assert values["podAnnotations"] == {"mine": "a"}
    assert metadata == {"annotations": {own: "true"}}
    assert {e.outcome.value for e in conversion.ledger.entries if own in str(e.leaf.path)} <= {"patch"}


def test_both_spellings_of_an_overlaid_label() -> None:
    conversion = converted(overlay("ztunnel", f"{POD}.labels.app=x", f"{POD}.labels.mine=b"))
    values, metadata = result(conversion, "ztunnel")
    assert values["podLabels"] == {"mine": "b"}
    assert metadata == {"labels": {"app": "x"}}
    patches = "spec.components.ztunnel.k8s.overlays[0].patches"
    assert [outcome(conversion, f"{patches}[{i}].{key}") for i in (0, 1) for key in ("path", "value")] == [
        "patch",
        "patch",
        "value",
        "value",
    ]


def test_a_value_that_the_template_prints_over_has_no_effect() -> None:
    labels = "{app: x, app.kubernetes.io/name: b, mine: z}"
    conversion = converted(f"values: {{pilot: {{podLabels: {labels}, deploymentLabels: {{app: x, mine: b}}}}}}")
    values, metadata = result(conversion, "pilot")
    assert values == {"podLabels": {"mine": "z"}, "deploymentLabels": {"mine": "b"}}
    assert metadata == {"labels": {"app": "x"}}
    assert outcome(conversion, "spec.values.pilot.podLabels.app\\.kubernetes\\.io/name") == "inert"
    # an overlay is applied after the template
    conversion = converted(overlay("pilot", f"{POD}.labels.app\\.kubernetes\\.io/name=b"))
    assert result(conversion, "pilot")[1] == {"labels": {"app.kubernetes.io/name": "b"}}


def test_an_overlay_that_drops_what_the_chart_sets_is_a_patch() -> None:
    discovery = "spec.template.spec.containers.[name:discovery]"
    conversion = converted(overlay("pilot", f"{discovery}.resources={{requests: {{cpu: 9}}}}"))
    [patch] = next(r for r in conversion.releases if r.component == "pilot").patches
    assert isinstance(patch.body, dict)
    [container] = patch.body["spec"]["template"]["spec"]["containers"]
    assert container["resources"] == {"$patch": "replace", "requests": {"cpu": 9}}
    assert result(conversion, "pilot")[0] == {}
    whole = overlay("pilot", f"{discovery}.resources={{requests: {{cpu: 9, memory: 1Gi}}}}")
    assert result(converted(whole), "pilot")[0] == {"resources": {"requests": {"cpu": 9, "memory": "1Gi"}}}


def test_what_comes_after_a_replacing_patch_is_in_the_patch() -> None:
    conversion = converted(overlay("cni", f"{POD}.annotations={{only: mine}}", f"{POD}.annotations.more=too"))
    values, metadata = result(conversion, "cni")
    assert "podAnnotations" not in values
    assert metadata == {"annotations": {"$patch": "replace", "only": "mine", "more": "too"}}
