"""The folder on disk: whole or not at all, and never over somebody else's work."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from istio_convert.emit import writer
from istio_convert.emit.changes import diff, plan_changes
from istio_convert.emit.marker import MARKER, YOURS, read_marker
from istio_convert.emit.writer import write
from istio_convert.errors import InvalidNameError, OutputError, OutputExistsError

FIRST = {"kustomization.yaml": "a: 1\n", "values/istiod.yaml": "b: ${X} 😀  \n"}
SECOND = {"kustomization.yaml": "a: 2\n", "README.md": "# hello\n"}


def content(folder: Path) -> dict[str, str]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() or path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes().decode() for path in found if path.name != MARKER}


def siblings(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.parent.iterdir())


def test_a_new_folder_with_its_parents(tmp_path: Path) -> None:
    out = tmp_path / "clusters" / "prod" / "istio"
    changes = write(out, FIRST)
    assert changes.added == ("kustomization.yaml", "values/istiod.yaml")
    assert content(out) == FIRST
    assert siblings(out) == ["istio"]


def test_the_second_run_replaces_the_first(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, FIRST)
    changes = write(out, SECOND)
    assert (changes.added, changes.changed, changes.removed) == (
        ("README.md",),
        ("kustomization.yaml",),
        ("values/istiod.yaml",),
    )
    assert content(out) == SECOND
    assert not (out / "values").exists()
    assert siblings(out) == ["out"]


def test_the_same_again_touches_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, FIRST)
    before = out.stat().st_ino, (out / "kustomization.yaml").stat().st_mtime_ns
    assert not write(out, FIRST)
    assert (out.stat().st_ino, (out / "kustomization.yaml").stat().st_mtime_ns) == before


def test_the_marker_has_no_time_and_ignores_line_ends(tmp_path: Path) -> None:
    write(tmp_path / "one", FIRST)
    write(tmp_path / "two", FIRST)
    assert (tmp_path / "one" / MARKER).read_bytes() == (tmp_path / "two" / MARKER).read_bytes()
    assert set(json.loads((tmp_path / "one" / MARKER).read_text())["files"]) == set(FIRST)
    (tmp_path / "one" / "kustomization.yaml").write_bytes(b"a: 1\r\n")
    assert not plan_changes(tmp_path / "one", FIRST).changed
    write(tmp_path / "one", SECOND)
    assert content(tmp_path / "one") == SECOND


def test_scripts_are_executable_and_other_files_are_not(tmp_path: Path) -> None:
    write(tmp_path / "out", {"install.sh": "#!/usr/bin/env bash\n", "values.yaml": "a: 1\n"})
    assert os.access(tmp_path / "out" / "install.sh", os.X_OK)
    assert not (tmp_path / "out" / "values.yaml").stat().st_mode & 0o111


@pytest.mark.parametrize("name", ["notes.txt", "sub/deep.yaml", "kustomization.yaml"])
def test_files_of_others_are_refused(tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    (out / name).parent.mkdir(parents=True)
    (out / name).write_text("mine\n")
    with pytest.raises(OutputExistsError, match=name):
        write(out, FIRST)
    assert content(out) == {name: "mine\n"}
    assert siblings(out) == ["out"]


def test_hand_edits_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, FIRST)
    (out / "values" / "istiod.yaml").write_text("edited\n")
    for files in (SECOND, FIRST):
        with pytest.raises(OutputExistsError, match="edited"):
            write(out, files)
    write(out, SECOND, force=True)
    assert content(out) == SECOND


def test_an_edit_that_is_what_we_would_write_is_no_edit(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, FIRST)
    (out / "kustomization.yaml").write_text(SECOND["kustomization.yaml"])
    write(out, {**FIRST, "kustomization.yaml": SECOND["kustomization.yaml"]})
    write(out, SECOND)
    assert content(out) == SECOND


NOTED = {"a.md": f"# one\n\n{YOURS}\n", "b.md": "plain\n"}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_a_reader_writes_into_their_part_stays(tmp_path: Path, end: str) -> None:
    out = tmp_path / "out"
    write(out, NOTED)
    noted = (NOTED["a.md"] + "\nmine: ü\n").replace("\n", end)
    (out / "a.md").write_bytes(noted.encode())
    assert not write(out, NOTED)
    assert (out / "a.md").read_bytes().decode() == noted
    new = {**NOTED, "a.md": f"# two\n\n{YOURS}\n"}
    for force in (False, True):
        write(out, new, force=force)
        assert (out / "a.md").read_text(encoding="utf-8") == f"# two\n\n{YOURS}\n\nmine: ü\n"
        assert not plan_changes(out, new)


def test_above_their_part_it_is_an_edit_and_so_is_removing_the_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, NOTED)
    (out / "a.md").write_text(f"# one!\n\n{YOURS}\nmine\n", encoding="utf-8")
    assert plan_changes(out, {**NOTED, "a.md": f"# two\n\n{YOURS}\n"}).edited == ("a.md",)
    (out / "a.md").write_text(NOTED["a.md"] + "mine\n", encoding="utf-8")
    with pytest.raises(OutputExistsError, match=r"a\.md"):
        write(out, {"b.md": "plain\n"})
    (out / "a.md").write_text(NOTED["a.md"], encoding="utf-8")
    assert write(out, {"b.md": "plain\n"}).removed == ("a.md",)


def test_a_part_that_is_no_text_is_not_lost(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, NOTED)
    (out / "a.md").write_bytes(NOTED["a.md"].encode() + b"\xff\n")
    with pytest.raises(OutputError, match="not UTF-8"):
        write(out, {**NOTED, "a.md": f"# two\n\n{YOURS}\n"})
    assert (out / "a.md").read_bytes().endswith(b"\xff\n")


def test_force_keeps_the_files_of_others(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / ".git").mkdir(parents=True)
    (out / ".git" / "HEAD").write_text("ref\n")
    (out / "values").write_text("a file where we need a folder\n")
    (out / "link").symlink_to("/etc/hostname")
    (out / "kustomization.yaml").write_text("theirs\n")
    write(out, FIRST, force=True)
    assert (out / ".git" / "HEAD").read_text() == "ref\n"
    assert (out / "link").is_symlink()
    assert (out / "values" / "istiod.yaml").read_text() == FIRST["values/istiod.yaml"]
    assert (out / "kustomization.yaml").read_text() == FIRST["kustomization.yaml"]
    assert not plan_changes(out, FIRST)


def test_a_link_as_the_folder_is_refused(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "out").symlink_to(real, target_is_directory=True)
    for force in (False, True):
        with pytest.raises(OutputError, match="symbolic link"):
            write(tmp_path / "out", FIRST, force=force)
    assert list(real.iterdir()) == []


@pytest.mark.parametrize("force", [False, True])
def test_links_inside_are_never_followed(tmp_path: Path, force: bool) -> None:
    outside, out = tmp_path / "outside", tmp_path / "out"
    outside.mkdir()
    (outside / "istiod.yaml").write_text("not yours\n")
    out.mkdir()
    (out / "values").symlink_to(outside, target_is_directory=True)
    (out / "kustomization.yaml").symlink_to(outside / "istiod.yaml")
    assert "not yours" not in diff(out, FIRST)
    if force:
        write(out, FIRST, force=True)
        assert content(out) == FIRST
        assert not (out / "values").is_symlink()
    else:
        with pytest.raises(OutputExistsError):
            write(out, FIRST)
    assert content(outside) == {"istiod.yaml": "not yours\n"}


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "a/../b", "a//b", "", ".hidden", "a b", "a'b", "a\nb", "a\\b", "-rf"]
)
def test_paths_that_leave_the_folder_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(InvalidNameError):
        write(tmp_path / "out", {path: "x"})
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(OutputError, match="no folder"):
        write(tmp_path / "out", FIRST, force=True)


def test_the_current_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "out" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    for folder in (".", tmp_path / "out"):
        with pytest.raises(OutputError, match="current folder"):
            write(folder, FIRST, force=True)
    write("below", FIRST)
    assert content(inner / "below") == FIRST


def test_a_special_file_is_not_lost(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    os.mkfifo(out / "pipe")
    with pytest.raises(OutputError, match="pipe"):
        write(out, FIRST, force=True)
    assert (out / "pipe").exists()
    assert siblings(out) == ["out"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_full_or_read_only_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    out = tmp_path / "out"
    write(out, FIRST)

    def fail(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(writer.os, "fsync", fail)
    with pytest.raises(OutputError, match=os.strerror(number)):
        write(out, SECOND)
    assert content(out) == FIRST
    assert siblings(out) == ["out"]


def test_a_parent_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError):
        write(tmp_path / "file" / "out", FIRST)


def test_a_damaged_marker(tmp_path: Path) -> None:
    write(tmp_path / "out", FIRST)
    for text in ("{", "[]", '{"format": 99, "files": {}}', '{"format": 1, "files": []}'):
        (tmp_path / "out" / MARKER).write_text(text)
        with pytest.raises(OutputError, match=MARKER):
            write(tmp_path / "out", SECOND)
    assert content(tmp_path / "out") == FIRST


RENAMES_OF_A_REPLACEMENT = 2


@pytest.mark.parametrize("rename", range(RENAMES_OF_A_REPLACEMENT))
@pytest.mark.parametrize("before", [True, False])
def test_killed_at_a_rename(tmp_path: Path, rename: int, before: bool) -> None:
    """A process that dies right before or after any rename leaves the old or the new folder for the next run."""
    out = tmp_path / "out"
    write(out, FIRST)
    script = f"""
