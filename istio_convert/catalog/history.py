"""Since when a value is read by nothing: the catalog knows what the charts of older releases read."""

from __future__ import annotations

from functools import lru_cache

from istio_convert.catalog.catalog import Catalog, resolve, versions
from istio_convert.catalog.ranges import version_key
from istio_convert.paths import Path

_CHARTS = ("base", "istiod", "cni", "ztunnel", "istiod-remote")


@lru_cache(maxsize=4096)
def last_read(catalog: Catalog, path: Path) -> str:
    """The newest minor release before this one whose charts read a path; empty when none in the catalog does.

    Args:
        catalog: facts about a release of which no chart reads it.
        path: a path of values.
    """
    for minor in _older_minors(catalog.version):
        older = resolve(minor)
        for name in _CHARTS:
            if not older.has_chart(name):
                continue
            chart = older.chart(name)
            if chart.reads(path) and not chart.unread(path):
                return minor
    return ""


@lru_cache(maxsize=128)
def _older_minors(version: str) -> tuple[str, ...]:
    """The minor releases before that of a version, newest first."""
    own = version_key(version)[:2]
    found = [known.minor for known in versions() if version_key(known.version)[:2] < own]
    return tuple(dict.fromkeys(reversed(found)))
