"""Bugs of ours, colours, interrupts, closed pipes, and how little is imported for help."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import istio_convert
from istio_convert.errors import InternalError
from tests.cli.running import CLEAN, matches, run

PROGRAM = [sys.executable, "-m", "istio_convert"]


def explode(*_: object, **__: object) -> None:
    raise KeyError("a value of the input")


@pytest.mark.parametrize(
    "args", [["clean.yaml"], ["check", "clean.yaml", "-q"], ["clean.yaml", "--separate", "-o", "x", "-q"]]
)
def test_unexpected_exception_is_a_bug_without_values(args: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("istio_convert.api.convert", explode)
    ran = run(args)
    assert (ran.code, ran.stdout) == (70, "")
    assert "internal error: KeyError" in ran.stderr
    assert "please report it" in ran.stderr
    assert "a value of the input" not in ran.stderr
    assert "Traceback" not in ran.stderr


def test_debug_shows_where_a_bug_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("istio_convert.api.convert", explode)
    assert "Traceback (most recent call last)" in run(["clean.yaml", "--debug"]).stderr


def test_internal_error_has_its_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise InternalError("the ledger does not add up")

    monkeypatch.setattr("istio_convert.api.convert", fail)
    ran = run(["clean.yaml", "-q"])
    assert ran.code == 70
    matches(ran.stderr, ["error: the ledger does not add up", "hint: this is a bug .* please report it"])


def test_many_issues_are_all_said_up_to_a_limit() -> None:
    lines = [f"      - {{name: g{number}, enabled: true, k8s: {{env: {{}}}}}}" for number in range(25)]
    head = CLEAN.split("spec:")[0] + "spec:\n  components:\n    ingressGateways:\n"
    Path("bad.yaml").write_text(head + "\n".join(lines) + "\n")
    ran = run(["bad.yaml", "-q"])
    assert ran.code == 1
    errors = [line for line in ran.stderr.splitlines() if line.startswith("error: bad.yaml:")]
    assert len(errors) == 20
    assert "error: and 5 more" in ran.stderr


@pytest.mark.parametrize(
    ("args", "env", "coloured"),
    [
        (["--color", "always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "auto"], {}, False),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"ISTIO_CONVERT_COLOR": "always"}, True),
    ],
)
def test_colours(args: list[str], env: dict[str, str], coloured: bool) -> None:
    ran = run(["manual.yaml", "-o", "out", *args], env=env)
    assert ("\x1b[" in ran.stderr) is coloured
    assert ("\x1b[" in run(["broken.yaml", *args], env=env).stderr) is coloured


def test_terminal_gets_colours_unless_no_color_is_set() -> None:
    pty = pytest.importorskip("pty")

    def shown(env: dict[str, str]) -> bytes:
        leader, follower = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", **env}
        done = subprocess.run(
            [*PROGRAM, "check", "manual.yaml"], stdout=follower, stderr=follower, env=environment, check=False
        )
        os.close(follower)
        output = b""
        try:
            while chunk := os.read(leader, 65536):
                output += chunk
        except OSError:
            pass
        os.close(leader)
        assert done.returncode == 3
        return output

    assert b"\x1b[" in shown({})
    assert b"\x1b[" not in shown({"NO_COLOR": "1"})
    assert b"\x1b[" not in shown({"TERM": "dumb"})


def test_module_runs_as_a_program() -> None:
    done = subprocess.run([*PROGRAM, "-", "-q"], input=CLEAN.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"apiVersion: source.toolkit.fluxcd.io/v1\n")


@pytest.mark.parametrize(
    "args", [["clean.yaml", "-q"], ["rules", "--format", "json"], ["--help"], ["check", "clean.yaml"]]
)
def test_closed_stdout_is_quiet(args: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROGRAM, *args], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def interrupted() -> tuple[int, str]:
    """Convert many operators and interrupt that on its way; again when it was done before the signal came."""
    command = [*PROGRAM, "op*.yaml", "--separate", "-o", "out", "-q"]
    for _ in range(5):
        shutil.rmtree("out", ignore_errors=True)
        process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
        while not Path("out").is_dir() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.1)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=120)
        if process.returncode:
            break
    return process.returncode, stderr.decode().strip()


def test_interrupt_leaves_whole_folders_only() -> None:
    for number in range(300):
        Path(f"op{number:03}.yaml").write_text(CLEAN)
    assert interrupted() == (130, "interrupted; nothing is half-written")
    written = sorted(Path("out").iterdir())
    assert 0 < len(written) < 300
    for folder in written:
        assert not folder.name.startswith("."), "a folder that was being written is left over"
        assert (folder / ".istio-convert.json").is_file()
        assert (folder / "report.json").is_file()


def test_help_imports_neither_the_library_nor_what_it_needs() -> None:
    """The package itself is replaced by an empty one: what the command line imports is looked at alone."""
    code = """
import sys, types
package = types.ModuleType("istio_convert")
package.__path__ = [sys.argv[1]]
package.__version__ = "0"
sys.modules["istio_convert"] = package
sys.argv[1:] = sys.argv[2:]
from istio_convert.cli.main import main
try:
    main()
except SystemExit as leave:
    heavy = {"pydantic", "ruamel", "jsonschema", "deepdiff", "istio_convert.api", "istio_convert.emit"}
    heavy |= {"istio_convert.report", "istio_convert.verify", "istio_convert.mapping", "istio_convert.catalog"}
    print(leave.code, sorted(heavy & set(sys.modules)), file=sys.stderr)
"""
    folder = str(Path(istio_convert.__file__).parent)
    for args in (["--help"], ["convert", "--help"], ["check", "--help"], ["rules", "--help"], ["completion", "bash"]):
        done = subprocess.run([sys.executable, "-c", code, folder, *args], capture_output=True, text=True, check=False)
        assert done.stderr == "0 []\n", args


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("check manual.yaml --fail", "--fail-on"),
        ("operator.yaml --targ", "--target"),
        ("ru", "rules"),
        ("clea", "file"),
    ],
)
def test_completion_knows_options_of_the_default_command(words: str, expected: str) -> None:
    count = len(words.split())
    env = {"_ISTIO_CONVERT_COMPLETE": "bash_complete", "COMP_WORDS": f"istio-convert {words}", "COMP_CWORD": str(count)}
    done = subprocess.run([*PROGRAM], env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert expected in done.stdout
