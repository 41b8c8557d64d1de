"""Panels as HTML: one element per line, in blocks that a browser can leave out while they are not in view."""

from __future__ import annotations

from dataclasses import dataclass, field

from istio_convert.ledger import Outcome
from istio_convert.paths import Path, render
from istio_convert.report.html.model import Panel
from istio_convert.report.html.scan import Kind, Piece, Span
from istio_convert.report.html.text import MASK, Names, fragment, html

#: the sign of each outcome; colour alone tells some people nothing
SIGNS = {outcome: outcome.value[0].upper() for outcome in Outcome}
#: the sign of a line that the program added
ADDED = "+"

_RANK = {outcome: number for number, outcome in enumerate(Outcome)}
_BLOCK = 50
_LONG = 60
_CLASSES = {Kind.KEY: "k", Kind.VALUE: "v", Kind.EMPTY: "y", Kind.ALIAS: "r", Kind.COMMENT: "c"}
_MASKED = (Kind.VALUE, Kind.COMMENT)


@dataclass(slots=True)
class LineWriter:
    """Writes panels as lines and remembers which anchors it gave away.

    Attributes:
        outcomes: of each entry of the ledger.
        keys: what stands behind ``#e=`` in each entry's deep link.
        show_values: put the values into the page, behind its switch.
        anchors: identity of a panel and index of a span -> id of its line; filled by :meth:`output`.
    """

    outcomes: list[Outcome]
    keys: list[str]
    show_values: bool
    anchors: dict[tuple[int, int], str] = field(default_factory=dict)
    _names: Names = field(default_factory=Names)
    _placed: set[int] = field(default_factory=set)

    def source(self, panel: Panel) -> str:
        """A panel of the left side. Each line has the most severe outcome of what stands on it."""
        scanned = panel.scanned
        found = [
            {self.outcomes[entry] for piece in pieces for entry in panel.links.get(piece.span, ())}
            for pieces in scanned.lines
        ]
        inner = _inherited(found, scanned.parents)
        lines = []
        for number, pieces in enumerate(scanned.lines):
            if found[number]:
                worst = max(found[number], key=_RANK.__getitem__)
                state, sign = worst.value, SIGNS[worst]
            else:
                state, sign = " ".join(["s", *(("in", *inner[number]) if len(inner[number]) == 1 else ())]), ""
            body = "".join(self._source_piece(panel, piece) for piece in pieces)
            lines.append(_line(panel, number, state, sign, f' data-n="{number + 1}"', body))
        return _blocks(lines)

    def output(self, panel: Panel, prefix: str, outcome: Outcome) -> str:
        """A panel of the right side.

        Args:
            panel: the panel.
            prefix: of the ids of its lines, such as ``istiod/``.
            outcome: of its linked lines; other lines with a value were added by the program.
        """
        scanned = panel.scanned
        keys = _linked_keys(panel)
        lines = []
        for number, pieces in enumerate(scanned.lines):
            covering = [_covering(keys, scanned.spans[piece.span]) for piece in pieces if _is_value(panel, piece)]
            if any(piece.span in panel.links for piece in pieces) or any(line >= 0 for line in covering):
                state, sign = outcome.value, SIGNS[outcome]
            else:
                state, sign = ("added", ADDED) if covering else ("s", "")
            anchor = self._anchor(panel, pieces, prefix)
            attributes = f' id="{anchor}"' if anchor else ""
            if (nearest := max(covering, default=-1)) >= 0:
                attributes += f' data-p="{number - nearest}"'
            body = "".join(self._output_piece(panel, piece, outcome) for piece in pieces)
            lines.append(_line(panel, number, state, sign, attributes, body))
        return _blocks(lines)

    def _anchor(self, panel: Panel, pieces: list[Piece], prefix: str) -> str:
        spans = [piece.span for piece in pieces if piece.span >= 0 and not piece.continued]
        if not spans:
            return ""
        path = render(panel.scanned.spans[spans[0]].path)
        anchor = self._names.take("o=" + fragment(prefix + path))
        for span in spans:
            self.anchors[id(panel), span] = anchor
        return anchor

    def _source_piece(self, panel: Panel, piece: Piece) -> str:
        entries = panel.links.get(piece.span)
        if not entries:
            return self._unlinked(panel, piece)
        first = entries[0]
        name = ""
        if piece.kind is not Kind.ALIAS and not piece.continued and first not in self._placed:
            self._placed.add(first)
            name = f' id="e={self.keys[first]}"'
        label = f"{_last(panel.scanned.spans[piece.span])}: {self.outcomes[first].value}"
        return self._linked(panel, piece, entries, self.outcomes[first], name, label)

    def _output_piece(self, panel: Panel, piece: Piece, outcome: Outcome) -> str:
        entries = panel.links.get(piece.span)
        if not entries:
            return self._unlinked(panel, piece)
        label = f"{_last(panel.scanned.spans[piece.span])}: from {_count(len(entries))} of the operator"
        return self._linked(panel, piece, entries, outcome, "", label)

    def _linked(self, panel: Panel, piece: Piece, entries: list[int], outcome: Outcome, name: str, label: str) -> str:
        text, hidden = self._text(panel, piece)
        kind = f"{_CLASSES[piece.kind]} t {outcome.value}"
        numbers = " ".join(map(str, entries))
        if piece.continued:
            return f'<i class="{kind}" data-e="{numbers}"{hidden}>{text}</i>'
        link = f'href="#e={self.keys[entries[0]]}" data-e="{numbers}" aria-label="{html(label)}"'
        return f'<a class="{kind}"{name} {link}{hidden}>{text}</a>'

    def _unlinked(self, panel: Panel, piece: Piece) -> str:
        if piece.kind is Kind.STRUCTURE:
            return html(piece.text)
        text, hidden = self._text(panel, piece)
        return f'<i class="{_CLASSES[piece.kind]}"{hidden}>{text}</i>'

    def _text(self, panel: Panel, piece: Piece) -> tuple[str, str]:
        """The text to show, and the attribute that holds the hidden one."""
        text = html(piece.text)
        if piece.kind not in _MASKED or not piece.text or piece.span in panel.plain:
            return text, ""
        mask = f"# {MASK}" if piece.kind is Kind.COMMENT else MASK
        return mask, f' data-v="{text}"' if self.show_values else ""


