"""Reading: values, positions, aliases and merge keys, documents; and that both parsers agree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from istio_convert.errors import Origin, YamlError
from istio_convert.source import (
    Document,
    Leaf,
    Mapping,
    Scalar,
    Sequence,
    compose,
    dump,
    get,
    leaves,
    read,
    to_data,
    walk,
)

from .samples import OPERATOR, PLAIN_SCALARS, TREES


@pytest.fixture(params=["libyaml", "pure"], autouse=True)
def _parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test here runs with the C extension and without it."""
    if request.param == "pure":
        monkeypatch.setattr(compose, "CParser", None)
    else:
        assert compose.CParser is not None


def one(text: str | bytes) -> Document:
    (document,) = read(text, "f")
    return document


def data(text: str | bytes) -> Any:
    return to_data(one(text).root)


def row(leaf: Leaf) -> tuple[Any, ...]:
    return (leaf.path, leaf.line, leaf.column, leaf.text, leaf.value)


def test_an_operator_with_everything() -> None:
    document = one(OPERATOR)
    edge = ("spec", "components", "ingressGateways", 0)
    proxy = ("spec", "meshConfig", "defaultConfig")
    assert [row(leaf) for leaf in document.leaves] == [
        (("apiVersion",), 1, 13, "install.istio.io/v1alpha1", "install.istio.io/v1alpha1"),
        (("kind",), 2, 7, "IstioOperator", "IstioOperator"),
        (("metadata", "name"), 4, 9, "control-plane", "control-plane"),
        (("spec", "tag"), 7, 8, "1.20", 1.2),
        (
            ("spec", "meshConfig", "accessLogFormat"),
            9,
            22,
            "[%START_TIME%] {{ not a template }}\n",
            "[%START_TIME%] {{ not a template }}\n",
        ),
        ((*proxy, "holdApplicationUntilProxyStarts"), 11, 40, "yes", True),
        ((*proxy, "proxyMetadata"), 12, 22, "{}", {}),
        ((*edge, "name"), 15, 13, "edge", "edge"),
        ((*edge, "k8s", "strategy", "rollingUpdate", "maxSurge"), 17, 46, "100%", "100%"),
        ((*edge, "k8s", "env"), 18, 14, "[]", []),
        ((*edge, "k8s", "serviceAnnotations", "example.com/text"), 20, 29, "first\nsecond\n", "first\nsecond\n"),
        (("spec", "values", "global", "proxy", "holdApplicationUntilProxyStarts"), 11, 40, "yes", True),
        (("spec", "values", "global", "proxy", "proxyMetadata"), 12, 22, "{}", {}),
        (("spec", "values", "global", "proxy", "logLevel"), 27, 18, "", None),
    ]
    through_merge = [leaf for leaf in document.leaves if leaf.path[:4] == ("spec", "values", "global", "proxy")]
    assert [leaf.via for leaf in through_merge] == [(Origin("f", 26, 13),), (Origin("f", 26, 13),), ()]
    assert {(leaf.file, leaf.document) for leaf in document.leaves} == {("f", 0)}


def test_nodes_have_origins_and_share_their_leaves_with_the_document() -> None:
    document = one("a:\n  b: [1, {}]\n")
    root = document.root
    assert isinstance(root, Mapping)
    assert root.origin == Origin("f", 1, 1)
    assert root.leaf is None
    inner = get(root, ("a",))
    assert isinstance(inner, Mapping)
    assert inner.origin == Origin("f", 2, 3)
    items = get(root, ("a", "b"))
    assert isinstance(items, Sequence)
    assert items.origin == Origin("f", 2, 6)
    scalar = get(root, ("a", "b", 0))
    assert isinstance(scalar, Scalar)
    assert scalar.origin == Origin("f", 2, 7)
    assert scalar.leaf is document.leaves[0]
    empty = get(root, ("a", "b", 1))
    assert isinstance(empty, Mapping)
    assert empty.leaf is document.leaves[1]
    assert list(leaves(root)) == document.leaves


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("a:\n\n# c: d\nb:\n", [(1, 3), (4, 3)]),
        ("-\n- a\n-\n\n- b\n", [(1, 2), (2, 3), (3, 2), (5, 3)]),
        ("a:\n  -\n  - b: # c\n    d:\n", [(2, 4), (3, 7), (4, 7)]),
        ("a: &x\nb: *x\n", [(1, 4), (1, 4)]),
        ("é😀: 'x'\n\"k\": 'y'\n", [(1, 5), (2, 6)]),
        ("a: x\r\nb:\r\nc: y\r\n", [(1, 4), (2, 3), (3, 4)]),
        ("a: |\n  x\nb: >-\n  y\n", [(1, 4), (3, 4)]),
        ("a: x\n  y\nb: z\n", [(1, 4), (3, 4)]),
    ],
)
def test_places(text: str, places: list[tuple[int, int]]) -> None:
    assert [(leaf.line, leaf.column) for leaf in one(text).leaves] == places


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on: 1\n1_0: 2\n1.50: 3\n2024-01-01: 4", {"true": 1, "10": 2, "1.5": 3, "2024-01-01": 4}),
        ("'on': 1\n\"1.50\": 2", {"on": 1, "1.50": 2}),
        ("!!str on: 1", {"on": 1}),
        ("? a\n: b", {"a": "b"}),
        ("x: &x name\n*x : 1", {"x": "name", "name": 1}),
        ("a: !!str 1\nb: !!int '5'\nc: ! 'x'\nd: !!map {e: !!seq [1]}", {"a": "1", "b": 5, "c": "x", "d": {"e": [1]}}),
        ("a: {u: http://x:80/y, v: [a:b]}", {"a": {"u": "http://x:80/y", "v": ["a:b"]}}),
        (
            "a: ${X}\nb: x {{ y }}\nc: '{{ z }}'\nd: |\n  {{- if x }}\n",
            {"a": "${X}", "b": "x {{ y }}", "c": "{{ z }}", "d": "{{- if x }}\n"},
        ),
        ('{"a": {"b":[1,"2",null]}}', {"a": {"b": [1, "2", None]}}),
        ("a: >\n  b\n  c\n\n  d\n", {"a": "b c\nd\n"}),
        ('a: "x\\u00e9\\U0001F600\\ty"', {"a": "xé😀\ty"}),
        ("a: 'it''s'", {"a": "it's"}),
    ],
)
def test_data(text: str, expected: Any) -> None:
    assert data(text) == expected


