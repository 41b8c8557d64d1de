"""What settings and earlier overlays laid over an object, when a later overlay changes it.

istioctl applies overlays one after the other, each to what the one before left. What was deleted, or put there as a
whole, is known here: a later overlay into it changes that, not what the chart renders.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from istio_convert.mapping.controlplane.list_positions import NothingThereError, UnresolvableError
from istio_convert.mapping.draft.release import Draft, Laid
from istio_convert.mapping.draft.strategic_merge import find, merge_key
from istio_convert.mapping.model import ManifestPath, in_text
from istio_convert.mapping.overlays.claims import RULE
from istio_convert.mapping.overlays.path import NoListError, Step, Walker, manifest_path
from istio_convert.paths import Path
from istio_convert.release import Target
from istio_convert.source.nodes import Leaf, Mapping, Node, Scalar, Sequence, clone, get, leaves

WHY_WINS = "overlays are applied last"


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of a place that an earlier layer had decided.

    Attributes:
        path: the place of the whole.
        node: all that is there now.
        emptied: the overlay only took something away.
    """

    path: ManifestPath
    node: Node | None
    emptied: bool


@dataclass(slots=True)
class LaidOver:
    """The layers over the objects of one release.

    Attributes:
        draft: the release.
        operated: places that JSON 6902 operations change, with the leaves that live on in them.
    """

    draft: Draft
    operated: list[tuple[Target, Path, tuple[Leaf, ...]]] = field(default_factory=list)

    def change(
        self, target: Target, steps: tuple[Step, ...], value: Node | None, winner: Leaf | None
    ) -> Changed | None:
        """Change what an earlier layer deleted, or put there as a whole; None when none decides the place alone.

        Raises:
            NothingThereError: the path leads to nothing there.
            NoListError: it selects an element of what is no list.
            UnresolvableError: istioctl does something else than to set the place.
        """
        place = manifest_path(steps)
        index = self._owner(target, place)
        if index is None:
            return None
        laid = self.draft.laid[index]
        rest = steps[len(laid.path) :]
        if laid.node is None and (value is None or isinstance(laid.path[-1], tuple)):
            if isinstance(laid.path[-1], tuple):
                raise NothingThereError  # the element is gone
            if any(not isinstance(step, str) for step in rest):
                raise NoListError
            return Changed(laid.path, None, emptied=True)
        if laid.replace and value is not None and isinstance(_inside(laid.node, steps, len(laid.path)), Sequence):
            raise UnresolvableError("istioctl adds to a list that an overlay brought, instead of replacing it")
        node: Node = Mapping() if laid.node is None else clone(laid.node)
        lost: list[Leaf] = []
        if not Walker(lost.append).apply(node, rest, clone(value) if value is not None else None):
            raise NothingThereError
        if value is None and not lost:
            return Changed(laid.path, None, emptied=True)
        for leaf in lost:
            self._overrule(leaf, winner)
        self.draft.laid[index] = Laid(target, laid.path, node, laid.replace, laid.why, laid.also)
        return Changed(laid.path, node, emptied=value is None)

    def take_out(self, target: Target, path: ManifestPath, winner: Leaf | None) -> bool:
        """Withdraw what earlier layers put at a place, or below it; whether there was anything."""
        found = False
        for laid in self.draft.laid:
            if laid.target != target:
                continue
            for leaf in _within(laid, path):
                self._overrule(leaf, winner)
            found |= laid.node is not None and _meets(laid, path)
        place = in_text(path)
        for operation in [one for one in self.operated if one[0] == target and one[1][: len(place)] == place]:
            self.operated.remove(operation)
            found = True
            for leaf in operation[2]:
                self._overrule(leaf, winner)
        self.draft.patches.forget(target, path)
        return found

    def is_gone(self, target: Target, path: ManifestPath) -> bool:
        """Whether the last layer at a place, or above it, deletes it."""
        for laid in reversed(self.draft.laid):
            if laid.target == target and path[: len(laid.path)] == laid.path:
                return laid.node is None
        return False

    def _overrule(self, leaf: Leaf, winner: Leaf | None) -> None:
        if leaf is not winner:
            self.draft.claims.overridden(leaf, winner, RULE, WHY_WINS, release=self.draft.release.name)

    def _owner(self, target: Target, place: ManifestPath) -> int | None:
        """The last layer that decides all of a place above another."""
        for index in range(len(self.draft.laid) - 1, -1, -1):
            laid = self.draft.laid[index]
            if laid.target != target or len(laid.path) >= len(place) or place[: len(laid.path)] != laid.path:
                continue
            last = laid.path[-1] if laid.path else ""
            whole_list = isinstance(laid.node, Sequence) and isinstance(last, str) and not merge_key(last, target.kind)
            if laid.path and (laid.replace or whole_list):
                return index
        return None


def _inside(node: Node | None, steps: tuple[Step, ...], depth: int) -> Node | None:
    """What stands at the rest of a path that leads through maps."""
    return get(node, steps[depth:]) if all(isinstance(step, str) for step in steps[depth:]) else None  # type: ignore[arg-type]


def _meets(laid: Laid, path: ManifestPath) -> bool:
    """Whether a layer puts something at a place or below it."""
    if laid.path[: len(path)] == path:
        return True
    return path[: len(laid.path)] == laid.path and _at(laid, path[len(laid.path) :]) is not None


def _within(laid: Laid, path: ManifestPath) -> Iterator[Leaf]:
    """The leaves of a layer that live on at a place or below it."""
    if laid.path[: len(path)] == path:
        yield from leaves(laid.node) if laid.node is not None else ()
        yield from laid.also
    elif path[: len(laid.path)] == laid.path:
        node = _at(laid, path[len(laid.path) :])
        yield from leaves(node) if node is not None else ()


def _at(laid: Laid, rest: ManifestPath) -> Node | None:
    node: Node | None = laid.node
    for step in rest:
        if isinstance(step, tuple):
            node = find(node, *step) if isinstance(node, Sequence) else None
        else:
            node = node.items.get(step) if isinstance(node, Mapping) else None
        if node is None or (isinstance(node, Scalar) and node.value is None):
            return None
    return node
