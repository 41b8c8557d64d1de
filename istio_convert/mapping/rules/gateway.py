"""Gateways: what istioctl's gateway charts render, and the value of the gateway chart for each place.

A place reaches this table from three sides: ``values.gateways.istio-<in|e>gressgateway.*``, ``components.*Gateways[].k8s``
and overlays. By then they are merged, so one entry serves all three.
"""

from __future__ import annotations

from istio_convert.mapping.gateway_convert import (
    budget_spec,
    container_security,
    gateway_env,
    hpa_metrics,
    plain_ports,
    pod_annotations,
    quantities,
)
from istio_convert.mapping.model import POD, Example, GatewaySlot

_PROXY = (*POD, "containers", ("name", "istio-proxy"))
_GATEWAY = "istio-ingressgateway"


def _k8s(text: str) -> str:
    return f"components: {{ingressGateways: [{{name: istio-ingressgateway, enabled: true, k8s: {text}}}]}}"


def _overlay(kind: str, path: str, value: str) -> str:
    return _k8s(
        f"{{overlays: [{{kind: {kind}, name: istio-ingressgateway, patches: [{{path: '{path}', value: {value}}}]}}]}}"
    )


def _values(text: str) -> str:
    return f"values: {{gateways: {{istio-ingressgateway: {text}}}}}"


def _pod(
    name: str, value: tuple[str, ...], why: str, example: Example, *, provided: bool = False, probe: object = None
) -> GatewaySlot:
    """An entry for a field of the pod."""
    return GatewaySlot(
        id=f"gateway.{name}",
        source=f"components.*Gateways[].k8s.{name}, overlays",
        path=(*POD, name),
        value_path=value,
        why=why,
        example=example,
        provided=provided,
        probe=probe,
    )


