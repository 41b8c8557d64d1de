"""The worked scenarios, byte by byte. ``pytest --update-golden`` rewrites them."""

from __future__ import annotations

import difflib
import re

import pytest

from istio_convert import migrate
from istio_convert.errors import ChartsMissingError
from istio_convert.verify.charts import locate
from tests.migrate.cases import Case, cases, load, skeleton
from tests.migrate.plans import shown_commands

CASES = [pytest.param(case, id=case.name) for case in cases()]


def expected_files(case: Case) -> dict[str, str]:
    """What is compared: not the releases, which the emitters' tests cover, and not the library, which is one file."""
    return {name: text for name, text in migrate.files(case.plan()).items() if "/" not in name and name != "lib.sh"}


@pytest.mark.parametrize("case", CASES)
def test_plan(case: Case, update_golden: bool) -> None:
    folder, files = case.folder / "expected", expected_files(case)
    if update_golden:
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            if path.name not in files:
                path.unlink()
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    assert sorted(path.name for path in folder.iterdir()) == sorted(files), "pytest --update-golden rewrites them"
    for name, text in files.items():
        before = (folder / name).read_text(encoding="utf-8")
        changed = "".join(difflib.unified_diff(before.splitlines(True), text.splitlines(True), "expected", "now", n=1))
        assert not changed, f"{case.name}/{name} (pytest --update-golden):\n{changed[:4000]}"


@pytest.mark.parametrize("case", CASES)
def test_every_command_of_the_runbook_is_one_that_a_script_runs(case: Case) -> None:
    files = {path.name: path.read_text(encoding="utf-8") for path in (case.folder / "expected").iterdir()}
    shown = shown_commands(files["RUNBOOK.md"])
    numbered = [text for name, text in files.items() if re.match(r"\d\d-.*\.sh$", name)]
    assert len(shown) > 20
    assert [
        line for line in shown if line not in {line.strip() for text in numbered for line in text.splitlines()}
    ] == []


@pytest.mark.charts
@pytest.mark.render
@pytest.mark.parametrize("case", CASES)
def test_the_objects_are_those_of_the_charts(case: Case) -> None:
    try:
        locate(case.charts)
    except ChartsMissingError as error:
        pytest.skip(str(error))
    rendered = migrate.render_stages(case.stages(), case.charts)
    assert rendered is not None
    assert skeleton(rendered) == load(case.folder / "rendered.yaml")
