"""The values schemas of the newest final release as files, for editors and other tools."""

from __future__ import annotations

import json

from istio_convert.catalog.catalog import newest, resolve
from istio_convert.catalog.chart import HELM_CHARTS


def published_schemas() -> dict[str, str]:
    """File name -> text, for the folder ``schemas/values``. Made from the data of the catalog."""
    catalog = resolve(newest())
    return {
        f"{name}.json": json.dumps(catalog.chart(name).values_schema(), indent=2, sort_keys=True) + "\n"
        for name in HELM_CHARTS
    }
