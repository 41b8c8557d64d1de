"""From arguments to texts: files, ``-``, folders and globs."""

from __future__ import annotations

import difflib
import glob
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from istio_convert.errors import InputError, Origin

if TYPE_CHECKING:
    from istio_convert.api import Source

STDIN = "-"
_SUFFIXES = (".yaml", ".yml")
_MARKS = (b"IstioOperator", b"install.istio.io")


def expand(arguments: Sequence[str], commands: Iterable[str] = ()) -> list[str]:
    """The names of the files that arguments stand for, each once, in order.

    A folder stands for the YAML files below it that name an IstioOperator, a glob for those that match it.

    Args:
        arguments: files, ``-``, folders, globs.
        commands: names of commands, for the hint when an argument is none of these.

    Raises:
        InputError: an argument stands for nothing.
    """
    found: dict[str, None] = {}
    for argument in arguments:
        if argument == STDIN or Path(argument).is_file() or _is_special(argument):
            found[argument] = None
        elif Path(argument).is_dir():
            found.update(dict.fromkeys(_operators(argument, _files_below(Path(argument)))))
        elif glob.has_magic(argument):
            matches = (name for name in sorted(glob.glob(argument, recursive=True)) if Path(name).is_file())  # noqa: PTH207
            found.update(dict.fromkeys(_operators(argument, matches)))
        else:
            raise InputError(f"{argument}: no such file or folder", hint=_suggestion(argument, commands))
    return list(found)


def read(name: str) -> Source:
    """Read one input.

    Raises:
        InputError: it cannot be read.
    """
    from istio_convert.api import Source  # noqa: PLC0415 - lazy: --help needs no library

    try:
        return Source(name, sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or type(error).__name__}", origin=Origin(name)) from error


def _is_special(name: str) -> bool:
    """Whether it is a pipe or a device, such as ``/dev/stdin`` or a process substitution."""
    path = Path(name)
    return path.exists() and not path.is_dir()


def _files_below(folder: Path) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.endswith(_SUFFIXES) and not name.startswith("."):
                yield (Path(root) / name).as_posix()


def only_operators(names: Iterable[str]) -> list[str]:
    """The files that name an IstioOperator; standard input is taken to be one.

    Raises:
        InputError: a file cannot be read.
    """
    return [name for name in names if name == STDIN or _names_operator(name)]


def _names_operator(name: str) -> bool:
    try:
        content = Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", origin=Origin(name)) from error
    return any(mark in content for mark in _MARKS)


def _operators(argument: str, names: Iterable[str]) -> list[str]:
    looked_at = list(names)
    found = only_operators(looked_at)
    if not found:
        raise InputError(
            f"{argument}: no file with an IstioOperator among {len(looked_at)} YAML file{'s'[: len(looked_at) != 1]}",
            hint="give the file with kind: IstioOperator",
        )
    return found


def _suggestion(argument: str, commands: Iterable[str]) -> str | None:
    if close := difflib.get_close_matches(argument, list(commands), n=1, cutoff=0.75):
        return f"did you mean the command {close[0]}?"
    folder = Path(argument).parent
    try:
        beside = [(folder / name).as_posix() for name in os.listdir(folder or ".")]  # noqa: PTH208 - as given, no order
    except OSError:
        return None
    if close := difflib.get_close_matches(Path(argument).as_posix(), sorted(beside), n=1, cutoff=0.75):
        return f"did you mean {close[0]}?"
    return None
