"""Gateways: what istioctl's gateway charts render, and the value of the gateway chart for each place.

A place reaches this table from three sides: ``values.gateways.istio-<in|e>gressgateway.*``, ``components.*Gateways[].k8s``
and overlays. By then they are merged, so one entry serves all three.
"""

from __future__ import annotations

from istio_convert.mapping.converters.gateway import budget_spec, hpa_metrics, plain_ports
from istio_convert.mapping.model import Example, GatewaySlot
from istio_convert.mapping.rules.gateway_examples import GATEWAY, k8s, values
from istio_convert.mapping.rules.gateway_pod import DEPLOYMENT


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
        example=Example(spec=k8s(f"{{service: {given}}}"), release=GATEWAY, values={"service": {name: wanted}}),
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
            spec=k8s("{service: {loadBalancerClass: eks.amazonaws.com/nlb}}"),
            to="1.26.8",
            release=GATEWAY,
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
            spec=k8s("{service: {internalTrafficPolicy: Local}}"),
            to="1.28.10",
            release=GATEWAY,
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
            spec=k8s("{service: {healthCheckNodePort: 30999}}"),
            to="1.31.0",
            release=GATEWAY,
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
            spec=k8s("{service: {clusterIP: 10.0.0.7}}"),
            to="1.28.10",
            release=GATEWAY,
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
            spec=k8s("{serviceAnnotations: {example.com/lb: internal}}"),
            release=GATEWAY,
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
            spec=k8s("{hpaSpec: {minReplicas: 3}}"), release=GATEWAY, values={"autoscaling": {"minReplicas": 3}}
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
            spec=k8s("{hpaSpec: {maxReplicas: 9}}"), release=GATEWAY, values={"autoscaling": {"maxReplicas": 9}}
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
            spec=k8s("{hpaSpec: {metrics: [{type: Resource, resource: {name: cpu, targetAverageUtilization: 60}}]}}"),
            release=GATEWAY,
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
            spec=k8s("{hpaSpec: {behavior: {scaleDown: {stabilizationWindowSeconds: 60}}}}"),
            release=GATEWAY,
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
            # from 1.28 on istioctl renders a budget for two pods or more only
            spec="{"
            + k8s("{podDisruptionBudget: {maxUnavailable: 1}}")
            + ", values: {gateways: {istio-ingressgateway: {autoscaleMin: 2}}}}",
            release=GATEWAY,
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
            spec=values("{serviceAccount: {annotations: {eks.amazonaws.com/role-arn: 'arn:x'}}}"),
            release=GATEWAY,
            values={"serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn:x"}}},
        ),
    ),
)

GATEWAY_SLOTS: tuple[GatewaySlot, ...] = (*DEPLOYMENT, *SERVICE, *SCALING)
