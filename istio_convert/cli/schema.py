"""``istio-convert schema``: JSON Schemas."""

from __future__ import annotations

import json
from typing import Any

import click

from istio_convert.cli import terminal
from istio_convert.cli.command import Command, common
from istio_convert.errors import InputError

_CHARTS = ("base", "istiod", "istiod-remote", "cni", "ztunnel", "gateway")
_HELP = """Print a JSON Schema: of the report (the default), of the operator, or of a chart's values at a version.

\b
  istio-convert schema values gateway --to 1.28.10
"""


@click.command("schema", cls=Command, help=_HELP)
@click.argument(
    "kind", metavar="[report|operator|values]", type=click.Choice(["report", "operator", "values"]), default="report"
)
@click.argument("chart", metavar="[CHART]", type=click.Choice(_CHARTS), required=False)
@click.option("--to", metavar="VERSION", help="With values: version of the chart. Default: the newest that has it.")
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
        return _values(chart, to)
    if kind == "operator":
        from istio_convert.operator import model  # noqa: PLC0415 - lazy: --help needs no models

        return model.json_schema()
    from istio_convert.report import json_schema  # noqa: PLC0415 - lazy: --help needs no report

    return json_schema()


def _values(chart: str, to: str | None) -> dict[str, Any]:
    """The schema of a chart's values.

    Raises:
        InputError: the release has no such chart.
    """
    from istio_convert.catalog import newest, resolve, versions  # noqa: PLC0415 - lazy: --help needs no catalog

    having = [one.version for one in versions() if resolve(one.version).has_chart(chart)]
    catalog = resolve(to or (newest() if newest() in having else having[-1]))
    if not catalog.has_chart(chart):
        raise InputError(
            f"Istio {catalog.version} has no chart {chart}", hint=f"the last release with it is {having[-1]}"
        )
    return catalog.chart(chart).values_schema()
