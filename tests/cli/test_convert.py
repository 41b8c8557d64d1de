from __future__ import annotations

import json
from pathlib import Path

import pytest

from istio_convert import Source, convert
from istio_convert.cli.settings import EMIT_FIELDS, TARGETS
from istio_convert.emit import EMITTERS, EmitOptions
from istio_convert.source import read
from tests.cli.running import CLEAN, HEAD, INERT, MANUAL, PATCHED, matches, run


def contents(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_folder_holds_what_the_library_gives() -> None:
    assert run(["patched.yaml", "-o", "out", "--to", "1.25.3", "-q"]).code == 0
    files = convert(Source("patched.yaml", PATCHED), to="1.25.3").files()
    found = contents(Path("out"))
    assert found.pop(".istio-convert.json")
    assert found == files


def test_stream_is_the_objects_of_the_folder_in_order() -> None:
    stream = run(["patched.yaml", "--to", "1.25.3", "-q"]).stdout
    kinds = [document.root.items["kind"].value for document in read(stream, "stream")]
    assert kinds == ["HelmRepository", "HelmRelease", "HelmRelease", "HelmRelease"]


def test_second_run_changes_nothing_and_the_diff_is_empty() -> None:
    run(["patched.yaml", "-o", "out", "--to", "1.25.3", "-q"])
    before = Path("out/istiod.yaml").stat()
    assert run(["patched.yaml", "-o", "out", "--to", "1.25.3", "-q"]).code == 0
    assert Path("out/istiod.yaml").stat().st_mtime_ns == before.st_mtime_ns
    assert run(["patched.yaml", "--diff", "out", "--to", "1.25.3", "-q"]) == run(["versions", "-h"]).__class__(
        0, "", ""
    )


def test_diff_shows_what_would_change_and_writes_nothing() -> None:
    run(["patched.yaml", "-o", "out", "--to", "1.25.3", "-q"])
    before = contents(Path("out"))
    ran = run(["patched.yaml", "--diff", "out", "--to", "1.26.8", "-q"])
    assert ran.code == 4
    assert "-      version: 1.25.3\n+      version: 1.26.8\n" in ran.stdout
    assert contents(Path("out")) == before
    assert run(["clean.yaml", "--diff", "nowhere", "-q"]).code == 4
    assert not Path("nowhere").exists()


@pytest.mark.parametrize("target", TARGETS)
def test_the_diff_is_of_what_is_applied_not_of_the_pages(target: str, tmp_path: Path) -> None:
    args = ["--to", "1.25.3", "--target", target, "-q"]
    assert run(["patched.yaml", "-o", "out", *args]).code == 0
    Path("elsewhere").mkdir()
    for name in ("elsewhere/patched.yaml", str(tmp_path / "patched.yaml")):
        Path(name).write_text("# a comment\n\n" + PATCHED)
        ran = run([name, "--diff", "out", *args])
        assert (ran.code, ran.stdout) == (0, ""), name
    Path("changed.yaml").write_text(PATCHED.replace("high", "low"))
    ran = run(["changed.yaml", "--diff", "out", *args])
    assert ran.code == 4
    assert "low" in ran.stdout
    assert "REPORT.md" not in ran.stdout


def test_foreign_files_are_refused_without_force_and_the_report_is_shown_all_the_same() -> None:
    Path("out").mkdir()
    Path("out/mine.txt").write_text("mine")
    ran = run(["manual.yaml", "-o", "out", "--to", "1.25.3"])
    assert ran.code == 1
    matches(ran.stderr, ["manual.yaml -> .*", ".*addon.kiali.*", "...", r"error: .*mine\.txt", "hint: .*--force.*"])
    assert contents(Path("out")) == {"mine.txt": "mine"}
    assert run(["manual.yaml", "-o", "out", "--force", "-q"]).code == 0
    assert Path("out/mine.txt").read_text() == "mine"


def test_findings_do_not_keep_the_output_from_being_written() -> None:
    assert run(["manual.yaml", "-o", "out", "--fail-on", "manual", "-q"]).code == 3
    assert Path("out/istiod.yaml").exists()


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("r.json", "{"),
        ("r.md", "# manual"),
        ("r.sarif", '{\n  "$schema"'),
        ("r.xml", "<?xml"),
        ("r.txt", "manual.yaml ->"),
    ],
)
def test_report_file_has_the_format_of_its_name(name: str, start: str) -> None:
    run(["manual.yaml", "-o", "out", "--report", name, "-q", "--color", "always"])
    assert Path(name).read_text().startswith(start)


def test_report_file_tells_of_a_failed_conversion() -> None:
    assert run(["broken.yaml", "-o", "out", "--report", "r.json", "-q"]).code == 1
    errors = json.loads(Path("r.json").read_text())["errors"]
    assert errors[0]["file"] == "broken.yaml"
    assert not Path("out").exists()


def test_report_file_that_cannot_be_written_is_an_error() -> None:
    ran = run(["clean.yaml", "-o", "out", "--report", "no/such/r.json", "-q"])
    assert ran.code == 1
    matches(ran.stderr, [r"error: no/such/r\.json cannot be written: .*"])


