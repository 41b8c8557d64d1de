"""Where the path of an overlay of the control plane leads: a place that a merge patch can name, or a JSON pointer."""

from __future__ import annotations

from dataclasses import dataclass

from istio_convert.catalog.skeleton import Elements
from istio_convert.mapping.controlplane.list_positions import ListPositions, NothingThereError, UnresolvableError
from istio_convert.mapping.controlplane.rendered_objects import RenderedObjects
from istio_convert.mapping.controlplane.value_sources import ValueSources
from istio_convert.mapping.draft.strategic_merge import merge_key
from istio_convert.mapping.model import ManifestPath, in_text
from istio_convert.mapping.overlays.path import ByKey, NoListError, Step
from istio_convert.paths import Path
from istio_convert.release import Target


@dataclass(frozen=True, slots=True)
class OverlayTargets:
    """Resolves paths against what the chart of one release renders, and what overlays before left of it."""

    rendered: RenderedObjects
    positions: ListPositions
    sources: ValueSources

    def strategic(self, target: Target, steps: tuple[Step, ...]) -> ManifestPath | None:
        """The path when a strategic merge patch can say it, else None."""
        path: list[str | tuple[str, str]] = []
        for step in steps:
            if isinstance(step, str):
                if self._is_list(target, tuple(path)):
                    raise NothingThereError
                path.append(step)
            elif isinstance(step, ByKey) and path and isinstance(path[-1], str):
                # Kustomize tells ports apart by their protocol as well, which an overlay does not name
                if merge_key(path[-1], target.kind) != step.key or path[-1] == "ports":
                    return None
                if not self.exists(target, (*path, (step.key, step.value))):
                    _raise_missing(tuple(path))
                path.append((step.key, step.value))
            else:
                return None
        return tuple(path)

    def _is_list(self, target: Target, path: ManifestPath) -> bool:
        return self.positions.elements(target, in_text(path)) is not None

    def exists(self, target: Target, path: ManifestPath) -> bool:
        """Whether the chart renders something at a place by default."""
        return self.rendered.exists(target, in_text(path))

    def pointer(
        self, target: Target, steps: tuple[Step, ...], *, delete: bool
    ) -> tuple[tuple[str | int, ...], str, Path]:
        """A JSON pointer, the operation for the last step, and the place in words of the skeleton."""
        pointer: list[str | int] = []
        rendered: list[str | int] = []  # the same with positions as rendered
        for position, step in enumerate(steps):
            last = position == len(steps) - 1
            elements = self.positions.elements(target, tuple(rendered))
            if isinstance(step, str):
                if elements is not None:
                    raise NothingThereError  # a list has no keys
                pointer.append(step)
                rendered.append(step)
                continue
            if elements is None:
                self._require_list(target, tuple(rendered), appends=last and step == -1 and not delete)
                if step == -1:
                    return (*pointer, "-"), "add", (*self.positions.canonical(target, tuple(rendered)), "-")
            left = self.positions.left(target, tuple(rendered), elements.length if elements is not None else 0)
            if isinstance(step, int):
                if 0 <= step < len(left):
                    index = step
                elif last and not delete and elements is not None:
                    if step != -1 and self.sources.may_add(target, self.positions.canonical(target, tuple(rendered))):
                        raise UnresolvableError("values may add to the list, and what stands there is not known here")
                    return (*pointer, "-"), "add", (*self.positions.canonical(target, tuple(rendered)), "-")
                else:
                    raise UnresolvableError(f"the list has {len(left)} elements by default")
            elif isinstance(step, ByKey) and elements is not None and elements.key == step.key:
                if step.value not in elements.names:
                    raise UnresolvableError("no such element is rendered by default")
                if elements.names.index(step.value) not in left:
                    raise NothingThereError  # an earlier overlay removed it
                index = left.index(elements.names.index(step.value))
            else:
                raise UnresolvableError(_unknown_element(step, elements))
            if last and delete:
                self.positions.remove(target, tuple(rendered), left[index])
            pointer.append(index)
            rendered.append(left[index])
        op = "remove" if delete else "replace" if isinstance(pointer[-1], int) else "add"
        return tuple(pointer), op, self.positions.canonical(target, tuple(rendered))

    def _require_list(self, target: Target, place: Path, *, appends: bool) -> None:
        """Stop at a list whose elements are not known: one may be appended to it, none be found in it.

        Raises:
            NoListError: there is no list.
            UnresolvableError: there is one.
        """
        counted = any(self.positions.elements(target, place[:depth]) is not None for depth in range(len(place)))
        known = counted and self.rendered.exists(target, place) and not self.rendered.below(target, place)
        if not known and not self.sources.render(target, tuple(str(step) for step in place)):
            raise NoListError
        if not appends:
            raise UnresolvableError("only rendering shows what is in this list")


def _unknown_element(step: Step, elements: Elements | None) -> str:
    if isinstance(step, ByKey) and elements is not None and elements.key:
        return f"the elements of this list are known here by their {elements.key}, not by their {step.key}"
    return "an element that only the rendered list shows"


def _raise_missing(path: ManifestPath) -> None:
    """An element that is not rendered by default: nothing is there, unless values or conditions add some."""
    open_lists = ("env", "volumes", "volumeMounts", "tolerations", "containers", "initContainers", "ports")
    if path and path[-1] in open_lists:
        raise UnresolvableError("no such element is rendered by default")
    raise NothingThereError
