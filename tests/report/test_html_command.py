"""``convert --html FILE``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import run

from .samples import OPERATOR, SECRET


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "operator.yaml").write_text(OPERATOR)
    (tmp_path / "broken.yaml").write_text("spec: [")
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("shown", [False, True])
def test_it_writes_the_page_beside_the_output(shown: bool) -> None:
    args = ["operator.yaml", "--to", "1.25.3", "-o", "out", "--html", "page.html", "--fail-on", "never", "-q"]
    ran = run([*args, *(["--show-values"] if shown else [])])
    assert (ran.code, ran.stdout, ran.stderr) == (0, "", "")
    page = Path("page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page.endswith("</html>\n")
    assert (SECRET in page) == shown
    assert sorted(path.name for path in Path("out").iterdir() if path.suffix == ".html") == []


def test_it_works_without_a_folder() -> None:
    ran = run(["operator.yaml", "--to", "1.25.3", "--html", "page.html", "--fail-on", "never", "-q"])
    assert ran.code == 0
    assert "kind: HelmRelease" in ran.stdout
    assert Path("page.html").is_file()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--html", "-"], "--html writes a file"),
        (["--html", "out/page.html", "-o", "out"], "in the output folder"),
        (["--html", "page.html", "-o", "out", "--separate"], "one mesh"),
    ],
)
def test_a_page_that_cannot_be_is_refused_before_anything_is_written(args: list[str], message: str) -> None:
    ran = run(["operator.yaml", *args])
    assert ran.code == 2
    assert message in ran.stderr
    assert not Path("out").exists()
    assert not Path("page.html").exists()


def test_a_page_that_cannot_be_written_is_an_error() -> None:
    ran = run(["operator.yaml", "--to", "1.25.3", "-o", "out", "--html", "none/page.html", "-q"])
    assert ran.code == 1
    assert "none/page.html cannot be written" in ran.stderr


def test_an_operator_that_cannot_be_read_leaves_no_page() -> None:
    ran = run(["broken.yaml", "-o", "out", "--html", "page.html", "-q"])
    assert ran.code == 1
    assert not Path("page.html").exists()
