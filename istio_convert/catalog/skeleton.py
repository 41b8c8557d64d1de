"""The objects that a chart renders: which there are, which values bring or take them, and which places in them are set.

Names of objects hold marks for what an installation decides: ``{release}``, ``{namespace}``, ``{istioNamespace}``,
``{gateway}`` (the name of a gateway of istioctl's own charts), ``{element}`` (of the list or map that brings the
object), ``{revision}`` and ``{-revision}`` (nothing, or a dash and the revision).
A place inside an object is a path whose steps through lists are positions or ``[name:value]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from istio_convert.catalog.data import load
from istio_convert.catalog.ranges import contains
from istio_convert.paths import Path, parse

_MARK = re.compile(r"\{(-?)\w+\}")
_NAME = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
_ELEMENT = re.compile(r"\[([^:\]]+):(.*)\]$")


Test: TypeAlias = "bool | int | str"
"""What is asked of a value: to be true or not, to be at least so many, or to be this text."""


@lru_cache(maxsize=512)
def _expression(pattern: str) -> re.Pattern[str]:
    parts, position = "", 0
    for mark in _MARK.finditer(pattern):
        parts += re.escape(pattern[position : mark.start()]) + (f"(?:-{_NAME})?" if mark.group(1) else _NAME)
        position = mark.end()
    return re.compile(parts + re.escape(pattern[position:]) + "$")


@dataclass(frozen=True, slots=True)
class SkeletonObject:
    """One object that a chart renders.

    Attributes:
        kind: ``Deployment``, …
        pattern: its name, with marks.
        api_version: ``apps/v1``, …
        namespaced: whether the chart gives it a namespace.
        default: whether it is rendered with default values.
        brought: what brings it, or keeps it: alternatives, each of them values path -> test, which must all hold.
        taken: what takes it away unless something keeps it, likewise.
    """

    kind: str
    pattern: str
    api_version: str
    namespaced: bool
    default: bool = True
    brought: tuple[Mapping[str, Test], ...] = ()
    taken: tuple[Mapping[str, Test], ...] = ()

    def rendered(self, holds: Callable[[Path, Test], bool]) -> bool:
        """Whether the chart renders it.

        Args:
            holds: whether a values path passes a test: to be true or not (a boolean), to be at least a number, or to
                be a text.
        """

        def any_holds(alternatives: tuple[Mapping[str, Test], ...]) -> bool:
            return any(all(holds(parse(path), test) for path, test in tests.items()) for tests in alternatives)

        return any_holds(self.brought) or (self.default and not any_holds(self.taken))

    def matches(self, name: str) -> bool:
        """Whether an object of this name could be this one."""
        return name == self.pattern or _expression(self.pattern).match(name) is not None


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of a list.

    Attributes:
        key: what tells them apart (``name``, ``containerPort``, …); empty when nothing does.
        names: the values of the key, in order; empty without a key.
        length: how many there are.
    """

    key: str
    names: tuple[str, ...]
    length: int


