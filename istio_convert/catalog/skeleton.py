"""The objects that a chart renders with default values: which there are, and which places in them are set."""

from __future__ import annotations


class Skeleton:
    """The objects of one chart at one version."""

    def __init__(self, chart: str, version: str) -> None:
        self.chart = chart
        self.version = version
