"""The engine: applies the tables to effective operators, collects releases, and alone writes the ledger."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from istio_convert.catalog import Catalog
from istio_convert.errors import Issue, MergeConflictError
from istio_convert.ledger import ClosedLedger, Ledger, Outcome
from istio_convert.mapping.checks.cluster_singletons import Built, ClusterSingletons
from istio_convert.mapping.checks.conflicts import contradictions, join
from istio_convert.mapping.checks.unclaimed_leaves import claim_open_leaves
from istio_convert.mapping.checks.unwritable_names import UnwritableNames
from istio_convert.mapping.controlplane.chart_owned_keys import ChartOwnedKeys
from istio_convert.mapping.controlplane.effective_values import values_for
from istio_convert.mapping.controlplane.overlays import OverlayMapper
from istio_convert.mapping.controlplane.overridden_values import OverriddenValues
from istio_convert.mapping.controlplane.passthrough import Passthrough
from istio_convert.mapping.controlplane.settings import SettingsMapper
from istio_convert.mapping.draft.claims import Claim, Claims, lost_to
from istio_convert.mapping.draft.control_plane import ControlPlane
from istio_convert.mapping.draft.image_tags import TagMapper
from istio_convert.mapping.draft.release import Draft
from istio_convert.mapping.draft.template_text import text_of
from istio_convert.mapping.gateway.mapper import GatewayMapper
from istio_convert.operator.components import GATEWAYS, Component, Selection, enabling_leaf, select
from istio_convert.operator.documents import Inputs
from istio_convert.operator.effective import Effective
from istio_convert.release import Release, Target
from istio_convert.source.nodes import Leaf, Scalar, Sequence, get

CHARTS = {"base": "base", "istiodRemote": "istiod-remote", "pilot": "istiod", "cni": "cni", "ztunnel": "ztunnel"}
ORDER = ("base", "istiodRemote", "pilot", "cni", "ztunnel", "ingressGateways", "egressGateways")
RELEASE_NAMES = {
    "base": "istio-base",
    "istiodRemote": "istiod-remote",
    "pilot": "istiod",
    "cni": "istio-cni",
    "ztunnel": "ztunnel",
}

#: what the charts take for an address, and everything else for a host's name
_IP_ADDRESS = re.compile(r"([0-9]*\.){3}[0-9]*$")


@dataclass(slots=True)
class Outcomes:
    """What a run produced."""

    releases: list[Release]
    ledger: ClosedLedger
    warnings: list[Issue] = field(default_factory=list)


@dataclass(slots=True)
class Engine:
    """One run over all operators of an input."""

    catalog: Catalog
    inputs: Inputs
    claims: Claims = field(default_factory=Claims)
    warnings: list[Issue] = field(default_factory=list)
    default_revision: str | None = None
    home: str = ""

    def run(self, operators: list[Effective]) -> Outcomes:
        """Convert all operators.

        Raises:
            MergeConflictError: two operators would render one release differently.
        """
        built: list[Built] = []
        remote = self.catalog.has_chart("istiod-remote")
        selections = [(operator, select(operator, remote=remote)) for operator in operators]
        self._note_default_revision(selections)
        for operator, selection in selections:
            for override in operator.overrides:
                self.claims.add(override.leaf, lost_to(override.winner, "merge", override.why))
            built += self._operator(operator, selection)
        once = ClusterSingletons(built, self.home)
        once.settle()
        self.warnings += once.warnings
        releases = self._unite(built)
        ledger = Ledger(self._all_leaves(operators))
        claim_open_leaves(self.claims, ledger.open_leaves(), operators, selections, self.inputs, self.catalog)
        self.claims.settle(ledger)
        return Outcomes(releases, ledger.close(), self.warnings)

    def _all_leaves(self, operators: list[Effective]) -> Iterable[Leaf]:
        for document in self.inputs.documents:
            yield from document.leaves
        for effective in operators:
            if effective.set_flags is not None:
                yield from effective.set_flags.leaves

    def _note_default_revision(self, selections: list[tuple[Effective, Selection]]) -> None:
        """The revision that the base chart's validator belongs to: that of the first control plane."""
        for operator, selection in selections:
            if any(component.kind == "pilot" for component in selection.on):
                self.default_revision = ControlPlane(operator, self.catalog).revision
                self.home = operator.namespace
                return

    def _operator(self, operator: Effective, selection: Selection) -> list[Built]:
        plane = ControlPlane(operator, self.catalog)
        self._note_remote(operator)
        self._note_profile_gateways(operator)
        built = []
        for component in sorted(selection.on, key=lambda c: (ORDER.index(c.kind), c.index)):
            draft = self._component(operator, component, plane)
            if component.kind == "istiodRemote" and any(other.kind == "base" for other in selection.on):
                self._leave_to_base(draft, plane)
            self._warn(component, draft)
            built.append(Built(operator, component, draft))
        self._depend([one.draft for one in built])
        return built

    def _note_profile_gateways(self, operator: Effective) -> None:
        """Up to 1.23 a list of gateways is added to the profile's: those of the profile are live as well."""
        settings = self.catalog.istioctl_profile(operator.profile) or {}
        for kind in GATEWAYS:
            own = get(operator.user, ("components", kind))
            if not isinstance(own, Sequence) or not own.items:
                continue
            names = {str(name.value) for item in own.items if isinstance(name := get(item, ("name",)), Scalar)}
            for entry in settings.get("components", {}).get(kind, []):
                if entry.get("enabled") and names and entry["name"] not in names:
                    words = (
                        f"istioctl and the operator up to 1.23 install {entry['name']} of profile {operator.profile} "
                        "beside these gateways, from 1.24 on they do not"
                    )
                    hint = "if it is live and in use, add it to the list; else delete it after the migration"
                    self.warnings.append(Issue(words, own.origin, hint))

    def _note_remote(self, operator: Effective) -> None:
        """The component istiodRemote needs the chart istiod-remote, which ended with 1.23."""
        enabled = get(operator.spec, ("components", "istiodRemote", "enabled"))
        if self.catalog.has_chart("istiod-remote") or not isinstance(enabled, Scalar) or enabled.value is not True:
            return
        cause = enabled.leaf
        if cause is None:
            profile = operator.user.items.get("profile")
            cause = profile.leaf if isinstance(profile, Scalar) else None
        reason = "the component istiodRemote is the chart istiod-remote, which ended with 1.23"
        action = "convert to 1.24 or later with profile remote, which took its place, and without this component"
        self.claims.add(cause, Claim(Outcome.MANUAL, "component.istiodRemote", None, reason, action))

    def _component(self, operator: Effective, component: Component, plane: ControlPlane) -> Draft:
        chart = CHARTS.get(component.kind, "gateway")
        name = RELEASE_NAMES.get(component.kind, component.name)
        if component.kind == "pilot" and plane.revision:
            name = plane.istiod
        release = Release(name, chart, self.catalog.version, component.namespace, component.kind)
        draft = Draft(release, self.catalog, self.claims)
        release.skip_schema = draft.chart.schema_broken
        if component.is_gateway:
            GatewayMapper(component, draft, plane).run()
        else:
            values = Passthrough(operator, draft)
            values.run()
            self._own_image(component, draft, operator)
            if component.kind == "base":
                self._default_validator(draft)
            if component.kind == "istiodRemote":
                self._claim_switch(component)
            SettingsMapper(component, draft, plane).run()
            overlays = OverlayMapper(component, draft, plane)
            overlays.run()
            OverriddenValues(component, draft, plane).settle()
            overlays.settle()
            ChartOwnedKeys(component, draft, plane).settle()
            values.settle()
        UnwritableNames(component, draft).settle()
        return draft

    def _warn(self, component: Component, draft: Draft) -> None:
        """Say what is carried as it was and still asks for a look."""
        count = get(component.k8s, ("replicaCount",))
        fixed = component.kind not in ("cni", "ztunnel") and any(
            (patch.first.get("spec") or {}).get("replicas") is not None for patch in draft.patches.objects.values()
        )
        if fixed and isinstance(count, Scalar):
            words = f"replicaCount of {draft.release.name} is kept beside an autoscaler, and the two fight over it"
            self.warnings.append(Issue(words, count.origin, "remove replicaCount, or set the autoscaler's minimum"))
        if not component.named and component.is_gateway:
            words = f"a gateway without a name is read as {component.name}"
            self.warnings.append(Issue(words, component.node.origin, "give it the name that its objects have"))

    @staticmethod
    def _leave_to_base(draft: Draft, plane: ControlPlane) -> None:
        """Base and istiod-remote both render these objects; one object cannot belong to two releases."""
        objects = [("ServiceAccount", "istio-reader-service-account")]
        address = str(plane.shared("remotePilotAddress") or "")
        name = plane.istiod + ("-remote" if plane.effective.value("pilot", "enabled") else "")
        if address:
            objects.append(("Service", name))
        if _IP_ADDRESS.match(address):
            objects.append(("Endpoints", name))
        for kind, name in objects:
            target = Target("", "v1", kind, name, plane.effective.namespace)
            draft.patches.remove(target, "base brings this object, and one object cannot belong to two releases")

    def _claim_switch(self, component: Component) -> None:
        """The switch of a component that other releases of Istio no longer have."""
        leaf = enabling_leaf(component)
        reason = "decides whether there is a release"
        self.claims.add(leaf, Claim(Outcome.RELEASE, "component.istiodRemote", None, reason))

    def _default_validator(self, draft: Draft) -> None:
        """With a revision, base's default validator must point at that istiod; there is no unrevisioned one."""
        if self.default_revision and "defaultRevision" not in draft.release.values.items:
            draft.set_value(("defaultRevision",), Scalar(self.default_revision), "base.defaultRevision")

    @staticmethod
    def _own_image(component: Component, draft: Draft, operator: Effective) -> None:
        """A component's own hub and tag are values of its chart, not global ones."""
        root = {"pilot": ("pilot",), "cni": ("cni",), "ztunnel": ()}.get(component.kind)
        if root is None:
            return
        hub, tag = component.node.items.get("hub"), component.node.items.get("tag")
        if isinstance(hub, Scalar) and hub.value:
            draft.set_value((*root, "hub"), hub, "component.hub", why_wins="the component's own hub wins")
        if tag is not None:
            path = (*root, "tag")
            loser = get(values_for(draft.release.chart, operator), path)
            TagMapper(draft).carry(path, tag, rule="component.tag", loser=loser)

    @staticmethod
    def _depend(drafts: list[Draft]) -> None:
        names = {draft.release.component: draft.release.name for draft in drafts}
        for draft in drafts:
            before = {
                "istiodRemote": ("base",),
                "pilot": ("base",),
                "cni": ("base",),
                "ztunnel": ("pilot", "cni"),
                "ingressGateways": ("pilot", "istiodRemote"),
                "egressGateways": ("pilot", "istiodRemote"),
            }.get(draft.release.component, ())
            draft.release.depends_on = [names[kind] for kind in before if kind in names]

    def _unite(self, built: list[Built]) -> list[Release]:
        """One set of releases; the same release from two operators must be the same."""
        united: dict[tuple[str, str], Built] = {}
        for one in built:
            one.draft.finish()
            known = united.setdefault(one.key, one)
            if known is one:
                continue
            if differing := contradictions(known.draft, one.draft):
                names = "; ".join(str(difference) for difference in differing)
                raise MergeConflictError(
                    f"the operators {known.operator.title} and {one.operator.title} render the release "
                    f"{one.draft.release.name} differently: {names}",
                    origin=one.operator.documents[0].root.origin,
                    hint="one object cannot be both: set the same in both, or use --separate to get a folder for each",
                )
            join(known.draft, one.draft)
        releases = [one.draft.release for one in united.values()]
        # what needs another release of its chart comes after it
        releases.sort(key=lambda r: (ORDER.index(r.component), r.name in r.depends_on))
        self._gateways_wait(releases)
        return releases

    @staticmethod
    def _gateways_wait(releases: list[Release]) -> None:
        """Gateways of an operator without a control plane wait for the one that another operator brings."""

        def revision(release: Release) -> str:
            node = release.values.items.get("revision")
            return text_of(node) if node is not None else ""

        istiods = {revision(release): release.name for release in releases if release.chart == "istiod"}
        for release in releases:
            if release.chart == "gateway" and not release.depends_on:
                name = istiods.get(revision(release))
                if name is not None:
                    release.depends_on = [name]


__all__ = ["Engine", "Outcomes"]
