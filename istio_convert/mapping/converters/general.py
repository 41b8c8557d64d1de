"""Small pure functions that turn a field into the form a chart's value has."""

from __future__ import annotations

import re
from collections.abc import Callable

from istio_convert.mapping.model import Converted, Facts
from istio_convert.operator.merge import Override, merged
from istio_convert.source.nodes import Mapping, Node, Scalar, Sequence, clone, get, to_data
from istio_convert.source.scalars import needs_quotes

#: what a template can print as a name without quotes
_BARE_NAME = re.compile(r"[A-Za-z_][-._A-Za-z0-9]*")


def has_null(node: Node) -> bool:
    """Whether a tree holds a null: Kubernetes' merge deletes by it, a chart prints it."""
    if isinstance(node, Scalar):
        return node.value is None
    for child in node.items.values() if isinstance(node, Mapping) else node.items:
        if child.value is None if isinstance(child, Scalar) else has_null(child):
            return True
    return False


def env_to_map(node: Node, facts: Facts) -> Converted:
    """``[{name, value}]`` becomes ``{name: value}``; what is not that stays a list.

    The control plane's charts print names bare and values between quotes, so what YAML reads as something else there
    stays in the list, too: a JSON text would end at its first quote.
    """
    return named_values(node, facts, is_printable=_printed_between_quotes)


def named_values(node: Node, facts: Facts, *, is_printable: Callable[[str], bool] = lambda _: True) -> Converted:
    """The same for a chart that prints the values of which ``is_printable`` is true as they are."""
    values, rest = Mapping(), Sequence()
    for item in node.items if isinstance(node, Sequence) else []:
        name, value = get(item, ("name",)), get(item, ("value",))
        plain = (
            isinstance(item, Mapping)
            and isinstance(name, Scalar)
            and isinstance(value, Scalar)
            and value.value is not None
            and set(item.items) == {"name", "value"}
        )
        text = str(name.value) if isinstance(name, Scalar) else ""
        carried = string_scalar(value)
        if (
            plain
            and text not in facts.template_env | facts.singled_out_env
            and _BARE_NAME.fullmatch(text)
            and not needs_quotes(text)
            and is_printable(str(carried.value))
        ):
            values.items[text] = carried
        elif isinstance(item, Mapping):
            rest.items.append(env_item(item))
    return Converted(values if values.items else None, rest if rest.items else None)


def _printed_between_quotes(text: str) -> bool:
    return text.isprintable() and not set(text) & {'"', "\\"}


def env_item(item: Mapping) -> Mapping:
    """An env entry with its value as a string."""
    copy = clone(item)
    value = copy.items.get("value")
    if isinstance(value, Scalar):
        copy.items["value"] = string_scalar(value)
    return copy


def string_scalar(node: Node | None) -> Scalar:
    """A scalar as a string, with the text that stands in the file (``true``, ``1.20``)."""
    if not isinstance(node, Scalar):
        return Scalar("")
    if isinstance(node.value, str) or node.value is None:
        return Scalar(node.value if node.value is not None else "", node.leaf, node.origin)
    text = node.leaf.text if node.leaf is not None else str(node.value).lower()
    return Scalar(text, node.leaf, node.origin)


def strings(node: Node) -> Node:
    """A map whose values are all strings (annotations, labels)."""
    if not isinstance(node, Mapping):
        return clone(node)
    return Mapping(
        {key: string_scalar(value) if _needs_text(value) else clone(value) for key, value in node.items.items()},
        node.leaf,
        node.origin,
    )


