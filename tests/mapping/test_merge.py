"""Merging: what wins, and that nothing is said to lose against itself."""

from __future__ import annotations

import pytest

from istio_convert import Conversion, Outcome, Source, convert
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"


def outcomes(conversion: Conversion) -> dict[str, tuple[str, str]]:
    return {render(e.leaf.path): (e.outcome.value, e.reason) for e in conversion.ledger.entries}


def values(conversion: Conversion, release: str = "istiod") -> dict[str, object]:
    return next(r for r in conversion.releases if r.name == release).values_data()


def test_lists_and_empty_maps_of_values_do_not_lose_against_themselves() -> None:
    text = (
        HEAD + "spec: {values: {meshConfig: {extensionProviders: [{name: a, zipkin: {}}]}, pilot: {podLabels: {}}}}\n"
    )
    found = outcomes(convert(text, to="1.25.3"))
    assert found["spec.values.meshConfig.extensionProviders[0].name"][0] == "value"
    assert found["spec.values.meshConfig.extensionProviders[0].zipkin"][0] == "value"
    assert found["spec.values.pilot.podLabels"][0] == "default"
    assert not [path for path, (outcome, _) in found.items() if outcome == "overridden"]


def test_values_beat_the_fields_that_become_values() -> None:
    text = HEAD + "spec: {hub: a.example.com, meshConfig: {accessLogFile: x}, values: {global: {hub: b.example.com}}}\n"
    conversion = convert(text, to="1.25.3")
    assert values(conversion)["global"] == {"hub": "b.example.com"}
    assert outcomes(conversion)["spec.hub"][0] == "overridden"
    assert "operator.yaml:3:" in outcomes(conversion)["spec.hub"][1]


def test_later_files_win_and_flags_win_over_files() -> None:
    first = Source("a.yaml", HEAD + "spec: {values: {pilot: {traceSampling: 1, autoscaleMax: 7}}}\n")
    second = Source("b.yaml", HEAD + "spec: {values: {pilot: {traceSampling: 2}}}\n")
    conversion = convert([first, second], to="1.25.3", sets=["values.pilot.autoscaleMax=8"])
    assert values(conversion)["pilot"] == {"traceSampling": 2, "autoscaleMax": 8}
    found = [(e.leaf.file, e.leaf.value, e.outcome) for e in conversion.ledger.entries if e.leaf.path[-1] != "kind"]
    assert ("a.yaml", 1, Outcome.OVERRIDDEN) in found
    assert ("a.yaml", 7, Outcome.OVERRIDDEN) in found
    assert ("--set", 8, Outcome.VALUE) in found


def test_a_list_of_gateways_replaces_that_of_the_profile() -> None:
    text = HEAD + "spec: {profile: demo, components: {ingressGateways: [{name: edge, enabled: true}]}}\n"
    names = [release.name for release in convert(text, to="1.25.3").releases]
    assert names == ["istio-base", "istiod", "edge", "istio-egressgateway"]


def test_what_a_chart_refuses_is_never_emitted_and_left_to_a_person() -> None:
    text = HEAD + "spec: {values: {telemetry: {v2: {prometheus: {configOverride: {gateway: {a: b}}}}}}}\n"
    conversion = convert(text, to="1.25.3")
    assert "telemetry" not in values(conversion)
    path = "spec.values.telemetry.v2.prometheus.configOverride.gateway.a"
    assert outcomes(conversion)[path][0] == "manual"


def test_odd_but_understood_things_are_warned_about() -> None:
    text = (
        "kind: IstioOperator\nspec:\n  tag: 1.20\n  meshConfig: {enableTracing: yes}\n  components:\n"
        "    pilot: {k8s: {replicaCount: 2}}\n    ingressGateways: [{enabled: true}]\n"
    )
    words = [warning.message for warning in convert(text, to="1.25.3").warnings]
    assert words == [
        "from 1.20 to 1.25.3 is 5 minor releases at once; Istio supports one in place, and two by a canary",
        "apiVersion is missing",
        "spec.tag is read as a number in another form, by istioctl, too",
        "spec.meshConfig.enableTracing is read as true or false, by istioctl, too",
        "replicaCount of istiod is kept beside an autoscaler, and the two fight over it",
        "a gateway without a name is read as istio-ingressgateway",
    ]


CONFLICT = (
    HEAD
    + "spec:\n  meshConfig: {accessLogFile: a, defaultConfig: {concurrency: 2}}\n"
    + "  values: {meshConfig: {accessLogFile: b, defaultConfig: {concurrency: 3, meshId: x}},\n"
    + "           pilot: {cni: {enabled: true}}}\n"
)


def test_from_1_24_on_the_spec_wins_over_the_maps_of_the_values() -> None:
    conversion = convert(CONFLICT, to="1.25.3")
    assert values(conversion)["meshConfig"] == {
        "accessLogFile": "a",
        "defaultConfig": {"concurrency": 2, "meshId": "x"},
    }
    assert "pilot" not in values(conversion)
    found = outcomes(conversion)
    assert found["spec.values.meshConfig.accessLogFile"][0] == "overridden"
    assert found["spec.values.meshConfig.defaultConfig.meshId"][0] == "value"
    assert found["spec.values.pilot.cni.enabled"][0] == "overridden"


def test_up_to_1_23_the_values_win_over_the_spec() -> None:
    conversion = convert(CONFLICT, to="1.23.6")
    assert values(conversion)["meshConfig"] == {
        "accessLogFile": "b",
        "defaultConfig": {"concurrency": 3, "meshId": "x"},
    }
    assert outcomes(conversion)["spec.meshConfig.accessLogFile"][0] == "overridden"


def test_a_gateway_of_the_profile_that_older_releases_add_is_named() -> None:
    text = HEAD + "spec: {components: {ingressGateways: [{name: edge, enabled: true}]}}\n"
    (warning,) = convert(text, to="1.25.3").warnings
    assert "install istio-ingressgateway of profile default beside these gateways" in warning.message


def test_an_empty_map_of_values_loses_with_a_reason() -> None:
    text = HEAD + "spec: {components: {cni: {enabled: true, tag: 1.24.6-distroless}}, values: {cni: {}}}\n"
    found = outcomes(convert(text, to="1.22.8"))["spec.values.cni"]
    assert found == ("overridden", "the tag names a variant")


@pytest.mark.parametrize(
    ("field", "warned"),
    [
        ("meshConfig: {defaultConfig: {tracing: {sampling: 5.0}}}", False),
        ("meshConfig: {defaultConfig: {tracing: {sampling: 100.00}}}", False),
        ("meshConfig: {defaultConfig: {tracing: {sampling: 1.20}}}", True),
        ("meshConfig: {defaultConfig: {concurrency: 1e3}}", True),
        ("meshConfig: {defaultConfig: {concurrency: 0644}}", True),
        ("meshConfig: {enableTracing: yes}", True),
        ("tag: 1.0", True),
        ("components: {pilot: {k8s: {podAnnotations: {version: 5.0}}}}", True),
    ],
)
def test_a_number_that_stays_the_same_is_no_finding(field: str, warned: bool) -> None:
    conversion = convert(f"{HEAD}spec:\n  {field}\n", to="1.25.3")
    assert any("by istioctl, too" in warning.message for warning in conversion.warnings) is warned
