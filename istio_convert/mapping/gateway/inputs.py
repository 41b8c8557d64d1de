"""What istioctl hands to its gateway charts for one gateway: values, labels, and whether a budget is rendered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from istio_convert.catalog import Catalog
from istio_convert.ledger import Outcome
from istio_convert.mapping.draft.claims import Claim
from istio_convert.mapping.draft.control_plane import ControlPlane, number
from istio_convert.mapping.draft.release import Draft
from istio_convert.mapping.draft.template_text import as_string
from istio_convert.operator.components import GATEWAYS, Component
from istio_convert.operator.merge import merged
from istio_convert.source.nodes import Mapping, Node, Scalar, Sequence, clone, get, leaves, mapping_of, to_data


@dataclass(frozen=True, slots=True)
class GatewayInputs:
    """The inputs of one gateway's chart."""

    component: Component
    draft: Draft
    plane: ControlPlane

    def values(self) -> Mapping:
        """Values of the gateway as istioctl's chart sees them: its defaults, the profile file, the operator's."""
        root = GATEWAYS[self.component.kind]
        catalog, values = self.draft.catalog, self.plane.effective.values
        chart = "istio-ingress" if self.component.kind == "ingressGateways" else "istio-egress"
        shared = _of_chart(catalog, chart, "gateways", root)
        profile = str(self.plane.effective.value("profile") or "")
        if profile in catalog.helm_profiles:
            shared = merged(shared, _tree(catalog.helm_profile(profile), "gateways", root), [], "")
        own = get(values, ("gateways", root))
        shared = merged(shared, own if isinstance(own, Mapping) else Mapping(), [], "")
        ports = get(self.component.k8s, ("service", "ports"))
        if isinstance(ports, Sequence) and ports.items:
            for leaf in leaves(shared.items.get("ports", Mapping())):
                why = "components.*Gateways[].k8s.service.ports replaces the list"
                claim = Claim(Outcome.OVERRIDDEN, "gateway.service.ports", None, why)
                self.draft.claims.add(leaf, claim)
            shared.items["ports"] = clone(ports)
        return shared

    def shared(self) -> Mapping:
        """The operator's values over what istioctl's chart has for all gateways."""
        chart = "istio-ingress" if self.component.kind == "ingressGateways" else "istio-egress"
        values = self.plane.effective.values
        common = _of_chart(self.draft.catalog, chart, "global")
        own = values.items.get("global")
        if isinstance(own, Mapping):
            common = merged(common, own, [], "")
        return Mapping({**values.items, "global": common})

    def labels(self, gateway: Mapping) -> Mapping:
        """The merged labels, which are the live selector."""
        root = GATEWAYS[self.component.kind]
        own = get(gateway, ("labels",))
        chart = "istio-ingress" if self.component.kind == "ingressGateways" else "istio-egress"
        found = dict(_of_chart(self.draft.catalog, chart, "gateways", root, "labels").items)
        label = self.component.node.items.get("label")
        replaces = self.draft.catalog.behaviour("label_replaces_values")
        has_label = isinstance(label, Mapping) and bool(label.items)
        if not replaces and not has_label and isinstance(own, Mapping):
            found.update(own.items)
        elif isinstance(own, Mapping):
            why = "istioctl replaces values.gateways.*.labels by the component's label"
            for leaf in leaves(own):
                self.draft.claims.add(leaf, Claim(Outcome.OVERRIDDEN, "gateway.labels", None, why))
        if isinstance(label, Mapping):
            found.update(label.items)
        return Mapping({key: as_string(node) for key, node in found.items()})

    def has_budget(self, gateway: Mapping) -> bool:
        """Whether istioctl renders a PodDisruptionBudget for the gateway."""
        enabled = get(self.plane.effective.values, ("global", "defaultPodDisruptionBudget", "enabled"))
        if isinstance(enabled, Scalar) and not enabled.value:
            return False
        if not self.draft.catalog.behaviour("budget_needs_two_replicas"):
            return True
        return number(to_data(self.replicas(gateway))) > 1

    def replicas(self, gateway: Mapping) -> Node:
        """The number by which istioctl's chart decides about a budget: the autoscaler's minimum, or that of pods."""
        scaled = gateway.items.get("autoscaleEnabled")
        by_minimum = isinstance(scaled, Scalar) and bool(scaled.value)
        name, path = ("autoscaleMin", ("hpaSpec", "minReplicas")) if by_minimum else ("replicaCount", ("replicaCount",))
        fed = get(self.component.k8s, path) if self.draft.catalog.behaviour("feeds_replicas_to_values") else None
        node = fed if isinstance(fed, Scalar) and fed.value else gateway.items.get(name)
        return node if isinstance(node, Scalar) else Scalar(None)


@lru_cache(maxsize=64)
def _of_chart(catalog: Catalog, chart: str, *path: str) -> Mapping:
    """A map of a chart's defaults. Shared by all gateways, never changed."""
    return _tree(catalog.chart(chart).defaults, *path)


def _tree(data: object, *path: str) -> Mapping:
    """A map of plain data as a tree; empty when it is not there."""
    for step in path:
        data = data.get(step) if isinstance(data, dict) else None
    return mapping_of(data) if isinstance(data, dict) else Mapping()
