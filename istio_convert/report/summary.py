"""The summary of a CI job in Markdown: a table of the inputs, and below it what is found in each."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.ledger import Outcome
from istio_convert.report.markdown import code, findings, problems, text
from istio_convert.report.model import Report
from istio_convert.report.text import verdict

_COLUMNS = ("input", "Istio", "result", "fields", "patch", "inert", "manual", "lost", "allowed")
_HEAD = f"| {' | '.join(_COLUMNS)} |\n|{'---|' * len(_COLUMNS)}\n"
#: findings of one input, warnings of one input
LIMIT = 20


def part(report: Report) -> str:
    """One report: its line of the table, and after it the findings."""
    totals = report.totals
    counts = [totals.entries, totals.patch, totals.inert, totals.manual, totals.lost, totals.allowed]
    result = verdict(report) if report.target else "failed"
    version = report.target.version if report.target else "-"
    cells = [code(report.title) if "|" not in report.title else text(report.title), version, result]
    numbers = [str(count) if report.target else "-" for count in counts]
    return f"| {' | '.join([*cells, *numbers])} |\n" + "\n".join(_found(report))


def whole(parts: Sequence[str]) -> str:
    """The page of all parts."""
    split = [one.partition("\n") for one in parts]
    rows = "".join(f"{row}\n" for row, _, _ in split)
    below = "".join(f"\n{found}\n" for _, _, found in split if found)
    return f"## istio-convert\n\n{_HEAD}{rows}{below}"


def _found(report: Report) -> list[str]:
    open_entries = [entry for entry in report.with_outcome(Outcome.LOST, Outcome.MANUAL) if entry.allowed is None]
    lines = [*_few(problems(report.errors)), *_few(list(findings(open_entries))), *_few(problems(report.warnings))]
    return [f"### {text(report.title)}", "", *lines] if lines else []


def _few(lines: Sequence[str]) -> list[str]:
    return [*lines] if len(lines) <= LIMIT else [*lines[:LIMIT], f"- and {len(lines) - LIMIT} more"]
