"""Paths into YAML trees, their one text form, and patterns over them.

A path is a tuple of map keys (str) and list positions (int). Its text form joins keys with dots, writes list
positions as ``[2]`` and escapes dots inside a key with a backslash, as istioctl's ``--set`` does.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]


@lru_cache(maxsize=4096)
def render(path: Path) -> str:
    r"""Write a path as text: ``('a', 'b.c', 0)`` becomes ``a.b\.c[0]``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            escaped = step.replace("\\", "\\\\").replace(".", "\\.").replace("[", "\\[")
            text += f".{escaped}" if text else escaped
    return text


@lru_cache(maxsize=4096)
def parse(text: str) -> Path:
    r"""Read the text form of a path. Inverse of :func:`render`.

    Args:
        text: ``a.b\.c[0].d``; an empty text is the empty path.
    """
    steps: list[str | int] = []
    key, position, started = "", 0, False
    while position < len(text):
        char = text[position]
        if char == "\\" and position + 1 < len(text):
            key, started = key + text[position + 1], True
            position += 2
            continue
        if char == ".":
            if started:
                steps.append(key)
            key, started = "", False
        elif char == "[" and (end := text.find("]", position)) > 0 and text[position + 1 : end].isdigit():
            if started:
                steps.append(key)
            steps.append(int(text[position + 1 : end]))
            key, started = "", False
            position = end
        else:
            key, started = key + char, True
        position += 1
    if started:
        steps.append(key)
    return tuple(steps)


def starts_with(path: Path, prefix: Path) -> bool:
    """Whether ``path`` is ``prefix`` or lies below it."""
    return path[: len(prefix)] == prefix
