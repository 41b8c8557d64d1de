"""Containers: the proxy's own fields, init containers, and further ones beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.pods.gateways.features import DELETE, POD, PROXY, Feature, Tree

IMAGE = "registry.example.com/proxyv2:own"
_RESOURCES = {"requests": {"cpu": "200m", "memory": "256Mi"}, "limits": {"memory": "512Mi"}}
#: Fields of the proxy's container that no setting of the operator reaches.
OWN: dict[str, Any] = {
    "image": IMAGE,
    "image-untagged": "registry.example.com/proxyv2",
    "image-auto": "auto",
    "command": ["/usr/local/bin/pilot-agent"],
    "workingDir": "/tmp",
    "tty": True,
    "stdin": True,
    "terminationMessagePath": "/dev/stderr",
    "terminationMessagePolicy": "FallbackToLogsOnError",
    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
}
#: Volumes that a container beside the proxy may mount: of istioctl's chart, and of the injector.
MOUNTED = ("podinfo", "istio-podinfo", "config-volume", "istio-data", "istio-envoy", "workload-socket", "istio-token")
PROBES: dict[str, Any] = {
    "httpGet": {"httpGet": {"path": "/live", "port": 8000}},
    "httpGet-https": {"httpGet": {"path": "/live", "port": 8000, "scheme": "HTTPS"}},
    "httpGet-named": {"httpGet": {"path": "/live", "port": "web"}},
    "tcpSocket": {"tcpSocket": {"port": 8000}},
    "grpc": {"grpc": {"port": 8000}},
    "exec": {"exec": {"command": ["true"]}},
}


def features() -> Iterator[Feature]:
    """Every field of every container."""
    for name, value in OWN.items():
        yield Feature(f"proxy/{name}", patches=[(f"{PROXY}.{name.split('-')[0]}", value)])
    for policy in ("Always", "IfNotPresent", "Never"):
        yield Feature(f"proxy/imagePullPolicy/{policy}", k8s={"imagePullPolicy": policy})
        yield Feature(f"proxy/imagePullPolicy-overlay/{policy}", patches=[(f"{PROXY}.imagePullPolicy", policy)])
        yield Feature(f"proxy/imagePullPolicy-global/{policy}", values={"global": {"imagePullPolicy": policy}})
    yield Feature("proxy/args/replaced", patches=[(f"{PROXY}.args", ["proxy", "router", "--proxyLogLevel=debug"])])
    yield Feature("proxy/args/appended", patches=[(f"{PROXY}.args.[-1]", "--log_as_json")])
    yield Feature("proxy/args/changed", patches=[(f"{PROXY}.args.[4]", "--proxyLogLevel=debug")])
    yield Feature("proxy/args/deleted", patches=[(f"{PROXY}.args.[4]", DELETE)])
    yield Feature("proxy/resources/k8s", k8s={"resources": _RESOURCES})
    yield Feature("proxy/resources/overlay", patches=[(f"{PROXY}.resources", _RESOURCES)])
    yield Feature("proxy/resources/deleted", patches=[(f"{PROXY}.resources", DELETE)])
    yield Feature("proxy/resources/no-limits", patches=[(f"{PROXY}.resources.limits", DELETE)])
    yield Feature("proxy/resources/odd-units", k8s={"resources": {"requests": {"cpu": 0.5, "memory": "1e3Ki"}}})
    yield from _ports()
    yield from _init()
    yield from _beside()


def _ports() -> Iterator[Feature]:
    for name, port in (
        ("added", {"containerPort": 9000, "name": "more"}),
        ("host-port", {"containerPort": 8080, "hostPort": 80}),
        ("udp", {"containerPort": 8443, "protocol": "UDP", "name": "quic"}),
        ("taken-name", {"containerPort": 9000, "name": "http-envoy-prom"}),
    ):
        yield Feature(f"proxy/port/{name}", patches=[(f"{PROXY}.ports.[-1]", port)])
    yield Feature("proxy/port/deleted", patches=[(f"{PROXY}.ports", DELETE)])
    yield Feature("proxy/port/replaced", patches=[(f"{PROXY}.ports", [{"containerPort": 8080, "name": "web"}])])
    listed = [{"name": "https", "port": 443, "targetPort": 8443}, {"name": "tcp", "port": 31400, "targetPort": 31400}]
    yield Feature("proxy/port/service", k8s={"service": {"ports": listed}})


def _container(name: str, **more: Any) -> Tree:
    return {"name": name, "image": "registry.example.com/tool:1", **more}


def _init() -> Iterator[Feature]:
    place = f"{POD}.initContainers"
    for name, made in (
        ("plain", _container("prepare", command=["true"])),
        ("native-sidecar", _container("prepare", restartPolicy="Always")),
        ("named-istio-init", _container("istio-init")),
        ("named-istio-validation", _container("istio-validation")),
        ("named-istio-proxy", _container("istio-proxy")),
        ("root", _container("prepare", securityContext={"runAsUser": 0, "runAsNonRoot": False})),
    ):
        yield Feature(f"init/{name}", patches=[(place, [made])])
    for volume in MOUNTED:
        made = _container("prepare", volumeMounts=[{"name": volume, "mountPath": "/mounted"}])
        yield Feature(f"init/mounts/{volume}", patches=[(place, [made])])
    probed = _container("prepare", restartPolicy="Always", startupProbe=PROBES["httpGet"])
    yield Feature("init/native-sidecar-probed", patches=[(place, [probed])])


def _beside() -> Iterator[Feature]:
    place = f"{POD}.containers.[-1]"
    ports = [{"containerPort": 8000, "name": "web"}]
    yield Feature("beside/plain", patches=[(place, _container("helper"))])
    yield Feature("beside/ports", patches=[(place, _container("helper", ports=ports))])
    first = [_container("helper"), _container("other", ports=ports)]
    yield Feature("beside/two", patches=[(place, one) for one in first])
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        for handler, setting in PROBES.items():
            made = _container("helper", ports=ports, **{probe: setting})
            yield Feature(f"beside/{probe}/{handler}", patches=[(place, made)])
    for handler in ("httpGet", "tcpSocket", "exec"):
        made = _container("helper", ports=ports, lifecycle={"preStop": PROBES[handler]})
        yield Feature(f"beside/preStop/{handler}", patches=[(place, made)])
    for volume in MOUNTED:
        made = _container("helper", volumeMounts=[{"name": volume, "mountPath": "/mounted"}])
        yield Feature(f"beside/mounts/{volume}", patches=[(place, made)])
    listed = {"additionalContainers": [_container("helper", ports=ports, livenessProbe=PROBES["httpGet"])]}
    yield Feature("beside/values/helper", values={"gateways": {"istio-ingressgateway": listed}})
    same = {"kubectl.kubernetes.io/default-container": "istio-proxy"}
    named = Feature("beside/default-container", patches=[(place, _container("helper"))], k8s={"podAnnotations": same})
    yield named
