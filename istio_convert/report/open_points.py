"""What of a report still needs a person, as lines for the README of an output folder."""

from __future__ import annotations

from istio_convert.ledger import Outcome
from istio_convert.report.grouping import drawn_together
from istio_convert.report.model import Problem, Report


def todo(report: Report) -> tuple[str, ...]:
    """What still needs a person, one line each; for the README of an output folder."""
    found = drawn_together(report.with_outcome(Outcome.LOST) + report.with_outcome(Outcome.MANUAL))
    fields = (f"{entry.origin} {entry.path}: {entry.reason}; {entry.action}" for entry in found)
    return (*fields, *(_said(problem) for problem in report.warnings))


def _said(problem: Problem) -> str:
    where = f"{problem.origin} " if problem.origin else ""
    hint = f"; {problem.hint}" if problem.hint else ""
    return f"{where}{problem.message}{hint}"
