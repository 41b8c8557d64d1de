"""One input of many: what is to be done with it, and what came of it. Both travel between processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from istio_convert.cli import inputs, terminal
from istio_convert.cli.command import describe
from istio_convert.cli.converting import convert_by
from istio_convert.cli.exits import Exit, code_of
from istio_convert.cli.reporting import Parts, Reporting
from istio_convert.cli.settings import Settings
from istio_convert.errors import InternalError, IstioConvertError, MergeConflictError

if TYPE_CHECKING:
    from istio_convert.api import Conversion, Source
    from istio_convert.report import Problem, Report, Totals

_RESULTS = {
    Exit.DONE: "ok",
    Exit.BAD: "failed",
    Exit.FINDING: "findings",
    Exit.DIFFERENCE: "differs",
    Exit.BUG: "internal error",
}


@dataclass(frozen=True, slots=True)
class Job:
    """One input.

    Attributes:
        name: as given.
        settings: how to convert it.
        reporting: how to report about it.
        content: what was read from standard input; None for a file, which the worker reads.
    """

    name: str
    settings: Settings
    reporting: Reporting
    content: bytes | str | None = None

    def source(self) -> Source:
        """The input.

        Raises:
            InputError: it cannot be read.
        """
        from istio_convert.api import Source  # noqa: PLC0415 - lazy: --help needs no library

        return inputs.read(self.name) if self.content is None else Source(self.name, self.content)


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one input.

    Attributes:
        name: as given.
        code: its exit code.
        parts: its report, rendered.
        totals: how many fields have which outcome; None when it failed.
        problems: the errors that ended it.
        difference: what would change in its folder, when that is asked for.
    """

    name: str
    code: int
    parts: Parts
    totals: Totals | None = None
    problems: tuple[Problem, ...] = ()
    difference: str = ""

    @property
    def has_findings(self) -> bool:
        """Whether its report says anything about a field that is not tolerated, be it that it fails or not."""
        totals = self.totals
        return totals is not None and totals.inert + totals.manual + totals.lost > totals.allowed


def jobs_for(names: Sequence[str], settings: Settings, reporting: Reporting) -> list[Job]:
    """A job per input; standard input is read here, since workers have none."""
    found = []
    for name in names:
        content = inputs.read(name).text if name == inputs.STDIN else None
        found.append(Job(name, settings, reporting, content))
    return found


def guarded(job: Job, work: Callable[[Conversion], tuple[int, Report]], *, conflicts: bool = False) -> Done:
    """Convert one input and do something with the result; errors end in the result, not in an exception.

    Args:
        job: the input.
        work: gets the conversion; returns an exit code and the report to show.
        conflicts: whether operators that contradict each other are an exception after all.

    Raises:
        MergeConflictError: see ``conflicts``.
    """
    from istio_convert import report as reports  # noqa: PLC0415 - lazy: --help needs no library
    from istio_convert.api import Source  # noqa: PLC0415

    source: Source | None = None
    try:
        source = job.source()
        code, account = work(convert_by(source, job.settings))
    except IstioConvertError as error:
        if conflicts and isinstance(error, MergeConflictError):
            raise
        code, account = code_of(error), reports.failed([source or Source(job.name, b"")], error)
    except Exception as error:  # noqa: BLE001 - a bug at one input must not stop the others
        bug = InternalError(f"internal error: {describe(error)}", hint="a bug of istio-convert, please report it")
        code, account = Exit.BUG, reports.failed([source or Source(job.name, b"")], bug)
    problems = tuple(_named(problem, job.name) for problem in account.errors)
    return Done(job.name, int(code), job.reporting.parts(account), account.totals if not problems else None, problems)


def _named(problem: Problem, name: str) -> Problem:
    """A problem that says which input it is about."""
    if problem.file is not None:
        return problem
    return replace(problem, file=name)


def show(done: Sequence[Done], reporting: Reporting) -> None:
    """Write what people get to see: the reports that say something, the errors, and a table for several inputs."""
    if reporting.terminal_format == "text":
        told = (one for one in done if one.code or one.has_findings or reporting.view.verbose or len(done) == 1)
        reporting.show([one.parts for one in told])
    else:
        reporting.show([one.parts for one in done])
    if reporting.shows_errors:
        for one in done:
            if one.problems:
                terminal.show_problems(list(one.problems), reporting.colour)
    if reporting.terminal_format == "text" and len(done) > 1:
        text = "\n".join(summary(done, reporting)) + "\n"
        (terminal.product if reporting.on_stdout else terminal.say)(text)


def summary(done: Sequence[Done], reporting: Reporting) -> list[str]:
    """The table of all inputs, and a line that counts them."""
    from istio_convert.errors import one_line  # noqa: PLC0415 - beside its use
    from istio_convert.report.text import table  # noqa: PLC0415 - lazy: --help needs no report

    rows = [["input", "result", "fields", "patch", "inert", "manual", "lost", "allowed"]]
    for one in done:
        totals = one.totals
        numbers = ["-"] * 6
        if totals is not None:
            counts = (totals.entries, totals.patch, totals.inert, totals.manual, totals.lost, totals.allowed)
            numbers = [str(count) for count in counts]
        rows.append([one_line(one.name), _RESULTS[Exit(one.code)], *numbers])
    counted = {name: sum(_RESULTS[Exit(one.code)] == name for one in done) for name in _RESULTS.values()}
    line = ", ".join(f"{count} {name}" for name, count in counted.items() if count)
    style = reporting.view.style
    return [*table(rows, style), style.paint("title", f"{len(done)} inputs: {line}")]
