"""Which objects the charts of the control plane render, how they are called, and what decides that they exist."""

from __future__ import annotations

from dataclasses import dataclass

from istio_convert.catalog import MISSING, Catalog
from istio_convert.mapping.model import CONTAINER, ManifestPath, Slot
from istio_convert.operator.components import Component
from istio_convert.operator.effective import Effective
from istio_convert.release import Target
from istio_convert.source.nodes import Mapping, Node, Scalar, clone, get

GROUPS = {
    "Deployment": ("apps", "v1"),
    "DaemonSet": ("apps", "v1"),
    "HorizontalPodAutoscaler": ("autoscaling", "v2"),
    "PodDisruptionBudget": ("policy", "v1"),
    "Service": ("", "v1"),
    "ServiceAccount": ("", "v1"),
    "ConfigMap": ("", "v1"),
    "Role": ("rbac.authorization.k8s.io", "v1"),
    "RoleBinding": ("rbac.authorization.k8s.io", "v1"),
    "ClusterRole": ("rbac.authorization.k8s.io", "v1"),
    "ClusterRoleBinding": ("rbac.authorization.k8s.io", "v1"),
    "MutatingWebhookConfiguration": ("admissionregistration.k8s.io", "v1"),
    "ValidatingWebhookConfiguration": ("admissionregistration.k8s.io", "v1"),
    "CustomResourceDefinition": ("apiextensions.k8s.io", "v1"),
    "NetworkPolicy": ("networking.k8s.io", "v1"),
    "ResourceQuota": ("", "v1"),
}
CLUSTER_SCOPED = {
    "ClusterRole",
    "ClusterRoleBinding",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
    "CustomResourceDefinition",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "Namespace",
}


def truth(value: object) -> bool:
    """Go's truth in a template."""
    return bool(value)


