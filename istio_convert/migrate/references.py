"""Who names a Service: routes of Istio by host name, an Ingress by its backends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from istio_convert.migrate.model import Finding, Level
from istio_convert.migrate.objects import Known


def of_canary(live: Sequence[Known], old_services: Iterable[tuple[str, str]]) -> list[Finding]:
    """Resources that name a Service which a canary replaces."""
    names = {
        text
        for namespace, name in old_services
        for text in (f"{name}.{namespace}", f"{name}.{namespace}.svc", f"{name}.{namespace}.svc.cluster.local")
    }
    kinds = {"VirtualService", "DestinationRule", "EnvoyFilter", "ServiceEntry"}
    services = set(old_services)
    named = [
        item
        for item in live
        if item.id.kind in kinds
        and any(text in names or (item.id.namespace, text) in services for text in texts(item.data.get("spec")))
    ]
    ingresses = [
        item
        for item in live
        if item.id.kind == "Ingress"
        and any((item.id.namespace, str(name)) in services for name in _backend_services(item.data))
    ]
    found = [*named, *ingresses]
    if not found:
        return []
    finding = Finding(
        "service-name",
        Level.WARNING,
        "These resources name the Service of a gateway that this migration removes in the end.",
        "Point them at the new Service when the traffic has moved and before the old gateway is removed.",
        tuple(sorted(str(item.id) for item in found)),
    )
    return [finding]


def _backend_services(data: Any) -> list[str]:
    """The Services that an Ingress names."""
    found = []
    if isinstance(data, dict):
        service = data.get("service")
        if isinstance(service, dict) and isinstance(service.get("name"), str):
            found.append(service["name"])
        for value in data.values():
            found += _backend_services(value)
    elif isinstance(data, list):
        for value in data:
            found += _backend_services(value)
    return found


def texts(data: Any) -> list[str]:
    """Every text in an object."""
    if isinstance(data, str):
        return [data]
    children = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for child in children for text in texts(child)]