def test_values_are_hidden_until_asked_for() -> None:
    secret = "accessLogFile"
    for shown in (False, True):
        args = ["clean.yaml", "-o", "out", "--report", "r.json", "-q", *(["--show-values"] if shown else [])]
        assert run(args).code == 0
        for name in ("r.json", "out/report.json", "out/REPORT.md"):
            assert secret in Path(name).read_text()
            assert ("/dev/stdout" in Path(name).read_text()) is shown, name


def test_several_operators_of_one_run_are_one_mesh() -> None:
    Path("gateway.yaml").write_text(
        HEAD + "metadata: {name: gateways}\nspec:\n  profile: empty\n  components:\n    ingressGateways:\n"
        "      - {name: edge, enabled: true, namespace: edge}\n"
    )
    Path("plane.yaml").write_text(HEAD + "metadata: {name: plane}\nspec: {profile: minimal}\n")
    assert run(["plane.yaml", "gateway.yaml", "-o", "out", "-q"]).code == 0
    releases = {path for path in contents(Path("out")) if path.endswith(".yaml")}
    assert releases == {"kustomization.yaml", "source.yaml", "istio-base.yaml", "istiod.yaml", "edge.yaml"}
    inputs = json.loads(Path("out/report.json").read_text())["inputs"]
    assert [item["name"] for item in inputs] == ["plane.yaml", "gateway.yaml"]


def test_folders_and_globs_stand_for_the_operators_in_them() -> None:
    Path("ops/deep/.hidden").mkdir(parents=True)
    Path("ops/a.yaml").write_text(CLEAN)
    Path("ops/deep/b.yml").write_text(MANUAL)
    Path("ops/deep/.hidden/c.yaml").write_text(INERT)
    Path("ops/values.yaml").write_text("pilot: {}\n")
    Path("ops/notes.txt").write_text(CLEAN)
    for argument in ("ops", "ops/**/*.y*ml", "./ops"):
        report = run(["check", argument, "--report-format", "json"])
        names = [data["inputs"][0]["name"] for data in json.loads(report.stdout)["reports"]]
        assert [name.removeprefix("./") for name in names] == ["ops/a.yaml", "ops/deep/b.yml"]
    Path("none").mkdir()
    ran = run(["none", "-q"])
    assert (ran.code, ran.stderr.splitlines()[0]) == (
        1,
        "error: none: no file with an IstioOperator among 0 YAML files",
    )


def test_an_input_given_twice_is_read_once() -> None:
    data = json.loads(run(["check", "clean.yaml", "clean.yaml", "--report-format", "json"]).stdout)
    assert len(data["inputs"]) == 1


def test_emitter_options_reach_the_emitter() -> None:
    ran = run(
        [
            "clean.yaml",
            "-q",
            "--chart-source",
            "oci",
            "--flux-namespace",
            "flux-system",
            "--interval",
            "7m",
            "--to",
            "1.25.3",
        ]
    )
    assert "oci://" in ran.stdout
    assert "namespace: flux-system" in ran.stdout
    assert "interval: 7m" in ran.stdout


OF_ANOTHER_TARGET = [
    (["--target", "helm", "--argocd-path", "x"], "--argocd-path is for --target argocd; the target is helm"),
    (["--argocd-layout", "applications"], "--argocd-layout is for --target argocd; the target is flux"),
    (["--target", "helmfile", "--flux-namespace", "x"], "--flux-namespace is for --target flux"),
    (["--target", "helmfile", "--no-flux-chart-ref"], "--flux-chart-ref is for --target flux"),
    (["--target", "argocd", "--interval", "7m"], "--interval is for --target flux"),
    (["--target", "argocd", "--drift-detection"], "--drift-detection is for --target flux"),
    (
        ["--target", "argocd", "--disable-take-ownership"],
        "--disable-take-ownership is for --target flux, helmfile, helm",
    ),
]


@pytest.mark.parametrize("command", [[], ["plan", "--from", "1.22.8", "--to", "1.23.6"]])
@pytest.mark.parametrize(("options", "message"), OF_ANOTHER_TARGET)
def test_an_option_of_another_target_is_a_wrong_use(command: list[str], options: list[str], message: str) -> None:
    ran = run([*command, "clean.yaml", "-o", "out", *options])
    assert ran.code == 2
    assert message in ran.stderr
    assert not Path("out").exists()


def test_the_environment_may_hold_options_of_all_targets() -> None:
    ran = run(["clean.yaml", "-q"], env={"ISTIO_CONVERT_ARGOCD_PROJECT": "mesh"})
    assert ran.code == 0
    assert "HelmRelease" in ran.stdout


def test_option_tables_know_all_targets_and_options_of_the_emitters() -> None:
    assert set(TARGETS) == set(EMITTERS)
    not_asked_for = {"charts", "todo", "upgrade", "proven", "plan_root"}
    assert set(EMIT_FIELDS) == set(EmitOptions.__dataclass_fields__) - not_asked_for


def test_help_lists_exit_codes_and_commands_without_the_hidden_ones() -> None:
    ran = run(["--help"])
    for text in ("Exit codes:", "  70  a bug", "check ", "verify ", "explain "):
        assert text in ran.stdout
    assert "catalog" not in ran.stdout
