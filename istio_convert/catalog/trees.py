"""Small helpers over plain nested data: leaf tables, deep merging, looking up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from istio_convert.paths import Path, parse, render


class _Missing:
    """The type of :data:`MISSING`."""

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING = _Missing()
"""Stands for "there is no such value", which differs from null."""


def leaf_items(data: Any, prefix: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every leaf below ``data``: scalars, lists as a whole and empty maps."""
    if isinstance(data, Mapping) and data:
        for key, value in data.items():
            yield from leaf_items(value, (*prefix, str(key)))
    else:
        yield prefix, data


def leaf_table(data: Any) -> dict[str, Any]:
    """The leaves of ``data`` by the text of their path."""
    return {render(path): value for path, value in leaf_items(data)}


def from_leaf_table(table: Mapping[str, Any]) -> dict[str, Any]:
    """The tree that :func:`leaf_table` took apart."""
    root: dict[str, Any] = {}
    for text, value in table.items():
        path = parse(text)
        if not path:
            continue
        current = root
        for step in path[:-1]:
            current = current.setdefault(str(step), {})
        current[str(path[-1])] = value
    return root


def merged(base: Any, over: Any) -> Any:
    """``over`` laid on ``base`` as Helm does: maps merge, all else replaces, null removes. Neither is changed."""
    if not (isinstance(base, Mapping) and isinstance(over, Mapping)):
        return over
    result = dict(base)
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result[key], value) if key in result else value
    return result


def lookup(data: Any, path: Path) -> Any:
    """The value at a path, or :data:`MISSING`."""
    for step in path:
        inside = (isinstance(data, dict) and step in data) or (
            isinstance(data, list) and isinstance(step, int) and -len(data) <= step < len(data)
        )
        if not inside:
            return MISSING
        data = data[step]
    return data
