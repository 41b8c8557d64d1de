"""The components that an effective operator turns on, as istioctl counts them."""

from __future__ import annotations

from dataclasses import dataclass, field

from istio_convert.operator.effective import Effective
from istio_convert.source.nodes import Leaf, Mapping, Node, Scalar, Sequence, get

SINGLE = ("base", "pilot", "cni", "ztunnel")
GATEWAYS = {"ingressGateways": "istio-ingressgateway", "egressGateways": "istio-egressgateway"}


@dataclass(slots=True)
class Component:
    """One component that is on.

    Attributes:
        kind: ``base``, ``istiodRemote``, ``pilot``, ``cni``, ``ztunnel``, ``ingressGateways`` or ``egressGateways``.
        index: position in the list of gateways, 0 for the others.
        node: its settings in the effective spec.
        namespace: where its objects live.
        name: a gateway's name; for the others the component's kind.
        named: whether the gateway has a name of its own.
    """

    kind: str
    index: int
    node: Mapping
    namespace: str
    name: str
    named: bool = True

    @property
    def k8s(self) -> Mapping:
        """Its k8s settings; empty when there are none."""
        node = self.node.items.get("k8s")
        return node if isinstance(node, Mapping) else Mapping()

    @property
    def is_gateway(self) -> bool:
        """Whether it is an ingress or egress gateway."""
        return self.kind in GATEWAYS

    def text(self, key: str) -> str:
        """A scalar field as text, or an empty string."""
        node = self.node.items.get(key)
        return str(node.value) if isinstance(node, Scalar) and node.value is not None else ""


@dataclass(slots=True)
class Selection:
    """Components that are on, and the settings of those that are off."""

    on: list[Component] = field(default_factory=list)
    off: list[tuple[str, Node]] = field(default_factory=list)


def _enabled(node: Node, default: bool) -> bool:  # noqa: FBT001 - a default, not a switch
    flag = get(node, ("enabled",))
    return bool(flag.value) if isinstance(flag, Scalar) and flag.value is not None else default


def select(effective: Effective, *, remote: bool) -> Selection:
    """Which components istioctl would render, in the order base, remote istiod, pilot, cni, ztunnel, ingress, egress.

    Args:
        effective: the operator.
        remote: whether the target release has the component ``istiodRemote``.
    """
    chosen = Selection()
    components = effective.spec.items.get("components")
    components = components if isinstance(components, Mapping) else Mapping()
    for kind in (*SINGLE, *(("istiodRemote",) if remote else ())):
        node = components.items.get(kind)
        if not isinstance(node, Mapping):
            on = kind in {"base", "pilot"}
            node = Mapping() if node is None or on else node
        else:
            on = _enabled(node, default=True)
        if on and isinstance(node, Mapping):
            chosen.on.append(Component(kind, 0, node, _namespace(node, effective), kind))
        elif not isinstance(node, Mapping) or node.items:
            chosen.off.append((kind, node))
    for kind, default_name in GATEWAYS.items():
        also = effective.value("gateways", default_name, "enabled") is True
        entries = components.items.get(kind)
        if not isinstance(entries, Sequence):
            if also or (kind == "ingressGateways" and entries is None and "ingressGateways" not in components.items):
                chosen.on.append(Component(kind, 0, Mapping(), effective.namespace, default_name))
            continue
        for index, node in enumerate(entries.items):
            if not isinstance(node, Mapping):
                continue
            if _enabled(node, default=True) or also:
                name = get(node, ("name",))
                text = str(name.value) if isinstance(name, Scalar) and name.value else ""
                namespace = _namespace(node, effective)
                chosen.on.append(Component(kind, index, node, namespace, text or default_name, named=bool(text)))
            else:
                chosen.off.append((kind, node))
    return chosen


def _namespace(node: Mapping, effective: Effective) -> str:
    own = get(node, ("namespace",))
    return str(own.value) if isinstance(own, Scalar) and own.value else effective.namespace


def enabling_leaf(component: Component) -> Leaf | None:
    """The leaf that turns a component on, when the user wrote one."""
    flag = component.node.items.get("enabled")
    return flag.leaf if isinstance(flag, Scalar) else None
