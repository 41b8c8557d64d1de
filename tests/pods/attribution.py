"""Which fields of an operator a place of the pod comes from: found by changing the field and looking at the pod."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from istio_convert import InputError, Outcome, RenderError
from istio_convert.ledger import Entry
from istio_convert.verify.charts import ReleaseCharts
from tests.pods.backends import Backend
from tests.pods.normal import table
from tests.pods.sides import CLAIMED, LEFT_OUT, Key, Sides, istioctls, pod_of

if TYPE_CHECKING:
    from tests.pods.judging import Difference

_ABOUT_GATEWAYS = (("spec", "components"), ("spec", "values", "gateways"))


@dataclass
class Attribution:
    """Looks for the fields behind differences of one gateway."""

    text: str
    case: str
    charts: ReleaseCharts
    both: Sides
    backend: Backend
    key: Key
    _tables: dict[Any, dict[str, Any]] = field(default_factory=dict)

    def promised(self, usual: Sequence[Difference], wanted: Mapping[str, Any]) -> set[str]:
        """The places among the usual differences that a field asks for, with an outcome that says that it is there.

        A field that asks for what the chart does anyway is one: the report says of it that the pod has it.
        """
        found = set()
        values = {one.place: _plain(one.before) for one in usual if one.kind != "woken"}
        for entry in self._gateway_entries():
            if entry.outcome not in CLAIMED:
                continue
            text = _plain(entry.leaf.value)
            places = [place for place, value in values.items() if value == text]
            if places:
                other = self._rendered_without(entry)
                moved = self._rendered_with_another(entry)
                found |= {
                    place
                    for place in places
                    if any(tree.get(place, _MISSING) != wanted.get(place) for tree in (other, moved) if tree)
                }
        return found

    def named(self, difference: Difference) -> Difference:
        """A difference with the fields that it comes from, and whether the report speaks of it."""
        behind = self._behind(difference)
        leaves = tuple(dict.fromkeys(f"{one.leaf.dotted} ({one.outcome.value} {one.rule})" for one in behind))
        to_a_person = any(one.outcome in (Outcome.MANUAL, Outcome.LOST) for one in behind)
        return replace(difference, leaves=leaves, said=to_a_person or self._is_said(difference))

    def _behind(self, difference: Difference) -> list[Entry]:
        """The fields that a place comes from: those that it changes without, first looked for by groups of them."""
        place, before = difference.place, _plain(difference.before)
        whole = self._table("whole", ()).get(place, _MISSING)
        groups: dict[Any, list[Entry]] = {}
        for entry in self._gateway_entries():
            groups.setdefault(entry.leaf.path[:6], []).append(entry)
        found = []
        for group, entries in groups.items():
            if self._table(group, entries).get(place, _MISSING) == whole:
                alike = [one for one in entries if _plain(one.leaf.value) == before]
                moved = [(one, self._rendered_with_another(one)) for one in alike]
                found += [one for one, tree in moved if tree is not None and tree.get(place, _MISSING) != whole]
            else:
                found += [one for one in entries if self._table(one.leaf, [one]).get(place, _MISSING) != whole]
        return found

    def _table(self, key: Any, without: Sequence[Entry]) -> dict[str, Any]:
        """The pod's table without some fields; that of the whole operator where there is no pod without them."""
        if key not in self._tables:
            made = self._rendered({"leave_out": [one.leaf.path for one in without]})
            self._tables[key] = made if made is not None else self._tables.get("whole", {})
        return self._tables[key]

    def _is_said(self, difference: Difference) -> bool:
        """Whether the words of the report name a place: its last step of its own, or all after that."""
        tail = difference.place.rpartition("[")[2]
        step = tail[:-1] if tail.endswith("]") else tail.partition("].")[2] or difference.place.partition(".")[2]
        report = self.both.conversion.report.to_data()
        words = json.dumps({key: value for key, value in report.items() if key not in ("entries", "rules", "inputs")})
        entries = self.both.conversion.ledger.entries
        words += "\n".join(f"{one.reason} {one.action}" for one in entries if one.outcome in LEFT_OUT)
        return json.dumps(step)[1:-1] in words

    def _gateway_entries(self) -> list[Entry]:
        return [
            entry
            for entry in self.both.conversion.ledger.entries
            if any(entry.leaf.path[: len(root)] == root for root in _ABOUT_GATEWAYS)
            and entry.leaf.path[2:3] not in (("pilot",), ("base",), ("cni",), ("ztunnel",))
        ]

    def _rendered_without(self, entry: Entry) -> dict[str, Any] | None:
        return self._rendered({"leave_out": [entry.leaf.path]})

    def _rendered_with_another(self, entry: Entry) -> dict[str, Any] | None:
        """Rendered with another value of the field's own type; None when that renders no gateway."""
        value = entry.leaf.value
        other: Any
        if isinstance(value, bool):
            other = not value
        elif isinstance(value, int):
            other = value + 1
        elif isinstance(value, str):
            other = f"{value}x"
        else:
            return None
        lines = self.text.split("\n")
        number, column = entry.leaf.line - 1, entry.leaf.column - 1
        if not 0 <= number < len(lines) or entry.leaf.text not in lines[number][column:]:
            return None
        rest = lines[number][column:].replace(entry.leaf.text, str(other), 1)
        lines[number] = lines[number][:column] + rest
        return self._rendered({}, "\n".join(lines))

    def _rendered(self, options: Mapping[str, Any], text: str | None = None) -> dict[str, Any] | None:
        try:
            found = istioctls(self.text if text is None else text, self.charts, name=self.case, **options)
        except (InputError, RenderError):
            return None
        return table(pod_of(found[self.key])) if self.key in found else None


_MISSING = object()


def _plain(value: Any) -> str:
    return json.dumps(value) if not isinstance(value, str) else value.strip("\"'")
