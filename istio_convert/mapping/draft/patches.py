"""Collects what must be patched and writes it as few, readable Kustomize patches, one strategic merge patch an object.

Kustomize's strategic merge knows ``$patch: replace`` for maps and lists and ``$patch: delete`` for list elements, but
cannot replace one element of a list, nor address one by position. An element is therefore deleted by one patch and
added by the next; a position needs a JSON 6902 patch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from istio_convert.mapping.draft.strategic_merge import key_value, merge_key
from istio_convert.mapping.model import ManifestPath, in_text
from istio_convert.paths import Path
from istio_convert.release import Patch, Target
from istio_convert.source.nodes import Node, Sequence, to_data

_TEXT_FIELDS = ("annotations", "labels")


@dataclass(slots=True)
class _ObjectPatch:
    first: dict[str, Any] = field(default_factory=dict)
    second: dict[str, Any] = field(default_factory=dict)
    #: whether it counts positions of the list as rendered, the operation, and the place that it changes
    operations: list[tuple[bool, dict[str, Any], Path]] = field(default_factory=list)
    why: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class PatchBuilder:
    """The patches of one release."""

    objects: dict[Target, _ObjectPatch] = field(default_factory=dict)

    def _object(self, target: Target, why: str) -> _ObjectPatch:
        found = self.objects.setdefault(target, _ObjectPatch())
        if why:
            found.why[why] = None
        return found

    def merge(self, target: Target, path: ManifestPath, node: Node, why: str, *, replace: bool = False) -> None:
        """Set what stands at a path. Maps merge, unless ``replace``; lists follow Kubernetes' merge keys."""
        last = path[-1] if path else ""
        plain = tuple(step for step in path if isinstance(step, str))
        if replace and plain == path and _has_twice(node, merge_key(str(last), target.kind)):
            # Kustomize would make one element of the two, such as of https and http3 on one port
            self.operation(target, "add", plain, node, why)
            return
        body = self._object(target, why).first
        container = _descend(body, path[:-1])
        value: Any = self._without_null_texts(target, path, to_data(node), why)
        if isinstance(last, tuple):
            raise TypeError("an element is set with set_element")  # a bug of a rule
        if isinstance(node, Sequence):
            keyed = isinstance(last, str) and merge_key(last, target.kind)
            if replace and keyed:
                value = [{"$patch": "replace"}, *value]
            elif keyed and isinstance(container.get(last), list):
                value = _merge_lists(container[last], value, keyed)
        elif replace and isinstance(value, dict):
            value = {"$patch": "replace", **value}
        elif isinstance(value, dict) and isinstance(container.get(last), dict):
            value = _merge_maps(container[last], value)
        container[last] = value

    def repeat(self, target: Target, path: ManifestPath, *, second: bool = False) -> None:
        """Name an element that is there, so that it stays in front of those that the patch names after it."""
        entry = self._object(target, "")
        _descend(entry.second if second else entry.first, path)

    def element(self, target: Target, path: ManifestPath, node: Node, why: str, *, existing: bool) -> None:
        """Set one element of a keyed list; one that exists is deleted by a patch before."""
        entry = self._object(target, why)
        key = path[-1]
        if not isinstance(key, tuple):
            raise TypeError("not an element")  # a bug of a rule
        if existing:
            items = _list(_descend(entry.first, path[:-2]), path[-2])
            items.append({key[0]: key_value(*key), "$patch": "delete"})
            items = _list(_descend(entry.second, path[:-2]), path[-2])
            items.append(to_data(node))
        else:
            _list(_descend(entry.first, path[:-2]), path[-2]).append(to_data(node))

    def remove(self, target: Target, why: str) -> None:
        """Leave the whole object out of the release."""
        self._object(target, why).first = {"$patch": "delete"}

    def forget(self, target: Target, path: ManifestPath) -> None:
        """Take out what the patches do to a place, and to what is below it."""
        entry = self.objects.get(target)
        if entry is None:
            return
        place = in_text(path)
        entry.operations = [one for one in entry.operations if one[2][: len(place)] != place]
        for body in (entry.first, entry.second):
            _forget(body, path)
        if not (entry.first or entry.second or entry.operations):
            del self.objects[target]

    def delete(self, target: Target, path: ManifestPath, why: str, *, certain: bool = True) -> None:
        """Remove what stands at a path. Kustomize writes a null label or annotation of the object as text.

        It leaves all of them as they are where the null stands for the whole map.

        Args:
            target: the object.
            path: the place.
            why: the reason, shown above the patch.
            certain: something does stand there. A label or annotation that may be missing is set before it is removed.
        """
        if _is_text_map(path) or _is_text_map(path[:-1]):
            if not certain:
                one = path if _is_text_map(path[:-1]) else (*path, "any")
                _descend(self._object(target, why).first, one[:-1])[str(one[-1])] = ""
            self.operation(target, "remove", tuple(str(step) for step in path), None, why)
            return
        body = self._object(target, why).first
        last = path[-1]
        if isinstance(last, tuple):
            _list(_descend(body, path[:-2]), path[-2]).append({last[0]: key_value(*last), "$patch": "delete"})
        else:
            _descend(body, path[:-1])[last] = None

    def _without_null_texts(self, target: Target, path: ManifestPath, value: Any, why: str) -> Any:
        """Labels and annotations of an object that are to go: set first, so that they can be removed in any case."""
        if _is_text_map(path) and isinstance(value, dict):
            return {key: self._without_null_texts(target, (*path, key), text, why) for key, text in value.items()}
        if _is_text_map(path[:-1]) and value is None:
            self.operation(target, "remove", tuple(str(step) for step in path), None, why)
            return ""
        return value

    def operation(
        self,
        target: Target,
        op: str,
        pointer: tuple[str | int, ...],
        node: Node | None,
        why: str,
        *,
        first: bool = False,
        place: Path | None = None,
    ) -> None:
        """Add a JSON 6902 operation.

        Args:
            target: the object.
            op: ``add``, ``replace`` or ``remove``.
            pointer: steps of the JSON pointer; ``-`` appends to a list.
            node: the value; None for ``remove``.
            why: the reason, shown above the patch.
            first: it counts positions, which the strategic merge patches of the object change.
            place: the place that it changes, with the names of elements where they have one; the pointer when None.
        """
        escaped = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in pointer)
        entry: dict[str, Any] = {"op": op, "path": escaped}
        if node is not None:
            entry["value"] = to_data(node)
        self._object(target, why).operations.append((first, entry, pointer if place is None else place))

    def take_names(self, unwanted: Callable[[str], bool]) -> list[tuple[Target, str, str]]:
        """Take annotations and labels of unwanted names out of the patches: object, field and name of each."""
        found: list[tuple[Target, str, str]] = []
        for target, entry in list(self.objects.items()):
            before = len(found)
            for field_name in _TEXT_FIELDS:
                for body in (entry.first, entry.second):
                    texts = (body.get("metadata") or {}).get(field_name) or {}
                    for name in [name for name in texts if unwanted(name)]:
                        del texts[name]
                        found.append((target, field_name, name))
                    _drop_empty(body, ("metadata", field_name), texts)
                start = f"/metadata/{field_name}/"
                for operation in list(entry.operations):
                    path = str(operation[1]["path"])
                    name = path.removeprefix(start).replace("~1", "/").replace("~0", "~")
                    if path.startswith(start) and unwanted(name):
                        entry.operations.remove(operation)
                        found.append((target, field_name, name))
            if len(found) > before and not (entry.first or entry.second or entry.operations):
                del self.objects[target]
        return list(dict.fromkeys(found))

    def patches(self) -> list[Patch]:
        """The patches, in the order in which their objects were first mentioned."""
        result = []
        for target, entry in self.objects.items():
            why = tuple(entry.why)
            strategic = [body for body in (entry.first, entry.second) if body]
            before = [operation for first, operation, _ in entry.operations if first and strategic]
            after = [operation for first, operation, _ in entry.operations if not (first and strategic)]
            bodies: list[Any] = [before, *strategic, after]
            for body in bodies:
                if body:
                    result.append(Patch(target, body, why))
                    why = ()
        return result


