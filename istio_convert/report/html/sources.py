"""The left side: the operators as they were read, each value with the entries that account for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

from istio_convert.ledger import Entry
from istio_convert.report.html.model import Converted, Panel
from istio_convert.report.html.scan import Kind, Piece, Scanned, Span, scan
from istio_convert.source.refusals import decode

SETS = "--set"

_Places: TypeAlias = "dict[tuple[str, int, int], list[int]]"


def source_panels(conversion: Converted) -> list[Panel]:
    """A panel per input in the order given, and one for the ``--set`` flags when there are any."""
    places = _places(conversion.ledger.entries)
    panels = []
    for source in conversion.sources:
        panel = Panel(source.name, scan(decode(source.text, source.name), source.name))
        _link(panel, source.name, places)
        panels.append(panel)
    if conversion.sets:
        panel = Panel(SETS, _flags(conversion.sets))
        _link(panel, SETS, places)
        panels.append(panel)
    return panels


def _places(entries: tuple[Entry, ...]) -> _Places:
    """Where each entry stands in the inputs, aliases included."""
    places: _Places = defaultdict(list)
    for number, entry in enumerate(entries):
        leaf = entry.leaf
        for origin in (leaf.origin, *leaf.via):
            places[origin.file, origin.line, origin.column].append(number)
    return places


def _link(panel: Panel, file: str, places: _Places) -> None:
    for number, span in enumerate(panel.scanned.spans):
        if span.kind is not Kind.KEY:
            line, column = span.start
            for entry in places.get((file, line + 1, column + 1), ()):
                panel.link(number, entry)


def _flags(flags: Sequence[str]) -> Scanned:
    """One line per flag: ``--set path=value``."""
    scanned = Scanned()
    for line, flag in enumerate(flags):
        path, _, text = flag.partition("=")
        path, text = path.strip(), text.strip()
        column = len(path) + 1
        scanned.spans.append(Span(Kind.KEY, (path,), 0, (line, 0), (line, len(path))))
        scanned.spans.append(Span(Kind.VALUE, (path,), 0, (line, column), (line, column + len(text))))
        scanned.lines.append(
            [Piece(Kind.KEY, path, 2 * line), Piece(Kind.STRUCTURE, "="), Piece(Kind.VALUE, text, 2 * line + 1)]
        )
        scanned.parents.append(-1)
    return scanned
