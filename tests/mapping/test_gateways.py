"""Gateways: findings from rendering, kept as the right values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from istio_convert import Conversion, Outcome, Release, convert
from istio_convert.mapping.gateway.overlays import LEFT_OUT
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"


def gateway(k8s: str, *, spec: str = "", to: str = "1.25.3", extra: str = "") -> Release:
    own = f"{{name: istio-ingressgateway, enabled: true, {extra}k8s: {k8s}}}"
    text = f"{HEAD}{spec}  components:\n    ingressGateways: [{own}]\n"
    return next(r for r in convert(text, to=to).releases if r.chart == "gateway")


def bodies(release: Release, kind: str) -> list[Any]:
    return [patch.body for patch in release.patches if patch.target.kind == kind]


def test_the_pods_own_user_is_not_hidden_by_the_charts_proxy_user() -> None:
    values = gateway("{securityContext: {runAsUser: 65534, runAsGroup: 65534}}").values_data()
    assert values["securityContext"] == {"runAsUser": 65534, "runAsGroup": 65534, "runAsNonRoot": True}
    assert "runAsUser" not in values["containerSecurityContext"]
    assert values["containerSecurityContext"]["readOnlyRootFilesystem"] is True


def test_other_containers_keep_the_pods_user() -> None:
    patch = "{path: spec.template.spec.initContainers, value: [{name: wait, image: x}]}"
    overlay = f"{{kind: Deployment, name: istio-ingressgateway, patches: [{patch}]}}"
    values = gateway(f"{{overlays: [{overlay}]}}").values_data()
    assert values["securityContext"] == {"runAsUser": 1337, "runAsGroup": 1337, "runAsNonRoot": True}


def test_openshift_gateways_have_no_user_of_their_own() -> None:
    values = gateway("{securityContext: {fsGroup: 7}}", spec="  profile: openshift\n", to="1.31.0").values_data()
    assert values["securityContext"] == {"runAsNonRoot": True, "fsGroup": 7}
    assert values["global"] == {"platform": "openshift"}
    assert "containerSecurityContext" not in values


def test_named_target_ports_are_patched_because_the_schema_takes_numbers_only() -> None:
    release = gateway("{service: {ports: [{name: http, port: 80, targetPort: web}]}}", to="1.28.10")
    assert "ports" not in release.values_data().get("service", {})
    wanted = [{"$patch": "replace"}, {"name": "http", "port": 80, "targetPort": "web"}]
    assert bodies(release, "Service") == [{"spec": {"ports": wanted}}]


def test_quantities_are_strings() -> None:
    assert gateway("{resources: {requests: {cpu: 2}}}").values_data()["resources"] == {"requests": {"cpu": "2"}}


def test_without_autoscaling_nobody_sets_the_number_of_replicas() -> None:
    release = gateway("{}", spec="  values: {gateways: {istio-ingressgateway: {autoscaleEnabled: false}}}\n")
    assert release.values_data()["autoscaling"] == {"enabled": False}
    assert bodies(release, "Deployment") == [{"spec": {"replicas": None}}]


@pytest.mark.parametrize(("to", "kept"), [("1.23.6", True), ("1.24.6", False)])
def test_labels_in_the_values_count_only_up_to_1_23(to: str, kept: bool) -> None:
    spec = "  values: {gateways: {istio-ingressgateway: {labels: {tier: edge}}}}\n"
    assert ("tier" in gateway("{}", spec=spec, to=to).values_data()["labels"]) is kept


def test_a_budget_with_a_maximum_has_no_minimum() -> None:
    assert gateway("{podDisruptionBudget: {maxUnavailable: 1}}").values_data()["podDisruptionBudget"] == {
        "maxUnavailable": 1
    }


def test_prometheus_annotations_go_when_the_mesh_does_not_merge_metrics() -> None:
    release = gateway("{}", spec="  meshConfig: {enablePrometheusMerge: false}\n")
    annotations = bodies(release, "Deployment")[0]["spec"]["template"]["metadata"]["annotations"]
    assert annotations == dict.fromkeys(["prometheus.io/port", "prometheus.io/scrape", "prometheus.io/path"])


def test_injection_is_never_switched_off() -> None:
    values = gateway("{podAnnotations: {sidecar.istio.io/inject: 'false', team: edge}}").values_data()
    assert values["podAnnotations"] == {"team": "edge"}


def scenario(to: str) -> Conversion:
    text = (
        HEAD
        + """
  revision: 1-23-2
  tag: 1.23.2
  components:
    ingressGateways:
      - name: istio-ingressgateway
        enabled: true
        k8s:
          overlays:
            - kind: Deployment
              name: istio-ingressgateway
              patches:
                - path: spec.template.spec.dnsConfig
                  value: {options: [{name: ndots, value: "1"}]}
                - path: spec.template.spec.containers.[name:istio-proxy].lifecycle
                  value: {preStop: {exec: {command: [sleep, "30"]}}}
