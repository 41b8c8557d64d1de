"""What istioctl's chart puts into every gateway and injection puts into every proxy under Helm: provided, not carried.

An element of a list that is provided so holds a mark, by which it is told from what the operator brings.
"""

from __future__ import annotations

from typing import Any

from istio_convert.mapping.model import POD, ManifestPath
from istio_convert.source.nodes import Mapping, Node, Scalar

#: what istioctl's chart mounts into every gateway, and injection under Helm mounts as well
_MOUNT_PATHS = {
    "workload-socket": "/var/run/secrets/workload-spiffe-uds",
    "credential-socket": "/var/run/secrets/credential-uds",
    "workload-certs": "/var/run/secrets/workload-spiffe-credentials",
    "istio-envoy": "/etc/istio/proxy",
    "config-volume": "/etc/istio/config",
    "istiod-ca-cert": "/var/run/secrets/istio",
    "istio-token": "/var/run/secrets/tokens",
    "istio-data": "/var/lib/istio/data",
    "podinfo": "/etc/istio/pod",
}
_ENV_NAMES = (
    "PILOT_CERT_PROVIDER",
    "CA_ADDR",
    "NODE_NAME",
    "POD_NAME",
    "POD_NAMESPACE",
    "INSTANCE_IP",
    "HOST_IP",
    "ISTIO_CPU_LIMIT",
    "SERVICE_ACCOUNT",
    "ISTIO_META_WORKLOAD_NAME",
    "ISTIO_META_OWNER",
    "ISTIO_META_CLUSTER_ID",
    "ISTIO_META_NODE_NAME",
    "ISTIO_META_UNPRIVILEGED_POD",
)
PROVIDED_ANNOTATIONS = {
    "prometheus.io/port": "15020",
    "prometheus.io/scrape": "true",
    "prometheus.io/path": "/stats/prometheus",
}
PROBE = {
    "failureThreshold": 30,
    "httpGet": {"path": "/healthz/ready", "port": 15021, "scheme": "HTTP"},
    "initialDelaySeconds": 1,
    "periodSeconds": 2,
    "successThreshold": 1,
    "timeoutSeconds": 1,
}
PROXY_CONTEXT = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "privileged": False,
    "readOnlyRootFilesystem": True,
}
IN_PROXY: ManifestPath = (*POD, "containers", ("name", "istio-proxy"))
#: marks the content of a node that istioctl's chart makes and injection provides
PROVIDED = "<provided by injection>"


def is_provided(node: Node) -> bool:
    """Whether an element is as istioctl's chart makes it, untouched by the operator."""
    return isinstance(node, Mapping) and "" in node.items


def without_mark(node: Node) -> Node:
    """The element without the mark of :func:`is_provided`."""
    if isinstance(node, Mapping) and "" in node.items:
        return Mapping({k: v for k, v in node.items.items() if k}, node.leaf, node.origin)
    return node


def untouched(node: Node) -> bool:
    """Whether a provided element still holds only what identifies it."""
    if not isinstance(node, Mapping) or "" not in node.items:
        return False
    for child in node.items.values():
        if not isinstance(child, Scalar) or child.leaf is not None:
            return False
    mark = node.items[""]
    return isinstance(mark, Scalar) and mark.value == len(node.items)


def provided(**fields: Any) -> dict[str, Node]:
    """The content of an element that istioctl's chart makes, with its mark: the number of its fields."""
    return {**{key: Scalar(value) for key, value in fields.items()}, "": Scalar(len(fields) + 1)}


ENV = [provided(name=name) for name in _ENV_NAMES]
VOLUMES = [provided(name=name) for name in _MOUNT_PATHS]
MOUNTS = [provided(name=name, mountPath=path) for name, path in _MOUNT_PATHS.items()]


def fresh(elements: list[dict[str, Node]]) -> list[Node]:
    """Elements of their own for one gateway; their scalars are shared, nobody changes a scalar in place."""
    return [Mapping(dict(fields)) for fields in elements]
