"""Text of the input on its way into HTML: what it may contain, and what it may not do there."""

from __future__ import annotations

import json
from html import escape as _escape
from typing import Any
from urllib.parse import quote

MASK = "••••"
#: what a fragment may hold as it stands; the rest is percent-encoded
_FRAGMENT = "/:@.-_~[]=,$"


def visible(text: str) -> str:
    """The text with control, format and private characters written out, so that none reorders or hides a line."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\t\u00a0\u3000" else _code(char) for char in text)


def _code(char: str) -> str:
    number = ord(char)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def html(text: str) -> str:
    """The text for an element or for an attribute in double quotes."""
    return _escape(visible(text))


def fragment(text: str) -> str:
    """The text as part of an id that is also what stands behind ``#`` in a link to it."""
    return quote(text.encode("utf-8", "backslashreplace"), safe=_FRAGMENT)


def script_data(data: Any) -> str:
    """Data as JSON that cannot end the script element that it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text.encode("utf-8", "backslashreplace").decode()


class Names:
    """Hands out names that are unique on the page: ``spec.hub``, then ``spec.hub~2``."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, wanted: str) -> str:
        """The name, with a number when it is taken."""
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}~{number}"
        self._taken.add(name)
        return name
