"""Volumes and mounts: each name that the chart or the injector uses with each source, and each of their places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.pods.gateways.features import DELETE, POD, PROXY, Feature

#: Names of istioctl's chart.
IN_CHART = (
    "workload-socket",
    "credential-socket",
    "workload-certs",
    "istiod-ca-cert",
    "podinfo",
    "istio-envoy",
    "istio-data",
    "istio-token",
    "config-volume",
)
#: Names of the injector alone, some under a condition, and of nobody.
OTHERS = ("istio-podinfo", "gke-workload-certificate", "istio-certs", "custom-bootstrap-volume", "my-own")
_TOKEN = {"serviceAccountToken": {"path": "istio-token", "expirationSeconds": 3600, "audience": "other"}}
SOURCES: dict[str, Any] = {
    "emptyDir": {"emptyDir": {}},
    "sizeLimit": {"emptyDir": {"sizeLimit": "64Mi"}},
    "memory": {"emptyDir": {"medium": "Memory"}},
    "hostPath": {"hostPath": {"path": "/var/run/agent", "type": "DirectoryOrCreate"}},
    "configMap": {"configMap": {"name": "settings"}},
    "secret": {"secret": {"secretName": "settings"}},
    "projected": {"projected": {"sources": [_TOKEN]}},
    "downwardAPI": {"downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}},
    "csi": {"csi": {"driver": "csi.example.com", "readOnly": True}},
    "claim": {"persistentVolumeClaim": {"claimName": "data"}},
    "ephemeral": {
        "ephemeral": {
            "volumeClaimTemplate": {
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
            }
        }
    },
}
#: Places of istioctl's chart, with the volume there.
PLACES = {
    "/var/run/secrets/workload-spiffe-uds": "workload-socket",
    "/var/run/secrets/credential-uds": "credential-socket",
    "/var/run/secrets/workload-spiffe-credentials": "workload-certs",
    "/etc/istio/proxy": "istio-envoy",
    "/etc/istio/config": "config-volume",
    "/var/run/secrets/istio": "istiod-ca-cert",
    "/var/run/secrets/tokens": "istio-token",
    "/var/lib/istio/data": "istio-data",
    "/etc/istio/pod": "podinfo",
}
_FREE = ("/etc/certs", "/etc/istio/custom-bootstrap", "/etc/my-own")


def features() -> Iterator[Feature]:
    """Every volume by every source, every place by every way of mounting there."""
    for name in IN_CHART:
        for kind, source in SOURCES.items():
            whole = {"name": name, **source}
            yield Feature(f"volume/{kind}/{name}", patches=[(f"{POD}.volumes.[name:{name}]", whole)])
        yield Feature(f"volume/deleted/{name}", patches=_without(name))
    for name in OTHERS:
        for kind, source in SOURCES.items():
            yield Feature(f"volume/{kind}/{name}", patches=_added(name, source, f"/etc/{name}"))
    yield Feature("volume/field/istio-envoy", patches=[(f"{POD}.volumes.[name:istio-envoy].emptyDir.sizeLimit", "1Gi")])
    audience = f"{POD}.volumes.[name:istio-token].projected.sources.[0].serviceAccountToken.audience"
    yield Feature("volume/field/istio-token", patches=[(audience, "other")])
    mode = f"{POD}.volumes.[name:istiod-ca-cert].configMap.defaultMode"
    yield Feature("volume/field/istiod-ca-cert", patches=[(mode, 288)])
    name = f"{POD}.volumes.[name:istiod-ca-cert].configMap.name"
    yield Feature("volume/field/istiod-ca-cert-name", patches=[(name, "other-root")])
    item = {"path": "cpu", "resourceFieldRef": {"containerName": "istio-proxy", "resource": "limits.cpu"}}
    yield Feature("volume/field/podinfo", patches=[(f"{POD}.volumes.[name:podinfo].downwardAPI.items.[-1]", item)])
    yield Feature("volume/field/config-volume", patches=[(f"{POD}.volumes.[name:config-volume].configMap.name", "own")])
    yield from _mounts()
    for kind in ("secretVolumes", "configVolumes"):
        key = {"secretVolumes": "secretName", "configVolumes": "configMapName"}[kind]
        for name, place in (("my-own", "/etc/my-own"), ("podinfo-2", "/etc/istio/pod"), ("istio-data", "/etc/more")):
            listed = [{"name": name, key: "settings", "mountPath": place}]
            values = {"gateways": {"istio-ingressgateway": {kind: listed}}}
            yield Feature(f"volume/{kind}/{name}", values=values)
    yield Feature("volume/k8s/my-own", k8s={"volumes": [{"name": "my-own", **SOURCES["emptyDir"]}]})
    yield Feature("volume/order/first", patches=[(f"{POD}.volumes", _few())])


def _mounts() -> Iterator[Feature]:
    for place, volume in PLACES.items():
        where = f"{PROXY}.volumeMounts.[name:{volume}]"
        own = {"name": "my-own", "mountPath": place}
        added = (f"{POD}.volumes.[-1]", {"name": "my-own", **SOURCES["emptyDir"]})
        yield Feature(f"mount/replaced/{volume}", patches=[added, (where, own)])
        yield Feature(f"mount/read-only/{volume}", patches=[(f"{where}.readOnly", True)])
        yield Feature(f"mount/sub-path/{volume}", patches=[(f"{where}.subPath", "one")])
        yield Feature(f"mount/moved/{volume}", patches=[(f"{where}.mountPath", "/moved")])
        yield Feature(f"mount/deleted/{volume}", patches=[(where, DELETE)])
        twice = {"name": volume, "mountPath": "/twice", "readOnly": True}
        yield Feature(f"mount/twice/{volume}", patches=[(f"{PROXY}.volumeMounts.[-1]", twice)])
    for place in _FREE:
        yield Feature(f"mount/free{place}", patches=_added("my-own", SOURCES["emptyDir"], place))
    below = _added("my-own", SOURCES["secret"], "/etc/istio/pod/more")
    yield Feature("mount/below/podinfo", patches=below)
    spread = [*_added("my-own", SOURCES["hostPath"], "/host")]
    spread[-1][1]["mountPropagation"] = "HostToContainer"
    yield Feature("mount/propagation/my-own", patches=spread)


def _added(name: str, source: dict[str, Any], place: str) -> list[tuple[str, Any]]:
    mount = {"name": name, "mountPath": place}
    return [(f"{POD}.volumes.[-1]", {"name": name, **source}), (f"{PROXY}.volumeMounts.[-1]", mount)]


def _without(name: str) -> list[tuple[str, Any]]:
    return [(f"{PROXY}.volumeMounts.[name:{name}]", DELETE), (f"{POD}.volumes.[name:{name}]", DELETE)]


def _few() -> list[dict[str, Any]]:
    sources = dict.fromkeys(IN_CHART, SOURCES["emptyDir"])
    return [{"name": "my-own", **SOURCES["emptyDir"]}, *({"name": name, **source} for name, source in sources.items())]
