"""Findings for people: what is said in one sentence is one finding, however many fields it is about.

That is an overlay of which all is said in one sentence, and what stands below a name that is no field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from istio_convert.report.model import Entry

_OVERLAY = re.compile(r"(.*?\.overlays\[\d+\])\.")
_STEP = re.compile(r"(?<!\\)(?=[.\[])")
#: the rule about names that are no field
_UNKNOWN = "unknown"


def drawn_together(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries; neighbours of one overlay, or below one unknown name, with the same words become one, as the first.

    Every field keeps its own entry in the report itself; with values shown, nothing is drawn together.
    """
    for _, alike in groupby(entries, key=_what_is_said):
        first, *others = alike
        if others:
            yield replace(first, path=f"{_shared([first, *others])} ({1 + len(others)} fields)")
        else:
            yield first


def _shared(entries: Sequence[Entry]) -> str:
    """The path that entries have in common."""
    overlay = _OVERLAY.match(entries[0].path)
    if overlay is not None:
        return overlay[1]
    common = []
    for step, *others in zip(*(_STEP.split(entry.path) for entry in entries), strict=False):
        if any(other != step for other in others):
            break
        common.append(step)
    return "".join(common)


def _what_is_said(entry: Entry) -> tuple[object, ...]:
    """Equal for neighbours that may be drawn together."""
    overlay = _OVERLAY.match(entry.path)
    if entry.value is not None or (overlay is None and entry.rule != _UNKNOWN):
        return (entry.file, entry.document, entry.path)
    said = (entry.outcome, entry.rule, entry.reason, entry.action, entry.allowed, entry.derived)
    return (entry.file, entry.document, overlay[1] if overlay else "", *said, *entry.places)
