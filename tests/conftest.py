"""Options of the whole test run."""

from __future__ import annotations

import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the expected files under fixtures/")


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether to rewrite expected files; never under CI, where it would hide what it should show."""
    wanted = bool(request.config.getoption("--update-golden"))
    if wanted and os.environ.get("CI"):
        pytest.exit("--update-golden is not for CI", returncode=2)
    return wanted
