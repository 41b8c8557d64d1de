"""Applies the k8s settings of base, pilot, cni and ztunnel: a value where the chart has an equal one, else a patch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from istio_convert.ledger import Outcome
from istio_convert.mapping.converters.env_order import (
    OTHERWISE,
    OTHERWISE_ACTION,
    Around,
    keep_order,
    order_with_istioctl,
)
from istio_convert.mapping.converters.general import env_item, has_null, metric_v2, string_scalar, strings
from istio_convert.mapping.draft.claims import Claim
from istio_convert.mapping.draft.control_plane import ControlPlane
from istio_convert.mapping.draft.release import Draft, Laid
from istio_convert.mapping.draft.strategic_merge import K8S_ORDER
from istio_convert.mapping.model import Converted, Facts, Slot, in_text
from istio_convert.mapping.rules.workload import SLOTS
from istio_convert.operator.components import Component
from istio_convert.paths import Path
from istio_convert.source.nodes import Leaf, Mapping, Node, Scalar, Sequence, clone, get, leaves

#: names that charts read one by one from their env value, for more than the container's environment
SINGLED_OUT_ENV = frozenset({"ENABLE_CLUSTER_TRUST_BUNDLE_API", "COMPLIANCE_POLICY", "EXTERNAL_ISTIOD"})
#: fields whose values must be strings in the manifest
STRING_MAPS = {"podAnnotations", "serviceAnnotations", "nodeSelector"}
NEVER_APPLIED = {"volumes", "volumeMounts"}


@dataclass(slots=True)
class SettingsMapper:
    """Maps the k8s settings of one control-plane component."""

    component: Component
    draft: Draft
    plane: ControlPlane

    def run(self) -> None:
        """Map every setting but the overlays."""
        settings = clone(self.component.k8s)
        settings.items.pop("overlays", None)
        for name in NEVER_APPLIED & set(settings.items):
            node = settings.items.pop(name)
            self._claim(node, Outcome.INERT, "k8s.volumes", "istioctl accepts the field and applies it to nothing")
        for slot in most_specific_first(SLOTS):
            taken = _take(settings, slot.k8s_field)
            if taken is not None:
                self._map(slot, taken)

    def _map(self, slot: Slot, node: Node) -> None:
        component = self.component.kind
        missing = self.plane.missing(component, slot.kind)
        if missing:
            self._claim(node, Outcome.INERT, slot.id, missing)
            return
        skipped = self.plane.skipped(component, slot, node)
        if skipped:
            self._claim(node, Outcome.INERT, slot.id, skipped)
            return
        action = self._absent(slot)
        if action:
            place = ".".join(str(step) for step in slot.path)
            reason = f"a DaemonSet has no {place}; istioctl writes it there all the same, and the API server refuses it"
            for leaf in leaves(node):
                self.draft.claims.add(leaf, Claim(Outcome.MANUAL, slot.id, None, reason, action))
            return
        if slot.k8s_field[0] in STRING_MAPS:
            node = strings(node)
        path = slot.values.get(component)
        if path is not None and not self._equal_effect(slot, path, node):
            path = None
        converted = self._convert(slot, node, path)
        emitted: set[Leaf] = set()
        if converted.value is not None and path is not None:
            emitted |= set(leaves(converted.value))
            self._value(slot, path, converted.value)
        if converted.patch is not None:
            emitted |= set(leaves(converted.patch))
            self._patch(slot, converted.patch)
        rest = [leaf for leaf in leaves(node) if leaf not in emitted]
        self._claim_rest(slot, converted, path, rest)
        for override in converted.overridden:
            self.draft.claims.overridden(override.leaf, override.winner, slot.id, override.why)
        for leaf in converted.unequal:
            self.draft.claims.add(leaf, Claim(Outcome.MANUAL, slot.id, None, OTHERWISE, OTHERWISE_ACTION))

    def _absent(self, slot: Slot) -> str:
        """What to do instead of a setting whose place the component's workload does not have; empty when it has."""
        if slot.kind != "workload":
            return ""
        return slot.absent.get(self.draft.catalog.workload(self.component.kind).kind, "")

    def _equal_effect(self, slot: Slot, path: Path, node: Node) -> bool:
        """Whether the chart's value does at this version what the field does, and nothing else."""
        draft = self.draft
        probed = slot.probe if isinstance(slot.probe, dict) and slot.convert is not None else {"": None}
        if has_null(node) or not all(draft.chart.reads((*path, key) if key else path) for key in probed):
            return False
        return self.plane.value_is_equal(self.component.kind, slot)

    def _convert(self, slot: Slot, node: Node, path: Path | None) -> Converted:
        if isinstance(node, Scalar) and node.value is None:
            return Converted(None, node)  # a null takes away whatever the chart renders there
        if slot.convert is not None:
            facts = Facts(self.draft.chart.template_env, SINGLED_OUT_ENV, self.draft.chart.reads)
            converted = slot.convert(node, facts)
            if path is None and converted.value is not None:
                converted = Converted(None, self._as_written(slot, node))
            if slot.k8s_field == ("env",) and isinstance(node, Sequence):
                around = self._variables(slot)
                converted = keep_order(node.items, converted, order_with_istioctl(node.items, around), around)
            return converted
        return Converted(node, None) if path is not None else Converted(None, node)

    def _variables(self, slot: Slot) -> Around:
        """The variables that the container has without the setting."""
        chart, component = self.draft.chart, self.component.kind
        target = self.plane.target(self.component, slot.kind)
        place = in_text(self.plane.manifest_path(component, slot.path))
        elements = chart.skeleton.elements(target.kind, target.name, place)
        printed = elements.names if elements is not None else ()
        texts: dict[str, str] = {}
        for path in reversed(chart.spellings(slot.values.get(component, ()))):
            own = get(self.draft.release.values, path) if path else None
            if isinstance(own, Mapping):
                texts |= {name: str(string_scalar(text).value) for name, text in own.items.items()}
        perhaps = tuple(sorted(chart.template_env - set(printed)))
        return Around(printed=printed, perhaps=perhaps, texts=texts)

    @staticmethod
    def _as_written(slot: Slot, node: Node) -> Node:
        """The whole field as a patch, in the converter's cleaned-up form where it has one."""
        if isinstance(node, Sequence) and slot.k8s_field[-1] == "env":
            return Sequence([env_item(item) if isinstance(item, Mapping) else item for item in node.items])
        if isinstance(node, Sequence) and slot.k8s_field[-1] == "metrics":
            return Sequence([metric_v2(item) for item in node.items])
        return clone(node)

    def _value(self, slot: Slot, path: Path, node: Node) -> None:
        self.draft.set_value(path, node, slot.id, why_wins=K8S_ORDER)

    def _patch(self, slot: Slot, node: Node) -> None:
        target = self.plane.target(self.component, slot.kind)
        path = self.plane.manifest_path(self.component.kind, slot.path)
        if slot.kind == "PodDisruptionBudget" and isinstance(node, Mapping):
            node = self.plane.budget(node)
        self.draft.laid.append(Laid(target, path, node, False, K8S_ORDER))
        self.draft.patch(target, path, node, slot.id, f"{slot.source}: {slot.why}")

    def _claim_rest(self, slot: Slot, converted: Converted, path: Path | None, rest: list[Leaf]) -> None:
        """Leaves that became keys or were folded away live on where the field lives on."""
        if converted.value is not None and path is not None:
            for leaf in rest:
                self.draft.claims.add(leaf, Claim(Outcome.VALUE, slot.id, self.draft.place(path)))
        elif converted.patch is not None:
            target = self.plane.target(self.component, slot.kind)
            manifest = self.plane.manifest_path(self.component.kind, slot.path)
            self.draft.claim_patch(target, manifest, rest, slot.id)
        else:
            for leaf in rest:
                self.draft.claims.add(leaf, Claim(Outcome.DEFAULT, slot.id, None, "an empty setting changes nothing"))

    def _claim(self, node: Node, outcome: Outcome, rule: str, reason: str) -> None:
        for leaf in leaves(node):
            self.draft.claims.add(leaf, Claim(outcome, rule, None, reason))


def most_specific_first(slots: Iterable[Slot]) -> list[Slot]:
    """The slots in the order in which they take their fields: deep ones before the one above them."""
    return sorted(slots, key=lambda slot: -len(slot.k8s_field))


def _take(settings: Mapping, path: tuple[str, ...]) -> Node | None:
    """Remove and return what stands at a path; None when nothing (or an emptied map) does."""
    container: Node | None = get(settings, path[:-1])
    if not isinstance(container, Mapping):
        return None
    node = container.items.pop(path[-1], None)
    if isinstance(node, Mapping) and not node.items and node.leaf is None:
        return None
    return node


def string_if_text(node: Node) -> Node:
    """A scalar as a string; other nodes as maps of strings."""
    return string_scalar(node) if isinstance(node, Scalar) else strings(node)
