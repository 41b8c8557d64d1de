"""Strategic merge patches as Kubernetes applies them: merge keys, directives, and the order of merged lists.

Source of the facts: k8s.io/apimachinery/pkg/util/strategicpatch, and the ``patchStrategy``/``patchMergeKey`` tags of
k8s.io/api for the kinds that istioctl patches.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from istio_convert.errors import RenderError

_DIRECTIVE = "$patch"
_RETAIN = "$retainKeys"
_DELETE_PREFIX = "$deleteFromPrimitiveList/"
_ORDER_PREFIX = "$setElementOrder/"

_CONTAINER = {
    "ports": "containerPort",
    "env": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
}
_CONTAINER_LISTS = ("containers", "initContainers", "ephemeralContainers")
_POD = {
    **dict.fromkeys(_CONTAINER_LISTS, "name"),
    "volumes": "name",
    "imagePullSecrets": "name",
    "hostAliases": "ip",
    "topologySpreadConstraints": "topologyKey",
    "schedulingGates": "name",
    "resourceClaims": "name",
}


def _pod_keys(prefix: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    keys = {(*prefix, name): key for name, key in _POD.items()}
    for containers in _CONTAINER_LISTS:
        keys |= {(*prefix, containers, name): key for name, key in _CONTAINER.items()}
    return keys


#: Merge key of every list that is merged element by element, by kind and path (list positions left out). All other
#: lists are replaced whole.
MERGE_KEYS: dict[str, dict[tuple[str, ...], str]] = {
    **dict.fromkeys(("Deployment", "DaemonSet", "StatefulSet", "Job"), _pod_keys(("spec", "template", "spec"))),
    "Pod": _pod_keys(("spec",)),
    "Service": {("spec", "ports"): "port"},
    "ServiceAccount": {("secrets",): "name", ("imagePullSecrets",): "name"},
    "MutatingWebhookConfiguration": {("webhooks",): "name"},
    "ValidatingWebhookConfiguration": {("webhooks",): "name"},
}
_OWNERS = ("metadata", "ownerReferences")
#: Lists of scalars that are merged.
MERGED_SCALARS = {("metadata", "finalizers")}
#: Maps that are replaced whole.
REPLACED_MAPS = {("PodDisruptionBudget", ("spec", "selector"))}


def apply(kind: str, original: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """A patched copy of an object.

    Args:
        kind: the object's kind.
        original: the object; not changed.
        patch: the patch; not changed.

    Raises:
        RenderError: Kubernetes refuses the patch.
    """
    return _Merger(kind).map(copy.deepcopy(original), copy.deepcopy(patch), ())


class _Merger:
    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._keys = MERGE_KEYS.get(kind, {})

    def map(self, original: dict[str, Any], patch: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
        if _DIRECTIVE in patch:
            return _directed_map(original, patch)
        if _RETAIN in patch:
            keep = set(patch.pop(_RETAIN) or ())
            for key in [key for key in original if key not in keep]:
                del original[key]
        for key, value in patch.items():
            if key.startswith(_ORDER_PREFIX):
                raise RenderError(f"a patch with {_ORDER_PREFIX}… is not supported here")
            if key.startswith(_DELETE_PREFIX):
                name = key.removeprefix(_DELETE_PREFIX)
                original[name] = [item for item in original.get(name) or [] if item not in value]
            elif value is None:
                original.pop(key, None)
            else:
                original[key] = self._value(original, key, value, (*path, key))
        return original

    def _value(self, original: dict[str, Any], key: str, value: Any, path: tuple[str, ...]) -> Any:
        present = original.get(key)
        if isinstance(value, dict) and isinstance(present, dict):
            if (self._kind, path) in REPLACED_MAPS:
                return value
            return self.map(present, value, path)
        if isinstance(value, list) and isinstance(present, list):
            return self._list(present, value, path)
        return _without_directives(_without_nulls(value))

    def _list(self, original: list[Any], patch: list[Any], path: tuple[str, ...]) -> list[Any]:
        if path in MERGED_SCALARS:
            return _in_order(original, patch, list(dict.fromkeys([*original, *patch])), lambda item: item)
        key = "uid" if path == _OWNERS else self._keys.get(path)
        if key is None:
            return patch
        if not original and not patch:
            return original
        original, patch = _special_elements(original, patch, key)
        merged = list(original)
        for item in patch:
            wanted = _key_of(item, key)
            for index, candidate in enumerate(merged):
                if isinstance(candidate, dict) and candidate.get(key) == wanted:
                    merged[index] = self.map(candidate, item, path)
                    break
            else:
                merged.append(item)
        return _in_order(original, patch, merged, lambda item: _key_of(item, key))


def _directed_map(original: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    directive = patch.pop(_DIRECTIVE)
    if directive == "replace":
        return patch
    if directive == "delete":
        return {}
    if directive == "merge":
        return {**original, **patch}
    raise RenderError("a patch with an unknown $patch directive")


def _special_elements(original: list[Any], patch: list[Any], key: str) -> tuple[list[Any], list[Any]]:
    """Carry out the directives among a patch list's elements."""
    rest, replaced = [], False
    for item in patch:
        if not isinstance(item, dict) or _DIRECTIVE not in item:
            rest.append(item)
        elif item[_DIRECTIVE] == "delete":
            wanted = _key_of(item, key)
            original = [other for other in original if not isinstance(other, dict) or other.get(key) != wanted]
        elif item[_DIRECTIVE] == "replace":
            replaced = True
        elif item[_DIRECTIVE] == "merge":
            raise RenderError("a list element of a patch cannot have $patch: merge")
        else:
            raise RenderError("a patch with an unknown $patch directive")
    return ([] if replaced else original), rest


def _key_of(item: Any, key: str) -> Any:
    if not isinstance(item, dict) or key not in item:
        raise RenderError(f"Kubernetes refuses a patch: a list element has no {key}")
    return item[key]


def _in_order(original: list[Any], patch: list[Any], merged: list[Any], key: Callable[[Any], Any]) -> list[Any]:
    """The order of a merged list.

    Elements of the patch keep the patch's order, the others theirs; the two are interleaved by the original's order.
    """
    live = {_hashable(key(item)): position for position, item in reversed(list(enumerate(original)))}
    asked = {_hashable(key(item)): position for position, item in reversed(list(enumerate(patch)))}
    of_patch = [item for item in merged if _hashable(key(item)) in asked]
    of_patch.sort(key=lambda item: asked[_hashable(key(item))])
    of_server = [item for item in merged if _hashable(key(item)) not in asked]
    result: list[Any] = []
    left, right = 0, 0
    while left < len(of_server) and right < len(of_patch):
        mine = live.get(_hashable(key(of_server[left])))
        other = live.get(_hashable(key(of_patch[right])))
        if mine is not None and other is not None and mine < other:
            result.append(of_server[left])
            left += 1
        else:
            result.append(of_patch[right])
            right += 1
    return result + of_server[left:] + of_patch[right:]


def _hashable(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | type(None)) else repr(value)


def _without_nulls(value: Any) -> Any:
    """Nulls in maps go, at every depth: they would delete what is not there."""
    if isinstance(value, dict):
        return {key: _without_nulls(child) for key, child in value.items() if child is not None}
    if isinstance(value, list):
        return [_without_nulls(child) for child in value]
    return value


def _without_directives(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_directives(child)
            for key, child in value.items()
            if key not in (_DIRECTIVE, _RETAIN) and not key.startswith((_DELETE_PREFIX, _ORDER_PREFIX))
        }
    if isinstance(value, list):
        return [_without_directives(child) for child in value]
    return value
