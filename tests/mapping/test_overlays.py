"""Overlays of the control plane that need more than a place."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert import Outcome, convert
from istio_convert.mapping.overlays.path import MISSHAPEN, NO_LIST
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


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("Service", "spec.ports", "{a: b}"),
        ("Service", "spec.ports", "5"),
        ("Service", "metadata.labels", "[a]"),
        ("Service", "metadata.labels.a", "{b: c}"),
        ("Deployment", "spec.template.spec", "[a]"),
        ("Deployment", "spec.template.spec.containers", "{discovery: {}}"),
        ("Deployment", "spec.template.spec.volumes[0]", "x"),
    ],
)
@pytest.mark.parametrize("to", ["1.25.3", "1.30.3"])
@pytest.mark.parametrize("component", ["pilot", "ingressGateways"])
def test_a_value_of_another_shape_is_for_a_person(component: str, kind: str, path: str, value: str, to: str) -> None:
    name = "istiod" if component == "pilot" else "gw"
    k8s = f"k8s: {{overlays: [{{kind: {kind}, name: {name}, patches: [{{path: '{path}', value: {value}}}]}}]}}"
    entry = f"{{{k8s}}}" if component == "pilot" else f"[{{name: gw, enabled: true, {k8s}}}]"
    conversion = convert(f"{HEAD}  components: {{{component}: {entry}}}\n", to=to)
    found = {(e.outcome, e.reason) for e in conversion.ledger.entries if "overlays" in e.leaf.path}
    assert found == {(Outcome.MANUAL, MISSHAPEN)}
    plain = convert(HEAD + f"  components: {{{component}: {entry.replace(', ' + k8s, '').replace(k8s, '')}}}\n", to=to)
    assert [r.values_data() for r in conversion.releases] == [r.values_data() for r in plain.releases]
    assert [r.patches for r in conversion.releases] == [r.patches for r in plain.releases]


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


CONTAINER = "spec.template.spec.containers.[name:discovery]"


def istiod(*patches: str, k8s: str = "", to: str = "1.25.3") -> tuple[list[Any], set[str]]:
    """The bodies of istiod's patches, and the reasons of what is for a person."""
    overlay = f"{{kind: Deployment, name: istiod, patches: [{', '.join(patches)}]}}"
    conversion = convert(f"{HEAD}  components: {{pilot: {{k8s: {{{k8s}overlays: [{overlay}]}}}}}}\n", to=to)
    bodies = [patch.body for release in conversion.releases for patch in release.patches]
    return bodies, {e.reason for e in conversion.ledger.entries if e.outcome is Outcome.MANUAL}


def env(body: Any) -> Any:
    (container,) = body["spec"]["template"]["spec"]["containers"]
    assert container["name"] == "discovery"
    return container["env"]


def test_a_position_is_a_name_where_another_patch_changes_the_list() -> None:
    bodies, manual = istiod(
        f"{{path: '{CONTAINER}.env.[name:KUBECONFIG].value', value: /x}}",
        f"{{path: '{CONTAINER}.env.[0].value', value: own}}",
    )
    assert not manual
    assert [env(body) for body in bodies] == [
        [{"name": "KUBECONFIG", "value": "/x"}, {"name": "REVISION", "value": "own"}]
    ]


def test_a_position_counts_what_earlier_overlays_left() -> None:
    bodies, manual = istiod(
        f"{{path: '{CONTAINER}.env.[name:REVISION]'}}", f"{{path: '{CONTAINER}.env.[0].value', value: own}}"
    )
    assert not manual
    deleted = {"name": "REVISION", "$patch": "delete"}
    assert [env(body) for body in bodies] == [[deleted, {"name": "PILOT_CERT_PROVIDER", "value": "own"}]]


def test_a_position_is_a_name_beside_variables_of_the_settings() -> None:
    source = "{fieldRef: {fieldPath: metadata.uid}}"
    bodies, manual = istiod(
        f"{{path: '{CONTAINER}.env.[0].value', value: own}}", k8s=f"env: [{{name: UID, valueFrom: {source}}}], "
    )
    assert not manual
    assert [item["name"] for item in env(bodies[0])] == ["UID", "REVISION"]


@pytest.mark.parametrize("reverse", [False, True])
def test_positions_are_counted_before_a_patch_that_changes_the_order(reverse: bool) -> None:
    patches = [
        "{path: 'spec.template.spec.volumes.[name:istio-token].projected.sources.[0].x', value: 1}",
        "{path: 'spec.template.spec.volumes.[name:cacerts].secret.optional', value: false}",
    ]
    bodies, manual = istiod(*(reversed(patches) if reverse else patches))
    assert not manual
    operation = {"op": "add", "path": "/spec/template/spec/volumes/1/projected/sources/0/x", "value": 1}
    volume = {"name": "cacerts", "secret": {"optional": False}}
    assert bodies == [[operation], {"spec": {"template": {"spec": {"volumes": [volume]}}}}]


def test_a_position_in_what_an_earlier_overlay_put_there_is_of_that() -> None:
    volume = "spec.template.spec.volumes.[name:istio-token].projected"
    bodies, manual = istiod(
        f"{{path: '{volume}', value: {{sources: [{{x: 1}}]}}}}", f"{{path: '{volume}.sources.[0].x', value: 2}}"
    )
    assert not manual
    (body,) = bodies
    (found,) = body["spec"]["template"]["spec"]["volumes"]
    assert found == {"name": "istio-token", "projected": {"$patch": "replace", "sources": [{"x": 2}]}}


