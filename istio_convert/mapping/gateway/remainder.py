"""What of a gateway is not one place of a table: its identity, and what is left of its objects at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from istio_convert.ledger import Outcome, Place
from istio_convert.mapping.converters.gateway_defaults import is_provided, without_mark
from istio_convert.mapping.draft.claims import Claim
from istio_convert.mapping.draft.control_plane import GROUPS, ControlPlane
from istio_convert.mapping.draft.image_tags import split_tag
from istio_convert.mapping.draft.patches import describe
from istio_convert.mapping.draft.release import Draft
from istio_convert.mapping.draft.strategic_merge import merge_key
from istio_convert.mapping.draft.template_text import text_of
from istio_convert.mapping.gateway.labels import PrintedLabels
from istio_convert.mapping.gateway.objects import GatewayObjects
from istio_convert.mapping.model import POD, ManifestPath
from istio_convert.operator.components import GATEWAYS, Component
from istio_convert.release import Target
from istio_convert.source.nodes import Leaf, Mapping, Node, Scalar, Sequence, clone, get, leaves, remove, to_data

RULE_REST = "overlay"
SELECTORS: dict[str, ManifestPath] = {
    "Deployment": ("spec", "selector", "matchLabels"),
    "Service": ("spec", "selector"),
    "PodDisruptionBudget": ("spec", "selector", "matchLabels"),
}
RULE_BUDGET = "gateway.podDisruptionBudget"
BUDGET_WHY = "k8s.podDisruptionBudget.selector: the chart selects by the gateway's labels, this budget by others"
SELECTOR_WHY = "part of the live selector, which cannot change; the chart selects by app and istio only"


@dataclass(slots=True)
class RestMapper:
    """Identity and leftovers of one gateway."""

    draft: Draft
    component: Component
    objects: GatewayObjects
    own_selectors: set[str] = field(default_factory=set)

    def identity(self, gateway: Mapping, plane: ControlPlane) -> None:
        """Names, labels, account, revision, platform, image: what makes it the same gateway."""
        draft = self.draft
        policy = get(plane.effective.values, ("global", "networkPolicy", "enabled"))
        if policy is not None and draft.chart.reads(("global", "networkPolicy", "enabled")):
            draft.set_value(("global", "networkPolicy", "enabled"), clone(policy), "gateway.networkPolicy")
        self._labels(PrintedLabels(self.component, self.objects.name, draft, plane))
        account = Scalar(self.objects.service_account)
        draft.set_value(("serviceAccount", "name"), account, "gateway.serviceAccount.name", explicit=True)
        revision = get(plane.effective.values, ("revision",))
        if isinstance(revision, Scalar) and revision.value:
            draft.set_value(("revision",), clone(revision), "gateway.revision")
        self._platform(plane)
        self._pull_secrets(plane)
        self._switches(gateway)
        self._image(plane)

    def policy(self, plane: ControlPlane) -> None:
        """A network policy that the chart cannot bring beside patches is left out, and for a person."""
        draft, path = self.draft, ("global", "networkPolicy", "enabled")
        node = get(draft.release.values, path)
        broken = draft.catalog.behaviour("gateway_policy_has_keys_twice")
        if not broken or not (isinstance(node, Scalar) and node.value) or not draft.patches.objects:
            return
        remove(draft.release.values, path)
        name = f"{self.objects.name}-{plane.revision}" if plane.revision else self.objects.name
        reason = (
            f"the NetworkPolicy of the gateway chart of {draft.release.version} has two labels twice, and Kustomize "
            "patches no release that holds it; this release has patches, so it goes without"
        )
        action = f"keep NetworkPolicy {name} beside the release"
        place = Place(draft.release.name, f"NetworkPolicy {name}")
        for leaf in leaves(node):
            draft.claims.add(leaf, Claim(Outcome.MANUAL, "gateway.networkPolicy", place, reason, action))

    def _labels(self, printed: PrintedLabels) -> None:
        draft, labels = self.draft, self.objects.labels
        self._budget_selector()
        for key in ("app", "istio", *[k for k in labels.items if k not in ("app", "istio")]):
            node = labels.items.get(key)
            if node is None:
                continue
            extra = key not in ("app", "istio")
            reason = SELECTOR_WHY.split(";", maxsplit=1)[0] + ", so also patched there" if extra else ""
            if printed.by_gateway_chart(key):
                printed.patch(key, node)
            else:
                draft.set_value(("labels", key), clone(node), "gateway.labels", explicit=True, reason=reason)
            if extra:
                self._select_by(key, node)
            printed.judge(key, node)
        for kind in ("Deployment", "Service", "PodDisruptionBudget"):
            self._drop_known(kind, labels)

    def _budget_selector(self) -> None:
        """A budget may select by other labels than the gateway's; the chart's selects by those."""
        spec = get(self.objects.objects.get("PodDisruptionBudget"), ("spec",))
        selector = spec.items.get("selector") if isinstance(spec, Mapping) else None
        if selector is None:
            return
        if to_data(selector) == {"matchLabels": self.objects.selector}:
            for leaf in leaves(selector):
                claim = Claim(Outcome.DEFAULT, RULE_BUDGET, None, "the gateway chart's budget has the same selector")
                self.draft.claims.add(leaf, claim)
            return
        assert isinstance(spec, Mapping)  # noqa: S101 - the selector is in it
        del spec.items["selector"]
        kind = "PodDisruptionBudget"
        target = Target(*GROUPS[kind], kind, self.objects.name, self.component.namespace)
        self.own_selectors.add(kind)
        self.draft.patch(target, ("spec", "selector"), selector, RULE_BUDGET, BUDGET_WHY, replace=True)

    def _select_by(self, key: str, node: Node) -> None:
        draft = self.draft
        for kind in [kind for kind in SELECTORS if kind in self.objects.objects and kind not in self.own_selectors]:
            path = SELECTORS[kind]
            if kind == "Service" and draft.chart.reads(("service", "selectorLabels")):
                draft.set_value(("service", "selectorLabels", key), clone(node), "gateway.labels")
                continue
            target = Target(*GROUPS[kind], kind, self.objects.name, self.component.namespace)
            draft.patch(target, (*path, key), node, "gateway.labels", f"label {key} is {SELECTOR_WHY}")

    def _drop_known(self, kind: str, labels: Mapping) -> None:
        """Take the selector labels out of the objects: they are settled."""
        tree = self.objects.objects.get(kind)
        paths = [SELECTORS[kind]]
        if kind == "Deployment":
            paths.append(("spec", "template", "metadata", "labels"))
        for path in paths:
            found = get(tree, tuple(str(step) for step in path)) if tree is not None else None
            if isinstance(found, Mapping):
                for key, node in labels.items.items():
                    present = found.items.get(key)
                    if present is not None and to_data(present) == to_data(node):
                        del found.items[key]

    def _platform(self, plane: ControlPlane) -> None:
        draft = self.draft
        node = plane.platform
        if node is None:
            return
        for path in (("global", "platform"), ("platform",)):
            if draft.chart.reads(path):
                draft.set_value(path, clone(node), "gateway.platform")
                return

    def _pull_secrets(self, plane: ControlPlane) -> None:
        node = get(plane.effective.values, ("global", "imagePullSecrets"))
        if not isinstance(node, Sequence) or not node.items:
            return
        secrets = Sequence(
            [Mapping({"name": clone(item)}) if isinstance(item, Scalar) else clone(item) for item in node.items]
        )
        self.draft.set_value(("imagePullSecrets",), secrets, "gateway.imagePullSecrets")
        target = Target("", "v1", "ServiceAccount", self.objects.service_account, self.component.namespace)
        why = "values.global.imagePullSecrets: istioctl gives the secrets to the gateway's account as well"
        self.draft.patch(target, ("imagePullSecrets",), secrets, "gateway.imagePullSecrets", why)

    def _switches(self, gateway: Mapping) -> None:
        custom = gateway.items.get("customService")
        if isinstance(custom, Scalar) and custom.value:
            self.draft.set_value(("service", "type"), Scalar("None", custom.leaf), "gateway.customService")
        root = gateway.items.get("runAsRoot")
        if isinstance(root, Scalar) and root.value:
            self.draft.set_value(("containerSecurityContext",), self._root_user(root), "gateway.runAsRoot")

    def _root_user(self, switch: Scalar) -> Mapping:
        """The proxy's user: root, but for what the pod's own security context says, which istioctl's proxy inherits."""
        user = Mapping({"runAsUser": Scalar(0, switch.leaf), "runAsGroup": Scalar(0), "runAsNonRoot": Scalar(False)})
        own = get(self.objects.objects["Deployment"], (*POD, "securityContext"))
        if isinstance(own, Mapping):
            user.items.update({key: clone(own.items[key]) for key in user.items if key in own.items})
        return user

    def _image(self, plane: ControlPlane) -> None:
        """A gateway's own tag: the image is decided by injection, so an own one is a patch."""
        root = GATEWAYS[self.component.kind]
        chart = "istio-ingress" if self.component.kind == "ingressGateways" else "istio-egress"
        tag = self.component.node.items.get("tag")
        hub = self.component.node.items.get("hub")
        own = get(plane.effective.values, ("gateways", root, "tag"))
        reads = self.draft.catalog.chart(chart).reads(("gateways", root, "tag"))
        for node, rule in ((hub, "gateway.hub"), (None if reads else tag, "gateway.tag")):
            for leaf in leaves(node) if node is not None else ():
                reason = "istioctl's gateway chart of this version does not read it"
                self.draft.claims.add(leaf, Claim(Outcome.INERT, rule, None, reason))
        chosen = tag if tag is not None else own
        if not reads or not isinstance(chosen, Scalar) or chosen.value in (None, ""):
            return
        named = split_tag(text_of(chosen))
        if named is not None and named[0] != self.draft.release.version:
            reason = (
                f"another release than {self.draft.release.version}; injection gives the gateway the control plane's"
            )
            for leaf in leaves(chosen):
                self.draft.claims.add(leaf, Claim(Outcome.RELEASE, "gateway.tag", None, reason))
            return
        image = self._image_name(plane, text_of(chosen))
        target = Target("apps", "v1", "Deployment", self.objects.name, self.component.namespace)
        path = ("spec", "template", "spec", "containers", ("name", "istio-proxy"), "image")
        why = "the gateway has its own tag; injection would give it the control plane's image"
        self.draft.patch(target, path, Scalar(image, chosen.leaf), "gateway.tag", why)

    def _image_name(self, plane: ControlPlane, tag: str) -> str:
        def shared(*path: str) -> str:
            return str(plane.shared(*path) or "")

        image = shared("proxy", "image") or "proxyv2"
        if "/" in image:
            return image
        variant = shared("proxy", "variant") or shared("variant")
        return f"{shared('hub')}/{image}:{tag}{'-' + variant if variant else ''}"

    # -- what is left ----------------------------------------------------------------------------------------------

    def leftovers(self, target_of: Callable[[str], Target]) -> None:
        """Patch whatever the operator put into the objects that no entry of the table covers."""
        for kind, tree in self.objects.objects.items():
            for key, node in tree.items.items():
                if not all(map(self._settled, leaves(node))):
                    self._collect(target_of(kind), (key,), node, _step(self.objects.rendered(kind), key))

    def _collect(self, target: Target, path: ManifestPath, node: Node, before: Any) -> None:
        found = [leaf for leaf in leaves(node) if not self._settled(leaf)]
        if not found:
            return
        if to_data(without_mark(node)) == before:
            for leaf in found:
                claim = Claim(Outcome.DEFAULT, RULE_REST, None, "the gateway chart does this itself")
                self.draft.claims.add(leaf, claim)
            return
        if isinstance(node, Mapping) and node.items and (isinstance(before, dict) or path[-1] in ("metadata", "spec")):
            for key, child in node.items.items():
                if key:
                    self._collect(target, (*path, key), child, _step(before, key))
            return
        name = path[-1]
        identity = merge_key(name, target.kind) if isinstance(name, str) else None
        if isinstance(node, Sequence) and identity and isinstance(before, list):
            for item in node.items:
                self._collect_element(target, path, identity, item, before)
            return
        self._emit(target, path, node, before)

    def _collect_element(self, target: Target, path: ManifestPath, key: str, item: Node, before: list[Any]) -> None:
        identity = get(item, (key,))
        if not isinstance(identity, Scalar) or identity.value is None:
            return
        step = (key, str(identity.value))
        known = next((b for b in before if isinstance(b, dict) and str(b.get(key)) == step[1]), None)
        if known is not None and isinstance(item, Mapping):
            self._claim_identity(identity, item)
            for name, child in item.items.items():
                if name and name != key:
                    self._collect(target, (*path, step, name), child, _step(known, name))
        elif any(not self._settled(leaf) for leaf in leaves(item)):
            why = "the operator's overlay adds this; the gateway chart has no value for it"
            self.draft.patches.element(target, (*path, step), without_mark(item), why, existing=is_provided(item))
            self.draft.claim_patch(target, (*path, step), list(leaves(item)), RULE_REST)

    def _claim_identity(self, identity: Scalar, item: Mapping) -> None:
        """What says which element is meant shares the fate of what is said about it."""
        if identity.leaf is None or self._settled(identity.leaf):
            return
        other = next((leaf for leaf in leaves(item) if leaf is not identity.leaf), None)
        if other is not None:
            self.draft.claims.companions.setdefault(identity.leaf, other)
        else:
            claim = Claim(Outcome.DEFAULT, RULE_REST, None, "the gateway chart does this itself")
            self.draft.claims.add(identity.leaf, claim)

    def _emit(self, target: Target, path: ManifestPath, node: Node, before: Any) -> None:
        why = f"{describe(target, path).split(': ', 1)[1]}: the gateway chart has no value for this place"
        self.draft.patch(target, path, node, RULE_REST, why, replace=before is not None and before != {})

    def _settled(self, leaf: Leaf) -> bool:
        release = self.draft.release.name
        claims = self.draft.claims.by_leaf.get(leaf, [])
        return any(c.place is not None and c.place.release == release for c in claims)


def _step(tree: Any, key: str) -> Any:
    return tree.get(key) if isinstance(tree, dict) else None
