"""The right side: the values and patches of each release as they are written, each line with where it came from.

Values know the leaves that they came from. Patches, and values that several fields make together, are found by the
places that the entries name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from istio_convert.emit.kustomize import patch_object
from istio_convert.errors import YamlError
from istio_convert.ledger import ClosedLedger, Entry, Outcome
from istio_convert.paths import Path, parse
from istio_convert.release import Patch, Release
from istio_convert.report.html.model import Panel
from istio_convert.report.html.scan import Kind, Scanned, scan
from istio_convert.source.nodes import walk
from istio_convert.source.writer import dump

#: names of containers in Istio's charts: no words of the input
_CONTAINERS = frozenset({"discovery", "istio-proxy", "install-cni"})
_IDENTITY: frozenset[Path] = frozenset({("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")})
_MANIFEST_STEP = re.compile(r"\[([^:\]]+):([^\]]*)\]|\[(\d+)\]|((?:\\.|[^.\[\\])+)")

_Rest: TypeAlias = tuple[str | int, ...]


@dataclass(slots=True)
class PatchPanel:
    """A patch of a release: for which object, why, and its body."""

    kind: str
    name: str
    namespace: str | None
    why: tuple[str, ...]
    panel: Panel


@dataclass(slots=True)
class ReleasePanel:
    """A release.

    Attributes:
        release: it.
        values: its values; None when it has none.
        patches: its patches, in order.
        places: (entry, number of its place) -> the panel and the span that show it.
    """

    release: Release
    values: Panel | None
    patches: list[PatchPanel]
    places: dict[tuple[int, int], tuple[Panel, int]] = field(default_factory=dict)


def release_panels(releases: list[Release], ledger: ClosedLedger) -> list[ReleasePanel]:
    """The panels of all releases in the order in which they are applied."""
    numbers = {entry.leaf: number for number, entry in enumerate(ledger.entries)}
    living = _by_release(ledger)
    panels = []
    for release in releases:
        values = _Indexed(_panel(release.values_data(), "values")) if release.values.items else None
        if values is not None:
            for path, node in walk(release.values):
                if node.leaf is not None and node.leaf in numbers and path in values.scalars:
                    values.panel.link(values.scalars[path], numbers[node.leaf])
        patches = [_IndexedPatch(patch, _Indexed(_patch_panel(patch))) for patch in release.patches]
        shown = ReleasePanel(
            release,
            values.panel if values else None,
            [
                PatchPanel(
                    item.patch.target.kind,
                    item.patch.target.name,
                    item.patch.target.namespace,
                    item.patch.why,
                    item.indexed.panel,
                )
                for item in patches
            ],
        )
        for number, position in living.get(release.name, ()):
            _link_place(shown, values, patches, (number, position), ledger.entries[number])
        panels.append(shown)
    return panels


def _by_release(ledger: ClosedLedger) -> dict[str, list[tuple[int, int]]]:
    """Release name -> entries that live on there, with the number of the place."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number, entry in enumerate(ledger.entries):
        if entry.outcome in (Outcome.VALUE, Outcome.PATCH):  # the places of the others say where they would be
            for position, place in enumerate(entry.places):
                found.setdefault(place.release, []).append((number, position))
    return found


class _Indexed:
    """A panel whose spans can be found by path."""

    def __init__(self, panel: Panel) -> None:
        self.panel = panel
        self.scalars: dict[Path, int] = {}
        self.keys: dict[Path, int] = {}
        for number, span in enumerate(panel.scanned.spans):
            found = self.keys if span.kind is Kind.KEY else self.scalars
            found.setdefault(span.path, number)
        self._below: dict[Path, dict[_Rest, int]] = {}

    def below(self, place: Path) -> dict[_Rest, int]:
        """The scalars below a place by the rest of their path."""
        if place not in self._below:
            depth = len(place)
            self._below[place] = {
                path[depth:]: number
                for path, number in self.scalars.items()
                if len(path) > depth and path[:depth] == place
            }
        return self._below[place]

    def find(self, place: Path, entry: Entry) -> int | None:
        """The span that shows an entry which lives on at or below a place.

        The place itself when it is a scalar; else the scalar below whose path ends as the entry's path does; else the
        key below that is the entry's value, as a list of names becomes a map; else the key of the place.
        """
        if place in self.scalars:
            return self.scalars[place]
        leaf = entry.leaf
        if place in self.keys:
            below = self.below(place)
            for start in range(len(leaf.path)):
                if (found := below.get(leaf.path[start:])) is not None:
                    return found
            if isinstance(leaf.value, str) and (found := self.keys.get((*place, leaf.value))) is not None:
                return found
        while place:
            if place in self.keys:
                return self.keys[place]
            place = place[:-1]
        return None


