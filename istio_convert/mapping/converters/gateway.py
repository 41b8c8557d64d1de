"""Small pure functions that turn a place of a gateway's objects into the gateway chart's form of it."""

from __future__ import annotations

from istio_convert.mapping.converters.gateway_defaults import PROVIDED_ANNOTATIONS, is_provided, untouched, without_mark
from istio_convert.mapping.converters.general import (
    env_item,
    metric_v2,
    named_values,
    string_scalar,
    strings,
    utilization,
)
from istio_convert.mapping.model import Converted, Facts
from istio_convert.source.nodes import Mapping, Node, Scalar, Sequence, clone, get

#: annotations by which the gateway chart asks for injection; istioctl's gateways are not injected
INJECTION_ANNOTATIONS = {"sidecar.istio.io/inject"}


def pod_annotations(node: Node, facts: Facts) -> Converted:  # noqa: ARG001 - the form of a converter
    """Annotations that the chart does not set itself; those that the chart sets and istioctl does not are nulls."""
    if not isinstance(node, Mapping):
        return Converted()
    values = Mapping(origin=node.origin)
    patch = Mapping({key: Scalar(None) for key in PROVIDED_ANNOTATIONS if key not in node.items})
    for key, value in node.items.items():
        if key in PROVIDED_ANNOTATIONS and isinstance(value, Scalar) and value.value is None:
            patch.items[key] = value
            continue
        same = key in PROVIDED_ANNOTATIONS and isinstance(value, Scalar) and value.value == PROVIDED_ANNOTATIONS[key]
        if key in INJECTION_ANNOTATIONS or (same and value.leaf is None):
            continue
        values.items[key] = value
    shown = strings(values)
    return Converted(shown if values.items else None, patch if patch.items else None)


def gateway_env(node: Node, facts: Facts) -> Converted:
    """Variables that the operator sets: a map of values, and a list of those with valueFrom."""
    own = Sequence()
    for item in node.items if isinstance(node, Sequence) else []:
        if untouched(item) or (is_provided(item) and get(item, ("value",)) is None and not _has_source(item)):
            continue
        own.items.append(without_mark(item))
    return named_values(own, facts)  # this chart quotes every value


def _has_source(item: Node) -> bool:
    return get(item, ("valueFrom",)) is not None


def env_list(node: Node) -> Node:
    """The list with every value as a string."""
    if not isinstance(node, Sequence):
        return node
    return Sequence([env_item(item) if isinstance(item, Mapping) else item for item in node.items])


def plain_ports(node: Node, facts: Facts) -> Converted:  # noqa: ARG001 - the form of a converter
    """The list of ports with names first and nulls left out."""
    ports = Sequence(leaf=node.leaf, origin=node.origin)
    order = ("name", "port", "protocol", "targetPort", "nodePort", "appProtocol")
    for item in node.items if isinstance(node, Sequence) else []:
        if not isinstance(item, Mapping):
            return Converted(None, clone(node))
        keys = sorted(item.items, key=lambda key: order.index(key) if key in order else len(order))
        kept = {key: clone(item.items[key]) for key in keys if not _is_null(item.items[key])}
        if isinstance(target := kept.get("targetPort"), Scalar) and isinstance(target.value, str):
            return Converted(None, clone(node))  # the chart's schema takes numbers only
        name = kept.get("name")
        if isinstance(name, Scalar):
            kept["name"] = string_scalar(name)
        ports.items.append(Mapping(kept, origin=item.origin))
    return Converted(ports, None)


def quantities(node: Node, facts: Facts) -> Converted:  # noqa: ARG001 - the form of a converter
    """Requests and limits with every quantity as a string, as the chart's schema asks for."""
    if not isinstance(node, Mapping):
        return Converted(clone(node), None)
    return Converted(Mapping({key: strings(part) for key, part in node.items.items()}, node.leaf, node.origin), None)


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None


def hpa_metrics(node: Node, facts: Facts) -> Converted:  # noqa: ARG001 - the form of a converter
    """Utilisation of cpu, of memory, or of both as the chart's numbers; every other list stays a list."""
    metrics = [metric_v2(metric) for metric in node.items] if isinstance(node, Sequence) else []
    found = Mapping()
    names = (("cpu", "targetCPUUtilizationPercentage"), ("memory", "targetMemoryUtilizationPercentage"))
    for metric in metrics:
        for resource, name in names:
            number = utilization(metric, resource)
            if number is not None and name not in found.items:
                found.items[name] = clone(number)
                break
        else:
            return Converted(None, Sequence(metrics, node.leaf, node.origin))
    if "targetCPUUtilizationPercentage" not in found.items:
        return Converted(None, Sequence(metrics, node.leaf, node.origin))
    in_order = list(found.items) == [name for _, name in names if name in found.items]
    return Converted(found, None) if in_order else Converted(None, Sequence(metrics, node.leaf, node.origin))


def budget_spec(node: Node, facts: Facts) -> Converted:  # noqa: ARG001 - the form of a converter
    """The budget without its selector, which the chart makes itself."""
    if not isinstance(node, Mapping):
        return Converted()
    kept = Mapping({key: clone(value) for key, value in node.items.items() if key != "selector"}, origin=node.origin)
    return Converted(kept if kept.items else None, None)


def container_security(node: Node, facts: Facts) -> Converted:  # noqa: ARG001 - the form of a converter
    """The container's security context as it stands."""
    return Converted(clone(node), None)
