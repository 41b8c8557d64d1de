"""Parts of objects with a shape that Kubernetes does not know: compared as they stand, and never a crash."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from istio_convert.shapes import is_shaped, shaped
from istio_convert.verify.compare import compare
from istio_convert.verify.findings import Kind
from istio_convert.verify.manifests import Object, Rendered
from istio_convert.verify.normal import normal_form

META = {"name": "x", "namespace": "n", "labels": {"app": "x"}, "annotations": {"a": "b"}}
CONTAINER = {
    "name": "istio-proxy",
    "image": "auto",
    "env": [{"name": "A", "value": "$(B)"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}],
    "ports": [{"containerPort": 1, "name": "p"}],
    "resources": {"limits": {"cpu": "1"}},
    "securityContext": {"capabilities": {"drop": ["ALL"]}},
    "volumeMounts": [{"name": "v", "mountPath": "/v"}],
    "readinessProbe": {"httpGet": {"port": 1}},
}
POD = {
    "containers": [CONTAINER],
    "initContainers": [{"name": "i", "image": "i:1"}],
    "volumes": [{"name": "v", "configMap": {"name": "c"}}],
    "securityContext": {"sysctls": [{"name": "s", "value": "0"}]},
    "tolerations": [{"key": "a"}],
    "imagePullSecrets": [{"name": "s"}],
}
INJECTED = {"labels": {"sidecar.istio.io/inject": "true"}, "annotations": {"inject.istio.io/templates": "gateway"}}
METRIC = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 1}}}
HOOK = {
    "name": "h",
    "clientConfig": {"service": {"name": "s"}},
    "rules": [{"operations": ["CREATE"], "resources": ["pods"]}],
}
OBJECTS: list[Object] = [
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": META,
        "spec": {
            "selector": {"matchLabels": {"app": "x"}},
            "strategy": {"rollingUpdate": {"maxSurge": 1}},
            "template": {"metadata": INJECTED, "spec": POD},
        },
    },
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": META,
        "spec": {"selector": {"app": "x"}, "ports": [{"port": 1, "name": "p"}, {"port": 2}], "type": "NodePort"},
    },
    {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": META,
        "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "x"}, "metrics": [METRIC]},
    },
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": META,
        "subjects": [{"kind": "ServiceAccount", "name": "s"}],
        "roleRef": {"kind": "Role", "name": "r"},
    },
    {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": META,
        "webhooks": [HOOK],
    },
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": META, "data": {"mesh": "plain", "other": "x"}},
    {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": META, "secrets": [{"name": "s"}]},
]
ODD = st.recursive(
    st.one_of(st.integers(-3, 3), st.text("ab", max_size=2), st.booleans(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["name", "port", "spec", "a.b"]), inner)
    ),
    max_leaves=5,
)


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, child in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if (*path, key) not in (("kind",), ("apiVersion",)):
            yield (*path, key)
            yield from places(child, (*path, key))


PLACES = [(number, path) for number, obj in enumerate(OBJECTS) for path in places(obj)]


def put(obj: Object, path: tuple[Any, ...], value: Any) -> Object:
    result: Any = copy.deepcopy(obj)
    node = result
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return result  # type: ignore[no-any-return]


def side(obj: Object) -> list[Rendered]:
    return [Rendered("r", "n", obj)]


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(PLACES), ODD)
def test_any_shape_can_be_compared(place: tuple[int, tuple[Any, ...]], value: Any) -> None:
    obj = OBJECTS[place[0]]
    changed = put(obj, place[1], value)
    normal_form(changed)
    for before, after in ((obj, changed), (changed, obj)):
        assert compare(side(before), side(after))
    assert [c.kind for c in compare(side(changed), side(copy.deepcopy(changed)))] == [Kind.EQUAL]


@pytest.mark.parametrize(("number", "path"), PLACES)
def test_a_shape_of_nobody_is_found(number: int, path: tuple[Any, ...]) -> None:
    obj = OBJECTS[number]
    for odd in ({"odd": {"zz": [1]}}, [["odd"]], "odd"):
        found = compare(side(obj), side(put(obj, path, odd)))
        assert any(compared.kind is not Kind.EQUAL for compared in found), odd


def test_what_is_set_apart_is_named_by_its_path() -> None:
    (service,) = [obj for obj in OBJECTS if obj["kind"] == "Service"]
    (compared,) = compare(side(put(service, ("spec", "ports"), {"a": "b"})), side(service))
    assert {difference.path for difference in compared.differences} == {"spec.ports", "spec.ports.a"}


def test_what_has_its_shape_is_left_as_it_is() -> None:
    for obj in OBJECTS:
        assert shaped(obj) is obj


@pytest.mark.parametrize(
    ("kind", "path", "value", "fits"),
    [
        ("Service", ("spec", "ports"), {"a": "b"}, False),
        ("Service", ("spec", "ports"), [{"port": 1}], True),
        ("Service", ("spec", "ports", 0), "x", False),
        ("Service", ("spec",), {"ports": [1]}, False),
        ("Deployment", ("metadata", "labels", "a"), {"b": "c"}, False),
        ("Deployment", ("spec", "template", "spec", "containers", 0, "args"), ["a"], True),
        ("ClusterRole", ("rules", 0, "resources"), ["pods"], True),
        ("ConfigMap", ("data", "spec"), "x", True),
        ("ConfigMap", ("data",), "x", False),
        ("EnvoyFilter", ("spec", "configPatches"), [{"ports": {}}], True),
    ],
)
def test_shapes_of_single_values(kind: str, path: tuple[Any, ...], value: Any, fits: bool) -> None:
    assert is_shaped(kind, path, value) is fits
