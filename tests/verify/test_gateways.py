"""Gateway pods: what injection provides is set aside, what somebody asked for is not."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from istio_convert.verify.compare import compare
from istio_convert.verify.findings import Compared, Kind
from istio_convert.verify.manifests import Object, Rendered

NS = "istio-system"
RESTRICTED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "privileged": False}
LOW_PORTS = {"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}


def deployment(pod: dict[str, Any], annotations: dict[str, str], labels: dict[str, str]) -> Object:
    template = {"metadata": {"annotations": annotations, "labels": labels}, "spec": pod}
    spec = {"selector": {"matchLabels": {"app": "gw"}}, "template": template}
    labels = {"operator.istio.io/component": "IngressGateways"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "gw", "namespace": NS, "labels": labels},
        "spec": spec,
    }


def istioctl() -> Object:
    """A gateway as istioctl's chart writes it out."""
    proxy = {
        "name": "istio-proxy",
        "image": "docker.io/istio/proxyv2:1.25.3",
        "args": ["proxy", "router"],
        "env": [{"name": "CA_ADDR", "value": "istiod:15012"}, {"name": "ISTIO_META_CLUSTER_ID", "value": "Kubernetes"}],
        "ports": [{"containerPort": 8080}, {"containerPort": 15090, "name": "http-envoy-prom"}],
        "readinessProbe": {"httpGet": {"path": "/healthz/ready", "port": 15021}},
        "resources": {"limits": {"cpu": "2"}},
        "securityContext": RESTRICTED,
        "volumeMounts": [{"name": "istio-envoy", "mountPath": "/etc/istio/proxy"}],
    }
    pod = {
        "containers": [proxy],
        "securityContext": {"runAsUser": 1337, "runAsGroup": 1337, "runAsNonRoot": True},
        "serviceAccountName": "gw",
        "volumes": [{"name": "istio-envoy", "emptyDir": {}}],
    }
    annotations = {"sidecar.istio.io/inject": "false", "istio.io/rev": "default", "prometheus.io/port": "15020"}
    labels = {
        "app": "gw",
        "sidecar.istio.io/inject": "false",
        "istio.io/rev": "default",
        "service.istio.io/canonical-name": "gw",
    }
    return deployment(pod, annotations, labels)


def helm() -> Object:
    """The same gateway from the gateway chart."""
    proxy = {
        "name": "istio-proxy",
        "image": "auto",
        "ports": [{"containerPort": 15090, "name": "http-envoy-prom"}],
        "resources": {"limits": {"cpu": "2000m"}},
        "securityContext": {**RESTRICTED, "runAsUser": 1337, "runAsGroup": 1337, "runAsNonRoot": True},
    }
    pod = {"containers": [proxy], "securityContext": {"sysctls": [LOW_PORTS]}, "serviceAccountName": "gw"}
    annotations = {
        "sidecar.istio.io/inject": "true",
        "inject.istio.io/templates": "gateway",
        "prometheus.io/port": "15020",
    }
    return deployment(pod, annotations, {"app": "gw", "sidecar.istio.io/inject": "true"})


def run(before: Object, after: Object, plain: Object | None = None) -> Compared:
    (compared,) = compare([Rendered("ingressGateways", NS, before, plain or istioctl())], [Rendered("gw", NS, after)])
    return compared


def faults(before: Object, after: Object, plain: Object | None = None) -> list[str]:
    return [d.path.removeprefix("spec.template.") for d in run(before, after, plain).unexplained]


def pod_of(obj: Object) -> dict[str, Any]:
    found: dict[str, Any] = obj["spec"]["template"]["spec"]
    return found


def proxy_of(obj: Object) -> dict[str, Any]:
    found: dict[str, Any] = pod_of(obj)["containers"][0]
    return found


def test_a_plain_gateway_is_proven() -> None:
    compared = run(istioctl(), helm())
    assert compared.kind is Kind.INJECTION
    paths = {d.path.removeprefix("spec.template.spec.containers[istio-proxy].") for d in compared.differences}
    assert {"image", "args", "env[CA_ADDR]", "ports[8080]", "readinessProbe", "volumeMounts[/etc/istio/proxy]"} <= paths