DEPLOYMENT: tuple[GatewaySlot, ...] = (
    GatewaySlot(
        id="gateway.replicas",
        source="values.gateways.*.replicaCount, k8s.replicaCount",
        path=("spec", "replicas"),
        value_path=("replicaCount",),
        only_without="HorizontalPodAutoscaler",
        decides_budget=True,
        explicit=True,
        probe=3,
        given={"autoscaling": {"enabled": False}},
        why="the chart reads the value only without an autoscaler; beside one istioctl still sets the field, so it is a patch",
        example=Example(
            spec="{values: {gateways: {istio-ingressgateway: {autoscaleEnabled: false, replicaCount: 3}}}}",
            release=_GATEWAY,
            values={"replicaCount": 3, "autoscaling": {"enabled": False}},
        ),
    ),
    GatewaySlot(
        id="gateway.strategy",
        source="values.gateways.*.rollingMaxSurge, k8s.strategy",
        path=("spec", "strategy"),
        value_path=("strategy",),
        probe={"rollingUpdate": {"maxSurge": "50%", "maxUnavailable": "10%"}},
        why="istioctl rolls gateways with 100%/25%, the gateway chart leaves Kubernetes' 25%/25%",
        example=Example(
            spec=_k8s("{strategy: {rollingUpdate: {maxSurge: 50%, maxUnavailable: 0}}}"),
            release=_GATEWAY,
            values={"strategy": {"rollingUpdate": {"maxSurge": "50%", "maxUnavailable": 0}}},
        ),
    ),
    GatewaySlot(
        id="gateway.minReadySeconds",
        source="overlays",
        path=("spec", "minReadySeconds"),
        value_path=("minReadySeconds",),
        probe=7,
        why="the chart copies the value into the Deployment",
        example=Example(
            spec=_overlay("Deployment", "spec.minReadySeconds", "7"), release=_GATEWAY, values={"minReadySeconds": 7}
        ),
    ),
    GatewaySlot(
        id="gateway.podAnnotations",
        source="values.gateways.*.podAnnotations, k8s.podAnnotations",
        path=("spec", "template", "metadata", "annotations"),
        value_path=("podAnnotations",),
        convert=pod_annotations,
        probe={"probe": "yes"},
        why="the chart merges the value into its own annotations; those that steer injection stay the chart's",
        example=Example(
            spec=_k8s("{podAnnotations: {team: edge}}"), release=_GATEWAY, values={"podAnnotations": {"team": "edge"}}
        ),
    ),
    _pod(
        "securityContext",
        ("securityContext",),
        "a setting replaces the chart's own block; together with istioctl's default it stays what it was",
        Example(
            spec=_k8s("{securityContext: {seccompProfile: {type: RuntimeDefault}}}"),
            release=_GATEWAY,
            values={"securityContext": {"runAsUser": 1337, "seccompProfile": {"type": "RuntimeDefault"}}},
        ),
        provided=True,
        probe={"runAsUser": 1000},
    ),
    _pod(
        "priorityClassName",
        ("priorityClassName",),
        "the chart copies the value into the pod",
        Example(spec=_k8s("{priorityClassName: edge}"), release=_GATEWAY, values={"priorityClassName": "edge"}),
        probe="edge",
    ),
    _pod(
        "nodeSelector",
        ("nodeSelector",),
        "the chart copies the value into the pod",
        Example(spec=_k8s("{nodeSelector: {pool: edge}}"), release=_GATEWAY, values={"nodeSelector": {"pool": "edge"}}),
        probe={"pool": "edge"},
    ),
    _pod(
        "affinity",
        ("affinity",),
        "the chart copies the value into the pod; values.gateways.*.nodeSelector, podAntiAffinityLabelSelector and "
        "podAntiAffinityTermLabelSelector are parts of istioctl's affinity",
        Example(
            spec=_values(
                "{podAntiAffinityLabelSelector: [{key: app, operator: In, values: 'a,b', topologyKey: zone}]}"
            ),
            release=_GATEWAY,
            values={
                "affinity": {
                    "podAntiAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": [
                            {
                                "labelSelector": {
                                    "matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "b"]}]
                                },
                                "topologyKey": "zone",
                            }
                        ]
                    }
                }
            },
        ),
        probe={"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}},
    ),
    _pod(
        "tolerations",
        ("tolerations",),
        "the gateway chart has no tolerations of its own, so the value is the list",
        Example(
            spec=_k8s("{tolerations: [{key: edge, operator: Exists}]}"),
            release=_GATEWAY,
            values={"tolerations": [{"key": "edge", "operator": "Exists"}]},
        ),
        probe=[{"key": "probe", "operator": "Exists"}],
    ),
    _pod(
        "topologySpreadConstraints",
        ("topologySpreadConstraints",),
        "the chart copies the value into the pod",
        Example(
            spec=_overlay(
                "Deployment", "spec.template.spec.topologySpreadConstraints", "[{maxSkew: 1, topologyKey: zone}]"
            ),
            release=_GATEWAY,
            values={"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone"}]},
        ),
        probe=[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
    ),
    _pod(
        "terminationGracePeriodSeconds",
        ("terminationGracePeriodSeconds",),
        "the chart copies the value into the pod",
        Example(
            spec=_overlay("Deployment", "spec.template.spec.terminationGracePeriodSeconds", "90"),
            release=_GATEWAY,
            values={"terminationGracePeriodSeconds": 90},
        ),
        probe=90,
    ),
    _pod(
        "dnsConfig",
        ("dnsConfig",),
        "a value from gateway 1.31, before that a patch",
        Example(
            spec=_overlay("Deployment", "spec.template.spec.dnsConfig", "{options: [{name: ndots, value: '1'}]}"),
            release=_GATEWAY,
            patch={"spec": {"template": {"spec": {"dnsConfig": {"options": [{"name": "ndots", "value": "1"}]}}}}},
        ),
        probe={"options": [{"name": "ndots", "value": "1"}]},
    ),
    _pod(
        "dnsPolicy",
        ("dnsPolicy",),
        "a value from gateway 1.31, before that a patch",
        Example(
            spec=_overlay("Deployment", "spec.template.spec.dnsPolicy", "None"),
            to="1.31.0",
            release=_GATEWAY,
            values={"dnsPolicy": "None"},
        ),
        probe="None",
    ),
    _pod(
        "initContainers",
        ("initContainers",),
        "a value from gateway 1.27, before that a patch",
        Example(
            spec=_overlay("Deployment", "spec.template.spec.initContainers", "[{name: wait, image: busybox}]"),
            to="1.28.10",
            release=_GATEWAY,
            values={"initContainers": [{"name": "wait", "image": "busybox"}]},
        ),
        probe=[{"name": "probe", "image": "probe"}],
    ),
    _pod(
        "volumes",
        ("volumes",),
        "secretVolumes and configVolumes are volumes of the pod; istioctl's chart mounts two optional secrets for TLS "
        "files, and files mounted there stop working without them",
        Example(
            spec=_values("{secretVolumes: [{name: certs, secretName: web, mountPath: /etc/certs}]}"),
            release=_GATEWAY,
            values={"volumes": [{"name": "certs", "secret": {"optional": True, "secretName": "web"}}]},
        ),
        probe=[{"name": "probe", "emptyDir": {}}],
    ),
    GatewaySlot(
        id="gateway.volumeMounts",
        source="values.gateways.*.secretVolumes[].mountPath, overlays",
        path=(*_PROXY, "volumeMounts"),
        value_path=("volumeMounts",),
        probe=[{"name": "probe", "mountPath": "/probe"}],
        why="mounts of the volumes above; what every proxy mounts comes from injection",
        example=Example(
            spec=_values("{secretVolumes: [{name: certs, secretName: web, mountPath: /etc/certs}]}"),
            release=_GATEWAY,
            values={"volumeMounts": [{"name": "certs", "mountPath": "/etc/certs", "readOnly": True}]},
        ),
    ),
    GatewaySlot(
        id="gateway.resources",
        source="values.gateways.*.resources, k8s.resources",
        path=(*_PROXY, "resources"),
        value_path=("resources",),
        convert=quantities,
        probe={"requests": {"cpu": "1300m"}},
        why="Helm merges the map over the chart's default, which is that of istioctl's chart",
        example=Example(
            spec=_k8s("{resources: {requests: {cpu: '2'}}}"),
            release=_GATEWAY,
            values={"resources": {"requests": {"cpu": "2"}}},
        ),
    ),
    GatewaySlot(
        id="gateway.env",
        source="values.gateways.*.env, k8s.env",
        path=(*_PROXY, "env"),
        value_path=("env",),
        convert=gateway_env,
        probe={"PROBE": "1"},
        why="the chart takes a map; valueFrom goes to envVarFrom from gateway 1.27 and is a patch before; what every proxy "
        "gets comes from injection",
        example=Example(
            spec=_k8s("{env: [{name: ISTIO_META_X, value: 'yes'}]}"),
            release=_GATEWAY,
            values={"env": {"ISTIO_META_X": "yes"}},
        ),
    ),
    GatewaySlot(
        id="gateway.imagePullPolicy",
        source="values.global.imagePullPolicy, k8s.imagePullPolicy",
        path=(*_PROXY, "imagePullPolicy"),
        value_path=("imagePullPolicy",),
        probe="Always",
        why="the gateway chart's value is the container's and nothing else's",
        example=Example(spec=_k8s("{imagePullPolicy: Always}"), release=_GATEWAY, values={"imagePullPolicy": "Always"}),
    ),
    GatewaySlot(
        id="gateway.readinessProbe",
        source="k8s.readinessProbe",
        path=(*_PROXY, "readinessProbe"),
        value_path=("readinessProbe",),
        provided=True,
        probe={"periodSeconds": 9},
        why="without a setting the probe comes from injection; a value from gateway 1.24, before that a patch",
        example=Example(
            spec=_k8s("{readinessProbe: {periodSeconds: 9}}"),
            release=_GATEWAY,
            values={"readinessProbe": {"periodSeconds": 9}},
        ),
    ),
    GatewaySlot(
        id="gateway.lifecycle",
        source="overlays",
        path=(*_PROXY, "lifecycle"),
        value_path=("lifecycle",),
        probe={"preStop": {"exec": {"command": ["sleep", "5"]}}},
        why="a value from gateway 1.27, before that a patch",
        example=Example(
            spec=_overlay(
                "Deployment",
                "spec.template.spec.containers.[name:istio-proxy].lifecycle",
                "{preStop: {exec: {command: [sleep, '5']}}}",
            ),
            to="1.28.10",
            release=_GATEWAY,
            values={"lifecycle": {"preStop": {"exec": {"command": ["sleep", "5"]}}}},
        ),
    ),
    GatewaySlot(
        id="gateway.containerSecurityContext",
        source="values.gateways.*.runAsRoot, overlays",
        path=(*_PROXY, "securityContext"),
        value_path=("containerSecurityContext",),
        convert=container_security,
        provided=True,
        probe={"privileged": True},
        why="a setting replaces the chart's own block",
        example=Example(
            spec=_overlay(
                "Deployment", "spec.template.spec.containers.[name:istio-proxy].securityContext", "{privileged: false}"
            ),
            release=_GATEWAY,
            values={"containerSecurityContext": {"privileged": False}},
        ),
    ),
    _pod(
        "containers",
        ("additionalContainers",),
        "containers beside the proxy: a value from gateway 1.27, before that a patch",
        Example(
            spec=_values("{additionalContainers: [{name: log, image: busybox}]}"),
            to="1.28.10",
            release=_GATEWAY,
            values={"additionalContainers": [{"name": "log", "image": "busybox"}]},
        ),
        probe=[{"name": "probe", "image": "probe"}],
    ),
)


