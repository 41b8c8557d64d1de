"""JSON Schemas for the values of a chart, made from the facts of the catalog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from istio_convert.catalog.trees import from_leaf_table
from istio_convert.paths import parse

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class ChartShape(Protocol):
    """What a schema is made of; :class:`~istio_convert.catalog.ChartFacts` has it."""

    name: str
    version: str

    @property
    def defaults(self) -> Mapping[str, Any]: ...  # noqa: D102 - as in ChartFacts
    @property
    def descope(self) -> str | None: ...  # noqa: D102
    @property
    def read_paths(self) -> Iterable[str]: ...  # noqa: D102
    @property
    def schema_broken(self) -> bool: ...  # noqa: D102
    @property
    def schema_nodes(self) -> Mapping[str, Any]: ...  # noqa: D102


_SCALAR = ["string", "number", "boolean", "null"]


def build_schema(chart: ChartShape) -> dict[str, Any]:
    """The schema of one chart at one version.

    A chart that ships a schema gets ours from its constraints: an unknown key is an error. The other charts take any
    key; of those with a default the rough shape is checked (a map stays a map).
    """
    head = {"$schema": DIALECT, "title": f"Values of the Istio chart {chart.name} {chart.version}"}
    if chart.schema_nodes:
        return {**head, **_strict(chart)}
    body = _open(chart.defaults)
    if chart.descope is not None:
        return {
            **head,
            "$defs": {"values": body},
            "$ref": "#/$defs/values",
            "properties": {chart.descope: {"$ref": "#/$defs/values"}},
        }
    return {**head, **body}


def _open(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        inside = {"properties": {key: _open(child) for key, child in value.items()}} if value else {}
        return {"type": ["object", "null"], **inside}
    if isinstance(value, list):
        return {"type": ["array", "null"]}
    if value is None:
        return {}
    return {"type": _SCALAR}


def _strict(chart: ChartShape) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for text in sorted(chart.schema_nodes, key=lambda text: len(parse(text))):
        node = dict(chart.schema_nodes[text])
        if node.pop("closed", False):
            node["additionalProperties"] = False
        _place(root, [str(step) for step in parse(text)], node)
    root["additionalProperties"] = False
    if chart.schema_broken:
        # a schema that refuses everything has to be switched off, and then what is read works, declared or not
        read = from_leaf_table(dict.fromkeys(chart.read_paths, None))
        for key in read:
            root["properties"].setdefault(key, {})
    return root


def _place(root: dict[str, Any], steps: list[str], node: dict[str, Any]) -> None:
    current = root
    for step in steps:
        if step == "[]":
            current = current.setdefault("items", {})
        elif step == "{}":
            current = current.setdefault("additionalProperties", {})
        else:
            current = current.setdefault("properties", {}).setdefault(step, {})
    current.update(node)
