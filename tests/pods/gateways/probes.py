"""Probes and hooks: each handler, each field, by the operator's own setting and by overlays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.pods.gateways.features import DELETE, PROXY, Feature

HANDLERS: dict[str, Any] = {
    "httpGet": {"httpGet": {"path": "/healthz/ready", "port": 15021}},
    "exec": {"exec": {"command": ["pilot-agent", "wait", "--timeoutSeconds", "1"]}},
    "tcpSocket": {"tcpSocket": {"port": 15021}},
    "grpc": {"grpc": {"port": 15010}},
}
#: Each with a value of nobody, with istioctl's, with the injector's and with the API server's own.
NUMBERS: dict[str, tuple[int, ...]] = {
    "initialDelaySeconds": (7, 1, 0),
    "periodSeconds": (7, 2, 15, 10),
    "timeoutSeconds": (7, 1, 3),
    "failureThreshold": (7, 30, 4, 3),
    "successThreshold": (2, 1),
    "terminationGracePeriodSeconds": (20,),
}
DETAILS: dict[str, Any] = {
    "path": "/ready",
    "port": 15020,
    "named-port": "http-envoy-prom",
    "scheme": "HTTPS",
    "host": "127.0.0.1",
    "headers": [{"name": "Host", "value": "probe"}],
}
HOOKS: dict[str, Any] = {
    "exec": {"exec": {"command": ["sleep", "5"]}},
    "httpGet": {"httpGet": {"path": "/quit", "port": 15000}},
    "tcpSocket": {"tcpSocket": {"port": 15000}},
    "sleep": {"sleep": {"seconds": 5}},
}


def features() -> Iterator[Feature]:
    """Every probe and hook of the proxy."""
    yield from _readiness()
    for probe in ("livenessProbe", "startupProbe", "readinessProbe"):
        for handler, setting in HANDLERS.items():
            yield Feature(f"probe/{probe}-overlay/{handler}", patches=[(f"{PROXY}.{probe}", setting)])
            timed = {**setting, "periodSeconds": 7}
            yield Feature(f"probe/{probe}-overlay-timed/{handler}", patches=[(f"{PROXY}.{probe}", timed)])
    yield Feature("probe/deleted/readinessProbe", patches=[(f"{PROXY}.readinessProbe", DELETE)])
    yield Feature("probe/deleted/httpGet", patches=[(f"{PROXY}.readinessProbe.httpGet", DELETE)])
    for field in ("failureThreshold", "periodSeconds", "timeoutSeconds", "initialDelaySeconds"):
        yield Feature(f"probe/deleted/{field}", patches=[(f"{PROXY}.readinessProbe.{field}", DELETE)])
        yield Feature(f"probe/overlay/{field}", patches=[(f"{PROXY}.readinessProbe.{field}", 7)])
    swapped = [(f"{PROXY}.readinessProbe.httpGet", DELETE), (f"{PROXY}.readinessProbe.tcpSocket", {"port": 15021})]
    yield Feature("probe/swapped/tcpSocket", patches=swapped)
    for hook in ("preStop", "postStart"):
        for handler, setting in HOOKS.items():
            yield Feature(f"hook/{hook}/{handler}", patches=[(f"{PROXY}.lifecycle", {hook: setting})])
    lifecycle = {"preStop": HOOKS["exec"]}
    yield Feature("hook/of-all-proxies/exec", values={"global": {"proxy": {"lifecycle": lifecycle}}})
    of_all = {"readinessInitialDelaySeconds": 7, "readinessPeriodSeconds": 7, "readinessFailureThreshold": 7}
    yield Feature("probe/of-all-proxies/numbers", values={"global": {"proxy": of_all}})


def _readiness() -> Iterator[Feature]:
    for handler, setting in HANDLERS.items():
        yield Feature(f"probe/readinessProbe/{handler}", k8s={"readinessProbe": setting})
    nulled = {"httpGet": None, **HANDLERS["exec"]}
    yield Feature("probe/readinessProbe/null-httpGet-and-exec", k8s={"readinessProbe": nulled})
    for field, numbers in NUMBERS.items():
        for number in numbers:
            yield Feature(f"probe/number/{field}-{number}", k8s={"readinessProbe": {field: number}})
    for name, value in DETAILS.items():
        key = {"named-port": "port", "headers": "httpHeaders"}.get(name, name)
        http = {"path": "/healthz/ready", "port": 15021, key: value}
        yield Feature(f"probe/httpGet/{name}", k8s={"readinessProbe": {"httpGet": http}})
        yield Feature(f"probe/httpGet-overlay/{name}", patches=[(f"{PROXY}.readinessProbe.httpGet.{key}", value)])
    istioctls = {
        "failureThreshold": 30,
        "initialDelaySeconds": 1,
        "periodSeconds": 2,
        "successThreshold": 1,
        "timeoutSeconds": 1,
        "httpGet": {"path": "/healthz/ready", "port": 15021, "scheme": "HTTP"},
    }
    yield Feature("probe/readinessProbe/istioctls-own", k8s={"readinessProbe": istioctls})
