"""What counts as the same, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert.verify.normal import normal_form
from istio_convert.verify.quantities import amount, canonical
from istio_convert.verify.texts import read_text


def deployment(pod: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": {"spec": pod}, **spec}}


def container(**fields: Any) -> dict[str, Any]:
    return deployment({"containers": [{"name": "c", "image": "i:1", **fields}]})


def service(*ports: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"kind": "Service", "spec": {"ports": list(ports), **spec}}


def autoscaler(**metric: Any) -> dict[str, Any]:
    return {"kind": "HorizontalPodAutoscaler", "spec": {"metrics": [metric]}}


def policy(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "spec": spec}


SAME = [
    (
        container(env=[{"name": "A", "value": "1"}, {"name": "B"}]),
        container(env=[{"name": "B", "value": ""}, {"name": "A", "value": "1"}]),
    ),
    (container(resources={"limits": {"cpu": "1000m"}}), container(resources={"limits": {"cpu": 1}, "requests": None})),
    (container(ports=[{"containerPort": 1, "protocol": "TCP"}]), container(ports=[{"containerPort": 1}])),
    (container(imagePullPolicy="IfNotPresent"), container()),
    (container(imagePullPolicy="", terminationMessagePath="", workingDir=""), container()),
    (
        deployment({"containers": [{"name": "c"}], "priorityClassName": "", "dnsPolicy": "", "hostname": ""}),
        deployment({"containers": [{"name": "c"}]}),
    ),
    (service({"port": 80}, type="", loadBalancerIP="", externalTrafficPolicy=""), service({"port": 80})),
    (
        container(readinessProbe={"httpGet": {"path": "/", "scheme": "HTTP"}, "timeoutSeconds": 1}),
        container(readinessProbe={"httpGet": {"path": "/"}}),
    ),
    (
        container(securityContext={"capabilities": {"drop": ["A", "B"]}}),
        container(securityContext={"capabilities": {"drop": ["B", "A"]}}),
    ),
    (
        deployment({"tolerations": [{"key": "a"}, {"key": "b"}]}),
        deployment({"tolerations": [{"key": "b"}, {"key": "a"}]}),
    ),
    (
        deployment({"containers": [{"name": "c"}], "dnsPolicy": "ClusterFirst"}),
        deployment({"containers": [{"name": "c"}]}),
    ),
    (deployment({}, strategy={"rollingUpdate": {"maxSurge": "25%"}}), deployment({}, revisionHistoryLimit=10)),
    (
        service({"port": 80, "targetPort": 0}),
        service({"port": 80, "targetPort": 80, "protocol": "TCP"}, type="ClusterIP"),
    ),
    (
        autoscaler(resource={"name": "cpu", "targetAverageUtilization": 80}),
        autoscaler(resource={"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}),
    ),
    (
        autoscaler(pods={"metricName": "m", "targetAverageValue": "1k"}),
        autoscaler(pods={"metric": {"name": "m"}, "target": {"type": "AverageValue", "averageValue": 1000}}),
    ),
    (
        {"kind": "ConfigMap", "data": {"mesh": "a: 1\nb: {c: yes}\n"}},
        {"kind": "ConfigMap", "data": {"mesh": '{"b": {"c": true}, "a": 1}'}},
    ),
    (
        {"kind": "RoleBinding", "metadata": {"namespace": "n"}, "subjects": [{"kind": "ServiceAccount", "name": "s"}]},
        {
            "kind": "RoleBinding",
            "metadata": {"namespace": "n"},
            "subjects": [{"kind": "ServiceAccount", "name": "s", "namespace": "n"}],
        },
    ),
    (
        {
            "kind": "MutatingWebhookConfiguration",
            "webhooks": [{"name": "w", "clientConfig": {"service": {"name": "s"}}}],
        },
        {
            "kind": "MutatingWebhookConfiguration",
            "webhooks": [
                {"name": "w", "failurePolicy": "Fail", "clientConfig": {"service": {"name": "s", "port": 443}}}
            ],
        },
    ),
]

DIFFERENT = [
    (
        container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "1"}]),
        container(env=[{"name": "A", "value": "1"}]),
    ),
    (container(args=["a", "b"]), container(args=["b", "a"])),
    (container(imagePullPolicy="Always"), container()),
    (container(command=[""]), container()),
    (
        deployment({"containers": [{"name": "c"}], "priorityClassName": "high"}),
        deployment({"containers": [{"name": "c"}], "priorityClassName": ""}),
    ),
    (service({"port": 80}, loadBalancerClass=""), service({"port": 80})),
    (container(resources={"limits": {"memory": "1G"}}), container(resources={"limits": {"memory": "1Gi"}})),
    (service({"port": 80}, {"port": 443}), service({"port": 443}, {"port": 80})),
    (service({"port": 80, "targetPort": 8080}), service({"port": 80})),
    (service({"port": 80, "targetPort": "http"}), service({"port": 80})),
    (deployment({}, replicas=1), deployment({})),
    (deployment({}, strategy={"rollingUpdate": {"maxSurge": "100%"}}), deployment({})),
    (deployment({"volumes": [{"name": "v", "emptyDir": {}}]}), deployment({"volumes": [{"name": "v"}]})),
    (deployment({"terminationGracePeriodSeconds": 31}), deployment({})),
    (
        deployment({"initContainers": [{"name": "i", "restartPolicy": "Always"}]}),
        deployment({"initContainers": [{"name": "i"}]}),
    ),
    ({"kind": "ConfigMap", "data": {"mesh": "a: {}\n"}}, {"kind": "ConfigMap", "data": {"mesh": "b: 1\n"}}),
    ({"kind": "ConfigMap", "data": {"mesh": "a: {b: {}}\n"}}, {"kind": "ConfigMap", "data": {"mesh": "a: {c: {}}\n"}}),
    ({"kind": "ConfigMap", "data": {"k": "text"}}, {"kind": "ConfigMap", "data": {"k": "text "}}),
    (policy("NetworkPolicy", {"ingress": [{}]}), policy("NetworkPolicy", {"ingress": []})),
    (policy("NetworkPolicy", {"podSelector": {}}), policy("NetworkPolicy", {})),
    (policy("PodDisruptionBudget", {"selector": {}}), policy("PodDisruptionBudget", {})),
    ({"kind": "Service", "metadata": {"labels": {"protocol": "TCP"}}}, {"kind": "Service", "metadata": {"labels": {}}}),
    (
        {"kind": "Deployment", "spec": {"selector": {"matchLabels": {"dnsPolicy": "ClusterFirst"}}}},
        {"kind": "Deployment", "spec": {}},
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert normal_form(one) == normal_form(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert normal_form(one) != normal_form(other)


def test_the_api_version_is_no_part_of_it() -> None:
    assert normal_form({"apiVersion": "autoscaling/v1", "kind": "X"}) == normal_form(
        {"apiVersion": "autoscaling/v2", "kind": "X"}
    )


def test_the_object_is_left_alone() -> None:
    obj = container(env=[{"name": "A"}], resources={"limits": {"cpu": 1}})
    before = repr(obj)
    normal_form(obj)["spec"]["template"]["spec"]["containers"]["[c]"]["env"].clear()
    assert repr(obj) == before


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", "1000m"), ("1Gi", "1024Mi"), ("1e3", "1k"), (2, "2"), ("0.5", "500m"), ("1.5Gi", "1536Mi"), ("0", "0m")],
)
def test_equal_quantities(one: Any, other: Any) -> None:
    assert amount(one) == amount(other)
    assert amount(one) is not None


@pytest.mark.parametrize("text", ["", "x", "1KB", "1 Gi", "--1", True, None, []])
def test_no_quantities(text: Any) -> None:
    assert amount(text) is None


@pytest.mark.parametrize(
    ("quantity", "text"),
    [("1000m", "1"), (0.5, "500m"), ("2000", "2k"), ("1500m", "1500m"), ("0", "0"), (2, "2"), ("x", "x"), ("1n", "1n")],
)
def test_canonical(quantity: Any, text: str) -> None:
    assert canonical(quantity) == text


def test_texts() -> None:
    assert read_text('{"a": 1}') == {"a": 1}
    assert read_text("# note\na:\n  b: 0644\n") == {"a": {"b": 420}}
    for text in ("plain", "{broken", "- a\n- b", "a: b: c", "", "#!/bin/sh\nx: y"[:9], 5):
        assert read_text(text) == text