def test_removals_by_position_move_what_follows() -> None:
    mounts = f"{CONTAINER}.volumeMounts"
    bodies, manual = istiod(f"{{path: '{mounts}.[1]'}}", f"{{path: '{mounts}.[name:cacerts].readOnly', value: false}}")
    assert not manual
    ((first, second),) = bodies
    assert first == {"op": "remove", "path": "/spec/template/spec/containers/0/volumeMounts/1"}
    position = int(second["path"].split("/")[-2])
    (whole, _) = istiod(f"{{path: '{mounts}.[name:cacerts].readOnly', value: false}}")
    assert position == int(whole[0][0]["path"].split("/")[-2]) - 1


@pytest.mark.parametrize(
    ("kind", "name", "webhook", "manual"),
    [
        (
            "MutatingWebhookConfiguration",
            "istio-sidecar-injector",
            r"rev\.namespace\.sidecar-injector\.istio\.io",
            True,
        ),
        ("ValidatingWebhookConfiguration", "istio-validator-istio-system", r"rev\.validation\.istio\.io", False),
    ],
)
def test_positions_of_webhooks_are_no_names(kind: str, name: str, webhook: str, manual: bool) -> None:
    named = f"{{path: 'webhooks.[name:{webhook}].failurePolicy', value: Ignore}}"
    counted = "{path: 'webhooks.[0].timeoutSeconds', value: 7}"
    overlay = f"{{kind: {kind}, name: {name}, patches: [{named}, {counted}]}}"
    conversion = convert(f"{HEAD}  components: {{pilot: {{k8s: {{overlays: [{overlay}]}}}}}}\n", to="1.25.3")
    outcomes = [e.outcome for e in conversion.ledger.entries if "patches" in e.leaf.path]
    assert outcomes == [Outcome.PATCH] * 2 + [Outcome.MANUAL if manual else Outcome.PATCH] * 2


def rbac(kind: str, name: str, *patches: str) -> tuple[list[Any], set[str]]:
    overlay = f"{{kind: {kind}, name: {name}, patches: [{', '.join(patches)}]}}"
    conversion = convert(f"{HEAD}  components: {{pilot: {{k8s: {{overlays: [{overlay}]}}}}}}\n", to="1.25.3")
    bodies = [patch.body for release in conversion.releases for patch in release.patches]
    return bodies, {e.reason for e in conversion.ledger.entries if e.outcome is Outcome.MANUAL}


def test_a_list_inside_a_rule_is_appended_to() -> None:
    patch = "{path: 'rules.[0].verbs.[-1]', value: x}"
    bodies, manual = rbac("ClusterRole", "istiod-clusterrole-istio-system", patch)
    assert (bodies, manual) == ([[{"op": "add", "path": "/rules/0/verbs/-", "value": "x"}]], set())


@pytest.mark.parametrize("value", ["", ", value: x"])
def test_a_position_in_a_list_inside_a_rule_is_for_a_person(value: str) -> None:
    bodies, manual = rbac("Role", "istiod", f"{{path: 'rules.[0].resources.[0]'{value}}}")
    assert (bodies, manual) == ([], {"rules[0].resources[0]: only rendering shows what is in this list"})


def test_what_is_no_list_is_none() -> None:
    _, manual = rbac("Role", "istiod", "{path: 'metadata.labels.[0]', value: x}")
    assert [reason.split(";")[0] for reason in manual] == ["no list is rendered there"]


def test_a_port_by_another_key_than_the_known_one() -> None:
    _, manual = istiod(f"{{path: '{CONTAINER}.ports.[containerPort:8080].hostPort', value: 80}}")
    assert [reason.split(": ", 1)[1] for reason in manual] == [
        "the elements of this list are known here by their name, not by their containerPort"
    ]


@pytest.mark.parametrize("more", [".sources.[0].serviceAccountToken.expirationSeconds", ".defaultMode"])
def test_what_leads_into_what_injection_provides_leaves_nothing_behind(more: str) -> None:
    path = f"spec.template.spec.volumes.[name:istio-token].projected{more}"
    patches = f"{{path: '{path}', value: 3600}}, {{path: 'spec.template.spec.volumes.[-1]', value: {{name: extra}}}}"
    overlay = f"{{kind: Deployment, name: gw, patches: [{patches}]}}"
    gateway = f"{{name: gw, enabled: true, k8s: {{overlays: [{overlay}]}}}}"
    conversion = convert(f"{HEAD}  components: {{ingressGateways: [{gateway}]}}\n", to="1.25.3")
    reasons = {e.reason for e in conversion.ledger.entries if e.outcome is Outcome.MANUAL}
    assert reasons == {"the path leads into what injection provides under Helm"}
    release = next(r for r in conversion.releases if r.chart == "gateway")
    assert [volume["name"] for volume in release.values_data()["volumes"]] == [
        "ingressgateway-certs",
        "ingressgateway-ca-certs",
        "extra",
    ]


def test_a_path_that_istioctl_cannot_walk_leaves_nothing_behind() -> None:
    overlay = "{kind: Service, name: gw, patches: [{path: 'spec.sessionAffinityConfig.[0]', value: 1}]}"
    gateway = f"{{name: gw, enabled: true, k8s: {{overlays: [{overlay}]}}}}"
    conversion = convert(f"{HEAD}  components: {{ingressGateways: [{gateway}]}}\n", to="1.25.3")
    assert {e.outcome for e in conversion.ledger.entries if "patches" in e.leaf.path} == {Outcome.MANUAL}
    assert not any(release.patches for release in conversion.releases)
