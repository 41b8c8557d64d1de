r"""Overlay paths as istioctl walks them.

``a.b`` map keys (``\.`` escapes), ``[key:value]`` an element by key, ``[value]`` and ``[:value]`` a scalar by regular
expression, ``[N]`` an index, ``[-1]`` append. Missing maps are created; no value deletes; a value replaces the node.
Source: operator/pkg/tpath and operator/pkg/util of Istio's release tags.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from istio_convert.errors import YamlError
from istio_convert.mapping.model import ManifestPath
from istio_convert.shapes import is_shaped
from istio_convert.source import read
from istio_convert.source.nodes import Leaf, Mapping, Node, Scalar, Sequence, leaves, to_data


@dataclass(frozen=True, slots=True)
class ByKey:
    """``[key:value]``: the element of a list whose key has the value."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class ByValue:
    """``[value]``: the scalar of a list that matches the regular expression."""

    pattern: str


Step: TypeAlias = str | int | ByKey | ByValue


@lru_cache(maxsize=512)
def parse(text: str) -> tuple[Step, ...]:
    """Read an overlay path. An unreadable step is kept as a map key, as istioctl does."""
    steps: list[Step] = []
    for raw in re.split(r"(?<!\\)\.", text.strip(".")):
        part = raw
        if not part:
            continue
        bracket = part.find("[")
        if bracket > 0:
            steps.append(_key(part[:bracket]))
            part = part[bracket:]
        steps.append(_bracket(part) if part.startswith("[") and part.endswith("]") else _key(part))
    return tuple(steps)


def _key(text: str) -> str:
    return text.replace("\\.", ".")


def _bracket(part: str) -> Step:
    inner = part[1:-1].replace("\\.", ".")
    if re.fullmatch(r"-?\d+", inner) and int(inner) >= -1:
        return int(inner)
    pieces = re.split(r"(?<!\\):", inner, maxsplit=1)
    if len(pieces) == 2 and pieces[0] and pieces[1] and re.fullmatch(r"[a-zA-Z0-9_-]*", pieces[0]):
        return ByKey(pieces[0], pieces[1].replace("\\:", ":"))
    return ByValue(inner.removeprefix(":"))


def render(steps: tuple[Step, ...]) -> str:
    """A readable form of the path."""
    text = ""
    for step in steps:
        if isinstance(step, str):
            text += ("." if text else "") + step.replace(".", "\\.")
        elif isinstance(step, ByKey):
            text += f"[{step.key}:{step.value}]"
        elif isinstance(step, ByValue):
            text += f"[:{step.pattern}]"
        else:
            text += f"[{step}]"
    return text


def manifest_path(steps: tuple[Step, ...]) -> ManifestPath:
    """An overlay path as a manifest path; steps that no such path can say become keys that match nothing."""
    return tuple(
        (step.key, step.value) if isinstance(step, ByKey) else step if isinstance(step, str) else f"[{step}]"
        for step in steps
    )


def without_effect(steps: tuple[Step, ...]) -> str:
    """Why nothing happens at a path on which istioctl finds nothing."""
    if any(isinstance(step, str) and step.startswith("[") and not step.endswith("]") for step in steps):
        return "istioctl splits the path at the dot inside the brackets, finds nothing there and ignores the patch"
    return "istioctl finds nothing at this path and ignores the patch"


def scalar_text(node: Mapping, key: str) -> str:
    """A scalar field of an overlay as text; empty when it is missing, null or no scalar."""
    child = node.items.get(key)
    return str(child.value) if isinstance(child, Scalar) and child.value is not None else ""


def overlay_value(node: Node | None) -> Node | None:
    """The value of an overlay as istioctl takes it: a string that holds a YAML map is that map, JSON is not."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return node
    text = node.value
    if (": " if "\n" not in text else ":") not in text:
        return node
    try:
        json.loads(text)
    except ValueError:
        pass
    else:
        return node
    try:
        documents = read(text, "overlay value")
    except YamlError:
        return node
    if len(documents) != 1 or not isinstance(documents[0].root, Mapping):
        return node
    return _from(documents[0].root, node.leaf)


def _from(node: Node, leaf: Leaf | None) -> Node:
    """The tree with every leaf replaced by the string's own."""
    if isinstance(node, Scalar):
        return Scalar(node.value, leaf)
    if isinstance(node, Mapping):
        return Mapping({k: _from(v, leaf) for k, v in node.items.items()}, None if node.items else leaf)
    return Sequence([_from(v, leaf) for v in node.items], None if node.items else leaf)


