"""What is read of a cluster. The same table makes the role that an account needs, so that neither can go ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: the mark of everything that istioctl and the operator made
MANAGED = "operator.istio.io/component"


@dataclass(frozen=True, slots=True)
class KindRead:
    """One kind.

    Attributes:
        group: its API group; empty for the core group.
        resource: as ``kubectl get`` and roles write it.
        why: what it is read for.
        selector: a label selector that narrows it; empty for all.
        namespaced: whether it lives in namespaces.
    """

    group: str
    resource: str
    why: str
    selector: str = ""
    namespaced: bool = True

    @property
    def full_name(self) -> str:
        """``deployments.apps``; unlike the short name never another group's."""
        return f"{self.resource}.{self.group}" if self.group else self.resource


_POLICY = "configuration that names gateways and accounts, which a migration must keep true"

KINDS: tuple[KindRead, ...] = (
    KindRead("install.istio.io", "istiooperators", "the operators, and what istioctl install left: installed-state"),
    KindRead("apps", "deployments", "istiod, gateways, and an operator that still runs"),
    KindRead("apps", "daemonsets", "the CNI node agent, ztunnel, gateways"),
    KindRead("", "services", "ports and selectors of gateways"),
    KindRead("", "serviceaccounts", "identities of gateways"),
    KindRead("", "configmaps", "mesh configuration and injection templates", selector=MANAGED),
    KindRead("autoscaling", "horizontalpodautoscalers", "scaling of istiod and gateways"),
    KindRead("policy", "poddisruptionbudgets", "budgets of istiod and gateways"),
    KindRead("networking.k8s.io", "networkpolicies", "policies of the mesh's own workloads", selector=MANAGED),
    KindRead("rbac.authorization.k8s.io", "roles", "rights of istiod and gateways", selector=MANAGED),
    KindRead("rbac.authorization.k8s.io", "rolebindings", "rights of istiod and gateways", selector=MANAGED),
    KindRead("rbac.authorization.k8s.io", "clusterroles", "rights of istiod", selector=MANAGED, namespaced=False),
    KindRead(
        "rbac.authorization.k8s.io", "clusterrolebindings", "rights of istiod", selector=MANAGED, namespaced=False
    ),
    KindRead(
        "admissionregistration.k8s.io",
        "mutatingwebhookconfigurations",
        "which istiod injects what; revision tags",
        namespaced=False,
    ),
    KindRead(
        "admissionregistration.k8s.io", "validatingwebhookconfigurations", "the default validator", namespaced=False
    ),
    KindRead("apiextensions.k8s.io", "customresourcedefinitions", "who owns Istio's definitions", namespaced=False),
    KindRead("", "namespaces", "which revision injects a namespace; the cluster's identity", namespaced=False),
    KindRead("networking.istio.io", "gateways", _POLICY),
    KindRead("networking.istio.io", "virtualservices", _POLICY),
    KindRead("security.istio.io", "authorizationpolicies", _POLICY),
)


def cluster_role(name: str = "istio-convert-reader") -> dict[str, Any]:
    """The smallest ClusterRole with which everything can be read: ``get`` and ``list``, no Secret, no write."""
    groups: dict[str, list[str]] = {}
    for kind in KINDS:
        groups.setdefault(kind.group, []).append(kind.resource)
    rules = [
        {"apiGroups": [group], "resources": sorted(resources), "verbs": ["get", "list"]}
        for group, resources in sorted(groups.items())
    ]
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": rules,
    }