import os, pathlib
from istio_convert.emit.writer import write
real, count = pathlib.Path.rename, 0
def rename(self, to):
    global count
    count += 1
    if count - 1 == {rename} and {before}: os._exit(9)
    real(self, to)
    if count - 1 == {rename}: os._exit(9)
pathlib.Path.rename = rename
write({str(out)!r}, {SECOND!r})
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9
    assert siblings(out) != ["out"]
    third = {"kustomization.yaml": "a: 3\n"}
    write(out, third)
    assert content(out) == third
    assert siblings(out) == ["out"]


def test_killed_between_the_renames_the_old_folder_comes_back(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, FIRST)
    out.rename(tmp_path / ".out.istio-convert-old")
    with pytest.raises(InvalidNameError):
        write(out, {"../x": ""})
    assert not out.exists()
    assert not write(out, FIRST)
    assert content(out) == FIRST
    assert siblings(out) == ["out"]


def test_a_left_over_beside_a_folder_of_others(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, FIRST)
    out.rename(tmp_path / ".out.istio-convert-old")
    out.mkdir()
    with pytest.raises(OutputError, match="left over"):
        write(out, SECOND)
    assert content(tmp_path / ".out.istio-convert-old") == FIRST


def test_two_runs_at_once(tmp_path: Path) -> None:
    out = tmp_path / "out"
    script = f"""
import sys, pathlib
from istio_convert.emit.writer import _locked
out = pathlib.Path({str(out)!r})
with _locked(out.with_name('.out.istio-convert-lock'), out):
    print('held', flush=True)
    sys.stdin.read()
"""
    holder = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(OutputError, match="another run"):
            write(out, FIRST)
        assert not out.exists()
        assert holder.stdin is not None
        holder.stdin.close()
        holder.wait(timeout=30)
    write(out, FIRST)
    assert siblings(out) == ["out"]


