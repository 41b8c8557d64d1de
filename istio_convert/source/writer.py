"""The one YAML writer: plain data in, the same bytes always, and text that Go and other readers take for that data.

Two spaces of indentation, lists indented below their key, no folding, no anchors, keys in the order given. Strings get
double quotes only where a reader would take them for something else, and become block literals when they have lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from istio_convert.errors import OutputError
from istio_convert.source.scalars import UNPRINTABLE, needs_quotes, number_text

_STEP = 2
# libyaml gives up on a key that has no colon within 1024 characters.
_LONGEST_KEY = 1000
_FLOW_SPECIAL = frozenset(",[]{}:?")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_TO_ESCAPE = re.compile(f'["\\\\]|{UNPRINTABLE.pattern}')
_SURROGATE = re.compile("[\ud800-\udfff]")
# What a block literal cannot hold safely: unprintable characters, blanks at the end of a line, tabs before its text.
_NOT_LITERAL = re.compile(f"(?![\n\t]){UNPRINTABLE.pattern}|[ \t](?:\n|$)|(?:\n|^)[ ]*\t")

Comment: TypeAlias = "str | Sequence[str]"


@dataclass(frozen=True, slots=True)
class Commented:
    """A map value or list item with comment lines above it (above its key, or above its dash).

    Attributes:
        value: the data.
        comment: one text or several; each line of them becomes a comment line.
    """

    value: Any
    comment: str | tuple[str, ...]


class Literal(str):
    """A string written as a block literal (``|``) even if it has one line; quoted if a literal would alter it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Flow:
    """A map or list to be written on one line: ``{kind: HelmRepository, name: istio}``.

    What holds a :class:`Commented`, or a key of a thousand characters, is written as a block all the same.
    """

    value: Any


def dump(data: Any, *, comments: Comment = ()) -> str:
    r"""Write one document.

    Args:
        data: dict (text keys), list, tuple, str, int, float, bool or None, nested; with :class:`Commented`,
            :class:`Literal` and :class:`Flow` anywhere.
        comments: lines at the very top.

    Returns:
        YAML that ends with a newline. For example ``dump({"a": [1, "1"]})`` is ``a:\n  - 1\n  - "1"\n``. Reading it
        gives ``data`` again, as far as JSON's numbers go: 1.0 comes back as 1.

    Raises:
        OutputError: a value that JSON has no place for: NaN, infinity, half of a surrogate pair.
        TypeError: data of another type, which is a bug of the caller.
    """
    lines = [*_comment_lines(comments, 0)]
    if isinstance(data, Commented):
        lines += _comment_lines(data.comment, 0)
    head, body = _node(data, 0)
    if head:
        lines.append(head)
    return "\n".join([*lines, *body]) + "\n"


def _node(data: Any, indent: int) -> tuple[str, list[str]]:
    """What stands behind the key or dash (empty for a block), and the lines below it, indented by ``indent``."""
    if isinstance(data, Commented):
        return _node(data.value, indent)
    if isinstance(data, Flow):
        return (_flow(data.value), []) if _fits_line(data.value) else _node(data.value, indent)
    if isinstance(data, str):
        return _string(data, indent)
    if isinstance(data, dict) and data:
        return "", _map_lines(data, indent)
    if isinstance(data, list | tuple) and data:
        return "", _list_lines(data, indent)
    return _flow(data), []


def _map_lines(data: dict[str, Any], indent: int) -> list[str]:
    lines: list[str] = []
    pad = " " * indent
    for key, value in data.items():
        if isinstance(value, Commented):
            lines += _comment_lines(value.comment, indent)
        head, body = _node(value, indent + _STEP)
        name = _key(key)
        if len(name) > _LONGEST_KEY:
            lines.append(f"{pad}? {name}")
            name = ""
        lines.append(f"{pad}{name}: {head}" if head else f"{pad}{name}:")
        lines += body
    return lines


def _list_lines(data: Sequence[Any], indent: int) -> list[str]:
    lines: list[str] = []
    pad = " " * indent
    for value in data:
        if isinstance(value, Commented):
            lines += _comment_lines(value.comment, indent)
        head, body = _node(value, indent + _STEP)
        if not head and body and not body[0].lstrip(" ").startswith("#"):
            head, body = body[0].removeprefix(" " * (indent + _STEP)), body[1:]  # the first line joins the dash
        lines.append(f"{pad}- {head}" if head else f"{pad}-")
        lines += body
    return lines


def _string(text: str, indent: int) -> tuple[str, list[str]]:
    if ("\n" in text or isinstance(text, Literal)) and _fits_literal(text):
        content = text.rstrip("\n")
        kept = len(text) - len(content)
        pad = " " * (indent or _STEP)
        lines = [pad + line if line else "" for line in content.split("\n")]
        return "|" + ("-", "", "+")[min(kept, 2)], lines + [""] * (kept - 1)
    return _scalar(text), []


def _fits_literal(text: str) -> bool:
    """Whether a block literal holds the text unchanged, and would survive an editor that strips blanks at line ends."""
    return text[:1].strip(" \n") != "" and _NOT_LITERAL.search(text) is None


def _flow(data: Any) -> str:
    """Data on one line."""
    if isinstance(data, Flow):
        return _flow(data.value)
    if isinstance(data, dict):
        return "{" + ", ".join(f"{_key(key, flow=True)}: {_flow(value)}" for key, value in data.items()) + "}"
    if isinstance(data, list | tuple):
        return "[" + ", ".join(map(_flow, data)) + "]"
    return _scalar(data, flow=True)


def _fits_line(data: Any) -> bool:
    """Whether flow style can hold it: no comments, no keys beyond what the parser takes."""
    if isinstance(data, Commented):
        return False
    if isinstance(data, Flow):
        return _fits_line(data.value)
    if isinstance(data, dict):
        return all(len(_key(key, flow=True)) <= _LONGEST_KEY and _fits_line(value) for key, value in data.items())
    return not isinstance(data, list | tuple) or all(map(_fits_line, data))


def _key(key: Any, *, flow: bool = False) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key of type {type(key).__name__}; JSON has text keys only")
    return _scalar(key, flow=flow)


def _scalar(value: Any, *, flow: bool = False) -> str:
    if isinstance(value, str):
        if needs_quotes(value) or (flow and not _FLOW_SPECIAL.isdisjoint(value)):
            return _quoted(value)
        return str.__str__(value)  # a subclass may speak of itself otherwise
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    raise TypeError(f"data of type {type(value).__name__}, which YAML for Kubernetes does not have")


def _quoted(text: str) -> str:
    if _SURROGATE.search(text):
        raise OutputError("a text with half of a surrogate pair, which is no Unicode", hint="remove the character")
    return f'"{_TO_ESCAPE.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    return _ESCAPES.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def _comment_lines(comment: Comment, indent: int) -> Iterable[str]:
    texts = (comment,) if isinstance(comment, str) else comment
    for text in texts:
        for line in text.splitlines() or [""]:
            visible = UNPRINTABLE.sub(_escape, line).rstrip()
            yield " " * indent + (f"# {visible}" if visible else "#")
