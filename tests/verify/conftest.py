"""Charts for the tests: a small release of our own, and the official ones where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from istio_convert.catalog import versions
from istio_convert.errors import ChartsMissingError
from istio_convert.verify.charts import ReleaseCharts, locate
from tests.corpus.operators import VERSIONS

from .small_release import write_release


def at_hand() -> tuple[str, ...]:
    """The releases of the catalog whose charts are in the cache, and those that the tests want in any case."""
    known = [release.version for release in versions()]
    return tuple(version for version in known if version in VERSIONS or _is_cached(version))


def _is_cached(version: str) -> bool:
    try:
        locate(version)
    except ChartsMissingError:
        return False
    return True


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty chart cache."""
    root = tmp_path / "cache"
    monkeypatch.setenv("ISTIO_CONVERT_CHARTS", str(root))
    return root


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """An unpacked release with small charts, as from source."""
    return write_release(tmp_path / "istio-1.25.3")


@pytest.fixture(params=VERSIONS)
def official(request: pytest.FixtureRequest) -> ReleaseCharts:
    """The official charts of one release; a visible skip with the command to get them otherwise."""
    return official_charts(request.param)


def official_charts(version: str) -> ReleaseCharts:
    try:
        charts = locate(version)
    except ChartsMissingError as error:
        pytest.skip(f"{error.message}: {error.hint}")
    if not charts.has_reference:
        pytest.skip(f"no unpacked release of {version} here: istio-convert charts add PATH")
    return charts
