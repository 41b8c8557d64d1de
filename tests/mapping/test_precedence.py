"""Overlays on what values, settings or earlier overlays decide: in the order in which istioctl applies them."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert import Conversion, convert
from istio_convert.mapping.overlays.path import NO_LIST
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"
POD = "spec.template.spec"
DISCOVERY = f"{POD}.containers.[name:discovery]"


def converted(
    *patches: str, kind: str = "Deployment", k8s: str = "", values: str = "{}", to: str = "1.25.3", of: str = "pilot"
) -> Conversion:
    name = {"pilot": "istiod", "cni": "istio-cni-node"}.get(of, of)
    overlay = f"{{kind: {kind}, name: {name}, patches: [{', '.join(f'{{{p}}}' for p in patches)}]}}"
    settings = ", ".join(filter(None, [k8s, f"overlays: [{overlay}]"]))
    return convert(f"{HEAD}  values: {values}\n  components: {{{of}: {{enabled: true, k8s: {{{settings}}}}}}}\n", to=to)


def bodies(conversion: Conversion) -> list[Any]:
    return [patch.body for release in conversion.releases for patch in release.patches]


def outcomes(conversion: Conversion, below: str) -> dict[str, str]:
    """Outcomes by path, of what lies below a path of the spec."""
    found = {render(e.leaf.path).removeprefix("spec."): e.outcome.value for e in conversion.ledger.entries}
    return {path.removeprefix(below): outcome for path, outcome in found.items() if path.startswith(below)}


def overlay_outcomes(conversion: Conversion, of: str = "pilot") -> list[str]:
    """The outcomes of each patch's path."""
    found = outcomes(conversion, f"components.{of}.k8s.overlays[0].patches")
    return [outcome for path, outcome in found.items() if path.endswith(".path")]


@pytest.mark.parametrize(
    ("values", "k8s", "path", "kind", "of"),
    [
        ("{}", "serviceAnnotations: {a: b}", "metadata.annotations.a", "Service", "pilot"),
        ("{pilot: {serviceAnnotations: {a: b}}}", "", "metadata.annotations.a", "Service", "pilot"),
        ("{pilot: {deploymentLabels: {zone: a}}}", "", "metadata.labels.zone", "Deployment", "pilot"),
        ("{pilot: {ipFamilyPolicy: PreferDualStack}}", "", "spec.ipFamilyPolicy", "Service", "pilot"),
        ("{pilot: {ipFamilies: [IPv4]}}", "", "spec.ipFamilies", "Service", "pilot"),
        ("{}", "priorityClassName: hi", f"{POD}.priorityClassName", "Deployment", "pilot"),
        ("{}", "securityContext: {fsGroup: 3}", f"{POD}.securityContext", "Deployment", "pilot"),
        ("{}", "securityContext: {fsGroup: 3}", f"{POD}.securityContext.fsGroup", "Deployment", "pilot"),
        ("{}", "podAnnotations: {a: b}", "spec.template.metadata.annotations.a", "Deployment", "pilot"),
        ("{}", "service: {loadBalancerIP: 1.1.1.1}", "spec.loadBalancerIP", "Service", "pilot"),
        ("{}", "affinity: {podAffinity: {}}", f"{POD}.affinity", "DaemonSet", "ztunnel"),
    ],
)
def test_what_an_overlay_takes_away_again_is_in_nothing(values: str, k8s: str, path: str, kind: str, of: str) -> None:
    conversion = converted(f"path: {path}", kind=kind, k8s=k8s, values=values, of=of)
    assert bodies(conversion) == []
    assert overlay_outcomes(conversion, of) == ["default"]
    set_before = outcomes(conversion, "values." if not k8s else f"components.{of}.k8s.{k8s.partition(':')[0]}")
    assert set(set_before.values()) == {"overridden"}
    plain = convert(f"{HEAD}  components: {{{of}: {{enabled: true}}}}\n", to="1.25.3")
    assert [r.values_data() for r in conversion.releases] == [r.values_data() for r in plain.releases]


def test_the_rest_of_a_value_stays() -> None:
    conversion = converted(
        "path: metadata.annotations.a", kind="Service", values="{pilot: {serviceAnnotations: {a: b, c: d}}}"
    )
    assert bodies(conversion) == []
    istiod = next(r for r in conversion.releases if r.component == "pilot")
    assert istiod.values_data()["pilot"] == {"serviceAnnotations": {"c": "d"}}


