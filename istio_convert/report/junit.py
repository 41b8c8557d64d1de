"""JUnit XML: one suite per input, one case per field; a finding at or above the threshold is a failure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from istio_convert.ledger import Outcome
from istio_convert.report.model import Entry, Problem, Report

_ALLOWED = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def part(report: Report, fail_at: int = Outcome.MANUAL.severity) -> str:
    """One report as a ``testsuite`` element.

    Args:
        report: the report.
        fail_at: severity from which a finding is a failure; 0 is none.
    """
    cases = [_problem(problem, report) for problem in report.errors]
    cases += [_case(entry, fail_at) for entry in report.entries]
    text = "\n".join(cases)
    counts = {
        "tests": len(cases),
        "failures": text.count("<failure "),
        "errors": text.count("<error "),
        "skipped": text.count("<skipped "),
    }
    numbers = " ".join(f'{name}="{count}"' for name, count in counts.items())
    inside = f"\n{text}\n  " if cases else ""
    return f"  <testsuite name={_attribute(report.title)} {numbers}>{inside}</testsuite>"


def whole(parts: Sequence[str]) -> str:
    """The document of all suites."""
    inside = "\n".join(parts)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="istio-convert">\n{inside}\n</testsuites>\n'


def _case(entry: Entry, fail_at: int) -> str:
    said = f"{entry.origin}: {entry.reason}" + (f"; {entry.action}" if entry.action else "")
    name = f"{entry.path} ({entry.rule})"
    if 0 < fail_at <= entry.severity:
        return _failing(name, entry.file, entry.outcome.value, said)
    if entry.allowed is not None:
        inside = f"<skipped message={_attribute(entry.allowed)}/>"
        return f"    <testcase classname={_attribute(entry.file)} name={_attribute(name)}>{inside}</testcase>"
    return f"    <testcase classname={_attribute(entry.file)} name={_attribute(name)}/>"


def _failing(name: str, classname: str, kind: str, message: str) -> str:
    inside = f"<failure type={_attribute(kind)} message={_attribute(message)}/>"
    return f"    <testcase classname={_attribute(classname)} name={_attribute(name)}>{inside}</testcase>"


def _problem(problem: Problem, report: Report) -> str:
    where = f"{problem.origin}: " if problem.origin else ""
    hint = escape(_clean(problem.hint or ""))
    inside = f'<error type="error" message={_attribute(where + problem.message)}>{hint}</error>'
    return f'    <testcase classname={_attribute(report.title)} name="conversion">{inside}</testcase>'


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    """Text without what XML cannot hold."""
    return _ALLOWED.sub("\ufffd", text)
