"""Overlay paths: what they select, create, replace and delete; the oddities were seen with istioctl 1.25.3."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from istio_convert.errors import RenderError
from istio_convert.verify.reference.overlays import apply_overlay

pytest.importorskip("helm_python")

OBJECT: dict[str, Any] = {
    "kind": "Deployment",
    "metadata": {"name": "x", "annotations": {"a.b/c": "1"}},
    "spec": {
        "replicas": 1,
        "containers": [{"name": "one", "args": ["proxy", "--flag=x", "--other"], "ports": [{"containerPort": 80}]}],
        "empty": None,
    },
}


def after(*patches: dict[str, Any], strict: bool = False) -> dict[str, Any]:
    return apply_overlay(copy.deepcopy(OBJECT), list(patches), strict=strict)


def spec(*patches: dict[str, Any]) -> Any:
    return after(*patches)["spec"]


def container(*patches: dict[str, Any]) -> Any:
    return spec(*patches)["containers"][0]


def test_replaces_whole() -> None:
    assert spec({"path": "spec.replicas", "value": 3})["replicas"] == 3
    assert spec({"path": "spec.containers", "value": {"a": 1}})["containers"] == {"a": 1}


def test_creates_maps() -> None:
    assert spec({"path": "spec.new.deep.leaf", "value": 1})["new"] == {"deep": {"leaf": 1}}
    assert spec({"path": "spec.empty.deep", "value": 1})["empty"] == {"deep": 1}
    # a list is not created: its step becomes a key
    assert spec({"path": "spec.list.[-1]", "value": 1})["list"] == {"[-1]": 1}


@pytest.mark.parametrize(
    "path", ["spec.containers.[name:one].image", "spec.containers[name:one].image", "spec.containers.[0].image"]
)
def test_selects_elements(path: str) -> None:
    assert container({"path": path, "value": "i"})["image"] == "i"


def test_keys_compare_as_text() -> None:
    found = container({"path": "spec.containers.[name:one].ports.[containerPort:80].name", "value": "http"})
    assert found["ports"] == [{"containerPort": 80, "name": "http"}]


@pytest.mark.parametrize(
    ("step", "args"),
    [
        ("[:--flag=x]", ["proxy", "new", "--other"]),
        (r"[--flag=\w+]", ["proxy", "new", "--other"]),
        ("[flag]", ["proxy", "new", "--other"]),
        ("[^proxy$]", ["new", "--flag=x", "--other"]),
        ("[1]", ["proxy", "new", "--other"]),
        ("[-1]", ["proxy", "--flag=x", "--other", "new"]),
        ("[9]", ["proxy", "--flag=x", "--other", "new"]),
        ("[nothing-like-it]", ["proxy", "--flag=x", "--other"]),
    ],
)
def test_scalars_in_lists(step: str, args: list[str]) -> None:
    assert container({"path": f"spec.containers.[name:one].args.{step}", "value": "new"})["args"] == args


def test_deletes() -> None:
    assert "replicas" not in spec({"path": "spec.replicas"})
    assert spec({"path": "spec.containers.[name:one]"})["containers"] == []
    assert container({"path": "spec.containers.[name:one].args.[1]"})["args"] == ["proxy", "--other"]
    assert after({"path": r"metadata.annotations.a\.b/c", "value": None})["metadata"]["annotations"] == {}


def test_text_that_is_a_map_is_read() -> None:
    assert spec({"path": "spec.text", "value": "a: b"})["text"] == {"a": "b"}
    assert spec({"path": "spec.text", "value": "a: yes\nb: 0644\n"})["text"] == {"a": True, "b": 420}
    for text in ('{"a": 1}', "a:b", "no map", "- a\n- b: c", "unclosed: ["):
        assert spec({"path": "spec.text", "value": text})["text"] == text


def test_inside_what_a_patch_brought() -> None:
    """Maps that come from patches behave otherwise: a list there grows, a map in text brings its own key."""
    brought = {"path": "spec.dns", "value": {"servers": ["a"], "sub": {}}}
    assert spec(brought, {"path": "spec.dns.servers", "value": "b"})["dns"]["servers"] == ["a", "b"]
    assert spec(brought, {"path": "spec.dns.search.[0]", "value": "s"})["dns"]["search"] == ["s"]
    assert spec(brought, {"path": "spec.dns.sub", "value": "key: v"})["dns"] == {"servers": ["a"], "key": "v"}
    assert spec(brought, {"path": "spec.dns.sub.x.y", "value": 1})["dns"]["sub"] == {"x": {"y": 1}}


def test_new_list_elements_can_be_walked_into() -> None:
    found = container(
        {"path": "spec.containers.[name:one].env", "value": [{"name": "A"}]},
        {"path": "spec.containers.[name:one].env.[-1]", "value": {"name": "B", "value": "1"}},
        {"path": "spec.containers.[name:one].env.[name:B].value", "value": "2"},
        {"path": "spec.containers.[name:one].env.[7].name", "value": "C"},
    )
    assert found["env"] == [{"name": "A"}, {"name": "B", "value": "2"}, {"name": "C"}]


FAILING = [
    ("spec.containers.[name:two].image", "no such element"),
    ("spec.replicas.x", "leads into a scalar"),
    ("spec.containers.[one].image", "must be"),
]


@pytest.mark.parametrize(("path", "problem"), FAILING)
def test_what_cannot_be_walked(path: str, problem: str) -> None:
    assert after({"path": path, "value": "v"}) == OBJECT
    with pytest.raises(RenderError, match=problem):
        after({"path": path, "value": "v"}, strict=True)


def test_an_empty_path_changes_nothing() -> None:
    assert after({"path": "", "value": "v"}) == OBJECT
    assert after({"path": " ", "value": "v"}, strict=True) == OBJECT
    assert after({"value": "v"}) == OBJECT


def test_plain_data_comes_back() -> None:
    found = after({"path": "spec.new", "value": {"a": [{"b": 1}]}})
    assert type(found["spec"]["new"]) is dict
    assert type(found["spec"]["new"]["a"][0]) is dict
