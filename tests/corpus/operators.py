"""Operators that people run, from a folder outside the project: the tests convert and prove each of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from istio_convert.catalog import versions

VARIABLE = "ISTIO_CONVERT_CORPUS"
#: the release that the documentation is written with stands for its minor version
_INSTEAD = {"1.25": "1.25.3"}
#: the newest release of each minor version, so that a release that is added is tested without a further change
VERSIONS = tuple({one.minor: _INSTEAD.get(one.minor, one.version) for one in versions()}.values())


def operators() -> list[Path]:
    """All operator files; empty when there is no corpus."""
    folder = os.environ.get(VARIABLE)
    return sorted(Path(folder).rglob("*.yaml")) if folder else []


def need_corpus() -> list[Path]:
    """The operator files, or a visible skip that says how to get them."""
    found = operators()
    if not found:
        pytest.skip(f"set {VARIABLE} to a folder of IstioOperator files")
    return found
