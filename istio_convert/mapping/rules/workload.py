"""``components.<component>.k8s`` of the control plane: pilot, cni and ztunnel.

istioctl applies these fields as strategic merge patches to what the chart rendered. Where the chart has a value that
moves just that place, the field becomes the value; otherwise it stays a patch.
"""

from __future__ import annotations

from istio_convert.mapping.converters.general import (
    env_to_map,
    metrics_v2,
    rolling_only,
    service_spec,
    single_cpu_metric,
)
from istio_convert.mapping.model import IN_CONTAINER, POD, Example, Slot

SLOTS: tuple[Slot, ...] = (
    Slot(
        id="k8s.affinity",
        source="components.*.k8s.affinity",
        k8s_field=("affinity",),
        path=(*POD, "affinity"),
        values={"pilot": ("pilot", "affinity"), "cni": ("cni", "affinity"), "ztunnel": ("affinity",)},
        probe={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}},
        why="the charts copy the value into the pod and into nothing else",
        example=Example(
            spec="components: {pilot: {k8s: {affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}}}}",
            values={
                "pilot": {"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}}
            },
        ),
    ),
    Slot(
        id="k8s.env",
        source="components.*.k8s.env[]",
        k8s_field=("env",),
        path=(*IN_CONTAINER, "env"),
        values={"pilot": ("pilot", "env"), "ztunnel": ("env",)},
        convert=env_to_map,
        probe={"PROBE": "1"},
        why="the chart takes a map of names and values; valueFrom, and names that its template sets itself, can only be "
        "patched; so can cni's, whose value goes into a ConfigMap, and istiod's from 1.26, whose value the injector gets, too",
        example=Example(
            spec="components: {pilot: {k8s: {env: [{name: PILOT_ENABLE_STATUS, value: 'true'}]}}}",
            values={"pilot": {"env": {"PILOT_ENABLE_STATUS": "true"}}},
        ),
    ),
    Slot(
        id="k8s.hpaSpec.minReplicas",
        source="components.*.k8s.hpaSpec.minReplicas",
        k8s_field=("hpaSpec", "minReplicas"),
        kind="HorizontalPodAutoscaler",
        path=("spec", "minReplicas"),
        values={"pilot": ("pilot", "autoscaleMin")},
        probe=2,
        why="the chart renders its autoscaler from this value; where the value also decides whether there is a "
        "PodDisruptionBudget and istioctl does not look at it for that, it is a patch",
        example=Example(
            spec="components: {pilot: {k8s: {hpaSpec: {minReplicas: 2}}}}", values={"pilot": {"autoscaleMin": 2}}
        ),
    ),
    Slot(
        id="k8s.hpaSpec.maxReplicas",
        source="components.*.k8s.hpaSpec.maxReplicas",
        k8s_field=("hpaSpec", "maxReplicas"),
        kind="HorizontalPodAutoscaler",
        path=("spec", "maxReplicas"),
        values={"pilot": ("pilot", "autoscaleMax")},
        probe=9,
        why="the chart renders its autoscaler from this value",
        example=Example(
            spec="components: {pilot: {k8s: {hpaSpec: {maxReplicas: 9}}}}", values={"pilot": {"autoscaleMax": 9}}
        ),
    ),
    Slot(
        id="k8s.hpaSpec.metrics",
        source="components.*.k8s.hpaSpec.metrics",
        k8s_field=("hpaSpec", "metrics"),
        kind="HorizontalPodAutoscaler",
        path=("spec", "metrics"),
        values={"pilot": ("pilot", "cpu", "targetAverageUtilization")},
        convert=single_cpu_metric,
        probe=55,
        why="one cpu utilisation target is a value; other metrics replace the list by a patch, v2beta1 forms become v2",
        example=Example(
            spec="components: {pilot: {k8s: {hpaSpec: {metrics: [{type: Resource, resource: {name: cpu, "
            "targetAverageUtilization: 60}}]}}}}",
            values={"pilot": {"cpu": {"targetAverageUtilization": 60}}},
        ),
    ),
    Slot(
        id="k8s.hpaSpec.behavior",
        source="components.*.k8s.hpaSpec.behavior",
        k8s_field=("hpaSpec", "behavior"),
        kind="HorizontalPodAutoscaler",
        path=("spec", "behavior"),
        values={"pilot": ("pilot", "autoscaleBehavior")},
        probe={"scaleDown": {"stabilizationWindowSeconds": 60}},
        why="the chart copies the value into its autoscaler",
        example=Example(
            spec="components: {pilot: {k8s: {hpaSpec: {behavior: {scaleDown: {stabilizationWindowSeconds: 60}}}}}}",
            values={"pilot": {"autoscaleBehavior": {"scaleDown": {"stabilizationWindowSeconds": 60}}}},
        ),
    ),
    Slot(
        id="k8s.hpaSpec",
        source="components.*.k8s.hpaSpec.*",
        k8s_field=("hpaSpec",),
        kind="HorizontalPodAutoscaler",
        path=("spec",),
        convert=metrics_v2,
        why="no value for the rest of the autoscaler's spec",
        example=Example(
            spec="components: {pilot: {k8s: {hpaSpec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: istiod}}}}}",
            kind="HorizontalPodAutoscaler",
            patch={"spec": {"scaleTargetRef": {"kind": "Deployment"}}},
        ),
    ),
    Slot(
        id="k8s.imagePullPolicy",
        source="components.*.k8s.imagePullPolicy",
        k8s_field=("imagePullPolicy",),
        path=(*IN_CONTAINER, "imagePullPolicy"),
        values={"cni": ("cni", "pullPolicy"), "ztunnel": ("imagePullPolicy",)},
        probe="Always",
        why="global.imagePullPolicy would also reach the sidecar injector, so istiod's is a patch",
        example=Example(
            spec="components: {pilot: {k8s: {imagePullPolicy: Always}}}",
            patch={
                "spec": {"template": {"spec": {"containers": [{"name": "discovery", "imagePullPolicy": "Always"}]}}}
            },
        ),
    ),
    Slot(
        id="k8s.nodeSelector",
        source="components.*.k8s.nodeSelector",
        k8s_field=("nodeSelector",),
        path=(*POD, "nodeSelector"),
        values={"pilot": ("pilot", "nodeSelector"), "cni": ("cni", "nodeSelector"), "ztunnel": ("nodeSelector",)},
        probe={"disk": "ssd"},
        why="the charts copy the value into the pod; a chart without the value gets a patch",
        example=Example(
            spec="components: {pilot: {k8s: {nodeSelector: {disk: ssd}}}}",
            values={"pilot": {"nodeSelector": {"disk": "ssd"}}},
        ),
    ),
    Slot(
        id="k8s.podAnnotations",
        source="components.*.k8s.podAnnotations",
        k8s_field=("podAnnotations",),
        path=("spec", "template", "metadata", "annotations"),
        values={"pilot": ("pilot", "podAnnotations"), "cni": ("cni", "podAnnotations"), "ztunnel": ("podAnnotations",)},
        probe={"probe": "yes"},
        why="the charts copy the value into the pod template",
        example=Example(
            spec="components: {pilot: {k8s: {podAnnotations: {team: mesh}}}}",
            values={"pilot": {"podAnnotations": {"team": "mesh"}}},
        ),
    ),
    Slot(
        id="k8s.podDisruptionBudget",
        source="components.*.k8s.podDisruptionBudget",
        k8s_field=("podDisruptionBudget",),
        kind="PodDisruptionBudget",
        path=("spec",),
        why="istioctl merges the whole spec, the charts have a value for two of its fields at most",
        example=Example(
            # from 1.28 on the chart renders a budget for two pods or more only
            spec=(
                "{components: {pilot: {k8s: {podDisruptionBudget: {maxUnavailable: 1}}}}, "
                "values: {pilot: {autoscaleMin: 2}}}"
            ),
            kind="PodDisruptionBudget",
            patch={"spec": {"maxUnavailable": 1, "minAvailable": None}},
        ),
    ),
    Slot(
        id="k8s.priorityClassName",
        source="components.*.k8s.priorityClassName",
        k8s_field=("priorityClassName",),
        path=(*POD, "priorityClassName"),
        why="global.priorityClassName would also reach the gateways and the sidecar injector",
        example=Example(
            spec="components: {pilot: {k8s: {priorityClassName: system-cluster-critical}}}",
            patch={"spec": {"template": {"spec": {"priorityClassName": "system-cluster-critical"}}}},
        ),
    ),
    Slot(
        id="k8s.readinessProbe",
        source="components.*.k8s.readinessProbe",
        k8s_field=("readinessProbe",),
        path=(*IN_CONTAINER, "readinessProbe"),
        why="the control-plane charts have no value for probes",
        example=Example(
            spec="components: {pilot: {k8s: {readinessProbe: {periodSeconds: 9}}}}",
            patch={
                "spec": {
                    "template": {
                        "spec": {"containers": [{"name": "discovery", "readinessProbe": {"periodSeconds": 9}}]}
                    }
                }
            },
        ),
    ),
    Slot(
        id="k8s.replicaCount",
        source="components.*.k8s.replicaCount",
        k8s_field=("replicaCount",),
        path=("spec", "replicas"),
        values={"pilot": ("pilot", "replicaCount")},
        probe=3,
        given={"pilot": {"autoscaleEnabled": False}},
        absent={
            "DaemonSet": "remove it: a DaemonSet runs one pod on every node that its selector and tolerations allow"
        },
        why="the chart reads the value only without an autoscaler; beside one istioctl still sets the field, so it is a patch",
        example=Example(
            spec="{values: {pilot: {autoscaleEnabled: false}}, components: {pilot: {k8s: {replicaCount: 3}}}}",
            values={"pilot": {"replicaCount": 3}},
        ),
    ),
    Slot(
        id="k8s.resources",
        source="components.*.k8s.resources",
        k8s_field=("resources",),
        path=(*IN_CONTAINER, "resources"),
        values={"pilot": ("pilot", "resources"), "cni": ("cni", "resources"), "ztunnel": ("resources",)},
        probe={"requests": {"cpu": "1300m"}},
        why="Helm merges the map over the chart's default just as istioctl merges the patch over the rendered container",
        example=Example(
            spec="components: {pilot: {k8s: {resources: {requests: {cpu: 300m}}}}}",
            values={"pilot": {"resources": {"requests": {"cpu": "300m"}}}},
        ),
    ),
    Slot(
        id="k8s.securityContext",
        source="components.*.k8s.securityContext",
        k8s_field=("securityContext",),
        path=(*POD, "securityContext"),
        why="the control-plane charts have no value for the pod's security context",
        example=Example(
            spec="components: {pilot: {k8s: {securityContext: {runAsUser: 1000}}}}",
            patch={"spec": {"template": {"spec": {"securityContext": {"runAsUser": 1000}}}}},
        ),
    ),
    Slot(
        id="k8s.service",
        source="components.*.k8s.service",
        k8s_field=("service",),
        kind="Service",
        path=("spec",),
        convert=service_spec,
        why="the istiod chart has no value for its Service",
        example=Example(
            spec="components: {pilot: {k8s: {service: {type: LoadBalancer}}}}",
            kind="Service",
            patch={"spec": {"type": "LoadBalancer"}},
        ),
    ),
    Slot(
        id="k8s.serviceAnnotations",
        source="components.*.k8s.serviceAnnotations",
        k8s_field=("serviceAnnotations",),
        kind="Service",
        path=("metadata", "annotations"),
        values={"pilot": ("pilot", "serviceAnnotations")},
        probe={"probe": "yes"},
        why="the chart copies the value to istiod's Service",
        example=Example(
            spec="components: {pilot: {k8s: {serviceAnnotations: {team: mesh}}}}",
            values={"pilot": {"serviceAnnotations": {"team": "mesh"}}},
        ),
    ),
    Slot(
        id="k8s.strategy",
        source="components.*.k8s.strategy",
        k8s_field=("strategy",),
        path=("spec", "strategy"),
        values={"pilot": ("pilot",)},
        convert=rolling_only,
        probe={"rollingMaxSurge": "50%", "rollingMaxUnavailable": "10%"},
        absent={"DaemonSet": "remove it, and say how to update by an overlay on spec.updateStrategy"},
        why="a rolling update's two numbers are values, everything else about the strategy is a patch",
        example=Example(
            spec="components: {pilot: {k8s: {strategy: {rollingUpdate: {maxSurge: 50%}}}}}",
            values={"pilot": {"rollingMaxSurge": "50%"}},
        ),
    ),
    Slot(
        id="k8s.tolerations",
        source="components.*.k8s.tolerations",
        k8s_field=("tolerations",),
        path=(*POD, "tolerations"),
        values={"cni": ("cni", "tolerations"), "ztunnel": ("tolerations",)},
        probe=[{"key": "probe", "operator": "Exists"}],
        why="istiod's chart adds its value to a toleration of its own, the operator replaces the list, so that one is a patch",
        example=Example(
            spec="components: {pilot: {k8s: {tolerations: [{key: dedicated, operator: Exists}]}}}",
            patch={"spec": {"template": {"spec": {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}}}},
        ),
    ),
)

