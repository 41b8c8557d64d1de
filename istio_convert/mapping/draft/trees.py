"""Small pure functions on the trees of a gateway's objects."""

from __future__ import annotations

from typing import Any

from istio_convert.mapping.draft.strategic_merge import find
from istio_convert.mapping.model import CONTAINER, ManifestPath
from istio_convert.source.nodes import Leaf, Mapping, Node, Scalar, Sequence, get, to_data, walk

PROXY = "istio-proxy"


def name_of(node: Node) -> str:
    """The name of an element; empty when it has none."""
    name = get(node, ("name",))
    return str(name.value) if isinstance(name, Scalar) else ""


def items_of(node: Node) -> list[Node]:
    """The elements of a list; none for another node."""
    return node.items if isinstance(node, Sequence) else []


def covers(value: object, default: object) -> bool:
    """Whether a value holds every key that the default has, at every level, so that merging yields the value."""
    if isinstance(default, dict) and isinstance(value, dict):
        return all(
            key in value and covers(value[key], below) for key, below in default.items() if below not in ({}, None)
        )
    return True


def nulls_of(path: ManifestPath, node: Node) -> dict[Leaf, ManifestPath]:
    """Where a setting has nulls, which take away what stands there; not inside of lists."""
    found: dict[Leaf, ManifestPath] = {}
    for below, child in walk(node):
        plain = [step for step in below if isinstance(step, str)]
        if child.leaf is not None and isinstance(child, Scalar) and child.value is None and len(plain) == len(below):
            of_proxy = tuple(("name", PROXY) if step == CONTAINER else step for step in path)
            found[child.leaf] = (*of_proxy, *plain)
    return found


def map_at(tree: Node | None, path: ManifestPath) -> Mapping | None:
    """The map at a manifest path; None when there is none."""
    for step in path:
        if isinstance(step, tuple):
            key, value = step
            tree = find(tree, key, PROXY if step == CONTAINER else value) if isinstance(tree, Sequence) else None
        else:
            tree = tree.items.get(step) if isinstance(tree, Mapping) else None
    return tree if isinstance(tree, Mapping) else None


def is_changed(context: Node | None, before: Any) -> bool:
    """Whether the proxy's security context is another than the one that istioctl's chart gives it (None when none)."""
    if context is not None and any(child.leaf for _, child in walk(context)):
        return True
    return before is not None and (context is None or to_data(context) != before)
