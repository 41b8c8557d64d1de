"""The chart repository that the render tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .charts import own_charts, serve


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve(tmp_path_factory.mktemp("charts"), own_charts()) as url:
        yield url
