"""Which values bring objects that a chart does not render by default, or take away those that it does, measured.

The paths to try, and the texts to try there, are those that the templates test around whole objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

from ruamel.yaml.error import YAMLError

from istio_convert.catalog.build.conditions import Condition
from istio_convert.catalog.trees import MISSING, from_leaf_table, lookup
from istio_convert.errors import RenderError
from istio_convert.paths import parse, render

ELEMENT = "rlselement"
"""An element of a list, or a key of a map: an object may be called after it."""

_TEXT = "192.0.2.1"  # an address is a text like any other
_TRUE: tuple[Any, ...] = (True, _TEXT, [ELEMENT], {ELEMENT: {}})
_ENOUGH = 2  # from two replicas on there is something to keep

Test: TypeAlias = "bool | int | str"
"""What decides about a value: whether it is true, that it is at least so many, or that it is this text."""

Rendered: TypeAlias = Callable[[dict[str, Any]], "dict[str, dict[str, Any]]"]
"""Renders values; the objects by kind and name."""


class Switches:
    """Tries the conditions of one chart.

    Args:
        rendered: renders the chart.
        conditions: what its templates test.
        defaults: its default values by path.

    Attributes:
        brings: object -> what brings it, or keeps it: alternatives, each of them path -> test, which must all hold.
        takes: object that is rendered by default -> what takes it away, unless something keeps it.
        values: object -> values with which it is rendered.
    """

    def __init__(self, rendered: Rendered, conditions: Sequence[Condition], defaults: Mapping[str, Any]) -> None:
        self._rendered = rendered
        self._defaults = from_leaf_table(defaults)
        self.brings: dict[str, list[dict[str, Test]]] = {}
        self.takes: dict[str, list[dict[str, Test]]] = {}
        self.values: dict[str, dict[str, Any]] = {}
        self._normal = set(rendered({}))
        self._tried: set[tuple[str, ...]] = set()
        texts: dict[str, set[str]] = {}
        for condition in conditions:
            for keys, found in condition.items():
                texts.setdefault(render(keys), set()).update(found)
        for path in sorted(texts):
            self._alone(path, texts[path])
        for condition in conditions:
            self._together(render(keys) for keys, found in condition.items() if not found)

    def _default(self, path: str) -> Any:
        return lookup(self._defaults, parse(path))

    def _try(self, values: dict[str, Any]) -> set[str] | None:
        """The objects that these values make; None when they are refused."""
        try:
            return set(self._rendered(values))
        except (RenderError, YAMLError):  # a value of the wrong kind may also make a text that is no YAML
            return None

    def _alone(self, path: str, texts: set[str]) -> None:
        """Try one path by itself."""
        for test, value in self._trials(path, texts):
            objects = self._try({path: value})
            if objects is None or objects == self._normal:
                continue
            self._note(objects, {path: test}, {path: value})
            if test is True:
                return

    def _trials(self, path: str, texts: set[str]) -> Iterator[tuple[Test, Any]]:
        default = self._default(path)
        if texts:
            yield from ((text, text) for text in sorted(texts - {default}))
            return
        if default is MISSING or default:
            yield False, False
        if default is MISSING or not default:
            yield from ((True, value) for value in _TRUE)
        elif isinstance(default, int) and not isinstance(default, bool) and default < _ENOUGH:
            yield _ENOUGH, _ENOUGH

    def _together(self, paths: Iterable[str]) -> None:
        """Try pairs of paths that are off by default, for what neither of them brings, or keeps, alone."""
        for pair in combinations([path for path in sorted(paths) if not self._default(path)], 2):
            if pair in self._tried:
                continue
            self._tried.add(pair)
            values = dict.fromkeys(pair, _TEXT)
            objects = self._try(values) or set()
            alone: list[dict[str, Test]] = [{path: True} for path in pair]
            found = {name for name in objects - self._normal if not _any_of(alone, self.brings.get(name))}
            found |= {name for name in objects & self._normal if _any_of(alone, self.takes.get(name))}
            for name in found:
                self.brings.setdefault(name, []).append(dict.fromkeys(pair, True))
                self.values.setdefault(name, values)

    def _note(self, objects: set[str], tests: dict[str, Test], values: dict[str, Any]) -> None:
        for name in objects - self._normal:
            self.brings.setdefault(name, []).append(tests)
            self.values.setdefault(name, values)
        for name in self._normal - objects:
            self.takes.setdefault(name, []).append(tests)


def _any_of(alone: list[dict[str, Test]], known: list[dict[str, Test]] | None) -> bool:
    return any(one in (known or ()) for one in alone)