PROXY = "spec.containers[istio-proxy]"
ASKED: list[tuple[str, Any, str]] = [
    ("image", "my/proxy:1", f"{PROXY}.image"),
    ("args", ["proxy", "router", "--extra"], f"{PROXY}.args"),
    ("env", [{"name": "CA_ADDR", "value": "elsewhere"}], f"{PROXY}.env[CA_ADDR].value"),
    ("env", [{"name": "MINE", "value": "1"}], f"{PROXY}.env[MINE].value"),
    ("ports", [{"containerPort": 8080, "hostPort": 80}], f"{PROXY}.ports[8080].hostPort"),
    ("readinessProbe", {"httpGet": {"path": "/mine"}}, f"{PROXY}.readinessProbe.httpGet.path"),
    ("lifecycle", {"preStop": {"sleep": 1}}, f"{PROXY}.lifecycle.preStop.sleep"),
    ("imagePullPolicy", "Always", f"{PROXY}.imagePullPolicy"),
    ("volumeMounts", [{"name": "mine", "mountPath": "/mine"}], f"{PROXY}.volumeMounts[/mine].name"),
]


def test_injection_puts_its_own_variables_in_front() -> None:
    before, after = istioctl(), helm()
    mine = {"name": "MINE", "value": "$(CA_ADDR)"}
    proxy_of(after)["env"] = [mine]
    proxy_of(before)["env"].append(mine)
    assert faults(before, after) == []
    proxy_of(before)["env"].insert(0, proxy_of(before)["env"].pop())
    assert faults(before, after) == [f"{PROXY}.env[MINE].$(CA_ADDR)"]


@pytest.mark.parametrize(("field", "value", "path"), ASKED)
def test_what_was_asked_for_must_be_there(field: str, value: Any, path: str) -> None:
    before = istioctl()
    proxy_of(before)[field] = value
    assert path in faults(before, helm())


@pytest.mark.parametrize(("field", "value", "path"), ASKED)
def test_what_was_asked_for_and_is_there(field: str, value: Any, path: str) -> None:
    before, after = istioctl(), helm()
    proxy_of(before)[field] = value
    proxy_of(after)[field] = value
    assert path not in faults(before, after)


def test_volumes_by_name_only() -> None:
    before, plain = istioctl(), istioctl()
    for obj in (before, plain):
        pod_of(obj)["volumes"].append({"name": "ingressgateway-certs", "secret": {"secretName": "certs"}})
    assert faults(before, helm(), plain) == ["spec.volumes[ingressgateway-certs].secret.secretName"]


def test_what_only_helm_has() -> None:
    after = helm()
    proxy_of(after)["env"] = [{"name": "EXTRA", "value": "1"}]
    pod_of(after)["hostNetwork"] = True
    after["spec"]["template"]["metadata"]["annotations"]["extra"] = "1"
    assert faults(istioctl(), after) == [
        "metadata.annotations.extra",
        f"{PROXY}.env[EXTRA].value",
        "spec.hostNetwork",
    ]


@pytest.mark.parametrize("label", ["false", "", "True"])
def test_pods_must_ask_to_be_injected(label: str) -> None:
    after = helm()
    after["spec"]["template"]["metadata"]["labels"]["sidecar.istio.io/inject"] = label
    assert faults(istioctl(), after) == ["metadata.labels.sidecar.istio.io/inject"]


def test_pods_must_ask_for_the_gateway_template() -> None:
    for template in ("sidecar", None):
        after = helm()
        annotations = after["spec"]["template"]["metadata"]["annotations"]
        del annotations["inject.istio.io/templates"]
        if template:
            annotations["inject.istio.io/templates"] = template
        assert faults(istioctl(), after) == ["metadata.annotations.inject.istio.io/templates"]


