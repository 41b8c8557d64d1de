"""Checks the shape of an operator: lists where lists are needed, numbers where numbers are.

The models (:mod:`~istio_convert.operator.model`) say what is right.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from istio_convert.catalog.data import read_text
from istio_convert.errors import Issue, Origin
from istio_convert.paths import render
from istio_convert.plain import PlainCheck
from istio_convert.source.nodes import Mapping, Node, Scalar, get, to_data

#: what a wrong shape should have been, by pydantic's error type
_WORDS = {
    "list_type": "a list is needed here",
    "dict_type": "a map is needed here",
    "model_type": "a map is needed here",
    "model_attributes_type": "a map is needed here",
    "string_type": "a string is needed here",
    "bool_type": "true or false is needed here, without quotes",
    "int_type": "a whole number is needed here",
    "int_parsing": "a whole number is needed here",
    "int_from_float": "a whole number is needed here",
    "missing": "a name is needed here",
}


def shape_issues(root: Node) -> list[Issue]:
    """Every place where an operator has the wrong shape, in input order. Values are not shown."""
    data = to_data(root)
    if _plain_check().accepts(data):
        return []
    return _judge(root, data)


def _judge(root: Node, data: Any) -> list[Issue]:
    from pydantic import ValidationError  # noqa: PLC0415 - slow to import, and only what is not plainly right needs it

    from istio_convert.operator.model import IstioOperator  # noqa: PLC0415

    try:
        IstioOperator.model_validate(data)
    except ValidationError as error:
        issues: dict[tuple[Origin, str], Issue] = {}
        for problem in error.errors(include_url=False, include_input=False, include_context=False):
            path, node = _known_part(root, problem["loc"])
            words = _WORDS.get(problem["type"], problem["msg"].removeprefix("Value error, "))
            where = node.origin or Origin("operator")
            found = f" ({_shape(node)} found)" if "needed" in words and problem["type"] != "missing" else ""
            issues.setdefault((where, path), Issue(f"{path or 'document'}: {words}{found}", where))
        return [issues[key] for key in sorted(issues)]
    return []


def _known_part(root: Node, location: tuple[str | int, ...]) -> tuple[str, Node]:
    """The longest part of pydantic's location that exists in the tree (it adds names of union members)."""
    node, path = root, []
    for step in location:
        child = get(node, (step,))
        if child is None:
            break
        node = child
        path.append(step)
    return render(tuple(path)), node


def _shape(node: Node) -> str:
    if isinstance(node, Mapping):
        return "a map"
    if not isinstance(node, Scalar):
        return "a list"
    if node.value is None:
        return "nothing"
    return {str: "a string", bool: "true or false", int: "a number", float: "a number"}[type(node.value)]


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(read_text("operator.schema.json"))
    return schema


@cache
def _plain_check() -> PlainCheck:
    return PlainCheck(_schema())


def field_names(part: str) -> tuple[str, ...]:
    """The fields of a part of the operator, as YAML spells them, in the order of the models.

    Args:
        part: name of a class of :mod:`~istio_convert.operator.model`, such as ``Components``.
    """
    return tuple(_schema()["$defs"][part]["properties"])
