from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from istio_convert.cli.config import Allowance
from tests.cli.running import CLEAN, MANUAL, matches, run

ALLOW = """\
to = "1.25.3"

[[allow]]
rule = "addon.*"
path = "spec.addonComponents.kiali.*"
reason = "ticket 7"
expires = {expires}
"""


def config(text: str = ALLOW, expires: str = "9999-12-31", name: str = "istio-convert.toml") -> None:
    Path(name).write_text(text.format(expires=expires))


def test_allowed_findings_do_not_fail() -> None:
    config()
    ran = run(["check", "manual.yaml"])
    assert (ran.code, ran.stderr) == (0, "")
    matches(ran.stdout, [r"manual\.yaml -> Istio 1\.25\.3 .*", r"3 fields: .*1 manual; 1 allowed; nothing is lost"])


def test_expired_allowance_fails_with_a_message() -> None:
    config(expires='"2020-02-29"')
    ran = run(["check", "manual.yaml", "-q"])
    assert ran.code == 3
    matches(
        ran.stderr,
        [r"error: .*istio-convert\.toml: the allowance of addon\.\* at .* expired on 2020-02-29: ticket 7", "hint: .*"],
    )
    assert run(["check", "clean.yaml", "-q"]).code == 3, "it fails even when the finding is gone"


def test_allowance_that_nothing_needs_is_noted() -> None:
    config()
    ran = run(["check", "clean.yaml"])
    assert ran.code == 0
    matches(ran.stderr, ["note: .*istio-convert.toml: nothing is left for the allowance of .*"])


def test_allowance_is_for_its_rule_and_path_only() -> None:
    config(ALLOW.replace("kiali.*", "grafana.**"))
    assert run(["check", "manual.yaml", "-q"]).code == 3


def test_pyproject_is_read_and_found_from_below() -> None:
    Path("pyproject.toml").write_text('[tool.istio-convert]\nto = "1.24.6"\nfail-on = "lost"\n')
    Path("deep").mkdir()
    Path("deep/op.yaml").write_text(MANUAL)
    ran = run(["check", "deep/op.yaml"])
    assert ran.code == 0
    assert "Istio 1.24.6" in ran.stdout
    assert run(["check", "deep/op.yaml", "--fail-on", "manual", "-q"]).code == 3, "the command line wins"
    assert "Istio 1.25.3" in run(["check", "deep/op.yaml", "--to", "1.25.3"]).stdout


def test_config_of_another_repository_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    config()
    Path("inner/.git").mkdir(parents=True)
    Path("inner/op.yaml").write_text(MANUAL)
    monkeypatch.chdir("inner")
    assert run(["check", "op.yaml", "-q"]).code == 3
    assert run(["check", "op.yaml", "-q", "--config", "../istio-convert.toml"]).code == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('too = "1"\n', "unknown key too"),
        ("to = 1.25\n", "to must be a text"),
        ('fail-on = "x"\n', "fail-on has an unknown value"),
        ("allow = 1\n", "allow must be a list of tables"),
        ('[[allow]]\nrule = "a"\npath = "b"\nreason = "c"\n', "allowance 1 has no expires"),
        (
            '[[allow]]\nrule = "a"\npath = "b"\nreason = ""\nexpires = 2027-01-01\n',
            "allowance 1: reason must be a text",
        ),
        ('[[allow]]\nrule = "a"\npath = "b"\nreason = "c"\nexpires = "soon"\n', "allowance 1: expires is no date"),
        ('[[allow]]\nrule = "a"\npath = "b"\nreason = "c"\nexpire = 1\n', "allowance 1: unknown key expire"),
        ("to = \n", "no TOML: .*"),
    ],
)
def test_wrong_configuration_is_one_clear_error(text: str, message: str) -> None:
    Path("istio-convert.toml").write_text(text)
    ran = run(["check", "clean.yaml", "-q"])
    assert (ran.code, ran.stdout) == (1, "")
    matches(
        ran.stderr,
        [rf"error: \S*istio-convert\.toml(:1:\d+)?: {message}", "(hint: .*)?"][: len(ran.stderr.splitlines())],
    )


def test_missing_configuration_is_an_error() -> None:
    assert run(["check", "clean.yaml", "-q", "--config", "no.toml"]).code == 1


@pytest.mark.parametrize(
    ("rule", "path", "found"),
    [
        ("addon.kiali", "spec.addonComponents.kiali.enabled", True),
        ("*", "**", True),
        ("addon.*", "spec.*.kiali.*", True),
        ("addon.*", "spec.*.enabled", False),
        ("addon", "**", False),
        ("addon.kiali", "spec.addonComponents.kiali", False),
    ],
)
def test_allowance_patterns(rule: str, path: str, found: bool) -> None:
    allowance = Allowance(rule, path, "r", date(9999, 1, 1))
    assert allowance.matches("addon.kiali", "spec.addonComponents.kiali.enabled", "a.yaml") is found


def test_allowance_for_any_position_of_a_list_and_for_one_file() -> None:
    allowance = Allowance("*", "spec.a[].b", "r", date(9999, 1, 1), "ops/*")
    assert allowance.matches("x", "spec.a[12].b", "ops/a.yaml")
    assert not allowance.matches("x", "spec.a.b", "ops/a.yaml")
    assert not allowance.matches("x", "spec.a[1].b", "b.yaml")