def _needs_text(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is not None


def metric_v2(metric: Node) -> Node:
    """One metric in the form of autoscaling/v2: ``targetAverageUtilization`` moves into ``target``."""
    copy = clone(metric)
    if not isinstance(copy, Mapping):
        return copy
    for source in ("resource", "pods", "object", "external", "containerResource"):
        part = copy.items.get(source)
        if not isinstance(part, Mapping):
            continue
        for old, new, kind in (
            ("targetAverageUtilization", "averageUtilization", "Utilization"),
            ("targetAverageValue", "averageValue", "AverageValue"),
            ("targetValue", "value", "Value"),
        ):
            number = part.items.pop(old, None)
            if number is not None:
                part.items["target"] = Mapping({"type": Scalar(kind), new: number})
        name = part.items.pop("metricName", None)
        if name is not None:
            part.items["metric"] = Mapping({"name": name})
        selector = part.items.pop("metricSelector", None) or (
            part.items.pop("selector", None) if source == "external" else None
        )
        if selector is not None:
            known = part.items.setdefault("metric", Mapping())
            if isinstance(known, Mapping):
                known.items["selector"] = selector
    return copy


def metrics_v2(node: Node, facts: Facts) -> Converted:  # noqa: ARG001 - the form of a converter
    """The autoscaler's spec with its metrics in the form of autoscaling/v2, as a patch."""
    copy = clone(node)
    metrics = copy.items.get("metrics") if isinstance(copy, Mapping) else None
    if isinstance(copy, Mapping) and isinstance(metrics, Sequence):
        copy.items["metrics"] = Sequence([metric_v2(m) for m in metrics.items], metrics.leaf, metrics.origin)
    return Converted(None, copy)


def utilization(metric: Node, resource: str) -> Scalar | None:
    """The utilisation target of a Resource metric, or None when it is another metric."""
    if not isinstance(metric, Mapping) or set(metric.items) != {"type", "resource"}:
        return None
    kind, part = metric.items["type"], metric.items["resource"]
    if not isinstance(kind, Scalar) or kind.value != "Resource" or not isinstance(part, Mapping):
        return None
    name, target = part.items.get("name"), part.items.get("target")
    if not isinstance(name, Scalar) or name.value != resource or not isinstance(target, Mapping):
        return None
    if set(part.items) != {"name", "target"} or not set(target.items) <= {"type", "averageUtilization"}:
        return None
    number, form = target.items.get("averageUtilization"), target.items.get("type")
    if not isinstance(number, Scalar) or (isinstance(form, Scalar) and form.value != "Utilization"):
        return None
    return number


def single_cpu_metric(node: Node, facts: Facts) -> Converted:  # noqa: ARG001 - the form of a converter
    """A list of one cpu utilisation metric becomes its number; every other list stays."""
    metrics = [metric_v2(metric) for metric in node.items] if isinstance(node, Sequence) else []
    if len(metrics) == 1 and (number := utilization(metrics[0], "cpu")) is not None:
        return Converted(number, None)
    return Converted(None, Sequence(metrics, node.leaf, node.origin))


def rolling_only(node: Node, facts: Facts) -> Converted:  # noqa: ARG001 - the form of a converter
    """A strategy that only says how to roll becomes the two numbers of istiod's chart."""
    if not isinstance(node, Mapping):
        return Converted(None, node)
    kind, rolling = node.items.get("type"), node.items.get("rollingUpdate")
    rolls = kind is None or (isinstance(kind, Scalar) and kind.value == "RollingUpdate")
    if not rolls or not isinstance(rolling, Mapping) or not rolling.items:
        return Converted(None, node)
    names = {"maxSurge": "rollingMaxSurge", "maxUnavailable": "rollingMaxUnavailable"}
    if not set(rolling.items) <= set(names):
        return Converted(None, node)
    values = Mapping({names[key]: clone(value) for key, value in rolling.items.items()})
    rest = Mapping({"type": clone(kind)}) if kind is not None else None
    return Converted(values, rest)


def service_spec(node: Node, facts: Facts) -> Converted:  # noqa: ARG001 - the form of a converter
    """The Service's spec as a patch.

    Kubernetes tells the ports of a merged list apart by their number; Kustomize by number and protocol, and it takes no
    notice of a port without a protocol that is there with one.
    """
    copy = clone(node)
    ports = copy.items.get("ports") if isinstance(copy, Mapping) else None
    if not isinstance(copy, Mapping) or not isinstance(ports, Sequence) or not all(map(_number_of, ports.items)):
        return Converted(None, copy)
    overrides: list[Override] = []
    by_number: dict[str, Mapping] = {}
    for port in ports.items:
        number, known = _number_of(port), by_number.get(_number_of(port), Mapping())
        assert isinstance(port, Mapping)  # noqa: S101 - it has a number
        by_number[number] = merged(known, port, overrides, "of two ports with one number the later one counts")
    listed: list[Node] = []
    for port in by_number.values():
        # what istioctl merges into the chart's port takes its place
        protocol = port.items.setdefault("protocol", Scalar("TCP"))
        if isinstance(protocol, Scalar) and protocol.value != "TCP":
            gone: dict[str, Node] = {
                "port": Scalar(to_data(port.items["port"])),
                "protocol": Scalar("TCP"),
                "$patch": Scalar("delete"),
            }
            listed.append(Mapping(gone))
        listed.append(port)
    copy.items["ports"] = Sequence(listed, ports.leaf, ports.origin)
    same = [override for override in overrides if override.winner and override.leaf.value == override.winner.value]
    return Converted(None, copy, overridden=tuple(override for override in overrides if override not in same))


def _number_of(port: Node) -> str:
    """The number of a port as text; empty when it has none, or is to be deleted."""
    number = get(port, ("port",))
    return str(number.value) if isinstance(number, Scalar) and number.value and get(port, ("$patch",)) is None else ""
