"""The values schemas of the newest release that has the chart as files, for editors and other tools."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from istio_convert.catalog.chart import ENDED_CHARTS, HELM_CHARTS, ChartFacts
from istio_convert.catalog.ranges import version_key


def published_schemas(catalog: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Values schemas from the data of a catalog.

    Args:
        catalog: file name -> content, of the folder ``schemas/catalog``.

    Returns:
        File name -> text, for the folder ``schemas/values``.
    """
    releases: Mapping[str, Mapping[str, Any]] = catalog["releases.json"]["releases"]
    newest_first = sorted(releases, key=version_key, reverse=True)
    final = next((version for version in newest_first if "candidate" not in releases[version]), newest_first[0])
    charts = [ChartFacts(name, final, catalog[f"{name}.json"]) for name in HELM_CHARTS]
    charts += [chart for name in ENDED_CHARTS if (chart := _last(name, catalog, newest_first)) is not None]
    return {
        f"{chart.name}.json": json.dumps(chart.values_schema(), indent=2, sort_keys=True) + "\n" for chart in charts
    }


def _last(name: str, catalog: Mapping[str, Mapping[str, Any]], newest_first: list[str]) -> ChartFacts | None:
    """A chart that has ended, at its last release; None when no release here has it."""
    if (data := catalog.get(f"{name}.json")) is None:
        return None
    charts = (ChartFacts(name, version, data) for version in newest_first)
    return next((chart for chart in charts if chart.read_paths), None)
