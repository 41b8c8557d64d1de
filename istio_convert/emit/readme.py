"""The README of an output folder: what is in it, how to apply it, how to go back, what still needs a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from istio_convert.emit.base import EmitOptions, Unit
from istio_convert.emit.marker import MARKER
from istio_convert.errors import one_line

KEEP_AWAY = """
`istioctl uninstall --purge` and `istioctl uninstall --revision …`: they remove objects by labels that the charts set
as well.

`istioctl install` beside this output: it prunes by owner labels, and two owners overwrite each other.@EXCEPTION@

Deleting the IstioOperator resource while an operator still runs: it removes what it once made, gateways included.

Deleting an `*.istio.io` CustomResourceDefinition: every object of that kind goes with it.
"""
_EXCEPTION = " The one exception is the way back, described above."
#: the first steps of every target
FIRST = """
Read `REPORT.md` and the section on what still needs a person.

Stop the in-cluster operator if one runs (`istio-convert plan` writes the steps); nothing else may change these objects
from now on.
"""
_APPLY_BY_PLAN = """
This folder is a part of a migration. Until the last script has passed, only the scripts of the plan apply it, one
release after the other: do not apply it by hand. Read `@ROOT@/RUNBOOK.md` and `@ROOT@/REPORT.md` first.

Afterwards the folder of the last stage, `final`, is the source of the releases: commit it, and change things in it.
"""
_BACK_BY_PLAN = """
During the migration: `@ROOT@/rollback.sh`, as `@ROOT@/RUNBOOK.md` says.

Afterwards: to an earlier state of this folder, which is applied again.
"""


@dataclass(frozen=True, slots=True)
class Guide:
    """What a person must know about one output folder.

    The texts are paragraphs with blank lines between them; each becomes a bullet or a numbered step.

    Attributes:
        title: first heading.
        contents: pairs of path and what it is.
        needs: versions and switches that the target must have.
        apply: the steps, in order, behind :data:`FIRST`.
        back: how to undo them, in order.
        never: what must not be run, beside :data:`KEEP_AWAY`.
    """

    title: str
    contents: Sequence[tuple[str, str]]
    needs: str
    apply: str
    back: str
    never: str


def readme(guide: Guide, units: Sequence[Unit], options: EmitOptions, todo: Sequence[str] = ()) -> str:
    """The text of a README.

    Args:
        guide: the target's part.
        units: the releases, in order.
        options: as for the emitter.
        todo: what still needs a person beside ``options.todo``, one text each.
    """
    todo = (*todo, *options.todo)
    guide = replace(guide, apply=FIRST + guide.apply)
    if options.plan_root:
        apply, back = (text.replace("@ROOT@", options.plan_root) for text in (_APPLY_BY_PLAN, _BACK_BY_PLAN))
        guide = replace(guide, apply=apply, back=back)
    keep_away = KEEP_AWAY.replace("@EXCEPTION@", "" if options.plan_root else _EXCEPTION)
    lines = [f"# {guide.title}", ""]
    if options.upgrade:
        lines += [f"**This is an upgrade, too**: {one_line(options.upgrade)}.", ""]
    lines += ["## What is in here", ""]
    lines += [f"- `{path}`: {what}" for path, what in (*guide.contents, *_beside(options))]
    lines += ["", "| release | namespace | chart | version | after |", "|---|---|---|---|---|"]
    for unit in units:
        release = unit.release
        after = ", ".join(need.slug for need in unit.needs) or "-"
        lines.append(f"| {release.name} | {release.namespace} | {release.chart} | {release.version} | {after} |")
    lines += ["", "## What it needs", "", *_bullets(_paragraphs(guide.needs))]
    lines += ["", "## How to apply it", "", *_steps(_paragraphs(guide.apply))]
    lines += ["", "## How to go back", "", *_steps(_paragraphs(guide.back))]
    lines += ["", "## What never to run", "", *_bullets(_paragraphs(guide.never + keep_away))]
    lines += ["", "## What still needs a person", ""]
    lines += _bullets(todo) if todo else ["Nothing."]
    if notes := [f"{unit.slug}: {note}" for unit in units for note in unit.release.notes]:
        lines += ["", "## Notes on the releases", "", *_bullets(notes)]
    return "\n".join(lines) + "\n"


def _beside(options: EmitOptions) -> list[tuple[str, str]]:
    """What a folder holds beside what a target reads; a plan has its pages elsewhere."""
    if options.plan_root:
        return []
    proof = [("PROOF.md", "the objects of both sides, compared: what is the same, and what differs and why")]
    return [
        *(proof if options.proven else []),
        ("REPORT.md", "what became of every field of the operator, and what needs a person"),
        ("report.json", "the same for programs"),
        (MARKER, "which of these files istio-convert wrote, so that the next run sees what was edited; commit it"),
    ]


def with_patches(what: str, unit: Unit) -> str:
    """``what``, with the number of the release's patches when it has any."""
    count = len(unit.release.patches)
    if not count:
        return what
    return f"{what} and {count} patch{'es' if count > 1 else ''}"


def _paragraphs(text: str) -> list[str]:
    return [part for part in text.split("\n\n") if part.strip()]


def _bullets(lines: Sequence[str]) -> list[str]:
    return [f"- {one_line(line)}" for line in lines]


def _steps(lines: Sequence[str]) -> list[str]:
    return [f"{number}. {one_line(line)}" for number, line in enumerate(lines, start=1)]