def _service(
    name: str,
    why: str,
    given: str,
    wanted: object,
    probe: object,
    *,
    explicit: bool = False,
    convert: object = None,
    only_when: tuple[tuple[str, ...], object] | None = None,
) -> GatewaySlot:
    """An entry for a field of the Service's spec, whose value has the same name."""
    return GatewaySlot(
        id=f"gateway.service.{name}",
        source=f"values.gateways.*.{name}, k8s.service.{name}",
        kind="Service",
        path=("spec", name),
        value_path=("service", name),
        why=why,
        explicit=explicit,
        probe=probe,
        convert=convert,  # type: ignore[arg-type]
        only_when=only_when,
        example=Example(spec=_k8s(f"{{service: {given}}}"), release=_GATEWAY, values={"service": {name: wanted}}),
    )


_COPY = "the chart copies the value into the Service"
_LOAD_BALANCER = (("service", "type"), "LoadBalancer")

SERVICE: tuple[GatewaySlot, ...] = (
    _service("type", _COPY, "{type: NodePort}", "NodePort", "NodePort"),
    _service(
        "ports",
        "istioctl's list with its target ports: a live Service that points at 80 while old pods listen on 8080 is an outage",
        "{ports: [{name: http2, port: 80, targetPort: 8080}]}",
        [{"name": "http2", "port": 80, "targetPort": 8080}],
        [{"name": "probe", "port": 1234, "protocol": "TCP", "targetPort": 1234}],
        explicit=True,
        convert=plain_ports,
    ),
    _service("loadBalancerIP", _COPY, "{loadBalancerIP: 192.0.2.7}", "192.0.2.7", "192.0.2.7"),
    _service(
        "loadBalancerSourceRanges",
        _COPY,
        "{loadBalancerSourceRanges: [192.0.2.0/24]}",
        ["192.0.2.0/24"],
        ["192.0.2.0/24"],
    ),
    GatewaySlot(
        id="gateway.service.loadBalancerClass",
        source="k8s.service.loadBalancerClass",
        kind="Service",
        path=("spec", "loadBalancerClass"),
        value_path=("service", "loadBalancerClass"),
        only_when=_LOAD_BALANCER,
        probe="probe.example/class",
        why="a value from gateway 1.26, before that a patch, as for Services of another type; it cannot change on a live "
        "Service",
        example=Example(
            spec=_k8s("{service: {loadBalancerClass: eks.amazonaws.com/nlb}}"),
            to="1.26.8",
            release=_GATEWAY,
            values={"service": {"loadBalancerClass": "eks.amazonaws.com/nlb"}},
        ),
    ),
    _service(
        "allocateLoadBalancerNodePorts",
        "the chart copies the value into a Service of type LoadBalancer; for another type it is a patch",
        "{allocateLoadBalancerNodePorts: false}",
        False,
        False,
        only_when=_LOAD_BALANCER,
    ),
    _service("externalTrafficPolicy", _COPY, "{externalTrafficPolicy: Local}", "Local", "Local"),
    GatewaySlot(
        id="gateway.service.internalTrafficPolicy",
        source="k8s.service.internalTrafficPolicy",
        kind="Service",
        path=("spec", "internalTrafficPolicy"),
        value_path=("service", "internalTrafficPolicy"),
        probe="Local",
        why="a value from gateway 1.28, before that a patch",
        example=Example(
            spec=_k8s("{service: {internalTrafficPolicy: Local}}"),
            to="1.28.10",
            release=_GATEWAY,
            values={"service": {"internalTrafficPolicy": "Local"}},
        ),
    ),
    GatewaySlot(
        id="gateway.service.healthCheckNodePort",
        source="k8s.service.healthCheckNodePort",
        kind="Service",
        path=("spec", "healthCheckNodePort"),
        value_path=("service", "healthCheckNodePort"),
        probe=30999,
        why="a value from gateway 1.31, before that a patch",
        example=Example(
            spec=_k8s("{service: {healthCheckNodePort: 30999}}"),
            to="1.31.0",
            release=_GATEWAY,
            values={"service": {"healthCheckNodePort": 30999}},
        ),
    ),
    GatewaySlot(
        id="gateway.service.clusterIP",
        source="k8s.service.clusterIP",
        kind="Service",
        path=("spec", "clusterIP"),
        value_path=("service", "clusterIP"),
        probe="10.0.0.7",
        why="a value from gateway 1.28, before that a patch; it cannot change on a live Service",
        example=Example(
            spec=_k8s("{service: {clusterIP: 10.0.0.7}}"),
            to="1.28.10",
            release=_GATEWAY,
            values={"service": {"clusterIP": "10.0.0.7"}},
        ),
    ),
    _service("ipFamilyPolicy", _COPY, "{ipFamilyPolicy: PreferDualStack}", "PreferDualStack", "PreferDualStack"),
    _service("ipFamilies", _COPY, "{ipFamilies: [IPv4, IPv6]}", ["IPv4", "IPv6"], ["IPv6"]),
    _service("externalIPs", _COPY, "{externalIPs: [192.0.2.9]}", ["192.0.2.9"], ["192.0.2.9"]),
    GatewaySlot(
        id="gateway.service.annotations",
        source="values.gateways.*.serviceAnnotations, k8s.serviceAnnotations",
        kind="Service",
        path=("metadata", "annotations"),
        value_path=("service", "annotations"),
        probe={"probe": "yes"},
        why="service.annotations reaches the Service only; the chart's annotations would reach every object",
        example=Example(
            spec=_k8s("{serviceAnnotations: {example.com/lb: internal}}"),
            release=_GATEWAY,
            values={"service": {"annotations": {"example.com/lb": "internal"}}},
        ),
    ),
)

