"""``--html FILE``: the audit view beside the other outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from istio_convert.cli.command import Function
from istio_convert.cli.reporting import STDOUT, write_file

if TYPE_CHECKING:
    from istio_convert.api import Conversion


def page_option(function: Function) -> Function:
    """Add ``--html``."""
    text = "Write a page that shows each line of the operator beside what it became; it needs no network."
    return click.option("--html", "page", metavar="FILE", help=text)(function)


def check_page(params: dict[str, Any]) -> None:
    """Refuse a page where it cannot be, before anything is converted.

    Raises:
        UsageError: it has no name of its own, is for several meshes, or in the output folder.
    """
    page, output = params["page"], params["output"]
    if page is None:
        return
    if page == STDOUT:
        raise click.UsageError("--html writes a file; give it a name")
    if params["separate"]:
        raise click.UsageError("--html shows the operators of one mesh; give it without --separate")
    if output and Path(page).resolve().is_relative_to(Path(output).resolve()):
        raise click.UsageError("--html names a file in the output folder, where the next run would not know it")


def write_page(conversion: Conversion, params: dict[str, Any]) -> None:
    """Write the page when it is asked for.

    Raises:
        OutputError: the file cannot be written.
    """
    if params["page"]:
        from istio_convert.report.html import render  # noqa: PLC0415 - lazy: few runs need it

        write_file(params["page"], render(conversion, show_values=params["show_values"]))
