"""One release that several operators bring: whether it is the same, and in what it is not.

Two control planes in one namespace share their base release. Some of its values decide nothing there: a profile of
which the chart reads no setting, a revision that only names the Service of a remote address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from istio_convert.ledger import Outcome
from istio_convert.mapping.draft.claims import Claim
from istio_convert.mapping.draft.release import Draft, settings_in_force
from istio_convert.paths import Path, render
from istio_convert.source.nodes import Node, get, leaves, to_data, walk

#: values that choose files with settings
_FILES: tuple[Path, ...] = (
    ("profile",),
    ("global", "profile"),
    ("platform",),
    ("global", "platform"),
    ("compatibilityVersion",),
)
#: values that decide something only beside another one
_BESIDE: dict[Path, Path] = {
    ("revision",): ("global", "remotePilotAddress"),
    ("pilot", "enabled"): ("global", "remotePilotAddress"),
}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A place in which two forms of one release differ.

    Attributes:
        path: values path, or the patched object.
        nodes: what stands there on both sides; None where nothing does.
    """

    path: str
    nodes: tuple[Node | None, Node | None] = (None, None)

    def __str__(self) -> str:
        places = [
            next((leaf.origin for leaf in leaves(node)), None) if node is not None else None for node in self.nodes
        ]
        said = [str(place) for place in places if place is not None]
        return f"{self.path} ({' and '.join(said)})" if said else self.path


def contradictions(one: Draft, other: Draft) -> list[Contradiction]:
    """In what two finished forms of one release differ; of a list that it does, not in which element."""
    mine, theirs = _inputs(one), _inputs(other)
    found = [
        Contradiction(render(path), (get(one.release.values, path), get(other.release.values, path)))
        for path in dict.fromkeys([*mine, *theirs])
        if mine.get(path) != theirs.get(path)
    ]
    patches = [draft.release.patches for draft in (one, other)]
    if patches[0] != patches[1]:
        differing = [
            patch.target for patch in (*patches[0], *patches[1]) if (patch in patches[0]) != (patch in patches[1])
        ]
        found += [Contradiction(f"the patch of {target.kind} {target.name}") for target in dict.fromkeys(differing)]
    return found


def join(kept: Draft, other: Draft) -> None:
    """Note of the other form that what differs without effect is left out."""
    for path in (*_FILES, *_BESIDE):
        node = get(other.release.values, path)
        mine = get(kept.release.values, path)
        if node is None or (mine is not None and to_data(mine) == to_data(node)):
            continue
        place = other.place(path)
        reason = f"the {other.release.chart} chart does the same without it"
        for leaf in leaves(node):
            other.claims.moved(leaf, place, Claim(Outcome.DEFAULT, "default", place, reason))


def _inputs(draft: Draft) -> dict[Path, Any]:
    """The values that decide something, by path; settings of the files that values choose stand for these."""
    values = draft.release.values
    found: dict[Path, Any] = {}
    if draft.release.chart == "base":
        for layer in settings_in_force(draft.catalog, values):
            found |= {path: value for path, value in _flat(layer).items() if draft.chart.reads(path)}
    for path, node in walk(values):
        cut = next((i for i, step in enumerate(path) if isinstance(step, int)), len(path))
        found[path[:cut]] = to_data(get(values, path[:cut]) or node)
    if draft.release.chart == "base":
        beside = {path for path, needed in _BESIDE.items() if get(values, needed) is None}
        found = {path: value for path, value in found.items() if path not in _FILES and path not in beside}
    return found


def _flat(tree: dict[str, Any], prefix: Path = ()) -> dict[Path, Any]:
    found: dict[Path, Any] = {}
    for key, value in tree.items():
        path = (*prefix, key)
        found |= _flat(value, path) if isinstance(value, dict) and value else {path: value}
    return found
