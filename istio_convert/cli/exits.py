"""Exit codes, and which error has which."""

from __future__ import annotations

from enum import IntEnum

from istio_convert.errors import InternalError, IstioConvertError


class Exit(IntEnum):
    """The exit codes of the program.

    Two more come from outside: 130 after an interrupt, 141 when the reader of stdout went away.
    """

    DONE = 0
    BAD = 1
    USAGE = 2
    FINDING = 3
    DIFFERENCE = 4
    BUG = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


MEANINGS = {
    Exit.DONE: "done",
    Exit.BAD: "bad input or output",
    Exit.USAGE: "wrong use of the command line",
    Exit.FINDING: "a finding at or above --fail-on; the output is written all the same",
    Exit.DIFFERENCE: "verify, --prove or --diff found a difference",
    Exit.BUG: "a bug of istio-convert",
}


def code_of(error: IstioConvertError) -> Exit:
    """The exit code of an error."""
    return Exit.BUG if isinstance(error, InternalError) else Exit.BAD


def worst(codes: list[int]) -> int:
    """The code that stands for many inputs: a bug, then what could not be done, then differences, then findings."""
    order = (Exit.BUG, Exit.BAD, Exit.DIFFERENCE, Exit.FINDING)
    return next((int(code) for code in order if code in codes), int(Exit.DONE))
