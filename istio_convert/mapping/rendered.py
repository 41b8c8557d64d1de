"""The objects that the chart of one release renders by default, under the names that they have in this release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from istio_convert.catalog.skeleton import Elements, SkeletonObject
from istio_convert.mapping.draft import Draft
from istio_convert.mapping.objects import CLUSTER_SCOPED, GROUPS, ControlPlane
from istio_convert.operator.components import Component
from istio_convert.paths import Path
from istio_convert.release import Target


@dataclass(frozen=True, slots=True)
class RenderedObjects:
    """What is known of the objects of one control-plane release."""

    component: Component
    draft: Draft
    plane: ControlPlane

    def target(self, kind: str, name: str, api_version: str) -> Target | None:
        """The object, or None when the chart renders none of this kind and name."""
        known = self.known(kind, name)
        if known is None:
            return None
        if self.plane.missing(
            self.component.kind, "workload" if kind in ("Deployment", "DaemonSet") else kind
        ) and kind in (
            "HorizontalPodAutoscaler",
            "PodDisruptionBudget",
            "Deployment",
            "DaemonSet",
        ):
            return None
        group, _, version = (known.api_version or api_version).rpartition("/")
        if kind in GROUPS:
            group, version = GROUPS[kind]
        namespace = None if kind in CLUSTER_SCOPED or not known.namespaced else self.component.namespace
        return Target(group, version, kind, name, namespace)

    def known(self, kind: str, name: str) -> SkeletonObject | None:
        """The rendered object of this kind that has just this name with this operator's revision and namespaces."""
        for known in self.draft.chart.skeleton.objects:
            if known.kind == kind and name in self._names(known):
                return known
        return None

    def _names(self, known: SkeletonObject) -> set[str]:
        revision = self.plane.revision
        namespace = self.component.namespace
        pattern = known.pattern
        if known.kind == "MutatingWebhookConfiguration" and namespace == "istio-system":
            pattern = pattern.replace("-{namespace}", "")  # only elsewhere the name says where
        marks = {
            "{-revision}": f"-{revision}" if revision else "",
            "{revision}": revision or "default",
            "{release}": self.draft.release.name,
            "{namespace}": namespace,
            "{istioNamespace}": self.plane.effective.namespace,
        }
        for mark, text_ in marks.items():
            pattern = pattern.replace(mark, text_)
        return {pattern}

    def _pattern(self, target: Target) -> str:
        """The name under which the skeleton knows an object."""
        known = self.known(target.kind, target.name)
        return known.pattern if known is not None else target.name

    def exists(self, target: Target, place: Path) -> bool:
        """Whether something stands at a place of an object."""
        return self.draft.chart.skeleton.exists(target.kind, self._pattern(target), place)

    def below(self, target: Target, place: Path) -> Mapping[str | int, Any]:
        """The maps below a place."""
        return self.draft.chart.skeleton.below(target.kind, self._pattern(target), place)

    def elements(self, target: Target, place: Path) -> Elements | None:
        """The elements of the list at a place; None when no list is known there."""
        return self.draft.chart.skeleton.elements(target.kind, self._pattern(target), place)
