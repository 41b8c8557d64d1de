"""Gateways whose control plane is another operator's, another revision's, or nobody's here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.pods.gateways.features import Case, Feature, Tree, document, operator

#: What each of the planes is tried with: what needs the injector's help, what wakes, what passes.
TRIED = (
    "env/value/GOMAXPROCS",
    "env/field/CA_ADDR",
    "env/value/MY_OWN",
    "probe/readinessProbe-overlay/exec",
    "probe/number/periodSeconds-7",
    "volume/csi/workload-socket",
    "volume/claim/istio-data",
    "volume/field/istio-token",
    "mount/moved/istio-data",
    "init/mounts/podinfo",
    "beside/livenessProbe/httpGet",
    "pod/hostNetwork-and-dns",
    "proxy/image",
    "annotation/sidecar.istio.io/logLevel=debug",
    "annotation/prometheus.io/port=15090",
    "annotation/inject.istio.io/templates=grpc-agent",
    "values/global/network",
    "namespace/kube-system",
    "namespace/edge",
)
#: name -> the fields of ``spec`` that the operator begins with.
PLANES: dict[str, Tree] = {
    "alone": {"profile": "empty"},
    "alone-revision": {"profile": "empty", "revision": "canary"},
    "revision": {"profile": "default", "revision": "canary"},
    "no-istiod": {"profile": "default", "components": {"pilot": {"enabled": False}}},
    "external": {"profile": "empty", "values": {"global": {"externalIstiod": True, "istioNamespace": "external"}}},
}


def cases(features: Sequence[Feature]) -> Iterator[Case]:
    """Some features in an operator of their own kind, and in two operators of one stream."""
    by_name = {feature.name: feature for feature in features}
    tried = [by_name[name] for name in TRIED]
    for plane, spec in PLANES.items():
        for feature in (Feature("bare"), *tried):
            yield Case(f"plane/{plane}/{feature.name}", operator([feature], spec=spec))
    control = document({"profile": "minimal"}, "control")
    for feature in (Feature("bare"), *tried):
        edge = operator([feature], spec={"profile": "empty"}, name="edges")
        yield Case(f"plane/two-operators/{feature.name}", f"{control}---\n{edge}")