"""
    )
    return convert(text, to=to)


@pytest.mark.parametrize(
    ("to", "values", "patched"),
    [
        ("1.25.3", set(), {"dnsConfig", "lifecycle"}),
        ("1.28.10", {"lifecycle"}, {"dnsConfig"}),
        ("1.31.0", {"dnsConfig", "lifecycle"}, set()),
    ],
)
def test_an_overlay_becomes_a_value_where_the_chart_has_one(to: str, values: set[str], patched: set[str]) -> None:
    conversion = scenario(to)
    release = conversion.releases[-1]
    assert {name for name in ("dnsConfig", "lifecycle") if name in release.values_data()} == values
    text = str([patch.body for patch in release.patches])
    assert {name for name in ("dnsConfig", "lifecycle") if name in text} == patched
    assert conversion.ledger.worst() == 0


ROOT = "  values: {gateways: {istio-ingressgateway: {runAsRoot: true}}}\n"


@pytest.mark.parametrize(
    ("context", "user"),
    [
        ("", {"runAsUser": 0, "runAsGroup": 0, "runAsNonRoot": False}),
        ("securityContext: {runAsUser: 1000}", {"runAsUser": 1000, "runAsGroup": 0, "runAsNonRoot": False}),
        (
            "securityContext: {runAsUser: 1337, runAsGroup: 7, runAsNonRoot: true, fsGroup: 1}",
            {"runAsUser": 1337, "runAsGroup": 7, "runAsNonRoot": True},
        ),
    ],
)
def test_run_as_root_yields_to_the_pods_own_user(context: str, user: dict[str, Any]) -> None:
    assert gateway(f"{{{context}}}", spec=ROOT).values_data()["containerSecurityContext"] == user


def gateway_only(spec: str) -> Conversion:
    return convert(
        f"{HEAD}  profile: empty\n{spec}  components:\n    ingressGateways: [{{name: gw, enabled: true}}]\n",
        to="1.25.3",
    )


def test_the_switch_that_leaves_annotations_out_is_carried_by_the_patch() -> None:
    conversion = gateway_only("  meshConfig: {enablePrometheusMerge: false, accessLogFile: /dev/stdout}\n")
    found = {render(entry.leaf.path): (entry.outcome.value, entry.reason) for entry in conversion.ledger.entries}
    assert found["spec.meshConfig.enablePrometheusMerge"][0] == "patch"
    nothing = "nothing that this operator installs reads it, only istiod"
    assert found["spec.meshConfig.accessLogFile"] == ("inert", nothing)
    (patch,) = bodies(conversion.releases[0], "Deployment")
    wanted = {f"prometheus.io/{name}": None for name in ("port", "scrape", "path")}
    assert patch["spec"]["template"]["metadata"]["annotations"] == wanted


def test_values_of_absent_components_name_who_would_read_them() -> None:
    conversion = gateway_only("  values: {pilot: {traceSampling: 3}, global: {logAsJson: true}, nonsense: 1}\n")
    found = {render(entry.leaf.path): entry.reason for entry in conversion.ledger.entries}
    assert found["spec.values.pilot.traceSampling"].endswith("only istiod")
    assert found["spec.values.global.logAsJson"] == "gateways get this from the control plane's injector under Helm"
    assert found["spec.values.nonsense"] == "no chart of 1.25.3 reads it"


def test_images_of_gateways_without_a_control_plane() -> None:
    found = {
        f"{field}: {value}": outcomes(gateway_only(f"  {field}: {value}\n"))[f"spec.{field}"]
        for field, value in (
            ("hub", "docker.io/istio"),
            ("hub", "registry.example.com/istio"),
            ("tag", "1.25.3"),
            ("tag", "1.24.1"),
            ("tag", "1.25.3-distroless"),
            ("tag", "mine"),
        )
    }
    assert list(found.values()) == ["default", "manual", "release", "release", "manual", "manual"], found
    namespace = gateway_only("  values: {global: {istioNamespace: mesh}}\n")
    assert outcomes(namespace)["spec.values.global.istioNamespace"] == "release"


def outcomes(conversion: Conversion) -> dict[str, str]:
    return {render(entry.leaf.path): entry.outcome.value for entry in conversion.ledger.entries}


def test_injection_is_never_switched_off_on_a_gateway() -> None:
    patch = r'{path: spec.template.metadata.labels.sidecar\.istio\.io/inject, value: "false"}'
    overlay = f"{{kind: Deployment, name: istio-ingressgateway, patches: [{patch}]}}"
    own = f"{{name: istio-ingressgateway, enabled: true, k8s: {{overlays: [{overlay}]}}}}"
    conversion = convert(f"{HEAD}  components:\n    ingressGateways: [{own}]\n", to="1.25.3")
    release = conversion.releases[-1]
    assert "inject" not in str([release.values_data(), *(patch.body for patch in release.patches)])
    found = {value for path, value in outcomes(conversion).items() if "overlays" in path}
    assert found == {"manual"}


@pytest.mark.parametrize(
    ("plane", "gateway_hub", "outcome"),
    [("hub: a.example.com, ", "a.example.com", "default"), ("", "b.example.com", "manual")],
)
def test_the_hub_of_a_gateway_operator_must_be_that_of_the_control_plane(
    plane: str, gateway_hub: str, outcome: str
) -> None:
    kind = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"
    gateways = "components: {ingressGateways: [{name: gw, enabled: true}]}"
    text = (
        f"{kind}metadata: {{name: plane}}\nspec: {{{plane}profile: minimal}}\n---\n"
        f"{kind}metadata: {{name: gateways}}\nspec: {{profile: empty, hub: {gateway_hub}, tag: 1.25.3, {gateways}}}\n"
    )
    found = [e for e in convert(text, to="1.25.3").ledger.entries if e.leaf.path == ("spec", "hub")]
    assert found[-1].outcome.value == outcome
    tags = [e.outcome.value for e in convert(text, to="1.25.3").ledger.entries if e.leaf.path == ("spec", "tag")]
    assert tags == ["release"]


def test_an_old_tag_of_a_gateway_is_not_pinned_under_a_new_release() -> None:
    release = gateway("{}", extra="tag: 1.24.5, ", to="1.28.10")
    assert bodies(release, "Deployment") == []
    kept = bodies(gateway("{}", extra="tag: 1.28.10, ", to="1.28.10"), "Deployment")
    assert kept == [{"spec": {"template": {"spec": {"containers": [IMAGE]}}}}]


IMAGE = {"name": "istio-proxy", "image": "docker.io/istio/proxyv2:1.28.10"}


def test_a_switch_that_is_off_anyway_is_a_default() -> None:
    text = f"{HEAD}  values: {{gateways: {{istio-ingressgateway: {{runAsRoot: false, nonsense: 1}}}}}}\n"
    found = outcomes(convert(text, to="1.25.3"))
    assert found["spec.values.gateways.istio-ingressgateway.runAsRoot"] == "default"
    assert found["spec.values.gateways.istio-ingressgateway.nonsense"] == "inert"


@pytest.mark.parametrize("place", ["tolerations[-1]", "initContainers[0]", "tolerations.[key:a]"])
def test_an_element_of_no_list_is_for_a_person(place: str) -> None:
    patch = f"{{path: 'spec.template.spec.{place}', value: {{a: b}}}}"
    overlay = f"{{kind: Deployment, name: istio-ingressgateway, patches: [{patch}]}}"
    own = f"{{name: istio-ingressgateway, enabled: true, k8s: {{overlays: [{overlay}]}}}}"
    found = outcomes(convert(f"{HEAD}  components:\n    ingressGateways: [{own}]\n", to="1.25.3"))
    assert {value for path, value in found.items() if "overlays" in path} == {"manual"}


def test_zeros_of_the_rolling_update_are_kept() -> None:
    values = gateway(
        "{}", spec="  values: {gateways: {istio-ingressgateway: {rollingMaxUnavailable: 0}}}\n"
    ).values_data()
    assert values["strategy"]["rollingUpdate"]["maxUnavailable"] == 0


def test_a_null_takes_away_what_the_chart_would_render() -> None:
    release = gateway("{resources: null}")
    container = {"name": "istio-proxy", "resources": None}
    assert bodies(release, "Deployment") == [{"spec": {"template": {"spec": {"containers": [container]}}}}]
    assert bodies(gateway("{service: {type: null}}"), "Service") == [{"spec": {"type": None}}]


@pytest.mark.parametrize("k8s", ["hpaSpec", "service", "podDisruptionBudget", "podAnnotations", "securityContext"])
def test_a_null_that_nothing_would_survive_is_for_a_person(k8s: str) -> None:
    own = f"{{name: istio-ingressgateway, enabled: true, k8s: {{{k8s}: null}}}}"
    found = outcomes(convert(f"{HEAD}  components:\n    ingressGateways: [{own}]\n", to="1.25.3"))
    assert found[f"spec.components.ingressGateways[0].k8s.{k8s}"] == "manual"


def policed(extra: str, revision: str = "") -> Conversion:
    return convert(
        f"{HEAD[:-1]} {{{revision}values: {{global: {{networkPolicy: {{enabled: true}}}}}}, components: "
        f"{{ingressGateways: [{{name: edge, enabled: true, label: {{app: edge, istio: edge{extra}}}}}]}}}}\n",
        to="1.28.10",
    )


def test_a_network_policy_is_a_value_of_a_release_without_patches() -> None:
    release = next(r for r in policed("").releases if r.chart == "gateway")
    assert not release.patches
    assert release.values_data()["global"] == {"networkPolicy": {"enabled": True}}


def test_kustomize_patches_no_release_that_holds_the_charts_network_policy() -> None:
    conversion = policed(", tier: x", "revision: blue, ")
    release = next(r for r in conversion.releases if r.chart == "gateway")
    assert "NetworkPolicy" not in {patch.target.kind for patch in release.patches}
    assert release.patches
    assert "global" not in release.values_data()
    entry = next(e for e in conversion.ledger.entries if "networkPolicy" in render(e.leaf.path))
    assert (entry.outcome.value, entry.rule) == ("manual", "gateway.networkPolicy")
    assert entry.action == "keep NetworkPolicy edge-blue beside the release"
    assert next(r for r in conversion.releases if r.chart == "istiod").values_data()["global"] == {
        "networkPolicy": {"enabled": True}
    }


def test_a_label_that_an_overlay_takes_away_goes_by_a_removal() -> None:
    patch = "{path: metadata.labels.istio}"
    release = gateway(f"{{overlays: [{{kind: Service, name: istio-ingressgateway, patches: [{patch}]}}]}}")
    assert bodies(release, "Service") == [[{"op": "remove", "path": "/metadata/labels/istio"}]]


def overlaid(kind: str, path: str, value: str) -> Conversion:
    overlay = f"{{kind: {kind}, name: istio-ingressgateway, patches: [{{path: '{path}', value: {value}}}]}}"
    own = f"{{name: istio-ingressgateway, enabled: true, k8s: {{overlays: [{overlay}]}}}}"
    return convert(f"{HEAD}  components:\n    ingressGateways: [{own}]\n", to="1.25.3")


@pytest.mark.parametrize(
    ("kind", "path", "value", "outcome"),
    [
        ("Service", "spec.selector", "{custom: x}", "manual"),
        ("Deployment", "spec.template.spec.containers", "[{name: istio-proxy, image: x}]", "manual"),
        ("Deployment", "spec.template.spec", "{dnsPolicy: Default}", "manual"),
        ("Deployment", "spec.template.spec.nodeSelector", "{a: b}", "value"),
    ],
)
def test_an_overlay_does_not_replace_what_makes_a_gateway(kind: str, path: str, value: str, outcome: str) -> None:
    found = outcomes(overlaid(kind, path, value))
    assert {state for place, state in found.items() if "overlays" in place} == {outcome}


def test_keys_that_name_an_element_share_its_fate() -> None:
    ports = "[{containerPort: 8080, hostPort: 80}]"
    found = outcomes(overlaid("Deployment", "spec.template.spec.containers.[name:istio-proxy].ports", ports))
    assert {state for place, state in found.items() if "overlays" in place} == {"patch"}


def test_the_proxy_keeps_the_pods_user_when_an_overlay_gives_it_a_context() -> None:
    path = "spec.template.spec.containers.[name:istio-proxy].securityContext"
    values = overlaid("Deployment", path, "{capabilities: {add: [NET_BIND_SERVICE]}}").releases[-1].values_data()
    user = {"runAsUser": 1337, "runAsGroup": 1337, "runAsNonRoot": True}
    assert values["containerSecurityContext"] == {"capabilities": {"add": ["NET_BIND_SERVICE"]}, **user}


def test_empty_settings_are_no_unknown_fields() -> None:
    own = "{name: istio-ingressgateway, enabled: true, label: {}, k8s: {overlays: []}}"
    spec = f"  components: {{base: {{}}, cni: {{}}, egressGateways: [], ingressGateways: [{own}]}}\n"
    found = outcomes(convert(HEAD + spec, to="1.25.3"))
    assert "manual" not in found.values()
    assert outcomes(convert(f"{HEAD}  hub: null\n", to="1.25.3"))["spec.hub"] == "manual"


def test_a_blank_type_of_service_is_cluster_ip() -> None:
    values = gateway("{}", spec="  values: {gateways: {istio-ingressgateway: {type: ''}}}\n").values_data()
    assert values["service"]["type"] == "ClusterIP"


@pytest.mark.parametrize("version", ["1.22.8", "1.25.3", "1.31.0"])
def test_an_empty_list_of_ports_is_kept(version: str) -> None:
    text = f"{HEAD}  values: {{gateways: {{istio-ingressgateway: {{ports: []}}}}}}\n"
    conversion = convert(text, to=version)
    release = next(r for r in conversion.releases if r.chart == "gateway")
    assert release.values_data()["service"]["ports"] == []
    entry = next(e for e in conversion.ledger.entries if render(e.leaf.path).endswith("ports"))
    assert (entry.outcome.value, [str(place) for place in entry.places]) == (
        "value",
        ["istio-ingressgateway: service.ports"],
    )


@pytest.mark.parametrize("field", ["allocateLoadBalancerNodePorts: false", "loadBalancerClass: example.com/nlb"])
def test_what_the_chart_reads_for_load_balancers_only_is_patched_into_other_services(field: str) -> None:
    name = field.partition(":")[0]
    balanced = gateway(f"{{service: {{type: LoadBalancer, {field}}}}}", to="1.28.10")
    assert name in balanced.values_data()["service"]
    other = gateway(f"{{service: {{type: NodePort, {field}}}}}", to="1.28.10")
    assert name not in other.values_data()["service"]
    [body] = bodies(other, "Service")
    assert list(body["spec"]) == [name]


SCALED = "  values: {gateways: {istio-ingressgateway: {autoscaleMin: 2}}}\n"
FIXED = "  values: {gateways: {istio-ingressgateway: {autoscaleEnabled: false, replicaCount: 3}}}\n"
LOWERED = "{path: spec.minReplicas, value: 1}"
OVERLAID = f"{{overlays: [{{kind: HorizontalPodAutoscaler, name: istio-ingressgateway, patches: [{LOWERED}]}}]}}"


@pytest.mark.parametrize(
    ("spec", "k8s", "path", "number", "kind", "version"),
    [
        (SCALED, "{hpaSpec: {minReplicas: 1}}", ("autoscaling", "minReplicas"), 2, "HorizontalPodAutoscaler", "1.29.6"),
        (SCALED, OVERLAID, ("autoscaling", "minReplicas"), 2, "HorizontalPodAutoscaler", "1.28.10"),
        (SCALED, OVERLAID, ("autoscaling", "minReplicas"), 2, "HorizontalPodAutoscaler", "1.31.0"),
        (FIXED, "{replicaCount: 1}", ("replicaCount",), 3, "Deployment", "1.29.6"),
    ],
)
def test_a_budget_that_the_values_decide_stays_when_a_later_layer_lowers_the_number(
    spec: str, k8s: str, path: tuple[str, ...], number: int, kind: str, version: str
) -> None:
    release = gateway(k8s, spec=spec, to=version)
    found: Any = release.values_data()
    assert found["podDisruptionBudget"] == {"minAvailable": 1}
    for step in path:
        found = found[step]
    assert found == number
    assert [list(body["spec"].values()) for body in bodies(release, kind)] == [[1]]


def test_a_number_that_istioctl_feeds_to_its_chart_decides_there_too() -> None:
    release = gateway("{hpaSpec: {minReplicas: 1}}", spec=SCALED, to="1.31.0")
    assert "podDisruptionBudget" not in release.values_data()


@pytest.mark.parametrize("version", ["1.24.6", "1.25.3", "1.31.0"])
def test_resources_that_are_null_bring_back_those_of_all_gateways(version: str) -> None:
    text = f"{HEAD}  values: {{gateways: {{istio-ingressgateway: {{resources: null}}}}}}\n"
    conversion = convert(text, to=version)
    release = next(r for r in conversion.releases if r.chart == "gateway")
    resources = {"$patch": "replace", "requests": {"cpu": "10m"}}
    container = {"name": "istio-proxy", "resources": resources}
    assert bodies(release, "Deployment") == [{"spec": {"template": {"spec": {"containers": [container]}}}}]
    assert outcomes(conversion)["spec.values.gateways.istio-ingressgateway.resources"] == "patch"


def overlay(kind: str, *patches: str) -> str:
    return f"overlays: [{{kind: {kind}, name: istio-ingressgateway, patches: [{', '.join(patches)}]}}]"


@pytest.mark.parametrize("step", ["[name:https]", "[port:443]", "[2]"])
@pytest.mark.parametrize("to", ["1.25.3", "1.31.0"])
def test_an_overlay_takes_one_port_away(step: str, to: str) -> None:
    taken = overlay("Service", f"{{path: 'spec.ports.{step}'}}")
    release = gateway(f"{{{taken}}}", to=to)
    ports = release.values_data()["service"]["ports"]
    assert [port["name"] for port in ports] == ["status-port", "http2"]
    assert bodies(release, "Service") == []


@pytest.mark.parametrize("step", ["[name:own]", "[port:80]", "[0]"])
def test_an_overlay_takes_the_last_port_away(step: str) -> None:
    taken = overlay("Service", f"{{path: 'spec.ports.{step}'}}")
    release = gateway(f"{{service: {{ports: [{{name: own, port: 80}}]}}, {taken}}}")
    assert release.values_data()["service"]["ports"] == []
    assert bodies(release, "Service") == []


HTTPS = {"name": "https", "port": 443, "targetPort": "https"}
HTTP3 = {"name": "http3", "port": 443, "targetPort": "https", "protocol": "UDP"}
HTTP = {"name": "http2", "port": 80, "targetPort": 8080}


@pytest.mark.parametrize("ports", [[HTTPS, HTTP3], [HTTP3, HTTPS], [HTTP3, HTTP, HTTPS], [HTTP, HTTPS, HTTP3]])
def test_two_protocols_on_one_port_are_both_kept(ports: list[dict[str, Any]]) -> None:
    release = gateway(f"{{service: {{ports: {json.dumps(ports)}}}}}")
    assert "ports" not in release.values_data().get("service", {})
    assert bodies(release, "Service") == [[{"op": "add", "path": "/spec/ports", "value": ports}]]


def test_two_protocols_on_one_port_are_a_value_where_the_chart_prints_them() -> None:
    numbered = [{**port, "targetPort": 8443} for port in (HTTP3, HTTPS)]
    release = gateway(f"{{service: {{ports: {json.dumps(numbered)}}}}}")
    assert release.values_data()["service"]["ports"] == numbered
    assert bodies(release, "Service") == []


def test_a_container_port_is_named_by_its_number() -> None:
    path = "spec.template.spec.containers.[name:istio-proxy].ports.[containerPort:8080].hostPort"
    named = overlay("Deployment", f"{{path: '{path}', value: 80}}")
    release = gateway(f"{{{named}}}")
    container = {"name": "istio-proxy", "ports": [{"containerPort": 8080, "hostPort": 80}]}
    assert bodies(release, "Deployment") == [{"spec": {"template": {"spec": {"containers": [container]}}}}]


IN_PROXY = "spec.template.spec.containers.[name:istio-proxy]"


def removal(path: str) -> tuple[Release, str]:
    """The release of a gateway from which an overlay removes something, and the outcome."""
    overlay = f"{{kind: Deployment, name: istio-ingressgateway, patches: [{{path: '{path}'}}]}}"
    own = f"{{name: istio-ingressgateway, enabled: true, k8s: {{overlays: [{overlay}]}}}}"
    conversion = convert(f"{HEAD}  components:\n    ingressGateways: [{own}]\n", to="1.25.3")
    [entry] = [e for e in conversion.ledger.entries if e.leaf.path[-1] == "path"]
    return next(r for r in conversion.releases if r.chart == "gateway"), entry.outcome.value


def test_a_proxy_without_a_security_context_has_the_pods_user() -> None:
    release, outcome = removal(f"{IN_PROXY}.securityContext")
    user = {"runAsUser": 1337, "runAsGroup": 1337, "runAsNonRoot": True}
    assert (release.values_data()["containerSecurityContext"], outcome) == (user, "value")


def test_a_part_of_the_proxys_security_context_may_go() -> None:
    release, outcome = removal(f"{IN_PROXY}.securityContext.capabilities")
    context = release.values_data()["containerSecurityContext"]
    assert "capabilities" not in context
    assert (context["readOnlyRootFilesystem"], context["runAsNonRoot"], outcome) == (True, True, "value")


@pytest.mark.parametrize(
    ("path", "outcome"),
    [
        (f"{IN_PROXY}.ports", "patch"),
        ("spec.template.spec.serviceAccountName", "patch"),
        (f"{IN_PROXY}.readinessProbe", "manual"),
        (f"{IN_PROXY}.args", "manual"),
        (f"{IN_PROXY}.image", "manual"),
        ("spec.template.spec.volumes.[name:istio-token]", "manual"),
        ("spec.template.metadata.labels.istio", "manual"),
        ("spec.template.spec.nodeName", "default"),
        ("spec.template.spec.securityContext.runAsUser", "value"),
    ],
)
def test_what_became_of_a_removal(path: str, outcome: str) -> None:
    release, found = removal(path)
    assert found == outcome
    assert bool(release.patches) == (outcome == "patch")


@pytest.mark.parametrize(
    ("settings", "kind", "path", "outcome", "place"),
    [
        ("", "Service", "spec.ports.[port:15021]", Outcome.VALUE, "service.ports"),
        (
            "podAnnotations: {a: b, c: d}",
            "Deployment",
            "spec.template.metadata.annotations.a",
            Outcome.VALUE,
            "podAnnotations",
        ),
        (
            "tolerations: [{key: a}, {key: b}]",
            "Deployment",
            "spec.template.spec.tolerations[0]",
            Outcome.VALUE,
            "tolerations",
        ),
        ("serviceAnnotations: {e: f, g: h}", "Service", "metadata.annotations.e", Outcome.VALUE, "service.annotations"),
        ("service: {loadBalancerIP: 1.2.3.4}", "Service", "spec.loadBalancerIP", Outcome.DEFAULT, ""),
        ("priorityClassName: p", "Deployment", "spec.template.spec.priorityClassName", Outcome.DEFAULT, ""),
        ("", "Deployment", "spec.strategy", Outcome.DEFAULT, ""),
    ],
)
def test_a_deletion_says_where_it_lives_on(settings: str, kind: str, path: str, outcome: Outcome, place: str) -> None:
    overlay = f"{{kind: {kind}, name: gw, patches: [{{path: '{path}'}}]}}"
    k8s = f"{settings + ', ' if settings else ''}overlays: [{overlay}]"
    head = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"
    text = f"{head}  components: {{ingressGateways: [{{name: gw, enabled: true, k8s: {{{k8s}}}}}]}}\n"
    conversion = convert(text, to="1.30.3")
    (entry,) = [entry for entry in conversion.ledger.entries if entry.leaf.path[-1] == "path"]
    assert entry.outcome is outcome
    assert [found.path for found in entry.places] == ([place] if place else [])
    assert entry.reason == ("written without it" if place else LEFT_OUT)


@pytest.mark.parametrize("place", ["env[-1]", "env[99]"])
def test_a_variable_that_an_overlay_repeats_is_for_a_person(place: str) -> None:
    path = f"spec.template.spec.containers.[name:istio-proxy].{place}"
    patch = f"{{path: '{path}', value: {{name: Q, value: second}}}}"
    overlay = f"{{kind: Deployment, name: gw, patches: [{patch}]}}"
    head = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"
    gateway = f"{{name: gw, enabled: true, k8s: {{env: [{{name: Q, value: first}}], overlays: [{overlay}]}}}}"
    conversion = convert(f"{head}  components: {{ingressGateways: [{gateway}]}}\n", to="1.30.3")
    found = {render(entry.leaf.path).partition("k8s.")[2]: entry.outcome for entry in conversion.ledger.entries}
    assert found["env[0].value"] is Outcome.OVERRIDDEN
    assert found["overlays[0].patches[0].value.value"] is Outcome.MANUAL
    release = next(release for release in conversion.releases if release.chart == "gateway")
    assert release.values_data()["env"] == {"Q": "second"}
