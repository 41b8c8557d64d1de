"""Both sides of a gateway: the workload that istioctl applies, the one that Helm and Kustomize make, and their istiod.

Nothing here knows what injection does: what a workload becomes is for :mod:`tests.pods.backends` to find out.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from istio_convert import Conversion, Outcome, RenderError, Source, convert
from istio_convert.paths import Path
from istio_convert.source.nodes import to_data
from istio_convert.source.writer import dump
from istio_convert.verify import candidate, helm, reference
from istio_convert.verify.charts import ReleaseCharts
from istio_convert.verify.manifests import Object, Rendered
from istio_convert.verify.reference.inputs import read_operators
from istio_convert.verify.reference.tree import get_path
from istio_convert.verify.tags import pinned_tags, read_as_release

WORKLOADS = ("Deployment", "DaemonSet")
_GATEWAYS = ("ingressGateways", "egressGateways")
_PLANES = ("istiod", "istiod-remote")
#: Outcomes by which the report says that the pod has a field.
CLAIMED = (Outcome.VALUE, Outcome.PATCH, Outcome.DEFAULT)
#: Outcomes by which it says that it has not, and what to do: istioctl's side does without them, too.
LEFT_OUT = (Outcome.INERT, Outcome.MANUAL, Outcome.LOST)
Key = tuple[str, str]


@dataclass(frozen=True)
class Plane:
    """What an istiod injects with.

    Attributes:
        revision: its revision; empty for none.
        namespace: where it runs.
        config: the templates, as its ConfigMap has them.
        values: their values, JSON.
        mesh: the mesh configuration.
        webhooks: its MutatingWebhookConfigurations, JSON.
    """

    revision: str
    namespace: str
    config: str
    values: str
    mesh: str
    webhooks: str

    @property
    def configurations(self) -> list[Object]:
        """The webhook configurations as objects."""
        found: list[Object] = json.loads(self.webhooks)
        return found


@dataclass(frozen=True)
class Gateway:
    """One gateway.

    Attributes:
        key: namespace and name.
        component: ``ingressGateways`` or ``egressGateways``.
        istioctls: istioctl's workload; None when it makes none.
        helms: Helm's and Kustomize's; None when they make none.
        without: istioctl's, without the fields that the report leaves out or to a person.
    """

    key: Key
    component: str
    istioctls: Object | None
    helms: Object | None
    without: Object | None


@dataclass(frozen=True)
class Sides:
    """Both sides of an operator.

    Attributes:
        conversion: the conversion that is judged.
        planes: what injects.
        gateways: every gateway of either side.
        namespaces: every namespace that is needed.
    """

    conversion: Conversion
    planes: tuple[Plane, ...]
    gateways: tuple[Gateway, ...]
    namespaces: frozenset[str]


def sides(text: str, charts: ReleaseCharts, name: str = "operator.yaml") -> Sides:
    """Convert an operator and render both sides.

    Raises:
        InputError: the conversion refuses it.
        RenderError: a side cannot be rendered.
    """
    conversion = convert(Source(name, text), to=charts.version)
    rendered = candidate.render(conversion.releases, charts)
    left_out = [e.leaf.path for e in conversion.ledger.entries if e.outcome in LEFT_OUT and not e.places]
    without = istioctls(text, charts, name=name, leave_out=left_out)
    try:
        before = istioctls(text, charts, name=name) if left_out else without
    except RenderError:  # this istioctl refuses a field that the report leaves to a person
        before = without
    after = helms(conversion, rendered)
    egress = {(one.namespace, one.name) for one in conversion.releases if one.component == _GATEWAYS[1]}
    gateways = tuple(
        Gateway(key, _GATEWAYS[key in egress], before.get(key), after.get(key), without.get(key))
        for key in sorted({*before, *after})
    )
    spaces = frozenset({key[0] for key in (*before, *after)} | {item.id.namespace for item in rendered} - {""})
    return Sides(conversion, planes(conversion, rendered, charts), gateways, spaces)


def istioctls(
    text: str, charts: ReleaseCharts, *, name: str = "operator.yaml", leave_out: Collection[Path] = ()
) -> dict[Key, Object]:
    """The gateways' workloads of istioctl, their pinned tags read as the release."""
    semantics = reference.semantics_of(charts.version)
    text = with_names(text, name)
    with reference.located([(name, text)]):
        merged = reference.merge_all([(name, text)], charts, leave_out=leave_out)
        tags = pinned_tags(merged, charts.version)
        rendered = reference.render_all(merged, charts, semantics)
    found = {}
    for item in rendered:
        if item.release in _GATEWAYS and item.object.get("kind") in WORKLOADS:
            found[item.id.namespace, item.id.name] = _in_place(read_as_release(item.object, tags), item)
    return found


def with_names(text: str, name: str = "operator.yaml") -> str:
    """The operators with the names that istioctl once gave to gateways without one.

    Today's istioctl gives them none, and no API server takes them; what runs in clusters has these names.
    """
    documents = read_operators([(name, text)])
    nameless = [
        (kind, entry)
        for document in documents
        for kind in _GATEWAYS
        for entry in get_path(document, "spec", "components", kind) or ()
        if isinstance(entry, dict) and not entry.get("name")
    ]
    if not nameless:
        return text
    for kind, entry in nameless:
        entry["name"] = f"istio-{kind[: -len('Gateways')]}gateway"
    return "---\n".join(dump(document) for document in documents)


