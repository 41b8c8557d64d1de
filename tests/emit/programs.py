"""The real clients, where they are installed; a test that needs a missing one skips and says which."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import pytest

#: where install-clients.sh puts them
CLIENTS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "istio-convert" / "clients"
BUILT = frozenset({"helm", "kustomize", "helmfile"})


@lru_cache
def _find(name: str) -> str | None:
    for folder in (Path(sys.executable).parent, CLIENTS):
        if (folder / name).is_file():
            return str(folder / name)
    return shutil.which(name)


@lru_cache
def _helm(major: int) -> str | None:
    """``helm3``/``helm4``, or ``helm`` when it is of that version."""
    for name in (f"helm{major}", "helm"):
        if (found := _find(name)) and run([found, "version", "--template", "{{.Version}}"]).startswith(f"v{major}"):
            return found
    return None


def how(name: str) -> str:
    return "tests/emit/install-clients.sh builds it" if name in BUILT else "pip install -e '.[render,dev]' brings it"


def need(name: str) -> str:
    if found := _find(name):
        return found
    pytest.skip(f"{name} is not installed; {how(name)}")


def need_helm(major: int) -> str:
    if found := _helm(major):
        return found
    pytest.skip(f"Helm {major} is not installed (helm{major}, or helm of that version); {how('helm')}")


def run(command: Sequence[str | os.PathLike[str]], *, stdin: str = "", env: dict[str, str] | None = None) -> str:
    """What a program prints; its complaints when it fails."""
    result = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, env=env, timeout=300)
    assert result.returncode == 0, f"{command[0]}: {result.stderr}"
    return result.stdout
