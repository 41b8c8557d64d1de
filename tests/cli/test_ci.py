"""The pre-commit hook and the GitHub Action: their commands exist, and the Action's script does what it says."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.cli.running import CLEAN, HEAD, MANUAL, run

ROOT = Path(__file__).parents[2]


def load(name: str):
    return YAML(typ="safe").load((ROOT / name).read_text())


def test_hook_checks_operators_and_passes_over_other_yaml() -> None:
    (hook,) = load(".pre-commit-hooks.yaml")
    program, *args = shlex.split(hook["entry"])
    assert program == "istio-convert"
    Path("values.yaml").write_text("pilot: {}\n")
    Path("broken-template.yaml").write_text("{{ nope }}\n")
    assert run([*args, "values.yaml", "broken-template.yaml"]) == run(["check", "--only-operators", "values.yaml"])
    assert run([*args, "values.yaml"]).code == 0
    assert run([*args, "values.yaml", "clean.yaml"]).code == 0
    ran = run([*args, "values.yaml", "manual.yaml"])
    assert ran.code == 3
    assert "addon.kiali" in ran.stdout


def script() -> str:
    steps = load("action.yml")["runs"]["steps"]
    return next(step["run"] for step in steps if step.get("id") == "check")


def test_every_input_of_the_action_is_used() -> None:
    action = load("action.yml")
    text = json.dumps(action["runs"])
    for name in action["inputs"]:
        assert f"inputs.{name} }}" in text, name
    used = {value for step in action["runs"]["steps"] for value in step.get("env", {})}
    assert all(f"${name}" in "".join(step["run"] for step in action["runs"]["steps"]) for name in used)


def act(tmp_path: Path, **inputs: str) -> tuple[int, str, str, str]:
    """Run the Action's script: (exit code, stdout, summary, outputs)."""
    names = (
        "OPERATORS",
        "TO",
        "FAIL_ON",
        "BASELINE",
        "OUTPUT",
        "TARGET",
        "SEPARATE",
        "CONVERT_OPTIONS",
        "SARIF",
        "FULL_REPORT",
    )
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m istio_convert "$@"\n')
    program.chmod(0o755)
    summary, outputs = tmp_path / "summary.md", tmp_path / "outputs"
    env = {
        **os.environ,
        **dict.fromkeys(names, ""),
        "TARGET": "flux",
        "ISTIO_CONVERT_BIN": str(program),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_OUTPUT": str(outputs),
        **inputs,
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script()]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, summary.read_text(), outputs.read_text()


def test_action_annotates_summarises_and_writes_sarif(tmp_path: Path) -> None:
    Path("my ops").mkdir()
    Path("my ops/a.yaml").write_text(MANUAL)
    Path("my ops/b.yaml").write_text(CLEAN)
    code, stdout, summary, outputs = act(tmp_path, OPERATORS="my ops\n", TO="1.25.3", SARIF="out.sarif")
    assert (code, outputs) == (3, "exit-code=3\n")
    assert "::warning file=my ops/a.yaml,line=6,col=16," in stdout
    assert summary.startswith("## istio-convert\n")
    assert "| `my ops/a.yaml` | 1.25.3 | 1 field needs you | 3 | 0 | 0 | 1 | 0 | 0 |\n" in summary
    assert "| `my ops/b.yaml` | 1.25.3 | nothing is lost | 3 |" in summary
    assert "### my ops/a.yaml\n\n- `my ops/a.yaml:6:16` `spec.addonComponents.kiali.enabled`: " in summary
    assert "### my ops/b.yaml" not in summary
    (only,) = json.loads(Path("out.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in only["results"]] == ["addon.kiali"]


@pytest.mark.parametrize(("version", "code"), [("1.25.3", 0), ("1.26.8", 4)])
def test_action_compares_the_output(tmp_path: Path, version: str, code: int) -> None:
    assert run(["clean.yaml", "-o", "out", "--to", "1.25.3", "-q"]).code == 0
    found, stdout, _, outputs = act(tmp_path, OPERATORS="clean.yaml", TO=version, OUTPUT="out")
    assert (found, outputs) == (code, f"exit-code={code}\n")
    assert ("+++ b/istiod.yaml" in stdout) is (code == 4)


def test_action_compares_a_folder_for_each_operator(tmp_path: Path) -> None:
    Path("ops").mkdir()
    for name in ("a", "b"):
        Path(f"ops/{name}.yaml").write_text(f"{HEAD}spec: {{hub: {name}.example.com}}\n")
    how = ["--separate", "--chart-source", "oci"]
    assert run(["ops", *how, "-o", "out", "--to", "1.25.3", "-q"]).code == 0
    inputs = {"OPERATORS": "ops", "TO": "1.25.3", "OUTPUT": "out", "CONVERT_OPTIONS": "--chart-source=oci\n"}
    assert act(tmp_path, SEPARATE="true", **inputs)[0] == 0
    code, stdout, _, _ = act(tmp_path, **inputs)
    assert code == 4
    assert 'set the input separate: "true"' in stdout
    Path("ops/b.yaml").write_text(CLEAN)
    code, stdout, _, _ = act(tmp_path, SEPARATE="true", **inputs)
    assert (code, "+++ b/b/istiod.yaml" in stdout) == (4, True)


def test_action_shows_every_field_on_request(tmp_path: Path) -> None:
    assert "<summary>Every field (3)</summary>" in act(tmp_path, OPERATORS="clean.yaml", FULL_REPORT="true")[2]


def test_action_summary_of_many_operators_is_small(tmp_path: Path) -> None:
    text = (ROOT / "fixtures/web-shop/input.yaml").read_text()
    Path("ops").mkdir()
    for number in range(20):
        Path(f"ops/{number}.yaml").write_text(text)
    code, _, summary, _ = act(tmp_path, OPERATORS="ops", TO="1.25.3")
    assert (code, len(summary) < 20_000) == (0, True)


def test_action_passes_thresholds_on(tmp_path: Path) -> None:
    assert act(tmp_path, OPERATORS="manual.yaml", FAIL_ON="lost")[0] == 0
