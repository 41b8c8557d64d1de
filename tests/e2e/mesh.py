"""The mesh of before: what the old istioctl applies, with the operator's labels, its resource and its controller."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from istio_convert.verify import reference
from istio_convert.verify.charts import locate
from tests.e2e.cluster import Cluster

OPERATOR = Path(__file__).with_name("operator.yaml")
_GROUP = "rbac.authorization.k8s.io"


def install(cluster: Cluster, version: str) -> None:
    """Apply the mesh as the in-cluster operator of a release leaves it."""
    text = OPERATOR.read_text(encoding="utf-8")
    rendered = reference.generate([("operator.yaml", text)], locate(version))
    spaces = sorted({item.id.namespace for item in rendered if item.id.namespace} | {"istio-operator", "shop", "plain"})
    labels = {"shop": {"istio-injection": "enabled"}}
    cluster.apply(
        [_object("v1", "Namespace", name, labels=labels.get(name)) for name in spaces if name != "kube-system"], "test"
    )
    objects = []
    for item in rendered:
        made = copy.deepcopy(item.object)
        if item.id.namespace:
            made["metadata"]["namespace"] = item.id.namespace
        made["metadata"]["labels"] = {
            **(made["metadata"].get("labels") or {}),
            "install.operator.istio.io/owning-resource": "control-plane",
            "install.operator.istio.io/owning-resource-namespace": "istio-system",
            "operator.istio.io/component": item.release,
            "operator.istio.io/managed": "Reconcile",
            "operator.istio.io/version": version,
            "istio.io/rev": "default",
        }
        objects.append(made)
    definitions = [item for item in objects if item["kind"] == "CustomResourceDefinition"]
    cluster.apply(definitions, "istio-operator")
    cluster.apply([item for item in objects if item["kind"] != "CustomResourceDefinition"], "istio-operator")
    cluster.apply(_default_tag(objects), "istio-operator")
    cluster.apply([_operator_definition()], "istio-operator")
    cluster.run("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
    cluster.run("apply", "--server-side", "--filename", "-", text=text)
    cluster.run(
        "patch", "istiooperators.install.istio.io", "control-plane", "--namespace", "istio-system", "--type=merge",
        "--patch", '{"metadata":{"finalizers":["istio-finalizer.install.istio.io"]}}',
    )  # fmt: skip
    cluster.apply(_controller(version), "istio-operator")


def pod(namespace: str, workload: str) -> dict[str, Any]:
    """A pod with a proxy of the old control plane, as the workload's controller would make it."""
    metadata = {
        "name": f"{workload}-5c7d9-x2v4z",
        "namespace": namespace,
        "labels": {"app": workload, "pod-template-hash": "5c7d9"},
        "annotations": {"istio.io/rev": "default"},
        "ownerReferences": [
            {
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "name": f"{workload}-5c7d9",
                "uid": "00",
                "controller": True,
            }
        ],
    }
    spec = {"containers": [{"name": "istio-proxy", "image": "proxyv2"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _object(api: str, kind: str, name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if labels := more.pop("labels", None):
        metadata["labels"] = labels
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **more}


def _default_tag(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the operator makes of an injector without revision: a tag that injects, and an injector that is off."""
    [injector] = [item for item in objects if item["kind"] == "MutatingWebhookConfiguration"]
    tag = copy.deepcopy(injector)
    tag["metadata"] = {
        "name": "istio-revision-tag-default",
        "labels": {
            "istio.io/tag": "default",
            "istio.io/rev": "default",
            "install.operator.istio.io/owning-resource-not-pruned": "true",
        },
    }
    off = copy.deepcopy(injector)
    for webhook in off["webhooks"]:
        webhook["namespaceSelector"] = {"matchLabels": {"istio.io/deactivated": "never-match"}}
        webhook["objectSelector"] = {"matchLabels": {"istio.io/deactivated": "never-match"}}
    return [tag, off]


def revision_tag(name: str, revision: str) -> dict[str, Any]:
    """What ``istioctl tag set`` makes, as far as the migration looks at it."""
    labels = {"istio.io/tag": name, "istio.io/rev": revision}
    kind = "MutatingWebhookConfiguration"
    return _object("admissionregistration.k8s.io/v1", kind, f"istio-revision-tag-{name}", labels=labels)


def _operator_definition() -> dict[str, Any]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1alpha1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {
        "kind": "IstioOperator",
        "plural": "istiooperators",
        "singular": "istiooperator",
        "listKind": "IstioOperatorList",
    }
    return _object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "istiooperators.install.istio.io",
        spec={"group": "install.istio.io", "scope": "Namespaced", "names": names, "versions": [version]},
    )


def _controller(version: str) -> list[dict[str, Any]]:
    """What ``istioctl operator init`` makes, as far as the migration looks at it."""
    name, home, labels = "istio-operator", "istio-operator", {"name": "istio-operator"}
    pod = {
        "serviceAccountName": name,
        "containers": [{"name": "istio-operator", "image": f"docker.io/istio/operator:{version}"}],
    }
    return [
        _object("v1", "ServiceAccount", name, home),
        _object(f"{_GROUP}/v1", "ClusterRole", name, rules=[{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]),
        _object(
            f"{_GROUP}/v1",
            "ClusterRoleBinding",
            name,
            roleRef={"apiGroup": _GROUP, "kind": "ClusterRole", "name": name},
            subjects=[{"kind": "ServiceAccount", "name": name, "namespace": home}],
        ),
        _object("v1", "Service", name, home, spec={"selector": labels, "ports": [{"name": "http", "port": 8383}]}),
        _object(
            "apps/v1",
            "Deployment",
            name,
            home,
            spec={
                "replicas": 1,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": pod},
            },
        ),
    ]
