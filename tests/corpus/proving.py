"""Proves one operator at one version."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from istio_convert import Conversion, InputError, Outcome, RenderError, Source, convert
from istio_convert.verify import verify


@dataclass(frozen=True)
class Proof:
    """What came of one operator at one version.

    Attributes:
        state: ``proven``; ``partly`` (proven, but for fields that the ledger leaves to a person); ``refused`` (the
            operator is refused with one error); ``no reference`` (istioctl of that version refuses it, too);
            ``different`` (not proven).
        details: what was found.
    """

    state: str
    details: tuple[str, ...] = ()


def left_to_a_person(conversion: Conversion) -> list[tuple[str | int, ...]]:
    """Paths of fields that the ledger marks manual: istioctl's side does without them as well."""
    return [e.leaf.path for e in conversion.ledger.entries if e.outcome is Outcome.MANUAL and not e.places]


def prove(path: Path, version: str) -> Proof:
    """Convert, render both sides, compare."""
    text = path.read_bytes()
    try:
        conversion = convert(Source(path.name, text), to=version)
    except InputError as error:
        return Proof("refused", (str(error),))
    left_out = left_to_a_person(conversion)
    operators = [(path.name, text.decode("utf-8-sig"))]
    try:
        found = verify(operators, conversion.releases, version, leave_out=left_out)
    except RenderError as error:
        if "istioctl" in error.message:
            return Proof("no reference", (error.message,))
        return Proof("different", (str(error),))
    if found.unexplained:
        shown = [f"{identity} {d.path}: {d.before!r} -> {d.after!r}" for identity, d in found.unexplained]
        return Proof("different", tuple(shown))
    return Proof("partly" if left_out else "proven", tuple(".".join(map(str, p)) for p in left_out))
