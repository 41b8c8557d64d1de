"""Scripts and runbook are written from the same steps, and bash and shellcheck accept them."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from istio_convert import migrate
from istio_convert.migrate import Plan, Strategy
from tests.migrate.cases import Case, cases
from tests.migrate.plans import make, shown_commands

LIVE: list[dict[str, object]] = []
WAYS: dict[str, tuple[Strategy, dict[str, Any]]] = {
    "in-place": (Strategy.IN_PLACE, {}),
    "no-charts": (Strategy.IN_PLACE, {"charts": False}),
    "selector": (Strategy.CANARY, {"live": LIVE, "tag": "stable"}),
    "alb": (Strategy.CANARY, {"traffic": "alb", "alb_ingress": "edge/alb"}),
    "dns": (Strategy.CANARY, {"traffic": "dns", "dns_name": "shop.example.com"}),
}
CASES = [(target, way) for target in ("flux", "argocd", "helmfile", "helm") for way in WAYS]


@functools.cache
def made(target: str, way: str) -> tuple[Plan, dict[str, str]]:
    """A plan and its files, once for all tests."""
    strategy, options = WAYS[way]
    plan = make(target, strategy, **options)
    return plan, migrate.files(plan)


def shellcheck() -> str:
    beside = Path(sys.executable).with_name("shellcheck")
    found = str(beside) if beside.exists() else shutil.which("shellcheck")
    if not found:
        pytest.skip("shellcheck is not installed; the extra dev has it")
    return found


@pytest.fixture(params=CASES, ids="-".join)
def case(request: pytest.FixtureRequest) -> tuple[str, str]:
    found: tuple[str, str] = request.param
    return found


@pytest.fixture
def plan(case: tuple[str, str]) -> Plan:
    return made(*case)[0]


@pytest.fixture
def files(case: tuple[str, str]) -> dict[str, str]:
    return made(*case)[1]


def test_every_command_of_the_runbook_is_one_that_a_script_runs(files: dict[str, str]) -> None:
    shown = shown_commands(files["RUNBOOK.md"])
    numbered = [text for name, text in files.items() if re.match(r"\d\d-.*\.sh$", name)]
    run = {line.strip() for text in numbered for line in text.splitlines()}
    assert len(shown) > 20
    assert [line for line in shown if line not in run] == []


def test_the_runbook_shows_every_command_but_findings(plan: Plan, files: dict[str, str]) -> None:
    text = files["RUNBOOK.md"]
    commands = [item for step in plan.steps for _, part in step.parts for item in part]
    hidden = [c.text for c in commands if c.text not in text and not c.text.startswith("finding ")]
    assert hidden == []


def test_the_runbook_explains_every_function_that_it_shows(plan: Plan, files: dict[str, str]) -> None:
    programs = {"kubectl", "helm", "helmfile", "istioctl", "test"}
    commands = [item.text for step in plan.steps for _, part in step.parts for item in part]
    shown = {text.split()[0] for text in commands if not text.startswith("finding ")} - programs
    explained = set(re.findall(r"(?m)^\| `(\w+)[ `]", files["RUNBOOK.md"]))
    assert shown <= explained, shown - explained


def write(files: dict[str, str], folder: Path) -> list[str]:
    """Write the scripts of a plan, and give their names."""
    names = [name for name in files if name.endswith(".sh") and "/" not in name]
    for name in names:
        (folder / name).write_text(files[name], encoding="utf-8")
    return names


def test_bash_accepts_the_scripts(files: dict[str, str], tmp_path: Path) -> None:
    for name in write(files, tmp_path):
        result = subprocess.run(["bash", "-n", name], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr


def test_shellcheck_accepts_the_scripts(files: dict[str, str], tmp_path: Path, request: pytest.FixtureRequest) -> None:
    program = shellcheck()
    # the library is the same in every plan
    names = [name for name in write(files, tmp_path) if name != "lib.sh" or "helm-alb" in request.node.name]
    result = subprocess.run([program, *names], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("scenario", cases(), ids=lambda scenario: scenario.name)
def test_shellcheck_accepts_the_scripts_of_the_scenarios(scenario: Case) -> None:
    folder = scenario.folder / "expected"
    names = sorted(path.name for path in folder.glob("*.sh"))
    assert len(names) > 8
    result = subprocess.run([shellcheck(), *names], cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("words", "code", "run"),
    [
        (("34",), 2, []),
        (("90", "05"), 2, []),
        (("x",), 2, []),
        ((), 2, []),
        (("20", "30"), 2, []),
        (("20",), 0, ["20-adopt.sh", "10-freeze-operator.sh"]),
        (("20", "20"), 0, ["20-adopt.sh"]),
        (("30", "20"), 0, ["30-istio-base.sh", "20-adopt.sh"]),
        (("90", "80"), 0, ["80-remove-operator.sh"]),
        (("00",), 0, []),
    ],
)
def test_the_way_back_knows_its_steps(tmp_path: Path, words: tuple[str, ...], code: int, run: list[str]) -> None:
    files = made("helm", "in-place")[1]
    for name in files:
        if re.match(r"\d\d-.*[.]sh$", name):
            (tmp_path / name).write_text('#!/bin/sh\necho "${0##*/}"\n', encoding="utf-8")
            (tmp_path / name).chmod(0o755)
    (tmp_path / "rollback.sh").write_text(files["rollback.sh"], encoding="utf-8")
    result = subprocess.run(
        ["bash", str(tmp_path / "rollback.sh"), *words], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout.split()) == (code, run)
    assert ("the steps: 00 10 20 30" in result.stderr) is (code == 2)


@pytest.mark.parametrize("target", ["flux", "helm"])
def test_the_way_back_takes_every_number_of_the_plan(target: str) -> None:
    plan, files = made(target, "in-place")
    [listed] = re.findall(r"(?m)^numbers='(.*)'$", files["rollback.sh"])
    assert listed.split() == re.findall(r"(?m)^\| (\d\d) \|", files["RUNBOOK.md"])
    assert listed.split() == [f"{step.number:02d}" for step in plan.steps]


def test_script_runbook_and_guide_say_the_same_of_the_way_back() -> None:
    files = made("helm", "in-place")[1]
    guide = (Path(__file__).parents[2] / "docs" / "guides" / "migrate.md").read_text(encoding="utf-8")
    for text in (files["rollback.sh"], files["RUNBOOK.md"], guide):
        words = " ".join(text.split()).lower().replace("# ", "")
        assert "name the last step that was run, whether or not it ended" in words
        assert "every step before it" in words


def test_every_function_that_a_command_names_is_in_the_library(plan: Plan, files: dict[str, str]) -> None:
    library = files["lib.sh"]
    defined = set(re.findall(r"(?m)^(\w+)\(\) ", library))
    programs = {"test"}
    for step in plan.steps:
        for _, part in step.parts:
            for item in part:
                for text in (item.text, item.guard):
                    first = text.split()[0] if text else "test"
                    assert first in defined | programs, text


def test_every_step_but_the_looking_ones_has_a_way_back_or_says_why_not(plan: Plan) -> None:
    for step in plan.steps:
        assert step.rollback or step.rollback_note or not step.change, step.script


def test_output_is_the_same_every_time() -> None:
    assert migrate.files(make()) == migrate.files(make())
