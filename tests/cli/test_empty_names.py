"""An empty name, as of a variable that is not set, is no file and no folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import run


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["clean.yaml", "-o", ""], "--output"),
        (["clean.yaml", "--output="], "--output"),
        (["clean.yaml", "--diff", ""], "--diff"),
        (["clean.yaml", "-o", "out", "--report", ""], "--report"),
        (["clean.yaml", "-o", "out", "--html", ""], "--html"),
        (["clean.yaml", "-o", "out", "--prove", "--charts", ""], "--charts"),
        (["", "-o", "out"], "OPERATOR"),
        (["clean.yaml", "", "-o", "out"], "OPERATOR"),
        (["check", "clean.yaml", "--report", ""], "--report"),
        (["check", "clean.yaml", "--config", ""], "--config"),
        (["check", "clean.yaml", "--baseline", ""], "--baseline"),
        (["check", ""], "OPERATOR"),
        (["verify", "clean.yaml", "--charts", ""], "--charts"),
        (["verify", "clean.yaml", "--reference", ""], "--reference"),
        (["plan", "clean.yaml", "--from", "1.24.6", "--to", "1.25.3", "-o", ""], "--output"),
        (["plan", "clean.yaml", "--from", "1.24.6", "--to", "1.25.3", "-o", "out", "--live", ""], "--live"),
        (["plan", "clean.yaml", "--from", "1.24.6", "--to", "1.25.3", "-o", "out", "--charts", ""], "--charts"),
        (["catalog", "build", ".", "-o", ""], "--output"),
    ],
)
def test_empty_name_is_a_wrong_use(args: list[str], named: str) -> None:
    before = sorted(Path().rglob("*"))
    ran = run(args)
    assert (ran.code, ran.stdout) == (2, "")
    assert named in ran.stderr.splitlines()[-1]
    assert ran.stderr.endswith(": the name is empty; is a variable not set?\n")
    assert sorted(Path().rglob("*")) == before


def test_empty_variable_is_an_option_that_is_not_given() -> None:
    ran = run(["clean.yaml", "-q"], env={"ISTIO_CONVERT_OUTPUT": "", "ISTIO_CONVERT_REPORT": ""})
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout == run(["clean.yaml", "-q"]).stdout
