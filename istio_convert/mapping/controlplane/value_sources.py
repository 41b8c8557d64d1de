"""Which values of a release put something at a place of a rendered object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from istio_convert.mapping.draft.control_plane import ControlPlane
from istio_convert.mapping.draft.release import Defaults, Draft
from istio_convert.mapping.model import ManifestPath, in_text
from istio_convert.mapping.rules.chart_places import ALSO_RENDERED, SOLE_EFFECTS
from istio_convert.mapping.rules.workload import OVERLAY_SLOTS, SLOTS
from istio_convert.operator.components import Component
from istio_convert.paths import Path
from istio_convert.release import Target
from istio_convert.source.nodes import Mapping, Node, get, to_data, walk


@dataclass(frozen=True, slots=True)
class ValueSources:
    """The values of one control-plane release."""

    component: Component
    draft: Draft
    plane: ControlPlane

    def render(self, target: Target, place: ManifestPath) -> bool:
        """Whether values that are set render something at a place, above or below it, as far as the tables know."""
        for value, kind, known in self._places():
            common = min(len(known), len(place))
            if (
                known[:common] == place[:common]
                and target == self._target(kind)
                and self._is_set(value, place[common:])
            ):
                return True
        return False

    def may_render(self, target: Target, place: ManifestPath) -> bool:
        """The same, and whether a value of which the tables know nothing has the name of the place."""
        if self.render(target, place):
            return True
        last = place[-1]
        return any(last in path for path, _ in walk(self.draft.release.values))

    def may_add(self, target: Target, place: Path) -> bool:
        """Whether values that are set, and no defaults, may add to the list at a place.

        The tables know what adds to the lists of a workload. To those of other objects, any value may.
        """
        values = self.draft.release.values
        defaults = Defaults(self.draft.chart, self.draft.catalog, values)
        own = [path for path, node in walk(values) if defaults.at(path) != to_data(node)]
        workload = self.plane.target(self.component, "workload")
        if target != workload:
            return bool(own)
        skeleton = self.draft.chart.skeleton
        for value, kind, known in self._places():
            at = in_text(known)
            common = min(len(at), len(place))
            if kind != "workload" or at[:common] != place[:common]:
                continue
            inside = len(at) > len(place) and skeleton.exists(target.kind, target.name, at)
            spelled = self.draft.chart.spellings(value)
            if not inside and any(path[: len(one)] == one for path in own for one in spelled):
                return True
        return False

    def _target(self, kind: str) -> Target:
        if self.component.kind == "pilot" or kind == "workload":
            return self.plane.target(self.component, kind)
        return self.plane.target(self.component, kind)._replace(name=self.plane.target(self.component, "workload").name)

    def _is_set(self, value: Path, rest: ManifestPath) -> bool:
        """Whether a value is there, and in it what stands at the rest of a place."""
        found = (get(self.draft.release.values, path) for path in self.draft.chart.spellings(value))
        return any(node is not None and _holds(node, rest) for node in found)

    def _places(self) -> Iterator[tuple[Path, str, ManifestPath]]:
        kind = self.component.kind
        for slot in (*SLOTS, *OVERLAY_SLOTS):
            if (value := slot.values.get(kind)) is not None and len(value) > (kind in ("pilot", "cni")):
                yield value, slot.kind, self.plane.manifest_path(kind, slot.path)
        for effect in (*SOLE_EFFECTS.get(kind, ()), *ALSO_RENDERED.get(kind, ())):
            for place in effect.places:
                yield effect.value, effect.kind, self.plane.manifest_path(kind, place)


def _holds(node: Node, rest: ManifestPath) -> bool:
    """Whether the rest of a place is in a value; one that is no map is taken to hold it."""
    for step in rest:
        if not isinstance(node, Mapping):
            return True
        child = node.items.get(step[1] if isinstance(step, tuple) else step)
        if child is None:
            return False
        node = child
    return True