@pytest.mark.parametrize(
    ("of", "kind", "values", "path", "body"),
    [
        (
            "ztunnel",
            "DaemonSet",
            "{ztunnel: {labels: {l: a}}}",
            "metadata.labels.l",
            [{"metadata": {"labels": {"l": ""}}}, [{"op": "remove", "path": "/metadata/labels/l"}]],
        ),
        (
            "ztunnel",
            "DaemonSet",
            "{ztunnel: {annotations: {l: a}}}",
            "metadata.annotations.l",
            [{"metadata": {"annotations": {"l": ""}}}, [{"op": "remove", "path": "/metadata/annotations/l"}]],
        ),
        (
            "pilot",
            "Deployment",
            "{global: {priorityClassName: a}}",
            f"{POD}.priorityClassName",
            [{"spec": {"template": {"spec": {"priorityClassName": None}}}}],
        ),
        (
            "pilot",
            "Deployment",
            "{global: {logAsJson: true}}",
            f"{POD}.nodeSelector.other",
            [],
        ),
    ],
)
def test_what_a_value_of_wider_effect_renders_is_taken_away_by_a_patch(
    of: str, kind: str, values: str, path: str, body: list[Any]
) -> None:
    conversion = converted(f"path: {path}", kind=kind, values=values, of=of)
    assert bodies(conversion) == body
    assert overlay_outcomes(conversion, of) == ["patch" if body else "default"]


def test_what_overlays_add_and_take_away_is_in_nothing() -> None:
    conversion = converted(
        "path: metadata.annotations.foo, value: bar",
        "path: metadata.annotations.foo",
        f"path: {POD}.priorityClassName, value: a",
        f"path: {POD}.priorityClassName",
        f"path: {POD}.hostAliases, value: [{{ip: a}}]",
        f"path: {POD}.hostAliases",
    )
    assert bodies(conversion) == []
    assert overlay_outcomes(conversion) == ["overridden", "default"] * 3


def test_an_overlay_replaces_what_a_setting_patched() -> None:
    conversion = converted(
        f"path: {POD}.securityContext, value: {{runAsUser: 1}}", k8s="securityContext: {fsGroup: 3, runAsUser: 2}"
    )
    assert bodies(conversion) == [{"spec": {"template": {"spec": {"securityContext": {"runAsUser": 1}}}}}]
    assert set(outcomes(conversion, "components.pilot.k8s.securityContext").values()) == {"overridden"}
    service = converted("path: spec.type, value: ClusterIP", kind="Service", k8s="service: {type: LoadBalancer}")
    assert bodies(service) == [{"spec": {"type": "ClusterIP"}}]
    assert outcomes(service, "components.pilot.k8s.service.") == {"type": "overridden"}


def at(body: Any, *steps: Any) -> Any:
    for step in steps:
        body = body[step]
    return body


def test_a_key_in_a_deleted_map_stands_alone() -> None:
    place = f"{DISCOVERY}.resources"
    conversion = converted(f"path: '{place}'", f"path: '{place}.limits.cpu', value: '2'")
    (body,) = bodies(conversion)
    container = at(body, "spec", "template", "spec", "containers", 0)
    assert container == {"name": "discovery", "resources": {"$patch": "replace", "limits": {"cpu": "2"}}}
    assert overlay_outcomes(conversion) == ["patch", "patch"]


def test_a_map_that_is_deleted_twice_is_deleted() -> None:
    conversion = converted("path: metadata.labels.istio", "path: metadata.labels.istio")
    assert bodies(conversion) == [[{"op": "remove", "path": "/metadata/labels/istio"}]]


def test_all_labels_of_an_object_are_removed_by_an_operation() -> None:
    conversion = converted("path: metadata.labels")
    assert bodies(conversion) == [[{"op": "remove", "path": "/metadata/labels"}]]


