"""Gateways: the places of the Deployment, and the value of the gateway chart for each. See :mod:`.gateway`."""

from __future__ import annotations

from istio_convert.mapping.converters.gateway import container_security, gateway_env, pod_annotations, quantities
from istio_convert.mapping.converters.gateway_defaults import IN_PROXY
from istio_convert.mapping.model import POD, Example, GatewaySlot
from istio_convert.mapping.rules.gateway_examples import GATEWAY, k8s, overlay, values


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
            release=GATEWAY,
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
            spec=k8s("{strategy: {rollingUpdate: {maxSurge: 50%, maxUnavailable: 0}}}"),
            release=GATEWAY,
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
            spec=overlay("Deployment", "spec.minReadySeconds", "7"), release=GATEWAY, values={"minReadySeconds": 7}
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
            spec=k8s("{podAnnotations: {team: edge}}"), release=GATEWAY, values={"podAnnotations": {"team": "edge"}}
        ),
    ),
    _pod(
        "securityContext",
        ("securityContext",),
        "a setting replaces the chart's own block; together with istioctl's default it stays what it was",
        Example(
            spec=k8s("{securityContext: {seccompProfile: {type: RuntimeDefault}}}"),
            release=GATEWAY,
            values={"securityContext": {"runAsUser": 1337, "seccompProfile": {"type": "RuntimeDefault"}}},
        ),
        provided=True,
        probe={"runAsUser": 1000},
    ),
    _pod(
        "priorityClassName",
        ("priorityClassName",),
        "the chart copies the value into the pod",
        Example(spec=k8s("{priorityClassName: edge}"), release=GATEWAY, values={"priorityClassName": "edge"}),
        probe="edge",
    ),
    _pod(
        "nodeSelector",
        ("nodeSelector",),
        "the chart copies the value into the pod",
        Example(spec=k8s("{nodeSelector: {pool: edge}}"), release=GATEWAY, values={"nodeSelector": {"pool": "edge"}}),
        probe={"pool": "edge"},
    ),
    _pod(
        "affinity",
        ("affinity",),
        "the chart copies the value into the pod; values.gateways.*.nodeSelector, podAntiAffinityLabelSelector and "
        "podAntiAffinityTermLabelSelector are parts of istioctl's affinity",
        Example(
            spec=values("{podAntiAffinityLabelSelector: [{key: app, operator: In, values: 'a,b', topologyKey: zone}]}"),
            release=GATEWAY,
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
            spec=k8s("{tolerations: [{key: edge, operator: Exists}]}"),
            release=GATEWAY,
            values={"tolerations": [{"key": "edge", "operator": "Exists"}]},
        ),
        probe=[{"key": "probe", "operator": "Exists"}],
    ),
    _pod(
        "topologySpreadConstraints",
        ("topologySpreadConstraints",),
        "the chart copies the value into the pod",
        Example(
            spec=overlay(
                "Deployment", "spec.template.spec.topologySpreadConstraints", "[{maxSkew: 1, topologyKey: zone}]"
            ),
            release=GATEWAY,
            values={"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone"}]},
        ),
        probe=[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
    ),
    _pod(
        "terminationGracePeriodSeconds",
        ("terminationGracePeriodSeconds",),
        "the chart copies the value into the pod",
        Example(
            spec=overlay("Deployment", "spec.template.spec.terminationGracePeriodSeconds", "90"),
            release=GATEWAY,
            values={"terminationGracePeriodSeconds": 90},
        ),
        probe=90,
    ),
    _pod(
        "dnsConfig",
        ("dnsConfig",),
        "a value from gateway 1.31, before that a patch",
        Example(
            spec=overlay("Deployment", "spec.template.spec.dnsConfig", "{options: [{name: ndots, value: '1'}]}"),
            release=GATEWAY,
            patch={"spec": {"template": {"spec": {"dnsConfig": {"options": [{"name": "ndots", "value": "1"}]}}}}},
        ),
        probe={"options": [{"name": "ndots", "value": "1"}]},
    ),
    _pod(
        "dnsPolicy",
        ("dnsPolicy",),
        "a value from gateway 1.31, before that a patch",
        Example(
            spec=overlay("Deployment", "spec.template.spec.dnsPolicy", "None"),
            to="1.31.0",
            release=GATEWAY,
            values={"dnsPolicy": "None"},
        ),
        probe="None",
    ),
    _pod(
        "initContainers",
        ("initContainers",),
        "a value from gateway 1.27, before that a patch",
        Example(
            spec=overlay("Deployment", "spec.template.spec.initContainers", "[{name: wait, image: busybox}]"),
            to="1.28.10",
            release=GATEWAY,
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
            spec=values("{secretVolumes: [{name: certs, secretName: web, mountPath: /etc/certs}]}"),
            release=GATEWAY,
            values={"volumes": [{"name": "certs", "secret": {"optional": True, "secretName": "web"}}]},
        ),
        probe=[{"name": "probe", "emptyDir": {}}],
    ),
    GatewaySlot(
        id="gateway.volumeMounts",
        source="values.gateways.*.secretVolumes[].mountPath, overlays",
        path=(*IN_PROXY, "volumeMounts"),
        value_path=("volumeMounts",),
        probe=[{"name": "probe", "mountPath": "/probe"}],
        why="mounts of the volumes above; what every proxy mounts comes from injection",
        example=Example(
            spec=values("{secretVolumes: [{name: certs, secretName: web, mountPath: /etc/certs}]}"),
            release=GATEWAY,
            values={"volumeMounts": [{"name": "certs", "mountPath": "/etc/certs", "readOnly": True}]},
        ),
    ),
    GatewaySlot(
        id="gateway.resources",
        source="values.gateways.*.resources, k8s.resources",
        path=(*IN_PROXY, "resources"),
        value_path=("resources",),
        convert=quantities,
        probe={"requests": {"cpu": "1300m"}},
        why="Helm merges the map over the chart's default, which is that of istioctl's chart",
        example=Example(
            spec=k8s("{resources: {requests: {cpu: '2'}}}"),
            release=GATEWAY,
            values={"resources": {"requests": {"cpu": "2"}}},
        ),
    ),
    GatewaySlot(
        id="gateway.env",
        source="values.gateways.*.env, k8s.env",
        path=(*IN_PROXY, "env"),
        value_path=("env",),
        convert=gateway_env,
        probe={"PROBE": "1"},
        why="the chart takes a map; valueFrom goes to envVarFrom from gateway 1.27 and is a patch before; what every proxy "
        "gets comes from injection",
        example=Example(
            spec=k8s("{env: [{name: ISTIO_META_X, value: 'yes'}]}"),
            release=GATEWAY,
            values={"env": {"ISTIO_META_X": "yes"}},
        ),
    ),
    GatewaySlot(
        id="gateway.imagePullPolicy",
        source="values.global.imagePullPolicy, k8s.imagePullPolicy",
        path=(*IN_PROXY, "imagePullPolicy"),
        value_path=("imagePullPolicy",),
        probe="Always",
        why="the gateway chart's value is the container's and nothing else's",
        example=Example(spec=k8s("{imagePullPolicy: Always}"), release=GATEWAY, values={"imagePullPolicy": "Always"}),
    ),
    GatewaySlot(
        id="gateway.readinessProbe",
        source="k8s.readinessProbe",
        path=(*IN_PROXY, "readinessProbe"),
        value_path=("readinessProbe",),
        provided=True,
        probe={"periodSeconds": 9},
        why="without a setting the probe comes from injection; a value from gateway 1.24, before that a patch",
        example=Example(
            spec=k8s("{readinessProbe: {periodSeconds: 9}}"),
            release=GATEWAY,
            values={"readinessProbe": {"periodSeconds": 9}},
        ),
    ),
    GatewaySlot(
        id="gateway.lifecycle",
        source="overlays",
        path=(*IN_PROXY, "lifecycle"),
        value_path=("lifecycle",),
        probe={"preStop": {"exec": {"command": ["sleep", "5"]}}},
        why="a value from gateway 1.27, before that a patch",
        example=Example(
            spec=overlay(
                "Deployment",
                "spec.template.spec.containers.[name:istio-proxy].lifecycle",
                "{preStop: {exec: {command: [sleep, '5']}}}",
            ),
            to="1.28.10",
            release=GATEWAY,
            values={"lifecycle": {"preStop": {"exec": {"command": ["sleep", "5"]}}}},
        ),
    ),
    GatewaySlot(
        id="gateway.containerSecurityContext",
        source="values.gateways.*.runAsRoot, overlays",
        path=(*IN_PROXY, "securityContext"),
        value_path=("containerSecurityContext",),
        convert=container_security,
        provided=True,
        probe={"privileged": True},
        why="a setting replaces the chart's own block",
        example=Example(
            spec=overlay(
                "Deployment", "spec.template.spec.containers.[name:istio-proxy].securityContext", "{privileged: false}"
            ),
            release=GATEWAY,
            values={"containerSecurityContext": {"privileged": False}},
        ),
    ),
    _pod(
        "containers",
        ("additionalContainers",),
        "containers beside the proxy: a value from gateway 1.27, before that a patch",
        Example(
            spec=values("{additionalContainers: [{name: log, image: busybox}]}"),
            to="1.28.10",
            release=GATEWAY,
            values={"additionalContainers": [{"name": "log", "image": "busybox"}]},
        ),
        probe=[{"name": "probe", "image": "probe"}],
    ),
)
