"""Values: those of the gateways' chart, and those of the mesh that reach every gateway."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.pods.gateways.features import Feature

#: Values of ``gateways.istio-ingressgateway`` that reach the pod.
GATEWAY: dict[str, Any] = {
    "labels": {"app": "istio-ingressgateway", "istio": "ingressgateway", "team": "edge"},
    "podAnnotations": {"example.com/owner": "edge"},
    "env": {"MY_OWN": "given"},
    "resources": {"requests": {"cpu": "200m"}},
    "nodeSelector": {"pool": "edge"},
    "tolerations": [{"key": "edge", "operator": "Exists"}],
    "podAntiAffinityLabelSelector": [
        {"key": "app", "operator": "In", "values": "istio-ingressgateway", "topologyKey": "kubernetes.io/hostname"}
    ],
    "podAntiAffinityTermLabelSelector": [
        {"key": "app", "operator": "In", "values": "istio-ingressgateway", "topologyKey": "kubernetes.io/hostname"}
    ],
    "ports": [{"port": 443, "targetPort": 8443, "name": "https"}],
    "secretVolumes": [],
    "injectionTemplate": "gateway",
    "autoscaleEnabled": False,
    "replicaCount": 3,
    "runAsRoot": False,
}
#: Values under ``global`` that reach the pod.
GLOBAL: dict[str, Any] = {
    "imagePullSecrets": ["registry"],
    "network": "net-1",
    "meshID": "mesh-1",
    "multiCluster": {"clusterName": "cluster-1"},
    "caAddress": "ca.example.com:443",
    "trustDomain": "td.example.com",
    "logAsJson": True,
    "logging": {"level": "default:debug"},
    "priorityClassName": "system-cluster-critical",
    "defaultResources": {"requests": {"cpu": "20m"}},
    "defaultTolerations": [{"key": "mesh", "operator": "Exists"}],
    "defaultNodeSelector": {"pool": "mesh"},
    "mountMtlsCerts": True,
    "pilotCertProvider": "kubernetes",
    "caName": "GkeWorkloadCertificate",
    "sts": {"servicePort": 15463},
    "sds": {"token": {"aud": "other"}},
    "hub": "registry.example.com/istio",
    "tag": "1.25.3-own.1",
    "variant": "distroless",
    "platform": "openshift",
    "arch": {"amd64": 3},
    "externalIstiod": True,
    "istioNamespace": "istio-control",
    "trustBundleName": "own-root",
}
PROXY: dict[str, Any] = {
    "logLevel": "debug",
    "componentLogLevel": "rbac:debug",
    "clusterDomain": "example.local",
    "image": "proxyv2-own",
    "image-full": "registry.example.com/proxyv2:own",
    "resources": {"requests": {"cpu": "1"}},
    "autoInject": "disabled",
    "privileged": True,
    "holdApplicationUntilProxyStarts": True,
    "enableCoreDump": True,
    "variant": "debug",
}
MESH: dict[str, Any] = {
    "trust-domain": {"trustDomain": "td.example.com"},
    "metadata": {"defaultConfig": {"proxyMetadata": {"ISTIO_META_DNS_CAPTURE": "true"}}},
    "no-merge": {"enablePrometheusMerge": False},
    "image-type": {"defaultConfig": {"image": {"imageType": "distroless"}}},
    "tracing": {"defaultConfig": {"tracing": {"sampling": 10}}},
    "discovery": {"defaultConfig": {"discoveryAddress": "istiod.other.svc:15012"}},
    "hold": {"defaultConfig": {"holdApplicationUntilProxyStarts": True}},
    "status-port": {"defaultConfig": {"statusPort": 15099}},
    "concurrency": {"defaultConfig": {"concurrency": 1}},
    "mode": {"defaultConfig": {"interceptionMode": "TPROXY"}},
}
_OWN_TEMPLATE = 'spec:\n  containers:\n  - name: istio-proxy\n    env:\n    - name: FROM_TEMPLATE\n      value: "1"\n'
INJECTOR: dict[str, Any] = {
    "further-template": {"templates": {"more": _OWN_TEMPLATE}},
    "further-default": {"templates": {"more": _OWN_TEMPLATE}, "defaultTemplates": ["sidecar", "more"]},
    "own-gateway-template": {"templates": {"gateway": _OWN_TEMPLATE}},
    "default-gateway": {"defaultTemplates": ["gateway"]},
    "no-rewrite": {"rewriteAppHTTPProbe": False},
    "annotations": {"injectedAnnotations": {"example.com/injected": "yes"}},
    "never": {"neverInjectSelector": [{"matchLabels": {"istio": "ingressgateway"}}]},
    "by-default": {"enableNamespacesByDefault": True},
}


def features() -> Iterator[Feature]:
    """Every value that reaches a gateway's pod."""
    for name, value in GATEWAY.items():
        yield Feature(f"values/gateway/{name}", values={"gateways": {"istio-ingressgateway": {name: value}}})
    for name, value in GLOBAL.items():
        yield Feature(f"values/global/{name}", values={"global": {name: value}})
    for name, value in PROXY.items():
        yield Feature(f"values/proxy/{name}", values={"global": {"proxy": {name.split("-")[0]: value}}})
    for name, value in MESH.items():
        yield Feature(f"mesh/{name}", mesh=value)
    for name, value in INJECTOR.items():
        yield Feature(f"injector/{name}", values={"sidecarInjectorWebhook": value})
    policy = {"env": {"COMPLIANCE_POLICY": "fips-140-2"}}
    yield Feature("values/pilot/compliance", values={"pilot": policy})
    yield Feature("spec/hub", spec={"hub": "registry.example.com/istio"})
    yield Feature("spec/tag-own", spec={"tag": "1.25.3-own.1"})
    yield Feature("spec/gateway-tag", gateway={"tag": "1.24.0"})
    yield Feature("spec/gateway-hub", gateway={"hub": "registry.example.com/istio"})
    for profile in ("demo", "minimal", "openshift", "ambient", "remote", "preview", "stable"):
        yield Feature(f"profile/{profile}", spec={"profile": profile})
