"""Overlays of the control plane that need more than a place."""

from __future__ import annotations

import pytest

from istio_convert import Outcome, convert
from istio_convert.mapping.overlaypath import NO_LIST
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"


@pytest.mark.parametrize(
    ("path", "value", "outcome"),
    [
        ("data.mesh", '"rootNamespace: x"', Outcome.MANUAL),  # istioctl reads such a text as YAML
        ("data.mesh", "{rootNamespace: x}", Outcome.MANUAL),
        ("data.mesh.rootNamespace", "x", Outcome.MANUAL),
        ("data.mesh", "plain text", Outcome.PATCH),
        ("metadata.annotations", "{a: b}", Outcome.PATCH),
    ],
)
def test_data_of_a_config_map_stay_texts(path: str, value: str, outcome: Outcome) -> None:
    overlay = f"{{kind: ConfigMap, name: istio, patches: [{{path: {path}, value: {value}}}]}}"
    conversion = convert(f"{HEAD}  components: {{pilot: {{k8s: {{overlays: [{overlay}]}}}}}}\n", to="1.25.3")
    found = {entry.outcome for entry in conversion.ledger.entries if "overlays" in entry.leaf.path}
    assert found == {outcome}
    assert bool([release for release in conversion.releases if release.patches]) is (outcome is Outcome.PATCH)


@pytest.mark.parametrize("place", ["initContainers[-1]", "hostAliases[-1]", "topologySpreadConstraints[0]"])
def test_an_element_of_no_list_is_for_a_person(place: str) -> None:
    patch = f"{{path: 'spec.template.spec.{place}', value: {{name: x}}}}"
    overlay = f"{{kind: Deployment, name: istiod, patches: [{patch}]}}"
    conversion = convert(f"{HEAD}  components: {{pilot: {{k8s: {{overlays: [{overlay}]}}}}}}\n", to="1.25.3")
    found = {(e.outcome, e.reason) for e in conversion.ledger.entries if "overlays" in e.leaf.path}
    assert found == {(Outcome.MANUAL, NO_LIST)}
    assert conversion.files("flux")  # values that the chart's schema takes


@pytest.mark.parametrize("version", ["1.23.6", "1.30.3"])
def test_overlays_of_crds_are_for_a_person(version: str) -> None:
    patch = "{path: metadata.annotations.a, value: b}"
    overlay = f"{{kind: CustomResourceDefinition, name: gateways.networking.istio.io, patches: [{patch}]}}"
    conversion = convert(f"{HEAD}  components: {{base: {{k8s: {{overlays: [{overlay}]}}}}}}\n", to=version)
    found = {e.outcome for e in conversion.ledger.entries if "overlays" in e.leaf.path}
    assert found == {Outcome.MANUAL}


def test_a_misspelt_component_is_unknown() -> None:
    conversion = convert(f"{HEAD}  components: {{ztunel: {{enabled: true}}}}\n", to="1.30.3")
    (entry,) = [e for e in conversion.ledger.entries if "ztunel" in e.leaf.path]
    assert (entry.outcome, entry.rule) == (Outcome.MANUAL, "unknown")
    assert entry.action == "did you mean spec.components.ztunnel?"


@pytest.mark.parametrize("first", ["priorityClassName: a", "overlays: [{A}, {B}]"])
def test_an_overlay_takes_the_place_of_an_earlier_patch(first: str) -> None:
    overlay = "kind: Deployment, name: istiod, patches: [{path: spec.template.spec.priorityClassName, value: %s}]"
    k8s = first.replace("A", overlay % "a").replace("B", overlay % "b")
    k8s = k8s if "overlays" in k8s else f"{k8s}, overlays: [{{{overlay % 'b'}}}]"
    conversion = convert(f"{HEAD}  components: {{pilot: {{k8s: {{{k8s}}}}}}}\n", to="1.25.3")
    found = {str(e.leaf.value): e.outcome for e in conversion.ledger.entries}
    assert (found["a"], found["b"]) == (Outcome.OVERRIDDEN, Outcome.PATCH)


@pytest.mark.parametrize("k8s", ["hpaSpec", "podDisruptionBudget", "service", "env", "resources"])
def test_a_null_of_the_control_plane_is_a_patch(k8s: str) -> None:
    conversion = convert(f"{HEAD}  components: {{pilot: {{k8s: {{{k8s}: null}}}}}}\n", to="1.25.3")
    (entry,) = [e for e in conversion.ledger.entries if e.leaf.path[-1] == k8s]
    assert entry.outcome is Outcome.PATCH


def test_kind_and_name_of_an_overlay_share_the_fate_of_a_patch_that_lives_on() -> None:
    patches = "[{path: 'spec.template.spec.containers.[name:none].image', value: x}, {path: spec.paused, value: true}]"
    overlay = f"{{kind: Deployment, name: istiod, patches: {patches}}}"
    head = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"
    text = f"{head}spec: {{components: {{pilot: {{k8s: {{overlays: [{overlay}]}}}}}}}}\n"
    found = {render(e.leaf.path): e.outcome.value for e in convert(text, to="1.25.3").ledger.entries}
    root = "spec.components.pilot.k8s.overlays[0]"
    assert found[f"{root}.patches[0].value"] != "patch"
    assert (found[f"{root}.kind"], found[f"{root}.name"]) == ("patch", "patch")


def test_a_port_is_patched_by_its_position_because_kustomize_would_want_its_protocol() -> None:
    path = "spec.template.spec.containers.[name:discovery].ports.[containerPort:15017].hostPort"
    overlay = f"{{kind: Deployment, name: istiod, patches: [{{path: '{path}', value: 15017}}]}}"
    text = f"{HEAD}  components: {{pilot: {{k8s: {{overlays: [{overlay}]}}}}}}\n"
    release = next(r for r in convert(text, to="1.23.6").releases if r.chart == "istiod")
    pointer = "/spec/template/spec/containers/0/ports/2/hostPort"
    assert [patch.body for patch in release.patches] == [[{"op": "add", "path": pointer, "value": 15017}]]


WEBHOOKS = ("ValidatingWebhookConfiguration", "istio-validator-istio-system", "webhooks.[0].objectSelector")


@pytest.mark.parametrize(
    ("kind", "name", "path"),
    [
        (*WEBHOOKS[:2], f"{WEBHOOKS[2]}.matchExpressions.[key:istio.io/rev].values"),
        ("Deployment", "istiod", "spec.template.spec.volumes.[name:a.b].emptyDir"),
    ],
)
def test_a_dot_inside_brackets_splits_the_path(kind: str, name: str, path: str) -> None:
    overlay = f"{{kind: {kind}, name: {name}, patches: [{{path: '{path}', value: [x]}}]}}"
    conversion = convert(f"{HEAD}  components: {{pilot: {{k8s: {{overlays: [{overlay}]}}}}}}\n", to="1.25.3")
    found = {(e.outcome, e.reason) for e in conversion.ledger.entries if "overlays" in e.leaf.path}
    reason = "istioctl splits the path at the dot inside the brackets, finds nothing there and ignores the patch"
    assert found == {(Outcome.INERT, reason)}
    assert not any(release.patches for release in conversion.releases)