#: places that only overlays reach
OVERLAY_SLOTS: tuple[Slot, ...] = (
    Slot(
        id="overlay.topologySpreadConstraints",
        source="components.*.k8s.overlays (spec.template.spec.topologySpreadConstraints)",
        path=(*POD, "topologySpreadConstraints"),
        values={"pilot": ("pilot", "topologySpreadConstraints")},
        probe=[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
        why="istiod's chart copies the value into the pod",
        example=Example(
            spec="components: {pilot: {k8s: {overlays: [{kind: Deployment, name: istiod, patches: [{path: "
            "spec.template.spec.topologySpreadConstraints, value: [{maxSkew: 1, topologyKey: zone}]}]}]}}}",
            values={"pilot": {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone"}]}},
        ),
    ),
    Slot(
        id="overlay.podLabels",
        source="components.*.k8s.overlays (spec.template.metadata.labels.*)",
        path=("spec", "template", "metadata", "labels"),
        values={"pilot": ("pilot", "podLabels"), "cni": ("cni", "podLabels"), "ztunnel": ("podLabels",)},
        probe={"probe": "yes"},
        why="the charts add the value to the pod template's labels",
        example=Example(
            spec="components: {pilot: {k8s: {overlays: [{kind: Deployment, name: istiod, patches: [{path: "
            "'spec.template.metadata.labels.example\\.com/team', value: mesh}]}]}}}",
            values={"pilot": {"podLabels": {"example.com/team": "mesh"}}},
        ),
    ),
    Slot(
        id="overlay.dnsConfig",
        source="components.*.k8s.overlays (spec.template.spec.dnsConfig)",
        path=(*POD, "dnsConfig"),
        values={"ztunnel": ("dnsConfig",)},
        probe={"options": [{"name": "ndots", "value": "1"}]},
        why="a value of the ztunnel chart from 1.30; the other control-plane charts have none",
        example=Example(
            spec="components: {pilot: {k8s: {overlays: [{kind: Deployment, name: istiod, patches: [{path: "
            "spec.template.spec.dnsConfig, value: {options: [{name: ndots, value: '1'}]}}]}]}}}",
            patch={"spec": {"template": {"spec": {"dnsConfig": {"options": [{"name": "ndots", "value": "1"}]}}}}},
        ),
    ),
    Slot(
        id="overlay.dnsPolicy",
        source="components.*.k8s.overlays (spec.template.spec.dnsPolicy)",
        path=(*POD, "dnsPolicy"),
        values={"ztunnel": ("dnsPolicy",)},
        probe="None",
        why="a value of the ztunnel chart from 1.30; the other control-plane charts have none",
        example=Example(
            spec="components: {pilot: {k8s: {overlays: [{kind: Deployment, name: istiod, patches: [{path: "
            "spec.template.spec.dnsPolicy, value: Default}]}]}}}",
            patch={"spec": {"template": {"spec": {"dnsPolicy": "Default"}}}},
        ),
    ),
    Slot(
        id="overlay.initContainers",
        source="components.*.k8s.overlays (spec.template.spec.initContainers)",
        path=(*POD, "initContainers"),
        values={"pilot": ("pilot", "initContainers")},
        probe=[{"name": "probe", "image": "probe"}],
        why="istiod's chart copies the value into the pod from 1.24, before that a patch",
        example=Example(
            spec="components: {pilot: {k8s: {overlays: [{kind: Deployment, name: istiod, patches: [{path: "
            "spec.template.spec.initContainers, value: [{name: wait, image: busybox}]}]}]}}}",
            values={"pilot": {"initContainers": [{"name": "wait", "image": "busybox"}]}},
        ),
    ),
)
