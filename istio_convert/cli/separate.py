"""``convert --separate``: every file on its own, each into a folder of its own, or compared with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from istio_convert.cli import batch, fleet, inputs, terminal
from istio_convert.cli.batch import Done, Job
from istio_convert.cli.command import is_failing
from istio_convert.cli.exits import Exit, worst
from istio_convert.cli.reporting import Reporting
from istio_convert.cli.settings import Settings
from istio_convert.cli.split import operators
from istio_convert.errors import MergeConflictError

if TYPE_CHECKING:
    from istio_convert.api import Conversion, Source
    from istio_convert.report import Report

_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class _Task:
    job: Job
    folder: Path
    title: str
    compare: bool

    def inside(self, name: str) -> _Task:
        """The task of one of several meshes in the input."""
        own = _UNSAFE.sub("-", name).strip("-.") or "operator"
        return replace(self, folder=self.folder / own, title=f"{self.title}/{own}")


@dataclass(frozen=True, slots=True)
class _Result:
    done: Done
    folder: Path


def convert_separately(
    names: Sequence[str], output: Path, settings: Settings, reporting: Reporting, *, compare: bool = False
) -> int:
    """Convert every input into its own folder below ``output``.

    Args:
        names: the inputs.
        output: the folder of folders.
        settings: the options.
        reporting: how to report.
        compare: write nothing, show what would change, and name folders that no input is for.

    Returns:
        The exit code that stands for all.

    Raises:
        UsageError: two inputs would get one folder.
    """
    reporting = replace(reporting, view=replace(reporting.view, releases=False))
    jobs = batch.jobs_for(names, settings, reporting)
    tasks = [_Task(job, output / folder, folder, compare) for job, folder in zip(jobs, folders(names), strict=True)]
    lists = fleet.run(_convert_one, tasks, "Converting", quiet=reporting.quiet)
    results = [one for found in lists for one in found]
    done = [one.done for one in results]
    codes = [one.code for one in done]
    if compare:
        terminal.product("".join(one.difference for one in done))
        for folder in _left_over(output, {one.folder for one in results}, {task.folder for task in tasks}):
            terminal.say(f"{folder}: no operator is for this folder\n")
            codes.append(Exit.DIFFERENCE)
    batch.show(done, reporting)
    reporting.deliver([one.parts for one in done])
    return worst(codes)


def _left_over(output: Path, current: set[Path], tops: set[Path]) -> list[Path]:
    """Folders that an earlier run wrote, and that this one would not write."""
    from istio_convert.emit.marker import MARKER  # noqa: PLC0415 - lazy: few runs need it

    found = {mark.parent for depth in ("*", "*/*") for mark in output.glob(f"{depth}/{MARKER}")}
    failed = {folder for folder in tops if not any(one.is_relative_to(folder) for one in current)}
    return sorted(one for one in found - current if not any(one.is_relative_to(folder) for folder in failed))


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


def _convert_one(task: _Task) -> list[_Result]:
    """Convert one input; the operators of several meshes in one file get a folder each."""
    try:
        return [_guarded(task, conflicts=True)]
    except MergeConflictError:
        whole = task.job.source()
        parts = operators(whole)
    if not parts:
        return [_guarded(task)]
    results = []
    for name, part in parts:
        single = replace(task.inside(name), job=replace(task.job, content=part.text))
        result = _guarded(single, whole)  # the report names the file as it is
        results.append(replace(result, done=replace(result.done, name=f"{task.job.name} ({name})")))
    return results


def _guarded(task: _Task, whole: Source | None = None, *, conflicts: bool = False) -> _Result:
    differences: list[str] = []

    def work(conversion: Conversion) -> tuple[int, Report]:
        if whole is not None:
            conversion.sources = (whole,)
        code, account, difference = _settle(task, conversion)
        differences.append(difference)
        return code, account

    done = batch.guarded(task.job, work, conflicts=conflicts)
    return _Result(replace(done, difference="".join(differences)), task.folder)


def _settle(task: _Task, conversion: Conversion) -> tuple[int, Report, str]:
    """Write the folder, or compare with it: (exit code, report, difference)."""
    from istio_convert import report  # noqa: PLC0415 - lazy: --help needs no library

    settings = task.job.settings
    account = report.build(conversion, show_values=settings.show_values)
    codes = [int(Exit.FINDING)] if is_failing(account.worst, task.job.reporting.view.fail_at) else []
    options, difference = settings.emit_options(), ""
    if task.compare:
        from istio_convert.emit import diff  # noqa: PLC0415 - lazy: few runs need it

        difference = diff(task.folder, conversion.files(settings.target, options), prefix=f"{task.title}/")
        codes += [int(Exit.DIFFERENCE)] if difference else []
    else:
        conversion.write(
            task.folder, settings.target, force=settings.force, options=options, show_values=settings.show_values
        )
    return worst(codes), account, difference
