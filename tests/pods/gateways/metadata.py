"""Annotations and labels that the injector or its templates read, and those that only others read.

The names are those of Istio's injector and its templates at 1.23, 1.25 and 1.31 (``pkg/kube/inject`` and the istiod
chart's ``files``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.pods.gateways.features import DELETE, Feature

META = "spec.template.metadata"
#: Annotation -> values: some do something to an injected pod, some nothing, some refuse it.
ANNOTATIONS: dict[str, tuple[str, ...]] = {
    "sidecar.istio.io/inject": ("true", "false", "maybe"),
    "sidecar.istio.io/proxyImage": ("registry.example.com/proxyv2:own", "proxyv2"),
    "sidecar.istio.io/proxyImageType": ("distroless", "debug"),
    "sidecar.istio.io/logLevel": ("debug", "warning"),
    "sidecar.istio.io/componentLogLevel": ("rbac:debug", "misc:error"),
    "sidecar.istio.io/agentLogLevel": ("default:debug", "default:info"),
    "sidecar.istio.io/bootstrapOverride": ("own-bootstrap",),
    "sidecar.istio.io/interceptionMode": ("NONE", "TPROXY", "wrong"),
    "sidecar.istio.io/proxyCPU": ("200m", "wrong"),
    "sidecar.istio.io/proxyCPULimit": ("2",),
    "sidecar.istio.io/proxyMemory": ("64Mi",),
    "sidecar.istio.io/proxyMemoryLimit": ("1Gi",),
    "sidecar.istio.io/enableCoreDump": ("true",),
    "sidecar.istio.io/capNetBindService": ("true",),
    "sidecar.istio.io/nativeSidecar": ("true", "false"),
    "sidecar.istio.io/rewriteAppHTTPProbers": ("true", "false"),
    "sidecar.istio.io/userVolume": ('[{"name":"more","emptyDir":{}}]',),
    "sidecar.istio.io/userVolumeMount": ('[{"name":"more","mountPath":"/more"}]',),
    "sidecar.istio.io/status": ('{"containers":["istio-proxy"]}', "{}"),
    "sidecar.istio.io/discoveryAddress": ("istiod.other.svc:15012",),
    "sidecar.istio.io/statsInclusionPrefixes": ("cluster.outbound",),
    "sidecar.istio.io/extraStatTags": ("source_app",),
    "status.sidecar.istio.io/port": ("15020", "0", "15099", "wrong"),
    "readiness.status.sidecar.istio.io/initialDelaySeconds": ("5", "wrong"),
    "readiness.status.sidecar.istio.io/periodSeconds": ("5",),
    "readiness.status.sidecar.istio.io/failureThreshold": ("5",),
    "readiness.status.sidecar.istio.io/applicationPorts": ("8080",),
    "traffic.sidecar.istio.io/includeInboundPorts": ("80", "wrong"),
    "traffic.sidecar.istio.io/excludeInboundPorts": ("80",),
    "traffic.sidecar.istio.io/includeOutboundPorts": ("80",),
    "traffic.sidecar.istio.io/excludeOutboundPorts": ("80",),
    "traffic.sidecar.istio.io/includeOutboundIPRanges": ("10.0.0.0/8", "wrong"),
    "traffic.sidecar.istio.io/excludeOutboundIPRanges": ("10.0.0.0/8",),
    "traffic.sidecar.istio.io/excludeInterfaces": ("eth1",),
    "traffic.sidecar.istio.io/kubevirtInterfaces": ("net1",),
    "istio.io/reroute-virtual-interfaces": ("net1",),
    "inject.istio.io/templates": ("gateway", "sidecar", "grpc-agent", "grpc-simple", "gateway,sidecar", "unknown", ""),
    "proxy.istio.io/config": (
        "concurrency: 1",
        "proxyMetadata:\n  MY_OWN: given\n",
        "proxyMetadata:\n  GOMAXPROCS: given\n",
        "holdApplicationUntilProxyStarts: true",
        "image:\n  imageType: distroless\n",
        "tracing:\n  sampling: 10\n",
        "terminationDrainDuration: 30s",
        "statusPort: 15099",
        "unknown: [",
    ),
    "proxy.istio.io/overrides": (json.dumps({"containers": [{"name": "istio-proxy", "image": "x:1", "tty": True}]}),),
    "prometheus.istio.io/merge-metrics": ("false", "true", "maybe"),
    "prometheus.istio.io/secure-port": ("15021",),
    "prometheus.io/port": ("15090", "15020", "9999"),
    "prometheus.io/path": ("/metrics", "/stats/prometheus"),
    "prometheus.io/scrape": ("false", "true"),
    "istio.io/rev": ("other", "default"),
    "topology.istio.io/network": ("net-1",),
    "networking.istio.io/tunnel": ("http",),
    "kubectl.kubernetes.io/default-container": ("istio-proxy", "other"),
    "kubectl.kubernetes.io/default-logs-container": ("istio-proxy",),
    "k8s.v1.cni.cncf.io/networks": ("macvlan",),
    "apm.datadoghq.com/env": ('{"DD_ENV":"prod"}',),
    "ad.datadoghq.com/istio-proxy.logs": ("[]",),
    "cluster-autoscaler.kubernetes.io/safe-to-evict": ("true",),
    "container.apparmor.security.beta.kubernetes.io/istio-proxy": ("runtime/default",),
}
#: Label -> values.
LABELS: dict[str, tuple[str, ...]] = {
    "sidecar.istio.io/inject": ("true", "false"),
    "istio.io/rev": ("other", "default"),
    "topology.istio.io/network": ("net-1",),
    "service.istio.io/canonical-name": ("front",),
    "service.istio.io/canonical-revision": ("v9",),
    "service.istio.io/workload-name": ("front",),
    "security.istio.io/tlsMode": ("istio", "disabled"),
    "networking.istio.io/tunnel": ("http",),
    "networking.istio.io/gatewayPort": ("15443",),
    "istio.io/dataplane-mode": ("ambient",),
    "istio-locality": ("region.zone",),
    "app": ("other",),
    "istio": ("other",),
    "version": ("v9",),
    "app.kubernetes.io/name": ("front",),
    "app.kubernetes.io/version": ("v9",),
    "app.kubernetes.io/instance": ("front",),
    "helm.sh/chart": ("front-1",),
    "release": ("front",),
    "my-own": ("given",),
}
_CHARTS_OWN = ("sidecar.istio.io/inject", "istio.io/rev", "prometheus.io/port", "prometheus.io/scrape")


def features() -> Iterator[Feature]:
    """Every annotation by setting and by overlay, every label by overlay and by the gateway's ``label``."""
    for name, values in ANNOTATIONS.items():
        for value in values:
            short = value.splitlines()[-1].strip() if value else "empty"
            yield Feature(f"annotation/{name}={short}", k8s={"podAnnotations": {name: value}})
    for name in ("sidecar.istio.io/proxyImage", "sidecar.istio.io/logLevel", "inject.istio.io/templates"):
        path = f"{META}.annotations.{_escaped(name)}"
        yield Feature(f"annotation-overlay/{name}", patches=[(path, ANNOTATIONS[name][0])])
        given = {"gateways": {"istio-ingressgateway": {"podAnnotations": {name: ANNOTATIONS[name][0]}}}}
        yield Feature(f"annotation-values/{name}", values=given)
    for name in (*_CHARTS_OWN, "prometheus.io/path"):
        yield Feature(f"annotation-deleted/{name}", patches=[(f"{META}.annotations.{_escaped(name)}", DELETE)])
    yield Feature("annotation-deleted/all", patches=[(f"{META}.annotations", DELETE)])
    for name, values in LABELS.items():
        for value in values:
            path = f"{META}.labels.{_escaped(name)}"
            yield Feature(f"label-overlay/{name}={value}", patches=[(path, value)])
            if name not in ("sidecar.istio.io/inject",):
                yield Feature(f"label/{name}={value}", gateway={"label": {name: value}})
    for name in ("sidecar.istio.io/inject", "istio.io/rev", "service.istio.io/canonical-name", "chart", "release"):
        yield Feature(f"label-deleted/{name}", patches=[(f"{META}.labels.{_escaped(name)}", DELETE)])


def _escaped(name: str) -> str:
    return name.replace(".", "\\.")
