"""The values schemas of the newest release that has the chart as files, for editors and other tools."""

from __future__ import annotations

import json

from istio_convert.catalog.catalog import newest, resolve, versions
from istio_convert.catalog.chart import ENDED_CHARTS, HELM_CHARTS, ChartFacts


def published_schemas() -> dict[str, str]:
    """File name -> text, for the folder ``schemas/values``. Made from the data of the catalog."""
    charts = [resolve(newest()).chart(name) for name in HELM_CHARTS] + [_last(name) for name in ENDED_CHARTS]
    return {
        f"{chart.name}.json": json.dumps(chart.values_schema(), indent=2, sort_keys=True) + "\n" for chart in charts
    }


def _last(name: str) -> ChartFacts:
    """A chart that has ended, at its last release."""
    catalogs = [resolve(release.version) for release in versions()]
    return [catalog for catalog in catalogs if catalog.has_chart(name)][-1].chart(name)