def _inherited(found: list[set[Outcome]], parents: list[int]) -> list[set[str]]:
    """For each line the outcomes on it and on the lines that hang on it."""
    inner: list[set[str]] = [{outcome.value for outcome in outcomes} for outcomes in found]
    for number in range(len(parents) - 1, -1, -1):
        if parents[number] >= 0:
            inner[parents[number]] |= inner[number]
    return inner


def _linked_keys(panel: Panel) -> dict[Path, int]:
    """The keys that come from the operator, with their lines."""
    spans = panel.scanned.spans
    return {spans[number].path: spans[number].start[0] for number in panel.links if spans[number].kind is Kind.KEY}


def _covering(keys: dict[Path, int], span: Span) -> int:
    """The line of the nearest key above a value that comes from the operator; -1 when there is none."""
    if keys:
        for depth in range(len(span.path), 0, -1):
            if (line := keys.get(span.path[:depth])) is not None:
                return line
    return -1


def _is_value(panel: Panel, piece: Piece) -> bool:
    return piece.kind in (Kind.VALUE, Kind.EMPTY) and piece.span not in panel.plain


def _line(panel: Panel, number: int, state: str, sign: str, attributes: str, body: str) -> str:
    parent = panel.scanned.parents[number]
    if parent >= 0:
        attributes += f' data-u="{number - parent}"'
    text = "".join(piece.text for piece in panel.scanned.lines[number])
    if len(text) > _LONG:
        attributes += f' style="--i:{len(text) - len(text.lstrip(" -")) + 2}"'
    return f'<div class="l {state}"{attributes}><b>{sign}</b><code>{body}</code></div>'


def _blocks(lines: list[str]) -> str:
    parts = [lines[start : start + _BLOCK] for start in range(0, len(lines), _BLOCK)]
    return "".join(f'<div class="block" style="--n:{len(part)}">{"".join(part)}</div>\n' for part in parts)


def _last(span: Span) -> str:
    """The last key of a path, with what follows it: ``ports[0]``."""
    keys = [number for number, step in enumerate(span.path) if isinstance(step, str)]
    return render(span.path[keys[-1] :] if keys else span.path) or "document"


def _count(number: int) -> str:
    return "1 field" if number == 1 else f"{number} fields"
