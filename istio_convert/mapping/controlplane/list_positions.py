"""Where the elements of rendered lists stand while settings and overlays change them.

istioctl applies overlays one after the other, each to the lists that the one before left. Kustomize puts the elements
that a strategic merge patch touches in front of a list, so a position means something only before such a patch.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from istio_convert.catalog.skeleton import Elements
from istio_convert.mapping.controlplane.rendered_objects import RenderedObjects
from istio_convert.mapping.draft.release import Draft, Laid
from istio_convert.mapping.draft.strategic_merge import find, merge_key
from istio_convert.mapping.model import ManifestPath, in_text
from istio_convert.mapping.overlays.path import ByKey, Step
from istio_convert.paths import Path
from istio_convert.release import Target
from istio_convert.source.nodes import Mapping, Node, Sequence


class UnresolvableError(Exception):
    """A path that cannot be resolved without the rendered object."""


class NothingThereError(Exception):
    """A path on which istioctl finds nothing."""


@dataclass(slots=True)
class ListPositions:
    """The lists of the objects of one release.

    Attributes:
        draft: the release.
        rendered: its objects.
        removed: list -> the positions, as rendered, that JSON 6902 operations removed.
        dropped: list -> the positions, as rendered, that strategic merge patches delete.
    """

    draft: Draft
    rendered: RenderedObjects
    removed: dict[tuple[Target, Path], set[int]] = field(default_factory=dict)
    dropped: dict[tuple[Target, Path], set[int]] = field(default_factory=dict)

    def elements(self, target: Target, place: Path) -> Elements | None:
        """The elements that the chart renders at a place."""
        return self.rendered.elements(target, place)

    def left(self, target: Target, place: Path, length: int) -> list[int]:
        """What JSON 6902 operations left of a list, as the positions that its elements had when it was rendered."""
        gone = self.removed.get((target, self.canonical(target, place)), ())
        return [position for position in range(length) if position not in gone]

    def drop(self, target: Target, path: ManifestPath) -> None:
        """Note that a strategic merge patch deletes an element."""
        place, key = in_text(path[:-1]), path[-1]
        elements = self.elements(target, place)
        if elements is not None and key[0] == elements.key and key[1] in elements.names:
            self.dropped.setdefault((target, place), set()).add(elements.names.index(key[1]))

    def remove(self, target: Target, place: Path, rendered: int) -> None:
        """Note that a JSON 6902 operation removes an element."""
        self.removed.setdefault((target, self.canonical(target, place)), set()).add(rendered)

    def named(self, target: Target, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """The path with names in place of positions in lists that strategic merge patches change.

        Raises:
            UnresolvableError: nobody knows what stands at the position.
        """
        result: list[Step] = []
        place: Path = ()
        for step in steps:
            elements = self.elements(target, place)
            if elements is None or isinstance(step, str):
                result.append(step)
                place = (*place, step if isinstance(step, str | int) else "")
                continue
            if isinstance(step, int) and _is_keyed(place, target, elements) and self._moved(target, place, elements):
                if place[-1] == "webhooks":
                    raise UnresolvableError(
                        "another patch changes the order of the list, whose names the revision decides"
                    )
                gone = self.dropped.get((target, place), set()) | self.removed.get((target, place), set())
                names = [name for position, name in enumerate(elements.names) if position not in gone]
                result.append(ByKey(elements.key, names[step]) if 0 <= step < len(names) else -1)
            else:
                result.append(step)
            place = (*place, self._element(target, place, elements, result[-1]))
        return tuple(result)

    def before(self, target: Target, steps: tuple[Step, ...]) -> bool:
        """Whether an operation counts positions that a strategic merge patch would change.

        Raises:
            UnresolvableError: an earlier patch, which would then come later, sets the same place.
        """
        place: Path = ()
        ordered = False
        for step in steps:
            elements = self.elements(target, place)
            name = str(place[-1]) if place else ""
            if elements is not None and not isinstance(step, str):
                found = self._element(target, place, elements, step)
                ordered |= bool(merge_key(name, target.kind)) and elements.length > 1 and found != -1
                place = (*place, found)
            else:
                place = (*place, step if isinstance(step, str | int) else "")
        if ordered and any(_touches(laid, place) for laid in self.draft.laid if laid.target == target):
            raise UnresolvableError("another patch of the object sets this place first")
        return ordered

    def canonical(self, target: Target, place: Path) -> Path:
        """The place as rendered with the names of elements where the chart gives them names."""
        found: Path = ()
        for step in place:
            elements = self.elements(target, found) if isinstance(step, int) else None
            known = elements is not None and bool(elements.key)
            found = (*found, f"[{elements.key}:{elements.names[int(step)]}]" if elements and known else step)
        return found

    def _element(self, target: Target, place: Path, elements: Elements, step: Step) -> str | int:
        """A step through a list as the skeleton writes it; -1 for what stands behind the list."""
        if isinstance(step, ByKey):
            return f"[{step.key}:{step.value}]"
        left = self.left(target, place, elements.length)
        if not isinstance(step, int) or not 0 <= step < len(left):
            return -1
        return f"[{elements.key}:{elements.names[left[step]]}]" if elements.key else left[step]

    def _moved(self, target: Target, place: Path, elements: Elements) -> bool:
        if self.dropped.get((target, place)):
            return True
        if place[-1:] == ("webhooks",) and elements.length == 1:
            return False  # it stays where it is
        for laid in self.draft.laid:
            path = in_text(laid.path)
            if laid.target == target and path[: len(place)] == place and (len(path) > len(place) or not laid.replace):
                return True
            if laid.target == target and _touches(laid, place):
                raise UnresolvableError("another patch of the object sets the whole list first")
        return False


def _is_keyed(place: Path, target: Target, elements: Elements) -> bool:
    """Whether overlays on elements of the list become strategic merge patches."""
    name = str(place[-1]) if place else ""
    return name != "ports" and bool(elements.key) and merge_key(name, target.kind) == elements.key


def _touches(laid: Laid, place: Path) -> bool:
    """Whether what was laid over an object sets the place, or something in it."""
    path = in_text(laid.path)
    common = min(len(path), len(place))
    if path[:common] != place[:common]:
        return False
    if laid.replace or len(path) >= len(place):
        return True
    node: Node | None = laid.node
    name = str(path[-1]) if path else ""
    for step in place[len(path) :]:
        if isinstance(node, Sequence):
            key, _, value = str(step)[1:-1].partition(":")
            if merge_key(name, laid.target.kind) != key:
                return True
            node = find(node, key, value)
        elif isinstance(node, Mapping):
            node = node.items.get(str(step))
        name = str(step)
        if node is None:
            return False
    return True
