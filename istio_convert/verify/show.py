"""A proof as text, JSON or Markdown. Values are left out unless asked for: they may be secrets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from istio_convert.verify.findings import ABSENT, TITLES, Compared, Difference, Kind, Verification

#: Version of the JSON form.
SCHEMA_VERSION = 1


def to_data(proof: Verification, *, show_values: bool = False) -> dict[str, Any]:
    """The proof as plain data.

    Args:
        proof: the proof.
        show_values: include the values of both sides.
    """
    return {
        "schemaVersion": SCHEMA_VERSION,
        "version": proof.version,
        "reference": proof.source,
        "proven": proof.proven,
        "totals": {kind.value: count for kind, count in proof.totals().items()},
        "notes": list(proof.notes),
        "tags": dict(sorted(proof.tags.items())),
        "objects": [_object_data(compared, show_values=show_values) for compared in proof.objects],
    }


def _object_data(compared: Compared, *, show_values: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "group": compared.id.group,
        "kind": compared.id.kind,
        "namespace": compared.id.namespace,
        "name": compared.id.name,
        "component": compared.reference,
        "release": compared.candidate,
        "class": compared.kind.value,
        "differences": [_difference_data(d, show_values=show_values) for d in compared.differences],
    }
    if compared.paired_with is not None:
        data["pairedWith"] = compared.paired_with.name
    return data


def _difference_data(difference: Difference, *, show_values: bool) -> dict[str, Any]:
    data: dict[str, Any] = {"class": difference.kind.value, "path": difference.path, "why": difference.why}
    data["change"] = _change(difference)
    if show_values:
        sides = (("istioctl", difference.before), ("helm", difference.after))
        data |= {key: value for key, value in sides if value != ABSENT}
    return data


def _change(difference: Difference) -> str:
    if difference.before == ABSENT and difference.after == ABSENT:
        return "object"
    if difference.before == ABSENT:
        return "added"
    return "removed" if difference.after == ABSENT else "changed"


def to_json(proof: Verification, *, show_values: bool = False) -> str:
    """The proof as JSON."""
    return json.dumps(to_data(proof, show_values=show_values), indent=2, default=str) + "\n"


_WORDS = {
    "object": "one side only",
    "added": "only with Helm",
    "removed": "only with istioctl",
    "changed": "not the same",
}


def _line(difference: Difference, *, show_values: bool) -> str:
    words = _WORDS[_change(difference)]
    text = f"{difference.path}: {words}" if difference.path else words
    if show_values and _change(difference) != "object":
        before, after = (json.dumps(v, default=str) for v in (difference.before, difference.after))
        text += f" ({before} / {after})"
    return f"{text}: {difference.why}" if difference.why else text


def to_text(proof: Verification, *, show_values: bool = False, everything: bool = False) -> str:
    """The proof as lines for a terminal: what is unexplained, then one line of totals.

    Args:
        proof: the proof.
        show_values: include the values of both sides.
        everything: list too what injection provides and what nothing reads.
    """
    lines = [f"Istio {proof.version}: Helm against {proof.source}"]
    lines += [f"note: {note}" for note in proof.notes]
    lines += [f"note: image tag {old} is read as {new}" for old, new in sorted(proof.tags.items()) if old != new]
    for compared in proof.objects:
        for difference in compared.differences:
            if difference.kind is Kind.UNEXPLAINED or (everything and difference.kind in (Kind.INJECTION, Kind.UNREAD)):
                lines.append(f"{difference.kind.value} {compared.id}: {_line(difference, show_values=show_values)}")
    lines += [*_advice(proof), _summary(proof)]
    return "\n".join(lines) + "\n"


def _advice(proof: Verification) -> Iterator[str]:
    for compared in proof.objects:
        for difference in compared.differences:
            if difference.kind in (Kind.ORPHAN, Kind.NEW):
                yield f"{difference.kind.value} {compared.id}: {difference.why}"


def _summary(proof: Verification) -> str:
    parts = [f"{count} {TITLES[kind]}" for kind, count in proof.totals().items() if count]
    count = len(proof.unexplained)
    verdict = "the same" if proof.proven else f"{count} unexplained difference{'s' if count != 1 else ''}"
    return f"{len(proof.objects)} objects: {', '.join(parts) or 'none'}. {verdict.capitalize()}."


def to_markdown(proof: Verification, *, show_values: bool = False) -> str:
    """The proof as a Markdown page."""
    lines = [f"# Proof for Istio {proof.version}", "", f"Helm against {proof.source}. {_summary(proof)}", ""]
    lines += [f"- {note}" for note in proof.notes]
    lines += [f"- Image tag `{old}` is read as `{new}`." for old, new in sorted(proof.tags.items()) if old != new]
    lines += ["", "| object | component | release | result |", "|---|---|---|---|"]
    for compared in proof.objects:
        cells = (str(compared.id), compared.reference or "-", compared.candidate or "-", TITLES[compared.kind])
        lines.append(f"| {' | '.join(cells)} |")
    for kind in (Kind.UNEXPLAINED, Kind.ORPHAN, Kind.NEW, Kind.UNREAD, Kind.INJECTION):
        rows = [(c, d) for c in proof.objects for d in c.differences if d.kind is kind]
        if rows:
            title = TITLES[kind]
            lines += ["", f"## {title[0].upper()}{title[1:]}", ""]
            if show_values or kind is Kind.UNEXPLAINED:
                lines += [f"- `{c.id}`: {_line(d, show_values=show_values)}" for c, d in rows]
            else:
                lines += _by_reason(rows)
    return "\n".join(lines) + "\n"


def left_behind(proof: Verification) -> tuple[str, ...]:
    """What istioctl made and no release takes over, with what to do about it, one line each."""
    return tuple(
        f"{compared.id}: {difference.why}"
        for compared in proof.objects
        for difference in compared.differences
        if difference.kind is Kind.ORPHAN and compared.paired_with is not None
    )


def _by_reason(rows: Iterable[tuple[Compared, Difference]]) -> Iterator[str]:
    """A reason once, with the objects below it; those that differ at the same paths share a line."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for compared, difference in rows:
        words = _WORDS[_change(difference)]
        place = f"`{difference.path}` {words}" if difference.path else words
        reasons.setdefault(difference.why, {}).setdefault(f"`{compared.id}`", []).append(place)
    for why, objects in reasons.items():
        alike: dict[str, list[str]] = {}
        for name, places in objects.items():
            alike.setdefault(", ".join(places), []).append(name)
        said = [f"{', '.join(names)}: {places}" for places, names in alike.items()]
        if len(said) == 1:
            yield f"- {said[0]}: {why}"
        else:
            yield f"- {why}:"
            yield from (f"  - {line}" for line in said)
