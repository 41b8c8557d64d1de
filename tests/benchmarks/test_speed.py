"""Benchmarks. They measure and do not judge: ``make bench``; figures are in docs/reference/performance.md."""

from __future__ import annotations

import math
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from istio_convert import convert
from tests.benchmarks.operators import distinct, operator

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = pytest.mark.benchmark


def test_convert_300_lines_warm(benchmark: BenchmarkFixture) -> None:
    text = operator(300)
    convert(text, to="1.25.3")
    benchmark(convert, text, to="1.25.3")


def test_convert_and_emit_300_lines_warm(benchmark: BenchmarkFixture) -> None:
    text = operator(300)
    benchmark(lambda: convert(text, to="1.25.3").files("flux"))


def test_command_line_cold(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    source = tmp_path / "operator.yaml"
    source.write_text(operator(300), encoding="utf-8")
    command = [sys.executable, "-m", "istio_convert", str(source), "--to", "1.25.3", "-q"]
    benchmark.pedantic(lambda: subprocess.run(command, check=True, capture_output=True), rounds=7)


def test_help_cold(benchmark: BenchmarkFixture) -> None:
    command = [sys.executable, "-m", "istio_convert", "--help"]
    benchmark.pedantic(lambda: subprocess.run(command, check=True, capture_output=True), rounds=7)


def test_50_000_lines(benchmark: BenchmarkFixture) -> None:
    text = operator(50_000)
    benchmark.pedantic(lambda: convert(text, to="1.25.3"), rounds=1)
    benchmark.extra_info["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def test_growth(benchmark: BenchmarkFixture) -> None:
    sizes = (500, 1000, 2000, 4000, 8000)

    def measure() -> float:
        points = []
        for size in sizes:
            text = operator(size)
            start = time.perf_counter()
            convert(text, to="1.25.3")
            points.append((math.log(size), math.log(time.perf_counter() - start)))
        mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
        slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
        benchmark.extra_info["log-log slope"] = round(slope, 3)
        return slope

    benchmark.pedantic(measure, rounds=1)


def test_1000_distinct_operators(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    for number in range(1000):
        (tmp_path / f"operator-{number}.yaml").write_text(distinct(number), encoding="utf-8")
    command = [sys.executable, "-m", "istio_convert", "check", str(tmp_path), "--to", "1.25.3", "-q"]
    benchmark.pedantic(lambda: subprocess.run(command, check=True, capture_output=True), rounds=1)
    benchmark.extra_info["peak MB of a child"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