def _forget(container: Any, path: ManifestPath) -> None:
    """Take what is at a path out of a part of a patch, and what holds nothing then."""
    step, rest = path[0], path[1:]
    if isinstance(step, tuple):
        identity = key_value(*step)
        for element in [i for i in container if isinstance(i, dict) and i.get(step[0]) == identity]:
            if rest:
                _forget(element, rest)
            if not rest or set(element) == {step[0]}:
                container.remove(element)
    elif step in container:
        child = container[step]
        if rest and isinstance(child, list if isinstance(rest[0], tuple) else dict):
            _forget(child, rest)
        if not rest or child in ({}, []):
            del container[step]


def _drop_empty(body: dict[str, Any], path: tuple[str, str], texts: dict[str, Any]) -> None:
    """Take a map that holds nothing any more out of a patch, with the one around it."""
    outer = body.get(path[0])
    if isinstance(outer, dict) and path[1] in outer and not texts:
        del outer[path[1]]
        if not outer:
            del body[path[0]]


def _is_text_map(path: ManifestPath) -> bool:
    """Whether a path is that of the object's own labels or annotations."""
    return path in {("metadata", name) for name in _TEXT_FIELDS}


def _has_twice(node: Node, key: str | None) -> bool:
    """Whether two elements of a list have the same merge key."""
    items = to_data(node) if key and isinstance(node, Sequence) else []
    found = [item.get(key) for item in items if isinstance(item, dict)]
    return any(identity in found[:position] for position, identity in enumerate(found))


def _list(container: dict[str, Any], name: Any) -> list[Any]:
    found = container.setdefault(name, [])
    if not isinstance(found, list):
        raise TypeError(f"{name} is no list")  # a bug of a rule
    return found


def _descend(body: dict[str, Any], path: ManifestPath) -> dict[str, Any]:
    """The map at a path inside a patch body; made when missing."""
    current: Any = body
    for position, step in enumerate(path):
        following = path[position + 1] if position + 1 < len(path) else ""
        if isinstance(step, tuple):
            identity = key_value(*step)
            element = next((i for i in current if isinstance(i, dict) and i.get(step[0]) == identity), None)
            if element is None:
                element = {step[0]: identity}
                current.append(element)
            current = element
        else:
            missing: Any = [] if isinstance(following, tuple) else {}
            if not isinstance(current.get(step), type(missing)):
                current[step] = missing
            current = current[step]
    return current  # type: ignore[no-any-return]


def _merge_maps(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merge_maps(merged[key], value) if both else value
    return merged


def _merge_lists(base: list[Any], over: list[Any], key: str) -> list[Any]:
    names = {item.get(key) for item in over if isinstance(item, dict)}
    return [item for item in base if not isinstance(item, dict) or item.get(key) not in names] + over


def describe(target: Target, path: ManifestPath) -> str:
    """A manifest place in words: ``Deployment istiod: spec.template.spec.affinity``."""
    return f"{target.kind} {target.name}: {_in_words(path)}"


@lru_cache(maxsize=1024)
def _in_words(path: ManifestPath) -> str:
    text = ""
    for step in path:
        if isinstance(step, tuple):
            text += f"[{step[0]}:{step[1]}]"
        else:
            text += ("." if text else "") + str(step).replace(".", "\\.")
    return text
