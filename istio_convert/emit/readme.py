"""The README of an output folder: what is in it, how to apply it, how to go back, what still needs a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from istio_convert.emit.base import Unit

KEEP_AWAY = """
`istioctl uninstall --purge` and `istioctl uninstall --revision …`: they remove objects by labels that the charts set
as well.

`istioctl install` beside this output: it prunes by owner labels, and two owners overwrite each other. The one exception
is the way back, described above.

Deleting the IstioOperator resource while an operator still runs: it removes what it once made, gateways included.

Deleting an `*.istio.io` CustomResourceDefinition: every object of that kind goes with it.
"""


@dataclass(frozen=True, slots=True)
class Guide:
    """What a person must know about one output folder.

    The texts are paragraphs with blank lines between them; each becomes a bullet or a numbered step.

    Attributes:
        title: first heading.
        contents: pairs of path and what it is.
        needs: versions and switches that the target must have.
        apply: the steps, in order.
        back: how to undo them, in order.
        never: what must not be run, beside :data:`KEEP_AWAY`.
    """

    title: str
    contents: Sequence[tuple[str, str]]
    needs: str
    apply: str
    back: str
    never: str


def readme(guide: Guide, units: Sequence[Unit], todo: Sequence[str] = ()) -> str:
    """The text of a README.

    Args:
        guide: the target's part.
        units: the releases, in order.
        todo: what still needs a person, one text each.
    """
    lines = [f"# {guide.title}", "", "## What is in here", ""]
    lines += [f"- `{path}`: {what}" for path, what in guide.contents]
    lines += ["", "| release | namespace | chart | version | after |", "|---|---|---|---|---|"]
    for unit in units:
        release = unit.release
        after = ", ".join(need.slug for need in unit.needs) or "-"
        lines.append(f"| {release.name} | {release.namespace} | {release.chart} | {release.version} | {after} |")
    lines += ["", "## What it needs", "", *_bullets(_paragraphs(guide.needs))]
    lines += ["", "## How to apply it", "", *_steps(_paragraphs(guide.apply))]
    lines += ["", "## How to go back", "", *_steps(_paragraphs(guide.back))]
    lines += ["", "## What never to run", "", *_bullets(_paragraphs(guide.never + KEEP_AWAY))]
    lines += ["", "## What still needs a person", ""]
    lines += _bullets(todo) if todo else ["Nothing."]
    if notes := [f"{unit.slug}: {note}" for unit in units for note in unit.release.notes]:
        lines += ["", "## Notes on the releases", "", *_bullets(notes)]
    return "\n".join(lines) + "\n"


def with_patches(what: str, unit: Unit) -> str:
    """``what``, with the number of the release's patches when it has any."""
    count = len(unit.release.patches)
    if not count:
        return what
    return f"{what} and {count} patch{'es' if count > 1 else ''}"


def _paragraphs(text: str) -> list[str]:
    return [part for part in text.split("\n\n") if part.strip()]


def _bullets(lines: Sequence[str]) -> list[str]:
    return [f"- {_one_line(line)}" for line in lines]


def _steps(lines: Sequence[str]) -> list[str]:
    return [f"{number}. {_one_line(line)}" for number, line in enumerate(lines, start=1)]


def _one_line(text: str) -> str:
    return " ".join(text.split())
