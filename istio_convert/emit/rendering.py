"""Releases as the objects themselves: rendered by Helm and patched by Kustomize, as the proof renders them.

This needs the charts of a version; nothing else in the emitters reads anything beside their input.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from istio_convert.emit.base import Files, Unit
from istio_convert.release import Release
from istio_convert.source.writer import dump
from istio_convert.verify import candidate
from istio_convert.verify.charts import locate
from istio_convert.verify.manifests import Object, Rendered

#: the label by which objects of an earlier state of the folder are found
LABEL = "istio-convert/release"
_DEFINITION = "CustomResourceDefinition"
_LONGEST_LABEL = 63
#: the order in which Helm installs kinds; others come last
_ORDER = (
    *("NetworkPolicy", "ResourceQuota", "PodDisruptionBudget", "ServiceAccount", "Secret", "ConfigMap"),
    *("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "Service", "DaemonSet", "Deployment"),
    *("HorizontalPodAutoscaler", "APIService", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
)
_RANK = {kind: rank for rank, kind in enumerate(_ORDER)}


@dataclass(frozen=True, slots=True)
class Part:
    """One release as files.

    Attributes:
        unit: the release.
        number: its place in the order, from 1.
        definitions: the custom resource definitions that it brings.
        objects: everything else, in the order in which it is applied.
    """

    unit: Unit
    number: int
    definitions: list[Object]
    objects: list[Object]

    @property
    def path(self) -> str:
        """The file with its objects."""
        return f"{self.number:02}-{self.unit.slug}.yaml"

    @property
    def definitions_path(self) -> str:
        """The file with its definitions."""
        return f"{self.number:02}-{self.unit.slug}-crds.yaml"

    @property
    def paths(self) -> list[str]:
        """Its files, in order; one without objects is not written."""
        return [
            *([self.definitions_path] if self.definitions else []),
            *([self.path] if self.objects else []),
        ]


def parts(plan: Sequence[Unit], charts: str | None) -> list[Part]:
    """Every release rendered.

    Args:
        plan: the releases.
        charts: a folder of charts; None for those of the cache.
    """
    rendered: list[Rendered] = []
    for version in dict.fromkeys(unit.release.version for unit in plan):
        chosen = [unit.release for unit in plan if unit.release.version == version]
        rendered += candidate.render(chosen, locate(version, charts))
    return [_part(unit, number, rendered) for number, unit in enumerate(plan, start=1)]


def _part(unit: Unit, number: int, rendered: Iterable[Rendered]) -> Part:
    release = unit.release
    own = {r.id: r for r in rendered if (r.namespace, r.release) == (release.namespace, release.name)}
    objects = [_labelled(item, unit.slug) for item in own.values()]
    objects.sort(key=lambda obj: _RANK.get(obj["kind"], len(_ORDER)))
    definitions = [obj for obj in objects if obj["kind"] == _DEFINITION]
    return Part(unit, number, definitions, [obj for obj in objects if obj["kind"] != _DEFINITION])


def _labelled(item: Rendered, slug: str) -> Object:
    """The object with the namespace that Helm would give it, and with the label that prunes it."""
    obj = copy.deepcopy(item.object)
    metadata = obj["metadata"]
    if item.id.namespace:
        metadata.setdefault("namespace", item.id.namespace)
    metadata["labels"] = {**(metadata.get("labels") or {}), LABEL: label_value(slug)}
    return obj


def label_value(slug: str) -> str:
    """The slug, or as much of it as fits into a label, with a hash of the whole."""
    if len(slug) <= _LONGEST_LABEL:
        return slug
    digest = hashlib.sha256(slug.encode()).hexdigest()[:8]
    return f"{slug[: _LONGEST_LABEL - 9].rstrip('-')}-{digest}"


def part_files(part: Part) -> Files:
    """The files of one release."""
    texts = {part.definitions_path: part.definitions, part.path: part.objects}
    return {path: "---\n".join(dump(obj) for obj in texts[path]) for path in part.paths}


def namespaces(releases: Sequence[Release]) -> str:
    """The namespaces that the releases live in, without a label: they are never pruned."""
    names = dict.fromkeys(release.namespace for release in releases)
    return "---\n".join(dump({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}) for name in names)


def listing(found: Sequence[Part]) -> str:
    """One line for each object that may be pruned: kind, namespace and name as ``prune.sh`` writes them."""
    lines = [
        f"{obj['kind']} {obj['metadata'].get('namespace', '')}/{obj['metadata']['name']}"
        for part in found
        for obj in part.objects
    ]
    return "".join(f"{line}\n" for line in sorted(lines))
