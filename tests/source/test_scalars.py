"""Go's reading of scalars: the measured table, tags, keys, and what follows for warnings and quotes."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from ruamel.yaml import YAML

from istio_convert.errors import YamlError
from istio_convert.source import Leaf, go_text_differs, needs_quotes, resolve
from istio_convert.source.scalars import number_text, resolve_key

from .samples import ERROR, PLAIN_SCALARS, TEXTS


@pytest.mark.parametrize(("text", "expected"), PLAIN_SCALARS.items())
def test_a_plain_scalar_is_what_go_makes_of_it(text: str, expected: Any) -> None:
    if expected == ERROR:
        with pytest.raises(YamlError, match="JSON cannot express"):
            resolve(text)
        return
    value = resolve(text)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize("text", PLAIN_SCALARS)
def test_quotes_make_a_string(text: str) -> None:
    assert resolve(text, plain=False) == text
    assert resolve(text, tag="!!str") == text


@pytest.mark.parametrize(
    ("tag", "text", "expected"),
    [
        ("!!int", "0x1F", 31),
        ("tag:yaml.org,2002:int", "5", 5),
        ("!!int", "1.5", ERROR),
        ("!!int", "", ERROR),
        ("!!float", "1", 1),
        ("!!float", "1.5", 1.5),
        ("!!float", "12345678901234567890", ERROR),
        ("!!float", ".nan", ERROR),
        ("!!float", "x", ERROR),
        ("!!bool", "yes", True),
        ("!!bool", "1", ERROR),
        ("!!null", "~", None),
        ("!!null", "x", ERROR),
        ("!!binary", "aGVsbG8=", "hello"),
        ("!!binary", "aGVs\nbG8=", "hello"),
        ("!!binary", "aGVsbG8", ERROR),
        ("!!binary", "/w==", ERROR),  # one byte 0xff: Go makes U+FFFD of it, which nobody can mean
        ("!!timestamp", "2024-01-01", "2024-01-01"),
        ("!!timestamp", "today", ERROR),
        ("!vault", "x", ERROR),
        ("!!python/object", "x", ERROR),
    ],
)
@pytest.mark.parametrize("plain", [True, False])
def test_a_tag_decides_even_over_quotes(tag: str, text: str, expected: Any, plain: bool) -> None:
    if expected == ERROR:
        with pytest.raises(YamlError) as caught:
            resolve(text, plain, tag)
        assert caught.value.hint
        return
    value = resolve(text, plain, tag)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("on", "true"),
        ("no", "false"),
        ("1", "1"),
        ("0644", "420"),
        ("1_000", "1000"),
        ("9007199254740993", "9007199254740993"),
        ("1.10", "1.1"),
        ("1.0", "1"),
        ("-0.0", "-0"),
        ("1.23456789", "1.2345679"),
        ("1e5", "100000"),
        ("1e6", "1e+06"),
        ("123456.5", "123456.5"),
        ("1234567.5", "1.2345675e+06"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("1.5e-50", "0"),
        ("1e300", ".inf"),
        ("-1e300", "-.inf"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("100000000000000000000", "1e+20"),
        ("2024-01-01", "2024-01-01"),
        ("name", "name"),
    ],
)
def test_a_key_becomes_the_json_key_of_go(text: str, key: str) -> None:
    assert resolve_key(text) == key
    assert resolve_key(text, plain=False) == text


@pytest.mark.parametrize("text", ["", "~", "null", "18446744073709551615"])
def test_keys_that_go_refuses(text: str) -> None:
    with pytest.raises(YamlError) as caught:
        resolve_key(text)
    assert caught.value.hint


def test_a_tagged_key() -> None:
    assert resolve_key("yes", tag="!!str") == "yes"
    assert resolve_key("5", plain=False, tag="!!int") == "5"


@pytest.mark.parametrize(
    ("text", "differs"),
    [
        *(("1.20", True), ("1.0", True), ("0644", True), ("yes", True), ("off", True), ("1e3", True), ("+1", True)),
        *(("1_000", True), ("12345678901234567890", True), ("0.10", True), ("-0", True)),
        *(
            ("true", False),
            ("True", False),
            ("FALSE", False),
            ("5", False),
            ("-5", False),
            ("1.5", False),
            ("0.00001", False),
        ),
        *(("1.20.3", False), ("~", False), ("latest", False), ("12345678901234567000", False)),
    ],
)
def test_whether_the_value_has_lost_its_text(text: str, differs: bool) -> None:
    assert go_text_differs(Leaf("f", 0, ("a",), 1, 1, text, resolve(text))) is differs


def test_quoted_texts_and_empty_collections_lose_nothing() -> None:
    assert not go_text_differs(Leaf("f", 0, ("a",), 1, 1, "1.20", "1.20"))
    assert not go_text_differs(Leaf("f", 0, ("a",), 1, 1, "{}", {}))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (1.0, "1"),
        (1.5, "1.5"),
        (-0.0, "0"),
        (1e20, "100000000000000000000"),
        (1e21, "1.0e+21"),
        (1.5e300, "1.5e+300"),
        (0.00001, "0.00001"),
        (0.0000015, "0.0000015"),
        (1e-7, "1.0e-7"),
    ],
)
def test_numbers_as_text(value: float, text: str) -> None:
    assert number_text(value) == text
    assert resolve(text) == value


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_numbers_without_a_text(value: float) -> None:
    with pytest.raises(YamlError):
        number_text(value)


@pytest.mark.parametrize(
    "text",
    [
        *(text for text, value in PLAIN_SCALARS.items() if value != text),
        *(
            "12:30",
            "1:30:45",
            "190:20:30.5",
            "2024-01-01",
            "2024-01-01 10:00:00",
            "=",
            "<<",
            "-_",
            "1_000_",
            "0o17",
            "1.5e3",
        ),
        *(
            " a",
            "a ",
            "a: b",
            "a:",
            "a #b",
            "- a",
            "-",
            "? a",
            "#a",
            "&a",
            "*a",
            "!a",
            "|",
            ">",
            "%a",
            "@a",
            "`a",
            "'a",
            '"a',
        ),
        *(
            "[a",
            "]a",
            "{a",
            "}a",
            ",a",
            "--- a",
            "---",
            "...",
            "a\nb",
            "a\tb",
            "\x85",
            "\xa0a",
            "\ufeff",
            "\u2028",
            "\u202e",
            "a {{ b }}",
        ),
    ],
)
def test_texts_that_need_quotes(text: str) -> None:
    assert needs_quotes(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "istiod",
            "1.25.3",
            "1-23-2",
            "100%",
            "100m",
            "3Gi",
            "10m",
            "nlb",
            "docker.io/istio",
            "http://x:80/y",
            "a:b",
            "a#b",
        ),
        *(
            "-a",
            "--flag",
            "it's",
            'say "x"',
            "a, b",
            "a [b] {c}",
            "${X}",
            "C:\\dir",
            "é",
            "日本",
            "😀",
            "👩\u200d💻",
            "yEs",
            "~x",
            "1.2.3.4",
        ),
        *(
            "arn:aws:acm:eu-west-1:000000000000:certificate/x",
            "10.0.0.0/8",
            "2001:db8::1",
            "kubernetes.io/os",
            "1d",
            "0x",
            "a=b",
        ),
    ],
)
def test_texts_that_need_none(text: str) -> None:
    assert not needs_quotes(text)


@given(TEXTS)
def test_what_needs_no_quotes_is_itself_to_go_and_to_readers_of_yaml_1_1_and_1_2(text: str) -> None:
    if needs_quotes(text):
        return
    assert resolve(text) == text
    for version in ((1, 1), (1, 2)):
        reader = YAML(typ="safe", pure=True)
        reader.version = version
        assert reader.load(io.StringIO(f"- {text}\n- {text[:999]}: 1\n")) == [text, {text[:999]: 1}]
