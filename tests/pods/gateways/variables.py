"""Environment variables: each name that istioctl's chart or the injector sets, by value and by reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.pods.gateways.features import DELETE, PROXY, Feature

#: Names that the injection template of a gateway gives by ``valueFrom``.
BY_REFERENCE = (
    "POD_NAME",
    "POD_NAMESPACE",
    "INSTANCE_IP",
    "SERVICE_ACCOUNT",
    "HOST_IP",
    "ISTIO_CPU_LIMIT",
    "GOMEMLIMIT",
    "GOMAXPROCS",
    "ISTIO_META_NODE_NAME",
)
#: Names that it gives by ``value``, some under a condition.
BY_VALUE = (
    "PILOT_CERT_PROVIDER",
    "CA_ADDR",
    "PROXY_CONFIG",
    "ISTIO_META_POD_PORTS",
    "ISTIO_META_APP_CONTAINERS",
    "ISTIO_META_CLUSTER_ID",
    "ISTIO_META_INTERCEPTION_MODE",
    "ISTIO_META_WORKLOAD_NAME",
    "ISTIO_META_OWNER",
    "ISTIO_META_MESH_ID",
    "TRUST_DOMAIN",
    "ISTIO_META_NETWORK",
    "COMPLIANCE_POLICY",
    "GODEBUG",
    "ISTIO_BOOTSTRAP_OVERRIDE",
)
#: Names of istioctl's chart alone, of what the injector writes afterwards, and of nobody.
OTHERS = (
    "NODE_NAME",
    "ISTIO_META_UNPRIVILEGED_POD",
    "ISTIO_META_REQUESTED_NETWORK_VIEW",
    "ISTIO_META_DNS_CAPTURE",
    "ISTIO_PROMETHEUS_ANNOTATIONS",
    "ISTIO_KUBE_APP_PROBERS",
    "ENVOY_SECURE_MERGED_METRICS_PORT",
    "MY_OWN",
)
#: Names that istioctl's chart gives.
IN_CHART = (
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
    "ISTIO_META_MESH_ID",
    "TRUST_DOMAIN",
    "ISTIO_META_UNPRIVILEGED_POD",
    "ISTIO_META_CLUSTER_ID",
    "ISTIO_META_NODE_NAME",
)
NAMES = (*BY_REFERENCE, *BY_VALUE, *OTHERS)
REFERENCES: dict[str, Any] = {
    "field": {"fieldRef": {"fieldPath": "metadata.uid"}},
    "resource": {"resourceFieldRef": {"resource": "requests.cpu"}},
    "configmap": {"configMapKeyRef": {"name": "settings", "key": "one", "optional": True}},
    "secret": {"secretKeyRef": {"name": "settings", "key": "one"}},
}


def features() -> Iterator[Feature]:
    """Every variable by every way that an operator has of setting one."""
    for name in NAMES:
        yield Feature(f"env/value/{name}", k8s={"env": [{"name": name, "value": "given"}]})
        yield Feature(f"env/field/{name}", k8s={"env": [{"name": name, "valueFrom": REFERENCES["field"]}]})
    for name in ("GOMAXPROCS", "CA_ADDR", "ISTIO_META_NETWORK", "MY_OWN"):
        for kind in ("resource", "configmap", "secret"):
            yield Feature(f"env/{kind}/{name}", k8s={"env": [{"name": name, "valueFrom": REFERENCES[kind]}]})
        yield Feature(f"env/empty/{name}", k8s={"env": [{"name": name, "value": ""}]})
        yield Feature(f"env/none/{name}", k8s={"env": [{"name": name}]})
        yield Feature(f"env/number/{name}", k8s={"env": [{"name": name, "value": "4"}]})
        yield Feature(f"env/values/{name}", values=_values({"env": {name: "given"}}))
        yield Feature(f"env/metadata/{name}", mesh={"defaultConfig": {"proxyMetadata": {name: "given"}}})
    for name in IN_CHART:
        yield Feature(f"env/deleted/{name}", patches=[(f"{PROXY}.env.[name:{name}]", DELETE)])
        yield Feature(f"env/overlay-value/{name}", patches=[(f"{PROXY}.env.[name:{name}].value", "given")])
    yield Feature("env/overlay-field/CA_ADDR", patches=[(f"{PROXY}.env.[name:CA_ADDR].valueFrom", REFERENCES["field"])])
    for name in IN_CHART:
        place = f"{PROXY}.env.[name:{name}]"
        yield Feature(f"env/whole-value/{name}", patches=[(place, {"name": name, "value": "given"})])
        yield Feature(f"env/whole-field/{name}", patches=[(place, {"name": name, "valueFrom": REFERENCES["field"]})])
    for name in ("GOMAXPROCS", "MY_OWN", "PROXY_CONFIG"):
        yield Feature(f"env/appended/{name}", patches=[(f"{PROXY}.env.[-1]", {"name": name, "value": "given"})])
    short = [{"name": "POD_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}]
    yield Feature("env/list/replaced", patches=[(f"{PROXY}.env", [*short, {"name": "MY_OWN", "value": "given"}])])
    yield Feature("env/list/deleted", patches=[(f"{PROXY}.env", DELETE)])
    for name in ("POD_NAME", "NODE_NAME", "GOMAXPROCS", "ISTIO_META_CLUSTER_ID"):
        yield Feature(f"env/refers-to/{name}", k8s={"env": [{"name": "MY_OWN", "value": f"at-$({name})"}]})
    yield Feature("env/from/configmap", patches=[(f"{PROXY}.envFrom", [{"configMapRef": {"name": "settings"}}])])
    yield Feature("env/from/secret", patches=[(f"{PROXY}.envFrom", [{"secretRef": {"name": "settings"}}])])


def _values(gateway: dict[str, Any]) -> dict[str, Any]:
    return {"gateways": {"istio-ingressgateway": gateway}}
