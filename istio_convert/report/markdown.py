"""REPORT.md: one page for a person. What needs a decision stands first, every field at the end, folded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from istio_convert.errors import one_line
from istio_convert.ledger import Outcome
from istio_convert.report.grouping import drawn_together
from istio_convert.report.model import Entry, Problem, Report, Target

MEANING = {
    Outcome.VALUE: "lives on in the values of these charts",
    Outcome.PATCH: "lives on in a patch of the rendered objects",
    Outcome.RELEASE: "decides which releases exist, their names, namespaces and order",
    Outcome.DEFAULT: "equals what the chart does anyway",
    Outcome.OVERRIDDEN: "another setting for the same place wins",
    Outcome.INERT: "had no effect with istioctl either",
    Outcome.MANUAL: "needs a decision or another tool",
    Outcome.LOST: "had an effect with istioctl and has none now",
}

_ESCAPES = str.maketrans({**{char: f"\\{char}" for char in "\\`*_[]|#~"}, "&": "&amp;", "<": "&lt;", ">": "&gt;"})
_TICKS = re.compile(r"`+")


def render(report: Report) -> str:
    """The report as a Markdown page (GitHub's dialect)."""
    lines = [f"# {text(report.title) or 'Report'}", ""]
    if report.errors:
        lines += ["**The conversion failed.**", "", *problems(report.errors)]
    if report.target is not None:
        lines += _converted(report, report.target)
    return "\n".join(lines).rstrip("\n") + "\n"


def _converted(report: Report, target: Target) -> list[str]:
    return [
        *_head(report, target),
        *_totals(report),
        *_section("What needs a person first", findings(report.with_outcome(Outcome.MANUAL)), "Nothing."),
        *_section("Lost", findings(report.with_outcome(Outcome.LOST)), "Nothing is lost."),
        *_section("Without effect", findings(report.with_outcome(Outcome.INERT)), ""),
        *_section("Warnings", problems(report.warnings), ""),
        *_section("Patches, and why", _patches(report), ""),
        *_section("Releases", _releases(report), "None: no component is enabled."),
        *_everything(report),
    ]


def _head(report: Report, target: Target) -> list[str]:
    names = ", ".join(release.name for release in report.releases)
    lines = [f"Converted for Istio **{target.version}** ({text(target.why)}) by istio-convert {report.tool.version}."]
    if target.provisional:
        lines.append(f"Istio {target.version} is not published yet: the facts about it are those of a candidate.")
    if target.upgrade:
        lines.append(f"**This is an upgrade, too**: {text(target.upgrade)}.")
    if names:
        count = len(report.releases)
        what = "one Helm release" if count == 1 else f"{count} Helm releases, in this order"
        lines.append(f"The result is {what}: {text(names)}.")
    lines += ["", *(f"- {code(item.name)}, sha256 `{item.sha256}`" for item in report.inputs), ""]
    return lines


def _totals(report: Report) -> list[str]:
    rows = [(outcome.value, str(report.totals.of(outcome)), MEANING[outcome]) for outcome in Outcome]
    rows.append(("all fields", str(report.totals.entries), "every field of the input, exactly once"))
    return ["## Totals", "", *_table(("outcome", "fields", "meaning"), rows), ""]


def findings(entries: Iterable[Entry]) -> list[str]:
    """A bullet for each thing that is said of entries."""
    lines = []
    for entry in drawn_together(entries):
        action = f"; **{text(entry.action)}**" if entry.action else ""
        allowed = f" (allowed: {text(entry.allowed)})" if entry.allowed is not None else ""
        value = f" = {code(entry.value)}" if entry.value is not None else ""
        where = f"{code(str(entry.origin))} {code(entry.path)}{value}"
        lines.append(f"- {where}: {text(entry.reason)}{action}{allowed}")
    return lines


def problems(found: Iterable[Problem]) -> list[str]:
    """A bullet for each warning or error."""
    lines = []
    for problem in found:
        where = f"{code(str(problem.origin))}: " if problem.origin else ""
        hint = f"; {text(problem.hint)}" if problem.hint else ""
        lines.append(f"- {where}{text(problem.message)}{hint}")
    return lines


def _patches(report: Report) -> list[str]:
    rules = {rule.id: rule.why for rule in report.rules}
    lines: list[str] = []
    for release in report.releases:
        for patch in release.patches:
            target = f"{patch.kind} {patch.name}"
            why = patch.why or _reasons(report.entries, release.name, target, rules)
            said = "; ".join(text(reason) for reason in why)
            lines.append(f"- {text(release.name)}, {code(target)}: {said or 'no value of the chart expresses it'}")
    return lines


def _reasons(entries: Iterable[Entry], release: str, target: str, rules: dict[str, str]) -> list[str]:
    """Why the rules behind a patch of an object say that it is one."""
    ids = {
        entry.rule: None
        for entry in entries
        for place in entry.places
        if place.release == release and place.path.startswith(f"{target}:")
    }
    return [rules[rule] for rule in ids if rule in rules]


def _releases(report: Report) -> list[str]:
    if not report.releases:
        return []
    rows = [
        (
            release.name,
            release.chart,
            release.version,
            release.namespace,
            ", ".join(release.depends_on) or "-",
            str(len(release.patches)),
        )
        for release in report.releases
    ]
    lines = _table(("release", "chart", "version", "namespace", "after", "patches"), rows)
    notes = [f"- {text(release.name)}: {text(note)}" for release in report.releases for note in release.notes]
    return [*lines, "", *notes] if notes else lines


def _everything(report: Report) -> list[str]:
    with_values = any(entry.value is not None for entry in report.entries)
    head = ["place", "field", "outcome", "rule", "where it is now, or why not"]
    rows = []
    for entry in report.entries:
        places = ", ".join(f"{place.release}: {place.path}" for place in entry.places)
        found = "found by the proof" if entry.derived else ""
        said = "; ".join(part for part in (places, entry.reason, found, entry.action) if part)
        row = [f"{entry.file}:{entry.line}:{entry.column}", entry.path, entry.outcome.value, entry.rule, said]
        rows.append([*row, entry.value or ""] if with_values else row)
    count = f"Every field ({report.totals.entries})"
    table = _table([*head, "value"] if with_values else head, rows)
    return ["<details>", f"<summary>{count}</summary>", "", *table, "", "</details>"]


def _section(title: str, lines: Sequence[str], empty: str) -> list[str]:
    """A section; left out when it is empty and there is nothing to say about that."""
    if not lines and not empty:
        return []
    return [f"## {title}", "", *(lines or [empty]), ""]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return lines + [f"| {' | '.join(text(cell) for cell in row)} |" for row in rows]


def text(shown: str) -> str:
    """Text that Markdown shows as it stands."""
    return one_line(shown).translate(_ESCAPES)


def code(given: str) -> str:
    """A code span; its fence is longer than any run of backticks inside."""
    shown = one_line(given)
    fence = "`" * (max((len(run) for run in _TICKS.findall(shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
