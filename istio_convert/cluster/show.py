"""An inventory as text for people and as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from istio_convert.cluster.inventory import Inventory


def to_data(inventory: Inventory) -> dict[str, Any]:
    """JSON-ready; the operators without their documents, which may hold secrets."""
    data = asdict(inventory)
    for operator in data["operators"]:
        del operator["document"]
    return {"version": inventory.version, **data}


def to_text(inventory: Inventory) -> str:
    """A page: what runs, what it was made from, and who owns it."""
    return "\n".join(_lines(inventory)) + "\n"


def _lines(inventory: Inventory) -> Iterator[str]:
    yield f"Istio {inventory.version}" if inventory.version else "Istio of several releases, or of an unknown one"
    used = inventory.inputs()
    yield from _part(
        "operators",
        (
            f"{operator.namespace}/{operator.name}: revision {operator.revision or 'default'}"
            f"{', written by istioctl install' * operator.installed_state}"
            f"{', ignored by the in-cluster operator' * operator.ignored}"
            f"{', another operator is about this revision' * (operator not in used)}"
            for operator in inventory.operators
        ),
        "none: istioctl from 1.24 on keeps no copy in the cluster; take the file that was applied",
    )
    yield from _part("in-cluster operators", inventory.controllers, "none")
    yield from _part(
        "control planes",
        (
            f"{plane.namespace}/{plane.name}: {plane.version or plane.image}, revision {plane.revision or 'default'}, "
            f"{_owned(plane.release)}"
            for plane in inventory.planes
        ),
        "none",
    )
    yield from _part(
        "gateways",
        (
            f"{gateway.namespace}/{gateway.name}: {gateway.kind}, revision {gateway.revision or 'default'}, "
            f"{'injected' if gateway.injected else 'written whole by istioctl'}, {_owned(gateway.release)}"
            for gateway in inventory.gateways
        ),
        "none",
    )
    yield from _part("revision tags", (f"{t.name} -> {t.revision or 'default'} ({t.webhook})" for t in inventory.tags))
    yield from _part("webhooks", (f"{name}: {said}" for name, said in inventory.webhooks.items()))
    yield from _part("definitions", (f"{number} owned by {by}" for by, number in inventory.definitions.items()))
    yield from _part("injected namespaces", (f"{by}: {', '.join(names)}" for by, names in inventory.namespaces.items()))
    yield from _part("not looked at", inventory.unread)


def _part(title: str, lines: Any, otherwise: str = "") -> Iterator[str]:
    found = list(lines)
    if found or otherwise:
        yield f"{title}:"
        yield from (f"  {line}" for line in found or [otherwise])


def _owned(release: str) -> str:
    return f"Helm release {release}" if release else "no Helm release"
