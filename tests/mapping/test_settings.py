"""k8s settings of the control plane whose place depends on the workload."""

from __future__ import annotations

import pytest

from istio_convert import convert
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"


@pytest.mark.parametrize("component", ["cni", "ztunnel"])
@pytest.mark.parametrize(
    ("setting", "field"),
    [("replicaCount: 3", "replicas"), ("strategy: {type: OnDelete}", "strategy")],
)
def test_fields_that_a_daemon_set_does_not_have_are_for_a_person(component: str, setting: str, field: str) -> None:
    text = f"{HEAD}  components: {{{component}: {{enabled: true, k8s: {{{setting}}}}}}}\n"
    conversion = convert(text, to="1.25.3")
    release = next(r for r in conversion.releases if r.component == component)
    assert not release.patches
    name = setting.partition(":")[0]
    [entry] = [e for e in conversion.ledger.entries if f"k8s.{name}" in render(e.leaf.path)]
    assert entry.outcome.value == "manual"
    assert f"a DaemonSet has no spec.{field}" in entry.reason


def test_istiod_has_them() -> None:
    text = f"{HEAD}  components: {{pilot: {{k8s: {{replicaCount: 3, strategy: {{type: Recreate}}}}}}}}\n"
    release = next(r for r in convert(text, to="1.25.3").releases if r.component == "pilot")
    assert {key for patch in release.patches for key in patch.body["spec"]} == {"replicas", "strategy"}  # type: ignore[call-overload]


def test_annotations_and_labels_of_an_object_go_by_a_removal_because_kustomize_writes_nulls_as_text() -> None:
    overlay = "{kind: Service, name: istiod, patches: [{path: metadata.labels.istio}]}"
    text = f"{HEAD}  components: {{pilot: {{k8s: {{serviceAnnotations: {{a: null}}, overlays: [{overlay}]}}}}}}\n"
    release = next(r for r in convert(text, to="1.25.3").releases if r.component == "pilot")
    assert [patch.body for patch in release.patches] == [
        {"metadata": {"annotations": {"a": ""}}},
        [{"op": "remove", "path": "/metadata/annotations/a"}, {"op": "remove", "path": "/metadata/labels/istio"}],
    ]


def ports(text: str) -> tuple[list[object], dict[str, str]]:
    """The ports of istiod's patch, and the outcomes of the leaves."""
    conversion = convert(f"{HEAD}  components: {{pilot: {{k8s: {{service: {{ports: {text}}}}}}}}}\n", to="1.25.3")
    release = next(r for r in conversion.releases if r.component == "pilot")
    [body] = [patch.body for patch in release.patches if isinstance(patch.body, dict)]
    entries = [e for e in conversion.ledger.entries if "ports" in e.leaf.path]
    return body["spec"]["ports"], {render(e.leaf.path).rpartition("ports")[2]: e.outcome.value for e in entries}


def test_of_two_ports_with_one_number_the_later_one_is_laid_over_the_other() -> None:
    found, outcomes = ports("[{name: a, port: 53, protocol: UDP, nodePort: 9}, {name: b, port: 53, protocol: TCP}]")
    assert found == [{"name": "b", "port": 53, "protocol": "TCP", "nodePort": 9}]
    assert {path for path, outcome in outcomes.items() if outcome == "overridden"} == {"[0].name", "[0].protocol"}
    assert set(outcomes.values()) == {"overridden", "patch"}


def test_a_port_of_another_protocol_takes_the_place_of_the_charts() -> None:
    found, _ = ports("[{name: a, port: 15012, protocol: UDP}, {name: b, port: 15010}]")
    assert found == [
        {"port": 15012, "protocol": "TCP", "$patch": "delete"},
        {"name": "a", "port": 15012, "protocol": "UDP"},
        # without a protocol Kustomize would take no notice of it
        {"name": "b", "port": 15010, "protocol": "TCP"},
    ]