@dataclass(slots=True)
class _IndexedPatch:
    patch: Patch
    indexed: _Indexed


def _link_place(
    shown: ReleasePanel,
    values: _Indexed | None,
    patches: list[_IndexedPatch],
    key: tuple[int, int],
    entry: Entry,
) -> None:
    text = entry.places[key[1]].path
    is_patch = False
    for item in patches:
        target = item.patch.target
        prefix = f"{target.kind} {target.name}: "
        if text.startswith(prefix):
            is_patch = True
            path = _in_patch(item.patch, text.removeprefix(prefix))
            span = item.indexed.find(path, entry) if path else None
            if span is not None:
                item.indexed.panel.link(span, key[0])
                shown.places.setdefault(key, (item.indexed.panel, span))
    if not is_patch and values is not None:
        span = values.find(parse(text), entry)
        if span is not None:
            values.panel.link(span, key[0])
            shown.places.setdefault(key, (values.panel, span))


def _in_patch(patch: Patch, described: str) -> Path | None:
    """The path in a patch's body of a place in the object, as far as the body reaches; None when it does not.

    Args:
        patch: the patch.
        described: ``spec.template.spec.containers[name:istio-proxy].lifecycle``.
    """
    steps = [_step(match) for match in _MANIFEST_STEP.finditer(described)]
    if isinstance(patch.body, list):
        return _in_operations(patch.body, [str(step) for step in steps if not isinstance(step, tuple)])
    current: Any = patch.body
    path: list[str | int] = []
    for step in steps:
        if isinstance(step, str) and isinstance(current, dict) and step in current:
            path.append(step)
            current = current[step]
        elif isinstance(step, tuple) and isinstance(current, list):
            found = [
                number
                for number, item in enumerate(current)
                if isinstance(item, dict) and str(item.get(step[0])) == step[1] and "$patch" not in item
            ]
            if not found:
                return None
            path.append(found[0])
            current = current[found[0]]
        else:
            return None
    return tuple(path)


def _step(match: re.Match[str]) -> str | tuple[str, str] | int:
    if match[1] is not None:
        return match[1], match[2]
    return int(match[3]) if match[3] is not None else re.sub(r"\\(.)", r"\1", match[4])


def _in_operations(operations: list[dict[str, Any]], steps: list[str]) -> Path | None:
    """The operation with that pointer; when there is none, the first one that passes the same map keys."""
    pointers = [
        [step.replace("~1", "/").replace("~0", "~") for step in str(operation["path"]).split("/")[1:]]
        for operation in operations
    ]
    for simplify in (list, _keys_only):
        wanted = simplify(steps)
        for number, pointer in enumerate(pointers):
            if simplify(pointer) == wanted:
                return (number, "value") if "value" in operations[number] else (number, "path")
    return None


def _keys_only(steps: list[str]) -> list[str]:
    return [step for step in steps if not (step == "-" or step.isdigit())]


def _patch_panel(patch: Patch) -> Panel:
    panel = _panel(patch_object(patch), "patch")
    for number, span in enumerate(panel.scanned.spans):
        if span.kind is Kind.VALUE and _is_plain(patch, span.path):
            panel.plain.add(number)
    return panel


def _is_plain(patch: Patch, path: Path) -> bool:
    """Whether a scalar of a patch is no value: it names the object, as every report does, or is a word of Kustomize."""
    if isinstance(patch.body, list):
        return len(path) == 2 and path[1] in ("op", "path")
    return path in _IDENTITY or path[-1] == "$patch" or _is_container(patch.body, path)


def _is_container(body: dict[str, Any], path: Path) -> bool:
    if len(path) < 3 or path[-1] != "name" or path[-3] not in ("containers", "initContainers"):
        return False
    current: Any = body
    for step in path:
        current = current[step]
    return current in _CONTAINERS


def _panel(data: Any, name: str) -> Panel:
    text = dump(data)
    try:
        return Panel(name, scan(text, name))
    except YamlError:  # deeper or larger than the reader takes, which the output may be where the input is not
        return Panel(name, Scanned())
