"""Objects read from a cluster: what the API server, controllers and istiod itself write into them is set aside."""

from __future__ import annotations

import copy
from typing import Any

from istio_convert.verify.manifests import Object

_METADATA = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)
_ANNOTATIONS = (
    "deployment.kubernetes.io/revision",
    "deprecated.daemonset.template.generation",
    "kubectl.kubernetes.io/last-applied-configuration",
    "kubectl.kubernetes.io/restartedAt",
    "autoscaling.alpha.kubernetes.io/conditions",
    "autoscaling.alpha.kubernetes.io/current-metrics",
)
_SERVICE = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort")


def is_live(obj: Object) -> bool:
    """Whether an object was read from a cluster."""
    metadata = obj.get("metadata") or {}
    return any(key in metadata for key in ("uid", "resourceVersion", "managedFields")) or "status" in obj


def set_aside(obj: Object, other: Object | None = None, *, autoscaled: bool = False) -> Object:
    """A copy of a live object without what the cluster wrote into it.

    Args:
        obj: the object as read.
        other: its counterpart on the other side. What the cluster would fill in if nothing is said (node ports, IP
            families) is kept when the counterpart says something.
        autoscaled: an autoscaler sets the replicas of this workload.
    """
    result = copy.deepcopy(obj)
    result.pop("status", None)
    metadata = result.get("metadata") or {}
    for key in _METADATA:
        metadata.pop(key, None)
    _drop_annotations(metadata)
    spec = result.get("spec")
    kind = result.get("kind")
    wanted: dict[str, Any] = (other or {}).get("spec") or {}
    if kind == "Service" and isinstance(spec, dict):
        _service(spec, wanted)
    elif kind in ("Deployment", "DaemonSet") and isinstance(spec, dict):
        template = (spec.get("template") or {}).get("metadata") or {}
        template.pop("creationTimestamp", None)
        _drop_annotations(template)
        if autoscaled and "replicas" not in wanted:
            spec.pop("replicas", None)
    elif kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        _webhooks(result, other or {})
    elif kind == "ServiceAccount":
        result.pop("secrets", None)
    elif kind == "CustomResourceDefinition" and isinstance(spec, dict):
        if (spec.get("conversion") or {}).get("strategy") == "None":
            spec.pop("conversion")
        names = spec.get("names") or {}
        for field, derived in (("listKind", f"{names.get('kind')}List"), ("singular", str(names.get("kind")).lower())):
            if names.get(field) == derived and field not in (wanted.get("names") or {}):
                names.pop(field)
    return result


def _drop_annotations(metadata: dict[str, Any]) -> None:
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict):
        for name in _ANNOTATIONS:
            annotations.pop(name, None)


def _service(spec: dict[str, Any], wanted: dict[str, Any]) -> None:
    for key in _SERVICE:
        if key not in wanted:
            spec.pop(key, None)
    chosen = {port.get("port"): port for port in wanted.get("ports") or []}
    for port in spec.get("ports") or []:
        if "nodePort" not in (chosen.get(port.get("port")) or {}):
            port.pop("nodePort", None)


def _webhooks(obj: Object, other: Object) -> None:
    """Set aside the CA, and the failure policy that istiod hardens once it is up."""
    counterparts = {hook.get("name"): hook for hook in other.get("webhooks") or []}
    for hook in obj.get("webhooks") or []:
        counterpart = counterparts.get(hook.get("name")) or {}
        config = hook.get("clientConfig") or {}
        if not (counterpart.get("clientConfig") or {}).get("caBundle"):
            config.pop("caBundle", None)
        if "failurePolicy" in counterpart and obj.get("kind") == "ValidatingWebhookConfiguration":
            hook["failurePolicy"] = counterpart["failurePolicy"]
