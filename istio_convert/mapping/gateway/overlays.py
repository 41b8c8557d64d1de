"""Applies the overlays of a gateway to istioctl's objects for it, before they are looked up in the gateway table."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from istio_convert.catalog import MISSING
from istio_convert.ledger import Outcome
from istio_convert.mapping.converters.gateway_defaults import PROVIDED, is_provided
from istio_convert.mapping.draft.claims import Claim, lost_to
from istio_convert.mapping.draft.release import Draft
from istio_convert.mapping.draft.trees import PROXY, name_of
from istio_convert.mapping.gateway.objects import GatewayObjects
from istio_convert.mapping.model import POD, GatewaySlot, ManifestPath, in_text
from istio_convert.mapping.overlays.claims import RULE, claim_patches, patches_of
from istio_convert.mapping.overlays.metrics import OLD_METRIC, OLD_METRIC_ACTION, into_old_metric
from istio_convert.mapping.overlays.path import (
    MISSHAPEN,
    MISSHAPEN_ACTION,
    NO_LIST,
    NO_LIST_ACTION,
    ByKey,
    NoListError,
    Step,
    Walker,
    is_misshapen,
    manifest_path,
    overlay_value,
    parse,
    scalar_text,
    without_effect,
)
from istio_convert.mapping.rules.gateway import GATEWAY_SLOTS
from istio_convert.operator.components import Component
from istio_convert.release import Target
from istio_convert.source.nodes import Leaf, Mapping, Node, Scalar, Sequence, clone, get, leaves

#: places that a gateway under Helm cannot do without as a whole
NEEDED = {
    "gateway.podAnnotations": "the annotations hold what asks for injection, by which Helm's gateways live",
    "gateway.securityContext": "the gateway chart gives the proxy a user of its own",
    "gateway.readinessProbe": "injection gives a probe to a proxy that has none",
}
#: parts of a pod that no release can do without
VITAL = ("containers", "image", "name")
#: places of a gateway's objects that the chart fills
FILLED: frozenset[tuple[str, ...]] = frozenset(
    {
        ("spec",),
        ("spec", "selector"),
        ("spec", "selector", "matchLabels"),
        ("spec", "template"),
        ("spec", "template", "metadata"),
        ("spec", "template", "metadata", "labels"),
        ("spec", "template", "spec"),
        ("spec", "template", "spec", "containers"),
    }
)
POD_LABELS: ManifestPath = ("spec", "template", "metadata", "labels")
SELECTOR: ManifestPath = ("spec", "selector")
LEFT_OUT = "what it takes away is left out of the values, and without a value the gateway chart renders nothing there"
REPEATED = (
    "istioctl's list then has a variable of this name twice, the gateway chart's values only the last, which counts"
)
REPEATED_ACTION = "remove the first, or overlay its value"
UNMATCHED = "no object of this kind and name is rendered, so istioctl ignores the overlay"


@dataclass(slots=True)
class Deletion:
    """A place of a gateway's object that the operator empties."""

    kind: str
    path: ManifestPath
    leaf: Leaf


