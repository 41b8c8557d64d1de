"""The components of an operator: which are on, where they go, and the values that their charts get.

Source of the facts: operator/pkg/component/component.go and operator/pkg/render/manifest.go of Istio's release tags.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from istio_convert.errors import RenderError
from istio_convert.verify.quantities import canonical
from istio_convert.verify.reference.inputs import DEFAULT_NAMESPACE
from istio_convert.verify.reference.semantics import Semantics
from istio_convert.verify.reference.tree import Tree, get_map, get_path, get_text, go_text, set_path, set_paths


@dataclass(frozen=True, slots=True)
class Component:
    """A kind of component.

    Attributes:
        name: its key under ``spec.components``.
        chart: the chart that istioctl renders it with.
        root: where its values lie.
        kind, resource, container: its workload.
        on: whether it is there when the operator says nothing.
        many: whether it is a list (gateways).
        flat: the chart takes its values at the root.
    """

    name: str
    chart: str
    root: str
    kind: str = ""
    resource: str = ""
    container: str = ""
    on: bool = False
    many: bool = False
    flat: bool = False


#: In istioctl's order.
COMPONENTS = (
    Component("base", "base", "global", on=True),
    Component("pilot", "istiod", "pilot", "Deployment", "istiod", "discovery", on=True),
    Component(
        "ingressGateways",
        "istio-ingress",
        "gateways.istio-ingressgateway",
        "Deployment",
        "istio-ingressgateway",
        "istio-proxy",
        on=True,
        many=True,
    ),
    Component(
        "egressGateways",
        "istio-egress",
        "gateways.istio-egressgateway",
        "Deployment",
        "istio-egressgateway",
        "istio-proxy",
        many=True,
    ),
    Component("cni", "cni", "cni", "DaemonSet", "istio-cni-node", "install-cni"),
    Component("istiodRemote", "istiod-remote", "global"),
    Component("ztunnel", "ztunnel", "ztunnel", "DaemonSet", "ztunnel", "istio-proxy", flat=True),
)


@dataclass(frozen=True, slots=True)
class Instance:
    """One component to render.

    Attributes:
        component: its kind.
        namespace: where it goes.
        settings: its entry in the operator; empty when the operator says nothing about it.
    """

    component: Component
    namespace: str
    settings: Tree = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name that the operator gives it."""
        return get_text(self.settings, "name")

    @property
    def kubernetes(self) -> Tree | None:
        """Its ``k8s`` settings; None when there are none."""
        return get_map(self.settings, "k8s")


def instances(merged: Tree, semantics: Semantics) -> list[Instance]:
    """The components that are on, in istioctl's order.

    Args:
        merged: the merged operator.
        semantics: of the istioctl.

    Raises:
        RenderError: the components have a shape that istioctl refuses.
    """
    namespace = get_text(merged, "metadata", "namespace")
    found: list[Instance] = []
    for component in COMPONENTS:
        if component.name == "istiodRemote" and not semantics.has_remote:
            continue
        forced = component.many and get_path(merged, "spec", "values", *component.root.split("."), "enabled") is True
        given = get_path(merged, "spec", "components", component.name)
        present = given is not None or _has(merged, component.name)
        if component.many:
            if not present:
                entries: list[Any] = [None] if component.on or forced else []
            elif isinstance(given, list):
                entries = [entry if isinstance(entry, dict) else {} for entry in given]
            else:
                raise RenderError(f"istioctl refuses the input: components.{component.name} is no list")
        elif isinstance(given, dict):
            entries = [given]
        else:
            entries = [None] if component.on else []
        for entry in entries:
            if entry is None:
                found.append(Instance(component, namespace or DEFAULT_NAMESPACE))
            elif forced or _enabled(entry, component):
                place = get_text(entry, "namespace") or namespace or DEFAULT_NAMESPACE
                found.append(Instance(component, place, entry))
    return found


def _has(merged: Tree, name: str) -> bool:
    components = get_map(merged, "spec", "components")
    return components is not None and name in components


