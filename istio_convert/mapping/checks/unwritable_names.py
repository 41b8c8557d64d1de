"""Annotations and labels of an object that Kustomize cannot write: names that YAML reads as a number, a truth or null.

Kustomize sets annotations of its own on every object that it handles, and writes the names of the others without quotes
while it does so. An object with such a name breaks the whole release, be the name in a patch or in what Helm renders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from istio_convert.ledger import Outcome, Place
from istio_convert.mapping.controlplane.chart_owned_keys import text_maps
from istio_convert.mapping.draft.claims import Claim
from istio_convert.mapping.draft.patches import describe
from istio_convert.mapping.draft.release import Draft
from istio_convert.mapping.overlays.path import parse
from istio_convert.mapping.rules.gateway import GATEWAY_SLOTS
from istio_convert.operator.components import Component
from istio_convert.paths import Path
from istio_convert.source.nodes import Leaf, Mapping, get, remove
from istio_convert.source.scalars import resolve

RULE = "kustomize.names"
REASON = "Kustomize cannot write an annotation or label of an object whose name YAML reads as a number, a truth or null"
ACTION = "set it beside the release, or give it a name with a letter that no number has"

#: what older readers take for something else than a text, and Kustomize's does not
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off"})
_NO_NUMBERS = frozenset({".inf", ".nan"})
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?([Tt ].*)?")
_FIELDS = ("annotations", "labels")


def is_unwritable(name: str) -> bool:
    """Whether a name, written without quotes, is no text to Kustomize."""
    if name.lower() in _WORDS or not name:
        return False
    if name.lower().lstrip("+-") in _NO_NUMBERS:
        return True
    return name == "<<" or _DATE.fullmatch(name) is not None or not isinstance(resolve(name), str)


@dataclass(slots=True)
class UnwritableNames:
    """Leaves to a person what would break one release."""

    component: Component
    draft: Draft

    def settle(self) -> None:
        """Look at the patches, then at the values that are rendered beside some."""
        for target, field, name in self.draft.patches.take_names(is_unwritable):
            self._leave(describe(target, ("metadata", field)), name)
        if self.draft.patches.objects:
            for path in dict.fromkeys(self._maps()):
                self._look_at(path)

    def _maps(self) -> Iterator[Path]:
        """Values that become annotations or labels of objects."""
        if self.component.is_gateway:
            yield from (slot.value_path for slot in GATEWAY_SLOTS if slot.path[:1] == ("metadata",) and slot.value_path)
            return
        for value, _, place in text_maps(self.component.kind):
            if place[:1] == ("metadata",):
                yield from self.draft.chart.spellings(value)

    def _look_at(self, path: Path) -> None:
        node = get(self.draft.release.values, path)
        for name in [name for name in node.items if is_unwritable(name)] if isinstance(node, Mapping) else ():
            self._leave(self.draft.place(path).path, name)
            remove(self.draft.release.values, (*path, name))

    def _leave(self, place: str, name: str) -> None:
        claims, release = self.draft.claims, self.draft.release.name
        for leaf, known in list(claims.by_leaf.items()):
            for old in [one for one in known if one.place is not None and one.place.release == release]:
                assert old.place is not None  # noqa: S101 - filtered in the line above
                whole = old.place.path == place and (leaf.path[-1] == name or self._is_overlay_on(name, leaf))
                if whole or old.place.path == f"{place}.{name.replace('.', chr(92) + '.')}":
                    claims.moved(leaf, old.place, Claim(Outcome.MANUAL, RULE, Place(release, place), REASON, ACTION))

    def _is_overlay_on(self, name: str, value: Leaf) -> bool:
        """Whether a leaf is the value of an overlay whose path ends at a name."""
        paths = [str(path.value) for path, other in self.draft.claims.companions.items() if other is value]
        return any(parse(path)[-1:] == (name,) for path in paths)
