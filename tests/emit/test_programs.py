"""The script that builds the clients of the render tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from .programs import need, run

SCRIPT = Path(__file__).with_name("install-clients.sh")
NAMES = ("helm3", "helm4", "kustomize", "helmfile")


def test_the_script_is_clean() -> None:
    run([need("bash"), "-n", SCRIPT])
    run([need("shellcheck"), "--enable=all", "--exclude=SC2250,SC2310,SC2312,SC2249", SCRIPT])


def test_what_was_not_installed_is_said_with_the_reason(tmp_path: Path) -> None:
    env = {**os.environ, "BUDGET": "0.01s", "HOME": str(tmp_path)}
    done = subprocess.run([SCRIPT, tmp_path / "clients"], capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 1
    complaints = done.stderr.splitlines()
    assert [line.split(": ")[:2] for line in complaints] == [[name, "NOT INSTALLED"] for name in NAMES]
    assert all(line.endswith(("longer than 0.01s", "no Go toolchain")) for line in complaints)
    assert not [file for file in (tmp_path / "clients").iterdir() if not file.name.startswith(".")]


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    """A program is the pinned one when what it was built from stands beside it."""
    functions = run(
        [need("bash"), "-c", f'source <(sed "/^# client NAME/,$ d" {SCRIPT}); declare -f {" ".join(NAMES)}']
    )
    recipes = functions.split("}\n")
    for name, recipe in zip(NAMES, recipes, strict=False):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        (tmp_path / f".{name}").write_text(f"{recipe}}}\n")
    done = subprocess.run(
        [SCRIPT, tmp_path], capture_output=True, text=True, check=False, env={**os.environ, "BUDGET": "0.01s"}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (tmp_path / ".kustomize").write_text("another version")
    done = subprocess.run(
        [SCRIPT, tmp_path], capture_output=True, text=True, check=False, env={**os.environ, "BUDGET": "0.01s"}
    )
    assert done.stderr.startswith("kustomize: NOT INSTALLED")
