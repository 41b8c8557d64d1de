"""``istio-convert versions``: which releases of Istio are known."""

from __future__ import annotations

import json

import click

from istio_convert.cli import terminal
from istio_convert.cli.command import Command, common


@click.command("versions", cls=Command)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", help="Form of the list.")
@common
def command(form: str, **_: object) -> None:
    """List the Istio releases that are known here.

    A provisional release is not published yet: the facts about it are those of its newest candidate.
    """
    from istio_convert.catalog import newest, versions  # noqa: PLC0415 - lazy: --help needs no catalog

    if form == "json":
        rows = [
            {"version": release.version, "provisional": release.provisional, "candidate": release.candidate}
            for release in versions()
        ]
        terminal.product(json.dumps({"newest": newest(), "versions": rows}, indent=2) + "\n")
        return
    lines = []
    for release in versions():
        note = f"  provisional, from {release.candidate}" if release.provisional else ""
        lines.append(f"{release.version}{'  newest' if release.version == newest() else ''}{note}\n")
    terminal.product("".join(lines))
