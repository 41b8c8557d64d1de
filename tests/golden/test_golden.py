"""Whole conversions, compared byte by byte with plain folders that people can read and Helm can use.

``pytest tests/golden --update-golden`` rewrites the folders; review the change with ``git diff``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from deepdiff import DeepDiff

from istio_convert import Source, convert
from istio_convert.source import read
from istio_convert.source.nodes import to_data

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"


@dataclass(frozen=True)
class Run:
    """One conversion of one fixture."""

    folder: Path
    to: str
    target: str

    @property
    def expected(self) -> Path:
        return self.folder / "expected" / f"{self.target}-{self.to}"


def runs() -> list[Run]:
    found = []
    for case in sorted(FIXTURES.glob("*/case.yaml")):
        data = to_data(read(case.read_text(encoding="utf-8"), str(case))[0].root)
        found += [Run(case.parent, run["to"], run["target"]) for run in data["runs"] if "to" in run]
    return found


def name(run: Run) -> str:
    return f"{run.folder.name}-{run.target}-{run.to}"


@pytest.mark.parametrize("run", runs(), ids=name)
def test_golden(run: Run, update_golden: bool) -> None:
    text = (run.folder / "input.yaml").read_text(encoding="utf-8")
    files = convert(Source("input.yaml", text), to=run.to).files(run.target)
    if update_golden:
        rewrite(run.expected, files)
    known = {p.relative_to(run.expected).as_posix() for p in run.expected.rglob("*") if p.is_file()}
    assert known == set(files), f"update with: pytest tests/golden --update-golden -k {name(run)}"
    for path, produced in files.items():
        wanted = (run.expected / path).read_text(encoding="utf-8")
        assert produced == wanted, explain(path, wanted, produced)


def test_every_fixture_has_runs_and_expectations() -> None:
    cases = {case.parent.name for case in FIXTURES.glob("*/case.yaml")}
    assert cases == {run.folder.name for run in runs()}
    for folder in FIXTURES.glob("*/expected/*"):
        assert any(run.expected == folder for run in runs()), f"{folder} belongs to no run"


def rewrite(folder: Path, files: dict[str, str]) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file():
            path.unlink()
        else:
            path.rmdir()
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def explain(path: str, wanted: str, produced: str) -> str:
    """What differs in words, where both are YAML."""
    if not path.endswith(".yaml"):
        return path
    before, after = ([to_data(d.root) for d in read(text, path)] for text in (wanted, produced))
    return f"{path}: {DeepDiff(before, after).pretty() or 'same data, another layout'}"
