"""Many inputs, one result."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from istio_convert.errors import ChartsMissingError
from istio_convert.verify.charts import ReleaseCharts, locate
from tests.fuzz.inputs import Input, make
from tests.fuzz.judge import Verdict, judge

_FORMATS_EVERY = 20
_SLOWEST = 5
_SAY_EVERY = 1000


@dataclass
class Result:
    """What came of a run.

    Attributes:
        seed: of the inputs.
        states: how many inputs of each kind came to which state.
        findings: kind of a finding -> how often, and the smallest input that shows it.
        slowest: processor time and number of the slowest inputs.
        rendered: how many conversions were rendered.
        seconds: processor time of all conversions.
    """

    seed: int
    states: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: dict[str, tuple[int, Input, Verdict]] = field(default_factory=dict)
    slowest: list[tuple[float, int, str]] = field(default_factory=list)
    rendered: int = 0
    seconds: float = 0.0

    def add(self, given: Input, verdict: Verdict) -> bool:
        """Count one input; true when it is the smallest one so far that shows what was found."""
        self.states[given.kind, verdict.state] += 1
        self.seconds += verdict.seconds
        self.slowest = sorted([*self.slowest, (verdict.seconds, given.number, given.kind)], reverse=True)[:_SLOWEST]
        if verdict.finding:
            known = self.findings.get(verdict.finding)
            if known is None or len(given.data) < len(known[1].data):
                self.findings[verdict.finding] = (known[0] + 1 if known else 1, given, verdict)
                return True
            self.findings[verdict.finding] = (known[0] + 1, *known[1:])
        return False

    @property
    def count(self) -> int:
        """How many inputs."""
        return sum(self.states.values())

    def text(self) -> str:
        """The result for people."""
        lines = [f"{self.count} inputs of seed {self.seed}, {self.rendered} rendered, {self.seconds:.0f} s in all"]
        for kind in sorted({kind for kind, _ in self.states}):
            parts = [f"{self.states[kind, state]} {state}" for state in ("converted", "refused", "found")]
            lines.append(f"  {kind}: {', '.join(parts)}")
        shown = ", ".join(f"{seconds:.2f} s (number {number}, {kind})" for seconds, number, kind in self.slowest)
        lines.append(f"  slowest: {shown}")
        lines.append(f"  findings: {len(self.findings) or 'none'}")
        for name, (times, given, _) in sorted(self.findings.items()):
            lines.append(
                f"    {name}: {times} times; smallest: number {given.number}, to {given.version}, {given.target}"
            )
        return "\n".join(lines)

    def save(self, folder: Path) -> None:
        """Write the smallest input of every finding, with its traceback beside it."""
        for name, (_, given, verdict) in self.findings.items():
            folder.mkdir(parents=True, exist_ok=True)
            stem = re.sub(r"[^\w.-]+", "-", name)[:80]
            (folder / f"{stem}.yaml").write_bytes(given.data)
            (folder / f"{stem}.txt").write_text(
                f"seed {self.seed}, number {given.number}, to {given.version}, {given.target}\n{verdict.details}",
                encoding="utf-8",
                errors="backslashreplace",
            )


def run(
    seed: int,
    numbers: Iterable[int],
    kinds: tuple[str, ...],
    *,
    seconds: float | None = None,
    render_every: int = 0,
    save: Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> Result:
    """Judge the inputs with these numbers.

    Args:
        seed: of the inputs.
        numbers: which of them.
        kinds: kinds of inputs, in turns.
        seconds: stop after so long.
        render_every: render one conversion in so many; 0 renders none.
        save: folder for findings, written as they come.
        progress: takes a line now and then.
    """
    result, end = Result(seed), time.monotonic() + seconds if seconds is not None else None
    for number in numbers:
        if end is not None and time.monotonic() > end:
            break
        given = make(seed, number, kinds)
        charts = _charts(given.version) if render_every and given.dice < 1 / render_every else None
        verdict = judge(given, all_formats=given.dice < 1 / _FORMATS_EVERY, charts=charts)
        if result.add(given, verdict) and save is not None:
            result.save(save)
        result.rendered += charts is not None and verdict.state == "converted"
        if progress is not None and (number + 1) % _SAY_EVERY == 0:
            progress(f"{result.count} inputs, {len(result.findings)} findings, {result.seconds:.0f} s")
    return result


@cache
def _charts(version: str) -> ReleaseCharts | None:
    """The charts of a version, None when they are not at hand."""
    try:
        found = locate(version)
    except ChartsMissingError:
        return None
    return found if found.has_reference else None
