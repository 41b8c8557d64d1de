"""Overlays of the control plane: looked up backwards in the table, else written as patches.

There is no rendered object at hand, so paths are resolved against the catalog's skeleton of what the chart renders.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from istio_convert.ledger import Outcome, Place
from istio_convert.mapping.controlplane.list_positions import ListPositions, NothingThereError, UnresolvableError
from istio_convert.mapping.controlplane.overlay_targets import OverlayTargets
from istio_convert.mapping.controlplane.precedence import WHY_WINS, Changed, LaidOver
from istio_convert.mapping.controlplane.rendered_objects import RenderedObjects
from istio_convert.mapping.controlplane.settings import string_if_text
from istio_convert.mapping.controlplane.value_sources import ValueSources
from istio_convert.mapping.converters.env_order import referred
from istio_convert.mapping.converters.general import has_null
from istio_convert.mapping.draft.claims import Claim
from istio_convert.mapping.draft.control_plane import ControlPlane
from istio_convert.mapping.draft.patches import describe
from istio_convert.mapping.draft.release import Draft, Laid
from istio_convert.mapping.draft.strategic_merge import merge_key
from istio_convert.mapping.model import ManifestPath, Slot, in_text
from istio_convert.mapping.overlays.claims import RULE, claim_patches, patches_of
from istio_convert.mapping.overlays.metrics import OLD_METRIC, OLD_METRIC_ACTION, into_old_metric
from istio_convert.mapping.overlays.path import (
    MISSHAPEN,
    MISSHAPEN_ACTION,
    NO_LIST,
    NO_LIST_ACTION,
    NoListError,
    Step,
    is_misshapen,
    manifest_path,
    overlay_value,
    parse,
    render,
    scalar_text,
    without_effect,
)
from istio_convert.mapping.rules.workload import OVERLAY_SLOTS, SLOTS
from istio_convert.operator.components import Component
from istio_convert.paths import Path
from istio_convert.release import Target
from istio_convert.source.nodes import Leaf, Mapping, Node, Scalar, Sequence, leaves, to_data

WHY = "an overlay of the operator"
LEFT_OUT = "what it takes away is left out of the release, and the chart renders nothing there"

#: kinds whose ``data`` map keys to texts
TEXT_DATA = ("ConfigMap", "Secret")
CRD = "CustomResourceDefinition"


@dataclass(slots=True)
class OverlayMapper:
    """Maps the overlays of one control-plane component."""

    component: Component
    draft: Draft
    plane: ControlPlane
    rendered: RenderedObjects = field(init=False)
    positions: ListPositions = field(init=False)
    layers: LaidOver = field(init=False)
    sources: ValueSources = field(init=False)
    places: OverlayTargets = field(init=False)
    #: what values of the release may render and an overlay deletes
    deletions: list[tuple[Target, ManifestPath, list[Leaf]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rendered = RenderedObjects(self.component, self.draft, self.plane)
        self.positions = ListPositions(self.draft, self.rendered)
        self.layers = LaidOver(self.draft)
        self.sources = ValueSources(self.component, self.draft, self.plane)
        self.places = OverlayTargets(self.rendered, self.positions, self.sources)

    def run(self) -> None:
        """Map all overlays, in order."""
        overlays = self.component.k8s.items.get("overlays")
        for overlay in overlays.items if isinstance(overlays, Sequence) else []:
            if isinstance(overlay, Mapping):
                self._overlay(overlay)

    def _overlay(self, overlay: Mapping) -> None:
        items = patches_of(overlay, self.draft.claims)
        if not items:
            return
        if (
            scalar_text(overlay, "kind") == CRD
            and self.component.kind == "base"
            and scalar_text(overlay, "name").endswith(".istio.io")
        ):
            reason = "patches do not reach the CRDs of the base chart, which Helm handles apart"
            claim_patches(self.draft.claims, items, Outcome.MANUAL, reason, "patch the CRD beside the release")
            return
        target = self.rendered.target(
            scalar_text(overlay, "kind"), scalar_text(overlay, "name"), scalar_text(overlay, "apiVersion")
        )
        if target is None:
            known = self.rendered.known(scalar_text(overlay, "kind"), scalar_text(overlay, "name"))
            self._unmatched(items, "" if known is None else "with these settings ")
            return
        for patch in items:
            self._patch(target, patch)

    def _unmatched(self, patches: list[Mapping], why: str) -> None:
        if self.draft.catalog.behaviour("unmatched_overlay_is_error"):
            reason = f"{why}no object of this kind and name is rendered, istioctl refuses the overlay"
            claim_patches(
                self.draft.claims, patches, Outcome.MANUAL, reason, "correct kind and name, or remove the overlay"
            )
        else:
            reason = f"{why}no object of this kind and name is rendered, so istioctl ignores the overlay"
            if self.plane.revision and not why:
                reason += f" (with a revision istiod's objects are named istiod-{self.plane.revision})"
            claim_patches(self.draft.claims, patches, Outcome.INERT, reason)

    def _patch(self, target: Target, patch: Mapping) -> None:
        path_leaf = next(leaves(patch.items.get("path", Mapping())), None)
        steps = parse(scalar_text(patch, "path"))
        value = overlay_value(patch.items.get("value"))
        if isinstance(value, Scalar) and value.value is None:
            if value.leaf is not None and path_leaf is not None:
                self.draft.claims.companions[value.leaf] = path_leaf
            value = None
        if not steps:
            claim_patches(self.draft.claims, [patch], Outcome.INERT, "an overlay without a path changes nothing")
            return
        if into_old_metric(self.component.k8s, target.kind, steps):
            claim_patches(self.draft.claims, [patch], Outcome.MANUAL, OLD_METRIC, OLD_METRIC_ACTION)
            return
        if target.kind in TEXT_DATA and len(steps) > 1 and steps[0] == "data" and not _leaves_text(steps, value):
            reason = f"the data of a {target.kind} are texts; istioctl puts a map there, which the API server refuses"
            claim_patches(
                self.draft.claims,
                [patch],
                Outcome.MANUAL,
                reason,
                "set what the text configures, such as spec.meshConfig, instead",
            )
            return
        if is_misshapen(target.kind, steps, value) or (value is None and _names_element(target.kind, steps)):
            claim_patches(self.draft.claims, [patch], Outcome.MANUAL, MISSHAPEN, MISSHAPEN_ACTION)
            return
        also = [path_leaf] if path_leaf is not None else []
        try:
            if value is not None and self._as_value(target, steps, value, also):
                return
            self._as_patch(target, steps, value, also)
        except NothingThereError:
            self._nothing_there(patch, steps)
        except NoListError:
            claim_patches(self.draft.claims, [patch], Outcome.MANUAL, NO_LIST, NO_LIST_ACTION)
        except UnresolvableError as error:
            reason = f"{render(steps)}: {error}"
            claim_patches(
                self.draft.claims,
                [patch],
                Outcome.MANUAL,
                reason,
                "run convert --prove, which finds the place by rendering",
            )

    def _nothing_there(self, patch: Mapping, steps: tuple[Step, ...]) -> None:
        if self.draft.catalog.behaviour("unmatched_overlay_is_error"):
            reason = "istioctl finds nothing at this path and refuses the overlay"
            claim_patches(self.draft.claims, [patch], Outcome.MANUAL, reason, "correct the path, or remove the patch")
        else:
            claim_patches(self.draft.claims, [patch], Outcome.INERT, without_effect(steps))

    # -- as a value ------------------------------------------------------------------------------------------------

    def _as_value(self, target: Target, steps: tuple[Step, ...], value: Node, also: list[Leaf]) -> bool:
        component = self.component.kind
        if component not in ("pilot", "cni", "ztunnel"):
            return False
        manifest = manifest_path(steps)
        for slot in (*SLOTS, *OVERLAY_SLOTS):
            path = slot.values.get(component)
            place = self.plane.manifest_path(component, slot.path)
            if path is None or slot.convert is not None or manifest[: len(place)] != place:
                continue
            rest = manifest[len(place) :]
            plain = all(isinstance(step, str) for step in steps[len(place) :])
            if not plain or target != self.plane.target(self.component, slot.kind):
                continue
            full: Path = (*path, *(str(step) for step in rest))
            if self._patched_before(target, manifest) or self._drops(target, manifest, full, value):
                return False
            if self._same_effect(slot, path, value):
                if slot.id == "overlay.podLabels" or "nnotations" in slot.id:
                    value = string_if_text(value)
                self.draft.set_value(full, value, slot.id, replace=True, why_wins=WHY_WINS, also=also)
                return True
        return False

    def _same_effect(self, slot: Slot, path: Path, value: Node) -> bool:
        if not self.draft.chart.reads(path) or has_null(value):
            return False
        return self.plane.value_is_equal(self.component.kind, slot, overlay=True)

    def _patched_before(self, target: Target, place: ManifestPath) -> bool:
        """Whether a patch writes the place, or one above it, already: it would win over a value, which is later."""
        return any(laid.target == target and place[: len(laid.path)] == laid.path for laid in self.draft.laid)

    def _drops(self, target: Target, place: ManifestPath, full: Path, value: Node) -> bool:
        """Whether a map replaces one that has more: Helm would merge it over the chart's own."""
        if not isinstance(value, Mapping):
            return False
        rendered = self.rendered.below(target, in_text(place))
        given = to_data(value)
        return _has_more(rendered, given) or _has_more(self.draft.chart.default(full), given)

    # -- as a patch ------------------------------------------------------------------------------------------------

    def _as_patch(self, target: Target, steps: tuple[Step, ...], value: Node | None, also: list[Leaf]) -> None:
        found = [*(leaves(value) if value is not None else ()), *also]
        winner = next(iter(found), None)
        steps = self.positions.named(target, steps)
        changed = self.layers.change(target, steps, value, winner)
        if changed is not None:
            self._write_again(target, steps, changed, found)
            return
        path = self.places.strategic(target, steps)
        if path is None:
            self._by_position(target, steps, value, found)
            return
        existing = self.places.exists(target, path)
        if isinstance(path[-1], tuple) and not existing and isinstance(value, Mapping):
            raise UnresolvableError("no such element is rendered by default")
        taken = self.layers.take_out(target, path, winner)
        if value is None:
            self._delete(target, path, found, existing=existing, taken=taken)
            return
        self._lay(target, path, value, also)
        self._keep_in_front(target, path, value, second=existing and isinstance(path[-1], tuple))
        self._write(target, path, value)
        self.draft.claim_patch(target, path, found, RULE)

    def _write(self, target: Target, path: ManifestPath, value: Node) -> None:
        existing = self.places.exists(target, path)
        if isinstance(path[-1], tuple):
            self.draft.patches.element(target, path, value, WHY, existing=existing)
        else:
            replace = existing or self.sources.render(target, path)
            self.draft.patches.merge(target, path, value, WHY, replace=replace)

    def _delete(self, target: Target, path: ManifestPath, found: list[Leaf], *, existing: bool, taken: bool) -> None:
        by_us = not existing and self.sources.may_render(target, path)
        if existing or by_us or taken:
            self._lay(target, path, None, found)
        if not (existing or by_us):
            for leaf in found:
                self._claim(leaf, Outcome.DEFAULT, LEFT_OUT if taken else "the chart renders nothing there")
            return
        if isinstance(path[-1], tuple):
            self.positions.drop(target, path)
        self.draft.patches.delete(target, path, WHY, certain=existing)
        self.draft.claim_patch(target, path, found, RULE)
        if by_us:
            self.deletions.append((target, path, found))

    def _write_again(self, target: Target, steps: tuple[Step, ...], changed: Changed, found: list[Leaf]) -> None:
        """Write what an earlier overlay or setting decided, with what this overlay makes of it."""
        if changed.node is not None:
            self.draft.patches.forget(target, changed.path)
            self._write(target, changed.path, changed.node)
        if changed.emptied:
            for leaf in found:
                self._claim(leaf, Outcome.DEFAULT, LEFT_OUT)
        else:
            self.draft.claim_patch(target, manifest_path(steps), found, RULE)

    def _by_position(self, target: Target, steps: tuple[Step, ...], value: Node | None, found: list[Leaf]) -> None:
        first = self.positions.before(target, steps)
        pointer, op, place = self.places.pointer(target, steps, delete=value is None)
        self.draft.patches.operation(target, op, pointer, value, WHY, first=first, place=place)
        shown: ManifestPath = tuple(str(step) if not isinstance(step, int) else f"[{step}]" for step in pointer)
        self.draft.claim_patch(target, shown, found, RULE)
        self.layers.operated.append((target, place, tuple(found)))

    def settle(self) -> None:
        """Leave out the deletions of what no value renders any more, now that it is known which values remain."""
        for target, path, found in self.deletions:
            gone = self.layers.is_gone(target, path)
            if not gone or self.sources.may_render(target, path):
                continue
            self.draft.patches.forget(target, path)
            place = Place(self.draft.release.name, describe(target, path))
            for leaf in found:
                self.draft.claims.moved(leaf, place, Claim(Outcome.DEFAULT, RULE, None, LEFT_OUT))

    def _keep_in_front(self, target: Target, path: ManifestPath, value: Node, *, second: bool = False) -> None:
        """Leave what a variable refers to in front of it: a patch moves the variable to the front of the list."""
        env = path[: path.index("env") + 1] if "env" in path else path
        element, *field = path[len(env) :] or ("",)
        if not isinstance(element, tuple) or field not in ([], ["value"]):
            return
        elements = self.positions.elements(target, in_text(env))
        for name in referred(element[1], value, elements.names if elements is not None else ()):
            self.draft.patches.repeat(target, (*env, ("name", name)), second=second)

    def _lay(self, target: Target, path: ManifestPath, value: Node | None, also: list[Leaf]) -> None:
        """Note that an overlay replaces a place whole."""
        self.draft.laid.append(Laid(target, path, value, True, WHY_WINS, tuple(also)))

    # -- notes -----------------------------------------------------------------------------------------------------

    def _claim(self, leaf: Leaf, outcome: Outcome, reason: str) -> None:
        self.draft.claims.add(leaf, Claim(outcome, RULE, None, reason))


def _names_element(kind: str, steps: tuple[Step, ...]) -> bool:
    """Whether a path ends at what tells the elements of a list apart, without which the API server refuses them."""
    if len(steps) < 3 or isinstance(steps[-2], str) or not isinstance(steps[-3], str):
        return False
    return merge_key(steps[-3], kind) == steps[-1]


def _has_more(known: object, given: object) -> bool:
    """Whether a map, or one inside it, has names that the other lacks."""
    if not isinstance(known, dict) or not isinstance(given, dict):
        return False
    return any(name not in given or _has_more(inner, given[name]) for name, inner in known.items())


def _leaves_text(steps: tuple[Step, ...], value: Node | None) -> bool:
    """Whether a key of an object's data still holds a text, or nothing, after the patch."""
    return len(steps) == 2 and (value is None or isinstance(value, Scalar))
