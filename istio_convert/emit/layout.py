"""How values are laid out: a list of small flat maps (ports, tolerations) reads best with one element on a line."""

from __future__ import annotations

from typing import Any

from istio_convert.source.writer import Flow, dump

_WIDTH = 100


def compact(data: Any) -> Any:
    """The same data, small flat maps in lists marked to be written on one line."""
    if isinstance(data, dict):
        return {key: compact(value) for key, value in data.items()}
    if isinstance(data, list):
        return [Flow(item) if _is_small(item) else compact(item) for item in data]
    return data


def _is_small(item: Any) -> bool:
    if not isinstance(item, dict) or not item or any(isinstance(value, dict | list) for value in item.values()):
        return False
    return len(dump(Flow(item))) <= _WIDTH
