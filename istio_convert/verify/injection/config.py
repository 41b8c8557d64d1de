"""What the injector of one istiod goes by: templates, values, mesh config, webhooks, and istiod's variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from istio_convert.errors import RenderError
from istio_convert.verify import helm
from istio_convert.verify.charts import ReleaseCharts
from istio_convert.verify.injection.mesh import mesh_config
from istio_convert.verify.manifests import Object, parse_document
from istio_convert.verify.texts import read_text

_CONFIG_MAP = "istio-sidecar-injector"
#: Where istiod lives when nothing says so.
SYSTEM = "istio-system"


@dataclass(frozen=True, slots=True)
class Namespace:
    """What is known about a namespace.

    Attributes:
        name: its name.
        labels: its labels; the one that every namespace has, its name, is added.
        annotations: its annotations.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_labels(self) -> dict[str, str]:
        """The labels that selectors see."""
        return {"kubernetes.io/metadata.name": self.name, **self.labels}


@dataclass(frozen=True, slots=True)
class InjectorConfig:
    """The injector of one istiod.

    Attributes:
        version: its release.
        revision: its revision; empty for none.
        config: the map ``config`` of the ConfigMap ``istio-sidecar-injector``.
        values: the map ``values`` there.
        mesh: the mesh config, with istiod's defaults.
        webhooks: every webhook that calls it, in the order in which the API server calls them.
        environment: istiod's variables that have a value.
        openshift: whether istiod knows that it runs on OpenShift.
        source: what it is called, for reports.
        config_text: ``config`` as the ConfigMap has it, for istioctl.
        values_text: likewise ``values``.
        mesh_text: likewise ``mesh`` of the ConfigMap ``istio``.
    """

    version: str
    revision: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    mesh: Mapping[str, Any] = field(default_factory=dict)
    webhooks: tuple[Object, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    openshift: bool = False
    source: str = ""
    config_text: str = ""
    values_text: str = ""
    mesh_text: str = ""

    @property
    def templates(self) -> Mapping[str, str]:
        """The injection templates by name."""
        found = self.config.get("templates")
        return {str(key): str(text) for key, text in found.items()} if isinstance(found, Mapping) else {}

    @property
    def default_templates(self) -> list[str]:
        """The templates of a pod that names none."""
        return [str(name) for name in self.config.get("defaultTemplates") or ["sidecar"]]

    @property
    def aliases(self) -> Mapping[str, list[str]]:
        """Names that stand for several templates."""
        found = self.config.get("aliases")
        return {str(key): [str(n) for n in names] for key, names in found.items()} if isinstance(found, Mapping) else {}

    def value(self, *path: str) -> Any:
        """What the values hold at a path; None when nothing."""
        node: Any = self.values
        for step in path:
            node = node.get(step) if isinstance(node, Mapping) else None
        return node


def injectors(objects: Iterable[Object], version: str, *, source: str = "") -> list[InjectorConfig]:
    """The injectors that rendered objects bring, by revision.

    Args:
        objects: rendered objects: ConfigMaps, webhooks, Deployments; others are passed over.
        version: the release of istiod.
        source: what they come from, for reports.

    Raises:
        RenderError: the injector's configuration is no YAML.
    """
    every = [obj for obj in objects if isinstance(obj.get("metadata"), Mapping)]
    found = []
    for obj in every:
        name = str(obj["metadata"].get("name", ""))
        data = obj.get("data")
        if obj.get("kind") == "ConfigMap" and isinstance(data, Mapping) and _is_injector(name, data):
            found.append(_injector(obj, every, version, source))
    return sorted(found, key=lambda item: item.revision)


def _is_injector(name: str, data: Mapping[str, Any]) -> bool:
    return (name == _CONFIG_MAP or name.startswith(f"{_CONFIG_MAP}-")) and "config" in data


def _injector(obj: Object, every: Sequence[Object], version: str, source: str) -> InjectorConfig:
    revision = str(obj["metadata"].get("name")).removeprefix(_CONFIG_MAP).removeprefix("-")
    namespace = obj["metadata"].get("namespace")
    data = obj["data"]
    texts = {key: str(data.get(key) or "") for key in ("config", "values")}
    try:
        config = parse_document(texts["config"])
    except RenderError as error:
        raise RenderError(f"ConfigMap {obj['metadata'].get('name')}: the injector's config is no YAML map") from error
    values = read_text(texts["values"])
    suffix = f"-{revision}" if revision else ""
    mesh_text = ""
    environment: dict[str, str] = {}
    webhooks: list[tuple[str, Object]] = []
    for other in every:
        metadata = other["metadata"]
        kind, name = other.get("kind"), str(metadata.get("name", ""))
        here = metadata.get("namespace") in (namespace, None) or namespace is None
        if kind == "ConfigMap" and name == f"istio{suffix}" and here:
            mesh_text = str((other.get("data") or {}).get("mesh") or "")
        elif kind == "Deployment" and name == f"istiod{suffix}" and here:
            environment = _environment(other)
        elif kind == "MutatingWebhookConfiguration":
            of = str((metadata.get("labels") or {}).get("istio.io/rev") or "default")
            if of == (revision or "default") and _calls(name):
                webhooks += [(name, hook) for hook in other.get("webhooks") or []]
    mesh = read_text(mesh_text) if mesh_text else {}
    return InjectorConfig(
        version=version,
        revision=revision,
        config=config if isinstance(config, Mapping) else {},
        values=values if isinstance(values, Mapping) else {},
        mesh=mesh_config(mesh if isinstance(mesh, Mapping) else {}, version),
        webhooks=tuple(hook for _, hook in sorted(webhooks, key=lambda item: item[0])),
        environment=environment,
        openshift=environment.get("PLATFORM") == "openshift",
        source=source,
        config_text=texts["config"],
        values_text=texts["values"],
        mesh_text=mesh_text,
    )


def _calls(name: str) -> bool:
    return bool(re.match(r"istio-(sidecar-injector|revision-tag)", name))


def _environment(istiod: Object) -> dict[str, str]:
    found: dict[str, str] = {}
    pod = ((istiod.get("spec") or {}).get("template") or {}).get("spec") or {}
    for container in pod.get("containers") or []:
        if container.get("name") == "discovery":
            for variable in container.get("env") or []:
                if isinstance(variable, Mapping) and variable.get("value") is not None:
                    found[str(variable.get("name"))] = str(variable["value"])
    return found


def of_chart(charts: ReleaseCharts, *, revision: str = "", values: Mapping[str, Any] | None = None) -> InjectorConfig:
    """The injector of istiod's chart as it comes, for gateways whose istiod is not part of the conversion.

    Args:
        charts: the charts of the release.
        revision: the revision that the gateways name.
        values: further values of the chart.
    """
    given = {**(values or {}), **({"revision": revision} if revision else {})}
    objects = helm.render(charts, "istiod", given, name="istiod", namespace=SYSTEM)
    named = f" of revision {revision}" if revision else ""
    source = f"istiod's chart {charts.version} without settings{named}"
    return injectors(objects, charts.version, source=source)[0]
