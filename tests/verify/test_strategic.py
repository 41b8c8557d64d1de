"""Strategic merge patches: merge keys, directives, order."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from istio_convert.errors import RenderError
from istio_convert.verify.reference.strategic import apply


def pod(**spec: Any) -> dict[str, Any]:
    return {"kind": "Deployment", "spec": {"template": {"spec": spec}}}


def patched(original: list[Any], patch: list[Any], field: str = "env") -> list[Any]:
    def container(items: list[Any]) -> dict[str, Any]:
        return pod(containers=[{"name": "c", field: items}])

    before = container(original)
    untouched = copy.deepcopy(before)
    result = apply("Deployment", before, container(patch))
    assert before == untouched
    found: list[Any] = result["spec"]["template"]["spec"]["containers"][0][field]
    return found


def named(*names: str) -> list[dict[str, str]]:
    return [{"name": name} for name in names]


def test_list_elements_merge_by_key() -> None:
    found = patched([{"name": "A", "value": "1"}], [{"name": "A", "valueFrom": {"fieldRef": {}}}])
    assert found == [{"name": "A", "value": "1", "valueFrom": {"fieldRef": {}}}]


@pytest.mark.parametrize(
    ("original", "patch", "order"),
    [
        # the patch keeps its order, the rest stands where it stood relative to what the patch names
        ("A B C", "X", "X A B C"),
        ("A B C", "C A", "B C A"),
        ("A B C", "B X", "A B X C"),
        ("A B C D", "D B", "A C D B"),
        ("", "X Y", "X Y"),
        ("A", "", "A"),
    ],
)
def test_order(original: str, patch: str, order: str) -> None:
    found = patched(named(*original.split()), named(*patch.split()))
    assert [item["name"] for item in found] == order.split()


def test_keys() -> None:
    ports = patched([{"containerPort": 1, "name": "a"}], [{"containerPort": 1, "protocol": "UDP"}], "ports")
    assert ports == [{"containerPort": 1, "name": "a", "protocol": "UDP"}]
    mounts = patched([{"mountPath": "/a", "name": "a"}], [{"mountPath": "/a", "name": "b"}], "volumeMounts")
    assert mounts == [{"mountPath": "/a", "name": "b"}]
    assert patched(["a"], ["b"], "args") == ["b"]
    service = apply(
        "Service", {"spec": {"ports": [{"port": 1, "name": "a"}]}}, {"spec": {"ports": [{"port": 1, "name": "b"}]}}
    )
    assert service == {"spec": {"ports": [{"port": 1, "name": "b"}]}}


def test_lists_without_a_key_are_replaced() -> None:
    before = pod(tolerations=[{"key": "a"}], affinity={"nodeAffinity": {"x": [1], "y": 1}})
    after = apply("Deployment", before, pod(tolerations=[{"key": "b"}], affinity={"nodeAffinity": {"x": [2]}}))
    spec = after["spec"]["template"]["spec"]
    assert spec == {"tolerations": [{"key": "b"}], "affinity": {"nodeAffinity": {"x": [2], "y": 1}}}


def test_nulls_delete() -> None:
    after = apply(
        "Deployment", {"spec": {"a": 1, "b": {"c": 1}}}, {"spec": {"a": None, "b": {"c": None}, "d": {"e": None}}}
    )
    assert after == {"spec": {"b": {}, "d": {}}}


def test_a_budgets_selector_is_replaced() -> None:
    before = {"spec": {"selector": {"matchLabels": {"a": "1"}}}}
    patch = {"spec": {"selector": {"matchLabels": {"b": "2"}}}}
    assert apply("PodDisruptionBudget", before, patch) == patch
    assert apply("Service", before, patch)["spec"]["selector"]["matchLabels"] == {"a": "1", "b": "2"}


def test_directives() -> None:
    assert patched(named("A", "B"), [{"name": "A", "$patch": "delete"}]) == named("B")
    assert patched(named("A", "B"), [{"$patch": "replace"}, {"name": "C"}]) == named("C")
    replaced = apply("Deployment", {"spec": {"a": 1}}, {"spec": {"$patch": "replace", "b": 2}})
    assert replaced == {"spec": {"b": 2}}
    assert apply("Deployment", {"spec": {"a": 1}}, {"spec": {"$patch": "delete"}}) == {"spec": {}}
    kept = apply("Deployment", {"spec": {"a": 1, "b": 2}}, {"spec": {"$retainKeys": ["b"], "b": 3}})
    assert kept == {"spec": {"b": 3}}
    fresh = apply("Deployment", {"spec": {}}, {"spec": {"new": {"$patch": "replace", "a": 1}}})
    assert fresh == {"spec": {"new": {"a": 1}}}


def test_what_kubernetes_refuses() -> None:
    with pytest.raises(RenderError, match="has no name"):
        patched(named("A"), [{"value": "x"}])
    with pytest.raises(RenderError, match=r"unknown \$patch"):
        apply("Deployment", {"spec": {}}, {"spec": {"$patch": "explode"}})
    with pytest.raises(RenderError, match="not supported"):
        apply("Deployment", {"spec": {}}, {"spec": {"$setElementOrder/env": []}})


def test_types_that_differ_are_replaced() -> None:
    assert apply("Deployment", {"spec": {"a": {"b": 1}}}, {"spec": {"a": 5}}) == {"spec": {"a": 5}}
    assert apply("Deployment", {"spec": {"a": [1]}}, {"spec": {"a": {"b": 1}}}) == {"spec": {"a": {"b": 1}}}


def test_finalizers_are_joined() -> None:
    before, patch = {"metadata": {"finalizers": ["a", "b"]}}, {"metadata": {"finalizers": ["c", "b"]}}
    assert sorted(apply("Service", before, patch)["metadata"]["finalizers"]) == ["a", "b", "c"]
