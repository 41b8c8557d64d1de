"""A pod as a flat table: place -> value, the same for two pods that run the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

#: The field that tells the elements of a list apart, by the list's name.
_KEYS = {
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "volumes": ("name",),
    "env": ("name",),
    "volumeMounts": ("mountPath",),
    "ports": ("containerPort", "protocol"),
    "imagePullSecrets": ("name",),
    "sysctls": ("name",),
    "hostAliases": ("ip",),
}
#: What every pod has of its own, and the injector's notes to itself for the next time that it sees the pod.
NOT_COMPARED = (
    "metadata.name",
    "metadata.generateName",
    "metadata.uid",
    "metadata.creationTimestamp",
    "metadata.managedFields",
    "metadata.ownerReferences",
    "metadata.labels[pod-template-hash]",
    "metadata.labels[controller-revision-hash]",
    "metadata.annotations[proxy.istio.io/overrides]",
    "metadata.annotations[sidecar.istio.io/status]",
)
_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_.-][A-Za-z0-9_.-]*)\)")
_QUANTITY = re.compile(r"(-?[0-9.]+)(m|[KMGTPE]i?|k|e[0-9]+)?")
_UNITS = {"m": Decimal("0.001"), "k": Decimal(1000)}
_UNITS |= {letter: Decimal(1000) ** power for power, letter in enumerate("KMGTPE", 1)}
_UNITS |= {f"{letter}i": Decimal(1024) ** power for power, letter in enumerate("KMGTPE", 1)}


def table(pod: Mapping[str, Any]) -> dict[str, Any]:
    """Every place of a pod that holds something, in a fixed order."""
    metadata = {key: pod["metadata"].get(key) or {} for key in ("labels", "annotations")}
    spec = pod.get("spec") or {}
    found = dict(_flat("metadata", metadata))
    found.update(_flat("spec", spec))
    for group in ("containers", "initContainers"):
        names = [str(one.get("name")) for one in spec.get(group) or () if isinstance(one, dict)]
        if len(names) > 1:
            found[f"spec.{group}.order"] = ", ".join(names)
    dropped = NOT_COMPARED
    return {place: value for place, value in sorted(found.items()) if not place.startswith(dropped)}


def _flat(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    last = place.rpartition(".")[2].partition("[")[0]
    if isinstance(value, dict):
        if not value:
            yield place, {}
        for key, child in value.items():
            if child is None or (child in ({}, []) and key not in ("emptyDir",)):
                continue
            quoted = last in ("labels", "annotations") or "." in str(key) or "/" in str(key)
            name = f"{place}[{key}]" if quoted else f"{place}.{key}"
            yield from _flat(name, _amount(child) if last in ("requests", "limits") else child)
    elif isinstance(value, list) and last in _KEYS and all(isinstance(one, dict) for one in value):
        yield from _elements(place, value, _KEYS[last])
    elif isinstance(value, list):
        yield place, json.dumps(value, sort_keys=True)
    else:
        yield place, value


def _elements(place: str, items: list[dict[str, Any]], keys: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """List elements by their keys; two of one key are told apart by their number. Variables are expanded."""
    seen: dict[str, int] = {}
    known: dict[str, str] = {}
    for item in items:
        defaults = {"protocol": "TCP"}
        name = ",".join(str(item.get(key, defaults.get(key, ""))) for key in keys)
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name = f"{name}#{seen[name]}"
        rest = {key: value for key, value in item.items() if key not in keys}
        if place.endswith(".env"):
            text = _expanded(item, known)
            known[str(item.get("name"))] = text
            yield f"{place}[{name}]", text
            continue
        yield from _flat(f"{place}[{name}]", rest)


def _expanded(variable: Mapping[str, Any], known: Mapping[str, str]) -> str:
    """A variable's value as the kubelet makes it: references to earlier variables replaced."""
    if variable.get("valueFrom"):
        source = json.loads(json.dumps(variable["valueFrom"]))
        source.get("fieldRef", {}).pop("apiVersion", None)
        return f"from {json.dumps(source, sort_keys=True)}"

    def given(match: re.Match[str]) -> str:
        name = match.group(1)
        return "$" if name is None else known.get(name, match.group(0))

    return _REFERENCE.sub(given, str(variable.get("value") or ""))


def _amount(value: Any) -> Any:
    """A quantity as a plain number, so that ``0.5`` is ``500m``."""
    match = _QUANTITY.fullmatch(str(value))
    if not match:
        return value
    unit = match.group(2) or ""
    factor = Decimal(10) ** int(unit[1:]) if unit.startswith("e") else _UNITS.get(unit, Decimal(1))
    return str((Decimal(match.group(1)) * factor).normalize())
