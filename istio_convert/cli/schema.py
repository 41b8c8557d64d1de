"""``istio-convert schema``: JSON Schemas."""

from __future__ import annotations

import json
from typing import Any

import click

from istio_convert.cli import terminal
from istio_convert.cli.command import Command, common

_CHARTS = ("base", "istiod", "cni", "ztunnel", "gateway")
_HELP = """Print a JSON Schema: of the report (the default), of the operator, or of a chart's values at a version.

\b
  istio-convert schema values gateway --to 1.28.10
"""


@click.command("schema", cls=Command, help=_HELP)
@click.argument(
    "kind", metavar="[report|operator|values]", type=click.Choice(["report", "operator", "values"]), default="report"
)
@click.argument("chart", metavar="[CHART]", type=click.Choice(_CHARTS), required=False)
@click.option("--to", metavar="VERSION", help="With values: version of the chart. Default: the newest.")
@common
def command(kind: str, chart: str | None, to: str | None, **_: object) -> None:
    """Print the schema."""
    if (kind == "values") != (chart is not None):
        raise click.UsageError(f"a chart goes with values, and values with a chart: values {'|'.join(_CHARTS)}")
    if to and kind != "values":
        raise click.UsageError("--to is for values")
    terminal.product(json.dumps(_schema(kind, chart, to), indent=2, ensure_ascii=False) + "\n")


def _schema(kind: str, chart: str | None, to: str | None) -> dict[str, Any]:
    if chart is not None:
        from istio_convert.catalog import newest, resolve  # noqa: PLC0415 - lazy: --help needs no catalog

        return resolve(to or newest()).chart(chart).values_schema()
    if kind == "operator":
        from istio_convert.operator import model  # noqa: PLC0415 - lazy: --help needs no models

        return model.json_schema()
    from istio_convert.report import json_schema  # noqa: PLC0415 - lazy: --help needs no report

    return json_schema()
