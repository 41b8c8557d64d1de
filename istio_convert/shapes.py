"""Objects of which a part has a shape that Kubernetes does not know, such as a map in the place of a list of ports.

An operator may ask for anything, and istioctl renders it. Such a part is set apart, under its path, so that everything
else can go by the shapes of the Kubernetes API; it is then compared as it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

#: Where the parts stand that were set apart: path in words -> what stands there.
APART = "(no such shape)"

_Found: TypeAlias = dict[str, Any]

#: The kinds whose fields are known by their names; of others, only those of the first levels are.
_KNOWN = frozenset(
    {
        "ClusterRole",
        "ClusterRoleBinding",
        "ConfigMap",
        "DaemonSet",
        "Deployment",
        "HorizontalPodAutoscaler",
        "MutatingWebhookConfiguration",
        "NetworkPolicy",
        "PodDisruptionBudget",
        "Role",
        "RoleBinding",
        "Service",
        "ServiceAccount",
        "ValidatingWebhookConfiguration",
    }
)
_SHALLOW = frozenset({"metadata", "spec", "conversion", "names"})

_TEXTS = frozenset({"annotations", "labels", "matchLabels", "nodeSelector"})
_MAPS = _TEXTS | {
    "behavior",
    "clientConfig",
    "data",
    "limits",
    "metadata",
    "metric",
    "requests",
    "resources",
    "roleRef",
    "rollingUpdate",
    "scaleTargetRef",
    "securityContext",
    "selector",
    "service",
    "spec",
    "strategy",
    "target",
    "template",
    "updateStrategy",
}
#: Fields of other kinds, or deeper, that have one of these names and another shape.
_OTHERWISE = frozenset({("rules", "resources"), ("grpc", "service"), ("volumes", "image")})
_SCALARS = frozenset(
    {"image", "kind", "name", "namespace", "port", "protocol", "serviceAccountName", "targetPort", "type"}
)
#: Lists of maps, with the field that every element must have, if any.
_LISTS: Mapping[str, str] = {
    "containers": "name",
    "env": "name",
    "imagePullSecrets": "name",
    "initContainers": "name",
    "metrics": "",
    "ports": "",
    "rules": "",
    "secrets": "name",
    "subjects": "",
    "sysctls": "",
    "volumeMounts": "mountPath",
    "volumes": "name",
    "webhooks": "name",
}
#: Lists in which every name stands once.
_ONCE = frozenset({"containers", "initContainers"})


def shaped(obj: dict[str, Any]) -> dict[str, Any]:
    """The object with what has no shape of the API set apart; the object itself when all of it has.

    Args:
        obj: a Kubernetes object; not changed.
    """
    found: _Found = {}
    kind = obj.get("kind")
    result = _map(obj, "", "", found, kind if kind in _KNOWN else "")
    return {**result, APART: {**obj.get(APART, {}), **found}} if found else obj


def is_shaped(kind: str, path: Sequence[object], value: Any) -> bool:
    """Whether a value has a shape of the API at a place.

    Args:
        kind: kind of the object.
        path: steps to the place; what is no text is a step to an element of a list.
        value: what is to stand there.
    """
    *above, last = path
    holder = above[-1] if above else ""
    if not isinstance(last, str):
        # an element may lack what names it: another overlay can bring it
        return isinstance(value, dict) or not isinstance(holder, str) or holder not in _LISTS
    if above and above[0] == "data":
        return True
    found: _Found = {}
    name = next((step for step in reversed(above) if isinstance(step, str)), "")
    _part(value, last, name, last if not above else f".{last}", found, kind if kind in _KNOWN else "")
    return not found


def _map(node: dict[str, Any], name: str, place: str, found: _Found, kind: str) -> dict[str, Any]:
    changed: dict[str, Any] | None = None
    for key, child in node.items():
        step = str(key).replace(".", "\\.")
        where = f"{place}.{step}" if place else step
        kept = _part(child, str(key), name, where, found, kind)
        if kept is not child:
            changed = dict(node) if changed is None else changed
            changed[key] = kept
    return node if changed is None else {key: child for key, child in changed.items() if child is not _GONE}


_GONE = object()


def _part(child: Any, key: str, holder: str, where: str, found: _Found, kind: str) -> Any:
    """What remains of one field: itself, a copy, or nothing when it is set apart."""
    if key == APART or child is None:
        return child
    if not kind:
        if key not in _SHALLOW and key not in _TEXTS:
            return child
    elif (holder, key) in _OTHERWISE:
        return child
    if not _fits(child, key, holder):
        found[where] = child
        return _GONE
    if key == "data" and not where.partition(".")[2]:
        return child
    if isinstance(child, dict):
        return _map(child, key, where, found, kind)
    if isinstance(child, list):
        return _list(child, key, where, found, kind)
    return child


def _fits(child: Any, key: str, holder: str) -> bool:
    if holder in _TEXTS or key in _SCALARS:
        return not isinstance(child, dict | list)
    if key in _MAPS:
        return isinstance(child, dict)
    return isinstance(child, list) if key in _LISTS else True


def _list(items: list[Any], name: str, place: str, found: _Found, kind: str) -> list[Any]:
    needed = _LISTS.get(name)
    if name == "ports" and kind not in ("Service", "NetworkPolicy"):
        needed = "containerPort"
    result, names, changed = [], set(), False
    for position, item in enumerate(items):
        where = f"{place}[{position}]"
        if needed is not None:
            identity = item.get(needed) if needed and isinstance(item, dict) else None
            wrong = not isinstance(item, dict) or (needed and (identity is None or isinstance(identity, dict | list)))
            if wrong or (name in _ONCE and str(identity) in names):
                found[where] = item
                changed = True
                continue
            names.add(str(identity))
        kept = _map(item, name, where, found, kind) if isinstance(item, dict) else item
        changed |= kept is not item
        result.append(kept)
    return result if changed else items
