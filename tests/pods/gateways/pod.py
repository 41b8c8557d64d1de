"""The pod's own fields: security contexts, network, scheduling, lifetime, the workload's kind, the namespace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.pods.gateways.features import DELETE, POD, PROXY, Feature

SYSCTL = {"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}
POD_SECURITY: dict[str, Any] = {
    "root": {"runAsUser": 0, "runAsGroup": 0, "runAsNonRoot": False},
    "other-user": {"runAsUser": 2000},
    "fsGroup": {"fsGroup": 1337},
    "supplementalGroups": {"supplementalGroups": [5000]},
    "seccomp": {"seccompProfile": {"type": "RuntimeDefault"}},
    "selinux": {"seLinuxOptions": {"level": "s0:c1"}},
    "low-ports": {"sysctls": [SYSCTL]},
    "other-sysctl": {"sysctls": [{"name": "net.ipv4.tcp_syncookies", "value": "1"}]},
    "empty": {},
}
CONTAINER_SECURITY: dict[str, Any] = {
    "privileged": {"privileged": True, "allowPrivilegeEscalation": True},
    "low-ports": {"capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}},
    "writable": {"readOnlyRootFilesystem": False},
    "other-user": {"runAsUser": 2000, "runAsGroup": 2000},
    "root": {"runAsUser": 0, "runAsGroup": 0, "runAsNonRoot": False},
    "seccomp": {"seccompProfile": {"type": "RuntimeDefault"}},
    "empty": {},
}
FIELDS: dict[str, Any] = {
    "hostNetwork": True,
    "hostNetwork-off": False,
    "hostPID": True,
    "shareProcessNamespace": True,
    "dnsPolicy": "None",
    "dnsConfig": {"options": [{"name": "ndots", "value": "2"}]},
    "terminationGracePeriodSeconds": 60,
    "terminationGracePeriodSeconds-30": 30,
    "serviceAccountName": "other",
    "automountServiceAccountToken": False,
    "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["db"]}],
    "hostname": "edge",
    "subdomain": "edges",
    "setHostnameAsFQDN": True,
    "schedulerName": "other",
    "priorityClassName": "system-cluster-critical",
    "preemptionPolicy": "Never",
    "imagePullSecrets": [{"name": "registry"}],
    "enableServiceLinks": False,
    "readinessGates": [{"conditionType": "example.com/ready"}],
    "os": {"name": "linux"},
    "nodeName": "node-1",
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": "istio-ingressgateway"}},
        }
    ],
    "nodeSelector": {"pool": "edge"},
    "tolerations": [{"key": "edge", "operator": "Exists"}],
}
_AFFINITY = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "istio-ingressgateway"}}}
        ]
    }
}
#: Pods there are not injected, whatever they ask for.
PASSED_OVER = ("kube-system", "kube-public", "kube-node-lease", "local-path-storage")


def features() -> Iterator[Feature]:
    """Every field of the pod."""
    for name, context in POD_SECURITY.items():
        yield Feature(f"security/pod/{name}", k8s={"securityContext": context})
        yield Feature(f"security/pod-overlay/{name}", patches=[(f"{POD}.securityContext", context)])
    yield Feature("security/pod-deleted", patches=[(f"{POD}.securityContext", DELETE)])
    for name, context in CONTAINER_SECURITY.items():
        yield Feature(f"security/container/{name}", patches=[(f"{PROXY}.securityContext", context)])
    for field in ("readOnlyRootFilesystem", "capabilities", "privileged"):
        yield Feature(f"security/container-deleted/{field}", patches=[(f"{PROXY}.securityContext.{field}", DELETE)])
    yield Feature("security/container-deleted/all", patches=[(f"{PROXY}.securityContext", DELETE)])
    root = {"gateways": {"istio-ingressgateway": {"runAsRoot": True}}}
    yield Feature("security/values/run-as-root", values=root)
    yield Feature("security/values/gateways", values={"gateways": {"securityContext": {"fsGroup": 5000}}})
    yield Feature("security/values/seccomp", values={"gateways": {"seccompProfile": {"type": "RuntimeDefault"}}})
    for name, value in FIELDS.items():
        yield Feature(f"pod/{name}", patches=[(f"{POD}.{name.split('-')[0]}", value)])
    on_host = [(f"{POD}.hostNetwork", True), (f"{POD}.dnsPolicy", "ClusterFirstWithHostNet")]
    yield Feature("pod/hostNetwork-and-dns", patches=on_host)
    scheduling = {"nodeSelector": {"pool": "edge"}, "affinity": _AFFINITY, "priorityClassName": "system-node-critical"}
    for key, value in scheduling.items():
        yield Feature(f"pod/k8s/{key}", k8s={key: value})
    yield Feature("pod/k8s/tolerations", k8s={"tolerations": FIELDS["tolerations"]})
    yield Feature("workload/daemonset", patches=_daemonset())
    yield Feature("workload/daemonset-host-network", patches=[*_daemonset(), *on_host])
    for namespace in (*PASSED_OVER, "edge", "default"):
        yield Feature(f"namespace/{namespace}", gateway={"namespace": namespace})


def _daemonset() -> list[tuple[str, Any]]:
    return [("kind", "DaemonSet"), ("spec.strategy", DELETE), ("spec.replicas", DELETE)]
