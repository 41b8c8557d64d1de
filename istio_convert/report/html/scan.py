"""YAML text -> lines cut into pieces: structure, keys, values, aliases, comments; for both sides of the page.

What is not known to be structure or a key counts as a value or a comment, so that masking can only hide too much.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from istio_convert.paths import Path
from istio_convert.source.compose import Alias, Collection, Raw, compose

#: as the YAML parser counts lines
_LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_PROPERTIES = re.compile(r"(?:[&!]\S*\s*)+")
_GAP = re.compile(
    r"(?P<comment>(?:^|(?<=\s))\#.*)"
    r"|(?P<structure>[\s?:,\[\]{}-]+|[&!]\S*|\.\.\.)"
    r"|(?P<unknown>[^\s]+)"
)


class Kind(Enum):
    """What a piece of a line is."""

    STRUCTURE = "structure"
    KEY = "key"
    VALUE = "value"
    EMPTY = "empty"
    ALIAS = "alias"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Span:
    """A key, a value, an empty collection or an alias. Lines and columns count from 0.

    Attributes:
        kind: what it is.
        path: of the node, from the root of its document; a key and its value have the same.
        document: number of the document.
        start: line and column as the parser gives them: at the anchor or tag when there is one.
        end: line and column behind it.
        properties: whether an anchor or a tag stands before the text.
    """

    kind: Kind
    path: Path
    document: int
    start: tuple[int, int]
    end: tuple[int, int]
    properties: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of one line.

    Attributes:
        kind: what it is.
        text: as it stands.
        span: index of its span; -1 without one.
        continued: whether the span began on a line before.
    """

    kind: Kind
    text: str
    span: int = -1
    continued: bool = False


@dataclass(slots=True)
class Scanned:
    """A text, line by line.

    Attributes:
        lines: the pieces of each line; joined they are the line.
        spans: in the order of the text.
        parents: for each line the line that it hangs on (its key, its list item), always an earlier one; -1 for none.
    """

    lines: list[list[Piece]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)


def scan(text: str, name: str) -> Scanned:
    """Cut a YAML text.

    Args:
        text: what :func:`istio_convert.source.refusals.decode` returned, or what the writer wrote.
        name: for the error.

    Raises:
        YamlError: it is no YAML, or is nested too deeply.
    """
    raw_lines = _LINE_BREAK.split(text)
    if raw_lines and not raw_lines[-1]:
        raw_lines.pop()
    walker = _Walker([-1] * (len(raw_lines) + 1))
    for document, root in enumerate(compose(text, name)):
        walker.document = document
        walker.visit(root, (), -1)
    scanned = Scanned([[] for _ in raw_lines], walker.spans, walker.parents[: len(raw_lines)])
    _cut(raw_lines, scanned)
    return scanned


class _Walker:
    """Collects the spans. The composer bounds the depth, so recursion is safe."""

    def __init__(self, parents: list[int]) -> None:
        self.spans: list[Span] = []
        self.parents = parents
        self.document = 0

    def visit(self, raw: Raw, path: Path, context: int) -> None:
        if isinstance(raw, Alias):
            self._add(Kind.ALIAS, raw.event, path, context)
        elif not isinstance(raw, Collection):
            self._add(Kind.VALUE, raw, path, context)
        elif not raw.items:
            self._add(Kind.EMPTY, raw.event, path, context)
        elif raw.is_map:
            pairs = iter(raw.items)
            for key, value in zip(pairs, pairs, strict=True):
                self._pair(key, value, path, context)
        else:
            for number, item in enumerate(raw.items):
                line = self._line(item)
                self._hang(line, context)
                self.visit(item, (*path, number), line)

    def _pair(self, key: Raw, value: Raw, path: Path, context: int) -> None:
        event: Any = key.event if isinstance(key, Alias | Collection) else key
        line = event.start_mark.line
        named = key.target if isinstance(key, Alias) else key
        text = named.value if not isinstance(named, Collection) else "?"
        below = (*path, str(text))
        self._add(Kind.ALIAS if isinstance(key, Alias) else Kind.KEY, event, below, context)
        self.visit(value, below, line)

    @staticmethod
    def _line(raw: Raw) -> int:
        event: Any = raw.event if isinstance(raw, Alias | Collection) else raw
        line: int = event.start_mark.line
        return line

    def _hang(self, line: int, context: int) -> None:
        if context < line and self.parents[line] < 0:
            self.parents[line] = context

    def _add(self, kind: Kind, event: Any, path: Path, context: int) -> None:
        start = (event.start_mark.line, event.start_mark.column)
        end = (event.end_mark.line, event.end_mark.column)
        has_properties = kind is not Kind.ALIAS and (event.anchor is not None or event.tag is not None)
        if kind is Kind.VALUE and not (event.value or event.style or has_properties):
            end = start  # the pure parser puts the end of an empty value on the next line
        self.spans.append(Span(kind, path, self.document, start, end, has_properties))
        last = end[0] - 1 if end[1] == 0 and end[0] > start[0] else end[0]
        for line in range(start[0], min(last, len(self.parents) - 1) + 1):
            self._hang(line, context if line == start[0] or context >= 0 else start[0])


def _cut(raw_lines: list[str], scanned: Scanned) -> None:
    done = [0] * len(raw_lines)  # how far each line is covered
    for number, span in enumerate(scanned.spans):
        first, column = span.start
        last, behind = span.end
        for line in range(first, min(last, len(raw_lines) - 1) + 1):
            text = raw_lines[line]
            start = column if line == first else len(text) - len(text.lstrip(" "))
            end = behind if line == last else len(text)
            if span.kind is Kind.EMPTY:
                start, end = _brackets(text, column)
            start = max(start, done[line])
            end = max(end, start)
            if end == start and not (span.start == span.end or span.kind is Kind.EMPTY):
                continue  # a block scalar ends at the start of the line behind it
            if span.properties and line == first and (match := _PROPERTIES.match(text, start, end)):
                start = match.end()
            _gap(text[done[line] : start], done[line], scanned.lines[line])
            scanned.lines[line].append(Piece(span.kind, text[start:end], number, line > first))
            done[line] = end
    for line, text in enumerate(raw_lines):
        _gap(text[done[line] :], done[line], scanned.lines[line])


def _brackets(text: str, column: int) -> tuple[int, int]:
    """Where ``{}`` or ``[]`` stands, behind its anchor or tag; a pair that spans lines ends with its first line."""
    opening = min((found for char in "{[" if (found := text.find(char, column)) >= 0), default=len(text))
    closing = min((found for char in "}]" if (found := text.find(char, opening)) >= 0), default=len(text) - 1)
    if text[opening + 1 : closing].strip():
        closing = opening  # something stands between: a comment, which the gap behind it masks
    return opening, max(closing + 1, opening)


def _gap(text: str, column: int, pieces: list[Piece]) -> None:
    """Cut what stands between two spans."""
    if not text:
        return
    if column == 0 and text.startswith(("%YAML ", "%TAG ")):
        pieces.append(Piece(Kind.STRUCTURE, text))
        return
    for match in _GAP.finditer(text):
        kind = Kind.STRUCTURE if match.lastgroup == "structure" else Kind.COMMENT
        pieces.append(Piece(kind, match[0]))