SCALING: tuple[GatewaySlot, ...] = (
    GatewaySlot(
        id="gateway.hpa.minReplicas",
        source="values.gateways.*.autoscaleMin, k8s.hpaSpec.minReplicas",
        kind="HorizontalPodAutoscaler",
        path=("spec", "minReplicas"),
        value_path=("autoscaling", "minReplicas"),
        decides_budget=True,
        probe=2,
        why="the chart renders its autoscaler from this value",
        example=Example(
            spec=_k8s("{hpaSpec: {minReplicas: 3}}"), release=_GATEWAY, values={"autoscaling": {"minReplicas": 3}}
        ),
    ),
    GatewaySlot(
        id="gateway.hpa.maxReplicas",
        source="values.gateways.*.autoscaleMax, k8s.hpaSpec.maxReplicas",
        kind="HorizontalPodAutoscaler",
        path=("spec", "maxReplicas"),
        value_path=("autoscaling", "maxReplicas"),
        probe=9,
        why="the chart renders its autoscaler from this value",
        example=Example(
            spec=_k8s("{hpaSpec: {maxReplicas: 9}}"), release=_GATEWAY, values={"autoscaling": {"maxReplicas": 9}}
        ),
    ),
    GatewaySlot(
        id="gateway.hpa.metrics",
        source="values.gateways.*.cpu.targetAverageUtilization, k8s.hpaSpec.metrics",
        kind="HorizontalPodAutoscaler",
        path=("spec", "metrics"),
        value_path=("autoscaling",),
        convert=hpa_metrics,
        probe={"targetCPUUtilizationPercentage": 55},
        why="utilisation of cpu and memory are values; other metrics replace the list by a patch, v2beta1 forms become v2",
        example=Example(
            spec=_k8s("{hpaSpec: {metrics: [{type: Resource, resource: {name: cpu, targetAverageUtilization: 60}}]}}"),
            release=_GATEWAY,
            values={"autoscaling": {"targetCPUUtilizationPercentage": 60}},
        ),
    ),
    GatewaySlot(
        id="gateway.hpa.behavior",
        source="k8s.hpaSpec.behavior",
        kind="HorizontalPodAutoscaler",
        path=("spec", "behavior"),
        value_path=("autoscaling", "autoscaleBehavior"),
        probe={"scaleDown": {"stabilizationWindowSeconds": 60}},
        why="the chart copies the value into its autoscaler",
        example=Example(
            spec=_k8s("{hpaSpec: {behavior: {scaleDown: {stabilizationWindowSeconds: 60}}}}"),
            release=_GATEWAY,
            values={"autoscaling": {"autoscaleBehavior": {"scaleDown": {"stabilizationWindowSeconds": 60}}}},
        ),
    ),
    GatewaySlot(
        id="gateway.podDisruptionBudget",
        source="values.global.defaultPodDisruptionBudget.enabled, k8s.podDisruptionBudget",
        kind="PodDisruptionBudget",
        path=("spec",),
        value_path=("podDisruptionBudget",),
        convert=budget_spec,
        explicit=True,
        probe={"minAvailable": 1},
        given={"autoscaling": {"minReplicas": 2}},
        why="istioctl renders a budget by default, the gateway chart does not",
        example=Example(
            spec=_k8s("{podDisruptionBudget: {maxUnavailable: 1}}"),
            release=_GATEWAY,
            values={"podDisruptionBudget": {"maxUnavailable": 1}},
        ),
    ),
    GatewaySlot(
        id="gateway.serviceAccount.annotations",
        source="values.gateways.*.serviceAccount.annotations",
        kind="ServiceAccount",
        path=("metadata", "annotations"),
        value_path=("serviceAccount", "annotations"),
        probe={"probe": "yes"},
        why="cloud identities hang on these annotations",
        example=Example(
            spec=_values("{serviceAccount: {annotations: {eks.amazonaws.com/role-arn: 'arn:x'}}}"),
            release=_GATEWAY,
            values={"serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn:x"}}},
        ),
    ),
)

GATEWAY_SLOTS: tuple[GatewaySlot, ...] = (*DEPLOYMENT, *SERVICE, *SCALING)