class Skeleton:
    """The objects of one chart at one version, as rendered without revision.

    Those that default values bring are as they are with these, others as the values make them that bring them.

    The chart istiod-remote is rendered with the address of a control plane, an IP address.

    Args:
        chart: name of the chart.
        version: a version of the catalog.
    """

    def __init__(self, chart: str, version: str) -> None:
        self._file = f"{chart}.skeleton.json"
        self._version = version

    @cached_property
    def objects(self) -> tuple[SkeletonObject, ...]:
        """The objects that default values bring, by kind and name."""
        return tuple(known for known in self.possible if known.default)

    @cached_property
    def possible(self) -> tuple[SkeletonObject, ...]:
        """All objects that the chart is known to render with some values, by kind and name."""
        taken = dict(self._pairs("taken"))
        entries = {head: (entry, True) for head, entry in self._pairs("objects")}
        brought = {}
        for head, entry in self._pairs("optional"):
            brought[head] = tuple(entry["when"])
            entries.setdefault(head, (entry, False))
        found = []
        for head, (entry, default) in entries.items():
            kind, _, pattern = head.partition(" ")
            found.append(
                SkeletonObject(
                    kind,
                    pattern,
                    entry["apiVersion"],
                    entry["namespaced"],
                    default,
                    brought.get(head, ()),
                    tuple(taken.get(head, ())),
                )
            )
        return tuple(sorted(found, key=lambda item: (item.kind, item.pattern)))

    def find(self, kind: str, name: str) -> SkeletonObject | None:
        """The object of a kind and name. The pattern with most fixed text wins.

        Args:
            kind: ``Deployment``, …
            name: a real name (``istiod-canary``) or a pattern (``istiod{-revision}``).
        """
        found = [item for item in self.possible if item.kind == kind and item.matches(name)]
        return max(found, key=lambda item: (item.pattern == name, len(_MARK.sub("", item.pattern))), default=None)

    def exists(self, kind: str, name: str, path: Path) -> bool:
        """Whether the chart itself sets the place, or something below it.

        Args:
            kind: kind of the object.
            name: its name or pattern.
            path: keys, positions and ``[key:value]`` steps, from the object's root.
        """
        steps = self._resolved(kind, name, path)
        if steps is None or self.find(kind, name) is None:
            return False
        current: dict[str | int, Any] = self._places(kind, name)
        for depth, step in enumerate(steps):
            if step not in current:
                # elements of simple lists, and what lies below rules, are counted but not written down one by one
                return steps[:depth] in self._lists(kind, name)
            current = current[step]
        return True

    def below(self, kind: str, name: str, path: Path) -> Mapping[str | int, Any]:
        """The places that the chart itself sets below a place, as nested maps; empty when it sets none.

        Args:
            kind: kind of the object.
            name: its name or pattern.
            path: keys, positions and ``[key:value]`` steps, from the object's root.
        """
        current: Mapping[str | int, Any] = self._places(kind, name)
        for step in self._resolved(kind, name, path) or ("",):
            current = current.get(step, {})
        return current

    def elements(self, kind: str, name: str, path: Path) -> Elements | None:
        """The elements of the list at a place; None when the chart renders no list there (or an empty one)."""
        steps = self._resolved(kind, name, path)
        return None if steps is None else self._lists(kind, name).get(steps)

    def _resolved(self, kind: str, name: str, path: Path) -> Path | None:
        """The path with every step through a list in the form of the data; None when it leaves the lists."""
        lists = self._lists(kind, name)
        steps: Path = ()
        for step in path:
            elements = lists.get(steps)
            if elements is not None:
                position = _position(elements, step)
                if position is None:
                    return None
                steps = (*steps, f"[{elements.key}:{elements.names[position]}]" if elements.key else position)
            else:
                steps = (*steps, step)
        return steps

    def _places(self, kind: str, name: str) -> dict[str | int, Any]:
        found = self.find(kind, name)
        return self._place_trees.get((found.kind, found.pattern), {}) if found else {}

    def _lists(self, kind: str, name: str) -> dict[Path, Elements]:
        found = self.find(kind, name)
        return self._list_tables.get((found.kind, found.pattern), {}) if found else {}

    @cached_property
    def _place_trees(self) -> dict[tuple[str, str], dict[str | int, Any]]:
        trees: dict[tuple[str, str], dict[str | int, Any]] = {}
        places = load(self._file).get("places", {}).items()
        set_here = [text for text, ranges in places if contains(ranges, self._version)]
        for text in [*set_here, *(text for text, _ in self._pairs("lists"))]:
            kind, name, path = text.split(" ", 2)
            current = trees.setdefault((kind, name), {})
            for step in parse(path):
                current = current.setdefault(step, {})
        return trees

    @cached_property
    def _list_tables(self) -> dict[tuple[str, str], dict[Path, Elements]]:
        tables: dict[tuple[str, str], dict[Path, Elements]] = {}
        for text, entry in self._pairs("lists"):
            kind, name, path = text.split(" ", 2)
            elements = (
                Elements("", (), entry)
                if isinstance(entry, int)
                else Elements(entry[0], tuple(entry[1:]), len(entry) - 1)
            )
            tables.setdefault((kind, name), {})[parse(path)] = elements
        return tables

    def _pairs(self, section: str) -> Iterator[tuple[str, Any]]:
        for key, pairs in load(self._file).get(section, {}).items():
            for ranges, value in pairs:
                if contains(ranges, self._version):
                    yield key, value
                    break


def _position(elements: Elements, step: str | int) -> int | None:
    """The position of the element that a step names, or None."""
    if isinstance(step, int):
        return step % elements.length if -elements.length <= step < elements.length else None
    match = _ELEMENT.match(step)
    if match and match.group(1) == elements.key and match.group(2) in elements.names:
        return elements.names.index(match.group(2))
    return None
