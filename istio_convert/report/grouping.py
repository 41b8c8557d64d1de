"""Findings for people: an overlay of which all is said in one sentence is one finding, however many fields it has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from istio_convert.report.model import Entry

_OVERLAY = re.compile(r"(.*?\.overlays\[\d+\])\.")


def one_per_overlay(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries; those of one overlay with the same outcome and words become one, at the place of the first.

    Every field keeps its own entry in the report itself; with values shown, nothing is drawn together.
    """
    for _, alike in groupby(entries, key=_what_is_said):
        first, *others = alike
        overlay = _OVERLAY.match(first.path)
        if overlay is None or not others:
            yield first
            yield from others
        else:
            yield replace(first, path=f"{overlay[1]} ({1 + len(others)} fields)")


def _what_is_said(entry: Entry) -> tuple[object, ...]:
    """Equal for neighbours that may be drawn together."""
    overlay = _OVERLAY.match(entry.path)
    if overlay is None or entry.value is not None:
        return (entry.file, entry.document, entry.path)
    said = (entry.outcome, entry.rule, entry.reason, entry.action, entry.allowed, entry.derived)
    return (entry.file, entry.document, overlay[1], *said, *entry.places)