def helms(conversion: Conversion, rendered: Sequence[Rendered]) -> dict[Key, Object]:
    """The gateways' workloads of Helm and Kustomize."""
    releases = {(one.name, one.namespace) for one in conversion.releases if one.component in _GATEWAYS}
    return {
        (item.id.namespace, item.id.name): _in_place(item.object, item)
        for item in rendered
        if (item.release, item.namespace) in releases and item.object.get("kind") in WORKLOADS
    }


def _in_place(obj: Object, item: Rendered) -> Object:
    made = copy.deepcopy(obj)
    made["metadata"]["namespace"] = item.id.namespace
    return made


def planes(conversion: Conversion, rendered: Sequence[Rendered], charts: ReleaseCharts) -> tuple[Plane, ...]:
    """The istiods of a conversion; the chart's own, without settings, for gateways of an istiod elsewhere."""
    releases = [one for one in conversion.releases if one.chart in _PLANES]
    found = []
    for release in releases:
        own = [item.object for item in rendered if (item.release, item.namespace) == (release.name, release.namespace)]
        values = release.values_data()
        revision = str(values.get("revision") or "")
        found.append(_plane(own, revision, release.namespace, charts))
    home = _home(conversion)
    wanted = {_revision(conversion, rendered, key) for key in helms(conversion, rendered)}
    elsewhere = sorted(wanted - {plane.revision for plane in found})
    return (*found, *(default_plane(charts, revision, home) for revision in elsewhere))


def _revision(conversion: Conversion, rendered: Sequence[Rendered], key: Key) -> str:
    """The revision that a gateway's pod asks for."""
    labels = helms(conversion, rendered)[key]["spec"]["template"]["metadata"].get("labels") or {}
    revision = str(labels.get("istio.io/rev") or "")
    return "" if revision == "default" else revision


def _home(conversion: Conversion) -> str:
    """Where the operators say that their istiod is."""
    for operator in conversion.operators:
        user: Any = to_data(operator.user)
        namespace = ((user.get("values") or {}).get("global") or {}).get("istioNamespace")
        if isinstance(namespace, str) and namespace:
            return namespace
    return "istio-system"


_DEFAULTS: dict[tuple[str, str, str], Plane] = {}


def default_plane(charts: ReleaseCharts, revision: str = "", namespace: str = "istio-system") -> Plane:
    """The istiod of the chart without settings but where it is."""
    key = (charts.version, revision, namespace)
    if key not in _DEFAULTS:
        values: dict[str, Any] = {"revision": revision, "global": {"istioNamespace": namespace}}
        objects = helm.render(charts, "istiod", values, name="istiod", namespace=namespace)
        _DEFAULTS[key] = _plane(objects, revision, namespace, None)
    return _DEFAULTS[key]


def _plane(objects: Sequence[Object], revision: str, namespace: str, charts: ReleaseCharts | None) -> Plane:
    """What one istiod's objects say; the default's for what they leave to an istiod elsewhere."""
    maps = {obj["metadata"]["name"]: obj.get("data") or {} for obj in objects if obj.get("kind") == "ConfigMap"}
    suffix = f"-{revision}" if revision else ""
    injector, mesh = maps.get(f"istio-sidecar-injector{suffix}"), maps.get(f"istio{suffix}")
    webhooks = [obj for obj in objects if obj.get("kind") == "MutatingWebhookConfiguration"]
    if charts is not None and not (injector and mesh and webhooks):
        stand_in = default_plane(charts, revision)
        injector = injector or {"config": stand_in.config, "values": stand_in.values}
        mesh = mesh or {"mesh": stand_in.mesh}
        webhooks = webhooks or stand_in.configurations
    assert injector is not None
    assert mesh is not None
    return Plane(revision, namespace, injector["config"], injector["values"], mesh["mesh"], json.dumps(webhooks))


def pod_of(workload: Object, template: Any = None) -> Object:
    """The pod that the controllers would make of a workload.

    Args:
        workload: a Deployment or a DaemonSet.
        template: its template as the API server has filled it in; by default as it is.
    """
    name, namespace = workload["metadata"]["name"], workload["metadata"]["namespace"]
    made: Object = copy.deepcopy(template if template is not None else workload["spec"]["template"])
    metadata = made.setdefault("metadata", {}) or {}
    metadata.pop("creationTimestamp", None)
    deployed = workload["kind"] == "Deployment"
    label = "pod-template-hash" if deployed else "controller-revision-hash"
    metadata["labels"] = {**(metadata.get("labels") or {}), label: "7d9c8b6f5"}
    owner = {"kind": "ReplicaSet", "name": f"{name}-7d9c8b6f5"} if deployed else {"kind": "DaemonSet", "name": name}
    owner = {"apiVersion": "apps/v1", **owner, "uid": "00000000-0000-0000-0000-000000000016", "controller": True}
    # no name yet, as the injector sees it: it takes the owner for the pod only then
    head = {"generateName": f"{owner['name']}-", "namespace": namespace, "ownerReferences": [owner]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**metadata, **head}, "spec": made.get("spec") or {}}
