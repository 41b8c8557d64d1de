"""Converts one gateway: istioctl's objects for it, looked up place by place in the gateway table."""

from __future__ import annotations

from dataclasses import dataclass, field

from istio_convert.catalog import MISSING
from istio_convert.ledger import Outcome
from istio_convert.mapping.controlplane.effective_values import OtherObjects
from istio_convert.mapping.converters.env_order import OTHERWISE, OTHERWISE_ACTION, Around, keep_order, refers
from istio_convert.mapping.converters.gateway import env_list
from istio_convert.mapping.converters.gateway_defaults import IN_PROXY, untouched, without_mark
from istio_convert.mapping.converters.general import has_null, metric_v2, strings
from istio_convert.mapping.draft.claims import Claim, lost_to
from istio_convert.mapping.draft.control_plane import GROUPS, ControlPlane, number
from istio_convert.mapping.draft.release import Draft
from istio_convert.mapping.draft.strategic_merge import StrategicMerge, find
from istio_convert.mapping.draft.trees import PROXY, covers, is_changed, items_of, map_at, name_of, nulls_of
from istio_convert.mapping.gateway.inputs import GatewayInputs
from istio_convert.mapping.gateway.objects import GatewayBuilder, GatewayObjects
from istio_convert.mapping.gateway.overlays import Deletion, GatewayOverlays
from istio_convert.mapping.gateway.remainder import RestMapper
from istio_convert.mapping.model import IN_CONTAINER, POD, Converted, Facts, GatewaySlot, ManifestPath
from istio_convert.mapping.rules.gateway import GATEWAY_SLOTS
from istio_convert.operator.components import GATEWAYS, Component
from istio_convert.release import Target
from istio_convert.source.nodes import (
    Leaf,
    Mapping,
    Node,
    Scalar,
    Sequence,
    clone,
    get,
    leaves,
    to_data,
)

#: where istioctl applies the k8s settings of a gateway
SETTINGS: dict[str, tuple[str, ManifestPath]] = {
    "affinity": ("Deployment", (*POD, "affinity")),
    "env": ("Deployment", (*IN_CONTAINER, "env")),
    "hpaSpec": ("HorizontalPodAutoscaler", ("spec",)),
    "imagePullPolicy": ("Deployment", (*IN_CONTAINER, "imagePullPolicy")),
    "nodeSelector": ("Deployment", (*POD, "nodeSelector")),
    "podDisruptionBudget": ("PodDisruptionBudget", ("spec",)),
    "podAnnotations": ("Deployment", ("spec", "template", "metadata", "annotations")),
    "priorityClassName": ("Deployment", (*POD, "priorityClassName")),
    "readinessProbe": ("Deployment", (*IN_CONTAINER, "readinessProbe")),
    "replicaCount": ("Deployment", ("spec", "replicas")),
    "resources": ("Deployment", (*IN_CONTAINER, "resources")),
    "strategy": ("Deployment", ("spec", "strategy")),
    "tolerations": ("Deployment", (*POD, "tolerations")),
    "serviceAnnotations": ("Service", ("metadata", "annotations")),
    "service": ("Service", ("spec",)),
    "securityContext": ("Deployment", (*POD, "securityContext")),
}

#: what the gateway chart sets on the proxy, and istioctl on the pod
CHART_USER = {"runAsUser": 1337, "runAsGroup": 1337, "runAsNonRoot": True}
STRING_SETTINGS = {"podAnnotations", "serviceAnnotations", "nodeSelector"}
INJECTION = "sidecar.istio.io/inject"


