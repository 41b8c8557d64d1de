"""Many inputs, each on its own: in parallel, in order, and none stops the others."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

import click

Job = TypeVar("Job")
Result = TypeVar("Result")

#: below this number starting processes costs more than it saves
_WORTH_A_POOL = 16
_CHUNKS_PER_WORKER = 8


def run(work: Callable[[Job], Result], jobs: Sequence[Job], label: str, *, quiet: bool = False) -> list[Result]:
    """Do the work for every job.

    Args:
        work: a function of a module, which catches its own errors.
        jobs: what to work on.
        label: stands before the progress bar, which only a terminal gets.
        quiet: no progress bar.

    Returns:
        The results in the order of the jobs.
    """
    results = _in_order(work, jobs)
    if quiet or len(jobs) < 2 or not sys.stderr.isatty():
        return list(results)
    with click.progressbar(results, length=len(jobs), label=label, file=sys.stderr) as bar:
        return list(bar)


def _in_order(work: Callable[[Job], Result], jobs: Sequence[Job]) -> Iterator[Result]:
    workers = min(os.cpu_count() or 1, len(jobs))
    if len(jobs) < _WORTH_A_POOL or workers < 2:
        yield from map(work, jobs)
        return
    method = "fork" if sys.platform == "linux" else "spawn"
    chunk = max(1, len(jobs) // (workers * _CHUNKS_PER_WORKER))
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context(method), _leave_interrupts_to_the_parent)
    try:
        yield from pool.map(work, jobs, chunksize=chunk)
    except BaseException:
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


def _leave_interrupts_to_the_parent() -> None:
    """An interrupt reaches every process of a terminal; a worker in the middle of writing must end its file."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
