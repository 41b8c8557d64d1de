"""``to`` of the configuration: every command that converts reads it, and says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run


@pytest.fixture(params=["istio-convert.toml", "pyproject.toml"])
def named(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    Path(name).write_text(("[tool.istio-convert]\n" if name == "pyproject.toml" else "") + 'to = "1.25.3"\n')
    return name


def test_a_conversion_is_for_the_version_of_the_configuration(named: str) -> None:
    ran = run(["clean.yaml", "-o", "out"])
    assert ran.stderr.startswith(f"clean.yaml -> Istio 1.25.3 (as {named} says)\n")
    assert f"Istio **1.25.3** (as {named} says)" in Path("out/REPORT.md").read_text()
    assert run(["clean.yaml", "--diff", "out", "-q"]).code == 0
    assert "version: 1.25.3" in Path("out/istiod.yaml").read_text()
    assert f"(as {named} says)" in run(["check", "clean.yaml"]).stdout


def test_each_of_several_is_for_it(named: str) -> None:
    assert run(["clean.yaml", "inert.yaml", "--separate", "-o", "out", "-q"]).code == 0
    assert {json.loads(file.read_text())["target"]["why"] for file in Path("out").glob("*/report.json")} == {
        f"as {named} says"
    }


def test_the_command_line_and_the_environment_win(named: str) -> None:
    assert named
    assert "Istio 1.26.8 (as asked for)" in run(["clean.yaml", "-o", "a", "--to", "1.26.8"]).stderr
    assert "Istio 1.26.8 (as asked for)" in run(["clean.yaml", "-o", "b"], env={"ISTIO_CONVERT_TO": "1.26.8"}).stderr


def test_a_plan_goes_to_it_and_needs_one() -> None:
    args = ["plan", "clean.yaml", "--from", "1.24.6", "--json", "--fail-on", "never"]
    ran = run(args)
    assert (ran.code, "Missing option '--to'" in ran.stderr) == (2, True)
    Path("istio-convert.toml").write_text('to = "1.25.3"\n')
    ran = run(args)
    assert ran.code == 0
    assert "note: Istio 1.25.3, as istio-convert.toml says\n" in ran.stderr
    assert "1.25.3" in ran.stdout


def test_a_proof_is_for_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ISTIO_CONVERT_CHARTS", str(tmp_path / "empty"))
    Path("istio-convert.toml").write_text('to = "1.25.3"\n')
    ran = run(["verify", "clean.yaml"])
    assert ran.code == 1
    assert "note: Istio 1.25.3, as istio-convert.toml says\n" in ran.stderr
    assert "1.25.3" in ran.stderr.partition("\n")[2]


def test_a_version_that_is_not_known_names_the_file() -> None:
    Path("istio-convert.toml").write_text('to = "1.25.99"\n')
    ran = run(["clean.yaml", "-o", "out"])
    assert ran.code == 1
    assert "istio-convert.toml: " in ran.stderr
    assert not Path("out").exists()
