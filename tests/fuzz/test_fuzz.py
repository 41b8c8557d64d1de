"""A small run of the fuzzer, and that it finds what it is there to find."""

from __future__ import annotations

import time
from typing import Any

import pytest

from istio_convert import Conversion, convert
from istio_convert.errors import ChartsMissingError, InternalError, RenderError, YamlError
from istio_convert.verify.charts import locate
from tests.fuzz import judge as judging
from tests.fuzz.__main__ import main
from tests.fuzz.inputs import KINDS, Input, make
from tests.fuzz.running import run

OPERATOR = b"apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec: {hub: x}\n"


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_found(kind: str) -> None:
    result = run(7, range(60), (kind,))
    assert result.count == 60
    assert not result.findings, result.text()


def test_the_same_seed_makes_the_same_inputs() -> None:
    first = [make(3, number) for number in range(40)]
    assert [make(3, number) for number in reversed(range(40))] == first[::-1]
    assert first[:2] != [make(4, number) for number in range(2)]
    assert [given.kind for given in first[:6]] == [*KINDS, *KINDS]


def test_inputs_are_no_waste() -> None:
    """A good part of each kind gets through to the mapping."""
    result = run(8, range(150), KINDS)
    for kind, least in (("bytes", 5), ("trees", 12), ("operators", 35)):
        assert result.states[kind, "converted"] >= least, result.text()


def given(data: bytes = OPERATOR) -> Input:
    return Input("operators", 0, data, "1.25.3", "flux", 1.0)


def crash(*_: Any, **__: Any) -> Conversion:
    raise KeyError("x")


def bug(*_: Any, **__: Any) -> Conversion:
    raise InternalError("a bug")


def many_lines(*_: Any, **__: Any) -> Conversion:
    error = YamlError("one")
    error.message = "one\ntwo"
    raise error


def open_ledger(data: bytes, to: str) -> Conversion:
    return convert(data + b"---\nkind: Other\n", to=to)


def slow(data: bytes, to: str) -> Conversion:
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    return convert(data, to=to)


def waiting(data: bytes, to: str) -> Conversion:
    time.sleep(0.1)
    return convert(data, to=to)


def endless(*_: Any, **__: Any) -> Conversion:
    while True:
        pass


@pytest.mark.parametrize(
    ("instead", "finding"),
    [
        (crash, "KeyError at "),
        (bug, "InternalError at "),
        (many_lines, "an error that is no one line"),
        (open_ledger, "the ledger has not one entry for each leaf"),
        (slow, "more than "),
        (endless, "no end after "),
        (convert, ""),
        (waiting, ""),
    ],
)
def test_what_is_found(instead: Any, finding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    convert(OPERATOR, to="1.25.3")  # what is loaded once is no part of the measured time
    monkeypatch.setattr(judging, "convert", instead)
    monkeypatch.setattr(judging, "HANG", 0.05 if instead in (slow, waiting) else 2.0)
    monkeypatch.setattr(judging, "_GIVE_UP", 0.3)
    verdict = judging.judge(given())
    assert verdict.finding.startswith(finding)
    assert bool(verdict.finding) == bool(finding)


#: no list of Kubernetes holds a text here: istioctl renders it, and no cluster takes it
NO_OBJECT = """
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  components: {pilot: {k8s: {imagePullPolicy: Always}}}
  values: {pilot: {topologySpreadConstraints: [x]}}
"""


def refuse(*_: Any, **__: Any) -> list[Any]:
    raise RenderError("refused")


@pytest.mark.charts
@pytest.mark.render
def test_what_renders_with_istioctl_renders_with_us(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("helm_python")
    try:
        charts = locate("1.25.3")
    except ChartsMissingError as error:
        pytest.skip(str(error))
    assert judging.judge(given(), charts=charts).state == "converted"
    assert judging.judge(given(NO_OBJECT.encode()), charts=charts).state == "converted"
    monkeypatch.setattr(judging.candidate, "render", refuse)
    assert judging.judge(given(), charts=charts).finding == "istioctl renders it, and we do not"


def test_findings_are_saved_and_make_the_exit_status(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(judging, "convert", crash)
    assert main(["--count", "6", "--seed", "5", "--kinds", "operators", "--save", str(tmp_path)]) == 1
    (data,) = tmp_path.glob("*.yaml")
    said = data.with_suffix(".txt").read_text()
    number = int(said.split("number ")[1].partition(",")[0])
    assert data.read_bytes() == make(5, number, ("operators",)).data
    assert "KeyError" in said
    assert "findings: 1" in capsys.readouterr().out


def test_a_run_without_findings_ends_with_0(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--count", "3", "--save", str(tmp_path / "none")]) == 0
    assert not (tmp_path / "none").exists()
    assert "slowest: " in capsys.readouterr().out
