"""The charts of Istio releases on this machine: a cache, ways into it, and how to read what is in it."""

from __future__ import annotations

from istio_convert.verify.charts.add import add
from istio_convert.verify.charts.cache import CachedRelease, cache_root, intact, listing, locate
from istio_convert.verify.charts.layout import ReleaseCharts
from istio_convert.verify.charts.pull import OFFICIAL_REGISTRY, OFFICIAL_REPOSITORY, pull

__all__ = [
    "OFFICIAL_REGISTRY",
    "OFFICIAL_REPOSITORY",
    "CachedRelease",
    "ReleaseCharts",
    "add",
    "cache_root",
    "intact",
    "listing",
    "locate",
    "pull",
]
