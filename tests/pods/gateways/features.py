"""What a feature is: a few fields of an operator about one gateway, and how several make one operator."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from istio_convert.source.writer import dump

Tree = dict[str, Any]
#: The gateway's name; not istioctl's default, so that nothing holds by chance.
NAME = "edge"
NAMESPACE = "istio-system"
POD = "spec.template.spec"
PROXY = f"{POD}.containers.[name:istio-proxy]"
#: for "delete what is there"
DELETE: Any = object()


@dataclass(frozen=True)
class Case:
    """One operator with one gateway to be judged.

    Attributes:
        name: what it is about, by kind.
        text: the operator, or several in one stream.
    """

    name: str
    text: str

    @property
    def kind(self) -> str:
        """The first word of its name."""
        return self.name.split("/")[0]


@dataclass(frozen=True)
class Feature:
    """Fields of an operator that ask one thing of a gateway.

    Attributes:
        name: kind and what it is: ``volume/csi/workload-socket``.
        k8s: its ``k8s`` settings.
        patches: (path, value) of overlays of its Deployment; ``DELETE`` for no value.
        gateway: further fields of the gateway's entry.
        values: fields under ``spec.values``.
        mesh: fields under ``spec.meshConfig``.
        spec: further fields under ``spec``.
    """

    name: str
    k8s: Tree = field(default_factory=dict)
    patches: Sequence[tuple[str, Any]] = ()
    gateway: Tree = field(default_factory=dict)
    values: Tree = field(default_factory=dict)
    mesh: Tree = field(default_factory=dict)
    spec: Tree = field(default_factory=dict)

    def case(self, prefix: str = "") -> Case:
        """The operator with this feature alone, control plane and gateway in one."""
        return Case(prefix + self.name, operator([self]))


def joined(first: Any, second: Any) -> Any:
    """Two pieces of one tree: maps are joined, lists are one after the other, else the second wins."""
    if isinstance(first, dict) and isinstance(second, dict):
        result = dict(first)
        for key, value in second.items():
            result[key] = joined(result[key], value) if key in result else value
        return result
    if isinstance(first, list) and isinstance(second, list):
        return first + second
    return second


def operator(parts: Iterable[Feature], *, spec: Tree | None = None, name: str = "mesh") -> str:
    """An operator with one gateway that has all the features.

    Args:
        parts: the features.
        spec: the fields of ``spec`` to begin with; by default a control plane of the default profile.
        name: the operator's name.
    """
    entry: Tree = {"name": NAME, "namespace": NAMESPACE, "enabled": True}
    tree: Tree = copy.deepcopy(spec) if spec is not None else {"profile": "default"}
    k8s: Tree = {}
    overlays: dict[str, list[Tree]] = {}
    for part in parts:
        k8s = joined(k8s, part.k8s)
        entry = joined(entry, part.gateway)
        tree = joined(tree, part.spec)
        for place, piece in (("meshConfig", part.mesh), ("values", part.values)):
            if piece:
                tree[place] = joined(tree.get(place, {}), piece)
        for path, value in part.patches:
            patch = {"path": path} if value is DELETE else {"path": path, "value": value}
            overlays.setdefault("Deployment", []).append(patch)
    if overlays:
        listed = [{"kind": kind, "name": entry["name"], "patches": patches} for kind, patches in overlays.items()]
        k8s = joined(k8s, {"overlays": listed})
    if k8s:
        entry["k8s"] = k8s
    tree["components"] = joined(tree.get("components", {}), {"ingressGateways": [entry]})
    return document(tree, name)


def document(spec: Tree, name: str) -> str:
    """An operator as text."""
    head = {"apiVersion": "install.istio.io/v1alpha1", "kind": "IstioOperator"}
    return dump({**head, "metadata": {"name": name, "namespace": "istio-system"}, "spec": spec})
