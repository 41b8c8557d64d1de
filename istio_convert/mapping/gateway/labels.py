"""Labels of a gateway that a chart writes itself: istioctl's over the operator's, the gateway chart beside the values.

Source: manifests/charts/gateways/istio-ingress and istio-egress, manifests/charts/gateway of Istio's release tags.
"""

from __future__ import annotations

from dataclasses import dataclass

from istio_convert.catalog import MISSING
from istio_convert.ledger import Outcome
from istio_convert.mapping.draft.claims import Claim
from istio_convert.mapping.draft.control_plane import GROUPS, ControlPlane
from istio_convert.mapping.draft.release import Draft
from istio_convert.operator.components import Component
from istio_convert.release import Target
from istio_convert.source.nodes import Node, Scalar, leaves

RULE = "gateway.labels"
#: labels by which the gateway chart selects; it takes the values' ones for its own
SELECTED_BY_CHART = ("app", "istio")
OBJECT_LABELS = ("metadata", "labels")
POD_LABELS = ("spec", "template", "metadata", "labels")
#: labels that istioctl's chart writes onto pods in the namespace istio-system
_IN_ROOT_NAMESPACE = {"heritage": "Tiller", "release": "istio", "chart": "gateways"}
_WHY = "the gateway chart's template sets this label itself; as a value it would stand in the object twice"
_REFUSED = (
    "istioctl's chart writes this label onto the pods itself, behind the operator's and with another text: they do not "
    "match the selector, and the API server refuses the Deployment"
)


@dataclass(frozen=True, slots=True)
class PrintedLabels:
    """The labels that the charts of one gateway print themselves."""

    component: Component
    name: str
    draft: Draft
    plane: ControlPlane

    def by_gateway_chart(self, key: str) -> bool:
        """Whether the gateway chart prints a label beside those of its values."""
        if key in SELECTED_BY_CHART:
            return False
        if key == "istio.io/rev" and self.plane.revision:
            return True
        chart = self.draft.chart
        if chart.default(("labels", key)) is not MISSING:
            return False
        places = (OBJECT_LABELS, POD_LABELS)
        return any(chart.skeleton.exists("Deployment", "{release}", (*place, key)) for place in places)

    def patch(self, key: str, node: Node) -> None:
        """Lay the operator's text over what the gateway chart prints on the Deployment and its pods."""
        target = Target(*GROUPS["Deployment"], "Deployment", self.name, self.component.namespace)
        for place in (OBJECT_LABELS, POD_LABELS):
            self.draft.patch(target, (*place, key), node, RULE, _WHY)

    def judge(self, key: str, node: Node) -> None:
        """Say when istioctl's chart writes another text over the operator's, which no cluster takes."""
        written = self._by_istioctl(key)
        if written is None or not isinstance(node, Scalar) or str(node.value) == written:
            return
        for leaf in leaves(node):
            claim = Claim(Outcome.MANUAL, RULE, None, _REFUSED, "remove the label: no gateway runs with it")
            self.draft.claims.add(leaf, claim)

    def _by_istioctl(self, key: str) -> str | None:
        """What istioctl's chart writes as a label of the pods; None when it leaves the operator's."""
        if key in SELECTED_BY_CHART:
            return None
        if self.component.namespace == "istio-system" and key in _IN_ROOT_NAMESPACE:
            return _IN_ROOT_NAMESPACE[key]
        ingress = self.component.kind == "ingressGateways"
        chart = self.draft.catalog.chart("istio-ingress" if ingress else "istio-egress")
        if not chart.skeleton.exists("Deployment", "{gateway}", (*POD_LABELS, key)):
            return None
        known = {
            "app.kubernetes.io/managed-by": "Helm",
            "app.kubernetes.io/name": "istio-ingressgateway" if ingress else "istio-egressgateway",
            "app.kubernetes.io/part-of": "istio",
            "install.operator.istio.io/owning-resource": str(self.plane.effective.value("ownerName") or "unknown"),
            "istio.io/dataplane-mode": "none",
            "istio.io/rev": self.plane.revision or "default",
            "operator.istio.io/component": "IngressGateways" if ingress else "EgressGateways",
            "service.istio.io/canonical-name": self.name,
        }
        return known.get(key, "")
