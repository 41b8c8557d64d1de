"""Scripts and runbook are written from the same steps, and bash and shellcheck accept them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from istio_convert import migrate
from istio_convert.migrate import Plan, Strategy
from tests.migrate.plans import make

LIVE: list[dict[str, object]] = []
CASES = [
    pytest.param({"target": target, "strategy": strategy, **more}, id=f"{target}-{strategy.value}-{name}")
    for target in ("flux", "argocd", "helmfile", "helm")
    for strategy, name, more in (
        (Strategy.IN_PLACE, "plain", {}),
        (Strategy.IN_PLACE, "no-charts", {"charts": False}),
        (Strategy.CANARY, "selector", {"live": LIVE, "tag": "stable"}),
        (Strategy.CANARY, "alb", {"traffic": "alb", "alb_ingress": "edge/alb"}),
        (Strategy.CANARY, "dns", {"traffic": "dns", "dns_name": "shop.example.com"}),
    )
]


def shellcheck() -> str | None:
    beside = Path(sys.executable).with_name("shellcheck")
    return str(beside) if beside.exists() else shutil.which("shellcheck")


@pytest.fixture(params=CASES)
def plan(request: pytest.FixtureRequest) -> Plan:
    return make(**request.param)


def test_every_command_of_the_runbook_is_one_that_a_script_runs(plan: Plan) -> None:
    files = migrate.files(plan)
    blocks = re.findall(r"```sh\n(.*?)```", files["RUNBOOK.md"], re.S)
    shown = [line.strip() for block in blocks for line in block.splitlines() if line and not line.startswith("#")]
    run = {line.strip() for name, text in files.items() if name.endswith(".sh") for line in text.splitlines()}
    assert len(shown) > 20
    assert [line for line in shown if line not in run] == []


def test_the_runbook_shows_every_command_but_findings(plan: Plan) -> None:
    text = migrate.files(plan)["RUNBOOK.md"]
    commands = [item for step in plan.steps for _, part in step.parts for item in part]
    hidden = [c.text for c in commands if c.text not in text and not c.text.startswith("finding ")]
    assert hidden == []


def test_bash_accepts_the_scripts(plan: Plan, tmp_path: Path) -> None:
    for name, text in migrate.files(plan).items():
        if name.endswith(".sh"):
            path = tmp_path / name.replace("/", "_")
            path.write_text(text, encoding="utf-8")
            result = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True, check=False)
            assert result.returncode == 0, result.stderr


def test_shellcheck_accepts_the_scripts(plan: Plan, tmp_path: Path) -> None:
    program = shellcheck()
    if program is None:
        pytest.skip("shellcheck is not installed")
    names = []
    for name, text in migrate.files(plan).items():
        if name.endswith(".sh") and "/" not in name:
            (tmp_path / name).write_text(text, encoding="utf-8")
            names.append(name)
    result = subprocess.run([program, *names], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_every_function_that_a_command_names_is_in_the_library(plan: Plan) -> None:
    library = migrate.files(plan)["lib.sh"]
    defined = set(re.findall(r"(?m)^(\w+)\(\) ", library))
    programs = {"kubectl", "helm", "helmfile", "istioctl", "test", "for", "fail"}
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
