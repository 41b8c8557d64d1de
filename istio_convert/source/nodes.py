"""Trees that remember where each of their leaves came from.

A document is a tree of :class:`Scalar`, :class:`Mapping` and :class:`Sequence`. A leaf of the input (a scalar, null,
``{}`` or ``[]``) hangs on the node that carries its value, so that a value keeps its origin through merging and
mapping.
Nodes made by the program (chart defaults, profile settings) have no leaf.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias, overload

from istio_convert.errors import Origin
from istio_convert.paths import Path

ScalarValue: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """One leaf of the input: what the ledger accounts for. Compared by identity.

    Attributes:
        file: name of the input as given (``-`` for standard input, ``--set`` for a flag).
        document: number of the YAML document in the file, from 0.
        path: path inside the document, from its root (``('spec', 'hub')``).
        line, column: where its value stands, from 1.
        text: the scalar as written, without quotes (``1.20``, ``yes``); ``{}`` and ``[]`` for empty collections.
        value: what Go makes of it.
        via: where the aliases and merge keys stand through which this leaf was reached, outermost first.
    """

    file: str
    document: int
    path: Path
    line: int
    column: int
    text: str
    value: ScalarValue | dict[str, Any] | list[Any]
    via: tuple[Origin, ...] = ()

    @property
    def origin(self) -> Origin:
        """The leaf's place as file, line, column."""
        return Origin(self.file, self.line, self.column)


@dataclass(slots=True, eq=False)
class Scalar:
    """A scalar or null."""

    value: ScalarValue
    leaf: Leaf | None = None
    origin: Origin | None = None


@dataclass(slots=True, eq=False)
class Mapping:
    """A map. ``leaf`` is set only when it is empty in the input."""

    items: dict[str, Node] = field(default_factory=dict)
    leaf: Leaf | None = None
    origin: Origin | None = None


@dataclass(slots=True, eq=False)
class Sequence:
    """A list. ``leaf`` is set only when it is empty in the input."""

    items: list[Node] = field(default_factory=list)
    leaf: Leaf | None = None
    origin: Origin | None = None


Node: TypeAlias = Scalar | Mapping | Sequence


@dataclass(slots=True, eq=False)
class Document:
    """One YAML document of an input.

    Attributes:
        file: name of the input.
        index: number of the document in its file, from 0.
        root: its tree.
        leaves: all its leaves in input order.
    """

    file: str
    index: int
    root: Node
    leaves: list[Leaf]


def to_data(node: Node) -> Any:
    """The plain Python value of a tree (dict, list, str, int, float, bool, None). Shares nothing with the tree."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Mapping):
        return {key: to_data(child) for key, child in node.items.items()}
    return [to_data(child) for child in node.items]


def from_data(data: Any) -> Node:
    """A tree without leaves from plain Python data."""
    if isinstance(data, dict):
        return from_dict(data)
    if isinstance(data, list | tuple):
        return Sequence([from_data(value) for value in data])
    return Scalar(data)


def from_dict(data: abc.Mapping[Any, Any]) -> Mapping:
    """A map without leaves from plain Python data."""
    return Mapping({str(key): from_data(value) for key, value in data.items()})


def leaves(node: Node) -> Iterator[Leaf]:
    """The input leaves below a node, in order."""
    if node.leaf is not None:
        yield node.leaf
    if isinstance(node, Mapping):
        for child in node.items.values():
            yield from leaves(child)
    elif isinstance(node, Sequence):
        for child in node.items:
            yield from leaves(child)


def get(node: Node | None, path: Path) -> Node | None:
    """The node at a path, or None."""
    for step in path:
        if isinstance(node, Mapping) and isinstance(step, str):
            node = node.items.get(step)
        elif isinstance(node, Sequence) and isinstance(step, int) and -len(node.items) <= step < len(node.items):
            node = node.items[step]
        else:
            return None
    return node


def put(root: Mapping, path: Path, node: Node) -> None:
    """Set the node at a path of map keys, creating maps on the way."""
    current = root
    for step in path[:-1]:
        child = current.items.get(str(step))
        if not isinstance(child, Mapping):
            child = Mapping()
            current.items[str(step)] = child
        child.leaf = None
        current = child
    current.items[str(path[-1])] = node


def remove(root: Mapping, path: Path) -> None:
    """Take away what stands at a path of map keys, with the maps above it that are empty then."""
    while path:
        parent = get(root, path[:-1])
        if not isinstance(parent, Mapping):
            return
        parent.items.pop(str(path[-1]), None)
        if parent.items:
            return
        path = path[:-1]


@overload
def clone(node: Mapping) -> Mapping: ...
@overload
def clone(node: Node) -> Node: ...
def clone(node: Node) -> Node:
    """A copy of the tree that shares only its leaves."""
    if isinstance(node, Scalar):
        return Scalar(node.value, node.leaf, node.origin)
    if isinstance(node, Mapping):
        return Mapping({k: clone(v) for k, v in node.items.items()}, node.leaf, node.origin)
    return Sequence([clone(v) for v in node.items], node.leaf, node.origin)


def walk(node: Node, prefix: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every terminal node (scalar, empty map, empty list) with its path."""
    if isinstance(node, Mapping) and node.items:
        for key, child in node.items.items():
            yield from walk(child, (*prefix, key))
    elif isinstance(node, Sequence) and node.items:
        for position, child in enumerate(node.items):
            yield from walk(child, (*prefix, position))
    else:
        yield prefix, node