@pytest.mark.parametrize("text", [text for text, value in PLAIN_SCALARS.items() if value != "refused"])
def test_plain_scalars_in_a_document(text: str) -> None:
    document = one(f"a: {text}")
    assert to_data(document.root) == {"a": PLAIN_SCALARS[text]}
    assert document.leaves[0].text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x: &x {a: 1, b: 2}\nm: {<<: *x, a: 5}", {"a": 5, "b": 2}),
        # go-yaml v2 merges where the merge key stands
        ("x: &x {a: 1, b: 2}\nm: {a: 5, <<: *x}", {"a": 1, "b": 2}),
        ("x: &x {a: 1}\ny: &y {a: 9, c: 3}\nm: {<<: [*x, *y]}", {"a": 1, "c": 3}),
        ("x: &x {a: 1}\ny: &y {a: 9}\nm: {<<: *x, <<: *y}", {"a": 9}),
        ("x: &x {a: 1}\ny: &y {<<: *x, b: 2}\nm: {<<: *y, c: 3}", {"a": 1, "b": 2, "c": 3}),
        ("m: {<<: {a: {b: 1}}, a: {c: 2}}", {"a": {"c": 2}}),
        ("m: {<<: {}}", {}),
        ("m: {'<<': 1}", {"<<": 1}),
        ("m: {!!merge <<: {a: 1}}", {"a": 1}),
    ],
)
def test_merge_keys(text: str, expected: Any) -> None:
    document = one(text)
    assert to_data(document.root)["m"] == expected
    assert [leaf.path for leaf in document.leaves] == [path for path, _ in walk(document.root)]


def test_via_lists_use_sites_outermost_first() -> None:
    document = one("a: &a {x: 1}\nb: &b\n  in: *a\nc: *b\nd:\n  <<: *b\n")
    via = {leaf.path: leaf.via for leaf in document.leaves}
    assert via == {
        ("a", "x"): (),
        ("b", "in", "x"): (Origin("f", 3, 7),),
        ("c", "in", "x"): (Origin("f", 4, 4), Origin("f", 3, 7)),
        ("d", "in", "x"): (Origin("f", 6, 7), Origin("f", 3, 7)),
    }
    assert {(leaf.line, leaf.column) for leaf in document.leaves} == {(1, 11)}


def test_an_inline_merge_names_the_merge_key() -> None:
    (leaf,) = one("a:\n  <<: {b: 1}\n").leaves
    assert leaf.via == (Origin("f", 2, 3),)
    assert leaf.path == ("a", "b")


def test_an_anchor_may_be_defined_again() -> None:
    assert data("a: &x 1\nb: &y [*x]\nc: &x 2\nd: [*x, *y]") == {"a": 1, "b": [1], "c": 2, "d": [2, [1]]}


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# only a comment", "---\n", "---\n# c\n---\n", "\ufeff", "\ufeff# c", b"", b"\xef\xbb\xbf"]
)
def test_nothing_in_it(text: str | bytes) -> None:
    assert read(text, "f") == []


def test_documents_are_counted_with_the_empty_ones() -> None:
    documents = read("# licence\n---\na: 1\n---\n# nothing\n---\nb: 2\n...\n---\n~\n", "-")
    assert [(document.file, document.index, to_data(document.root)) for document in documents] == [
        ("-", 0, {"a": 1}),
        ("-", 2, {"b": 2}),
        ("-", 3, None),
    ]
    assert [(leaf.document, leaf.line) for document in documents for leaf in document.leaves] == [
        (0, 3),
        (2, 7),
        (3, 10),
    ]


def test_anchors_end_with_their_document() -> None:
    with pytest.raises(YamlError, match="without an anchor"):
        read("a: &x 1\n---\nb: *x\n", "f")


@pytest.mark.parametrize("text", ["a: é😀\n", "\ufeffa: é😀\n"])
def test_bytes_and_byte_order_mark(text: str) -> None:
    assert data(text) == data(text.encode()) == {"a": "é😀"}
    assert one(text).leaves[0].origin == one(text.encode()).leaves[0].origin == Origin("f", 1, 4)


@given(TREES)
def test_the_leaves_are_the_terminal_nodes_and_lie_where_they_say(tree: dict[str, Any]) -> None:
    text = dump(tree)
    document = one(text)
    assert [leaf.path for leaf in document.leaves] == [path for path, _ in walk(document.root)]
    lines = text.split("\n")
    for leaf in document.leaves:
        written = lines[leaf.line - 1][leaf.column - 1 :]
        assert written.startswith((leaf.text, '"', "|", "null"))


@given(st.integers(1, 15), st.integers(1, 15))
def test_aliases_expand_to_leaves_of_their_own(uses: int, size: int) -> None:
    document = one(f"a: &a {list(range(size))}\nb: [{', '.join(['*a'] * uses)}]\n")
    assert len(document.leaves) == size * (uses + 1)
    assert len({leaf.path for leaf in document.leaves}) == size * (uses + 1)
