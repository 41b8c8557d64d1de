"""Names in a map of texts (labels, annotations, node selectors) that a chart's template sets itself.

The template prints its own names and then the value's. A name that both have stands in the object twice: Helm takes the
last one, as istioctl does, and Kustomize refuses the whole release. Such a name is a patch, the others stay values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from istio_convert.catalog import MISSING
from istio_convert.ledger import Outcome, Place
from istio_convert.mapping.controlplane.passthrough import RULE as PASSED_ON
from istio_convert.mapping.converters.general import string_scalar
from istio_convert.mapping.draft.claims import Claim
from istio_convert.mapping.draft.control_plane import ControlPlane
from istio_convert.mapping.draft.patches import describe
from istio_convert.mapping.draft.release import Draft
from istio_convert.mapping.model import ManifestPath
from istio_convert.mapping.rules.chart_places import PRINTED_LAST, SOLE_EFFECTS
from istio_convert.mapping.rules.workload import OVERLAY_SLOTS, SLOTS
from istio_convert.operator.components import Component
from istio_convert.paths import Path
from istio_convert.release import Target
from istio_convert.source.nodes import Mapping, Scalar, get, remove

WHY = "the chart's template sets this name itself; as a value it would stand in the object twice"
_TEMPLATE_WINS = "the chart's template sets this name itself, and prints it after the values"
_TEXT_MAPS = ("labels", "annotations", "nodeSelector")


@dataclass(slots=True)
class ChartOwnedKeys:
    """Turns the names of one release that its chart sets itself into patches."""

    component: Component
    draft: Draft
    plane: ControlPlane

    def settle(self) -> None:
        """Look at every value that is a map of texts in one place of an object."""
        kind = self.component.kind
        for value, object_kind, place in text_maps(kind):
            if self.plane.missing(kind, object_kind):
                continue
            target = self.plane.target(self.component, object_kind)
            # the spelling with the prefix wins over the one without, so its patch is written last
            for path in reversed(self.draft.chart.spellings(value)):
                self._split(target, place, path)

    def _split(self, target: Target, place: ManifestPath, path: Path) -> None:
        node = get(self.draft.release.values, path)
        if not isinstance(node, Mapping):
            return
        own = {
            name: text
            for name, text in node.items.items()
            if isinstance(text, Scalar) and text.value is not None and self._is_own(target, place, path, name)
        }
        for name, text in own.items():
            self._move(target, place, path, name, text)
            remove(self.draft.release.values, (*path, name))
        if own and not node.items:  # the path of an overlay on the whole map
            self._reclaim(self.draft.place(path), self._patched(target, place))

    def _is_own(self, target: Target, place: ManifestPath, path: Path, name: str) -> bool:
        """Whether the template sets the name, and not from a default of the same value."""
        chart = self.draft.chart
        steps = tuple(str(step) for step in (*place, name))
        return chart.default((*path, name)) is MISSING and chart.skeleton.exists(target.kind, target.name, steps)

    def _move(self, target: Target, place: ManifestPath, path: Path, name: str, text: Scalar) -> None:
        found = self.draft.place((*path, name))
        rules = {
            claim.rule for claims in self.draft.claims.by_leaf.values() for claim in claims if claim.place == found
        }
        last = PRINTED_LAST.get((self.component.kind, str(path[-1])), ())
        if rules <= {PASSED_ON} and name.startswith(last):
            self._reclaim(found, Claim(Outcome.INERT, PASSED_ON, None, _TEMPLATE_WINS))
            return
        self.draft.patches.merge(target, place, Mapping({name: string_scalar(text)}), WHY)
        self._reclaim(found, self._patched(target, (*place, name)))

    def _patched(self, target: Target, place: ManifestPath) -> Claim:
        return Claim(Outcome.PATCH, "", Place(self.draft.release.name, describe(target, place)))

    def _reclaim(self, place: Place, claim: Claim) -> None:
        """Give all leaves that live on in a value another fate, under the rule that put them there."""
        claims = self.draft.claims
        for leaf, known in list(claims.by_leaf.items()):
            for old in [one for one in known if one.place == place]:
                new = Claim(claim.outcome, claim.rule or old.rule, claim.place, claim.reason or old.reason)
                claims.moved(leaf, place, new)


def text_maps(component: str) -> Iterator[tuple[Path, str, ManifestPath]]:
    """Values that become maps of texts: values path, kind of the object, place in it."""
    for slot in (*SLOTS, *OVERLAY_SLOTS):
        value = slot.values.get(component)
        if value is not None and slot.path and slot.path[-1] in _TEXT_MAPS:
            yield value, slot.kind, slot.path
    for effect in SOLE_EFFECTS.get(component, ()):
        for place in effect.places:
            if place[-1] in _TEXT_MAPS:
                yield effect.value, effect.kind, place
