"""What a chart refuses and what it warns about, measured by rendering."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from istio_convert.catalog.build.candidates import DEAD, EVERY_CHART, REFUSED, Candidate
from istio_convert.catalog.build.rendering import RenderableChart
from istio_convert.catalog.trees import from_leaf_table
from istio_convert.paths import parse, render

_TRIED: tuple[Any, ...] = ({"key": "value"}, "text", False)


def refused_values(
    name: str, chart: RenderableChart, defaults: Mapping[str, Any], extra: Iterable[str]
) -> dict[str, Any]:
    """What the chart refuses: path -> when, and, unless that is null, reason and what to use instead.

    Args:
        name: name of the chart.
        chart: the chart.
        defaults: its default values by path; each of them, and each map above them, is tried with null.
        extra: further paths to try with null.
    """
    found: dict[str, Any] = {}
    for path in sorted({*_with_parents(defaults), *extra}):
        if chart.refuses(from_leaf_table({path: None})):
            found[path] = {"when": "null"}
    for candidate in (*REFUSED.get(name, ()), *EVERY_CHART):
        if (when := _refused_when(chart, candidate)) is not None:
            found[candidate.path] = {"when": when, "reason": candidate.reason, "instead": candidate.instead}
    return found


def _refused_when(chart: RenderableChart, candidate: Candidate) -> Any:
    """``set``, the list of refused values, or None when nothing is refused."""
    values = candidate.values or _TRIED
    refused = [value for value in values if chart.refuses(from_leaf_table({candidate.path: value}))]
    if not refused:
        return None
    return refused if candidate.values else "set"


def _with_parents(paths: Iterable[str]) -> set[str]:
    found = set()
    for text in paths:
        path = parse(text)
        found |= {render(path[:length]) for length in range(1, len(path) + 1)}
    return found


def dead_values(name: str, chart: RenderableChart, used: Iterable[str]) -> dict[str, str]:
    """Values that the chart warns about and that no template uses: path -> the place to use instead.

    Args:
        name: name of the chart.
        chart: the chart.
        used: paths that templates use, outermost ones.
    """
    live = {parse(path) for path in used}
    found = {}
    for text, place in DEAD.get(name, {}).items():
        path = parse(text)
        if any(path[: len(other)] == other for other in live):
            continue
        if f'"{text}" is deprecated' in chart.notes(from_leaf_table({text: {"key": "value"}})):
            found[text] = place
    return found
