"""Values that a chart refuses at installation, and values that it accepts and does not read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from istio_convert.catalog.data import load_optional
from istio_convert.catalog.ranges import contains
from istio_convert.paths import Path, parse, render, starts_with

_FILE = "refusals.json"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A value that makes the installation fail.

    Attributes:
        path: the refused values path.
        reason: why, in one sentence.
        instead: what to use, or to do, instead.
    """

    path: str
    reason: str
    instead: str


def find_refusal(chart: str, version: str, spellings: Iterable[Path], value: Any) -> Refusal | None:
    """The refusal that applies to a value.

    Args:
        chart: name of the chart.
        version: a version of the catalog.
        spellings: the paths that the chart makes of the value's place.
        value: the value.
    """
    for path in spellings:
        for refused, entry in _entries("refused", chart, version):
            if starts_with(path, refused) and _applies(entry["when"], path == refused, value):
                return Refusal(render(refused), entry["reason"], entry["instead"])
    return None


def _applies(when: Any, exact: bool, value: Any) -> bool:  # noqa: FBT001
    """Whether the condition of an entry holds: ``set``, ``null``, or the list of refused values."""
    if when == "set":
        return not exact or value not in (None, "")
    if when == "null":
        return exact and value is None
    return exact and value in when


def dead_place(chart: str, version: str, path: Path) -> str | None:
    """The live place of a dead value, or None."""
    for dead, entry in _entries("dead", chart, version):
        if starts_with(path, dead):
            place: str = entry["instead"]
            return place
    return None


@lru_cache(maxsize=256)
def _entries(section: str, chart: str, version: str) -> tuple[tuple[Path, dict[str, Any]], ...]:
    table = load_optional(_FILE).get(section, {})
    return tuple(
        (parse(key), entry)
        for key, entries in table.items()
        for entry in entries
        if entry["chart"] == chart and contains(entry["versions"], version)
    )
