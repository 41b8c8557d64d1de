"""Names every leaf that no table claimed: fields about releases, dead fields, unread values, misspellings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from istio_convert.catalog import Catalog, did_you_mean, last_read
from istio_convert.ledger import Outcome
from istio_convert.mapping.checks.suggestions import closest_of, is_known, outside, unknown
from istio_convert.mapping.draft.claims import Claim, Claims
from istio_convert.mapping.draft.image_tags import split_tag
from istio_convert.mapping.rules.spec import FIELD_RULES, FieldRule
from istio_convert.operator.components import GATEWAYS, Selection
from istio_convert.operator.documents import Inputs
from istio_convert.operator.effective import Effective
from istio_convert.operator.shape import field_names
from istio_convert.paths import Path, render
from istio_convert.source.nodes import Leaf, Scalar, leaves

#: values that moved; what istioctl no longer reads, with the place to use
MOVED = {
    ("istio_cni",): "pilot.cni",
    ("global", "trustDomain"): "meshConfig.trustDomain",
}

_ELSEWHERE = "nothing that this operator installs reads it, only {}"


def claim_open_leaves(
    claims: Claims,
    open_leaves: list[Leaf],
    operators: list[Effective],
    selections: list[tuple[Effective, Selection]],
    inputs: Inputs,
    catalog: Catalog,
) -> None:
    """Claim the rest."""
    foreign, envelope = set(inputs.foreign), set(inputs.envelope)
    prefixes = _roots(inputs)
    off = {id(leaf) for _, selection in selections for _, node in selection.off for leaf in leaves(node)}
    taken = _taken_from_profiles(selections, catalog)
    unknown_profile = {id(op.documents[0]): op for op in operators if not op.profile_known}
    rest = _Rest.of(selections, catalog)
    for leaf in open_leaves:
        if leaf in claims.by_leaf or leaf in claims.companions or leaf in claims.shared:
            continue
        if leaf in foreign:
            reason = "no IstioOperator: istioctl does not read this document; keep it where it is"
            claims.add(leaf, Claim(Outcome.INERT, "foreign", None, reason))
        elif leaf in envelope:
            reason = "the envelope around the operators"
            claims.add(leaf, Claim(Outcome.RELEASE, "document", None, reason))
        elif id(leaf) in taken:
            claims.add(leaf, Claim(Outcome.RELEASE, "component.off", None, taken[id(leaf)]))
        else:
            path = leaf.path[prefixes.get(id(leaf), 0) :]
            claims.add(leaf, _claim(path, leaf, off=id(leaf) in off, rest=rest, lost_profile=bool(unknown_profile)))


def _taken_from_profiles(selections: list[tuple[Effective, Selection]], catalog: Catalog) -> dict[int, str]:
    """Nulls that take away a component which the profile turns on, and what they do."""
    found: dict[int, str] = {}
    for operator, selection in selections:
        settings = (catalog.istioctl_profile(operator.profile) or {}).get("components", {})
        for kind, node in selection.off:
            on = isinstance(component := settings.get(kind), dict) and component.get("enabled", True)
            if on and isinstance(node, Scalar) and node.value is None and node.leaf is not None:
                found[id(node.leaf)] = f"takes away the component that profile {operator.profile} turns on"
    return found


def _roots(inputs: Inputs) -> dict[int, int]:
    """How many steps of a leaf's path lead to its operator (two for the items of a List)."""
    depth: dict[int, int] = {}
    for operator in inputs.operators:
        if operator.root is not operator.document.root:
            depth.update({id(leaf): 2 for leaf in leaves(operator.root)})
    return depth


