"""Ranges of versions in one line of text, so that a fact is written once and not once per release.

``*`` is every version, ``1.24.0..`` from there on, ``..1.23.6`` up to there, ``1.22.4..1.22.8`` both, ``1.27.0`` just
that one. Several ranges stand side by side with blanks between them. Both ends belong to the range.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import TypeAlias

VersionKey: TypeAlias = tuple[int, int, int, int, str]

ALL = "*"
_VERSION = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$")
_FIRST: VersionKey = (0, 0, 0, 0, "")
_LAST: VersionKey = (10**9, 0, 0, 0, "")


@lru_cache(maxsize=1024)
def version_key(version: str) -> VersionKey:
    """The sort key of ``1.25.3`` or ``1.31.0-rc.0``; a candidate sorts before its final release.

    Raises:
        ValueError: the text is no version.
    """
    match = _VERSION.match(version)
    if not match:
        raise ValueError(version)
    major, minor, patch, candidate = match.groups()
    return int(major), int(minor), int(patch), 0 if candidate else 1, candidate or ""


def minor_of(version: str) -> str:
    """``1.25`` of ``1.25.3``."""
    return ".".join(version.removeprefix("v").split(".")[:2])


@lru_cache(maxsize=4096)
def _bounds(text: str) -> tuple[tuple[VersionKey, VersionKey], ...]:
    bounds = []
    for part in text.split():
        if part == ALL:
            bounds.append((_FIRST, _LAST))
            continue
        first, dots, last = part.partition("..")
        if not dots:
            last = first
        bounds.append((version_key(first) if first else _FIRST, version_key(last) if last else _LAST))
    return tuple(bounds)


@lru_cache(maxsize=65536)
def contains(text: str, version: str) -> bool:
    """Whether the ranges written in ``text`` contain ``version``."""
    key = version_key(version)
    return any(first <= key <= last for first, last in _bounds(text))


def encode(members: Collection[str], order: Sequence[str]) -> str:
    """The shortest text for a set of versions. Inverse of :func:`contains` over ``order``.

    Args:
        members: the versions that the fact holds for; a non-empty subset of ``order``.
        order: all known versions, oldest first.
    """
    inside = [version in members for version in order]
    parts: list[str] = []
    position = 0
    while position < len(order):
        if not inside[position]:
            position += 1
            continue
        start = position
        while position < len(order) and inside[position]:
            position += 1
        from_first, to_last = start == 0, position == len(order)
        if from_first and to_last:
            return ALL
        if from_first:
            parts.append(f"..{order[position - 1]}")
        elif to_last:
            parts.append(f"{order[start]}..")
        elif position - start == 1:
            parts.append(order[start])
        else:
            parts.append(f"{order[start]}..{order[position - 1]}")
    return " ".join(parts)
