"""Trees that remember where each of their leaves came from.

A document is a tree of :class:`Scalar`, :class:`Mapping` and :class:`Sequence`. A leaf of the input (a scalar, null,
``{}`` or ``[]``) hangs on the node that carries its value, so that a value keeps its origin through merging and
mapping.
Nodes made by the program (chart defaults, profile settings) have no leaf.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar

from istio_convert.errors import Origin
from istio_convert.paths import Path, render

ScalarValue: TypeAlias = str | int | float | bool | None


@dataclass(slots=True, eq=False)
class Leaf:
    """One leaf of the input: what the ledger accounts for. Compared by identity, never changed.

    Attributes:
        file: name of the input as given (``-`` for standard input, ``--set`` for a flag).
        document: number of the YAML document in the file, from 0.
        path: path inside the document, from its root (``('spec', 'hub')``).
        line: where its value stands, from 1.
        column: the column there, from 1.
        text: the scalar as written, without quotes (``1.20``, ``yes``); ``{}`` and ``[]`` for empty collections.
        value: what Go makes of it.
        via: where the aliases and merge keys stand through which this leaf was reached, outermost first.
    """

    file: Final[str]
    document: Final[int]
    path: Final[Path]
    line: Final[int]
    column: Final[int]
    text: Final[str]
    value: Final[ScalarValue | dict[str, Any] | list[Any]]
    via: Final[tuple[Origin, ...]] = ()

    @property
    def origin(self) -> Origin:
        """The leaf's place as file, line, column."""
        return Origin(self.file, self.line, self.column)

    @property
    def dotted(self) -> str:
        """The path as reports write it: ``spec.components.ingressGateways[0].name``, dots inside keys escaped."""
        return render(self.path)


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
AnyNode = TypeVar("AnyNode", Scalar, Mapping, Sequence, Node)


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
        return {key: child.value if isinstance(child, Scalar) else to_data(child) for key, child in node.items.items()}
    return [to_data(child) for child in node.items]


def from_data(data: Any) -> Node:
    """A tree without leaves from plain Python data."""
    if isinstance(data, dict):
        return Mapping({str(key): from_data(value) for key, value in data.items()})
    if isinstance(data, list | tuple):
        return Sequence([from_data(value) for value in data])
    return Scalar(data)


def mapping_of(data: dict[str, Any]) -> Mapping:
    """A map without leaves from plain Python data."""
    return Mapping({str(key): from_data(value) for key, value in data.items()})


def leaves(node: Node) -> Iterator[Leaf]:
    """The input leaves below a node, in order."""
    if isinstance(node, Scalar):
        return iter(() if node.leaf is None else (node.leaf,))
    found: list[Leaf] = []
    _collect(node, found)
    return iter(found)


def _collect(node: Mapping | Sequence, found: list[Leaf]) -> None:
    if node.leaf is not None:
        found.append(node.leaf)
    for child in node.items.values() if isinstance(node, Mapping) else node.items:
        if not isinstance(child, Scalar):
            _collect(child, found)
        elif child.leaf is not None:
            found.append(child.leaf)


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


def clone(node: AnyNode) -> AnyNode:
    """A copy of the tree that shares only its leaves."""
    copy: Node
    if isinstance(node, Scalar):
        copy = Scalar(node.value, node.leaf, node.origin)
    elif isinstance(node, Mapping):
        copy = Mapping({k: clone(v) for k, v in node.items.items()}, node.leaf, node.origin)
    else:
        copy = Sequence([clone(v) for v in node.items], node.leaf, node.origin)
    return copy


def walk(node: Node, prefix: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every terminal node (scalar, empty map, empty list) with its path."""
    if isinstance(node, Scalar) or not node.items:
        return iter(((prefix, node),))
    found: list[tuple[Path, Node]] = []
    _ends(node, prefix, found)
    return iter(found)


def _ends(node: Mapping | Sequence, prefix: Path, found: list[tuple[Path, Node]]) -> None:
    children: Iterable[tuple[str | int, Node]] = (
        node.items.items() if isinstance(node, Mapping) else enumerate(node.items)
    )
    for step, child in children:
        if isinstance(child, Scalar) or not child.items:
            found.append(((*prefix, step), child))
        else:
            _ends(child, (*prefix, step), found)
