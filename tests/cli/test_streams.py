"""Standard streams that are full, closed or cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = f"{sys.executable} -m istio_convert"
FULL = Path("/dev/full")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="redirections of a POSIX shell")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """Run the program with redirections."""
    return subprocess.run(["/bin/sh", "-c", f"{PROGRAM} {line}"], capture_output=True, text=True, check=False)


@needs_full
@pytest.mark.parametrize(
    "args",
    [
        "clean.yaml -q",
        "convert patched.yaml -q",
        "clean.yaml -q -o out --report -",
        "check manual.yaml",
        "check manual.yaml clean.yaml --report-format json",
        "explain components.pilot.k8s.affinity",
        "rules",
        "rules --format json",
        "versions",
        "schema report",
        "completion bash",
        "--help",
        "check --help",
        "--version",
    ],
)
def test_full_stdout_is_an_output_error(args: str) -> None:
    done = shell(f"{args} >/dev/full")
    assert (done.returncode, done.stderr) == (1, "error: stdout cannot be written: No space left on device\n")


def test_stdout_that_is_open_for_reading_only_is_an_output_error() -> None:
    done = shell("clean.yaml -q 1</dev/null")
    assert (done.returncode, done.stderr) == (1, "error: stdout cannot be written: Bad file descriptor\n")


@needs_full
@pytest.mark.parametrize(
    ("args", "code"), [("clean.yaml", 1), ("broken.yaml", 1), ("--no-such-option", 2), ("check clean.yaml", 0)]
)
def test_full_stderr_shows_in_the_code(args: str, code: int) -> None:
    done = shell(f"{args} 2>/dev/full")
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ("clean.yaml", 0),
        ("manual.yaml --fail-on manual -o out", 3),
        ("check manual.yaml", 3),
        ("broken.yaml", 1),
        ("--no-such-option", 2),
        ("--help", 0),
    ],
)
def test_closed_streams_drop_what_goes_there(args: str, code: int) -> None:
    usual = shell(args)
    assert usual.returncode == code
    for closed in (">&-", "2>&-", "<&- >&- 2>&-"):
        done = shell(f"{args} {closed}")
        assert done.returncode == code, closed
        assert done.stdout == ("" if ">&-" in closed.split() else usual.stdout), closed
        assert done.stderr == ("" if "2>&-" in closed else usual.stderr), closed


def test_nothing_gets_into_a_file_by_the_descriptor_of_a_closed_stream() -> None:
    assert shell("manual.yaml -o usual --report usual.json").returncode == 0
    assert shell("manual.yaml -o out --report out.json >&- 2>&-").returncode == 0
    assert Path("out.json").read_bytes() == Path("usual.json").read_bytes()
    for file in Path("usual").rglob("*.yaml"):
        assert (Path("out") / file.relative_to("usual")).read_bytes() == file.read_bytes()


def test_closed_stdin_is_an_empty_operator() -> None:
    done = shell("- -q <&-")
    assert (done.returncode, done.stderr.splitlines()[0]) == (1, "error: the input is empty")


def test_stdin_that_is_open_for_writing_only_is_an_input_error() -> None:
    done = shell("- -q 0>written")
    assert done.returncode == 1
    assert done.stderr.startswith("error: -: cannot be read: ")
