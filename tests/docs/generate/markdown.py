"""Small pieces of Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars in cells are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in lines
    )


def code(text: str) -> str:
    """Text as code; nothing stays nothing. A bar, which would end a cell, stands as an entity."""
    if "|" in text:
        return f"<code>{html.escape(text, quote=False).replace('|', '&#124;')}</code>"
    return f"`{text}`" if text else ""


def prose(text: str) -> str:
    """A sentence of the code as a paragraph: reStructuredText's marks become Markdown's."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    text = text.replace("``", "`")
    return "".join(part if number % 2 else _plain(part) for number, part in enumerate(re.split(r"(`[^`]*`)", text)))


def _plain(text: str) -> str:
    return re.sub(r"([*_<\[\]])", r"\\\1", text)


def sentence(text: str) -> str:
    """With a full stop at its end, and a capital at its start unless it begins with a name."""
    text = text.strip()
    if not text:
        return ""
    if re.match(r"(?!istio|cni|ztunnel)[a-z]+ ", text):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."
