"""The objects that istioctl's own gateway charts render, as far as they depend on what an operator says.

The gateway chart is another chart, so a gateway is converted through its objects: build what istioctl renders, apply
its k8s settings and overlays to it, then look up every place in the gateway table.
Source: manifests/charts/gateways/istio-ingress and istio-egress of Istio's release tags.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from istio_convert.mapping.converters.gateway_defaults import (
    ENV,
    IN_PROXY,
    MOUNTS,
    PROBE,
    PROVIDED,
    PROVIDED_ANNOTATIONS,
    PROXY_CONTEXT,
    VOLUMES,
    fresh,
    provided,
)
from istio_convert.mapping.draft.template_text import as_string
from istio_convert.mapping.gateway.affinity import GatewayAffinity
from istio_convert.mapping.model import POD, ManifestPath
from istio_convert.operator.components import Component
from istio_convert.source.nodes import Leaf, Mapping, Node, Scalar, Sequence, clone, from_data, get, to_data, walk


@dataclass(slots=True)
class GatewayObjects:
    """The objects of one gateway, by kind.

    Attributes:
        objects: kind -> tree; a kind that istioctl does not render is missing.
        labels: the selector.
        name: name of Deployment, Service, HPA and PDB.
        service_account: name of the ServiceAccount.
        selector: the labels as the chart renders them, as data.
        provided: place of the Deployment that injection fills as istioctl's chart does -> what stands there, as data.
        rebuild: builds the objects anew.
    """

    objects: dict[str, Mapping]
    labels: Mapping
    name: str
    service_account: str
    selector: dict[str, Any]
    provided: dict[ManifestPath, Any]
    rebuild: Callable[[], dict[str, Mapping]]
    _rendered: dict[str, Any] = field(default_factory=dict)

    def rendered(self, kind: str) -> Any:
        """An object as istioctl's chart renders it, as data, whatever was laid over it since. Few gateways need it."""
        if not self._rendered:
            self._rendered = {kind: to_data(tree) for kind, tree in self.rebuild().items()}
        return self._rendered[kind]


