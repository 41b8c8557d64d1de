"""Pods as the types of the Kubernetes API see them: what fits, what is dropped, and the API server's defaults.

A pod passes through Go's types on its way: unknown fields are dropped, a value of another type is an error. The types
and defaults are data (``schemas/kubernetes``); nothing here knows a field by its name but the few that no table can
express (an image's pull policy, a volume without a source, requests that follow limits).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from istio_convert.verify.injection.facts import Field, pod_defaults, pod_types
from istio_convert.verify.manifests import Object
from istio_convert.verify.quantities import amount, as_stored

POD_SPEC = "PodSpec"
_METADATA = {"name": "string", "generateName": "string", "namespace": "string"}
_METADATA_MAPS = ("labels", "annotations")


class TypeRefusedError(ValueError):
    """A value has not the type of its field; the message says where."""


def conform(pod: Mapping[str, Any]) -> Object:
    """A pod as Go's types read it: without unknown fields, nulls and values that are left out when written.

    Args:
        pod: the pod; not changed.

    Raises:
        TypeRefusedError: a value has another type than its field.
    """
    metadata = pod.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise TypeRefusedError("metadata is no map")
    kept: dict[str, Any] = {
        key: value for key, value in metadata.items() if value is not None and key not in _METADATA_MAPS
    }
    for key in _METADATA_MAPS:
        if metadata.get(key):
            kept[key] = _value(metadata[key], "{}string", f"metadata.{key}")
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": kept,
        "spec": _value(pod.get("spec") or {}, POD_SPEC, "spec"),
    }


def _value(value: Any, type_name: str, where: str) -> Any:
    if type_name.startswith("[]"):
        if not isinstance(value, list):
            raise TypeRefusedError(f"{where} is no list")
        items = [_value(item, type_name[2:], f"{where}[{index}]") for index, item in enumerate(value)]
        return [{} if item is None else item for item in items]
    if type_name.startswith("{}"):
        if not isinstance(value, Mapping):
            raise TypeRefusedError(f"{where} is no map")
        return {str(key): _value(item, type_name[2:], f"{where}.{key}") for key, item in value.items()}
    if type_name in pod_types():
        return _struct(value, type_name, where)
    return _scalar(value, type_name, where)


def _struct(value: Any, type_name: str, where: str) -> Any:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise TypeRefusedError(f"{where} is no map")
    result: dict[str, Any] = {}
    for key, field in pod_types()[type_name].items():
        if key not in value or value[key] is None:
            continue
        read = _value(value[key], field.type, f"{where}.{key}")
        if not field.pointer and read in ("", [], 0, False) and read is not None:
            if field.type not in ("string", "int", "bool") and not field.type.startswith("[]"):
                result[key] = read
            continue
        if not field.pointer and field.type.startswith("{}") and read == {}:
            continue
        result[key] = read
    return result


def _scalar(value: Any, type_name: str, where: str) -> Any:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    fits = {
        "string": isinstance(value, str),
        "bool": isinstance(value, bool),
        "int": isinstance(value, int) and not isinstance(value, bool),
        "Quantity": isinstance(value, str | int | float) and not isinstance(value, bool),
        "IntOrString": isinstance(value, str | int) and not isinstance(value, bool),
    }.get(type_name, True)
    if value is None:
        return {"string": "", "bool": False, "int": 0}.get(type_name)
    if not fits:
        raise TypeRefusedError(f"{where} is no {type_name}")
    return as_stored(value) if type_name == "Quantity" and amount(value) is not None else value


# -- defaults ----------------------------------------------------------------------------------------------------------


def defaulted(pod: Object, *, template: bool = False) -> Object:
    """A pod with what the API server fills in.

    Args:
        pod: the pod; not changed. Parts that have not the shape of the API stay as they are.
        template: it is the template of a workload; what is filled into pods alone is left out.
    """
    result = copy.deepcopy(pod)
    spec = result.setdefault("spec", {})
    if not isinstance(spec, dict):
        return result
    if not template:
        _fill(spec, pod_defaults()["pod"])
    _default(spec, POD_SPEC)
    for container in containers(result):
        image = container.get("image")
        if not container.get("imagePullPolicy"):
            container["imagePullPolicy"] = pull_policy(str(image or ""))
        if not template:
            _requests(container.get("resources"))
            if spec.get("hostNetwork") is True:
                for port in _maps(container.get("ports")):
                    port.setdefault("hostPort", port.get("containerPort"))
    for volume in _maps(spec.get("volumes")):
        if not any(key in volume for key in _sources()):
            volume.update(copy.deepcopy(pod_defaults()["volume_without_source"]))
    if spec.get("serviceAccountName"):
        spec["serviceAccount"] = spec["serviceAccountName"]
    return result


def containers(pod: Mapping[str, Any], *groups: str) -> Iterator[dict[str, Any]]:
    """The containers of a pod, those of the groups named, or all."""
    spec = pod.get("spec")
    if isinstance(spec, dict):
        for group in groups or ("initContainers", "containers", "ephemeralContainers"):
            yield from _maps(spec.get(group))


def pull_policy(image: str) -> str:
    """The pull policy that the API server derives from an image: ``Always`` without a tag, or with ``latest``."""
    known = pod_defaults()["pull_policy"]
    tag = image.rpartition("/")[2].partition("@")[0].partition(":")[2]
    if "@" in image and not tag:
        return str(known["other"])
    return str(known["tags"].get(tag, known["other"]))


def volume_sources() -> tuple[str, ...]:
    """The fields of a volume that are a source."""
    return _sources()


def _sources() -> tuple[str, ...]:
    return tuple(key for key in pod_types()["Volume"] if key != "name")


def _maps(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def _fill(node: dict[str, Any], values: Mapping[str, Any]) -> None:
    zero = pod_defaults()["zero_is_left_out"]
    for key, value in values.items():
        present = node.get(key)
        if present is None or (present == "" and value != "") or (key in zero and present == 0):
            node[key] = copy.deepcopy(value)


def _default(node: Any, type_name: str) -> None:
    if type_name.startswith(("[]", "{}")):
        children = node if isinstance(node, list) else node.values() if isinstance(node, dict) else ()
        for child in children:
            _default(child, type_name[2:])
        return
    if not isinstance(node, dict) or type_name not in pod_types():
        return
    _fill(node, pod_defaults()["fields"].get(type_name, {}))
    for key, field in pod_types()[type_name].items():
        if key in node and _has_types(field):
            _default(node[key], field.type)


def _has_types(field: Field) -> bool:
    return field.type.lstrip("[]{}") in pod_types()


def _requests(resources: Any) -> None:
    if isinstance(resources, dict) and isinstance(resources.get("limits"), dict):
        requests = resources.get("requests")
        if requests is None or isinstance(requests, dict):
            resources["requests"] = {**resources["limits"], **(requests or {})}