def test_keys_come_and_go_in_a_map_that_an_overlay_brought() -> None:
    place = f"{DISCOVERY}.resources"
    conversion = converted(
        f"path: '{place}', value: {{limits: {{a: '1'}}}}",
        f"path: '{place}.limits.c', value: '3'",
        f"path: '{place}.limits.a'",
        f"path: '{place}.limits.none'",
    )
    (body,) = bodies(conversion)
    found = at(body, "spec", "template", "spec", "containers", 0, "resources")
    assert found == {"$patch": "replace", "limits": {"c": "3"}}
    assert overlay_outcomes(conversion) == ["patch", "patch", "default", "default"]
    assert outcomes(conversion, "components.pilot.k8s.overlays[0].patches[0].value") == {".limits.a": "overridden"}


def test_keys_come_and_go_in_a_map_that_became_a_value() -> None:
    place = f"{POD}.nodeSelector"
    conversion = converted(
        f"path: {place}, value: {{a: b}}", f"path: {place}.c, value: d", f"path: {place}.a", f"path: {place}.none"
    )
    istiod = next(r for r in conversion.releases if r.component == "pilot")
    assert (istiod.values_data()["pilot"]["nodeSelector"], bodies(conversion)) == ({"c": "d"}, [])
    assert overlay_outcomes(conversion) == ["value", "value", "default", "default"]
    assert outcomes(conversion, "components.pilot.k8s.overlays[0].patches[0].value") == {".a": "overridden"}


@pytest.mark.parametrize("path", ["spec.ports[0].port", "spec.ports.[name:grpc-xds].port"])
def test_what_tells_elements_apart_is_not_taken_away(path: str) -> None:
    conversion = converted(f"path: '{path}'", kind="Service")
    assert (bodies(conversion), overlay_outcomes(conversion)) == ([], ["manual"])


def test_nothing_is_taken_away_from_a_deleted_list() -> None:
    conversion = converted("path: spec.ports", "path: 'spec.ports[0].name'", kind="Service")
    assert overlay_outcomes(conversion) == ["patch", "manual"]


@pytest.mark.parametrize("patches", [["path: spec.ports"], ["path: spec.ports, value: []", "path: spec.ports"]])
def test_no_element_is_added_to_a_deleted_list(patches: list[str]) -> None:
    conversion = converted(*patches, "path: 'spec.ports[-1]', value: {name: z, port: 1}", kind="Service")
    assert bodies(conversion) == [{"spec": {"ports": None}}]
    reasons = {e.outcome.value: e.reason for e in conversion.ledger.entries if e.leaf.path[-1] == "port"}
    assert reasons == {"manual": NO_LIST}


def test_an_element_of_a_list_that_an_overlay_brought() -> None:
    conversion = converted(
        "path: spec.ports, value: [{name: a, port: 1}, {name: b, port: 2}]",
        "path: 'spec.ports[1].port', value: 3",
        "path: 'spec.ports[-1]', value: {name: c, port: 4}",
        "path: 'spec.ports.[name:a]'",
        kind="Service",
    )
    ports = [{"$patch": "replace"}, {"name": "b", "port": 3}, {"name": "c", "port": 4}]
    assert bodies(conversion) == [{"spec": {"ports": ports}}]
    outcome = outcomes(conversion, "components.pilot.k8s.overlays[0].patches[0].value")
    assert outcome["[0].name"] == outcome["[0].port"] == outcome["[1].port"] == "overridden"


def test_what_istioctl_adds_to_a_list_that_an_overlay_brought_is_for_a_person() -> None:
    conversion = converted(
        f"path: {POD}.dnsConfig, value: {{searches: [a]}}", f"path: {POD}.dnsConfig.searches, value: b"
    )
    assert overlay_outcomes(conversion)[1] == "manual"


def test_operations_in_a_list_that_goes_go_too() -> None:
    conversion = converted("path: 'spec.ports[0].targetPort', value: 1", "path: spec.ports", kind="Service")
    assert bodies(conversion) == [{"spec": {"ports": None}}]
    assert overlay_outcomes(conversion) == ["overridden", "patch"]


def test_a_position_in_the_list_of_a_setting() -> None:
    conversion = converted(
        f"path: '{POD}.tolerations[1]', value: {{key: z}}", k8s="tolerations: [{key: a}, {key: b, effect: c}]"
    )
    (body,) = bodies(conversion)
    assert at(body, "spec", "template", "spec", "tolerations") == [{"key": "a"}, {"key": "z"}]
    assert outcomes(conversion, "components.pilot.k8s.tolerations") == {
        "[0].key": "patch",
        "[1].key": "overridden",
        "[1].effect": "overridden",
    }