class GatewayBuilder:
    """Builds the objects of one gateway from its values."""

    def __init__(
        self, component: Component, gateway: Mapping, values: Mapping, *, pdb_rendered: bool, openshift: bool
    ) -> None:
        self.component = component
        self.gateway = gateway
        self.values = values
        self.pdb_rendered = pdb_rendered
        self.openshift = openshift
        self.provided: dict[ManifestPath, Any] = {}

    def build(self, labels: Mapping) -> GatewayObjects:
        """All objects.

        Args:
            labels: the merged selector labels.
        """
        name = self.component.name
        return GatewayObjects(
            self._objects(name, labels),
            Mapping(dict(labels.items)),
            name,
            f"{name}-service-account",
            to_data(labels),
            self.provided,
            lambda: self._objects(name, labels),
        )

    def _objects(self, name: str, labels: Mapping) -> dict[str, Mapping]:
        objects = {
            "Deployment": self._deployment(labels),
            "ServiceAccount": Mapping({"metadata": self._some(annotations=self._get("serviceAccount", "annotations"))}),
        }
        if not self._on("customService"):
            objects["Service"] = self._service(labels)
        if self._on("autoscaleEnabled") and self._on("autoscaleMin") and self._on("autoscaleMax"):
            objects["HorizontalPodAutoscaler"] = self._hpa(name)
        if self.pdb_rendered:
            objects["PodDisruptionBudget"] = _map(
                spec=_map(minAvailable=Scalar(1), selector=_map(matchLabels=clone(labels)))
            )
        return objects

    def _provide(self, path: ManifestPath, data: dict[str, Any]) -> Node:
        self.provided[path] = data
        return from_data(data)

    def _get(self, name: str, *below: str) -> Node | None:
        node = self.gateway.items.get(name)
        return get(node, below) if below else node

    def _global(self, *path: str) -> Node | None:
        return get(self.values, ("global", *path))

    def _on(self, name: str) -> bool:
        """Go's truth of a value."""
        node = self.gateway.items.get(name)
        if isinstance(node, Scalar):
            return bool(node.value)
        return node is not None and bool(node.items)

    @staticmethod
    def _some(**fields: Node | None) -> Mapping:
        """A map of the fields that Go counts as true."""
        return Mapping({key: clone(node) for key, node in fields.items() if node is not None and _true(node)})

    def _printed(self, **names: str) -> Mapping:
        """A map of values that the template prints without asking whether Go counts them as true."""
        found = {key: self._get(name) for key, name in names.items()}
        return Mapping({key: clone(node) for key, node in found.items() if node is not None and not _is_blank(node)})

    def _deployment(self, labels: Mapping) -> Mapping:
        spec = Mapping()
        if not self._on("autoscaleEnabled") and self._on("replicaCount"):
            spec.items["replicas"] = clone(_known(self._get("replicaCount")))
        spec.items["selector"] = _map(matchLabels=clone(labels))
        rolling = self._printed(maxSurge="rollingMaxSurge", maxUnavailable="rollingMaxUnavailable")
        spec.items["strategy"] = _map(rollingUpdate=rolling)
        annotations = Mapping()
        merge = get(self.values, ("meshConfig", "enablePrometheusMerge")) or Scalar(True)
        # a null remembers which setting leaves the annotation out
        off = Scalar(None, merge.leaf)
        annotations.items.update(
            {k: Scalar(v) if _true(merge) else clone(off) for k, v in PROVIDED_ANNOTATIONS.items()}
        )
        template = self._get("injectionTemplate")
        if template is not None and _true(template):
            annotations.items["inject.istio.io/templates"] = clone(template)
        own = self._get("podAnnotations")
        if isinstance(own, Mapping):
            annotations.items.update({k: as_string(clone(v)) for k, v in own.items.items()})
        pod_labels = clone(labels)
        spec.items["template"] = _map(metadata=_map(labels=pod_labels, annotations=annotations), spec=self._pod())
        return _map(metadata=Mapping(), spec=spec)

    def _pod(self) -> Mapping:
        pod = Mapping()
        if not self._on("runAsRoot"):
            user = {} if self.openshift else {"runAsUser": 1337, "runAsGroup": 1337}
            context = {**user, "runAsNonRoot": True}
            pod.items["securityContext"] = self._provide((*POD, "securityContext"), context)
        priority = self._global("priorityClassName")
        if priority is not None and _true(priority):
            pod.items["priorityClassName"] = clone(priority)
        pod.items["containers"] = Sequence([self._container(), *self._list("additionalContainers")])
        pod.items["volumes"] = Sequence([*self._provided_volumes(), *self._volumes()])
        affinity = GatewayAffinity(self.gateway, self.values).build()
        if affinity.items:
            pod.items["affinity"] = affinity
        tolerations = self._own_or_common("tolerations", "defaultTolerations")
        if tolerations is not None and _true(tolerations):
            pod.items["tolerations"] = clone(tolerations)
        return pod

    def _own_or_common(self, own: str, common: str) -> Node | None:
        """A setting of the gateway, or that of all gateways, which an empty one brings back."""
        node, shared = self._get(own), self._global(common)
        if node is not None and _true(node):
            return node
        return _brought_by(node.leaf, shared) if node is not None and shared is not None else shared

    def _list(self, key: str) -> list[Node]:
        node = self._get(key)
        return [clone(item) for item in node.items] if isinstance(node, Sequence) else []

    def _container(self) -> Mapping:
        container = _map(name=Scalar("istio-proxy"), image=Scalar(PROVIDED))
        policy = self._global("imagePullPolicy")
        if policy is not None and _true(policy):
            container.items["imagePullPolicy"] = clone(policy)
        container.items["args"] = Scalar(PROVIDED)
        if not self._on("runAsRoot"):
            container.items["securityContext"] = self._provide((*IN_PROXY, "securityContext"), PROXY_CONTEXT)
        if not self._injected:
            container.items["readinessProbe"] = self._provide((*IN_PROXY, "readinessProbe"), PROBE)
        resources = self._own_or_common("resources", "defaultResources")
        if resources is not None and _true(resources):
            container.items["resources"] = clone(resources)
        container.items["env"] = Sequence([*self._provided_env(), *self._env()])
        container.items["volumeMounts"] = Sequence([*self._provided_mounts(), *self._mounts()])
        container.items["ports"] = Sequence([Mapping(provided(containerPort=port)) for port in self._container_ports()])
        return container

    def _container_ports(self) -> list[Any]:
        ports = self._get("ports")
        numbers = []
        for port in ports.items if isinstance(ports, Sequence) else []:
            number = get(port, ("targetPort",)) or get(port, ("port",))
            if isinstance(number, Scalar):
                numbers.append(number.value)
        return [*numbers, 15090]

    @property
    def _injected(self) -> bool:
        """Whether istioctl's chart leaves the proxy to injection, too."""
        return self._on("injectionTemplate")

    def _provided_env(self) -> list[Node]:
        return fresh(ENV[-1:] if self._injected else ENV)

    def _env(self) -> list[Node]:
        env = self._get("env")
        if not isinstance(env, Mapping):
            return []
        return [_map(name=Scalar(name), value=as_string(clone(node))) for name, node in sorted(env.items.items())]

    def _provided_volumes(self) -> list[Node]:
        return [] if self._injected else fresh(VOLUMES)

    def _provided_mounts(self) -> list[Node]:
        return [] if self._injected else fresh(MOUNTS)

    def _volumes(self) -> Iterable[Node]:
        for item in self._list("secretVolumes"):
            yield _volume(item, "secret", "secretName", "secretName")
        for item in self._list("configVolumes"):
            yield _volume(item, "configMap", "name", "configMapName")

    def _mounts(self) -> Iterable[Node]:
        for item in [*self._list("secretVolumes"), *self._list("configVolumes")]:
            path = get(item, ("mountPath",))
            name = get(item, ("name",))
            if path is not None and name is not None and _true(path):
                yield _map(name=clone(name), mountPath=clone(path), readOnly=Scalar(True))

    def _service(self, labels: Mapping) -> Mapping:
        annotations = self._get("serviceAnnotations")
        shown = Mapping()
        if isinstance(annotations, Mapping):
            shown.items = {key: as_string(clone(node)) for key, node in annotations.items.items()}
        spec = self._some(
            loadBalancerIP=self._get("loadBalancerIP"),
            loadBalancerSourceRanges=self._get("loadBalancerSourceRanges"),
            externalTrafficPolicy=self._get("externalTrafficPolicy"),
            type=self._service_type(),
        )
        if "loadBalancerIP" in spec.items:
            spec.items["loadBalancerIP"] = as_string(spec.items["loadBalancerIP"])
        spec.items["selector"] = clone(labels)
        ports = self._list("ports")
        for key in ("ingressPorts", "egressPorts"):
            for item in self._list(key):
                if isinstance(item, Mapping):
                    ports.append(Mapping({k: v for k, v in item.items.items() if k in {"port", "name"}}))
        none = self._get("ports")
        spec.items["ports"] = Sequence(ports, none.leaf if isinstance(none, Sequence) and not ports else None)
        spec.items.update(
            self._some(ipFamilyPolicy=self._get("ipFamilyPolicy"), ipFamilies=self._get("ipFamilies")).items
        )
        return _map(metadata=_map(annotations=shown), spec=spec)

    def _service_type(self) -> Node | None:
        """The type; a blank one is printed as null, which Kubernetes reads as ClusterIP."""
        node = self._get("type")
        return Scalar("ClusterIP", node.leaf) if isinstance(node, Scalar) and _is_blank(node) else node

    def _hpa(self, name: str) -> Mapping:
        target = clone(self._get("cpu", "targetAverageUtilization") or Scalar(None))
        metric = _map(
            type=Scalar("Resource"),
            resource=_map(name=Scalar("cpu"), target=_map(type=Scalar("Utilization"), averageUtilization=target)),
        )
        return _map(
            spec=_map(
                maxReplicas=clone(_known(self._get("autoscaleMax"))),
                minReplicas=clone(_known(self._get("autoscaleMin"))),
                scaleTargetRef=from_data({"apiVersion": "apps/v1", "kind": "Deployment", "name": name}),
                metrics=Sequence([metric]),
            )
        )


def _map(**fields: Node) -> Mapping:
    return Mapping(dict(fields))


def _is_blank(node: Node) -> bool:
    """Whether a template that prints the node writes null."""
    return isinstance(node, Scalar) and node.value in (None, "")


def _brought_by(leaf: Leaf | None, node: Node) -> Node:
    """The tree, where what comes from no input comes from the leaf that brings it back."""
    copy = clone(node)
    for _, child in walk(copy):
        if isinstance(child, Scalar) and child.leaf is None:
            child.leaf = leaf
    return copy


def _known(node: Node | None) -> Node:
    return node if node is not None else Scalar(None)


def _true(node: Node) -> bool:
    return bool(to_data(node))


def _volume(item: Node, kind: str, key: str, source: str) -> Mapping:
    name = clone(_known(get(item, ("name",))))
    content = _map(optional=Scalar(True))
    content.items[key] = as_string(clone(_known(get(item, (source,)))))
    return Mapping({"name": name, kind: content})