def _claim(path: Path, leaf: Leaf, *, off: bool, rest: _Rest, lost_profile: bool) -> Claim:
    if path == ("spec", "profile") and lost_profile:
        close = closest_of(str(leaf.value), sorted(rest.catalog.istioctl_profiles))
        meant = f"did you mean {close}? Else " if close else ""
        return Claim(
            Outcome.MANUAL,
            "profile",
            None,
            f"istioctl {rest.catalog.version} has no such profile; its settings are unknown, default was used",
            f"{meant}write the profile's settings into the operator, or choose a profile that exists",
        )
    rule = _closest_rule(path, is_null=leaf.value is None)
    if rule is not None and not _is_of_no_component(path, rule):
        return _by_rule(rule, path, leaf)
    if off:
        return Claim(Outcome.INERT, "component.off", None, "the component is off")
    if path in (("spec", "values"), ("spec", "unvalidatedValues"), ("spec", "meshConfig")):
        return _unclaimed(leaf)
    if path[:2] in (("spec", "values"), ("spec", "unvalidatedValues")):
        return rest.value(path[2:], leaf)
    if path in (("spec", "hub"), ("spec", "tag")):
        return rest.image(str(path[1]), leaf)
    if path[:2] == ("spec", "meshConfig"):
        return rest.value(path[1:], leaf)
    if path[:1] == ("spec",):
        return _unclaimed(leaf) if is_known(path) else unknown(path, rest.catalog)
    return outside(path)


@lru_cache(maxsize=4096)
def _closest_rule(path: Path, *, is_null: bool) -> FieldRule | None:
    """The rule of the table that names most of a path; operators name the same fields over and over."""
    found = (rule for rule in FIELD_RULES if rule.matches(path) and (is_null or not rule.of_null))
    return max(found, key=lambda rule: rule.specificity, default=None)


def _by_rule(rule: FieldRule, path: Path, leaf: Leaf) -> Claim:
    switched_on = path[-1] == "enabled" and leaf.value is True
    if rule.id.startswith("component.") and rule.outcome is Outcome.INERT and switched_on:
        action = "remove the component from the operator after checking that nothing needs it"
        return Claim(Outcome.MANUAL, rule.id, None, rule.why, action)
    return Claim(rule.outcome, rule.id, None, rule.why, rule.action)


def _is_of_no_component(path: Path, rule: FieldRule) -> bool:
    """Whether a rule for all components meets a name that is none, or one for lists of gateways a name in a map."""
    if path[:2] != ("spec", "components") or rule.pattern[2:3] != ("*",):
        return False
    return path[2] not in field_names("Components") or (rule.pattern[3:4] == ("*",) and isinstance(path[3], str))


