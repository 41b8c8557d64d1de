"""What no API server takes, for when there is none here: a stand-in for its own words, and no more than that."""

from __future__ import annotations

from collections import Counter
from typing import Any

_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def problems(pod: dict[str, Any]) -> list[str]:
    """Why the API server would refuse a pod, as far as it can be told by looking at the pod alone."""
    spec = pod["spec"]
    found = []
    names = set()
    for volume in spec.get("volumes") or ():
        names.add(volume.get("name"))
        sources = [key for key, value in volume.items() if key != "name" and value is not None]
        if len(sources) > 1:
            found.append(f"volume {volume['name']} has {len(sources)} sources: {', '.join(sorted(sources))}")
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    for container in containers:
        found += _container(container, names)
    counted = Counter(container.get("name") for container in containers)
    found += [f"container {name} is there {times} times" for name, times in counted.items() if times > 1]
    if spec.get("hostNetwork") and any(
        str(one.get("name")).startswith("net.") for one in (spec.get("securityContext") or {}).get("sysctls") or ()
    ):
        found.append("a sysctl of the network beside hostNetwork")
    return found


def _container(container: dict[str, Any], volumes: set[Any]) -> list[str]:
    name = container.get("name")
    found = []
    found += [
        f"{name}: variable {one['name']} has value and valueFrom"
        for one in container.get("env") or ()
        if one.get("value") and one.get("valueFrom")
    ]
    found += [
        f"{name}: mount of {one.get('name')}, which is no volume"
        for one in container.get("volumeMounts") or ()
        if one.get("name") not in volumes
    ]
    paths = Counter(mount.get("mountPath") for mount in container.get("volumeMounts") or ())
    found += [f"{name}: two mounts at {path}" for path, times in paths.items() if times > 1]
    hooks = container.get("lifecycle") or {}
    for place, handler in [*((key, container.get(key)) for key in _PROBES), *hooks.items()]:
        if isinstance(handler, dict):
            given = [key for key in _HANDLERS if handler.get(key) is not None]
            if len(given) != 1:
                found.append(f"{name}: {place} has {len(given)} handlers: {', '.join(given)}")
    return found
