"""Values whose whole effect a setting or an overlay of the same component overrules.

istioctl renders the values, lays the k8s settings over the objects, and applies the overlays last. A value that decides
one place which a later layer writes lives on in nothing: the ledger says so, and the release does without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from istio_convert.mapping.draft.control_plane import ControlPlane
from istio_convert.mapping.draft.release import Draft
from istio_convert.mapping.draft.strategic_merge import find, merge_key
from istio_convert.mapping.model import ManifestPath, in_text
from istio_convert.mapping.rules.chart_places import SOLE_EFFECTS
from istio_convert.mapping.rules.workload import OVERLAY_SLOTS, SLOTS
from istio_convert.operator.components import Component
from istio_convert.paths import Path
from istio_convert.release import Target
from istio_convert.source.nodes import Leaf, Mapping, Node, Scalar, Sequence, get, leaves, remove, walk

RULE = "k8s.overrules"


@dataclass(frozen=True, slots=True)
class _Beaten:
    """What a later layer does to a place.

    Attributes:
        by: the leaf that wins.
        why: in words.
    """

    by: Leaf | None
    why: str


@dataclass(slots=True)
class OverriddenValues:
    """Takes out of one release the values that its own patches overrule."""

    component: Component
    draft: Draft
    plane: ControlPlane

    def settle(self) -> None:
        """Look at every value that decides single places."""
        if not self.draft.laid:
            return
        for value, kind, places, node in list(self._effects()):
            target = self.plane.target(self.component, kind)
            for below, leaf_node in list(walk(node)):
                if leaf_node.leaf is not None:
                    self._look_at(target, value, places, below, leaf_node.leaf)

    def _effects(self) -> Iterator[tuple[Path, str, tuple[ManifestPath, ...], Node]]:
        """Values that are there: their path, the kind and the places that they decide, and they themselves."""
        kind = self.component.kind
        for slot in (*SLOTS, *OVERLAY_SLOTS):
            value = slot.values.get(kind)
            plain = slot.convert is None or slot.k8s_field == ("env",)
            if value is None or not plain or (node := get(self.draft.release.values, value)) is None:
                continue
            # a value that also decides whether there is an object lives on in that
            if self.plane.value_is_equal(kind, slot, overlay=True):
                yield value, slot.kind, (self.plane.manifest_path(kind, slot.path),), node
        for effect in SOLE_EFFECTS.get(kind, ()):
            if (node := get(self.draft.release.values, effect.value)) is None:
                continue
            places = tuple(self.plane.manifest_path(kind, place) for place in effect.places)
            yield effect.value, effect.kind, self._rendered(effect.kind, places), node

    def _rendered(self, kind: str, places: tuple[ManifestPath, ...]) -> tuple[ManifestPath, ...]:
        """Of several places those that the chart of this version has."""
        target = self.plane.target(self.component, kind)
        skeleton = self.draft.chart.skeleton
        known = [place for place in places if skeleton.exists(target.kind, target.name, in_text(place))]
        return tuple(known) or places[:1]

    def _look_at(self, target: Target, value: Path, places: tuple[ManifestPath, ...], below: Path, leaf: Leaf) -> None:
        beaten: list[_Beaten] = []
        for place in places:
            found = self._last(target, _below(place, below))
            if found is None:
                return
            beaten.append(found)
        self.draft.claims.overridden(leaf, beaten[0].by, RULE, beaten[0].why, release=self.draft.release.name)
        remove(self.draft.release.values, _until_list((*value, *below)))

    def _last(self, target: Target, path: ManifestPath) -> _Beaten | None:
        """What the last layer that writes a place does to it; None when none does."""
        for laid in reversed(self.draft.laid):
            if laid.target != target or path[: len(laid.path)] != laid.path:
                continue
            name = laid.path[-1] if laid.path else ""
            rest = path[len(laid.path) :]
            winner = _winner(laid.node, rest, name if isinstance(name, str) else "", target.kind, replaced=laid.replace)
            if winner is not None:
                by = next(iter(winner), None) or next(iter(laid.also), None)
                return _Beaten(by, laid.why)
        return None


def _winner(node: Node | None, rest: ManifestPath, name: str, kind: str, *, replaced: bool) -> list[Leaf] | None:
    """The leaves that win at the rest of a path; None when what is laid there leaves the place alone."""
    if node is None or replaced or isinstance(node, Scalar):
        inner = _deepest(node, rest) if replaced else node
        return list(leaves(inner)) if inner is not None else []
    if isinstance(node, Sequence):
        key = merge_key(name, kind)
        if key is None:
            return list(leaves(node))
        if not rest or not isinstance(rest[0], tuple):
            return None
        element = find(node, key, rest[0][1])
        return _winner(element, rest[1:], "", kind, replaced=False) if element is not None and rest[1:] else None
    step = rest[0] if rest else None
    child = node.items.get(step) if isinstance(step, str) else None
    return _winner(child, rest[1:], str(step), kind, replaced=False) if child is not None else None


def _deepest(node: Node | None, rest: ManifestPath) -> Node | None:
    """The node at the rest of a path, or the nearest one above it."""
    for step in rest:
        child = node.items.get(step) if isinstance(node, Mapping) and isinstance(step, str) else None
        if child is None:
            break
        node = child
    return node


def _below(place: ManifestPath, below: Path) -> ManifestPath:
    """The place of one leaf of a value; a list counts as a whole, an env value names its variables."""
    if place and place[-1] == "env":
        return (*place, ("name", str(below[0])), "value") if below else place
    return (*place, *(str(step) for step in _until_list(below)))


def _until_list(path: Path) -> Path:
    steps = [isinstance(step, int) for step in path]
    return path[: steps.index(True)] if True in steps else path