@dataclass(slots=True)
class GatewayOverlays:
    """The overlays of one gateway.

    Attributes:
        renders_more: whether istioctl's chart renders an object of this kind and name that is not among the objects.
    """

    component: Component
    draft: Draft
    objects: GatewayObjects
    renders_more: Callable[[str, str], bool]
    deletions: list[Deletion] = field(default_factory=list)

    def apply(self, unmatched_is_error: bool) -> None:  # noqa: FBT001 - a fact of the version
        """Apply all overlays in order."""
        overlays = self.component.k8s.items.get("overlays")
        for overlay in overlays.items if isinstance(overlays, Sequence) else []:
            if isinstance(overlay, Mapping):
                self._overlay(overlay, unmatched_is_error)

    def _overlay(self, overlay: Mapping, unmatched_is_error: bool) -> None:  # noqa: FBT001
        kind, name = scalar_text(overlay, "kind"), scalar_text(overlay, "name")
        names = {"ServiceAccount": self.objects.service_account}
        tree = self.objects.objects.get(kind)
        items = patches_of(overlay, self.draft.claims)
        if kind in ("Role", "RoleBinding") and name == f"{self.objects.name}-sds":
            claim_patches(
                self.draft.claims,
                items,
                Outcome.MANUAL,
                "the gateway chart's Role and RoleBinding are others",
                "check the rights",
            )
        elif tree is None and self.renders_more(kind, name):
            reason = f"the gateway chart's {kind} is another than the one of istioctl's chart"
            action = "compare the two, and patch the release by hand"
            claim_patches(self.draft.claims, items, Outcome.MANUAL, reason, action)
        elif tree is None or name != names.get(kind, self.objects.name):
            if unmatched_is_error:
                reason = "no object of this kind and name is rendered, istioctl refuses the overlay"
                claim_patches(
                    self.draft.claims, items, Outcome.MANUAL, reason, "correct kind and name, or remove the overlay"
                )
            else:
                claim_patches(self.draft.claims, items, Outcome.INERT, UNMATCHED)
        else:
            for patch in items:
                self._patch(kind, tree, patch)

    def _patch(self, kind: str, tree: Mapping, patch: Mapping) -> None:
        text = scalar_text(patch, "path")
        path_leaf = next(leaves(patch.items.get("path", Mapping())), None)
        value = overlay_value(patch.items.get("value"))
        if isinstance(value, Scalar) and value.value is None:
            if value.leaf is not None and path_leaf is not None:
                self.draft.claims.companions[value.leaf] = path_leaf
            value = None
        steps = parse(text)
        if (refused := self._refusal(kind, tree, steps, value)) is not None:
            claim_patches(self.draft.claims, [patch], *refused)
            return
        winner = next(leaves(value), None) if value is not None else path_leaf

        def lose(leaf: Leaf) -> None:
            self.draft.claims.add(leaf, lost_to(winner, RULE, "overlays are applied last"))

        walker = Walker(lose)
        try:
            applied = walker.apply(tree, steps, clone(value) if value is not None else None)
        except NoListError:
            claim_patches(self.draft.claims, [patch], Outcome.MANUAL, NO_LIST, NO_LIST_ACTION)
            return
        if not applied:
            claim_patches(self.draft.claims, [patch], Outcome.INERT, without_effect(steps))
            return
        if value is not None and "env" in steps:
            self._settle_repeated(tree, steps[: steps.index("env") + 1], lose)
        if walker.emptied is not None:
            walker.emptied.leaf = path_leaf  # an empty list is said, or the chart's own would come back
        elif value is None and path_leaf is not None:
            self.deletions.append(Deletion(kind, manifest_path(steps), path_leaf))
        elif path_leaf is not None and winner is not None:
            self.draft.claims.companions[path_leaf] = winner

    def _refusal(
        self, kind: str, tree: Mapping, steps: tuple[Step, ...], value: Node | None
    ) -> tuple[Outcome, str] | tuple[Outcome, str, str] | None:
        """Outcome, reason and action of an overlay that is not applied here; None when it is."""
        if not steps:
            return Outcome.INERT, "an overlay without a path changes nothing"
        if is_misshapen(kind, steps, value):
            return Outcome.MANUAL, MISSHAPEN, MISSHAPEN_ACTION
        if "target" in steps and into_old_metric(self.component.k8s, kind, steps):
            return Outcome.MANUAL, OLD_METRIC, OLD_METRIC_ACTION
        if not self._known(tree, steps) or (value is None and self._is_provided(tree, steps)):
            reason = "the path leads into what injection provides under Helm"
            return Outcome.MANUAL, reason, "set it by an annotation or a custom injection template"
        if value is not None and self._replaces_what_the_chart_fills(tree, steps, value):
            reason = "the overlay replaces a part of the object that the gateway chart fills, and names only some of it"
            action = "overlay the single fields instead, or run convert --prove, which patches what differs"
            return Outcome.MANUAL, reason, action
        return None

    def _settle_repeated(self, tree: Mapping, steps: tuple[Step, ...], lose: Callable[[Leaf], None]) -> None:
        """Leave of a variable that an overlay puts into the list a second time the last one, which counts."""
        node: Node | None = tree
        for step in steps:
            if isinstance(node, Sequence):
                node = _element(node, step)
            else:
                node = get(node, (step,)) if isinstance(step, str) else None
        if not isinstance(node, Sequence):
            return
        last: dict[str, Node] = {name_of(item): item for item in node.items}
        for item in [item for item in node.items if last[name_of(item)] is not item]:
            for leaf in leaves(item):
                lose(leaf)
            for leaf in leaves(last[name_of(item)]):
                self.draft.claims.add(leaf, Claim(Outcome.MANUAL, RULE, None, REPEATED, REPEATED_ACTION))
        node.items = [item for item in node.items if last[name_of(item)] is item]

    @staticmethod
    def _replaces_what_the_chart_fills(tree: Mapping, steps: tuple[Step, ...], value: Node) -> bool:
        """Whether a map or list takes the place of one that holds what makes the object a gateway."""
        path = tuple(step for step in steps if isinstance(step, str))
        if len(path) != len(steps) or path not in FILLED:
            return False
        present = get(tree, path)
        if isinstance(present, Mapping):
            return not isinstance(value, Mapping) or bool(set(present.items) - set(value.items))
        return isinstance(present, Sequence)

    @staticmethod
    def _known(tree: Mapping, steps: tuple[Step, ...]) -> bool:
        """Whether the walk stays in what is known here: not in provided texts, nor by position among provided items."""
        node: Node | None = tree
        for position, step in enumerate(steps):
            if isinstance(node, Scalar) and node.value == PROVIDED:
                return False
            if isinstance(node, Mapping) and is_provided(node) and step not in node.items and position + 1 < len(steps):
                return False  # into a part of an element of which only the name is known here
            if isinstance(node, Sequence):
                provided = any(is_provided(item) for item in node.items)
                if isinstance(step, int) and provided and 0 <= step < len(node.items):
                    return False
                if isinstance(step, int) and step < 0:
                    return True
                node = _element(node, step)
            elif isinstance(node, Mapping):
                node = node.items.get(step) if isinstance(step, str) else None
            if node is None:
                return True
        return True

    @staticmethod
    def _is_provided(tree: Mapping, steps: tuple[Step, ...]) -> bool:
        """Whether a path names what injection provides, which it would put back."""
        node: Node | None = tree
        for step in steps:
            if isinstance(node, Sequence):
                node = _element(node, step) if isinstance(step, ByKey) else None
            else:
                node = node.items.get(step) if isinstance(node, Mapping) and isinstance(step, str) else None
        return node is not None and (is_provided(node) or (isinstance(node, Scalar) and node.value == PROVIDED))

    def settle_deletions(self, target_of: Callable[[str], Target], own_selectors: Collection[str]) -> None:
        """Say what became of deletions: most remove what the gateway chart does not render anyway.

        Args:
            target_of: the object of a kind.
            own_selectors: kinds whose selector is patched as a whole.
        """
        for deletion in self.deletions:
            if deletion.path[:2] == SELECTOR:
                target = target_of(deletion.kind)
                if deletion.kind not in own_selectors:
                    self.draft.patches.delete(target, deletion.path, "the operator takes a selector of the chart away")
                self.draft.claim_patch(target, SELECTOR, [deletion.leaf], RULE)
                continue
            around = [s for s in GATEWAY_SLOTS if s.kind == deletion.kind and deletion.path[: len(s.path)] == s.path]
            slot = max(around, key=lambda s: len(s.path), default=None)
            if slot is not None and slot.path[-1] == "containers" and ("name", PROXY) in deletion.path:
                slot = None  # it is about other containers
            if slot is not None and slot.path == deletion.path and slot.id in NEEDED:
                reason = NEEDED[slot.id]
                claim = Claim(Outcome.MANUAL, RULE, None, reason, "remove single keys instead, or leave it as it is")
                self.draft.claims.add(deletion.leaf, claim)
                continue
            if deletion.path[:2] == ("metadata", "labels") and deletion.path[-1] in self.objects.labels.items:
                target = target_of(deletion.kind)
                self.draft.patches.delete(target, deletion.path, "the operator takes this label away")
                self.draft.claim_patch(target, deletion.path, [deletion.leaf], RULE)
                continue
            if deletion.path[:4] == POD_LABELS and deletion.path[-1] in self.objects.labels.items:
                reason = "the pods would lack a label by which they are selected, which the API server refuses"
                self.draft.claims.add(deletion.leaf, Claim(Outcome.MANUAL, RULE, None, reason, "remove the patch"))
                continue
            if slot is not None and slot.provided and self._written_without(deletion.leaf, slot):
                continue
            if slot is None or slot.provided or not slot.value_path:
                if self._chart_renders(deletion, target_of(deletion.kind)):
                    continue
                reason = "the gateway chart renders nothing there"
                if slot is not None and slot.provided:
                    reason = "what stands there comes from injection"
                self._claim(deletion.leaf, Outcome.DEFAULT, reason)
                continue
            rest = tuple(str(step) for step in deletion.path[len(slot.path) :] if isinstance(step, str))
            default = self.draft.chart.default((*slot.value_path, *rest))
            # a list goes into the release without the element; the chart's own then counts for nothing
            in_list = any(isinstance(step, tuple) for step in deletion.path[len(slot.path) :])
            renders = default is not MISSING and bool(default) and slot.kind != "PodDisruptionBudget" and not in_list
            if renders:
                target = target_of(deletion.kind)
                self.draft.patches.delete(target, deletion.path, f"the operator takes this away ({slot.id})")
                self.draft.claim_patch(target, deletion.path, [deletion.leaf], RULE)
            elif not self._written_without(deletion.leaf, slot):
                self._claim(deletion.leaf, Outcome.DEFAULT, LEFT_OUT)

    def _written_without(self, leaf: Leaf, slot: GatewaySlot) -> bool:
        """Say that a deletion lives on in a value that goes without a part; False when there is no such value."""
        if slot.value_path is None or get(self.draft.release.values, slot.value_path) is None:
            return False
        self.draft.claims.add(
            leaf, Claim(Outcome.VALUE, slot.id, self.draft.place(slot.value_path), "written without it")
        )
        return True

    def _chart_renders(self, deletion: Deletion, target: Target) -> bool:
        """Take away a part of the pod that the chart sets itself; False when it does not."""
        rest = deletion.path[len(POD) :]
        plain = all(isinstance(step, str) or step == ("name", PROXY) for step in rest)
        if deletion.path[: len(POD)] != POD or not plain or rest[-1] in VITAL or isinstance(rest[-1], tuple):
            return False
        if not self.draft.chart.skeleton.exists(target.kind, target.name, in_text(deletion.path)):
            return False
        self.draft.patches.delete(target, deletion.path, "the operator takes this away")
        self.draft.claim_patch(target, deletion.path, [deletion.leaf], RULE)
        return True

    def _claim(self, leaf: Leaf, outcome: Outcome, reason: str) -> None:
        self.draft.claims.add(leaf, Claim(outcome, RULE, None, reason))


def _element(items: Sequence, step: Step) -> Node | None:
    if isinstance(step, int):
        return items.items[step] if step < len(items.items) else None
    for item in items.items:
        found = get(item, (step.key,)) if isinstance(step, ByKey) else None
        if isinstance(found, Scalar) and isinstance(step, ByKey) and str(found.value) == step.value:
            return item
    return None
