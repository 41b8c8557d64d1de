"""What the program writes where: the product on stdout, everything for people on stderr. Colours are decided here."""

from __future__ import annotations

import os
import shutil
import sys
from typing import IO, TYPE_CHECKING, Any, Literal

import click

from istio_convert.cli import streams
from istio_convert.errors import OutputError, one_line

if TYPE_CHECKING:
    from istio_convert.errors import IstioConvertError
    from istio_convert.report.model import Problem
    from istio_convert.report.text import Style

_COLOURS: dict[str, dict[str, Any]] = {
    "title": {"bold": True},
    "dim": {"dim": True},
    "warning": {"fg": "yellow"},
    "error": {"fg": "red", "bold": True},
    "value": {"fg": "green"},
    "patch": {"fg": "cyan"},
    "release": {"fg": "blue"},
    "default": {"dim": True},
    "overridden": {"dim": True},
    "inert": {"dim": True},
    "manual": {"fg": "yellow", "bold": True},
    "lost": {"fg": "red", "bold": True},
}
_MOST_PROBLEMS = 20


def wants_colour(choice: str, stream: IO[Any]) -> bool:
    """Whether to colour a stream.

    Args:
        choice: ``auto``, ``always`` or ``never``; ``auto`` heeds NO_COLOR, ``TERM=dumb`` and whether it is a terminal.
        stream: stdout or stderr.
    """
    if choice != "auto":
        return choice == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def style_for(choice: str, stream: IO[Any]) -> Style:
    """The style of a text report on a stream."""
    from istio_convert.report.text import Style  # noqa: PLC0415 - lazy: --help needs no report

    marks = {}
    if wants_colour(choice, stream):
        for role, look in _COLOURS.items():
            before, _, after = click.style("\0", **look).partition("\0")
            marks[role] = (before, after)
    return Style(marks, shutil.get_terminal_size().columns if stream.isatty() else 0)


def product(text: str) -> None:
    """Write to stdout, byte for byte.

    Raises:
        OutputError: it cannot be written, as when the disk behind it is full.
    """
    _write("stdout", text.encode("utf-8", "backslashreplace"))


def say(text: str) -> None:
    """Write to stderr. Colours are in the text already, if any.

    Raises:
        OutputError: it cannot be written; further texts are dropped.
    """
    _write("stderr", text)


class Progress:
    """How far downloads are, on stderr: a line that changes on a terminal, else a line for each that is complete."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._open = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open:
            say("\n")  # what comes next must not stand behind a line that was left half way

    def show(self, name: str, done: int, total: int | None) -> None:
        """Say how many bytes of a download are here.

        Args:
            name: what is downloaded.
            done: the bytes so far.
            total: the bytes in all, when known.
        """
        complete = done == total
        if self._live:
            share = f" of {_size(total)}" if total is not None else ""
            say(f"\r\033[K{name}: {_size(done)}{share}" + ("\n" if complete else ""))
            self._open = not complete
        elif complete:
            say(f"{name}: {_size(done)}\n")


def _size(count: int) -> str:
    return f"{count / 1000:.0f} kB" if count >= 1000 else f"{count} B"


def _write(name: Literal["stdout", "stderr"], text: str | bytes) -> None:
    try:
        click.echo(text, err=name == "stderr", nl=False, color=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        streams.abandon(name)
        raise OutputError(f"{name} cannot be written: {error.strerror or type(error).__name__}") from error


def show_error(error: IstioConvertError, colour: str = "auto") -> None:
    """Write an error to stderr: ``error: file:line:col: message``, then ``hint: …``; every issue of a ModelError."""
    from istio_convert.report.building import problems_of  # noqa: PLC0415 - lazy: --help needs no report

    show_problems(problems_of(error), colour)


def show_problems(problems: list[Problem], colour: str = "auto") -> None:
    """Write problems to stderr, each with its hint unless the one before had the same."""
    hint = None
    for problem in problems[:_MOST_PROBLEMS]:
        where = f"{problem.origin}: " if problem.origin else ""
        if hint and problem.hint != hint:
            say(f"hint: {hint}\n")
        say(f"{_word('error', colour)}: {one_line(where + problem.message)}\n")
        hint = one_line(problem.hint) if problem.hint else None
    if len(problems) > _MOST_PROBLEMS:
        say(f"{_word('error', colour)}: and {len(problems) - _MOST_PROBLEMS} more\n")
    if hint:
        say(f"hint: {hint}\n")


def show_message(message: str, hint: str | None = None, colour: str = "auto") -> None:
    """Write an error that has no place in the input."""
    say(f"{_word('error', colour)}: {message}\n")
    if hint:
        say(f"hint: {hint}\n")


def _word(word: str, colour: str) -> str:
    return click.style(word, **_COLOURS[word]) if wants_colour(colour, sys.stderr) else word
