"""Comparing two sides: pairs, classes, and faults that must be found."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from istio_convert.verify.compare import compare, path_text
from istio_convert.verify.findings import ABSENT, Compared, Kind
from istio_convert.verify.manifests import Object, Rendered
from istio_convert.verify.tags import pinned_tags

NS = "istio-system"


def obj(kind: str, name: str = "x", api: str = "v1", labels: dict[str, str] | None = None, **fields: Any) -> Object:
    return {
        "apiVersion": api,
        "kind": kind,
        "metadata": {"name": name, "namespace": NS, "labels": labels or {}},
        **fields,
    }


def side(*objects: Object, release: str = "r") -> list[Rendered]:
    return [Rendered(release, NS, copy.deepcopy(o)) for o in objects]


def only(found: list[Compared]) -> Compared:
    assert len(found) == 1
    return found[0]


def found(before: Object, after: Object, **options: Any) -> list[tuple[str, str]]:
    compared = only(compare(side(before), side(after), **options))
    return [(d.kind.value, d.path) for d in compared.differences]


def test_equal() -> None:
    compared = only(compare(side(obj("Service"), release="pilot"), side(obj("Service"), release="istiod")))
    assert (compared.kind, compared.differences) == (Kind.EQUAL, ())
    assert (compared.reference, compared.candidate) == ("pilot", "istiod")


def test_release_labels() -> None:
    before = obj("Service", labels={"release": "istio", "app.kubernetes.io/instance": "istio", "mine": "1"})
    after = obj("Service", labels={"release": "istiod", "helm.sh/chart": "x", "mine": "2"})
    assert found(before, after) == [
        ("release-label", "metadata.labels.app\\.kubernetes\\.io/instance"),
        ("release-label", "metadata.labels.helm\\.sh/chart"),
        ("unexplained", "metadata.labels.mine"),
        ("release-label", "metadata.labels.release"),
    ]


def test_a_selected_label_is_no_release_label() -> None:
    def workload(value: str) -> Object:
        template = {"metadata": {"labels": {"release": value, "chart": value}}}
        return obj(
            "Deployment", api="apps/v1", spec={"selector": {"matchLabels": {"release": "istio"}}, "template": template}
        )

    assert found(workload("istio"), workload("other")) == [
        ("release-label", "spec.template.metadata.labels.chart"),
        ("unexplained", "spec.template.metadata.labels.release"),
    ]


@pytest.mark.parametrize("kind", ["NetworkPolicy", "Role", "RoleBinding"])
def test_labels_that_nothing_selects(kind: str) -> None:
    """Of a gateway's, those that the charts bring by themselves are explained; no others, and no other component's."""

    def labelled(component: str, **labels: str) -> Object:
        return obj(kind, labels={"operator.istio.io/component": component, **labels})

    def compared(before: Object, after: Object) -> dict[str, str]:
        workload = obj("Deployment", "gw", "apps/v1", {"istio": "b", "team": "b", "other": "b"})
        pairs = compare(side(before, workload), side(after, workload))
        return {d.path.rpartition(".")[2]: d.kind.value for c in pairs for d in c.differences}

    mine = labelled("IngressGateways", istio="a", mine="a", other="a")
    theirs = labelled("IngressGateways", istio="b", mine="b", other="b", team="b")
    found = {"istio": "release-label", "mine": "unexplained", "other": "unexplained", "team": "release-label"}
    assert compared(mine, theirs) == found
    assert compared(labelled("IngressGateways", mine="a"), labelled("IngressGateways")) == {"mine": "unexplained"}
    assert set(compared(labelled("Pilot", istio="a"), labelled("Pilot", istio="b", team="b")).values()) == {
        "unexplained"
    }


def test_what_a_network_policy_selects_by_counts() -> None:
    before, after = (obj("NetworkPolicy", spec={"podSelector": {"matchLabels": {"mine": text}}}) for text in "ab")
    assert found(before, after) == [("unexplained", "spec.podSelector.matchLabels.mine")]


def test_annotations() -> None:
    before, after = obj("Service"), obj("Service")
    after["metadata"]["annotations"] = {"meta.helm.sh/release-name": "x", "mine": "1"}
    assert found(before, after) == [
        ("release-label", "metadata.annotations.meta\\.helm\\.sh/release-name"),
        ("unexplained", "metadata.annotations.mine"),
    ]


def test_identity() -> None:
    """Group, kind, namespace and name; the namespace of the release where an object has none."""
    before = obj("HorizontalPodAutoscaler", api="autoscaling/v2beta1")
    after = obj("HorizontalPodAutoscaler", api="autoscaling/v2")
    del after["metadata"]["namespace"]
    assert found(before, after) == []
    other = obj("HorizontalPodAutoscaler", api="example.com/v1")
    assert [c.kind for c in compare(side(before), side(other))] == [Kind.UNEXPLAINED, Kind.UNEXPLAINED]
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "c"}}
    assert [c.id.namespace for c in compare(side(role), side(role))] == [""]


def test_one_side_only() -> None:
    found = compare(side(obj("Service")), side(obj("Secret", "y")))
    assert [(c.id.kind, c.reference, c.candidate, c.kind) for c in found] == [
        ("Secret", "", "r", Kind.UNEXPLAINED),
        ("Service", "r", "", Kind.UNEXPLAINED),
    ]


def test_what_istioctl_install_creates_elsewhere() -> None:
    hook = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
    compared = only(compare([], side({**hook, "metadata": {"name": "istiod-default-validator"}})))
    assert compared.kind is Kind.NEW
    assert only(compare([], side({**hook, "metadata": {"name": "other"}}))).kind is Kind.UNEXPLAINED


@pytest.mark.parametrize(("suffix", "kind"), [("", Kind.NEW), ("-binding", Kind.NEW), ("-other", Kind.UNEXPLAINED)])
def test_the_policy_of_the_default_revision(suffix: str, kind: Kind) -> None:
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding" if suffix else "ValidatingAdmissionPolicy",
        "metadata": {"name": f"stable-channel-default-policy{suffix}.istio.io"},
    }
    assert only(compare([], side(policy))).kind is kind


@pytest.mark.parametrize(
    ("rendered", "text", "kind"),
    [
        (80, "80", "refused"),
        (80, "81", "unexplained"),
        (1.5, "1.50", "refused"),
        (True, "true", "refused"),
        (True, "yes", "refused"),
        (True, "1", "unexplained"),
        ("80", 80, "unexplained"),
        (80, "80: 1", "unexplained"),
    ],
)
def test_what_must_be_a_text(rendered: Any, text: Any, kind: str) -> None:
    """istioctl renders the number of the operator, which the API server refuses."""

    def workload(value: Any) -> Object:
        pod = {"containers": [{"name": "discovery", "image": "i:1", "env": [{"name": "A", "value": value}]}]}
        meta = {"annotations": {"a.b/c": value}}
        return obj("Deployment", api="apps/v1", spec={"template": {"metadata": meta, "spec": pod}})

    assert found(workload(rendered), workload(text)) == [
        (kind, "spec.template.metadata.annotations.a\\.b/c"),
        (kind, "spec.template.spec.containers[discovery].env[A].value"),
    ]


@pytest.mark.parametrize("kind", ["ServiceAccount", "Service", "NetworkPolicy", "Role"])
def test_annotations_and_labels_must_be_texts(kind: str) -> None:
    def described(field: str, value: Any) -> Object:
        thing = obj(kind)
        thing["metadata"][field] = {"nn": value}
        return thing

    for field in ("annotations", "labels"):
        assert found(described(field, 1), described(field, "1")) == [("refused", f"metadata.{field}.nn")]
        assert found(described(field, 1), described(field, "2")) == [("unexplained", f"metadata.{field}.nn")]


def test_pods_that_istioctl_gives_another_label_than_it_selects() -> None:
    def workload(selected: str, label: str) -> Object:
        template = {"metadata": {"labels": {"app": label}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}}
        spec = {"selector": {"matchLabels": {"app": selected}}, "template": template}
        return obj("Deployment", api="apps/v1", spec=spec)

    place = "spec.template.metadata.labels.app"
    assert found(workload("a", "b"), workload("a", "a")) == [("refused", place)]
    assert found(workload("a", "a"), workload("a", "b")) == [("unexplained", place)]
    assert found(workload("a", "b"), workload("c", "c"))[0] == ("unexplained", "spec.selector.matchLabels.app")


def test_numbers_elsewhere_are_no_texts() -> None:
    assert found(obj("Service", spec={"weight": 80}), obj("Service", spec={"weight": "80"})) == [
        ("unexplained", "spec.weight")
    ]
    before, after = (obj("ConfigMap", data={"a": f"env:\n  labels:\n    a: {text}\n"}) for text in ("1", '"1"'))
    assert found(before, after) == [("unexplained", "data.a.env.labels.a")]


def test_the_order_of_service_ports_counts_for_load_balancers_only() -> None:
    def service(numbers: list[int], **fields: Any) -> Object:
        ports = [{"name": f"p{number}", "port": number, "targetPort": 1} for number in numbers]
        return obj("Service", spec={"ports": ports, **fields})

    assert found(service([1, 2, 3]), service([3, 1, 2])) == []
    assert found(service([1, 2]), service([1, 2, 3])) != []
    assert found(service([1, 2]), service([2, 4])) != []
    assert found(service([1, 1]), service([1, 2])) != []
    assert found(service([1, 2], type="LoadBalancer"), service([2, 1], type="LoadBalancer")) != []


@pytest.mark.parametrize(("field", "value"), [("allocateLoadBalancerNodePorts", False), ("loadBalancerClass", "lb")])
def test_what_only_a_load_balancer_may_have(field: str, value: Any) -> None:
    def service(kind: str, **fields: Any) -> Object:
        return obj("Service", spec={"type": kind, **fields})

    given = {field: value}
    assert found(service("NodePort", **given), service("NodePort")) == [("refused", f"spec.{field}")]
    assert found(service("ClusterIP", **given), service("ClusterIP")) == [("refused", f"spec.{field}")]
    assert found(service("NodePort"), service("NodePort", **given)) == [("unexplained", f"spec.{field}")]
    assert found(service("LoadBalancer", **given), service("LoadBalancer")) == [("unexplained", f"spec.{field}")]
    assert ("unexplained", f"spec.{field}") in found(service("NodePort", **given), service("LoadBalancer"))


def test_the_order_of_variables_counts_where_one_refers_to_another() -> None:
    def workload(*names: str) -> Object:
        texts = {"A": "$(B) $$(C) $(D)", "B": "b", "C": "c"}
        env = [{"name": name, "value": texts[name]} for name in names]
        pod = {"containers": [{"name": "discovery", "env": env}]}
        return obj("Deployment", api="apps/v1", spec={"template": {"spec": pod}})

    assert found(workload("B", "A", "C"), workload("C", "B", "A")) == []
    assert found(workload("B", "A", "C"), workload("A", "B", "C")) == [
        ("unexplained", "spec.template.spec.containers[discovery].env[A].$(B)")
    ]


def test_objects_that_several_releases_bring() -> None:
    after = [*side(obj("Service"), release="one"), *side(obj("Service"), release="two")]
    (difference,) = only(compare(side(obj("Service")), after)).unexplained
    assert "one, two" in difference.why


def test_an_object_that_one_chart_renders_twice() -> None:
    once, twice = side(obj("Service")), side(obj("Service"), obj("Service"))
    assert only(compare(twice, twice)).kind is Kind.EQUAL
    (difference,) = only(compare(once, twice)).unexplained
    assert difference.why == "its release renders it 2 times, istioctl 1"
    apart = [*side(obj("Service"), release="one"), *side(obj("Service"), release="two")]
    assert only(compare(twice, apart)).unexplained


def roles(name: str, account: str, verbs: list[str]) -> list[Object]:
    group = "rbac.authorization.k8s.io"
    rules = [{"apiGroups": [""], "resources": ["secrets"], "verbs": verbs}]
    subjects = [{"kind": "ServiceAccount", "name": account}]
    return [
        obj("Role", name, f"{group}/v1", {"app": name, "operator.istio.io/component": "IngressGateways"}, rules=rules),
        obj(
            "RoleBinding",
            name,
            f"{group}/v1",
            roleRef={"apiGroup": group, "kind": "Role", "name": name},
            subjects=subjects,
        ),
    ]


def test_roles_of_gateways_are_paired() -> None:
    before = side(*roles("gw-sds", "gw-service-account", ["get"]), *roles("other-sds", "other", ["get"]))
    after = side(*roles("gw-service-account", "gw-service-account", ["get"]), *roles("other", "other", ["get"]))
    found = compare(before, after)
    assert {(c.id.name, c.paired_with.name if c.paired_with else "") for c in found} == {
        ("gw-sds", "gw-service-account"),
        ("other-sds", "other"),
    }
    assert {c.kind for c in found} == {Kind.ORPHAN}


def test_roles_that_differ_are_found() -> None:
    before = side(*roles("gw-sds", "gw", ["get", "watch"]))
    role, binding = compare(before, side(*roles("gw", "gw", ["get"])))
    assert [d.path for d in role.unexplained] == ["rules[0].verbs[1]"]
    assert not binding.unexplained
    strangers = compare(before, side(*roles("gw", "somebody-else", ["get", "watch"])))
    assert [c.kind for c in strangers] == [Kind.UNEXPLAINED] * 4


INJECTOR = {"values": {"global": {"hub": "h", "tag": "1", "own": 1, "a": {"b": 1}}, "pilot": {"env": {}}}}
CONFIG = "templates:\n  sidecar: |\n    {{ .Values.global.a.b }} {{ (.Values.pilot.env).USED }}\n"


def injector(values: dict[str, Any]) -> Object:
    return obj("ConfigMap", "istio-sidecar-injector", data={"values": json.dumps(values), "config": CONFIG})


@pytest.mark.parametrize(
    ("path", "value", "kind"),
    [
        (("global", "legacy"), 1, "unread"),
        (("global", "own"), 2, "unread"),
        (("global", "a", "b"), 2, "unexplained"),
        (("global", "a", "c"), 2, "unread"),
        (("global", "a"), 2, "unexplained"),
        (("global", "hub"), "x", "unexplained"),
        (("pilot", "env", "USED"), "1", "unexplained"),
        (("pilot", "env", "OTHER"), "1", "unread"),
        (("sidecarInjectorWebhook", "x"), 1, "unexplained"),
    ],
)
def test_injector_values(path: tuple[str, ...], value: Any, kind: str) -> None:
    pytest.importorskip("helm_python")
    changed = copy.deepcopy(INJECTOR["values"])
    node: Any = changed
    for step in path[:-1]:
        node = node.setdefault(step, {})
    node[path[-1]] = value
    before, after = injector(INJECTOR["values"]), injector(changed)
    assert {k for k, _ in found(before, after)} == {kind}


def test_cni_has_two_spellings() -> None:
    pytest.importorskip("helm_python")
    text = "{{ or .Values.pilot.cni.enabled .Values.istio_cni.enabled }} {{ .Values.istio_cni.chained }}"
    config = f"templates:\n  sidecar: |\n    {text}\n"

    def spelled(values: dict[str, Any]) -> Object:
        return obj("ConfigMap", "istio-sidecar-injector", data={"values": json.dumps(values), "config": config})

    old = spelled({"istio_cni": {"enabled": True, "chained": True}, "pilot": {"cni": {"enabled": False}}})
    new = spelled({"istio_cni": {"chained": True}, "pilot": {"cni": {"enabled": True}}})
    off = spelled({"istio_cni": {"chained": True}, "pilot": {"cni": {"enabled": False}}})
    assert found(old, new) == []
    assert found(old, off) == [("unexplained", "data.values.pilot.cni.enabled")]


def test_records_of_values_are_read_by_nothing() -> None:
    before = obj("ConfigMap", "values-r", data={"original-values": "{}", "other": "a"})
    after = obj("ConfigMap", "values-r", data={"original-values": '{"a": 1}', "other": "b"})
    assert found(before, after) == [("unread", "data.original-values"), ("unexplained", "data.other")]


def workload(image: str) -> Object:
    pod = {"containers": [{"name": "c", "image": image}]}
    return obj("DaemonSet", api="apps/v1", spec={"template": {"spec": pod}})


def test_pinned_tags() -> None:
    tags = {"1.11.4": "1.25.3", "1.11.4-distroless": "1.25.3-distroless"}
    assert found(workload("h/pilot:1.11.4"), workload("h/pilot:1.25.3"), tags=tags) == []
    assert found(workload("h/pilot:1.11.4-distroless"), workload("h/pilot:1.25.3-distroless"), tags=tags) == []
    assert found(workload("h/pilot:1.11.5"), workload("h/pilot:1.25.3"), tags=tags) != []
    assert found(workload("h/pilot:1.11.4"), workload("other/pilot:1.25.3"), tags=tags) != []
    assert found(workload("h/pilot:1.11.4"), workload("h/pilot:1.25.3")) != []


def test_pinned_tags_with_a_variant_of_the_values() -> None:
    tags = {"1.24.1": "1.25.3"}
    assert found(workload("h:5000/pilot:1.24.1-debug"), workload("h:5000/pilot:1.25.3-debug"), tags=tags) == []
    assert found(workload("h/pilot:1.24.1-debug"), workload("h/pilot:1.25.3"), tags=tags) != []
    assert found(workload("h/pilot:1.24.2-debug"), workload("h/pilot:1.25.3-debug"), tags=tags) != []
    assert found(workload("h/pilot:1.24.1-acme"), workload("h/pilot:1.24.1-acme"), tags=tags) == []
    assert found(workload("h/pilot:1.24.1-acme"), workload("h/pilot:1.25.3-acme"), tags=tags) != []


def test_which_tags_are_pinned() -> None:
    spec = {
        "tag": "1.11.4",
        "components": {"cni": {"tag": "1.12.0-debug"}, "ingressGateways": [{"tag": "latest"}, {"tag": "1.25.3"}]},
        "values": {"pilot": {"tag": "1.23.2-acme.1"}, "global": {"tag": "1.25.3-distroless"}},
    }
    assert pinned_tags([{"spec": spec}], "1.25.3") == {
        "1.11.4": "1.25.3",
        "1.12.0-debug": "1.25.3-debug",
        "1.25.3-distroless": "1.25.3-distroless",
    }


def test_the_variant_is_a_suffix_of_the_tag() -> None:
    pytest.importorskip("helm_python")
    before = injector({"global": {"tag": "1.11.4-distroless"}})
    after = injector({"global": {"tag": "1.25.3", "variant": "distroless"}})
    tags = {"1.11.4-distroless": "1.25.3-distroless"}
    assert found(before, after, tags=tags) == []
    mesh = obj("ConfigMap", "istio", data={"mesh": "a: 1\n"})
    typed = obj("ConfigMap", "istio", data={"mesh": "a: 1\ndefaultConfig: {image: {imageType: distroless}}\n"})
    assert {kind for kind, _ in found(mesh, typed)} == {"unexplained"}
    kept = obj("ConfigMap", "istio", data={"mesh": "a: 1\ndefaultConfig: {}\n"})
    assert found(kept, typed, tags=tags) == []


def test_live_objects() -> None:
    before = obj("Service", spec={"clusterIP": "1.1.1.1", "ports": [{"port": 1, "nodePort": 30000, "targetPort": 1}]})
    before["metadata"] |= {"uid": "u", "resourceVersion": "1"}
    after = obj("Service", spec={"ports": [{"port": 1}]})
    assert found(before, after) == []
    assert found(before, obj("Service", spec={"ports": [{"port": 1, "targetPort": 2}]})) == [
        ("unexplained", "spec.ports[0].targetPort")
    ]


FAULTS: list[tuple[Object, tuple[Any, ...], Any]] = [
    (obj("Service", spec={"ports": [{"port": 80, "targetPort": 8080}]}), ("spec", "ports", 0, "targetPort"), 80),
    (obj("Service", spec={"selector": {"app": "a"}}), ("spec", "selector", "app"), "b"),
    (obj("Service", spec={"externalTrafficPolicy": "Local"}), ("spec", "externalTrafficPolicy"), ABSENT),
    (workload("i:1"), ("spec", "template", "spec", "containers", 0, "image"), "i:2"),
    (workload("i:1"), ("spec", "template", "spec", "containers", 0, "env"), [{"name": "A"}]),
    (workload("i:1"), ("spec", "template", "metadata"), {"annotations": {"a": "b"}}),
    (obj("PodDisruptionBudget", spec={"minAvailable": 1}), ("spec", "minAvailable"), 2),
    (obj("ConfigMap", data={"mesh": "text"}), ("data", "mesh"), "other"),
    (obj("Role", rules=[{"verbs": ["get"]}]), ("rules", 0, "verbs", 0), "list"),
]


@pytest.mark.parametrize(("before", "path", "value"), FAULTS)
def test_faults_are_found(before: Object, path: tuple[Any, ...], value: Any) -> None:
    after = copy.deepcopy(before)
    node: Any = after
    for step in path[:-1]:
        node = node[step]
    if value == ABSENT:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    assert only(compare(side(before), side(after))).unexplained
    assert only(compare(side(after), side(before))).unexplained


def test_path_text() -> None:
    assert path_text(("spec", "containers", "[a]", "ports", "0")) == "spec.containers[a].ports[0]"
    assert path_text(("metadata", "labels", "a.b/c")) == "metadata.labels.a\\.b/c"
    assert path_text(()) == ""
