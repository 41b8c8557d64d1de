"""The affinity that istioctl's gateway charts make of a gateway's values.

Source: templates/_affinity.tpl of istio-ingress and istio-egress at Istio's release tags.
"""

from __future__ import annotations

from dataclasses import dataclass

from istio_convert.mapping.draft.template_text import as_string, text_of
from istio_convert.source.nodes import Mapping, Node, Scalar, Sequence, clone, get


@dataclass(frozen=True, slots=True)
class GatewayAffinity:
    """Builds the affinity.

    Attributes:
        gateway: the gateway's own values.
        values: all values, for what is global.
    """

    gateway: Mapping
    values: Mapping

    def build(self) -> Mapping:
        """The affinity; empty when there is none."""
        affinity = Mapping()
        node_affinity = self._node_affinity()
        if node_affinity.items:
            affinity.items["nodeAffinity"] = node_affinity
        pods = Mapping()
        required = [_anti_affinity(item) for item in _items(self.gateway, "podAntiAffinityLabelSelector")]
        preferred = [_anti_affinity(item) for item in _items(self.gateway, "podAntiAffinityTermLabelSelector")]
        if required:
            pods.items["requiredDuringSchedulingIgnoredDuringExecution"] = Sequence(list(required))
        if preferred:
            terms: list[Node] = [_map(podAffinityTerm=_without_namespaces(t), weight=Scalar(100)) for t in preferred]
            pods.items["preferredDuringSchedulingIgnoredDuringExecution"] = Sequence(terms)
        if pods.items:
            affinity.items["podAntiAffinity"] = pods
        return affinity

    def _node_affinity(self) -> Mapping:
        arch = self._global("arch")
        arches = arch.items if isinstance(arch, Mapping) else {}
        wanted = {key: node for key, node in sorted(arches.items()) if _weight(node) > 0}
        selector = self.gateway.items.get("nodeSelector")
        if not isinstance(selector, Mapping) or not selector.items:
            selector = self._global("defaultNodeSelector")
        expressions: list[Node] = []
        if arches:
            values: list[Node] = [Scalar(key, node.leaf) for key, node in wanted.items()]
            expressions.append(_expression("kubernetes.io/arch", values))
        if isinstance(selector, Mapping):
            for key, node in sorted(selector.items.items()):
                expressions.append(_expression(key, [as_string(clone(node))]))
        result = Mapping()
        if expressions:
            terms = Sequence([_map(matchExpressions=Sequence(expressions))])
            result.items["requiredDuringSchedulingIgnoredDuringExecution"] = _map(nodeSelectorTerms=terms)
        if wanted:
            preferred: list[Node] = [
                _map(
                    weight=Scalar(_weight(node), node.leaf),
                    preference=_map(matchExpressions=Sequence([_expression("kubernetes.io/arch", [Scalar(key)])])),
                )
                for key, node in wanted.items()
            ]
            result.items["preferredDuringSchedulingIgnoredDuringExecution"] = Sequence(preferred)
        return result

    def _global(self, name: str) -> Node | None:
        return get(self.values, ("global", name))


def _items(node: Mapping, key: str) -> list[Node]:
    found = node.items.get(key)
    return [clone(item) for item in found.items] if isinstance(found, Sequence) else []


def _map(**fields: Node) -> Mapping:
    return Mapping(dict(fields))


def _weight(node: Node) -> int:
    try:
        return int(text_of(node) or 0)
    except ValueError:
        return 0


def _expression(key: str, values: list[Node]) -> Mapping:
    return _map(key=Scalar(key), operator=Scalar("In"), values=Sequence(values))


def _anti_affinity(item: Node) -> Mapping:
    expression = Mapping()
    for key in ("key", "operator"):
        node = get(item, (key,))
        if node is not None:
            expression.items[key] = clone(node)
    values = get(item, ("values",))
    if values is not None and text_of(values):
        expression.items["values"] = Sequence([Scalar(part, values.leaf) for part in text_of(values).split(",")])
    term = _map(labelSelector=_map(matchExpressions=Sequence([expression])))
    topology = get(item, ("topologyKey",))
    if topology is not None:
        term.items["topologyKey"] = clone(topology)
    namespaces = get(item, ("namespaces",))
    if namespaces is not None and text_of(namespaces):
        term.items["namespaces"] = Sequence([Scalar(part, namespaces.leaf) for part in text_of(namespaces).split(",")])
    return term


def _without_namespaces(term: Mapping) -> Mapping:
    return Mapping({key: node for key, node in term.items.items() if key != "namespaces"})
