"""Which values path a misspelled one may have meant: names that some chart of a release reads, compared step by step.

Looked up only for a path that no chart reads; the tree of names of a release is made when it is first needed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from istio_convert.catalog.catalog import Catalog, resolve
from istio_convert.catalog.trees import MISSING
from istio_convert.paths import Path, parse, render

#: parts of the values tree of an operator; what was written beside them may belong into one
_ROOTS = ("global", "pilot")
#: how alike two names must be: a letter or two apart, not only the same ending
_ALIKE = 0.8
#: stands in the tree at the end of a name whose default is no map, so that nothing can be below it
_SCALAR = "scalar"


def did_you_mean(catalog: Catalog, path: Path) -> str:
    """A question to the user that names the closest path; empty when there is none.

    Args:
        catalog: facts about the release.
        path: a path below an operator's ``values`` that nothing reads.
    """
    found = closest(catalog, path)
    return f"did you mean {render(('values', *found))}?" if found else ""


def closest(catalog: Catalog, path: Path) -> Path | None:
    """The path below an operator's ``values`` that is read and spelled most like this one.

    Args:
        catalog: facts about the release.
        path: a path below an operator's ``values`` that nothing reads.

    Returns:
        None when none is like it, or when the path itself is read.
    """
    tree = _tree(catalog.version)
    if (found := _alike(tree, path)) is not None:
        return found if found != path else None
    below = [(root, *path) for root in _ROOTS if _alike(tree, (root, *path)) == (root, *path)]
    return below[0] if len(below) == 1 else None


def _alike(tree: Any, path: Path) -> Path | None:
    """The path in the tree with the same or similar steps; what is below the end of a name stays as it is."""
    if not path or (isinstance(path[0], int) and tree != _SCALAR):
        return path
    if tree == _SCALAR:
        return None
    if not tree:
        return path
    step, rest = str(path[0]), path[1:]
    return next(
        ((name, *found) for name in _names(tree, step) if (found := _alike(tree[name], rest)) is not None), None
    )


def _names(tree: dict[str, Any], step: str) -> Iterator[str]:
    """The name itself, then those that are like it, the closest first."""
    if step in tree:
        yield step
    names = {name.lower(): name for name in sorted(tree)}
    for word in difflib.get_close_matches(step.lower(), names, cutoff=_ALIKE):
        if names[word] != step:
            yield names[word]


@lru_cache(maxsize=8)
def _tree(version: str) -> dict[str, Any]:
    """All names that templates read, spelled as below an operator's ``values``; a string or ``{}`` ends a name."""
    catalog = resolve(version)
    root: dict[str, Any] = {}
    for name in ("base", "istiod", "cni", "ztunnel", "istio-ingress", "istio-egress"):
        chart = catalog.chart(name)
        for text in sorted(chart.read_paths):
            path = parse(text)
            end: Any = {} if _may_be_a_map(chart.default(path)) else _SCALAR
            if name == "ztunnel" and path[0] != "global":
                path = ("ztunnel", *path)
            _add(root, path, end)
            if chart.descope:
                _add(root, (chart.descope, *path), end)
    return root


def _add(root: dict[str, Any], path: Path, end: Any) -> None:
    for step in path[:-1]:
        if root.get(str(step)) == _SCALAR:
            root[str(step)] = {}
        root = root.setdefault(str(step), {})
    if not root.get(str(path[-1])):
        root[str(path[-1])] = end


def _may_be_a_map(default: Any) -> bool:
    return default is MISSING or default is None or isinstance(default, dict | list)
