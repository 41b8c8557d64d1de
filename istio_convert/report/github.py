"""Annotations for GitHub Actions: ``::warning file=operator.yaml,line=3,col=9,title=…::message``.

GitHub shows ten of a kind per step, so what is said in one sentence is one annotation, and each input has a few.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from istio_convert.errors import one_line
from istio_convert.ledger import Outcome
from istio_convert.report.grouping import drawn_together
from istio_convert.report.model import Entry, Problem, Report
from istio_convert.report.text import totals_line

_COMMANDS = {Outcome.INERT: "notice", Outcome.MANUAL: "warning", Outcome.LOST: "error"}
#: annotations of one input
LIMIT = 10


def render(report: Report, fail_at: int = Outcome.MANUAL.severity) -> str:
    """Annotations, the gravest first, as many as GitHub is likely to show; the totals as a plain line.

    Args:
        report: the report.
        fail_at: severity from which a finding fails: fields without effect are annotated only where they do.
    """
    lines = [_annotation("error", "istio-convert", problem) for problem in report.errors]
    least = min(fail_at or Outcome.MANUAL.severity, Outcome.MANUAL.severity)
    told = [entry for entry in report.entries if entry.severity >= least]
    for entry in _once(sorted(told, key=lambda entry: -entry.severity)):
        said = f"{entry.reason}; {entry.action}" if entry.action else entry.reason
        title = f"{entry.outcome.value} {entry.rule}"
        problem = Problem(message=f"{entry.path}: {said}", file=entry.file, line=entry.line, column=entry.column)
        lines.append(_annotation(_COMMANDS[entry.outcome], title, problem))
    lines += [_annotation("warning", "istio-convert", problem) for problem in report.warnings]
    if len(lines) > LIMIT:
        lines = [*lines[:LIMIT], f"{one_line(report.title)}: {len(lines) - LIMIT} more, see the summary or the report"]
    if report.target is not None:
        lines.append(f"{one_line(report.title)}: {totals_line(report)}")
    return "".join(f"{line}\n" for line in lines)


def _once(entries: Iterable[Entry]) -> list[Entry]:
    """What is said of several fields is said once, at the first of them."""
    said: dict[tuple[object, ...], list[Entry]] = {}
    for entry in drawn_together(entries):
        said.setdefault((entry.outcome, entry.rule, entry.reason, entry.action), []).append(entry)
    return [
        first if not others else replace(first, path=f"{first.path}, and {len(others)} more")
        for first, *others in said.values()
    ]


def _annotation(command: str, title: str, problem: Problem) -> str:
    properties = {}
    if problem.file is not None:
        properties["file"] = problem.file
    if problem.line:
        properties |= {"line": str(problem.line), "col": str(problem.column)}
    properties["title"] = title
    said = problem.message + (f" ({problem.hint})" if problem.hint else "")
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{command} {written}::{_data(said)}"


def _data(text: str) -> str:
    shown = "".join(char if char.isprintable() or char in "\r\n" else f"\\x{ord(char):02x}" for char in text)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
