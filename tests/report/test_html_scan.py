"""Cutting YAML into pieces: nothing of the text is lost, and what is not structure or a key counts as hidden."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from istio_convert.report.html.scan import Kind, Scanned, scan
from istio_convert.source import compose
from istio_convert.source.writer import dump

SECRET = "hunter2-s3cret"

PLACES = {
    "plain": f"a: {SECRET}",
    "plain over lines": f"a: {SECRET}\n   {SECRET}",
    "single quotes": f"a: '{SECRET}'",
    "double quotes over lines": f'a: "x\n  {SECRET}"',
    "literal": f"a: |\n  x\n  {SECRET}\nb: 1",
    "literal with header": f"a: |2-  # {SECRET}\n   {SECRET}\n\n\nb: 1",
    "folded": f"a: >-\n  {SECRET}\n\n  {SECRET}\n# {SECRET}\nb: 1",
    "literal at the end": f"a: |+\n  {SECRET}\n\n",
    "literal at the root": f"--- |\n {SECRET}\n",
    "plain at the root": SECRET,
    "flow map": f"a: {{b: {SECRET}, c: [{SECRET}, '{SECRET}']}}",
    "list": f"- {SECRET}\n- - {SECRET}\n  - a: {SECRET}",
    "list below its key": f"a:\n- {SECRET}\n- b:\n  - {SECRET}",
    "anchor and tag": f"a: &x !!str {SECRET}\nb: *x\nc: &y\n  {SECRET}\nd: !!str\n  {SECRET}",
    "explicit key": f"? a\n: {SECRET}",
    "comment alone": f"# {SECRET}\na: 1 # {SECRET}\n  # {SECRET}",
    "comment behind punctuation": f"a:  # {SECRET}\n  - # {SECRET}\n    b\nc: {{ # {SECRET}\n  d: 1, # {SECRET}\n}}",
    "comment in an empty collection": f"a: {{ # {SECRET}\n }}\nb: [ # {SECRET}\n]",
    "comment behind a document": f"a: 1\n--- # {SECRET}\nb: 2\n... # {SECRET}\n",
    "commented out": f"#a:\n#  password: {SECRET}\na: 1",
    "carriage returns": f"a: {SECRET}\r\nb: |\r\n  {SECRET}\r\nc: 1\r\n",
    "other line breaks": f"a: '{SECRET}\u2028{SECRET}'\nb: {SECRET}\n",
    "wide characters": f"ä𝒳: 'ö𝒳' # {SECRET}\nb: {SECRET}",
    "merge key": f"x: &x {{p: {SECRET}}}\ny:\n  <<: *x\n  <<: [*x]\n",
}


def masked(scanned: Scanned) -> str:
    return "\n".join(
        "".join("*" if piece.kind in (Kind.VALUE, Kind.COMMENT) and piece.text else piece.text for piece in pieces)
        for pieces in scanned.lines
    )


def lines_of(text: str) -> list[str]:
    lines = re.split("\r\n|[\r\n\x85\u2028\u2029]", text)
    return lines if lines[-1] else lines[:-1]


def check(text: str, scanned: Scanned) -> None:
    assert ["".join(piece.text for piece in pieces) for pieces in scanned.lines] == lines_of(text)
    assert len(scanned.parents) == len(scanned.lines)
    assert all(parent < line for line, parent in enumerate(scanned.parents))


@pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "pure parser"])
@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES)
def test_a_value_is_hidden_wherever_it_stands(text: str, pure: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if pure:
        monkeypatch.setattr(compose, "CParser", None)
    scanned = scan(text, "x")
    check(text, scanned)
    assert SECRET not in masked(scanned)


def test_structure_and_keys_stay() -> None:
    text = "a: &x !!str v # c\nb:\n  - k: *x\n    'q': {}\n  - [ ]\n--- \n? z\n: w\n"
    assert masked(scan(text, "x")) == "a: &x !!str * *\nb:\n  - k: *x\n    'q': {}\n  - [ ]\n--- \n? z\n: *"


def test_lines_hang_on_their_keys_and_items() -> None:
    text = "a:\n  b:\n  - c: 1\n    d: 2\n  -\n    e: |\n      x\n      y\nf: 3\n# g\n"
    assert scan(text, "x").parents == [-1, 0, 1, 2, -1, 1, 5, 5, -1, -1]


def test_spans_know_their_paths() -> None:
    text = "a:\n  - b: 1\n    c: {}\n---\nd: *e\n".replace("*e", "[x]")
    found = [(span.kind.value, span.path, span.document) for span in scan(text, "x").spans]
    assert found == [
        ("key", ("a",), 0),
        ("key", ("a", 0, "b"), 0),
        ("value", ("a", 0, "b"), 0),
        ("key", ("a", 0, "c"), 0),
        ("empty", ("a", 0, "c"), 0),
        ("key", ("d",), 1),
        ("value", ("d", 0), 1),
    ]


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("ab.:# -&*!{\"'", max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), DATA, max_size=4))
def test_whatever_the_writer_writes_is_cut_without_loss(data: dict[str, object]) -> None:
    text = dump(data)
    scanned = scan(text, "x")
    check(text, scanned)
    values = [number for number, span in enumerate(scanned.spans) if span.kind in (Kind.VALUE, Kind.EMPTY)]
    assert len(values) == leaf_count(data)
    kept = "".join(
        piece.text for pieces in scanned.lines for piece in pieces if piece.kind in (Kind.STRUCTURE, Kind.EMPTY)
    )
    assert re.fullmatch(r"[\s:?\[\]{}-]*", kept), json.dumps(kept)


def leaf_count(data: object) -> int:
    if isinstance(data, dict) and data:
        return sum(map(leaf_count, data.values()))
    if isinstance(data, list) and data:
        return sum(map(leaf_count, data))
    return 1
