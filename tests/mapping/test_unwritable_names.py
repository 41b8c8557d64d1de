"""Names of annotations and labels with which Kustomize fails are for a person, and never in a release with patches."""

from __future__ import annotations

import pytest

from istio_convert import Conversion, convert
from istio_convert.mapping.checks.unwritable_names import is_unwritable
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n  profile: minimal\n"


def converted(k8s: str, *, gateway: bool = False) -> Conversion:
    own = f"ingressGateways: [{{name: gw, enabled: true, k8s: {k8s}}}]" if gateway else f"pilot: {{k8s: {k8s}}}"
    return convert(f"{HEAD}  components: {{{own}}}\n", to="1.25.3")


def outcomes(conversion: Conversion, part: str) -> set[str]:
    return {e.outcome.value for e in conversion.ledger.entries if part in render(e.leaf.path)}


def written(conversion: Conversion) -> str:
    return str([(release.values_data(), release.patches) for release in conversion.releases])


@pytest.mark.parametrize(
    "name", ["123", "1.5", "0x1f", "0644", "1e3", "true", "False", "null", "~", ".inf", "2024-01-01"]
)
def test_names_that_kustomize_reads_as_something_else(name: str) -> None:
    assert is_unwritable(name)


@pytest.mark.parametrize("name", ["yes", "on", "y", "12:30", "a", "v1", "example.com/1", "1/2", "1.2.3"])
def test_names_that_are_texts(name: str) -> None:
    assert not is_unwritable(name)


@pytest.mark.parametrize("gateway", [False, True])
@pytest.mark.parametrize("field", ["annotations", "labels"])
@pytest.mark.parametrize("patch", ["{path: metadata.%s.4711, value: x}", "{path: metadata.%s, value: {'4711': x}}"])
def test_an_overlay_with_such_a_name(gateway: bool, field: str, patch: str) -> None:
    name = "gw" if gateway else "istiod"
    overlay = f"{{kind: Deployment, name: {name}, patches: [{patch % field}]}}"
    conversion = converted(f"{{overlays: [{overlay}]}}", gateway=gateway)
    assert outcomes(conversion, "value") == {"manual"}
    assert "4711" not in written(conversion)


@pytest.mark.parametrize("gateway", [False, True])
def test_beside_a_patch_it_is_no_value_either(gateway: bool) -> None:
    annotations = "serviceAnnotations: {'4711': a, own: b}"
    conversion = converted(f"{{{annotations}}}", gateway=gateway)
    assert outcomes(conversion, "serviceAnnotations") == {"value"}
    patch = "{path: spec.paused, value: true}"
    overlay = f"{{kind: Deployment, name: {'gw' if gateway else 'istiod'}, patches: [{patch}]}}"
    conversion = converted(f"{{{annotations}, overlays: [{overlay}]}}", gateway=gateway)
    assert outcomes(conversion, "serviceAnnotations.4711") == {"manual"}
    assert outcomes(conversion, "serviceAnnotations.own") == {"value"}
    assert "4711" not in written(conversion)


def test_a_pods_annotations_may_have_any_name() -> None:
    patch = "{path: spec.template.metadata.annotations.4711, value: x}, {path: spec.paused, value: true}"
    conversion = converted(f"{{overlays: [{{kind: Deployment, name: istiod, patches: [{patch}]}}]}}")
    assert "manual" not in outcomes(conversion, "patches")
    assert "4711" in written(conversion)
