"""The Helm SDK as the judge over Go's scalar rules and over what the writer writes."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from istio_convert.errors import YamlError
from istio_convert.source import dump, read, resolve, to_data
from istio_convert.source.scalars import resolve_key

from .samples import ERROR, OPERATOR, PLAIN_SCALARS, TREES, as_json, decorate

pytestmark = pytest.mark.render

helm_python = pytest.importorskip("helm_python")

FRAGMENTS = [*"0197_.eE+-af:", "0x", "0b", "0o", "308", "324"]
FRAGMENTS += ["9007199254740993", "9223372036854775808", "18446744073709551615", "99999999999999999999"]
NUMBERISH = st.one_of(
    st.text(alphabet="0123456789+-._eExXoObBaAfF:_", min_size=1, max_size=14),
    st.lists(
        st.sampled_from(FRAGMENTS),
        min_size=1,
        max_size=6,
    ).map("".join),
    st.sampled_from([text for text in PLAIN_SCALARS if text]),
)


def helm(text: str) -> Any:
    """What Helm reads; ERROR when it refuses."""
    try:
        return helm_python.chart.values_from_yaml(text)
    except helm_python.HelmValuesError:
        return ERROR


def same(ours: Any, theirs: Any) -> bool:
    return ours == theirs and type(ours) is type(theirs)


@pytest.mark.parametrize(("text", "expected"), PLAIN_SCALARS.items())
def test_the_table_is_what_helm_reads(text: str, expected: Any) -> None:
    read_by_helm = helm(f"a: {text}")
    assert read_by_helm == (ERROR if expected == ERROR else {"a": expected})


@settings(max_examples=1000)
@given(NUMBERISH)
def test_plain_scalars(text: str) -> None:
    assume(text not in {"-", "---", "..."} and not text.startswith(("- ", ":")) and not text.endswith(":"))
    try:
        expected: Any = {"a": resolve(text)}
    except YamlError:
        expected = ERROR
    read_by_helm = helm(f"a: {text}")
    assert same(expected, read_by_helm)
    assert expected == ERROR or same(expected["a"], read_by_helm["a"])


@settings(max_examples=500)
@given(NUMBERISH)
def test_keys(text: str) -> None:
    assume(text not in {"-", "---", "..."} and not text.startswith(("- ", ":")) and not text.endswith(":"))
    try:
        expected: Any = {resolve_key(text): 1}
    except YamlError:
        expected = ERROR
    assert helm(f"? {text}\n: 1") == expected


@settings(max_examples=500)
@given(NUMBERISH, st.sampled_from(["!!str", "!!int", "!!bool", "!!float", "!!null"]))
def test_tagged_scalars(text: str, tag: str) -> None:
    try:
        expected: Any = {"a": resolve(text, plain=False, tag=tag)}
    except YamlError:
        expected = ERROR
    assert helm(f'a: {tag} "{text}"') == expected


@pytest.mark.parametrize(
    "text",
    [
        OPERATOR,
        "x: &x {a: 1, b: 2}\nm: {<<: *x, a: 5}",
        "x: &x {a: 1, b: 2}\nm: {a: 5, <<: *x}",
        "x: &x {a: 1, b: 2}\ny: &y {a: 9, c: 3}\nm: {<<: [*x, *y]}",
        "x: &x {a: 1, b: 2}\ny: &y {a: 9, c: 3}\nm: {<<: *x, <<: *y}",
        "x: &x {a: 1}\ny: &y {<<: *x, b: 2}\nm: {<<: *y, <<: {c: 3}}",
        'm: {"<<": 1}',
        "x: &x a\n*x : 1",
        "a: [http://example.com/x:y, {u: tcp://10.0.0.1:80}]",
        "y: 1\n2: 2\n1.50: 3",
    ],
)
def test_whole_documents(text: str) -> None:
    (document,) = read(text, "f")
    assert to_data(document.root) == helm(text)


@settings(max_examples=150)
@given(TREES, st.randoms(use_true_random=False))
def test_what_we_write_is_what_helm_reads(data: dict[str, Any], chance: random.Random) -> None:
    for text in (dump(data), dump(decorate(data, chance))):
        assert as_json(helm(text)) == as_json(data)
