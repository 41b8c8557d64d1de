"""What is refused: one clear error with place, cause and hint, soon and in little memory, whatever the bytes."""

from __future__ import annotations

import random
import time
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from istio_convert.errors import Origin, YamlError
from istio_convert.source import compose, read

from .samples import OPERATOR

REFUSED: dict[str, tuple[str | bytes, int, int, str]] = {
    # templates and other leftovers
    "helm value": ("a:\n  hub: {{ .Values.hub }}\n", 2, 8, "template"),
    "helm value with text behind": ("a: {{ .x }}-{{ .y }}\n", 1, 4, "template"),
    "helm value in a list": ("a:\n- {{ .x }}\n", 2, 3, "template"),
    "helm key": ("{{ .x }}: a\n", 1, 1, "template"),
    "helm control line": ("a: 1\n{{- if .x }}\nb: 2\n{{- end }}\n", 2, 1, "template"),
    "helm indented control line": ("a:\n  b: 1\n  {{- range .x }}\n  c: 2\n  {{- end }}\n", 3, 3, "template"),
    "helm list then keys": ("a: 1\n{{- toYaml .x | nindent 2 }}\n- c\n", 2, 1, "template"),
    "jinja value": ("a: {% x %}\n", 1, 4, "Jinja"),
    "jinja control line": ("{% if x %}\na: 1\n{% endif %}\n", 1, 1, "Jinja"),
    "erb": ("a: 1\n<% if x %>\nb: 2\n", 2, 1, "ERB"),
    "shell in flow": ("a: {b: ${X}}\n", 1, 8, "shell or Terraform"),
    "terraform directive": ("a: 1\n%{ if x }\nb: 2\n%{ endif }\n", 2, 1, "shell or Terraform"),
    "here-document": ("cat <<EOF\na: 1\nEOF\n", 1, 5, "here-document"),
    "end of a here-document": ("a: 1\nEOF\nb: 2\n", 2, 1, "here-document"),
    "merge conflict": ("a: 1\n<<<<<<< ours\nb: 2\n=======\nb: 3\n>>>>>>> theirs\n", 2, 1, "merge conflict"),
    "code fence": ("```yaml\na: 1\n```\n", 1, 1, "Markdown"),
    "placeholder": ("a: {NAME}-gateway\n", 1, 10, "behind a closing bracket"),
    # duplicate keys
    "duplicate key": ("a:\n  b: 1\n  c: 2\n  b: 3\n", 4, 3, r"duplicate key a\.b, first on line 2"),
    "duplicate key after Go's reading": ("on: 1\n'true': 2\n", 2, 1, "duplicate key true, first on line 1"),
    "duplicate key by alias": ("a: &a b\nb: 1\n*a : 2\n", 3, 1, "duplicate key b, first on line 2"),
    "missing separator": ("kind: A\nspec: 1\nkind: B\n", 3, 1, "duplicate key kind"),
    # structure
    "tab indentation": ("a:\n\tb: 1\n", 2, 1, "tab"),
    "tab after spaces": ("a:\n  b: 1\n \tc: 2\n", 3, 2, "tab"),
    "tab first": ("\ta: 1\n", 1, 1, "tab"),
    "indentation too deep": ("a: 1\n  b: 2\n", 2, 4, "colon where no key"),
    "indentation lost": ("a:\n    b: 1\n  c: 2\n", 3, 3, "does not fit the block"),
    "list into map": ("a:\n  b: 1\n  - c\n", 3, 3, "does not fit the block"),
    "no colon": ("a: 1\nspec\nb: 2\n", 2, 1, "neither a key with a colon"),
    "colon in a value": ("a: b: c\n", 1, 5, "colon where no key"),
    "open quote": ('a: 1\nb: "x\nc: 2\n', 2, 4, "quote that is never closed"),
    "open bracket": ("a: 1\nb: [1, 2\nc: 3\n", 2, 4, "not closed"),
    "list on the key's line": ("a: - b\n", 1, 4, "list item where none"),
    "bad first character": ("a: @x\n", 1, 4, "cannot start a value"),
    "bad escape": ('a: "\\q"\n', 1, 5, "escape sequence"),
    "dedented below the start": ("  a: 1\nb: 2\n", 2, 1, "after the end of the document"),
    "collection as key": ("? [a]\n: b\n", 1, 3, "map or list as a key"),
    "null key": ("a:\n  ~: 1\n", 2, 3, "null as a key"),
    # scalars, tags, anchors, merge keys
    "infinity": ("a:\n  b: .inf\n", 2, 6, "JSON cannot express"),
    "not a number": ("a: .NaN\n", 1, 4, "JSON cannot express"),
    "unknown tag": ("a: !vault x\n", 1, 4, "tag that Kubernetes does not know"),
    "unknown tag on a map": ("a: !Ref {b: 1}\n", 1, 4, "tag that Kubernetes does not know"),
    "tag that does not fit": ("a: !!int x\n", 1, 4, "no !!int"),
    "unknown anchor": ("a: *x\n", 1, 4, "without an anchor"),
    "recursive list": ("a: &a [*a]\n", 1, 8, "contains itself"),
    "recursive map": ("a: &a\n  b: *a\n", 2, 6, "contains itself"),
    "merge of a scalar": ("a:\n  <<: 1\n", 2, 3, "merge key"),
    "merge of null": ("a:\n  <<:\n", 2, 3, "merge key"),
    "merge of a list of scalars": ("a: {<<: [1]}\n", 1, 5, "merge key"),
    "merge of an aliased list": ("x: &x [{a: 1}]\na: {<<: *x}\n", 2, 5, "merge key"),
    # encodings
    "latin-1": (b"a: 1\nb: \xe4\n", 2, 4, r"not UTF-8 \(0xe4\)"),
    "latin-1 after umlauts": ("b: \u00e4".encode() + b"\xe4", 1, 5, "not UTF-8"),
    "utf-16": ("a: 1".encode("utf-16"), 1, 1, "UTF-16"),
    "utf-16 big endian": (b"\xfe\xff\x00a", 1, 1, "UTF-16"),
    "gzip": (b"\x1f\x8b\x08\x00", 1, 1, "compressed"),
    "NUL": (b"a: 1\nb: \x00\n", 2, 1, "binary"),
    "NUL and bytes": (b"\x7fELF\x00\xff\xfe", 1, 1, "binary"),
    "control character": ("a: 1\nb: \x07\n", 2, 4, r"U\+0007"),
    "lone surrogate": ("a: \ud800\n", 1, 4, r"U\+D800"),
    "byte order mark inside": ("a: 1\n\ufeffb: 2\n", 2, 1, "byte order mark"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("parser", ["libyaml", "pure"])
def test_one_clear_error(case: str, parser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, line, column, cause = REFUSED[case]
    if parser == "pure":
        monkeypatch.setattr(compose, "CParser", None)
    with pytest.raises(YamlError, match=cause) as caught:
        read(text, "operator.yaml")
    origin = caught.value.origin
    assert origin is not None
    if parser == "libyaml":
        assert origin == Origin("operator.yaml", line, column)
    else:  # its marks differ by a column here and there
        assert (origin.file, origin.line) == ("operator.yaml", line)
    assert caught.value.hint
    assert "\n" not in str(caught.value)


def test_no_message_quotes_a_value() -> None:
    for text, *_ in REFUSED.values():
        secret = text.replace(b"1", b"hunter2") if isinstance(text, bytes) else text.replace("1", "hunter2")
        with pytest.raises(YamlError) as caught:
            read(secret, "f")
        assert "hunter2" not in str(caught.value)


def test_templates_in_block_scalars_are_not_blamed_for_another_error() -> None:
    text = "a:\n  templates:\n    x: |\n      {{- if .y }}\n      b\n\n      {{- end }}\n  c: 1\n d: 2\n"
    with pytest.raises(YamlError, match="does not fit the block") as caught:
        read(text, "f")
    assert caught.value.origin == Origin("f", 9, 2)


def test_templates_in_quotes_and_comments_are_not_blamed_either() -> None:
    with pytest.raises(YamlError, match="colon where no key"):
        read('# {{ x }}\na: "{{ y }}": c: d # {{ z }}\n', "f")


def _laughs(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines)


MEGABYTES_10 = 10_000_000
ATTACKS: dict[str, tuple[str | bytes, str]] = {
    "lists": ("[" * MEGABYTES_10, "nested more than 100 levels"),
    "maps": ("{" * MEGABYTES_10, "nested more than 100 levels"),
    "block lists": ("- " * (MEGABYTES_10 // 2), "nested more than 100 levels"),
    "explicit keys": ("? " * (MEGABYTES_10 // 2), "nested more than 100 levels"),
    "block maps": ("\n".join(" " * n + "k:" for n in range(4000)), "nested more than 100 levels"),
    "colons in flow": ("{a:" * (MEGABYTES_10 // 3), "colon in a value"),
    "billion laughs": (_laughs(20), "250000 nodes, with aliases"),
    "merged laughs": (
        "a0: &a0 {x: 1}\n" + "\n".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 12)),
        "250000 nodes, with aliases",
    ),
    "one long text, many times": ('a: &a "' + "x" * 1_000_000 + '"\nb: [' + "*a," * 40_000 + "]", "250000 nodes"),
    "aliases that nest": (
        "a0: &a0 [x]\n" + "\n".join(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 3000)),
        "aliases that nest more than 100",
    ),
    "many items": ("a:\n" + "- 1\n" * (MEGABYTES_10 // 4), "250000 nodes"),
    "many documents": ("---\n" * (MEGABYTES_10 // 4), "250000 nodes"),
    "open quote": ('a: "' + "x" * MEGABYTES_10, "never closed"),
    "templates": ("{{ x }}\n" * (MEGABYTES_10 // 8), "after the end of the document"),
    "tabs": ("\t" * MEGABYTES_10, "cannot start a value"),
    "too large": ("a" * 17_000_000, "more than 16 MiB"),
    "not UTF-8": (b"\xff" * MEGABYTES_10, "not UTF-8"),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks_end_soon(attack: str) -> None:
    text, cause = ATTACKS[attack]
    before = time.process_time()
    with pytest.raises(YamlError, match=cause) as caught:
        read(text, "f")
    spent = time.process_time() - before
    assert caught.value.hint
    assert caught.value.origin is not None
    # Two thirds of a second on a slow machine; without the limits it is minutes or the whole memory.
    assert spent < 5


@pytest.mark.parametrize("attack", ["lists", "block lists", "billion laughs", "aliases that nest"])
def test_attacks_take_little_memory(attack: str) -> None:
    text, cause = ATTACKS[attack]
    tracemalloc.start()
    try:
        with pytest.raises(YamlError, match=cause):
            read(text, "f")
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (ATTACKS["lists"][0], "no fast YAML parser"),
        ("[" * 1_000_000, "nested more than 100 levels"),
        (ATTACKS["billion laughs"][0], "250000 nodes, with aliases"),
        ("- " * 500_000, "nested more than 100 levels"),
    ],
    ids=["10 MB of lists", "1 MB of lists", "billion laughs", "block lists"],
)
def test_attacks_on_the_pure_parser(text: str, cause: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compose, "CParser", None)
    with pytest.raises(YamlError, match=cause):
        read(text, "f")


def test_a_depth_that_is_allowed() -> None:
    depth = compose.MAX_DEPTH - 1
    (document,) = read("a: " + "[" * depth + "]" * depth, "f")
    assert document.leaves[0].path == ("a", *[0] * (depth - 1))


def _read_or_refuse(text: str | bytes) -> None:
    refusal = None
    try:
        read(text, "f")
    except YamlError as error:
        refusal = error
    if refusal is not None:
        assert refusal.origin is not None
        assert refusal.origin.line
        assert refusal.hint
        assert "\n" not in str(refusal)


PIECES = [
    *(
        "{",
        "}",
        "[",
        "]",
        "'",
        '"',
        "\\",
        "U",
        "x",
        "0",
        "1",
        "f",
        "\n",
        " ",
        ":",
        "-",
        "?",
        "!",
        "&",
        "*",
        "|",
        ">",
        "%",
        "@",
    ),
    *(
        "#",
        "a",
        ",",
        "\t",
        "<",
        "=",
        "\ud800",
        "\x00",
        "\x85",
        "\ufeff",
        "YAML ",
        "TAG ",
        "1.1",
        "9" * 20,
        "---\n",
        "<<: ",
        "{{",
    ),
]


@pytest.mark.parametrize("parser", ["libyaml", "pure"])
class TestAnyInput:
    """Whatever comes in: documents or a YamlError, never another exception."""

    @pytest.fixture(autouse=True)
    def _parser(self, parser: str, monkeypatch: pytest.MonkeyPatch) -> None:
        if parser == "pure":
            monkeypatch.setattr(compose, "CParser", None)

    @settings(max_examples=400)
    @given(st.binary(max_size=60))
    @example(b"\x80")
    def test_bytes(self, parser: str, blob: bytes) -> None:
        _read_or_refuse(blob)

    @settings(max_examples=400)
    @given(st.text(max_size=60))
    def test_text(self, parser: str, text: str) -> None:
        _read_or_refuse(text)

    @settings(max_examples=1000)
    @given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join))
    @example('"\\Uffffffff"')
    @example('a: "\\ud800"')
    @example("%YAML 99999999999999999999.1\n--- a")
    def test_pieces_of_yaml(self, parser: str, text: str) -> None:
        _read_or_refuse(text)

    @settings(max_examples=300)
    @given(st.randoms(use_true_random=False), st.integers(1, 5))
    def test_a_damaged_operator(self, parser: str, chance: random.Random, damages: int) -> None:
        text = OPERATOR
        for _ in range(damages):
            start = chance.randrange(len(text))
            end = start + chance.choice((0, 0, 1, 3, 20))
            text = text[:start] + chance.choice(PIECES) + text[end:]
        _read_or_refuse(text)
        _read_or_refuse(text.encode(errors="surrogatepass")[: chance.randrange(400)])
