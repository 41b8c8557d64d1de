"""Merging and setting as istioctl does it."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert.errors import RenderError
from istio_convert.verify.reference.tree import (
    get_map,
    get_path,
    get_text,
    go_text,
    merge_from,
    parse_value,
    set_path,
    set_paths,
    split_path,
    take_out,
)


@pytest.mark.parametrize(
    ("base", "over", "merged"),
    [
        ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": {"b": 1}}, {"a": None}, {"a": None}),
        ({"a": {"b": 1}}, {"a": 5}, {"a": 5}),
        ({"a": 5}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({}, {"a": {}}, {"a": {}}),
    ],
)
def test_merge(base: dict[str, Any], over: dict[str, Any], merged: dict[str, Any]) -> None:
    merge_from(base, over)
    assert base == merged


def test_merging_shares_new_maps() -> None:
    """istioctl relies on it: what it writes into a user's map also changes the user's own values."""
    base: dict[str, Any] = {}
    own = {"pilot": {"enabled": False}}
    merge_from(base, own)
    set_path(base, "pilot.enabled", True)
    assert own == {"pilot": {"enabled": True}}


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("a.b", ["a", "b"]),
        (r"a.b\.c/d", ["a", "b.c/d"]),
        ("a.[0].b", ["a", "[0]", "b"]),
        ("a[name:x].b", ["a", "[name:x]", "b"]),
        (".a.", ["a"]),
        ("", []),
        ("a//b", ["a/b"]),
        ("//a", ["/a"]),
    ],
)
def test_split(path: str, steps: list[str]) -> None:
    assert split_path(path) == steps


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("1", 1), ("-3", -3), ("1.5", 1.5), ("1e3", 1000.0), ("true", True), ("T", True), ("f", False)),
        *((text, text) for text in ("", "yes", "1.2.3", "0x10", "null")),
        (r"a\,b", "a,b"),
    ],
)
def test_parse_value(text: str, value: Any) -> None:
    parsed = parse_value(text)
    assert parsed == value
    assert type(parsed) is type(value)


def test_flags() -> None:
    tree: dict[str, Any] = {"spec": {"components": {"ingressGateways": [{"name": "a"}, {"name": "b"}]}}}
    for flag in (
        "spec.tag=1.20",
        "spec.hub=1.20",
        "spec.components.ingressGateways.[name:b].enabled=false",
        "spec.components.ingressGateways.[5].name=c",
        "spec.values.global.proxy.image=x",
    ):
        set_paths(tree, flag, all_equals=False)
    spec = tree["spec"]
    assert (spec["tag"], spec["hub"]) == ("1.20", 1.2)
    assert spec["components"]["ingressGateways"] == [{"name": "a"}, {"name": "b", "enabled": False}, {"name": "c"}]
    assert get_text(tree, "spec", "values", "global", "proxy", "image") == "x"


def test_equals_signs_in_a_value() -> None:
    new: dict[str, Any] = {}
    set_paths(new, "spec.a=b=c", all_equals=True)
    assert new == {"spec": {"a": "b=c"}}
    old: dict[str, Any] = {}
    set_paths(old, "spec.a=b=c", all_equals=False)
    assert old == {"spec": {"a=b=c": ""}}


def test_what_cannot_be_set() -> None:
    for tree, path in (
        ({"a": "text"}, "a.b"),
        ({"a": {}}, "a.[0].b"),
        ({"a": []}, "a.[name:x].b"),
        ({"a": [1]}, "a.[x]"),
    ):
        with pytest.raises(RenderError, match="refuses a setting"):
            set_path(dict(tree), path, 1)


def test_setting_below_null_has_no_effect() -> None:
    tree: dict[str, Any] = {"a": None}
    set_path(tree, "a.b", 1)
    assert tree == {"a": None}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((None, "<nil>"), (True, "true"), (1.2, "1.2"), (5, "5"), (100000, "100000"), (1000000, "1e+06")),
        *((20250101, "2.0250101e+07"), (0.00001, "1e-05"), (0.001, "0.001"), (0, "0"), (-2.5, "-2.5")),
        *(("x", "x"), ([1, "a"], "[1 a]"), ({"b": 1, "a": False}, "map[a:false b:1]")),
    ],
)
def test_go_text(value: Any, text: str) -> None:
    assert go_text(value) == text


def test_reading() -> None:
    tree = {"a": {"b": "x", "c": {}}, "d": [{"e": 1}]}
    assert get_path(tree, "a", "b") == "x"
    assert get_path(tree, "a", "x") is None
    assert get_map(tree, "a", "b") is None
    assert get_text(tree, "a", "c") == ""
    take_out(tree, ("a", "b"))
    take_out(tree, ("d", 7, "e"))
    take_out(tree, ("nope", "e"))
    take_out(tree, ("d", "e"))
    assert tree == {"a": {"c": {}}, "d": [{"e": 1}]}
    take_out(tree, ("d", 0, "e"))
    assert tree == {"a": {"c": {}}}
    rows: dict[str, Any] = {"l": [1, 2, {"a": 3}]}
    take_out(rows, ("l", 1))
    assert rows == {"l": [1, {"a": 3}]}
    deep = {"a": {"b": {"c": 1}}, "d": {"e": {"f": 1, "g": 2}}}
    take_out(deep, ("a", "b", "c"))
    take_out(deep, ("d", "e", "f"))
    assert deep == {"d": {"e": {"g": 2}}}
