"""Kubernetes' strategic merge on trees with origins.

Only the merge keys of the kinds that Istio's charts render are listed.
Source: the patchMergeKey tags of the Kubernetes API types.
"""

from __future__ import annotations

from collections.abc import Hashable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field
from typing import TypeVar

from istio_convert.operator.merge import Override
from istio_convert.source.nodes import Leaf, Mapping, Node, Scalar, ScalarValue, Sequence, clone, leaves

#: list field -> the key that identifies its elements
MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "imagePullSecrets": "name",
    "secrets": "name",
    "hostAliases": "ip",
    "topologySpreadConstraints": "topologyKey",
    "resourceClaims": "name",
    "webhooks": "name",
}

#: merge keys that are numbers in the manifest
NUMBER_KEYS = frozenset({"port", "containerPort"})

#: maps that a patch replaces whole: (kind, field)
REPLACED_MAPS = frozenset({("PodDisruptionBudget", "selector")})

_T = TypeVar("_T", bound=Hashable)

K8S_ORDER = "components.*.k8s is applied after rendering and wins over the values"


def merge_key(field_name: str, kind: str) -> str | None:
    """The key by which Kubernetes merges a list field, or None when it replaces the list."""
    if field_name == "ports":
        return "port" if kind == "Service" else "containerPort"
    return MERGE_KEYS.get(field_name)


def key_value(key: str, text: str) -> str | int:
    """The value of a merge key as the manifest holds it; paths hold every one as text."""
    return int(text) if key in NUMBER_KEYS and text.isdecimal() else text


@dataclass(slots=True)
class StrategicMerge:
    """Merges patches into objects of one kind.

    Attributes:
        kind: kind of the object, which decides the merge key of ``ports``.
        overrides: leaves of the object that a patch replaced.
        why: the reason written for them.
        consumed: leaves of patches that ended in no node (nulls and ``$patch`` directives).
    """

    kind: str
    overrides: list[Override] = field(default_factory=list)
    why: str = K8S_ORDER
    consumed: list[Leaf] = field(default_factory=list)

    def merge(self, base: Node | None, patch: Node, name: str = "") -> Node | None:
        """The result of laying ``patch`` over ``base``; None when the patch deletes.

        Args:
            base: what is there; changed in place.
            patch: what is laid over it; not changed.
            name: the field's name, for its merge key.
        """
        if isinstance(patch, Scalar) and patch.value is None:
            self._lose(base, patch)
            self.consumed.extend(leaves(patch))
            return None
        if isinstance(patch, Mapping):
            if (self.kind, name) in REPLACED_MAPS:
                self._lose(base, patch)
                return clone(patch)
            return self._map(base, patch)
        if isinstance(patch, Sequence):
            key = merge_key(name, self.kind)
            if key and isinstance(base, Sequence) and all(_identity(item, key) is not None for item in patch.items):
                return self._list(base, patch, key)
        self._lose(base, patch)
        return clone(patch)

    def merge_into(self, holder: Mapping, name: str, patch: Node) -> None:
        """Lay ``patch`` over one field of a map, in place."""
        result = self.merge(holder.items.get(name), patch, name)
        if result is None:
            holder.items.pop(name, None)
        else:
            holder.items[name] = result

    def _map(self, base: Node | None, patch: Mapping) -> Node | None:
        directive = patch.items.get("$patch")
        if isinstance(directive, Scalar):
            self.consumed.extend(leaves(directive))
            rest = Mapping({k: v for k, v in patch.items.items() if k != "$patch"}, origin=patch.origin)
            self._lose(base, rest)
            return clone(rest) if directive.value == "replace" else None
        if not isinstance(base, Mapping):
            self._lose(base, patch)
            result = Mapping(origin=patch.origin, leaf=patch.leaf)
        else:
            result = base
            if patch.leaf is not None and base.items:
                self.consumed.append(patch.leaf)
            elif patch.leaf is not None:
                base.leaf = patch.leaf
        if patch.items:
            result.leaf = None
        for key, node in patch.items.items():
            self.merge_into(result, key, node)
        return result

    def _list(self, base: Sequence, patch: Sequence, key: str) -> Sequence:
        if patch.leaf is not None:
            self.consumed.append(patch.leaf)
        before = [_identity(item, key) for item in base.items]
        for item in patch.items:
            identity = _identity(item, key)
            index = next((i for i, old in enumerate(base.items) if _identity(old, key) == identity), None)
            if index is None:
                added = self.merge(None, item)
                if added is not None:
                    base.leaf = None
                    base.items.append(added)
                continue
            merged = self.merge(base.items[index], item)
            if merged is None:
                del base.items[index]
            else:
                base.items[index] = merged
        order = interleaved(before, [_identity(item, key) for item in patch.items])
        base.items.sort(key=lambda item: order.index(_identity(item, key)))
        return base

    def _lose(self, base: Node | None, patch: Node) -> None:
        if base is not None:
            winner = next(leaves(patch), None)
            self.overrides.extend(Override(leaf, winner, self.why) for leaf in leaves(base) if leaf is not winner)


def interleaved(before: Seq[_T], patch: Seq[_T]) -> list[_T]:
    """The order of a merged list as Kubernetes has it, by what identifies its elements, each once.

    Elements of the patch keep the patch's order, the others theirs. An element of the patch comes first, unless it was
    there before, behind the other one.
    """
    at = {identity: position for position, identity in reversed(list(enumerate(before)))}
    asked = list(dict.fromkeys(patch))
    others = [identity for identity in dict.fromkeys(before) if identity not in set(asked)]
    result: list[_T] = []
    while asked and others:
        behind = asked[0] in at and at[others[0]] < at[asked[0]]
        result.append(others.pop(0) if behind else asked.pop(0))
    return [*result, *others, *asked]


def _identity(item: Node, key: str) -> ScalarValue:
    found = item.items.get(key) if isinstance(item, Mapping) else None
    return found.value if isinstance(found, Scalar) else None


def find(items: Sequence, key: str, value: object) -> Mapping | None:
    """The element of a list of maps whose ``key`` has the value."""
    for item in items.items:
        if isinstance(item, Mapping) and str(_identity(item, key)) == str(value):
            return item
    return None
