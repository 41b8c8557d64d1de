"""Where a report goes, in which format."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from istio_convert.cli import terminal
from istio_convert.cli.command import threshold

if TYPE_CHECKING:
    from istio_convert.report import Report, View

STDOUT = "-"


@dataclass(frozen=True, slots=True)
class Parts:
    """One report, rendered: what the terminal shows, and what ``--report`` asks for. Either may be empty."""

    shown: str
    written: str


@dataclass(frozen=True, slots=True)
class Reporting:
    """The report options of a command.

    Attributes:
        file: None, ``-`` or a file to write.
        format: of what goes to ``file``, or to the terminal without one.
        on_stdout: the report is the product of the command.
        view: how the report for people looks.
        quiet: nothing for people.
        colour: the choice of colours.
    """

    file: str | None
    format: str
    on_stdout: bool
    view: View
    quiet: bool
    colour: str

    @property
    def terminal_format(self) -> str | None:
        """The format of what people get to see; None for nothing."""
        if self.file == STDOUT:
            return None if self.on_stdout or self.quiet or self.format == "text" else "text"
        if self.quiet:
            return None
        return "text" if self.file else self.format

    @property
    def shows_errors(self) -> bool:
        """Whether errors must be said on stderr; a report there in a format for machines has them already."""
        return self.on_stdout or self.terminal_format in (None, "text")

    def parts(self, report: Report) -> Parts:
        """The report in the formats that are needed."""
        from istio_convert.report import format_for  # noqa: PLC0415 - lazy: --help needs no report
        from istio_convert.report.text import PLAIN  # noqa: PLC0415

        shown = format_for(self.terminal_format).part(report, self.view) if self.terminal_format else ""
        view = self.view if self.file == STDOUT else replace(self.view, style=PLAIN)
        written = format_for(self.format).part(report, view) if self.file else ""
        return Parts(shown, written)

    def show(self, parts: Sequence[Parts]) -> None:
        """Write what people get to see."""
        from istio_convert.report import format_for  # noqa: PLC0415 - lazy: --help needs no report

        if self.terminal_format:
            text = format_for(self.terminal_format).whole([part.shown for part in parts])
            (terminal.product if self.on_stdout else terminal.say)(text)

    def deliver(self, parts: Sequence[Parts]) -> None:
        """Write the report that ``--report`` asks for.

        Raises:
            OutputError: the file cannot be written.
        """
        from istio_convert.report import format_for  # noqa: PLC0415 - lazy: --help needs no report

        if self.file is None:
            return
        text = format_for(self.format).whole([part.written for part in parts])
        if self.file == STDOUT:
            terminal.product(text)
        else:
            write_file(self.file, text)


def reporting_from(params: dict[str, Any], *, on_stdout: bool) -> Reporting:
    """The report options of a command.

    Args:
        params: of the command.
        on_stdout: whether the report is the command's product.
    """
    from istio_convert.report import FORMATS, View  # noqa: PLC0415 - lazy: --help needs no report

    file, name = params.get("report"), params.get("report_format")
    if name is None and file not in (None, STDOUT):
        suffix = Path(str(file)).suffix
        name = next((known.name for known in FORMATS.values() if suffix in known.extensions), None)
    stream = sys.stdout if on_stdout else sys.stderr
    view = View(
        style=terminal.style_for(params["color"], stream),
        verbose=params["verbose"],
        releases=not on_stdout,
        fail_at=threshold(params["fail_on"], strict=params["strict"]),
    )
    return Reporting(file, name or "text", on_stdout, view, params["quiet"], params["color"])


def refuse_inside(file: str | None, folder: str | None) -> None:
    """Refuse a report file in the output folder, where it would be a foreign file at the next run.

    Raises:
        UsageError: it is there.
    """
    if file in (None, STDOUT) or folder is None:
        return
    if Path(str(file)).resolve().is_relative_to(Path(folder).resolve()):
        raise click.UsageError(
            "--report names a file in the output folder; report.json and REPORT.md are there already"
        )


def write_file(name: str, text: str) -> None:
    """Replace a file, whole or not at all; a device or a pipe is written to.

    Raises:
        OutputError: it cannot be written.
    """
    from istio_convert.errors import OutputError  # noqa: PLC0415 - beside its use

    path = Path(name)
    content = text.encode("utf-8", "backslashreplace")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        target = path.resolve()
        descriptor, fresh = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(fresh, 0o666 & ~mask)  # noqa: PTH101 - a name, not a path
            os.replace(fresh, target)  # noqa: PTH105
        except BaseException:
            os.unlink(fresh)  # noqa: PTH108
            raise
    except OSError as error:
        raise OutputError(f"{name} cannot be written: {error.strerror or type(error).__name__}") from error
