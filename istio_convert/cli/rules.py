"""``istio-convert rules``: the table of rules."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from istio_convert.cli import terminal
from istio_convert.cli.command import Command, common

if TYPE_CHECKING:
    from istio_convert.mapping.model import Rule


@click.command("rules", cls=Command)
@click.option(
    "--format", "form", type=click.Choice(["table", "json", "markdown"]), default="table", help="Of the list."
)
@common
def command(form: str, color: str, **_: object) -> None:
    """List the mapping rules: where a field stands in the operator, in the values, in the rendered object, and why."""
    from istio_convert.mapping.rules.table import rules  # noqa: PLC0415 - lazy: --help needs no tables

    rows = [as_data(rule) for rule in rules()]
    if form == "json":
        terminal.product(json.dumps({"schemaVersion": 1, "rules": rows}, indent=2, ensure_ascii=False) + "\n")
    elif form == "markdown":
        terminal.product(_markdown(rows))
    else:
        from istio_convert.report.text import table  # noqa: PLC0415 - lazy: --help needs no report

        keys = ("id", "source", "value", "manifest")
        cells = [[row[key] for key in keys] for row in rows]
        terminal.product("\n".join(table([keys, *cells], terminal.style_for(color, sys.stdout))) + "\n")


def as_data(rule: Rule) -> dict[str, Any]:
    """A rule as plain data: ``id``, ``source``, ``value``, ``manifest``, ``why``, and ``example`` when it has one."""
    from istio_convert.mapping.rules.table import manifest_side, value_side  # noqa: PLC0415 - lazy: --help needs no tables

    data: dict[str, Any] = {
        "id": rule.id,
        "source": rule.source,
        "value": value_side(rule),
        "manifest": manifest_side(rule),
        "why": rule.why,
    }
    if rule.example is not None:
        data["example"] = {"spec": rule.example.spec, "to": rule.example.to}
    return data


def _markdown(rows: list[dict[str, Any]]) -> str:
    lines = ["| rule | field | value | manifest | why |", "|---|---|---|---|---|"]
    for row in rows:
        code = [f"`{row[key]}`" if row[key] else "" for key in ("id", "source", "value", "manifest")]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in (*code, row["why"])) + " |")
    return "\n".join(lines) + "\n"
