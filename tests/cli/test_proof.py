"""verify, convert --prove, charts: what the command line makes of the proof. The proof has tests of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from istio_convert import Conversion, Patch, Target
from istio_convert.cli import terminal
from istio_convert.errors import ChartsMissingError
from istio_convert.proving import Proof
from istio_convert.verify import Compared, Difference, Kind, Verification
from istio_convert.verify.manifests import ObjectId
from tests.cli.running import CLEAN, matches, run

CALLS: list[dict[str, Any]] = []


def verification(kind: Kind) -> Verification:
    difference = Difference(kind, "spec.replicas", 1, 2, "because")
    compared = Compared(ObjectId("apps", "Deployment", "istio-system", "istiod"), "pilot", "istiod", (difference,))
    return Verification("1.25.3", (compared,), "built-in istioctl 1.25.3")


@pytest.fixture
def proof(monkeypatch: pytest.MonkeyPatch):
    """Let the proof find a difference of a kind, and record how it was asked."""
    CALLS.clear()

    def install(kind: Kind) -> None:
        def verify(operators: Any, releases: Any, version: str, **how: Any) -> Verification:
            CALLS.append({"operators": operators, "releases": [r.name for r in releases], "version": version, **how})
            return verification(kind)

        monkeypatch.setattr("istio_convert.verify.verify", verify)

    return install


@pytest.mark.parametrize(("kind", "code"), [(Kind.UNEXPLAINED, 4), (Kind.RELEASE_LABEL, 0), (Kind.INJECTION, 0)])
def test_exit_code_is_the_verdict(proof, kind: Kind, code: int) -> None:
    proof(kind)
    ran = run(["verify", "clean.yaml", "--to", "1.25.3"])
    assert (ran.code, ran.stderr) == (code, "")
    assert ran.stdout.startswith("Istio 1.25.3: Helm against built-in istioctl 1.25.3\n")
    quiet = run(["verify", "clean.yaml", "--to", "1.25.3", "-q"])
    assert (quiet.code, quiet.stdout, quiet.stderr) == (code, "", "")


@pytest.mark.parametrize(("form", "start"), [("json", "{"), ("markdown", "# Proof"), ("text", "Istio ")])
def test_formats_hide_values_until_asked(proof, form: str, start: str) -> None:
    proof(Kind.UNEXPLAINED)
    ran = run(["verify", "clean.yaml", "--to", "1.25.3", "--format", form])
    assert ran.stdout.startswith(start)
    if form == "json":
        assert "istioctl" not in json.loads(ran.stdout)["objects"][0]["differences"][0]
        shown = run(["verify", "clean.yaml", "--to", "1.25.3", "--format", form, "--show-values"])
        assert json.loads(shown.stdout)["objects"][0]["differences"][0]["istioctl"] == 1


def test_options_reach_the_proof(proof) -> None:
    proof(Kind.EQUAL)
    Path("live.yaml").write_text("kind: List\n")
    args = ["--charts", "folder", "--reference", "live.yaml", "--keep-tags", "--helm-binary", "--set", "hub=a"]
    assert run(["verify", "clean.yaml", "--to", "1.25.3", *args, "-q"]).code == 0
    (call,) = CALLS
    assert call["operators"] == [("clean.yaml", CLEAN)]
    assert call["given"] == ("live.yaml", "kind: List\n")
    assert (call["charts"], call["keep_tags"], call["binary"], call["sets"]) == ("folder", True, True, ("hub=a",))


def test_reference_and_operator_cannot_both_be_standard_input() -> None:
    assert run(["verify", "-", "--reference", "-"], CLEAN).code == 2


@pytest.mark.parametrize(("kind", "code"), [(Kind.UNEXPLAINED, 4), (Kind.RELEASE_LABEL, 0)])
def test_convert_writes_what_the_proof_made_of_it(monkeypatch: pytest.MonkeyPatch, kind: Kind, code: int) -> None:
    asked: list[tuple[str, Any]] = []

    def prove(conversion: Conversion, *, charts: Any) -> Proof:
        asked.append((conversion.version, charts))
        istiod = next(release for release in conversion.releases if release.name == "istiod")
        target = Target("apps", "v1", "Deployment", "istiod", "istio-system")
        istiod.patches.append(Patch(target, [{"op": "add", "path": "/spec/paused", "value": True}], ("found",)))
        return Proof(conversion, verification(kind), 1)

    monkeypatch.setattr("istio_convert.proving.prove", prove)
    ran = run(["patched.yaml", "-o", "out", "--to", "1.25.3", "--prove", "--charts", "here"])
    assert ran.code == code
    matches(
        ran.stderr,
        ["patched.yaml -> .*", "...", "Istio 1.25.3: Helm against .*", "...", "1 objects: .*"],
    )
    assert "/spec/paused" in Path("out/istiod.yaml").read_text()
    assert asked == [("1.25.3", "here")]


def test_convert_without_charts_writes_nothing() -> None:
    Path("none").mkdir()
    ran = run(["patched.yaml", "-o", "out", "--to", "1.25.3", "--prove", "--charts", "none"])
    assert ran.code == 1
    assert "error: " in ran.stderr
    assert not Path("out").exists()


def test_missing_charts_are_an_error_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> Verification:
        raise ChartsMissingError("no charts of 1.25.3 on this machine", hint="istio-convert charts add PATH")

    monkeypatch.setattr("istio_convert.verify.verify", missing)
    ran = run(["verify", "clean.yaml", "-q"])
    assert ran.code == 1
    assert ran.stderr == "error: no charts of 1.25.3 on this machine\nhint: istio-convert charts add PATH\n"


def chart(folder: Path, name: str) -> None:
    (folder / name / "templates").mkdir(parents=True)
    (folder / name / "Chart.yaml").write_text(f"apiVersion: v2\nname: {name}\nversion: 1.25.3\n")
    (folder / name / "values.yaml").write_text("a: 1\n")


def test_charts_are_added_and_listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ISTIO_CONVERT_CHARTS", str(tmp_path / "cache"))
    assert run(["charts", "list"]).stdout == "release  proof  intact  charts\n"
    for name in ("base", "gateway"):
        chart(Path("mine"), name)
    added = run(["charts", "add", "mine"])
    assert (added.code, added.stdout, added.stderr) == (0, "1.25.3\n", "")
    matches(run(["charts", "list"]).stdout, ["release .*", r"1\.25\.3 +no +yes +base, gateway"])
    file = next((tmp_path / "cache" / "1.25.3").rglob("values.yaml"))
    file.write_text("a: 2\n")
    matches(run(["charts", "list"]).stdout, ["release .*", r"1\.25\.3 +no +no +base, gateway"])


def test_charts_that_are_none_are_an_error() -> None:
    Path("empty").mkdir()
    assert run(["charts", "add", "empty"]).code == 1
    assert run(["charts", "add", "missing"]).code == 2


def test_pull_asks_the_repository_that_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "istio_convert.verify.charts.pull",
        lambda version, *, repository, progress: asked.append((version, repository)) or version,
    )
    assert run(["charts", "pull", "1.25.3", "--repository", "http://localhost/charts"]).stdout == "1.25.3\n"
    assert run(["charts", "pull", "1.25.3"]).code == 0
    assert run(["charts", "pull", "1.25.3", "--repository", "oci"]).code == 0
    assert [repository.partition(":")[0] for _, repository in asked] == ["http", "https", "oci"]


def test_pull_says_what_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    def pull(version: str, *, repository: str, progress: Callable[[str, int, int | None], None]) -> str:
        for done in (10, 1234):
            progress("base", done, 1234)
        progress("cni", 7, None)
        return version

    monkeypatch.setattr("istio_convert.verify.charts.pull", pull)
    ran = run(["charts", "pull", "1.25.3"])
    assert (ran.stdout, ran.stderr) == ("1.25.3\n", "base: 1 kB\n")


def test_progress_on_a_terminal_is_one_line_that_changes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with terminal.Progress() as progress:
        progress.show("base", 10, 1234)
        progress.show("base", 1234, 1234)
        progress.show("cni", 7, None)
    clear = "\r\033[K"
    shown = f"{clear}base: 10 B of 1 kB{clear}base: 1 kB of 1 kB\n{clear}cni: 7 B\n"
    assert capsys.readouterr().err == shown


def test_catalog_is_built_from_folders_that_name_their_version(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Path]] = []
    monkeypatch.setattr(
        "istio_convert.catalog.build.update.updated",
        lambda folders, known: asked.append(folders) or {"catalog/a.json": "{}\n"},
    )
    for name in ("istio-1.25.3", "all/1.31.0-rc.0", "all/1.30.3", "nameless"):
        (Path(name) / "manifests").mkdir(parents=True)
    ran = run(["catalog", "build", "istio-1.25.3", "all", "-o", "data"])
    assert (ran.code, Path("data/catalog/a.json").read_text()) == (0, "{}\n")
    assert {version: folder.name for version, folder in asked[0].items()} == {
        "1.25.3": "istio-1.25.3",
        "1.30.3": "1.30.3",
        "1.31.0-rc.0": "1.31.0-rc.0",
    }
    assert run(["catalog", "build", "nameless", "-o", "data"]).code == 1


def test_a_proven_folder_holds_the_proof_until_it_is_written_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def prove(conversion: Conversion, *, charts: Any) -> Proof:
        return Proof(replace(conversion, proof="# Proof\n"), verification(Kind.RELEASE_LABEL), 1, ())

    monkeypatch.setattr("istio_convert.proving.prove", prove)
    folder, page = Path("out"), Path("out/PROOF.md")
    assert run(["clean.yaml", "-o", str(folder), "--prove", "-q"]).code == 0
    assert page.read_text(encoding="utf-8") == "# Proof\n"
    # a run that proves nothing has nothing to say about the page
    assert run(["clean.yaml", "--diff", str(folder), "-q"]).code == 0
    assert run(["clean.yaml", "-o", str(folder), "-q"]).code == 0
    assert not page.exists()
