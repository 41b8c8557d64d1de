"""Scalars as the charts' templates print them."""

from __future__ import annotations

from istio_convert.source.nodes import Leaf, Node, Scalar


def text_of(node: Node | None) -> str:
    """The text that a chart template prints for a scalar (Go's ``%v``)."""
    if not isinstance(node, Scalar) or node.value is None:
        return ""
    value = node.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def as_string(node: Node) -> Node:
    """A scalar as the string that it is meant to be: env values, annotations and labels must be strings."""
    if isinstance(node, Scalar) and not isinstance(node.value, str):
        return Scalar(text_of(node) if node.leaf is None else _source_text(node.leaf, node), node.leaf, node.origin)
    return node


def _source_text(leaf: Leaf, node: Scalar) -> str:
    return text_of(node) if isinstance(node.value, int | float) else (leaf.text if node.value is not None else "")
