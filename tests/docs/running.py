"""Runs the blocks of a page in a folder, as a reader would, and compares what they show."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from istio_convert.errors import ChartsMissingError
from istio_convert.verify.charts import cache_root, locate
from tests.docs.pages import ROOT, Block, blocks

_ANY = "..."


class Page:
    """A page and the folder in which its blocks run, in order; a block runs once."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self._blocks = [block for block in blocks(name) if block.does_something]
        self._done: dict[int, BaseException | None] = {}
        self._globals: dict[str, Any] = {"__name__": "__main__"}

    def run(self, wanted: Block) -> None:
        """Run a block after those before it; what it raises is raised again when it is asked for again."""
        for block in self._blocks:
            if block.line not in self._done:
                self._done[block.line] = self._attempt(block)
            if block.line == wanted.line:
                if (error := self._done[block.line]) is not None:
                    raise error
                return

    def _attempt(self, block: Block) -> BaseException | None:
        try:
            self._act(block)
        except (AssertionError, pytest.skip.Exception) as error:
            return error
        return None

    def _act(self, block: Block) -> None:
        for value in block.all("copy"):
            source, target = value.split(" ")
            (self.folder / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / source, self.folder / target)
        self._check_needs(block)
        for name in block.all("file"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(block.text, encoding="utf-8")
        for name in block.all("excerpt"):
            whole = (self.folder / name).read_text(encoding="utf-8")
            compare(block.text, whole, anywhere=True)
        if block.language == "console":
            for command, shown in commands(block):
                self._console(block, command, shown)
        elif block.language == "python" and not block.all("rule"):
            self._shell(f"{sys.executable} -W error -", block.text)
        elif block.language == "pycon":
            self._session(block)

    def _check_needs(self, block: Block) -> None:
        if (reason := block.condition("skip")) is not None:
            pytest.skip(reason or "not for a test")
        if (version := block.condition("charts")) is not None:
            pytest.importorskip("helm_python")
            try:
                charts = locate(version)
            except ChartsMissingError:
                pytest.skip(f"needs the charts of Istio {version}: istio-convert charts add istio-{version}")
            if not charts.has_reference:
                pytest.skip(f"needs an unpacked release of Istio {version}")
        if (program := block.condition("program")) is not None and shutil.which(program, path=_path()) is None:
            pytest.skip(f"needs {program}")

    def _console(self, block: Block, command: str, shown: str) -> None:
        code, output = self._shell(command)
        wanted = int(block.condition("exit") or 0)
        assert code == wanted, f"{command}: exit code {code}\n{output}"
        if shown:
            compare(shown, output)

    def _session(self, block: Block) -> None:
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            test = doctest.DocTestParser().get_doctest(block.text, self._globals, block.page, block.page, block.line)
            self._globals = test.globs
            told: list[str] = []
            doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append, clear_globs=False)
        finally:
            os.chdir(before)
        assert not told, "".join(told)

    def _shell(self, command: str, stdin: str = "") -> tuple[int, str]:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("ISTIO_CONVERT_")}
        environment |= {"PATH": _path(), "ISTIO_CONVERT_CHARTS": str(cache_root()), "NO_COLOR": "1"}
        environment.pop("COLUMNS", None)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment,
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
        )
        if stdin:
            assert done.returncode == 0, done.stdout
        return done.returncode, done.stdout


def _path() -> str:
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


def commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a block, each with the output that is shown below it."""
    found: list[tuple[str, str]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line}", "")
        elif found:
            found[-1] = (found[-1][0], f"{found[-1][1]}{line}\n")
        else:
            raise AssertionError(f"{block.page}:{block.line}: output before any command")
    return found


def compare(shown: str, real: str, *, anywhere: bool = False) -> None:
    """Check that what is shown is real, line by line; a line ``...`` stands for any lines, also for none."""
    expression = "" if not anywhere else r"(?:.*\n)*"
    for line in shown.splitlines():
        expression += r"(?:.*\n)*" if line.strip() == _ANY else re.escape(line.rstrip()) + r"[ ]*\n"
    if anywhere:
        expression += r"(?:.*\n)*"
    lines = "".join(f"{line}\n" for line in real.splitlines())
    if re.fullmatch(expression, lines) is None:
        missing = [line for line in shown.splitlines() if line.strip() != _ANY and line not in real.splitlines()]
        seen = real if not anywhere else "another file"
        raise AssertionError("not as shown:\n" + "\n".join(missing or ["another order"]) + f"\n-- but --\n{seen}")