def _enabled(entry: Tree, component: Component) -> bool:
    enabled = entry.get("enabled")
    if enabled is None:
        return True
    if not isinstance(enabled, bool):
        raise RenderError(f"istioctl refuses the input: components.{component.name}: enabled is neither true nor false")
    return enabled


def chart_values(merged: Tree, instance: Instance, semantics: Semantics) -> Tree:
    """The values that the chart of one component gets.

    Args:
        merged: the merged operator; not changed.
        instance: the component.
        semantics: of the istioctl.
    """
    component, settings = instance.component, instance.settings
    root = f"spec.values.{component.root}"
    merged = copy.deepcopy(merged)
    if component.many:
        set_path(merged, f"{root}.name", instance.name)
        label = get_map(settings, "label") or {}
        if label or not semantics.keeps_value_labels:
            set_path(merged, f"{root}.labels", copy.deepcopy(label))
        ports = get_path(settings, "k8s", "service", "ports")
        if isinstance(ports, list) and ports:
            set_path(merged, f"{root}.ports", [_port(port) for port in ports])
    kubernetes = instance.kubernetes or {}
    if semantics.feeds_autoscaling and component.kind == "Deployment":
        _feed_autoscaling(merged, root, kubernetes)
    if semantics.feeds_cpu:
        _feed_cpu(merged, root, kubernetes)
    if hub := get_text(settings, "hub"):
        set_paths(merged, f"{root}.hub={hub}", all_equals=semantics.set_all_equals)
    if (tag := settings.get("tag")) is not None:
        set_paths(merged, f"{root}.tag={go_text(tag)}", all_equals=semantics.set_all_equals)
    values = get_map(merged, "spec", "values") or {}
    own = get_map(values, *component.root.split(".")) if component.flat else None
    if own is None:
        return values
    flat = {"global": values.get("global")}
    flat |= {key: value for key, value in values.items() if not isinstance(value, dict)}
    return flat | own


def plain_values(plane: Tree, merged: Tree, instance: Instance) -> Tree:
    """The values of a gateway that has a name, labels and ports, and of which the operator says nothing else.

    Args:
        plane: the merged operator of its control plane; not changed.
        merged: its own merged operator; not changed.
        instance: the gateway.
    """
    values = copy.deepcopy(get_map(plane, "spec", "values") or {})
    key = instance.component.root.split(".")[1]
    own: Tree = {"name": instance.name, "labels": copy.deepcopy(get_map(instance.settings, "label") or {})}
    ports = get_path(instance.settings, "k8s", "service", "ports")
    if isinstance(ports, list) and ports:
        own["ports"] = [_port(port) for port in ports]
    elif isinstance(given := get_path(merged, "spec", "values", "gateways", key, "ports"), list):
        own["ports"] = copy.deepcopy(given)
    values["gateways"] = {key: own}
    return values


def _port(port: Any) -> Tree:
    """A service port as Kubernetes' own type writes it: ``port`` and ``targetPort`` are always there."""
    if not isinstance(port, dict):
        raise RenderError("istioctl refuses the input: a service port is no map")
    known = {key: port[key] for key in ("name", "protocol", "appProtocol", "nodePort") if port.get(key)}
    return {**known, "port": port.get("port") or 0, "targetPort": port.get("targetPort") or 0}


def _feed_autoscaling(merged: Tree, root: str, kubernetes: Tree) -> None:
    minimum = get_path(kubernetes, "hpaSpec", "minReplicas")
    if minimum is not None:
        set_path(merged, f"{root}.autoscaleMin", minimum)
    maximum = get_path(kubernetes, "hpaSpec", "maxReplicas")
    if isinstance(maximum, int | float) and maximum > 0:
        set_path(merged, f"{root}.autoscaleMax", maximum)
    count = kubernetes.get("replicaCount")
    if isinstance(count, int | float) and count > 0:
        set_path(merged, f"{root}.replicaCount", count)


def _feed_cpu(merged: Tree, root: str, kubernetes: Tree) -> None:
    for kind in ("limits", "requests"):
        amount = get_path(kubernetes, "resources", kind, "cpu")
        text = canonical(amount) if amount is not None else "0"
        if text != "0":
            set_path(merged, f"{root}.resources.{kind}.cpu", text)