NO_LIST = "no list is rendered there; istioctl writes the position as a key of a map, which the API server refuses"
NO_LIST_ACTION = "give the whole list as the value, with a path that ends at the list"


MISSHAPEN = "the API server refuses such a thing there: it has another shape"
MISSHAPEN_ACTION = "correct the value"


def is_misshapen(kind: str, steps: tuple[Step, ...], value: Node | None) -> bool:
    """Whether a value has a shape that the API server refuses at a place, such as a map where a list belongs."""
    return value is not None and not is_shaped(kind, steps, to_data(value))


class NoListError(Exception):
    """A step that selects an element leads into a map: istioctl makes the step itself a key of that map."""


@dataclass(slots=True)
class Walker:
    """Applies overlays to one object.

    Attributes:
        lose: called with every leaf that an overlay replaces or deletes.
        emptied: the list whose last element was deleted.
        made: the first map that was made on the way: the collection that holds it, its key there, and what was there.
    """

    lose: Callable[[Leaf], None]
    emptied: Sequence | None = None
    made: tuple[Mapping | Sequence, str, Node | None, Leaf | None] | None = None

    def apply(self, root: Node, steps: tuple[Step, ...], value: Node | None) -> bool:
        """Set (or with None delete) what the path names. False when istioctl would find nothing there.

        The object changes only when the whole path can be walked.

        Raises:
            NoListError: a step selects an element of what is no list.
        """
        applied = False
        try:
            applied = self._walk(root, steps, value)
        finally:
            if not applied:
                self._undo()
        return applied

    def _walk(self, root: Node, steps: tuple[Step, ...], value: Node | None) -> bool:
        container: Node = root
        for position, step in enumerate(steps[:-1]):
            child = self._child(container, step, steps[position + 1])
            if child is None:
                return False
            container = child
        return self._finish(container, steps[-1], value) if steps else False

    def _undo(self) -> None:
        if self.made is None:
            return
        holder, key, before, leaf = self.made
        holder.leaf = leaf
        if isinstance(holder, Sequence):
            holder.items.pop()
        elif before is None:
            del holder.items[key]
        else:
            holder.items[key] = before

    def _child(self, container: Node, step: Step, following: Step) -> Node | None:
        if isinstance(container, Mapping):
            if not isinstance(step, str):
                raise NoListError
            child = container.items.get(step)
            if child is None or (isinstance(child, Scalar) and child.value is None):
                self.made = self.made or (container, step, child, container.leaf)
                child = Mapping()
                container.leaf = None
                container.items[step] = child
            if isinstance(child, Scalar) and not isinstance(following, str):
                return None
            return child
        if isinstance(container, Sequence):
            index = self._index(container, step)
            if index is None:
                return None
            if index >= len(container.items):
                self.made = self.made or (container, "", None, container.leaf)
                container.leaf = None
                container.items.append(Mapping())
            return container.items[index]
        return None

    def _finish(self, container: Node, step: Step, value: Node | None) -> bool:
        if isinstance(container, Mapping):
            if not isinstance(step, str):
                raise NoListError
            self._replace(container.items.get(step))
            container.leaf = None
            if value is None:
                container.items.pop(step, None)
            else:
                container.items[step] = value
            return True
        if isinstance(container, Sequence):
            index = self._index(container, step)
            if index is None:
                return False
            if value is None:
                if index < len(container.items):
                    self._replace(container.items[index])
                    del container.items[index]
                    self.emptied = None if container.items else container
                return True
            container.leaf = None
            if index < len(container.items):
                self._replace(container.items[index])
                container.items[index] = value
            else:
                container.items.append(value)
            return True
        return False

    def _replace(self, node: Node | None) -> None:
        if node is not None:
            for leaf in leaves(node):
                self.lose(leaf)

    @staticmethod
    def _index(items: Sequence, step: Step) -> int | None:
        if isinstance(step, int):
            return step if 0 <= step < len(items.items) else len(items.items)
        if isinstance(step, ByKey):
            for index, item in enumerate(items.items):
                found = item.items.get(step.key) if isinstance(item, Mapping) else None
                if isinstance(found, Scalar) and str(found.value) == step.value:
                    return index
        if isinstance(step, ByValue):
            for index, item in enumerate(items.items):
                if isinstance(item, Scalar) and _matches(step.pattern, str(item.value)):
                    return index
        return None


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return False
