"""The objects that the chart of one release renders, under the names that they have in this release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from istio_convert.catalog.skeleton import Elements, SkeletonObject
from istio_convert.mapping.controlplane.effective_values import EffectiveValues
from istio_convert.mapping.draft.control_plane import CLUSTER_SCOPED, GROUPS, ControlPlane
from istio_convert.mapping.draft.release import Draft
from istio_convert.operator.components import Component
from istio_convert.paths import Path
from istio_convert.release import Target

#: kinds of istiod that more decides about than values
_DECIDED_BY_SETTINGS = ("HorizontalPodAutoscaler", "PodDisruptionBudget", "Deployment", "DaemonSet")


@dataclass(frozen=True, slots=True)
class RenderedObjects:
    """What is known of the objects of one control-plane release."""

    component: Component
    draft: Draft
    plane: ControlPlane
    _found: dict[tuple[str, str], SkeletonObject | None] = field(default_factory=dict)

    def target(self, kind: str, name: str, api_version: str) -> Target | None:
        """The object, or None when the chart renders none of this kind and name with these values."""
        known = self.known(kind, name)
        if known is None or not self._is_rendered(known):
            return None
        group, _, version = (known.api_version or api_version).rpartition("/")
        if kind in GROUPS:
            group, version = GROUPS[kind]
        namespace = None if kind in CLUSTER_SCOPED or not known.namespaced else self.component.namespace
        return Target(group, version, kind, name, namespace)

    def _is_rendered(self, known: SkeletonObject) -> bool:
        if known.kind in _DECIDED_BY_SETTINGS:
            kind = "workload" if known.kind in ("Deployment", "DaemonSet") else known.kind
            if self.plane.missing(self.component.kind, kind):
                return False
            if known.kind == "PodDisruptionBudget":
                return True  # settings that istioctl hands to the chart decide about it as well
        return self._in_force.renders(known)

    def known(self, kind: str, name: str) -> SkeletonObject | None:
        """The object of this kind that has just this name with this operator's revision, namespaces and values.

        With other values the chart may render it, or may not.
        """
        if (kind, name) not in self._found:
            possible = self.draft.chart.skeleton.possible
            found = (known for known in possible if known.kind == kind and name in self._names(known))
            self._found[kind, name] = next(found, None)
        return self._found[kind, name]

    @property
    def _in_force(self) -> EffectiveValues:
        return EffectiveValues(self.draft.chart, self.draft.catalog, self.plane.effective)

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
        if "{element}" not in pattern:
            return {pattern}
        return {pattern.replace("{element}", element) for element in self._in_force.elements(known)}

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
