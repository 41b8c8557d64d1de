"""Standard streams that are closed, full or without a reader."""

from __future__ import annotations

import os
import sys
from typing import Literal


def open_closed() -> None:
    """Open the null device for each standard stream that the program was started without.

    Its descriptor is taken as well: else the next file that is opened would get it, and what others write there.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8", errors="backslashreplace")  # noqa: PTH123, SIM115 - lives on
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def abandon(name: Literal["stdout", "stderr"]) -> None:
    """Let nothing more be written to a stream: a flush at exit would fail again, and say so."""
    try:
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, getattr(sys, name).fileno())
        os.close(descriptor)
    except (OSError, ValueError):  # it has no descriptor, as in a test
        setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - lives on