@pytest.mark.parametrize(
    ("values", "place", "known"),
    [
        ("{pilot: {tolerations: [{key: v}]}}", f"{POD}.tolerations[1]", False),
        ("{pilot: {jwksResolverExtraRootCA: abc}}", f"{POD}.volumes[9]", False),
        ("{global: {logAsJson: true}}", f"{DISCOVERY}.args[9]", False),
        ("{pilot: {tolerations: [{key: v}]}}", f"{POD}.volumes[9]", True),
        ("{pilot: {tolerations: [{key: v}]}}", f"{POD}.tolerations[-1]", True),
        ("{meshConfig: {rootNamespace: x}, global: {hub: x}}", f"{POD}.volumes[9]", True),
        ("{global: {caAddress: x}}", f"{DISCOVERY}.args[9]", True),
        ("{global: {caAddress: x}}", f"{DISCOVERY}.volumeMounts[9]", True),
        ("{pilot: {volumeMounts: [{name: v, mountPath: /v}]}}", f"{DISCOVERY}.volumeMounts[9]", False),
        ("{meshConfig: {rootNamespace: x}, global: {hub: x, caAddress: x}}", f"{POD}.volumes[9]", True),
        ("{global: {caAddress: x}, pilot: {traceSampling: 5}}", f"{DISCOVERY}.args[9]", True),
        ("{pilot: {traceSampling: 5}}", f"{DISCOVERY}.env[99]", True),
        ("{pilot: {env: {A: b}}}", f"{DISCOVERY}.env[99]", False),
    ],
)
def test_a_position_behind_what_the_chart_renders(values: str, place: str, known: bool) -> None:
    """istioctl appends there, unless a value has put something at the position."""
    value = "--x" if "args" in place else "{name: n, key: n}"
    conversion = converted(f"path: '{place}', value: {value}", values=values)
    assert overlay_outcomes(conversion) == ["patch" if known else "manual"]
    assert [operation["op"] for body in bodies(conversion) for operation in body] == ["add"] * known


SCALED_BY_HAND = "{pilot: {autoscaleEnabled: false}}"


@pytest.mark.parametrize(("to", "outcome"), [("1.25.3", "overridden"), ("1.31.0-rc.0", "value")])
@pytest.mark.parametrize(
    ("kind", "path", "values", "k8s", "leaf"),
    [
        (
            "Deployment",
            "spec.replicas",
            "{pilot: {autoscaleEnabled: false, replicaCount: 3}}",
            "",
            "values.pilot.replicaCount",
        ),
        ("Deployment", "spec.replicas", SCALED_BY_HAND, "replicaCount: 3", "components.pilot.k8s.replicaCount"),
        (
            "HorizontalPodAutoscaler",
            "spec.minReplicas",
            "{pilot: {autoscaleMin: 3}}",
            "",
            "values.pilot.autoscaleMin",
        ),
    ],
)
def test_a_value_that_decides_whether_there_is_an_object_lives_on(
    kind: str, path: str, values: str, k8s: str, leaf: str, to: str, outcome: str
) -> None:
    conversion = converted(f"path: {path}, value: 5", kind=kind, values=values, k8s=k8s, to=to)
    assert outcomes(conversion, leaf)[""] == outcome


def test_a_gateways_number_that_decides_about_its_budget_lives_on() -> None:
    overlay = "{kind: HorizontalPodAutoscaler, name: gw, patches: [{path: spec.minReplicas, value: 9}]}"
    k8s = f"{{hpaSpec: {{minReplicas: 2, maxReplicas: 9}}, overlays: [{overlay}]}}"
    text = f"{HEAD}  components: {{ingressGateways: [{{name: gw, enabled: true, k8s: {k8s}}}]}}\n"
    leaf = "components.ingressGateways[0].k8s.hpaSpec.minReplicas"
    assert outcomes(convert(text, to="1.25.3"), leaf) == {"": "overridden"}
    assert outcomes(convert(text, to="1.31.0-rc.0"), leaf) == {"": "value"}
