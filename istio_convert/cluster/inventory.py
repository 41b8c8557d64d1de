"""What of Istio is in a cluster: operators, control planes, gateways, tags, and who owns what. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from istio_convert.cluster.reading import Reading

#: istioctl up to 1.23 keeps what it installed under names that begin so
INSTALLED_STATE = "installed-state"
_REVISION = "istio.io/rev"
_TAG = "istio.io/tag"
_RELEASE = "meta.helm.sh/release-name"
_RELEASE_NAMESPACE = "meta.helm.sh/release-namespace"
_OWNER = "install.operator.istio.io/owning-resource"
_APP = "app"
_OPERATOR = "istio-operator"
_VERSION = re.compile(r"^v?(\d+\.\d+\.\d+)")
#: where a gateway's pod shows that it is one: its proxy runs as a router, or the injector is to give it the template
_TEMPLATES = "inject.istio.io/templates"


@dataclass(frozen=True, slots=True, order=True)
class Operator:
    """One IstioOperator.

    Attributes:
        namespace, name: of the resource.
        revision: of the control plane that it is about; empty for the default.
        installed_state: istioctl wrote it to remember what it installed; its profile is merged in.
        ignored: an in-cluster operator leaves it alone (``install.istio.io/ignoreReconcile``).
        document: the resource without what the API server added.
    """

    namespace: str
    name: str
    revision: str
    installed_state: bool
    ignored: bool
    document: Mapping[str, Any]

    @property
    def has_plane(self) -> bool:
        """Whether it brings a control plane; profile ``empty`` does not unless it is switched on."""
        switch = _at(self.document, "spec", "components", "pilot", "enabled")
        return bool(_at(self.document, "spec", "profile") != "empty") if switch is None else switch is True

    @property
    def title(self) -> str:
        """How messages name it, as a file: ``cluster:istio-system/name``."""
        return f"cluster:{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, order=True)
class Plane:
    """One istiod.

    Attributes:
        namespace, name: of the Deployment.
        revision: empty for the default.
        image: of its container.
        version: of Istio, as its image or its labels tell; empty when they do not.
        release: the Helm release that owns it, as ``namespace/name``; empty when none does.
    """

    namespace: str
    name: str
    revision: str
    image: str
    version: str
    release: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Gateway:
    """One gateway.

    Attributes:
        namespace, name: of the workload.
        kind: ``Deployment`` or ``DaemonSet``.
        revision: that its pods name; empty for the default.
        injected: the injector writes its proxy.
        release: the Helm release that owns it; empty when none does.
    """

    namespace: str
    name: str
    kind: str
    revision: str
    injected: bool
    release: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Tag:
    """A revision tag, which namespaces name in place of a revision."""

    name: str
    revision: str
    webhook: str


@dataclass(frozen=True, slots=True)
class Inventory:
    """Everything that was found.

    Attributes:
        operators: the IstioOperators.
        controllers: Deployments of an in-cluster operator, with their replicas.
        planes, gateways, tags: what runs.
        webhooks: kind and name -> revision and owner.
        definitions: owner of Istio's CustomResourceDefinitions -> how many.
        namespaces: revision or tag that injects -> namespaces.
        unread: what could not be looked at.
    """

    operators: tuple[Operator, ...]
    controllers: tuple[str, ...]
    planes: tuple[Plane, ...]
    gateways: tuple[Gateway, ...]
    tags: tuple[Tag, ...]
    webhooks: Mapping[str, str]
    definitions: Mapping[str, int]
    namespaces: Mapping[str, tuple[str, ...]]
    unread: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """The release that runs, when all control planes are of one; else empty."""
        versions = {plane.version for plane in self.planes}
        return versions.pop() if len(versions) == 1 else ""

    def inputs(self) -> tuple[Operator, ...]:
        """The operators to convert: people's own, and what istioctl remembers of other control planes."""
        own = [operator for operator in self.operators if not operator.installed_state]
        covered = {operator.revision for operator in own if operator.has_plane}
        kept = [o for o in self.operators if o.installed_state and o.revision not in covered]
        return (*own, *kept)


def take_inventory(reading: Reading) -> Inventory:
    """Look through the objects of a cluster.

    Args:
        reading: as :func:`~istio_convert.cluster.reading.read_cluster` gives it.
    """
    by_kind: dict[str, list[Mapping[str, Any]]] = {}
    for obj in reading.objects:
        by_kind.setdefault(str(obj.get("kind")), []).append(obj)
    workloads = [*by_kind.get("Deployment", []), *by_kind.get("DaemonSet", [])]
    hooks = by_kind.get("MutatingWebhookConfiguration", [])
    return Inventory(
        tuple(
            sorted((_operator(obj) for obj in by_kind.get("IstioOperator", [])), key=lambda o: (o.namespace, o.name))
        ),
        tuple(sorted(_controller(obj) for obj in workloads if _labels(obj).get("name") == _OPERATOR)),
        tuple(sorted(_plane(obj) for obj in workloads if _is_istiod(obj))),
        tuple(sorted(_gateway(obj) for obj in workloads if _is_gateway(obj))),
        tuple(sorted(_tag(obj) for obj in hooks if _labels(obj).get(_TAG))),
        _webhooks([*hooks, *by_kind.get("ValidatingWebhookConfiguration", [])]),
        _definitions(by_kind.get("CustomResourceDefinition", [])),
        _namespaces(by_kind.get("Namespace", [])),
        reading.unread,
    )


