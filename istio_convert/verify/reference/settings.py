"""``k8s`` settings: strategic merge patches on the objects of a component, then overlays.

Source of the facts: operator/pkg/render/postprocess.go of Istio's release tags, and operator/pkg/translate for 1.23.
"""

from __future__ import annotations

import copy
from typing import Any

from istio_convert.verify.manifests import Object
from istio_convert.verify.reference import strategic
from istio_convert.verify.reference.components import Instance
from istio_convert.verify.reference.overlays import apply_overlay
from istio_convert.verify.reference.refused import RefusedError
from istio_convert.verify.reference.semantics import Semantics
from istio_convert.verify.reference.tree import Tree, get_map, get_path, get_text

_WORKLOAD = "workload"
_POD = ("spec", "template", "spec")
_CONTAINER = "container"

#: Setting to (kind, path); the kind ``workload`` is the component's own, a path of ``container`` its container.
_TARGETS: dict[str, tuple[str, tuple[str, ...]]] = {
    "affinity": (_WORKLOAD, (*_POD, "affinity")),
    "env": (_WORKLOAD, (_CONTAINER, "env")),
    "hpaSpec": ("HorizontalPodAutoscaler", ("spec",)),
    "imagePullPolicy": (_WORKLOAD, (_CONTAINER, "imagePullPolicy")),
    "nodeSelector": (_WORKLOAD, (*_POD, "nodeSelector")),
    "podDisruptionBudget": ("PodDisruptionBudget", ("spec",)),
    "podAnnotations": (_WORKLOAD, ("spec", "template", "metadata", "annotations")),
    "priorityClassName": (_WORKLOAD, (*_POD, "priorityClassName")),
    "readinessProbe": (_WORKLOAD, (_CONTAINER, "readinessProbe")),
    "replicaCount": (_WORKLOAD, ("spec", "replicas")),
    "resources": (_WORKLOAD, (_CONTAINER, "resources")),
    "strategy": (_WORKLOAD, ("spec", "strategy")),
    "tolerations": (_WORKLOAD, (*_POD, "tolerations")),
    "serviceAnnotations": ("Service", ("metadata", "annotations")),
    "service": ("Service", ("spec",)),
    "securityContext": (_WORKLOAD, (*_POD, "securityContext")),
}


def resource_name(instance: Instance, values: Tree) -> str:
    """The name of the objects that the settings are for."""
    name = instance.name or instance.component.resource
    revision = get_text(values, "revision") or "default"
    if instance.component.name == "pilot" and revision != "default":
        return f"{name}-{revision}"
    return name


def apply_settings(objects: list[Object], instance: Instance, values: Tree, semantics: Semantics) -> list[Object]:
    """The objects of a component after its ``k8s`` settings.

    Args:
        objects: as rendered; not changed.
        instance: the component.
        values: what its chart got.
        semantics: of the istioctl.

    Raises:
        RefusedError: istioctl refuses a setting.
    """
    kubernetes = instance.kubernetes
    if kubernetes is None:
        return objects
    result = list(objects)
    name = resource_name(instance, values)
    for setting, (kind, path) in _TARGETS.items():
        if setting not in kubernetes or _left_out(setting, kubernetes, instance, values, semantics):
            continue
        value = kubernetes[setting]
        if setting == "service" and instance.component.many and isinstance(value, dict):
            value = {**value, "ports": []}
        patch = _patch(path, value, instance.component.container)
        wanted = instance.component.kind if kind == _WORKLOAD else kind
        for index, obj in enumerate(result):
            if obj.get("kind") == wanted and get_path(obj, "metadata", "name") == name:
                result[index] = _patched(setting, obj, patch, kubernetes, semantics)
    return _overlaid(result, kubernetes, instance, semantics)


def _left_out(setting: str, kubernetes: Tree, instance: Instance, values: Tree, semantics: Semantics) -> bool:
    if setting != "replicaCount" or not semantics.replicas_yield:
        return False
    scaled = get_path(values, *instance.component.root.split("."), "autoscaleEnabled") is True
    return scaled or not kubernetes[setting]


def _patch(path: tuple[str, ...], value: Any, container: str) -> Tree:
    if path[0] == _CONTAINER:
        value = [{"name": container, path[1]: value}]
        path = (*_POD, "containers")
    for step in reversed(path):
        value = {step: value}
    patch: Tree = value
    return patch


def _patched(setting: str, obj: Object, patch: Tree, kubernetes: Tree, semantics: Semantics) -> Object:
    result = strategic.apply(str(obj.get("kind")), obj, patch)
    spec = get_map(result, "spec")
    if setting == "podDisruptionBudget" and semantics.drops_min_available and spec and "maxUnavailable" in spec:
        spec |= {"minAvailable": None} if "minAvailable" in spec else {}
    if setting == "service" and semantics.merges_ports_by_protocol and spec is not None:
        base = get_path(obj, "spec", "ports") or []
        spec["ports"] = _merged_ports(base, get_path(kubernetes, "service", "ports") or [])
    return result


def _merged_ports(base: list[Tree], own: list[Tree]) -> list[Tree]:
    """Ports by port and protocol: the chart's first, each replaced by the user's where there is one."""
    merged: dict[tuple[Any, str], Tree] = {}
    for port in [*copy.deepcopy(base), *copy.deepcopy(own)]:
        protocol = "UDP" if str(port.get("protocol", "")).lower() == "udp" else "TCP"
        merged[port.get("port"), protocol] = {**port, "protocol": protocol}
    return list(merged.values())


def _overlaid(objects: list[Object], kubernetes: Tree, instance: Instance, semantics: Semantics) -> list[Object]:
    overlays = kubernetes.get("overlays")
    for overlay in overlays if isinstance(overlays, list) else []:
        if not isinstance(overlay, dict):
            continue
        matched = 0
        for index, obj in enumerate(objects):
            same = overlay.get("kind") == obj.get("kind") and overlay.get("name") == get_path(obj, "metadata", "name")
            if same and (not semantics.strict_overlays or _in_reach(obj, instance)):
                matched += 1
                private = copy.deepcopy(obj)
                objects[index] = apply_overlay(private, overlay.get("patches") or [], strict=semantics.strict_overlays)
        if semantics.strict_overlays and matched != 1:
            place = f"{overlay.get('kind')} {overlay.get('name')}"
            count = f"{matched or 'no'} object{'s' if matched != 1 else ''}"
            raise RefusedError(
                f"istioctl refuses an overlay of {instance.component.name}: {place} selects {count}, not exactly one",
                "name",
                str(overlay.get("name")),
            )
    return objects


def _in_reach(obj: Object, instance: Instance) -> bool:
    return get_text(obj, "metadata", "namespace") in ("", instance.namespace)
