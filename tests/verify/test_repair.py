"""From a difference to the patch: places in rendered objects, what is carried, what Kustomize accepts."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest

from istio_convert.verify.candidate import Rendered
from istio_convert.verify.kustomize import apply
from istio_convert.verify.manifests import Object
from istio_convert.verify.proof import Expected, judge
from istio_convert.verify.repair import patches_of, repairs

pytestmark = pytest.mark.render
pytest.importorskip("helm_python")

NS = "istio-system"


def workload(**pod: Any) -> Object:
    container = {"name": "discovery", "image": "istio/pilot:1.25.3", "args": ["discovery", "--domain", "a"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "istiod", "namespace": NS, "labels": {"release": "istio"}},
        "spec": {
            "selector": {"matchLabels": {"app": "istiod"}},
            "template": {"metadata": {"labels": {"app": "istiod"}}, "spec": {"containers": [container], **pod}},
        },
    }


def changed(obj: Object, path: tuple[Any, ...], value: Any) -> Object:
    result = copy.deepcopy(obj)
    spot: Any = result
    for step in path[:-1]:
        spot = spot.setdefault(step, {}) if isinstance(spot, dict) else spot[step]
    if value is None:
        del spot[path[-1]]
    else:
        spot[path[-1]] = value
    return result


def sides(
    before: list[Object], after: list[Object], tags: Mapping[str, str] | None = None
) -> tuple[Expected, list[Rendered]]:
    expected = Expected(tuple(Rendered("pilot", NS, obj) for obj in before), dict(tags or {}), "istioctl")
    return expected, [Rendered("istiod", NS, obj) for obj in after]


def repaired(before: list[Object], after: list[Object], **how: Any) -> tuple[list[Any], list[Object]]:
    """The bodies of the patches, and what Helm's objects are after them."""
    expected, actual = sides(before, after, **how)
    chosen = repairs(judge(expected, actual, "1.25.3"), expected, actual)
    patches = patches_of(chosen).get((NS, "istiod"), [])
    return [patch.body for patch in patches], apply({"r": (after, patches)})["r"]


POD = ("spec", "template", "spec")
BOX = (*POD, "containers", 0)
ENV = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]


@pytest.mark.parametrize(
    ("base", "path", "value", "operations"),
    [
        pytest.param(workload(), ("spec", "replicas"), 3, [("add", "/spec/replicas")], id="a missing scalar"),
        pytest.param(
            workload(dnsPolicy="None"), (*POD, "dnsPolicy"), "Default", [("replace", "/spec/template/spec/dnsPolicy")],
            id="another scalar",
        ),
        pytest.param(
            workload(dnsPolicy="None"), (*POD, "dnsPolicy"), None, [("remove", "/spec/template/spec/dnsPolicy")],
            id="a scalar that only Helm has",
        ),
        pytest.param(
            workload(), (*BOX, "args", 2), "b", [("replace", "/spec/template/spec/containers/0/args")],
            id="a list whose order counts is one value",
        ),
        pytest.param(
            workload(), (*BOX, "env"), ENV, [("add", "/spec/template/spec/containers/0/env")], id="a missing keyed list"
        ),
        pytest.param(
            changed(workload(), (*BOX, "env"), ENV[:1]), (*BOX, "env"), ENV,
            [("add", "/spec/template/spec/containers/0/env/-")], id="a missing element",
        ),
        pytest.param(
            changed(workload(), (*BOX, "env"), ENV), (*BOX, "env"), ENV[1:],
            [("remove", "/spec/template/spec/containers/0/env/0")], id="an element that only Helm has",
        ),
        pytest.param(
            changed(workload(), (*BOX, "env"), ENV), (*BOX, "env", 1, "value"), "3",
            [("replace", "/spec/template/spec/containers/0/env/1/value")], id="inside an element",
        ),
        pytest.param(
            workload(), ("metadata", "annotations"), {"a.b/c~d": "e"}, [("add", "/metadata/annotations")],
            id="a missing map of texts",
        ),
        pytest.param(
            changed(workload(), ("metadata", "annotations"), {"x": "y"}), ("metadata", "annotations", "a.b/c~d"), "e",
            [("add", "/metadata/annotations/a.b~1c~0d")], id="a key with the signs of a pointer",
        ),
        pytest.param(
            workload(), (*POD, "affinity"), {"nodeAffinity": {"required": {"a": 1, "b": {"c": 2}}}},
            [("add", "/spec/template/spec/affinity")], id="a missing tree comes whole",
        ),
        pytest.param(
            workload(tolerations=[{"key": "a"}]), (*POD, "tolerations"), [{"key": "b"}, {"key": "a"}],
            [("replace", "/spec/template/spec/tolerations")], id="a set comes whole",
        ),
    ],
)  # fmt: skip
def test_a_difference_becomes_an_operation(
    base: Object, path: tuple[Any, ...], value: Any, operations: list[tuple[str, str]]
) -> None:
    before = changed(base, path, value)
    bodies, after = repaired([before], [base])
    assert [[(operation["op"], operation["path"]) for operation in body] for body in bodies] == [operations]
    assert after == [before]


