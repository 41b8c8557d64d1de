"""What is in a cluster, and what two looks at it have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.e2e.cluster import Cluster

KINDS = (
    "deployments.apps,daemonsets.apps,services,serviceaccounts,configmaps,horizontalpodautoscalers.autoscaling,"
    "poddisruptionbudgets.policy,roles.rbac.authorization.k8s.io,rolebindings.rbac.authorization.k8s.io,"
    "networkpolicies.networking.k8s.io"
)
CLUSTER_KINDS = (
    "namespaces,clusterroles.rbac.authorization.k8s.io,clusterrolebindings.rbac.authorization.k8s.io,"
    "mutatingwebhookconfigurations.admissionregistration.k8s.io,"
    "validatingwebhookconfigurations.admissionregistration.k8s.io,customresourcedefinitions.apiextensions.k8s.io"
)
Key = tuple[str, str, str]
_SERVERS_OWN = {("Namespace", "", name) for name in ("default", "kube-node-lease", "kube-public")}
State = dict[Key, dict[str, Any]]


def state(made: Cluster) -> State:
    """Every object that is not the API server's own."""
    found = made.objects(KINDS, "--all-namespaces") + made.objects(CLUSTER_KINDS)
    return {
        key_of(item): item
        for item in found
        if not item["metadata"]["name"].startswith(("system:", "kube-root-ca", "kubernetes", "kube-apiserver"))
        and key_of(item) not in _SERVERS_OWN
        and item["metadata"].get("labels", {}).get("kubernetes.io/bootstrapping") != "rbac-defaults"
    }


def key_of(item: dict[str, Any]) -> Key:
    """Kind, namespace and name."""
    return item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"]


def comparable(found: State) -> State:
    """Objects without what differs between two clusters."""
    unlike = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink")
    address = ("clusterIP", "clusterIPs", "healthCheckNodePort")
    result = {}
    for key, item in found.items():
        metadata = {name: value for name, value in item["metadata"].items() if name not in unlike}
        copy = {**item, "metadata": metadata}
        copy.pop("status", None)
        if item["kind"] == "Service":
            spec = {name: value for name, value in item["spec"].items() if name not in address}
            spec["ports"] = [{k: v for k, v in port.items() if k != "nodePort"} for port in spec.get("ports", [])]
            copy["spec"] = spec
        if item["kind"] == "Namespace":
            copy.pop("spec", None)
        result[key] = copy
    return result


def unchanged(before: State, after: State, keys: Callable[[Key], bool] = lambda _: True) -> int:
    """Check that objects of before are still the same ones, with their selectors and Services; give their number."""
    number = 0
    for key, old in before.items():
        if not keys(key):
            continue
        number += 1
        assert key in after, f"deleted: {key}"
        new = after[key]
        assert new["metadata"]["uid"] == old["metadata"]["uid"], f"recreated: {key}"
        if key[0] == "Service":
            assert new["spec"] == old["spec"], f"Service changed: {key}: {old['spec']} {new['spec']}"
        if key[0] in ("Deployment", "DaemonSet", "PodDisruptionBudget"):
            assert new["spec"]["selector"] == old["spec"]["selector"], f"selector changed: {key}"
    return number


def bound(found: State) -> list[Key]:
    """Objects that the operator could prune."""
    label = "install.operator.istio.io/owning-resource"
    return [k for k, i in found.items() if i["metadata"].get("labels", {}).get(label, "unknown") != "unknown"]


def changed(before: State, after: State) -> list[Key]:
    """Objects that another resource version, or no longer exist, or are new."""
    keys = before.keys() | after.keys()
    return sorted(
        key
        for key in keys
        if key not in before
        or key not in after
        or before[key]["metadata"]["resourceVersion"] != after[key]["metadata"]["resourceVersion"]
    )


def unlike(left: State, right: State) -> list[Key]:
    """Objects that differ."""
    return sorted(key for key in left.keys() | right.keys() if left.get(key) != right.get(key))
