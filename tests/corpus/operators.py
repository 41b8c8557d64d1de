"""Operators that people run, from a folder outside the project: the tests convert and prove each of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

VARIABLE = "ISTIO_CONVERT_CORPUS"
VERSIONS = ("1.22.8", "1.23.6", "1.24.6", "1.25.3", "1.26.8", "1.27.9", "1.28.10", "1.29.6", "1.30.3", "1.31.0")


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