@dataclass(slots=True)
class GatewayMapper:
    """Maps one gateway into its release."""

    component: Component
    draft: Draft
    plane: ControlPlane
    objects: GatewayObjects = field(init=False)
    decided_by: Node = field(default_factory=Mapping)
    has_other_containers: bool = False
    deletions: list[Deletion] = field(default_factory=list)

    def run(self) -> None:
        """Fill the release of this gateway."""
        inputs = GatewayInputs(self.component, self.draft, self.plane)
        gateway = inputs.values()
        labels = inputs.labels(gateway)
        builder = GatewayBuilder(
            self.component,
            gateway,
            inputs.shared(),
            pdb_rendered=inputs.has_budget(gateway),
            openshift=self.openshift,
        )
        self.decided_by = inputs.replicas(gateway)
        self.objects = builder.build(labels)
        self._apply_settings()
        other = OtherObjects(self.component, self.objects.name, self.draft.catalog, self.plane.effective)
        overlays = GatewayOverlays(self.component, self.draft, self.objects, other.rendered, self.deletions)
        overlays.apply(self.draft.catalog.behaviour("unmatched_overlay_is_error"))
        self._keep_injection()
        rest = RestMapper(self.draft, self.component, self.objects)
        rest.identity(gateway, self.plane)
        self._scaling_switch(gateway)
        self._look_at_containers()
        holders: dict[tuple[str, ManifestPath], Mapping | None] = {}  # many places stand in few maps
        for slot in GATEWAY_SLOTS:
            place, name = (slot.kind, slot.path[:-1]), str(slot.path[-1])
            if place not in holders:
                holders[place] = map_at(self.objects.objects.get(slot.kind), slot.path[:-1])
            holder = holders[place]
            if holder is not None and name in holder.items:
                self._map(slot, holder, name)
        overlays.settle_deletions(self._target, rest.own_selectors)
        rest.leftovers(self._target)
        rest.policy(self.plane)

    # -- settings and overlays ---------------------------------------------------------------------------------

    def _apply_settings(self) -> None:
        skips = self.draft.catalog.behaviour("skips_zero_and_empty_settings")
        for name, node in self.component.k8s.items.items():
            if name in ("overlays", "volumes", "volumeMounts"):
                if name != "overlays":
                    self._claim(node, "k8s.volumes", "istioctl accepts the field and applies it to nothing")
                continue
            if name not in SETTINGS:
                continue  # the sweep names it
            kind, path = SETTINGS[name]
            tree = self.objects.objects.get(kind)
            if tree is None:
                self._claim(node, f"gateway.{name}", self._unrendered(kind))
            elif skips and isinstance(node, Scalar) and node.value in (0, ""):
                self._claim(node, f"gateway.{name}", "istioctl of this version skips a setting that is 0 or empty")
            elif name == "replicaCount" and self._replicas_skipped():
                self._claim(
                    node, f"gateway.{name}", "istioctl of this version skips replicaCount while autoscaling is on"
                )
            else:
                self._lay_over(kind, tree, path, self._prepared(name, node))

    def _replicas_skipped(self) -> bool:
        root = GATEWAYS[self.component.kind]
        explicit = get(self.plane.effective.values, ("gateways", root, "autoscaleEnabled"))
        on = isinstance(explicit, Scalar) and explicit.value is True
        return on and self.draft.catalog.behaviour("skips_replica_count_when_autoscaled")

    @staticmethod
    def _prepared(name: str, node: Node) -> Node:
        if name in STRING_SETTINGS:
            return strings(node)
        if name == "service" and isinstance(node, Mapping):
            # the ports went to the chart as values
            return Mapping({k: v for k, v in node.items.items() if k != "ports"}, node.leaf, node.origin)
        return node

    def _lay_over(self, kind: str, tree: Mapping, path: ManifestPath, node: Node) -> None:
        holder = map_at(tree, path[:-1])
        if holder is None:
            raise LookupError(f"{kind} is built without {path[:-1]}")  # a bug of the builder
        merging = StrategicMerge(kind)
        merging.merge_into(holder, str(path[-1]), node)
        for override in merging.overrides:
            self.draft.claims.add(override.leaf, lost_to(override.winner, "k8s", override.why))
        emptied = nulls_of(path, node) if merging.consumed else {}
        for leaf in merging.consumed:
            if emptied.get(leaf) == ("spec",):
                reason = f"istioctl would leave the {kind} without a spec"
                self.draft.claims.add(leaf, Claim(Outcome.MANUAL, "k8s", None, reason, "remove the field"))
            elif leaf in emptied:
                self.deletions.append(Deletion(kind, emptied[leaf], leaf))
            else:
                self.draft.claims.add(leaf, Claim(Outcome.DEFAULT, "k8s", None, "changes nothing"))
        if kind == "PodDisruptionBudget":
            spec = tree.items.get("spec")
            if isinstance(spec, Mapping) and {"maxUnavailable", "minAvailable"} <= set(spec.items):
                spec.items.pop("minAvailable")  # the two exclude each other

    # -- looking the places up -------------------------------------------------------------------------------------

    def _target(self, kind: str) -> Target:
        name = self.objects.service_account if kind in ("ServiceAccount", "Role", "RoleBinding") else self.objects.name
        return Target(*GROUPS[kind], kind, name, self.component.namespace)

    @property
    def openshift(self) -> bool:
        """Whether the charts set no user id, because the platform gives one."""
        platform = self.plane.platform
        return platform is not None and platform.value == "openshift"

    def _look_at_containers(self) -> None:
        """Who else lives by the pod's security context: containers beside the proxy, and the proxy's own user.

        istioctl sets user and group on the pod, the gateway chart on the proxy, where they would hide the pod's.
        """
        pod = get(self.objects.objects["Deployment"], POD)
        assert isinstance(pod, Mapping)  # noqa: S101 - the builder makes it
        containers = pod.items.get("containers")
        extra = isinstance(containers, Sequence) and len(containers.items) > 1
        self.has_other_containers = extra or bool(pod.items.get("initContainers"))
        own = to_data(pod.items.get("securityContext", Mapping()))
        proxy = find(containers, "name", PROXY) if isinstance(containers, Sequence) else None
        context = proxy.items.get("securityContext") if proxy is not None else None
        hidden = {"runAsNonRoot": True} if self.openshift else CHART_USER
        if isinstance(context, Mapping) and own and any(own.get(key) != value for key, value in hidden.items()):
            copy = clone(context)
            self.draft.set_value(("containerSecurityContext",), copy, "gateway.securityContext")
        elif proxy is not None and is_changed(context, self.objects.provided.get((*IN_PROXY, "securityContext"))):
            # the chart's own user goes with its context when the operator gives the proxy another, or none
            context = context if isinstance(context, Mapping) else Mapping()
            proxy.items["securityContext"] = context
            for key, value in own.items():
                if key in hidden:
                    context.items.setdefault(key, Scalar(value))

    def _keep_injection(self) -> None:
        """Under Helm a gateway lives by injection: a label that turns it off would leave a pod without an image."""
        metadata = get(self.objects.objects["Deployment"], ("spec", "template", "metadata", "labels"))
        for labels in (metadata, self.objects.labels):
            node = labels.items.pop(INJECTION, None) if isinstance(labels, Mapping) else None
            on = isinstance(node, Scalar) and str(node.value).lower() == "true"
            outcome = Outcome.DEFAULT if on else Outcome.MANUAL
            reason = (
                "the gateway chart asks for injection itself" if on else "Helm's gateways get their proxy by injection"
            )
            for leaf in leaves(node) if node is not None else ():
                action = "" if on else "remove it from the operator"
                self.draft.claims.add(leaf, Claim(outcome, "gateway.injection", None, reason, action))

    def _scaling_switch(self, gateway: Mapping) -> None:
        switch = gateway.items.get("autoscaleEnabled")
        scaled = "HorizontalPodAutoscaler" in self.objects.objects
        leaf = switch.leaf if isinstance(switch, Scalar) else None
        self.draft.set_value(("autoscaling", "enabled"), Scalar(scaled, leaf), "gateway.autoscaling")
        deployment = get(self.objects.objects["Deployment"], ("spec",))
        if not scaled and isinstance(deployment, Mapping) and "replicas" not in deployment.items:
            self.draft.patch(
                self._target("Deployment"),
                ("spec", "replicas"),
                Scalar(None),
                "gateway.replicas",
                "istioctl leaves the number of replicas to whoever scales the gateway; the chart would set 1",
            )

    def _map(self, slot: GatewaySlot, holder: Mapping, name: str) -> None:
        node = self._take(holder, name, slot)
        inherited = slot.id == "gateway.securityContext" and self.has_other_containers
        if node is None or (slot.provided and not inherited and self._is_initial(slot, node)):
            return
        if slot.only_without in self.objects.objects:
            self._patch(slot, node, replace=False)
            return
        if slot.decides_budget and self._keep_budget(slot, node):
            return
        reads = bool(slot.value_path) and self.draft.chart.reads(slot.value_path) and self._in_force(slot.only_when)
        converted = self._convert(slot, node)
        if not reads and converted.value is not None:
            converted = Converted(None, self._whole(slot, node, converted))
        if converted.value is not None and (has_null(converted.value) or not self._yields(slot, converted.value)):
            converted = Converted(None, self._whole(slot, node, converted))
        if slot.id == "gateway.env" and any(map(refers, items_of(node))):
            converted = self._in_order(node, converted)
        self._emit(slot, node, converted)

    def _in_order(self, node: Node, converted: Converted) -> Converted:
        """The split of the proxy's variables; injection puts those of every proxy in front."""
        order = [name_of(item) for item in items_of(node)]
        own = [without_mark(item) for item in items_of(node) if not untouched(item)]
        names = {name_of(item) for item in own}
        behind = self.draft.chart.reads(("envVarFrom",))
        around = Around(first=tuple(name for name in order if name not in names), behind=behind)
        return keep_order(own, converted, order, around)

    def _unrendered(self, kind: str) -> str:
        """Why a setting has no object, and what would give it one."""
        reason = f"istioctl renders no {kind} for this gateway"
        if kind != "PodDisruptionBudget":
            return reason
        chart = "istio-ingressgateway" if self.component.kind == "ingressGateways" else "istio-egressgateway"
        return reason + self.plane.budget_cure(f"gateways.{chart}")

    def _keep_budget(self, slot: GatewaySlot, node: Node) -> bool:
        """Where istioctl decided by one number that there is a budget, and another is in force: True when settled."""
        conditional = self.draft.catalog.behaviour("budget_needs_two_replicas")
        if not conditional or "PodDisruptionBudget" not in self.objects.objects:
            return False
        reason = "decides that there is a PodDisruptionBudget"
        if number(to_data(node)) > 1:
            for leaf in set(leaves(self.decided_by)) - set(leaves(node)):
                claim = Claim(Outcome.VALUE, slot.id, self.draft.place(slot.value_path), reason)
                self.draft.claims.add(leaf, claim)
            return False
        self.draft.set_value(slot.value_path, clone(self.decided_by), slot.id, reason=reason)
        self._patch(slot, node, replace=False)
        return True

    def _in_force(self, condition: tuple[tuple[str, ...], object] | None) -> bool:
        """Whether what a value depends on is so in this release."""
        if condition is None:
            return True
        path, wanted = condition
        node = get(self.draft.release.values, path)
        return bool((to_data(node) if node is not None else self.draft.chart.default(path)) == wanted)

    def _convert(self, slot: GatewaySlot, node: Node) -> Converted:
        if slot.convert is None:
            return Converted(node, None)
        return slot.convert(node, Facts(frozenset(), frozenset(), self.draft.chart.reads))

    def _emit(self, slot: GatewaySlot, node: Node, converted: Converted) -> None:
        if converted.value is not None:
            self.draft.set_value(
                slot.value_path,
                converted.value,
                slot.id,
                explicit=slot.explicit,
                why_wins="the operator's setting wins",
            )
        if converted.patch is not None:
            listed = slot.id == "gateway.env" and self.draft.chart.reads(("envVarFrom",))
            if listed:
                self.draft.set_value(("envVarFrom",), converted.patch, slot.id)
            else:
                self._patch(slot, converted.patch, replace=self._must_replace(slot, converted.patch))
        if converted.value is node:
            return  # all of it, as it stands
        emitted = {leaf for part in (converted.value, converted.patch) if part is not None for leaf in leaves(part)}
        for leaf in leaves(node):
            if leaf not in emitted:
                self._rest(slot, converted, leaf)
        for leaf in converted.unequal:
            self.draft.claims.add(leaf, Claim(Outcome.MANUAL, slot.id, None, OTHERWISE, OTHERWISE_ACTION))

    def _rest(self, slot: GatewaySlot, converted: Converted, leaf: Leaf) -> None:
        if converted.value is not None:
            claim = Claim(Outcome.VALUE, slot.id, self.draft.place(slot.value_path))
            self.draft.claims.add(leaf, claim)
        elif converted.patch is not None:
            self.draft.claim_patch(self._target(slot.kind), slot.path, [leaf], slot.id)
        else:
            reason = "the gateway chart does this itself"
            self.draft.claims.add(leaf, Claim(Outcome.DEFAULT, slot.id, None, reason))

    def _patch(self, slot: GatewaySlot, node: Node, *, replace: bool) -> None:
        self.draft.patch(
            self._target(slot.kind), slot.path, node, slot.id, f"{slot.source}: {slot.why}", replace=replace
        )

    def _must_replace(self, slot: GatewaySlot, node: Node) -> bool:
        """Whether the chart puts something at the place that a merge would leave standing."""
        if isinstance(node, Mapping) and any(isinstance(v, Scalar) and v.value is None for v in node.items.values()):
            return False
        if slot.id == "gateway.env":
            return False
        default = self.draft.chart.default(slot.value_path) if slot.value_path else MISSING
        return bool(slot.provided) or (isinstance(default, dict | list) and bool(default))

    def _whole(self, slot: GatewaySlot, node: Node, converted: Converted) -> Node:
        """All of a place as one patch."""
        if slot.id == "gateway.env":
            return env_list(Sequence([without_mark(item) for item in items_of(node) if not untouched(item)]))
        if slot.id == "gateway.hpa.metrics":
            return Sequence([metric_v2(metric) for metric in items_of(node)])
        return converted.value if converted.value is not None else node

    def _yields(self, slot: GatewaySlot, node: Node) -> bool:
        """Whether Helm, merging the value over the chart's default, ends at the value: it cannot remove a key."""
        if slot.id in ("gateway.hpa.metrics", "gateway.podAnnotations") or not isinstance(node, Mapping):
            return True
        default = self.draft.chart.default(slot.value_path)
        return not isinstance(default, dict) or covers(to_data(node), default)

    @staticmethod
    def _take(holder: Mapping, name: str, slot: GatewaySlot) -> Node | None:
        """Take what stands at a place out of the object; None when there is nothing to look at."""
        node = holder.items[name]
        if name == "containers" and isinstance(node, Sequence):
            extra = [item for item in node.items if name_of(item) != PROXY]
            node.items = [item for item in node.items if name_of(item) == PROXY]
            return Sequence(extra) if extra else None
        del holder.items[name]
        if isinstance(node, Sequence) and name in ("volumes", "volumeMounts"):
            kept = [without_mark(item) for item in node.items if not untouched(item)]
            return Sequence(kept, origin=node.origin) if kept else None
        if isinstance(node, Mapping | Sequence) and not node.items and node.leaf is None:
            # annotations that istioctl leaves out and the chart sets must still be looked at
            return node if slot.id == "gateway.podAnnotations" else None
        return node

    def _is_initial(self, slot: GatewaySlot, node: Node) -> bool:
        if self.objects.provided.get(slot.path) != to_data(node):
            return False
        for leaf in leaves(node):
            claim = Claim(Outcome.DEFAULT, slot.id, None, "the same comes from injection")
            self.draft.claims.add(leaf, claim)
        return True

    def _claim(self, node: Node, rule: str, reason: str) -> None:
        for leaf in leaves(node):
            self.draft.claims.add(leaf, Claim(Outcome.INERT, rule, None, reason))
