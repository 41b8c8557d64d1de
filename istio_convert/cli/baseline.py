"""A baseline: the findings of a day, tolerated from then on, so that a check can begin before all is clean."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath

from istio_convert.errors import InputError, Origin

_FORMAT = 1


@dataclass(frozen=True, slots=True, order=True)
class Known:
    """One finding of a baseline.

    Attributes:
        file: the input, from the folder of the baseline.
        path: the field.
        rule: the rule that decided.
        outcome: what it decided.
    """

    file: str
    path: str
    rule: str
    outcome: str


def read(file: str) -> frozenset[Known]:
    """The findings of a baseline file.

    Raises:
        InputError: it cannot be read, or is no baseline.
    """
    try:
        data = json.loads(Path(file).read_bytes())
        if data["schemaVersion"] != _FORMAT:
            raise ValueError
        return frozenset(Known(**{key: str(item[key]) for key in Known.__slots__}) for item in data["findings"])
    except OSError as error:
        hint = "write it: --write-baseline" if isinstance(error, FileNotFoundError) else None
        raise InputError(f"cannot be read: {error.strerror}", origin=Origin(file), hint=hint) from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("is no baseline of istio-convert", origin=Origin(file), hint="--write-baseline") from error


def text_of(findings: Iterable[Known]) -> str:
    """The text of a baseline file, sorted, each finding once and on one line."""
    rows = [json.dumps({key: getattr(one, key) for key in Known.__slots__}) for one in sorted(set(findings))]
    body = ",\n".join(f"    {row}" for row in rows)
    inside = f"[\n{body}\n  ]" if rows else "[]"
    return f'{{\n  "schemaVersion": {_FORMAT},\n  "findings": {inside}\n}}\n'


def name_for(file: str, baseline: str) -> str:
    """How a baseline calls an input: relative to its own folder, so that the working folder does not matter."""
    if file == "-" or file.startswith("--"):
        return file
    return PurePath(os.path.relpath(file, Path(baseline).parent)).as_posix()