@dataclass(frozen=True, slots=True)
class _Rest:
    """What it takes to name values that no release reads.

    Attributes:
        catalog: facts about the target.
        gateways: keys under ``values.gateways`` of which gateways are on.
        planes: the operators with a control plane that are converted along.
        names_ztunnel: ztunnel is on, and has the name of its objects from istioctl's profile.
    """

    catalog: Catalog
    gateways: frozenset[str]
    planes: tuple[Effective, ...]
    names_ztunnel: bool = False

    @classmethod
    def of(cls, selections: list[tuple[Effective, Selection]], catalog: Catalog) -> _Rest:
        """Look at what is on."""
        kinds = {component.kind for _, selection in selections for component in selection.on}
        planes = [operator for operator, selection in selections if any(c.kind == "pilot" for c in selection.on)]
        gateways = frozenset(GATEWAYS[kind] for kind in kinds if kind in GATEWAYS)
        settings = (catalog.istioctl_profile("default") or {}).get("values", {}).get("ztunnel") or {}
        return cls(catalog, gateways, tuple(planes), "ztunnel" in kinds and "resourceName" in settings)

    def _given_by_planes(self, path: Path, leaf: Leaf) -> bool:
        """Whether every control plane has the same at a path of its values, so that its injector gives it."""
        steps = [step for step in path if isinstance(step, str)]
        same = [str(plane.value(*steps)) == str(leaf.value) for plane in self.planes]
        return bool(same) and all(same) and len(steps) == len(path)

    def _gateway_charts_read(self, path: Path) -> bool:
        return any(self.catalog.chart(name).reads(path) for name in ("istio-ingress", "istio-egress"))

    def value(self, path: Path, leaf: Leaf) -> Claim:
        """A value that no chart of a release reads."""
        for moved, place in MOVED.items():
            if path[: len(moved)] == moved:
                reason = f"{self._unread(path)}; its place is {place} now"
                return Claim(Outcome.INERT, "values.unread", None, reason)
        if path[:1] == ("gateways",):
            return self._gateway(path, leaf)
        if path == ("ztunnel",) and leaf.value is None and self.names_ztunnel:
            reason = "it takes away the name of ztunnel's objects, too, which istioctl's profile sets"
            action = "remove it, and give the value of each setting of the profile that is to be another"
            return Claim(Outcome.MANUAL, "values.unread", None, reason, action)
        if path in (("global", "hub"), ("global", "tag")):
            return self.image(str(path[1]), leaf)
        if self.gateways and self._gateway_charts_read(path):
            return self._proxy(path, leaf)
        charts = [self.catalog.chart(name) for name in ("istiod", "cni", "ztunnel")]
        readers = [chart.name for chart in charts if chart.reads(path) and not chart.unread(path)]
        if readers:
            return Claim(Outcome.INERT, "values.unread", None, _ELSEWHERE.format(", ".join(readers)))
        action = did_you_mean(self.catalog, path)
        return Claim(Outcome.INERT, "values.unread", None, self._unread(path), action)

    def _unread(self, path: Path) -> str:
        """Who read a value, when nobody does."""
        before = last_read(self.catalog, path)
        since = f", the last that did was of {before}" if before else ""
        return f"no chart of {self.catalog.version} reads it{since}"

    def _gateway(self, path: Path, leaf: Leaf) -> Claim:
        root = path[1] if len(path) > 1 else ""
        if root in self.gateways and len(path) == 2 and leaf.value is None:
            reason = "istioctl's gateway chart does not render without the values that this takes away"
            return Claim(Outcome.MANUAL, "values.refused", None, reason, "remove it")
        if root in self.gateways and self._gateway_charts_read(path):
            return Claim(Outcome.DEFAULT, "default", None, "the gateway is the same without it")
        reason = f"no gateway of istioctl {self.catalog.version} depends on it"
        return Claim(Outcome.INERT, "values.unread", None, reason, did_you_mean(self.catalog, path))

    def _proxy(self, path: Path, leaf: Leaf) -> Claim:
        """A setting of the gateways' proxies, which under Helm come from the control plane's injector."""
        if self._given_by_planes(path, leaf):
            return Claim(Outcome.DEFAULT, "gateway.proxy", None, "the control plane's injector gives the same")
        if path == ("global", "istioNamespace"):
            return Claim(Outcome.RELEASE, "gateway.proxy", None, "says which control plane injects the gateways")
        default = self.catalog.chart("istio-ingress").default(path)
        if leaf.value == default or not leaf.value:
            return Claim(Outcome.DEFAULT, "gateway.proxy", None, "what proxies have without it")
        reason = "gateways get this from the control plane's injector under Helm"
        action = f"see that the control plane has the same {render(path)}, then remove it here"
        return Claim(Outcome.MANUAL, "gateway.proxy", None, reason, action)

    def image(self, key: str, leaf: Leaf) -> Claim:
        """Hub or tag of an operator without a control plane: injection decides the image of its gateways."""
        if leaf.value is None:
            return Claim(
                Outcome.MANUAL, "gateway.image", None, "istioctl writes a null into images as text", "remove it"
            )
        text = str(leaf.value)
        if not self.gateways:
            return Claim(Outcome.INERT, "values.unread", None, "nothing that this operator installs has an image")
        if self._given_by_planes(("global", key), leaf):
            return Claim(Outcome.DEFAULT, "gateway.image", None, "the control plane's injector gives the same")
        if key == "hub" and text == self.catalog.chart("istio-ingress").default(("global", key)):
            return Claim(Outcome.DEFAULT, "gateway.image", None, "what proxies have without it")
        release, variant = split_tag(text) or ("", "")
        if key == "tag" and release and not variant:
            reason = "the control plane's injector gives gateways its own release"
            return Claim(Outcome.RELEASE, "gateway.image", None, reason)
        known = f"has another {key}" if self.planes else f"is not converted along, so its {key} is not known"
        reason = f"gateways get their image from the control plane's injector; the control plane {known}"
        action = f"check that the control plane has this {key}, then remove it here"
        return Claim(Outcome.MANUAL, "gateway.image", None, reason, action)


def _unclaimed(leaf: Leaf) -> Claim:
    """A field of an IstioOperator that no table took: empty ones say nothing."""
    if leaf.value is None or leaf.value in ({}, [], ""):
        return Claim(Outcome.DEFAULT, "empty", None, "an empty setting changes nothing")
    return Claim(Outcome.MANUAL, "unknown", None, "no rule is about this field", "look at what it is for")
