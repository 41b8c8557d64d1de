"""The report for a terminal: one line per finding, totals last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from istio_convert.errors import one_line
from istio_convert.ledger import Outcome
from istio_convert.report.grouping import drawn_together
from istio_convert.report.model import Entry, Problem, Report, Target

#: outcomes that are what everybody hopes for; shown only on request
PLAIN_OUTCOMES = frozenset({Outcome.VALUE, Outcome.PATCH, Outcome.RELEASE, Outcome.DEFAULT})

_COLUMNS = ("release", "chart", "version", "namespace", "patches")


@dataclass(frozen=True, slots=True)
class Style:
    """How text looks. The caller decides, since only it knows the terminal.

    Attributes:
        marks: role -> what stands before and after a text of that role. Roles are the outcomes, ``title``, ``dim``,
            ``warning`` and ``error``.
        width: columns of the terminal; 0 when there is none.
    """

    marks: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    width: int = 0

    def paint(self, role: str, text: str) -> str:
        """The text in the look of its role."""
        before, after = self.marks.get(role, ("", ""))
        return f"{before}{text}{after}"


PLAIN = Style()


def render(report: Report, style: Style = PLAIN, *, verbose: bool = False, releases: bool = True) -> str:
    """The report as text.

    Args:
        report: the report.
        style: colours and width.
        verbose: every entry, and the hint of every warning.
        releases: with a table of the releases.

    Returns:
        Lines: version and why, and whether it is an upgrade; warnings;
        ``file:line:col: outcome rule-id path: reason``; the releases; the totals.
        Empty for a conversion that failed, whose errors the caller shows.
    """
    if report.target is None:
        return ""
    lines = [style.paint("title", _head(report, report.target))]
    if report.target.upgrade:
        lines.append(f"note: {one_line(report.target.upgrade)}")
    lines += [problem_line(problem, "warning", style) for problem in report.warnings]
    shown = report.entries if verbose else drawn_together(entry for entry in report.entries if is_shown(entry))
    lines += [finding(entry, style) for entry in shown]
    if releases:
        lines += _release_table(report, style)
        lines += [f"note: {release.name}: {one_line(note)}" for release in report.releases for note in release.notes]
    lines.append(style.paint("title", totals_line(report)))
    return "\n".join(lines) + "\n"


def is_shown(entry: Entry) -> bool:
    """Whether the short view shows an entry."""
    return entry.outcome not in PLAIN_OUTCOMES and entry.allowed is None


def finding(entry: Entry, style: Style = PLAIN) -> str:
    """One entry: ``operator.yaml:3:9: inert values.unread spec.values.x: no chart of 1.25.3 reads it``."""
    said = entry.reason or ", ".join(f"{place.release}: {place.path}" for place in entry.places)
    if entry.action:
        said = f"{said}; {entry.action}"
    if entry.derived:
        said = f"{said} (found by the proof)"
    if entry.allowed is not None:
        said = f"{said} (allowed: {entry.allowed})"
    if entry.value is not None:
        said = f"{said} [{one_line(entry.value)}]"
    outcome = style.paint(entry.outcome.value, entry.outcome.value)
    where = style.paint("dim", one_line(f"{entry.origin}:"))
    return f"{where} {outcome} {entry.rule} {one_line(entry.path)}: {one_line(said)}"


def problem_line(problem: Problem, word: str, style: Style = PLAIN) -> str:
    """``operator.yaml:3:9: warning: message (hint)``."""
    where = style.paint("dim", one_line(f"{problem.origin}:")) + " " if problem.origin else ""
    hint = f" ({problem.hint})" if problem.hint else ""
    return f"{where}{style.paint(word, word)}: {one_line(problem.message + hint)}"


def totals_line(report: Report) -> str:
    """``12 fields: 9 value, 2 patch, 1 inert; nothing is lost``; ``1 field needs you`` when one does."""
    totals = report.totals
    found = [f"{totals.of(outcome)} {outcome.value}" for outcome in Outcome if totals.of(outcome)]
    counted = f"{totals.entries} field{'' if totals.entries == 1 else 's'}: {', '.join(found) or 'none'}"
    allowed = f"; {totals.allowed} allowed" if totals.allowed else ""
    return f"{counted}{allowed}; {verdict(report)}"


def verdict(report: Report) -> str:
    """What there is to do, in a few words."""
    open_fields = sum(
        entry.outcome in (Outcome.LOST, Outcome.MANUAL) and entry.allowed is None for entry in report.entries
    )
    if open_fields:
        return "1 field needs you" if open_fields == 1 else f"{open_fields} fields need you"
    return f"{report.totals.lost} lost" if report.totals.lost else "nothing is lost"


def table(rows: Sequence[Sequence[str]], style: Style = PLAIN) -> list[str]:
    """Rows in aligned columns, the first of them as the head; the last columns give way on a narrow terminal.

    Args:
        rows: texts, all rows of one length.
        style: its width decides; 0 is no limit.
    """
    shown = len(rows[0])
    widths = [max(len(row[column]) for row in rows) for column in range(shown)]
    while style.width and shown > 2 and sum(widths[:shown]) + 2 * (shown - 1) > style.width:
        shown -= 1
    lines = []
    for number, row in enumerate(rows):
        cells = [cell.ljust(width) for cell, width in zip(row[:shown], widths, strict=False)]
        line = "  ".join(cells).rstrip()
        if style.width and len(line) > style.width:
            line = line[: style.width - 1] + "…"
        lines.append(style.paint("dim", line) if number == 0 else line)
    return lines


def _head(report: Report, target: Target) -> str:
    provisional = "; provisional, from a release candidate" if target.provisional else ""
    return f"{one_line(report.title)} -> Istio {target.version} ({target.why}{provisional})"


def _release_table(report: Report, style: Style) -> list[str]:
    if not report.releases:
        return ["no release: no component is enabled"]
    rows = [
        (release.name, release.chart, release.version, release.namespace, str(len(release.patches) or "-"))
        for release in report.releases
    ]
    return table([_COLUMNS, *rows], style)
