"""``convert --separate``: every file on its own, each into a folder of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from istio_convert.cli import batch, fleet, inputs
from istio_convert.cli.batch import Done, Job
from istio_convert.cli.command import is_failing
from istio_convert.cli.exits import Exit, worst
from istio_convert.cli.reporting import Reporting
from istio_convert.cli.settings import Settings
from istio_convert.cli.split import operators
from istio_convert.errors import MergeConflictError

if TYPE_CHECKING:
    from istio_convert.api import Conversion
    from istio_convert.report import Report

_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class _Task:
    job: Job
    folder: Path


def convert_separately(names: Sequence[str], output: Path, settings: Settings, reporting: Reporting) -> int:
    """Convert every input into its own folder below ``output``.

    Returns:
        The exit code that stands for all.

    Raises:
        UsageError: two inputs would get one folder.
    """
    reporting = replace(reporting, view=replace(reporting.view, releases=False))
    jobs = batch.jobs_for(names, settings, reporting)
    tasks = [_Task(job, output / folder) for job, folder in zip(jobs, folders(names), strict=True)]
    lists = fleet.run(_convert_one, tasks, "Converting", quiet=reporting.quiet)
    done = [one for found in lists for one in found]
    batch.show(done, reporting)
    reporting.deliver([one.parts for one in done])
    return worst([one.code for one in done])


def folders(names: Sequence[str]) -> list[str]:
    """A folder name per input: the name of the file, with as many folders before it as make it unique.

    Raises:
        UsageError: two inputs would get one folder.
    """
    parts = [_parts(name) for name in names]
    found = ["-".join(steps[-1:]) for steps in parts]
    for depth in range(2, max(map(len, parts), default=0) + 1):
        taken = Counter(found)
        found = [
            name if taken[name] == 1 else "-".join(steps[-depth:]) for name, steps in zip(found, parts, strict=True)
        ]
    doubled = [name for name, count in Counter(found).items() if count > 1]
    if doubled:
        raise click.UsageError(f"two inputs would be written into the folder {doubled[0]}; rename one of them")
    return found


def _parts(name: str) -> list[str]:
    """The steps of a file name, the suffix left out, each fit for a folder name."""
    if name == inputs.STDIN:
        return ["stdin"]
    path = Path(name)
    steps = [*path.parts[:-1], path.stem]
    return [fit for step in steps if (fit := _UNSAFE.sub("-", step).strip("-."))] or ["operator"]


def _convert_one(task: _Task) -> list[Done]:
    """Convert one input; the operators of several meshes in one file get a folder each."""
    try:
        return [batch.guarded(task.job, lambda conversion: _write(task, conversion), conflicts=True)]
    except MergeConflictError:
        whole = task.job.source()
        parts = operators(whole)
    if not parts:
        return [batch.guarded(task.job, lambda conversion: _write(task, conversion))]
    done = []
    for name, part in parts:
        job = replace(task.job, content=part.text)
        single = _Task(job, task.folder / (_UNSAFE.sub("-", name).strip("-.") or "operator"))

        def work(conversion: Conversion, single: _Task = single) -> tuple[int, Report]:
            conversion.sources = (whole,)  # the report names the file as it is
            return _write(single, conversion)

        done.append(replace(batch.guarded(job, work), name=f"{job.name} ({name})"))
    return done


def _write(task: _Task, conversion: Conversion) -> tuple[int, Report]:
    from istio_convert import report  # noqa: PLC0415 - lazy: --help needs no library

    settings = task.job.settings
    account = report.build(conversion, show_values=settings.show_values)
    conversion.write(
        task.folder,
        settings.target,
        force=settings.force,
        options=settings.emit_options(),
        show_values=settings.show_values,
    )
    failing = is_failing(account.worst, task.job.reporting.view.fail_at)
    return Exit.FINDING if failing else Exit.DONE, account