def test_a_lock_file_of_a_dead_run_does_not_hold(tmp_path: Path) -> None:
    (tmp_path / ".out.istio-convert-lock").write_text("")
    write(tmp_path / "out", FIRST)
    assert siblings(tmp_path / "out") == ["out"]


def test_the_diff(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert diff(out, {"a.yaml": "x: 1\n"}) == "--- /dev/null\n+++ b/a.yaml\n@@ -0,0 +1 @@\n+x: 1\n"
    write(out, {"a.yaml": "x: 1\ny: 2\n", "b.yaml": "z\u2028: 3"})
    assert diff(out, {"a.yaml": "x: 1\ny: 2\n", "b.yaml": "z\u2028: 3"}) == ""
    assert diff(out, {"a.yaml": "x: 1\ny: 3\n"}) == (
        "--- a/a.yaml\n+++ b/a.yaml\n@@ -1,2 +1,2 @@\n x: 1\n-y: 2\n+y: 3\n"
        "--- a/b.yaml\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\u2028: 3\n\\ No newline at end of file\n"
    )
    (out / "foreign.yaml").write_text("x\n")
    assert diff(out, {"a.yaml": "x: 1\ny: 2\n", "b.yaml": "z\u2028: 3"}) == ""
    assert read_marker(out) is not None
