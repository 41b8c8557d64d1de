"""Random operators: known fields with plausible and implausible values, and trees that are nothing known."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = st.sampled_from(["istio-ingressgateway", "istio-egressgateway", "edge", "istio-eastwestgateway"])
WORDS = st.sampled_from(["a", "b-c", "true", "1", "0644", "on", "1.20", "${X}", "{{ x }}", "%REQ(:PATH)%", "ü", ""])
SCALARS = st.one_of(WORDS, st.integers(-5, 70000), st.booleans(), st.none(), st.floats(0, 9, allow_nan=False))
KEYS = st.sampled_from(["enabled", "name", "app.kubernetes.io/x", "x", "global", "hub", "resources", "labels"])
TREES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=3), max_leaves=6
)
TEXTS = st.dictionaries(st.sampled_from(["a.b/c", "team", "x"]), st.sampled_from(["1", "true", "edge"]), max_size=2)
PORTS = st.lists(
    st.fixed_dictionaries(
        {"port": st.sampled_from([80, 443, 15021])},
        optional={"name": WORDS, "targetPort": st.sampled_from([8080, 8443])},
    ),
    max_size=3,
)
RESOURCES = st.fixed_dictionaries(
    {},
    optional={
        "requests": st.dictionaries(st.sampled_from(["cpu", "memory"]), st.sampled_from(["100m", "1Gi", "2", None])),
        "limits": st.dictionaries(st.sampled_from(["cpu", "memory"]), st.sampled_from(["200m", "2Gi"])),
    },
)
PATHS = st.sampled_from(
    [
        "spec.template.spec.dnsConfig",
        "spec.template.spec.containers.[name:istio-proxy].lifecycle",
        "spec.template.spec.containers.[name:discovery].args.[-1]",
        "spec.template.spec.containers[0].securityContext",
        "spec.template.spec.volumes.[name:workload-socket]",
        "spec.template.spec.volumes[1]",
        "spec.template.metadata.labels.a\\.b/c",
        "spec.template.spec.hostNetwork",
        "spec.type",
        "spec.ports.[name:http2].nodePort",
        "spec.minAvailable",
        "spec.nowhere.[name:x].y",
        "metadata.annotations",
        "",
    ]
)
OVERLAYS = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["Deployment", "Service", "PodDisruptionBudget", "DaemonSet", "Role", "Gateway"]),
            "name": st.sampled_from(["istiod", "istio-ingressgateway", "istio-cni-node", "ztunnel", "nobody"]),
        },
        optional={
            "apiVersion": st.just("apps/v1"),
            "patches": st.lists(st.fixed_dictionaries({"path": PATHS}, optional={"value": TREES}), max_size=3),
        },
    ),
    max_size=2,
)
K8S = st.fixed_dictionaries(
    {},
    optional={
        "affinity": st.dictionaries(st.sampled_from(["podAntiAffinity", "nodeAffinity"]), TREES, max_size=2),
        "env": st.lists(
            st.one_of(
                st.fixed_dictionaries({"name": WORDS, "value": SCALARS}),
                st.fixed_dictionaries({"name": WORDS, "valueFrom": st.just({"fieldRef": {"fieldPath": "x"}})}),
            ),
            max_size=3,
        ),
        "hpaSpec": st.fixed_dictionaries(
            {},
            optional={
                "minReplicas": st.integers(0, 4),
                "maxReplicas": st.integers(1, 9),
                "metrics": st.lists(
                    st.sampled_from(
                        [
                            {"type": "Resource", "resource": {"name": "cpu", "targetAverageUtilization": 60}},
                            {
                                "type": "Resource",
                                "resource": {
                                    "name": "memory",
                                    "target": {"type": "Utilization", "averageUtilization": 70},
                                },
                            },
                            {"type": "Pods", "pods": {"metricName": "rps", "targetAverageValue": "10"}},
                        ]
                    ),
                    max_size=2,
                ),
                "scaleTargetRef": st.just({"apiVersion": "apps/v1", "kind": "Deployment", "name": "istiod"}),
            },
        ),
        "imagePullPolicy": st.sampled_from(["Always", "IfNotPresent"]),
        "nodeSelector": TEXTS,
        "podAnnotations": TEXTS,
        "podDisruptionBudget": st.dictionaries(
            st.sampled_from(["minAvailable", "maxUnavailable"]), st.sampled_from([1, "50%"]), max_size=2
        ),
        "priorityClassName": st.sampled_from(["high", ""]),
        "readinessProbe": st.just({"periodSeconds": 7}),
        "replicaCount": st.integers(0, 3),
        "resources": RESOURCES,
        "securityContext": st.just({"runAsUser": 1000}),
        "service": st.fixed_dictionaries(
            {},
            optional={
                "type": st.sampled_from(["LoadBalancer", "NodePort", "ClusterIP"]),
                "ports": PORTS,
                "externalTrafficPolicy": st.just("Local"),
                "sessionAffinity": st.just("ClientIP"),
            },
        ),
        "serviceAnnotations": TEXTS,
        "strategy": st.sampled_from([{"type": "Recreate"}, {"rollingUpdate": {"maxSurge": 1}}, {}]),
        "tolerations": st.lists(st.just({"key": "x", "operator": "Exists"}), max_size=2),
        "volumes": st.lists(st.just({"name": "v", "emptyDir": {}}), max_size=1),
        "overlays": OVERLAYS,
    },
)
COMPONENT = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans(),
        "namespace": st.sampled_from(["istio-system", "kube-system"]),
        "hub": st.just("registry.example.com/istio"),
        "tag": st.sampled_from(["1.23.2", "latest", 1.2, "1.25.3-distroless"]),
        "k8s": K8S,
    },
)
GATEWAY = st.fixed_dictionaries(
    {"name": NAMES},
    optional={"enabled": st.booleans(), "namespace": st.just("gateways"), "label": TEXTS, "k8s": K8S},
)
GATEWAY_VALUES = st.fixed_dictionaries(
    {},
    optional={
        "autoscaleEnabled": st.booleans(),
        "autoscaleMin": st.integers(0, 3),
        "replicaCount": st.integers(0, 3),
        "type": st.sampled_from(["NodePort", "ClusterIP"]),
        "ports": PORTS,
        "env": st.dictionaries(st.sampled_from(["A", "ISTIO_META_NETWORK"]), WORDS, max_size=2),
        "nodeSelector": TEXTS,
        "serviceAnnotations": TEXTS,
        "resources": RESOURCES,
        "runAsRoot": st.booleans(),
        "customService": st.booleans(),
        "labels": TEXTS,
        "secretVolumes": st.lists(st.just({"name": "s", "secretName": "s", "mountPath": "/s"}), max_size=1),
        "unknown": TREES,
    },
)
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "global": st.dictionaries(
            st.sampled_from(["hub", "tag", "imagePullSecrets", "network", "logAsJson", "priorityClassName", "x"]),
            TREES,
            max_size=3,
        ),
        "pilot": st.dictionaries(
            st.sampled_from(["env", "traceSampling", "resources", "autoscaleEnabled", "x"]), TREES
        ),
        "gateways": st.dictionaries(st.sampled_from(["istio-ingressgateway", "istio-egressgateway"]), GATEWAY_VALUES),
        "cni": st.dictionaries(st.sampled_from(["excludeNamespaces", "logLevel", "x"]), TREES, max_size=2),
        "kiali": TREES,
    },
)
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "profile": st.sampled_from(
            ["default", "demo", "minimal", "ambient", "empty", "openshift", "preview", "nobody"]
        ),
        "hub": st.just("registry.example.com/istio"),
        "tag": st.sampled_from(["1.23.2", "1.25.3", "latest", 1.2]),
        "revision": st.sampled_from(["blue", "1-23-2"]),
        "meshConfig": st.dictionaries(st.sampled_from(["accessLogFile", "defaultConfig", "x"]), TREES, max_size=2),
        "components": st.fixed_dictionaries(
            {},
            optional={
                "base": COMPONENT,
                "pilot": COMPONENT,
                "cni": COMPONENT,
                "ztunnel": COMPONENT,
                "policy": COMPONENT,
                "ingressGateways": st.lists(GATEWAY, max_size=2),
                "egressGateways": st.lists(GATEWAY, max_size=1),
            },
        ),
        "values": VALUES,
        "unvalidatedValues": st.dictionaries(KEYS, TREES, max_size=2),
        "addonComponents": st.dictionaries(st.sampled_from(["kiali", "x"]), st.just({"enabled": True}), max_size=2),
        "nonsense": TREES,
    },
)
OPERATORS = st.fixed_dictionaries(
    {"apiVersion": st.just("install.istio.io/v1alpha1"), "kind": st.just("IstioOperator"), "spec": SPECS},
    optional={"metadata": st.just({"name": "x", "namespace": "istio-system"}), "status": TREES},
)
