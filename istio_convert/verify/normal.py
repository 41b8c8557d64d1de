"""The normal form of an object: two objects that a cluster treats alike have the same one.

Empty maps, lists and nulls are as if absent, unless empty means something (a selector, ``emptyDir``); lists whose
elements have a key become maps by that key (their order does not matter, a doubled key does; a variable that refers to
others notes whether they stand before it); quantities are numbers; what the API server would fill in is taken out;
texts in ConfigMaps that hold JSON or YAML are data, kept as they are.
Lists whose order matters stay lists: arguments, a Service's ports, rules. What has no shape of the API stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from istio_convert.shapes import APART, shaped
from istio_convert.verify.manifests import Object
from istio_convert.verify.quantities import amount
from istio_convert.verify.texts import read_text

Path = tuple[str, ...]

#: Lists that are maps by a key, by the last step of their path.
_KEYED = {
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "webhooks": "name",
    "imagePullSecrets": "name",
    "secrets": "name",
}
#: Lists that are sets.
_SETS = {"tolerations", "topologySpreadConstraints", "add", "drop", "finalizers", "subjects"}
#: Maps of quantities, and single ones.
_QUANTITY_MAPS = {"limits", "requests", "hard"}
_QUANTITIES = {"averageValue", "sizeLimit"}
#: Where an empty map is not the same as none.
_EMPTY_MEANS = {"emptyDir", "podSelector", "labelSelector"}
_EMPTY_MEANS_IN_PODS = {"namespaceSelector"}
#: Maps of free text, whose entries are never defaults.
FREE_TEXTS = {"labels", "annotations", "matchLabels", "nodeSelector", "selector"}

#: Targets of metrics as v2beta1 spells them, and as v2 does.
_OLD_TARGETS = (
    ("targetAverageUtilization", "averageUtilization", "Utilization"),
    ("targetAverageValue", "averageValue", "AverageValue"),
    ("targetValue", "value", "Value"),
    ("averageValue", "averageValue", "AverageValue"),
)
#: Entries of ConfigMaps that are records for people, compared as texts.
_RECORDS = {"original-values", "merged-values"}

_POD_DEFAULTS = {
    "restartPolicy": "Always",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
    "enableServiceLinks": True,
}
#: Texts of pods that the API server takes for absent when they are empty.
_EMPTY_POD_TEXTS = (
    "dnsPolicy",
    "hostname",
    "nodeName",
    "priorityClassName",
    "restartPolicy",
    "schedulerName",
    "serviceAccountName",
    "subdomain",
)
_EMPTY_CONTAINER_TEXTS = ("imagePullPolicy", "terminationMessagePath", "terminationMessagePolicy", "workingDir")
_EMPTY_SERVICE_TEXTS = (
    "clusterIP",
    "externalName",
    "externalTrafficPolicy",
    "loadBalancerIP",
    "sessionAffinity",
    "type",
)
_CONTAINER_DEFAULTS = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
_PROBE_DEFAULTS = {
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
    "initialDelaySeconds": 0,
}
_SERVICE_DEFAULTS = {
    "type": "ClusterIP",
    "sessionAffinity": "None",
    "internalTrafficPolicy": "Cluster",
    "externalTrafficPolicy": "Cluster",
    "allocateLoadBalancerNodePorts": True,
}
_WEBHOOK_DEFAULTS = {
    "matchPolicy": "Equivalent",
    "reinvocationPolicy": "Never",
    "timeoutSeconds": 10,
    "failurePolicy": "Fail",
}
_REFERENCE = re.compile(r"\$\$|\$\(([^)]*)\)")
#: What becomes of a reference to another variable: replaced when that one stands before, else left as it is written.
REPLACED, LEFT = "replaced", "left as it is"
_ROLLING = {"maxSurge": "25%", "maxUnavailable": "25%"}
_ROLLING_DAEMON = {"maxSurge": 0, "maxUnavailable": 1}


def normal_form(obj: Object) -> Object:
    """The normal form of an object, sharing nothing with it.

    Args:
        obj: a Kubernetes object; not changed.

    Returns:
        The object without apiVersion (it does not identify it), its data in normal form.
    """
    kind = str(obj.get("kind", ""))
    prepared = _PREPARE.get(kind, dict)(shaped(obj))
    rest = {key: value for key, value in prepared.items() if key not in ("apiVersion", "kind", "data", APART)}
    result: Object = {"kind": kind, **(_map(rest, (), kind) or {})}
    if data := prepared.get("data"):
        result["data"] = _without_nulls(data)
    if apart := prepared.get(APART):
        result[APART] = _without_nulls(apart)
    return result


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _without_nulls(child) for key, child in value.items() if child is not None}
    if isinstance(value, list):
        return [_without_nulls(child) for child in value]
    return _number(value)


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _value(value: Any, path: Path, kind: str) -> Any:
    if isinstance(value, dict):
        return _map(value, path, kind)
    if isinstance(value, list):
        return _list(value, path, kind)
    return _number(value)


def _map(value: Mapping[str, Any], path: Path, kind: str) -> dict[str, Any]:
    last = path[-1] if path else ""
    result: dict[str, Any] = {}
    for key, child in value.items():
        normal = _value(child, (*path, str(key)), kind)
        if normal is None or (normal in ({}, []) and not _empty_means(str(key), child, path, kind)):
            continue
        if last in _QUANTITY_MAPS or key in _QUANTITIES:
            normal = _quantity(normal)
        result[str(key)] = normal
    if last not in FREE_TEXTS:
        _take_out_defaults(result, last)
    return result


def _empty_means(key: str, child: Any, path: Path, kind: str) -> bool:
    if not isinstance(child, dict):
        return False
    if kind == "NetworkPolicy" or (kind == "PodDisruptionBudget" and (*path, key) == ("spec", "selector")):
        return True
    return key in _EMPTY_MEANS or (key in _EMPTY_MEANS_IN_PODS and "affinity" in path)


def _quantity(value: Any) -> Any:
    number = amount(value)
    return value if number is None else f"{number.normalize():f}"


def _take_out_defaults(result: dict[str, Any], last: str) -> None:
    if "containers" in result:
        _drop(result, dict.fromkeys(_EMPTY_POD_TEXTS, ""))
        _drop(result, _POD_DEFAULTS)
    if last.endswith("Probe"):
        _drop(result, _PROBE_DEFAULTS)
    if last == "httpGet":
        _drop(result, {"scheme": "HTTP"})
    if last == "fieldRef":
        _drop(result, {"apiVersion": "v1"})
    if last == "resourceFieldRef" and str(result.get("divisor")) in ("0", "1"):
        del result["divisor"]
    if last in ("configMap", "secret", "projected", "downwardAPI"):
        _drop(result, {"defaultMode": 420})
    if last == "hostPath":
        _drop(result, {"type": ""})


def _drop(result: dict[str, Any], defaults: Mapping[str, Any]) -> None:
    for key, default in defaults.items():
        if key in result and result[key] == default:
            del result[key]


def _list(value: list[Any], path: Path, kind: str) -> Any:
    last = path[-1] if path else ""
    items = [
        {} if item is None and isinstance(raw, dict) else item for raw in value for item in [_item(raw, path, kind)]
    ]
    if last == "env":
        _note_references(items)
    key = list_key(last, kind)
    if key and all(isinstance(item, dict) and key in item for item in items):
        return _by_key(items, key)
    if last in _SETS:
        return sorted(items, key=lambda item: json.dumps(item, sort_keys=True, default=str))
    return items


def _note_references(items: list[Any]) -> None:
    """Note of variables which of their references to others Kubernetes replaces: those to what stands before."""
    known: set[str] = set()
    for item in items:
        if not isinstance(item, dict):
            continue
        for name in references(item.get("value")):
            item[f"$({name})"] = REPLACED if name in known else LEFT
        known.add(str(item.get("name")))


def references(value: Any) -> list[str]:
    """The names that the value of a variable refers to; ``$$(NAME)`` is no reference."""
    return [found.group(1) for found in _REFERENCE.finditer(str(value)) if found.group(1)]


def list_key(last: str, kind: str) -> str | None:
    """The field by which the elements of a list are told apart; None when their order or their whole counts.

    Args:
        last: the list's own key.
        kind: the object's kind.
    """
    return "containerPort" if last == "ports" and kind != "Service" else _KEYED.get(last)


def _item(value: Any, path: Path, kind: str) -> Any:
    item = _value(value, path, kind)
    last = path[-1] if path else ""
    if not isinstance(item, dict):
        return item
    if last in ("containers", "initContainers"):
        _drop(item, dict.fromkeys(_EMPTY_CONTAINER_TEXTS, ""))
        _drop(item, _CONTAINER_DEFAULTS)
        _drop(item, derived_pull_policy(str(item.get("image", ""))))
    elif last == "ports":
        _drop(item, {"protocol": "TCP"})
    elif last == "env":
        _drop(item, {"value": ""})
    elif last == "webhooks":
        _drop(item, _WEBHOOK_DEFAULTS)
    return item


def derived_pull_policy(image: str) -> dict[str, str]:
    """The pull policy that the API server derives from the image."""
    if image == "auto":
        return {}
    tag = image.rpartition("/")[2].partition(":")[2]
    return {"imagePullPolicy": "Always" if "@" not in image and tag in ("", "latest") else "IfNotPresent"}


def _by_key(items: list[dict[str, Any]], key: str) -> dict[str, Any]:
    """Elements by their key; under a doubled key, the list of them."""
    result: dict[str, Any] = {}
    for item in items:
        name = f"[{item[key]}]"
        rest = {field: value for field, value in item.items() if field != key}
        if name not in result:
            result[name] = rest
        elif isinstance(result[name], list):
            result[name].append(rest)
        else:
            result[name] = [result[name], rest]
    return result


def _service(obj: Object) -> Object:
    spec = dict(obj.get("spec") or {})
    ports = []
    for port in spec.get("ports") or []:
        target = port.get("targetPort")
        ports.append({**port, "targetPort": port.get("port") if target in (None, 0, "") else target})
    spec["ports"] = ports
    _drop(spec, dict.fromkeys(_EMPTY_SERVICE_TEXTS, ""))
    _drop(spec, _SERVICE_DEFAULTS)
    return {**obj, "spec": spec}


def _workload(obj: Object) -> Object:
    """A Deployment or DaemonSet with its update strategy written out."""
    spec = dict(obj.get("spec") or {})
    field, rolling = ("updateStrategy", _ROLLING_DAEMON) if obj.get("kind") == "DaemonSet" else ("strategy", _ROLLING)
    strategy = {"type": "RollingUpdate", **{k: v for k, v in (spec.get(field) or {}).items() if v is not None}}
    if strategy["type"] == "RollingUpdate":
        strategy["rollingUpdate"] = {**rolling, **(strategy.get("rollingUpdate") or {})}
    spec[field] = strategy
    _drop(spec, {"progressDeadlineSeconds": 600, "revisionHistoryLimit": 10})
    template = dict(spec.get("template") or {})
    pod = dict(template.get("spec") or {})
    if pod.get("serviceAccount") == pod.get("serviceAccountName"):
        pod.pop("serviceAccount", None)
    return {**obj, "spec": {**spec, "template": {**template, "spec": pod}}}


def _config_map(obj: Object) -> Object:
    data = obj.get("data") or {}
    return {**obj, "data": {key: text if key in _RECORDS else read_text(text) for key, text in data.items()}}


def _autoscaler(obj: Object) -> Object:
    spec = {"minReplicas": 1, **(obj.get("spec") or {})}
    if isinstance(spec.get("metrics"), list):
        spec["metrics"] = [_metric(metric) for metric in spec["metrics"]]
    return {**obj, "spec": spec}


def _metric(metric: Any) -> Any:
    """A metric as autoscaling/v2 spells it; operators of old have the spelling of v2beta1."""
    if not isinstance(metric, dict):
        return metric
    result = dict(metric)
    for source in ("resource", "containerResource", "pods", "object", "external"):
        if isinstance(metric.get(source), dict):
            result[source] = _metric_source(metric[source])
    return result


def _metric_source(source: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(source)
    target = dict(result.get("target") or {})
    if source.get("metricName"):
        metric = {"name": result.pop("metricName")}
        for key in ("metricSelector", "selector"):
            if key in result:
                metric["selector"] = result.pop(key)
        result["metric"] = {**metric, **(result.get("metric") or {})}
    if "kind" in target and "describedObject" not in result:
        # v2beta1 calls the object that is measured "target"
        result["describedObject"], target = target, {}
    for old, new, kind in _OLD_TARGETS:
        if old in result:
            target |= {new: result.pop(old), "type": kind}
    if target:
        result["target"] = target
    return result


def _binding(obj: Object) -> Object:
    """Subjects with the namespace and group that the API server reads into them."""
    home = str((obj.get("metadata") or {}).get("namespace") or "")
    subjects = []
    for subject in obj.get("subjects") or []:
        if subject.get("kind") == "ServiceAccount":
            kept = {key: value for key, value in subject.items() if key != "apiGroup"}
            subjects.append({"namespace": home, **kept} if home else kept)
        else:
            subjects.append({"apiGroup": "rbac.authorization.k8s.io", **subject})
    role = {"apiGroup": "rbac.authorization.k8s.io", **(obj.get("roleRef") or {})}
    return {**obj, "subjects": subjects, "roleRef": role}


def _webhooks(obj: Object) -> Object:
    hooks = []
    for hook in obj.get("webhooks") or []:
        config = dict(hook.get("clientConfig") or {})
        if isinstance(config.get("service"), dict):
            config["service"] = {"port": 443, **config["service"]}
        rules = [{"scope": "*", **rule} for rule in hook.get("rules") or []]
        hooks.append({**hook, "rules": rules, "clientConfig": config})
    return {**obj, "webhooks": hooks}


_PREPARE: dict[str, Callable[[Object], Object]] = {
    "Service": _service,
    "Deployment": _workload,
    "DaemonSet": _workload,
    "ConfigMap": _config_map,
    "HorizontalPodAutoscaler": _autoscaler,
    "RoleBinding": _binding,
    "ClusterRoleBinding": _binding,
    "MutatingWebhookConfiguration": _webhooks,
    "ValidatingWebhookConfiguration": _webhooks,
}
