"""``k8s.overlays`` as istioctl walks and writes them, its oddities included.

istioctl reads the object as YAML into one kind of map and gets patch values as another; the two behave differently when
a later patch writes inside what an earlier one brought. Here, maps that come from patch values, or that istioctl makes
of that other kind, are :class:`_PatchMap`.

Source of the facts: operator/pkg/tpath/tree.go and operator/pkg/util/path.go of Istio's release tags.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from istio_convert.errors import RenderError
from istio_convert.verify.manifests import Object, parse_document
from istio_convert.verify.reference.refused import RefusedError
from istio_convert.verify.reference.tree import go_text, split_escaped, split_path

_INDEX = re.compile(r"\[([+-]?\d+)\]\Z")
_KEY = re.compile(r"[a-zA-Z0-9_-]*\Z")


class PathError(Exception):
    """A path that istioctl cannot walk, or a place that it cannot write."""


class _PatchMap(dict[str, Any]):
    """A map of the kind that patch values have."""


@dataclass(slots=True)
class _Step:
    """A place on the way: its node, the place above, and under which key or index of the node the way goes on."""

    node: Any
    parent: _Step | None = None
    key: Any = None
    listed: bool = False


def apply_overlay(obj: Object, patches: list[Any], *, strict: bool) -> Object:
    """Apply the patches of one overlay to a private copy of an object.

    Args:
        obj: the object; changed.
        patches: the overlay's ``patches``.
        strict: raise for a patch that istioctl cannot apply; else it has no effect, or the part of it that was carried
            out before it failed.

    Raises:
        RefusedError: a patch cannot be applied and ``strict`` is set.
    """
    for patch in patches:
        if not isinstance(patch, dict):
            continue
        path = str(patch.get("path") or "")
        if strict and not path.strip():
            continue
        try:
            _write(_walk(obj, split_path(path)), _as_patch_value(patch.get("value")))
        except PathError as error:
            if strict:
                raise RefusedError(f"istioctl refuses the overlay path {path}: {error}", "path", path) from error
    result: Object = _plain(obj)
    return result


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(child) for key, child in value.items()}
    return [_plain(child) for child in value] if isinstance(value, list) else value


def _as_patch_value(value: Any) -> Any:
    if isinstance(value, dict):
        return _PatchMap({key: _as_patch_value(child) for key, child in value.items()})
    if isinstance(value, list):
        return [_as_patch_value(child) for child in value]
    return value


def _walk(root: Object, steps: list[str]) -> _Step:
    place = _Step(root)
    for position, step in enumerate(steps):
        rest = steps[position:]
        if place.node is None:
            place.node = [] if _is_index(step) or _key_value(step) is not None else _PatchMap()
        if isinstance(place.node, list):
            place, done = _into_list(place, step, last=len(rest) == 1)
            if done:
                return place
        elif isinstance(place.node, dict):
            place = _into_map(place, rest)
        else:
            raise PathError("a step leads into a scalar")
    return place


def _into_map(place: _Step, rest: list[str]) -> _Step:
    step = rest[0]
    if step not in place.node:
        if isinstance(place.node, _PatchMap):
            place.node[step] = [] if len(rest) > 1 and _is_index(rest[1]) else _PatchMap()
        else:
            place.node[step] = {}
    place.key = step
    child = place.node[step]
    return _Step(child, place, listed=isinstance(child, list))


def _into_list(place: _Step, step: str, *, last: bool) -> tuple[_Step, bool]:
    """The element that a step selects; and whether the walk ends there."""
    items = place.node
    if _is_index(step):
        index = int(step[1:-1])
        if not 0 <= index < len(items):
            place.key = len(items)
            return _Step(_PatchMap(), place), False
        place.key = index
        return _Step(items[index], place), False
    for index, item in enumerate(items):
        if isinstance(item, dict):
            pair = _key_value(step)
            if pair is None:
                raise PathError("a step into a list of maps must be [key:value] or [index]")
            if _yaml_text(item.get(pair[0])) == pair[1]:
                place.key = index
                return _Step(item, place, key=pair[0]), last
        elif _matches(step, item):
            place.key = index
            return _Step(item, place), False
    raise PathError("a list has no such element")


def _is_index(step: str) -> bool:
    match = _INDEX.match(step)
    return match is not None and int(match.group(1)) >= -1


def _key_value(step: str) -> tuple[str, str] | None:
    if not (step.startswith("[") and step.endswith("]")):
        return None
    parts = split_escaped(step[1:-1], ":")
    if len(parts) != 2 or not parts[0] or not parts[1] or not _KEY.match(parts[0]):
        return None
    return parts[0], parts[1]


def _matches(step: str, item: Any) -> bool:
    """Whether ``[value]`` or ``[:value]`` selects a scalar: a regular expression found anywhere in it."""
    inner = step[1:-1] if step.startswith("[") and step.endswith("]") else ""
    if len(inner) > 1 and inner[0] == ":":
        inner = inner[1:]
    if not inner:
        raise PathError("a step into a list of scalars must be [value]")
    try:
        return re.search(inner, _yaml_text(item)) is not None
    except re.error:
        return False


def _yaml_text(value: Any) -> str:
    """How Go prints a scalar that came from YAML, where whole numbers are integers."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else go_text(value)


def _write(place: _Step, value: Any) -> None:
    if value is None:
        _delete(place)
        return
    current: _Step | None = place
    while current is not None:
        if not _set(current, value):
            return
        current = current.parent
        if current is None or current.parent is None:
            return
        value = current.node


def _delete(place: _Step) -> None:
    parent = place.parent
    if parent is None:
        raise PathError("the root cannot be deleted")
    if isinstance(parent.node, list):
        if not 0 <= parent.key < len(parent.node):
            return
        del parent.node[parent.key]
        if parent.parent is None or not isinstance(parent.parent.node, dict):
            raise PathError("an element of a list in a list cannot be deleted")
        parent.parent.node[parent.parent.key] = parent.node
    else:
        parent.node.pop(parent.key, None)


def _set(place: _Step, value: Any) -> bool:
    """Write a value into the place above; true when what lies above that must be written back too."""
    parent = place.parent
    if parent is None:
        return False
    read, from_text = _read_text(value)
    if isinstance(parent.node, list):
        if not parent.listed:
            raise PathError("a list in a list cannot be written to")
        index = parent.key
        parent.node.extend([None] * (index - len(parent.node) + 1))
        parent.node[index] = read
    elif isinstance(parent.node, _PatchMap):
        return _set_in_patch_map(place, parent, read, value is place.node, from_text=from_text)
    elif isinstance(parent.node, dict):
        parent.node[parent.key] = read
    place.node = read
    return True


def _set_in_patch_map(place: _Step, parent: _Step, read: Any, same: bool, *, from_text: bool) -> bool:  # noqa: FBT001
    key = parent.key
    if from_text:
        # the text's own root key takes the place of the one that the path names
        parent.node.pop(key, None)
        if read:
            root = next(iter(read))
            parent.node[root] = read[root]
        return False
    if isinstance(place.node, list) and place.listed and not same:
        parent.node[key] = [*place.node, read]
        return True
    parent.node[key] = read
    place.node = read
    return True


def _read_text(value: Any) -> tuple[Any, bool]:
    """Text that is a YAML map (but not a JSON object) is read as one."""
    if not isinstance(value, str):
        return value, False
    if (":" if "\n" in value else ": ") not in value:
        return value, False
    try:
        if isinstance(json.loads(value), dict):
            return value, False
    except ValueError:
        pass
    try:
        read = parse_document(value)
    except RenderError:
        return value, False
    return _as_patch_value(read), True
