"""Values that decide one place of a manifest and nothing else, beside those of the tables of settings.

No setting becomes such a value, but a setting or an overlay may write the same place, and then it wins. The places are
measured at each version by the same test as those of the other tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from istio_convert.mapping.model import IN_CONTAINER, POD, ManifestPath
from istio_convert.paths import Path

IMAGE: ManifestPath = (*IN_CONTAINER, "image")
ARGS: ManifestPath = (*IN_CONTAINER, "args")
SECCOMP: ManifestPath = (*IN_CONTAINER, "securityContext", "seccompProfile")
SELINUX: ManifestPath = (*IN_CONTAINER, "securityContext", "seLinuxOptions")
BUDGET = "PodDisruptionBudget"
SCALED = {"pilot": {"autoscaleMin": 2}}


def env(name: str) -> ManifestPath:
    """The value of an environment variable of the component's container."""
    return (*IN_CONTAINER, "env", ("name", name), "value")


@dataclass(frozen=True, slots=True)
class SoleEffect:
    """A value and all that it decides.

    Attributes:
        value: values path.
        places: manifest places; those that the chart of a version does not render by default are not its there.
        kind: kind of the object; ``workload`` stands for the component's Deployment or DaemonSet.
        probe: a setting of the value, used to measure that it moves just these places.
        given: values without which there is nothing to measure.
    """

    value: Path
    places: tuple[ManifestPath, ...]
    kind: str = "workload"
    probe: Any = "probe"
    given: Mapping[str, Any] = field(default_factory=dict)


def _image(*root: str, but: str = "") -> tuple[SoleEffect, ...]:
    return tuple(SoleEffect((*root, key), (IMAGE,)) for key in ("hub", "tag", "image", "variant") if key != but)


