"""What each release of Istio's charts, and istioctl, does: data, looked up by version.

>>> from istio_convert.catalog import resolve
>>> resolve("1.28.10").chart("gateway").reads(("lifecycle",))
True
>>> resolve("1.25.3").chart("gateway").reads(("lifecycle",))
False
"""

from __future__ import annotations

from istio_convert.catalog.catalog import Catalog, ReleaseInfo, Workload, newest, resolve, versions
from istio_convert.catalog.chart import ENDED_CHARTS, HELM_CHARTS, ISTIOCTL_CHARTS, ChartFacts
from istio_convert.catalog.closest import did_you_mean
from istio_convert.catalog.history import last_read
from istio_convert.catalog.refusals import Refusal
from istio_convert.catalog.skeleton import Skeleton
from istio_convert.catalog.trees import MISSING

__all__ = [
    "ENDED_CHARTS",
    "HELM_CHARTS",
    "ISTIOCTL_CHARTS",
    "MISSING",
    "Catalog",
    "ChartFacts",
    "Refusal",
    "ReleaseInfo",
    "Skeleton",
    "Workload",
    "did_you_mean",
    "last_read",
    "newest",
    "resolve",
    "versions",
]