def test_baseline_tolerates_what_was_there_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    args = ["check", "manual.yaml", "--to", "1.25.3", "--baseline", "known.json", "-q"]
    assert run(args).code == 1, "there is no baseline yet"
    assert run([*args, "--write-baseline"]).code == 0
    data = json.loads(Path("known.json").read_text())
    assert [(f["file"], f["rule"], f["outcome"]) for f in data["findings"]] == [
        ("manual.yaml", "addon.kiali", "manual")
    ]
    assert run(args).code == 0
    text = MANUAL.replace("addonComponents:\n", "addonComponents:\n    grafana: {enabled: true}\n")
    Path("manual.yaml").write_text("# moved\n" + text)
    ran = run(args[:-1])
    assert ran.code == 3
    assert [line.split()[2] for line in ran.stdout.splitlines() if " manual " in line] == ["addon.grafana"]
    Path("manual.yaml").write_text(MANUAL)
    Path("sub").mkdir()
    monkeypatch.chdir("sub")
    assert run(["check", "../manual.yaml", "--to", "1.25.3", "--baseline", "../known.json", "-q"]).code == 0


def test_baseline_findings_that_are_gone_are_noted_and_rewriting_is_stable() -> None:
    base = ["--baseline", "known.json", "--to", "1.25.3"]
    run(["check", "manual.yaml", *base, "--write-baseline", "-q"])
    before = Path("known.json").read_bytes()
    run(["check", "manual.yaml", *base, "--write-baseline", "-q"])
    assert Path("known.json").read_bytes() == before
    Path("manual.yaml").write_text(CLEAN)
    ran = run(["check", "manual.yaml", *base])
    assert ran.code == 0
    matches(ran.stderr, [r"note: known\.json: 1 finding is gone; .*"])
    Path("manual.yaml").unlink()
    matches(run(["check", "clean.yaml", *base]).stderr, [r"note: known\.json: 1 finding is gone; .*"])


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schemaVersion": 2, "findings": []}', '{"schemaVersion": 1, "findings": [1]}']
)
def test_damaged_baseline_is_an_error(text: str) -> None:
    Path("known.json").write_text(text)
    ran = run(["check", "clean.yaml", "--baseline", "known.json", "-q"])
    assert ran.code == 1
    assert "is no baseline" in ran.stderr


def test_write_baseline_needs_its_file() -> None:
    assert run(["check", "clean.yaml", "--write-baseline"]).code == 2


def test_several_inputs_get_a_table_on_stdout() -> None:
    ran = run(["check", "clean.yaml", "manual.yaml", "--to", "1.25.3"])
    assert (ran.code, ran.stderr) == (3, "")
    matches(
        ran.stdout,
        [
            "manual.yaml -> .*",
            "...",
            "input +result .*",
            "clean.yaml +ok .*",
            "manual.yaml +findings .*",
            "2 inputs: .*",
        ],
    )


def test_sarif_of_several_inputs_is_one_run() -> None:
    ran = run(
        ["check", "clean.yaml", "manual.yaml", "broken.yaml", "--report-format", "sarif", "--report", "r.sarif", "-q"]
    )
    assert ran.code == 1
    (only,) = json.loads(Path("r.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in only["results"]] == ["addon.kiali", "error"]


def test_what_was_not_read_is_not_missed() -> None:
    config(ALLOW + '\n[[allow]]\nrule = "x"\npath = "**"\nreason = "r"\nexpires = 9999-12-31\nfile = "broken.yaml"\n')
    assert run(["check", "manual.yaml", "inert.yaml", "--strict", "--baseline", "b.json", "--write-baseline"]).code == 0
    assert len(json.loads(Path("b.json").read_text())["findings"]) == 1
    ran = run(["check", "manual.yaml", "--baseline", "b.json", "--strict"])
    assert (ran.code, ran.stderr) == (0, "")
    # a hook passes what changed: of an allowance for any file nothing can be said
    ran = run(["check", "--only-operators", "clean.yaml", "--baseline", "b.json", "--strict"])
    assert (ran.code, ran.stderr) == (0, "")
    ran = run(["check", "clean.yaml"])
    assert "nothing is left for the allowance of addon.*" in ran.stderr
    assert "allowance of x" not in ran.stderr
    Path("inert.yaml").write_text(CLEAN)
    ran = run(["check", "inert.yaml", "--baseline", "b.json", "--strict"])
    assert "note: b.json: 1 finding is gone" in ran.stderr


def test_an_allowance_that_expired_fails_where_its_file_is_read() -> None:
    config(ALLOW + 'file = "manual.yaml"\n', expires="2020-02-29")
    assert (run(["check", "clean.yaml"]).code, run(["check", "clean.yaml", "manual.yaml", "-q"]).code) == (0, 3)


def test_inputs_that_pass_with_findings_show_them() -> None:
    ran = run(["check", "clean.yaml", "inert.yaml", "--to", "1.25.3"])
    assert ran.code == 0
    assert "inert.yaml:6:16: inert values.unread spec.values.kiali.enabled: " in ran.stdout
    assert "clean.yaml ->" not in ran.stdout