def _at(obj: Any, *steps: str) -> Any:
    for step in steps:
        obj = obj.get(step) if isinstance(obj, Mapping) else None
    return obj


def _labels(obj: Mapping[str, Any]) -> Mapping[str, str]:
    return _at(obj, "metadata", "labels") or {}


def _place(obj: Mapping[str, Any]) -> tuple[str, str]:
    return str(_at(obj, "metadata", "namespace") or ""), str(_at(obj, "metadata", "name") or "")


def _release(obj: Mapping[str, Any]) -> str:
    marks = _at(obj, "metadata", "annotations") or {}
    name, namespace = marks.get(_RELEASE), marks.get(_RELEASE_NAMESPACE)
    return f"{namespace}/{name}" if name else ""


def _owner(obj: Mapping[str, Any]) -> str:
    if release := _release(obj):
        return f"Helm release {release}"
    owner = _labels(obj).get(_OWNER)
    return f"operator {owner}" if owner else "nobody"


def _revision(text: Any) -> str:
    return "" if text in (None, "", "default") else str(text)


def _operator(obj: Mapping[str, Any]) -> Operator:
    namespace, name = _place(obj)
    marks = _at(obj, "metadata", "annotations") or {}
    document = {
        "apiVersion": obj.get("apiVersion"),
        "kind": obj.get("kind"),
        "metadata": {"name": name, "namespace": namespace},
        "spec": obj.get("spec") or {},
    }
    return Operator(
        namespace,
        name,
        _revision(_at(obj, "spec", "revision")),
        name.startswith(INSTALLED_STATE),
        str(marks.get("install.istio.io/ignoreReconcile")).lower() == "true",
        document,
    )


def _controller(obj: Mapping[str, Any]) -> str:
    namespace, name = _place(obj)
    replicas = _at(obj, "spec", "replicas")
    return f"{namespace}/{name}: {1 if replicas is None else replicas} replicas"


def _containers(obj: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return _at(obj, "spec", "template", "spec", "containers") or []


def _is_istiod(obj: Mapping[str, Any]) -> bool:
    return _labels(obj).get(_APP) == "istiod" and any(one.get("name") == "discovery" for one in _containers(obj))


def _plane(obj: Mapping[str, Any]) -> Plane:
    image = next((str(one.get("image")) for one in _containers(obj) if one.get("name") == "discovery"), "")
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    known = _VERSION.match(tag) or _VERSION.match(_labels(obj).get("app.kubernetes.io/version", ""))
    return Plane(*_place(obj), _revision(_labels(obj).get(_REVISION)), image, known[1] if known else "", _release(obj))


def _is_gateway(obj: Mapping[str, Any]) -> bool:
    proxy = next((one for one in _containers(obj) if one.get("name") == "istio-proxy"), None)
    if proxy is None:
        return False
    marks = _at(obj, "spec", "template", "metadata", "annotations") or {}
    return "router" in (proxy.get("args") or []) or "gateway" in str(marks.get(_TEMPLATES, "")).split(",")


def _gateway(obj: Mapping[str, Any]) -> Gateway:
    proxy = next(one for one in _containers(obj) if one.get("name") == "istio-proxy")
    labels = _at(obj, "spec", "template", "metadata", "labels") or {}
    injected = proxy.get("image") == "auto"
    return Gateway(*_place(obj), str(obj.get("kind")), _revision(labels.get(_REVISION)), injected, _release(obj))


def _tag(obj: Mapping[str, Any]) -> Tag:
    labels = _labels(obj)
    return Tag(labels[_TAG], _revision(labels.get(_REVISION)), _place(obj)[1])


def _webhooks(objects: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    found = {}
    for obj in objects:
        if _REVISION in _labels(obj) or "istio" in _place(obj)[1]:
            revision = _revision(_labels(obj).get(_REVISION)) or "default"
            found[f"{obj.get('kind')} {_place(obj)[1]}"] = f"revision {revision}, owned by {_owner(obj)}"
    return dict(sorted(found.items()))


def _definitions(objects: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    counted = Counter(_owner(obj) for obj in objects if str(_at(obj, "spec", "group")).endswith("istio.io"))
    return dict(sorted(counted.items()))


def _namespaces(objects: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for obj in objects:
        labels = _labels(obj)
        by = labels.get(_REVISION) or ("default" if labels.get("istio-injection") == "enabled" else "")
        if labels.get("istio.io/dataplane-mode") == "ambient":
            by = "ambient"
        if by:
            found.setdefault(by, []).append(_place(obj)[1])
    return {by: tuple(sorted(names)) for by, names in sorted(found.items())}
