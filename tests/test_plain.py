"""The quick look at data never says yes where pydantic or jsonschema says no, and spares both where all is well."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from istio_convert.catalog.data import read_text
from istio_convert.operator.model import IstioOperator, json_schema
from istio_convert.operator.shape import field_names
from istio_convert.plain import PlainCheck
from istio_convert.source import read, to_data
from tests.properties.operators import OPERATORS, TREES

FIXTURES = sorted(Path("fixtures").glob("*/input.yaml"))
SCHEMA = json.loads(read_text("operator.schema.json"))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
TYPES = st.sampled_from(["object", "array", "string", "boolean", "null", "number", "integer"])


def around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
            "enum": st.lists(PLAIN, min_size=1, max_size=3),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            "additionalProperties": inner,
            "items": inner,
            "$ref": st.just("#/$defs/a"),
            "minimum": st.integers(0, 3),
        },
    )


SCHEMAS = st.recursive(st.booleans(), around, max_leaves=6)


@given(schema=around(SCHEMAS), definition=SCHEMAS, value=PLAIN)
def test_what_is_plainly_valid_is_valid(schema: dict[str, Any], definition: Any, value: Any) -> None:
    looped = "#/$defs" in json.dumps(definition)
    whole = {**schema, "$defs": {"a": True if looped else definition}}
    if PlainCheck(whole).accepts(value):
        assert Draft202012Validator(whole).is_valid(value)


@pytest.mark.parametrize("keyword", ["minimum", "pattern", "oneOf", "not", "const", "patternProperties"])
def test_a_keyword_that_is_not_read_leaves_it_to_the_judge(keyword: str) -> None:
    assert not PlainCheck({keyword: 1}).accepts(1)
    assert not PlainCheck({"properties": {"a": {keyword: 1}}}).accepts({"a": 1})


def test_published_operator_schema_is_the_one_of_the_models() -> None:
    assert json_schema() == SCHEMA, "istio-convert schema operator > schemas/operator.schema.json"
    assert "istiodRemote" in field_names("Components")


def judged(data: Any) -> bool:
    try:
        IstioOperator.model_validate(data)
    except ValidationError:
        return False
    return True


@settings(deadline=None)
@given(operator=OPERATORS, strange=TREES, seed=st.integers(0, 2**32))
def test_what_is_plainly_right_is_right_for_the_models(operator: dict[str, Any], strange: Any, seed: int) -> None:
    misshape(operator, strange, random.Random(seed))
    if PlainCheck(SCHEMA).accepts(operator):
        assert judged(operator)


def misshape(data: Any, strange: Any, chance: random.Random) -> None:
    """Put something strange at a random place."""
    while isinstance(data, dict | list) and data:
        key = chance.choice(list(data) if isinstance(data, dict) else range(len(data)))
        if chance.random() < 0.2 or not isinstance(data[key], dict | list):
            data[key] = strange
            return
        data = data[key]


def test_every_part_of_the_operator_is_looked_at() -> None:
    full = read(Path("fixtures/web-shop/input.yaml").read_text(), "input.yaml")
    wrong = 0
    for document in full:
        for leaf in document.leaves:
            data = to_data(document.root)
            holder = data
            for step in leaf.path[:-1]:
                holder = holder[step]
            holder[leaf.path[-1]] = [[]]
            plain = PlainCheck(SCHEMA).accepts(data)
            assert plain == judged(data), leaf.path
            wrong += not plain
    assert wrong > 20


@pytest.mark.parametrize("operator", FIXTURES, ids=lambda path: path.parent.name)
def test_converting_a_fixture_loads_no_judge(operator: Path, tmp_path: Path) -> None:
    program = (
        "import sys\nfrom istio_convert import Source, convert\n"
        "convert(Source('input.yaml', open(sys.argv[1]).read())).write(sys.argv[2])\n"
        "found = {'pydantic', 'pydantic_core', 'jsonschema', 'deepdiff'} & set(sys.modules)\n"
        "assert not found, found\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(operator), str(tmp_path / "out")],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