SOLE_EFFECTS: Mapping[str, tuple[SoleEffect, ...]] = {
    "pilot": (
        *_image("pilot"),
        SoleEffect(("pilot", "traceSampling"), (env("PILOT_TRACE_SAMPLING"),), probe=7),
        SoleEffect(("pilot", "crlConfigMapName"), (env("PILOT_CRL_CONFIGMAP"),)),
        SoleEffect(("pilot", "trustedZtunnelName"), (env("CA_TRUSTED_NODE_ACCOUNTS"),)),
        SoleEffect(("pilot", "trustedZtunnelNamespace"), (env("CA_TRUSTED_NODE_ACCOUNTS"),)),
        SoleEffect(("pilot", "keepaliveMaxServerConnectionAge"), (ARGS,), probe="7m"),
        SoleEffect(("pilot", "extraContainerArgs"), (ARGS,), probe=["--probe"]),
        SoleEffect(("pilot", "tolerations"), ((*POD, "tolerations"),), probe=[{"key": "probe", "operator": "Exists"}]),
        SoleEffect(("pilot", "seccompProfile"), (SECCOMP,), probe={"type": "RuntimeDefault"}),
        SoleEffect(("pilot", "volumes"), ((*POD, "volumes"),), probe=[{"name": "probe", "emptyDir": {}}]),
        SoleEffect(
            ("pilot", "volumeMounts"),
            ((*IN_CONTAINER, "volumeMounts"),),
            probe=[{"name": "probe", "mountPath": "/probe"}],
        ),
        SoleEffect(("pilot", "terminationMessagePolicy"), ((*IN_CONTAINER, "terminationMessagePolicy"),)),
        SoleEffect(("pilot", "rollingMaxSurge"), (("spec", "strategy", "rollingUpdate", "maxSurge"),), probe=7),
        SoleEffect(
            ("pilot", "rollingMaxUnavailable"), (("spec", "strategy", "rollingUpdate", "maxUnavailable"),), probe=7
        ),
        SoleEffect(("pilot", "deploymentLabels"), (("metadata", "labels"),), probe={"probe": "yes"}),
        SoleEffect(("pilot", "deploymentAnnotations"), (("metadata", "annotations"),), probe={"probe": "yes"}),
        SoleEffect(
            ("pilot", "cpu", "targetAverageUtilization"), (("spec", "metrics"),), "HorizontalPodAutoscaler", probe=7
        ),
        SoleEffect(
            ("pilot", "memory", "targetAverageUtilization"), (("spec", "metrics"),), "HorizontalPodAutoscaler", probe=7
        ),
        SoleEffect(("pilot", "ipFamilyPolicy"), (("spec", "ipFamilyPolicy"),), "Service"),
        SoleEffect(("pilot", "ipFamilies"), (("spec", "ipFamilies"),), "Service", probe=["IPv6"]),
        SoleEffect(("pilot", "trafficDistribution"), (("spec", "trafficDistribution"),), "Service"),
        SoleEffect(
            ("pilot", "serviceAccountAnnotations"), (("metadata", "annotations"),), "ServiceAccount", {"probe": "yes"}
        ),
        SoleEffect(("pilot", "taint", "namespace"), (ARGS,)),
        SoleEffect(("pilot", "envVarFrom"), ((*IN_CONTAINER, "env"),), probe=[{"name": "PROBE", "valueFrom": {}}]),
        *(
            SoleEffect(("pilot", "pdb", key), tuple(("spec", place) for place in places), BUDGET, probe, SCALED)
            for key, places, probe in (
                ("minAvailable", ("minAvailable",), 7),
                ("maxUnavailable", ("maxUnavailable", "minAvailable"), 7),
                ("unhealthyPodEvictionPolicy", ("unhealthyPodEvictionPolicy",), "AlwaysAllow"),
            )
        ),
    ),
    "cni": (
        *_image("cni", but="tag"),  # the agent also compares its tag with that of the node's
        SoleEffect(("cni", "logging", "level"), (ARGS,), probe="all:debug"),
        SoleEffect(("cni", "seccompProfile"), (SECCOMP,), probe={"type": "RuntimeDefault"}),
        SoleEffect(
            ("cni", "rollingMaxUnavailable"), (("spec", "updateStrategy", "rollingUpdate", "maxUnavailable"),), probe=7
        ),
        SoleEffect(("cni", "terminationGracePeriodSeconds"), ((*POD, "terminationGracePeriodSeconds"),), probe=77),
        SoleEffect(("cni", "cniNetnsDir"), ((*POD, "volumes", ("name", "cni-netns-dir"), "hostPath", "path"),)),
        SoleEffect(("cni", "daemonSetLabels"), (("metadata", "labels"),), probe={"probe": "yes"}),
        SoleEffect(("cni", "seLinuxOptions"), (SELINUX,), probe={"level": "s0"}),
        SoleEffect(("cni", "updateStrategy"), (("spec", "updateStrategy"),), probe={"type": "OnDelete"}),
    ),
    "ztunnel": (
        *_image(),
        SoleEffect(("caAddress",), (env("CA_ADDRESS"),)),
        SoleEffect(("xdsAddress",), (env("XDS_ADDRESS"),)),
        SoleEffect(("logLevel",), (env("RUST_LOG"),)),
        SoleEffect(("logAsJson",), (env("LOG_FORMAT"),), probe=True),
        SoleEffect(("network",), (env("NETWORK"),)),
        SoleEffect(("trustBundleName",), ((*POD, "volumes", ("name", "istiod-ca-cert"), "configMap", "name"),)),
        SoleEffect(("seLinuxOptions",), (SELINUX,), probe={"level": "s0"}),
        SoleEffect(("multiCluster", "clusterName"), (env("ISTIO_META_CLUSTER_ID"),)),
        SoleEffect(
            ("terminationGracePeriodSeconds",),
            ((*POD, "terminationGracePeriodSeconds"), env("TERMINATION_GRACE_PERIOD_SECONDS")),
            probe=77,
        ),
        SoleEffect(("updateStrategy",), (("spec", "updateStrategy"),), probe={"type": "OnDelete"}),
        SoleEffect(("volumes",), ((*POD, "volumes"),), probe=[{"name": "probe", "emptyDir": {}}]),
        SoleEffect(
            ("volumeMounts",), ((*IN_CONTAINER, "volumeMounts"),), probe=[{"name": "probe", "mountPath": "/probe"}]
        ),
    ),
}

