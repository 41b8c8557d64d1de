"""Values that a chart refuses at installation, and how to tell whether one of them is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from istio_convert.paths import Path, render

_NULL_REASON = "the chart's templates look into this value, so it cannot be null"
_NULL_INSTEAD = "leave the key out: the chart's default applies"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A value that makes the installation fail.

    Attributes:
        path: the refused values path.
        reason: why, in a few words.
        instead: what to use, or to do, instead.
    """

    path: str
    reason: str
    instead: str


def find_refusal(entries: Mapping[Path, Any], spellings: Iterable[Path], value: Any) -> Refusal | None:
    """The refusal that applies to a value.

    Args:
        entries: what the chart refuses: path -> ``when`` (``set``, ``null`` or the list of refused values), ``reason``
            and ``instead``.
        spellings: the paths that the chart makes of the value's place.
        value: the value.
    """
    for path in spellings:
        for length in range(1, len(path) + 1):
            entry = entries.get(path[:length])
            if entry is not None and _applies(entry["when"], value, below=length < len(path)):
                reason, instead = entry.get("reason", _NULL_REASON), entry.get("instead", _NULL_INSTEAD)
                return Refusal(render(path[:length]), reason, instead)
    return None


def _applies(when: str | list[Any], value: Any, *, below: bool) -> bool:
    """Whether a condition holds for a value at the refused path, or below it."""
    if when == "set":
        # the charts ask whether the value prints as something
        return below or value not in (None, "")
    if when == "null":
        return not below and value is None
    return not below and value in when


def unknown_name(path: Path, value: Any, known: Mapping[str, frozenset[str]]) -> Refusal | None:
    """The refusal of a profile, platform or compatibility version that the chart has no file for.

    Args:
        path: one of the keys that name such a file.
        value: the name.
        known: names by the last step of the key.
    """
    names = known[str(path[-1])]
    if not value or str(value) in names:
        return None
    kinds = {"profile": "profile", "platform": "platform", "compatibilityVersion": "compatibility version"}
    instead = f"leave it out, or use one of {', '.join(sorted(names))}" if names else "leave it out"
    return Refusal(render(path), f"the chart has no such {kinds[str(path[-1])]}", instead)
