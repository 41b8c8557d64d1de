"""Reads a page back, as a browser would: its lines, its links, its data."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "br", "input"}


@dataclass
class Line:
    """One line of a panel: its classes, its sign, its text with and without values, the entries on it."""

    side: str
    classes: list[str]
    attributes: dict[str, str]
    sign: str = ""
    shown: str = ""
    full: str = ""
    entries: list[int] = field(default_factory=list)
    links: list[dict[str, str]] = field(default_factory=list)


class Page(HTMLParser):
    """A parsed page.

    Attributes:
        lines: of both sides, in order.
        panels: the lines of each ``code`` element.
        tags: how often each tag occurs.
        attributes: names of all attributes.
        ids: all ids.
        hrefs: all link targets.
        data: what the script reads.
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[Line] = []
        self.panels: list[list[Line]] = []
        self.tags: dict[str, int] = {}
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.hrefs: list[str] = []
        self.scripts: list[str] = []
        self._stack: list[tuple[str, dict[str, str]]] = []
        self._side = ""
        self._value: str | None = None
        self.feed(text)
        self.close()
        assert not self._stack, f"not closed: {self._stack}"
        self.data: dict[str, Any] = json.loads(self.scripts[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes |= set(found)
        if "id" in found:
            self.ids.append(found["id"])
        if "href" in found:
            self.hrefs.append(found["href"])
        if tag in VOID:
            return
        self._stack.append((tag, found))
        classes = found.get("class", "").split()
        if found.get("id") in ("source", "result"):
            self._side = found["id"]
        if tag == "script":
            self.scripts.append("")
        if "code" in classes:
            self.panels.append([])
        if "l" in classes:
            line = Line(self._side, classes, found)
            self.lines.append(line)
            self.panels[-1].append(line)
        elif tag in ("a", "i") and self._in_code():
            self._value = found.get("data-v")
            if "data-e" in found:
                self.lines[-1].entries += [int(number) for number in found["data-e"].split()]
                self.lines[-1].links.append(found)
            if self._value is not None:
                self.lines[-1].full += self._value

    def handle_endtag(self, tag: str) -> None:
        while self._stack:
            open_tag, _ = self._stack.pop()
            if open_tag == tag:
                break
        if tag in ("a", "i"):
            self._value = None

    def handle_data(self, data: str) -> None:
        if self._stack and self._stack[-1][0] == "script":
            self.scripts[-1] += data
        elif self._in_code():
            self.lines[-1].shown += data
            if self._value is None:
                self.lines[-1].full += data
        elif self._stack and self._stack[-1][0] == "b" and "l" in self._classes(-2):
            self.lines[-1].sign += data

    def _classes(self, depth: int) -> list[str]:
        return self._stack[depth][1].get("class", "").split() if len(self._stack) >= -depth else []

    def _in_code(self) -> bool:
        """Whether the current place is the text of a line."""
        for depth in (-1, -2):
            if len(self._stack) > -depth and self._stack[depth][0] == "code" and "l" in self._classes(depth - 1):
                return True
        return False

    def side(self, name: str) -> list[Line]:
        """The lines of ``source`` or ``result``."""
        return [line for line in self.lines if line.side == name]

    def on(self, side: str, entry: int) -> list[Line]:
        """The lines that stand for an entry."""
        return [line for line in self.side(side) if entry in line.entries]