#: values that decide these places and others as well: what an overlay takes away there must be taken away by a patch,
#: and where they add to a list of a workload, positions behind the chart's own elements are theirs
ALSO_RENDERED: Mapping[str, tuple[SoleEffect, ...]] = {
    "pilot": (
        SoleEffect(("global", "imagePullPolicy"), ((*IN_CONTAINER, "imagePullPolicy"),), probe="Always"),
        SoleEffect(("global", "imagePullSecrets"), (("imagePullSecrets",),), "ServiceAccount", probe=["probe"]),
        SoleEffect(("global", "externalIstiod"), ((*IN_CONTAINER, "env"),), probe=True),
        SoleEffect(("global", "logAsJson"), (ARGS,), probe=True),
        SoleEffect(("global", "logging", "level"), (ARGS,), probe="all:debug"),
        SoleEffect(("global", "priorityClassName"), ((*POD, "priorityClassName"),)),
        SoleEffect(("global", "trustBundleName"), ((*IN_CONTAINER, "env"),)),
        SoleEffect(
            ("pilot", "jwksResolverExtraRootCA"), ((*POD, "volumes"), (*IN_CONTAINER, "volumeMounts")), probe="probe"
        ),
        SoleEffect(("pilot", "taint", "enabled"), ((*IN_CONTAINER, "env"),), probe=True),
        SoleEffect(("revision",), (("spec", "selector", "istio.io/rev"),), "Service"),
        SoleEffect(("revision",), (("spec", "selector", "matchLabels", "istio.io/rev"),)),
    ),
    "cni": (
        SoleEffect(("cni", "ambient", "enabled"), ((*POD, "volumes"), (*IN_CONTAINER, "volumeMounts")), probe=True),
        SoleEffect(("cni", "daemonSetLabels"), (("metadata", "labels"),), probe={"probe": "yes"}),
        SoleEffect(("cni", "env"), ((*IN_CONTAINER, "env"),), probe={"PROBE": "1"}),
        SoleEffect(("global", "imagePullPolicy"), ((*IN_CONTAINER, "imagePullPolicy"),), probe="Always"),
        SoleEffect(("global", "logAsJson"), (ARGS,), probe=True),
        SoleEffect(("global", "logging", "level"), (ARGS,), probe="all:debug"),
    ),
    "ztunnel": (
        SoleEffect(("annotations",), (("metadata", "annotations"),), probe={"probe": "yes"}),
        SoleEffect(("imagePullSecrets",), (("imagePullSecrets",),), "ServiceAccount", probe=["probe"]),
        SoleEffect(("labels",), (("metadata", "labels"),), probe={"probe": "yes"}),
        SoleEffect(("meshConfig", "defaultConfig", "proxyMetadata"), ((*IN_CONTAINER, "env"),), probe={"PROBE": "1"}),
        SoleEffect(("network",), ((*IN_CONTAINER, "env"),)),
        SoleEffect(
            ("peerCaCrl", "enabled"),
            ((*POD, "volumes"), (*IN_CONTAINER, "volumeMounts"), (*IN_CONTAINER, "env")),
            probe=True,
        ),
        SoleEffect(
            ("seLinuxOptions",),
            ((*IN_CONTAINER, "securityContext", "seLinuxOptions"),),
            probe={"type": "probe", "level": "probe"},
        ),
    ),
}

#: by component and last step of the value: beginnings of the names that a template prints after the value's own
PRINTED_LAST: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("pilot", "podLabels"): ("istio.io/dataplane-mode", "app.kubernetes.io/", "helm.sh/"),
}
