"""The report of a conversion and its renderings.

One model (:mod:`~istio_convert.report.model`), built once (:mod:`~istio_convert.report.building`); every rendering is a
pure function over it. Values of the input never appear unless asked for.
"""

from __future__ import annotations

from istio_convert.report.building import build, failed
from istio_convert.report.formats import FORMATS, Format, View, format_for, render
from istio_convert.report.model import (
    Entry,
    Input,
    Problem,
    ReleaseSummary,
    Report,
    Target,
    Totals,
    json_schema,
)
from istio_convert.report.open_points import todo

__all__ = [
    "FORMATS",
    "Entry",
    "Format",
    "Input",
    "Problem",
    "ReleaseSummary",
    "Report",
    "Target",
    "Totals",
    "View",
    "build",
    "failed",
    "format_for",
    "json_schema",
    "render",
    "todo",
]