def test_the_revision_chooses_the_injector() -> None:
    before, plain, after = istioctl(), istioctl(), helm()
    for obj in (before, plain):
        obj["spec"]["template"]["metadata"]["labels"]["istio.io/rev"] = "canary"
    assert faults(before, after, plain) == ["metadata.labels.istio\\.io/rev"]
    after["spec"]["template"]["metadata"]["labels"]["istio.io/rev"] = "canary"
    assert faults(before, after, plain) == []


def test_security_as_the_containers_end_up_with_it() -> None:
    before = istioctl()
    pod_of(before)["securityContext"] = {"runAsUser": 0, "runAsNonRoot": False, "fsGroup": 5}
    assert faults(before, helm()) == [
        f"{PROXY}.securityContext.runAsGroup",
        f"{PROXY}.securityContext.runAsNonRoot",
        f"{PROXY}.securityContext.runAsUser",
        "spec.securityContext.fsGroup",
    ]
    after = helm()
    pod_of(after)["securityContext"] = {"fsGroup": 5}
    proxy_of(after)["securityContext"] = {**RESTRICTED, "runAsUser": 0}
    assert faults(before, after) == []


def test_other_containers_keep_the_pods_user() -> None:
    before, after = istioctl(), helm()
    for obj in (before, after):
        pod_of(obj)["containers"].append({"name": "extra", "image": "x:1"})
    assert faults(before, after) == [
        f"spec.containers[extra].securityContext.{k}" for k in ("runAsGroup", "runAsNonRoot", "runAsUser")
    ]
    pod_of(after)["containers"][1]["securityContext"] = {"runAsUser": 1337, "runAsGroup": 1337, "runAsNonRoot": True}
    assert faults(before, after) == []


def test_injection_sets_the_proxys_user() -> None:
    after = helm()
    for key in ("runAsUser", "runAsGroup"):
        del proxy_of(after)["securityContext"][key]
    assert faults(istioctl(), after) == []
    proxy_of(after)["securityContext"]["runAsUser"] = 5
    assert faults(istioctl(), after) == [f"{PROXY}.securityContext.runAsUser"]


def test_pull_secrets_come_with_the_account_or_the_pod() -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "gw", "namespace": NS}}
    with_secret = {**account, "imagePullSecrets": [{"name": "s"}]}
    after = helm()
    pod_of(after)["imagePullSecrets"] = [{"name": "s"}]

    def both(ours: Object, theirs: Object, plain: Object = account) -> list[str]:
        before = [Rendered("i", NS, istioctl(), istioctl()), Rendered("i", NS, ours, plain)]
        compared = compare(before, [Rendered("g", NS, theirs), Rendered("g", NS, account)])
        return [d.path for c in compared for d in c.unexplained]

    assert both(with_secret, after) == []
    assert both(with_secret, helm()) == ["spec.template.spec.imagePullSecrets[s]"]
    assert both(account, after) == ["spec.template.spec.imagePullSecrets[s]"]
    assert both(with_secret, helm(), with_secret) == []


def test_without_a_plain_rendering() -> None:
    """Given manifests: only what is known by name counts as provided."""
    before = istioctl()
    proxy_of(before)["env"].append({"name": "MINE", "value": "1"})
    (compared,) = compare([Rendered("", NS, before)], [Rendered("gw", NS, helm())])
    assert [d.path for d in compared.unexplained] == [f"spec.template.{PROXY}.env[MINE].value"]


def test_a_doubled_metrics_port() -> None:
    before, plain = istioctl(), istioctl()
    for obj in (before, plain):
        proxy_of(obj)["ports"].insert(0, {"containerPort": 15090})
    assert faults(before, helm(), plain) == []


def test_selectors_and_service_accounts_are_compared() -> None:
    after = helm()
    after["spec"]["selector"]["matchLabels"]["extra"] = "1"
    pod_of(after)["serviceAccountName"] = "other"
    assert [d.path for d in run(istioctl(), after).unexplained] == [
        "spec.selector.matchLabels.extra",
        "spec.template.spec.serviceAccountName",
    ]


def test_the_objects_are_left_alone() -> None:
    before, after, plain = istioctl(), helm(), istioctl()
    copies = copy.deepcopy((before, after, plain))
    run(before, after, plain)
    assert (before, after, plain) == copies
