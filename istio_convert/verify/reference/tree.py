"""Merging and setting values as istioctl does it, on plain data.

Maps are merged **by reference** where istioctl does so. That is not an accident of this code: a user's ``values.pilot``
becomes part of the merged tree, so what istioctl later writes there also changes the user's own values, which it lays
over the result once more.

Source of the facts: operator/pkg/values/map.go of Istio's release tags.
"""

from __future__ import annotations

import posixpath
import re
from decimal import Decimal
from typing import Any

from istio_convert.errors import RenderError
from istio_convert.paths import Path

Tree = dict[str, Any]

#: Paths whose ``--set`` value stays text.
_ALWAYS_TEXT = (
    "spec.values.compatibilityVersion",
    "spec.tag",
    "spec.values.global.tag",
    "spec.meshConfig.defaultConfig.proxyMetadata.",
    "spec.values.meshConfig.defaultConfig.proxyMetadata.",
    "spec.compatibilityVersion",
)
_INTEGER = re.compile(r"[+-]?\d+\Z")
_FLOAT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z")
_TRUE = {"1", "t", "T", "true", "TRUE", "True"}
_FALSE = {"0", "f", "F", "false", "FALSE", "False"}


def merge_from(base: Tree, over: Tree) -> None:
    """Merge ``over`` into ``base``: maps deeply, everything else (null too) replaces."""
    for key, value in over.items():
        present = base.get(key)
        if isinstance(value, dict) and isinstance(present, dict):
            merge_from(present, value)
        else:
            base[key] = value


def parse_value(text: str) -> Any:
    """What istioctl makes of the value in ``--set path=value``."""
    if _INTEGER.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    return text.replace("\\,", ",")


def clean(path: str) -> str:
    """A path after Go's ``filepath.Clean`` and without one dot at either end."""
    path = posixpath.normpath(path) if path else "."
    if path.startswith("//"):
        path = path[1:]
    return path.removeprefix(".").removesuffix(".")


def split_escaped(text: str, separator: str) -> list[str]:
    """Split at a separator that no backslash precedes; backslashes stay."""
    if not text:
        return []
    return re.split(rf"(?<!\\){re.escape(separator)}", text)


def split_path(path: str) -> list[str]:
    r"""The steps of a path: ``a.b\.c.[0].d[name:x]`` gives ``a``, ``b.c``, ``[0]``, ``d``, ``[name:x]``."""
    steps: list[str] = []
    for part in split_escaped(clean(path), "."):
        if not part:
            continue
        step = part.replace("\\.", ".")
        bracket = step.find("[")
        steps += [step[:bracket], step[bracket:]] if bracket > 0 else [step]
    return steps


def set_paths(tree: Tree, flag: str, *, all_equals: bool) -> None:
    """Apply one ``path=value`` below the root of the tree.

    Args:
        tree: changed in place.
        flag: the whole text after ``--set``, with its ``spec.``.
        all_equals: whether the value may hold further equals signs (newer istioctl); else such a flag sets its whole
            text as a path to an empty value, as older istioctl does.
    """
    path, found, value = flag.partition("=")
    if not found or ("=" in value and not all_equals):
        path, value = flag, ""
    path, value = path.strip(), value.strip()
    text = any(path.startswith(prefix) for prefix in _ALWAYS_TEXT)
    set_path(tree, path, value if text else parse_value(value))


def set_path(tree: Tree, path: str, value: Any) -> None:
    """Set the value at a path such as ``a.b``, ``a.[0].b`` or ``a.[name:x].b``, creating what is missing.

    Raises:
        RenderError: the path runs through something that is no map, or names a list element that is not there.
    """
    _set(tree, split_path(path), value)


def _map(node: Any) -> Tree:
    """A map to write into. Null gives a map that is not part of the tree, so that writing has no effect, as in Go."""
    if isinstance(node, dict):
        return node
    if node is None:
        return {}
    raise RenderError("istioctl refuses a setting: it runs through a value that is no map")


def _set(tree: Tree, steps: list[str], value: Any) -> None:
    key = steps[0]
    if len(steps) == 1:
        tree[key] = value
        return
    if not steps[1].startswith("["):
        tree.setdefault(key, {})
        _set(_map(tree[key]), steps[1:], value)
        return
    items = tree.setdefault(key, [])
    if not isinstance(items, list):
        raise RenderError("istioctl refuses a setting: a list was expected on its path")
    index = _index_of(items, steps[1])
    if 0 <= index < len(items):
        node = _map(items[index])
        if len(steps) == 2:
            raise RenderError("istioctl refuses a setting that replaces a list element")
        _set(node, steps[2:], value)
        items[index] = node
    elif len(steps) == 2:
        items.append(value)
    else:
        created: Tree = {}
        _set(created, steps[2:], value)
        items.append(created)


def _index_of(items: list[Any], step: str) -> int:
    inner = step[1:-1] if step.endswith("]") else ""
    key, colon, wanted = inner.partition(":")
    if colon:
        for index, item in enumerate(items):
            if _map(item).get(key) == wanted:
                return index
        raise RenderError("istioctl refuses a setting: its list has no such element")
    if _INTEGER.match(inner):
        return int(inner)
    raise RenderError("istioctl refuses a setting: a step of its path cannot be read")


def take_out(tree: Any, path: Path) -> None:
    """Remove what lies at a path of keys and list positions, if anything does, and what this leaves empty above it."""
    step, rest = path[0], path[1:]
    if isinstance(tree, dict):
        step = str(step)
        if step not in tree:
            return
    elif not isinstance(tree, list) or not isinstance(step, int) or step >= len(tree):
        return
    child = tree[step]
    if rest:
        take_out(child, rest)
    if not rest or child in ({}, []):
        del tree[step]


def get_path(tree: Any, *steps: str) -> Any:
    """The value at map keys, or None."""
    for step in steps:
        if not isinstance(tree, dict) or step not in tree:
            return None
        tree = tree[step]
    return tree


def get_map(tree: Any, *steps: str) -> Tree | None:
    """The map at map keys, or None when there is something else or nothing."""
    node = get_path(tree, *steps)
    return node if isinstance(node, dict) else None


def get_text(tree: Any, *steps: str) -> str:
    """The text at map keys; empty when there is something else or nothing."""
    node = get_path(tree, *steps)
    return node if isinstance(node, str) else ""


def go_text(value: Any) -> str:
    """How Go prints a JSON value with ``%v``."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        value = float(value)
    if isinstance(value, float):
        return _go_float(value)
    if isinstance(value, list):
        return "[" + " ".join(go_text(item) for item in value) + "]"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{go_text(value[key])}" for key in sorted(value)) + "]"
    return str(value)


def _go_float(value: float) -> str:
    """The shortest text that gives the number back, with an exponent from a million up and below 0.0001."""
    if value == 0:
        return "-0" if str(value).startswith("-") else "0"
    mantissa, _, power = f"{Decimal(repr(value)).normalize():e}".partition("e")
    exponent = int(power)
    if -4 <= exponent < 6:
        return f"{Decimal(repr(value)).normalize():f}"
    return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