def number(value: object) -> int:
    """Go's ``int`` in a template: 0 for what is no number."""
    if isinstance(value, bool) or value is None:
        return 0
    try:
        return int(float(str(value)))
    except ValueError:
        return 0


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """What an operator's control plane consists of at the target version."""

    effective: Effective
    catalog: Catalog

    @property
    def revision(self) -> str:
        """The revision, empty when there is none."""
        value = self.effective.value("revision")
        return str(value) if value else ""

    @property
    def istiod(self) -> str:
        """Name of istiod's Deployment, Service, HPA and PDB."""
        return f"istiod-{self.revision}" if self.revision else "istiod"

    def setting(self, *path: str) -> object:
        """A value of the istiod chart that is in force: the user's, the profile file's, or the chart's default."""
        chart = self.catalog.chart("istiod")
        for spelling in (("pilot", *path), path):
            node = get(self.effective.values, spelling)
            if isinstance(node, Scalar):
                return node.value
        profile = str(self.effective.value("profile") or "")
        if profile in self.catalog.helm_profiles:
            found: object = self.catalog.helm_profile(profile)
            for step in ("pilot", *path):
                found = found.get(step, MISSING) if isinstance(found, dict) else MISSING
            if found is not MISSING:
                return found
        default = chart.default(path)
        return chart.default(("pilot", *path)) if default is MISSING else default

    def shared(self, *path: str) -> object:
        """A value below ``global`` that is in force."""
        node = get(self.effective.values, ("global", *path))
        return node.value if isinstance(node, Scalar) else self.catalog.chart("istiod").default(("global", *path))

    def missing(self, component: str, kind: str) -> str:
        """Why an object of this kind is not rendered for a component; empty when it is."""
        if component == "pilot" and self.is_remote:
            return "no istiod is rendered here: the profile is remote"
        if kind == "workload":
            return f"the component {component} has no workload" if component in ("base", "istiodRemote") else ""
        if component != "pilot":
            return f"the {component} chart renders no {kind}"
        if kind == "HorizontalPodAutoscaler" and not self.autoscaled:
            return "istiod has no HorizontalPodAutoscaler: autoscaling is off"
        if kind == "PodDisruptionBudget" and not self.has_budget:
            return f"istiod has no PodDisruptionBudget with these settings{self.budget_cure('pilot')}"
        return ""

    @property
    def is_remote(self) -> bool:
        """Whether the istiod chart renders no istiod, because the control plane runs elsewhere."""
        node = get(self.effective.values, ("istiodRemote", "enabled"))
        if isinstance(node, Scalar):
            return truth(node.value)
        profile = str(self.effective.value("profile") or "")
        if profile not in self.catalog.helm_profiles:
            return False
        settings = self.catalog.helm_profile(profile).get("istiodRemote")
        return isinstance(settings, dict) and truth(settings.get("enabled"))

    @property
    def autoscaled(self) -> bool:
        """Whether istiod's autoscaler is rendered."""
        return all(truth(self.setting(name)) for name in ("autoscaleEnabled", "autoscaleMin", "autoscaleMax"))

    @property
    def has_budget(self) -> bool:
        """Whether istioctl renders istiod's PodDisruptionBudget."""
        if not truth(self.shared("defaultPodDisruptionBudget", "enabled")):
            return False
        return not self.catalog.behaviour("budget_needs_two_replicas") or self._two_replicas()

    def budget_cure(self, values: str) -> str:
        """What brings a PodDisruptionBudget that is not rendered back: the end of a sentence.

        Args:
            values: where the numbers of the workload stand, below ``values``.
        """
        if not truth(self.shared("defaultPodDisruptionBudget", "enabled")):
            return ": values.global.defaultPodDisruptionBudget.enabled is off"
        counted = " or hpaSpec.minReplicas" if self.feeds else ", whatever hpaSpec.minReplicas says"
        return f": it takes values.{values}.autoscaleMin of 2 or more (without autoscaling replicaCount){counted}"

    @property
    def feeds(self) -> bool:
        """Whether istioctl hands istiod's numbers of replicas to the chart; a null in their place keeps them out."""
        nulled = isinstance(self.effective.values.items.get("pilot"), Scalar)
        return self.catalog.behaviour("feeds_replicas_to_values") and not nulled

    def _two_replicas(self) -> bool:
        k8s = get(self.effective.spec, ("components", "pilot", "k8s"))
        fed = self.feeds
        minimum = get(k8s, ("hpaSpec", "minReplicas")) if fed else None
        count = get(k8s, ("replicaCount",)) if fed else None
        low = minimum.value if isinstance(minimum, Scalar) else self.setting("autoscaleMin")
        fixed = count.value if isinstance(count, Scalar) and count.value else self.setting("replicaCount")
        return number(low) > 1 if truth(self.setting("autoscaleEnabled")) else number(fixed) > 1

    def skipped(self, component: str, slot: Slot, node: Node) -> str:
        """Why istioctl of this version skips a setting; empty when it does not."""
        empty = isinstance(node, Scalar) and node.value in (0, "")
        if empty and self.catalog.behaviour("skips_zero_and_empty_settings"):
            return "istioctl of this version skips a setting that is 0 or empty"
        if slot.k8s_field == ("replicaCount",) and component == "pilot":
            explicit = get(self.effective.values, ("pilot", "autoscaleEnabled"))
            on = isinstance(explicit, Scalar) and explicit.value is True
            if on and self.catalog.behaviour("skips_replica_count_when_autoscaled"):
                return "istioctl of this version skips replicaCount while autoscaling is on"
        return ""

    @property
    def platform(self) -> Scalar | None:
        """The platform in force: the operator's, or that of the profile file."""
        for path in (("platform",), ("global", "platform")):
            node = get(self.effective.values, path)
            if isinstance(node, Scalar) and node.value:
                return node
        profile = str(self.effective.value("profile") or "")
        if profile in self.catalog.helm_profiles:
            known = self.catalog.helm_profile(profile).get("global", {})
            if "platform" in known:
                return Scalar(known["platform"])
        return None

    def value_is_equal(self, component: str, slot: Slot, *, overlay: bool = False) -> bool:
        """Whether a value, besides moving its place, decides about another object as istioctl does.

        Args:
            component: the operator's component.
            slot: the entry of the table.
            overlay: the setting is an overlay, which istioctl never feeds to the chart.
        """
        if component != "pilot":
            return True
        decides = slot.k8s_field in (("hpaSpec", "minReplicas"), ("replicaCount",))
        conditional = self.catalog.behaviour("budget_needs_two_replicas")
        if decides and conditional and (overlay or not self.feeds):
            return not truth(self.shared("defaultPodDisruptionBudget", "enabled"))
        if slot.k8s_field == ("replicaCount",):
            return not truth(self.setting("autoscaleEnabled"))
        if slot.k8s_field == ("env",):
            return not self.catalog.behaviour("env_reaches_injector")
        return True

    def target(self, component: Component, kind: str) -> Target:
        """The object that a slot is for."""
        if kind == "workload":
            workload = self.catalog.workload(component.kind)
            name = self.istiod if component.kind == "pilot" else (workload.name or component.name)
            return Target(*GROUPS[workload.kind], workload.kind, name, component.namespace)
        return Target(*GROUPS[kind], kind, self.istiod, component.namespace)

    def manifest_path(self, component: str, path: ManifestPath) -> ManifestPath:
        """The path with the component's container filled in."""
        if CONTAINER not in path:
            return path
        container = self.catalog.workload(component).container
        return tuple(("name", container) if step == CONTAINER else step for step in path)

    @staticmethod
    def budget(node: Mapping) -> Mapping:
        """A PodDisruptionBudget patch: maxUnavailable drops the chart's minAvailable, a selector replaces its."""
        copy = clone(node)
        if "maxUnavailable" in copy.items and "minAvailable" not in copy.items:
            copy.items["minAvailable"] = Scalar(None)  # the two exclude each other
        selector = copy.items.get("selector")
        if isinstance(selector, Mapping):
            copy.items["selector"] = Mapping({"$patch": Scalar("replace"), **selector.items}, selector.leaf)
        return copy