def test_several_changes_of_one_object_do_not_get_in_each_others_way() -> None:
    names = ["A", "B", "C", "D"]
    theirs = changed(workload(), (*BOX, "env"), [{"name": name, "value": "1"} for name in names])
    kept = [{"name": "B", "value": "2"}, {"name": "D", "value": "1"}, {"name": "E", "value": "1"}]
    mine = changed(changed(theirs, (*BOX, "env"), kept), ("spec", "replicas"), 2)
    bodies, after = repaired([mine], [theirs])
    assert [operation["op"] for operation in bodies[0]].count("remove") == 2
    assert len(bodies) == 1
    assert after == [mine]


def test_what_is_explained_is_not_carried() -> None:
    """Labels that name istioctl's release stay away, also where Helm's side has none at all."""
    before = changed(workload(), ("metadata", "labels"), {"release": "istio", "mine": "x"})
    after = changed(workload(), ("metadata", "labels"), None)
    bodies, found = repaired([before], [after])
    assert bodies == [[{"op": "add", "path": "/metadata/labels", "value": {"mine": "x"}}]]
    assert found[0]["metadata"]["labels"] == {"mine": "x"}
    bodies, found = repaired([after], [before])
    assert found[0]["metadata"]["labels"] == {"release": "istio"}


def test_pinned_tags_stay_away() -> None:
    sidecar = {"name": "extra", "image": "istio/proxyv2:1.11.4"}
    before = changed(workload(), (*POD, "containers"), [*workload()["spec"]["template"]["spec"]["containers"], sidecar])
    bodies, _ = repaired([before], [workload()], tags={"1.11.4": "1.25.3"})
    assert bodies[0][0]["value"] == {"name": "extra", "image": "istio/proxyv2:1.25.3"}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "istio-sidecar-injector", "namespace": NS}}
    before, after = ({**config, "data": {"config": f"tag: 1.11.4\nother: {text}\n"}} for text in "ab")
    assert repaired([before], [after], tags={"1.11.4": "1.25.3"})[0] == []
    assert repaired([before], [after])[0][0][0]["path"] == "/data/config"


def service(name: str, **spec: Any) -> Object:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": NS}, "spec": spec}


def test_what_only_helm_has_is_deleted_unless_the_other_side_calls_it_otherwise() -> None:
    assert repaired([workload()], [workload(), service("more")]) == ([{"$patch": "delete"}], [workload()])
    bodies, after = repaired([workload(), service("other")], [workload(), service("more")])
    assert (bodies, len(after)) == ([], 2)
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "a.b"}}
    assert repaired([], [crd])[0] == []


def test_what_no_patch_can_say_is_left() -> None:
    assert repaired([workload(), service("only-istioctl")], [workload()])[0] == []
    # a port that the API server fills in on one side is no difference, and nothing to patch
    before, after = service("s", ports=[{"port": 80, "targetPort": 80}]), service("s", ports=[{"port": 80}])
    assert repaired([before], [after])[0] == []
