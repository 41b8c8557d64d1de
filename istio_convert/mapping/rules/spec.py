"""Fields of the spec that decide about releases, and fields that Istio no longer has."""

from __future__ import annotations

from dataclasses import dataclass

from istio_convert.ledger import Outcome
from istio_convert.mapping.model import Example, Rule
from istio_convert.paths import Path


@dataclass(frozen=True, slots=True)
class FieldRule(Rule):
    """What becomes of a field that is no value and no place of an object.

    Attributes:
        pattern: path from the document's root; ``*`` stands for one step, a trailing ``**`` for everything below.
        outcome: its outcome.
        action: what a person must do, for ``manual``.
        of_null: it is about a null at the path, and about nothing else there.
    """

    pattern: Path = ()
    outcome: Outcome = Outcome.RELEASE
    action: str = ""
    of_null: bool = False

    @property
    def specificity(self) -> tuple[int, ...]:
        """How precisely the pattern names a path, step by step; the most specific rule counts."""
        return tuple({"**": 0, "*": 1}.get(str(step), 2) for step in self.pattern)

    def matches(self, path: Path) -> bool:
        """Whether the rule is about a path."""
        pattern = self.pattern
        if pattern and pattern[-1] == "**":
            pattern = pattern[:-1]
            path = path[: len(pattern)]
        return len(pattern) == len(path) and all(p in ("*", step) for p, step in zip(pattern, path, strict=True))


def _addon(name: str, action: str) -> FieldRule:
    return FieldRule(
        id=f"addon.{name}",
        source=f"addonComponents.{name}",
        pattern=("spec", "addonComponents", name, "**"),
        outcome=Outcome.MANUAL,
        why="istioctl installs no addons since 1.8",
        action=action,
        example=Example(
            spec=f"addonComponents: {{{name}: {{enabled: true}}}}",
            outcome="manual",
            leaf=f"addonComponents.{name}.enabled",
        ),
    )


def _dead(name: str, why: str) -> FieldRule:
    return FieldRule(
        id=f"component.{name}",
        source=f"components.{name}",
        pattern=("spec", "components", name, "**"),
        outcome=Outcome.INERT,
        why=why,
        example=Example(
            spec=f"components: {{{name}: {{enabled: false}}}}", outcome="inert", leaf=f"components.{name}.enabled"
        ),
    )


def _release(id_: str, source: str, why: str, spec: str, leaf: str, pattern: Path) -> FieldRule:
    return FieldRule(
        id=id_,
        source=source,
        pattern=pattern,
        why=why,
        example=Example(spec=spec, outcome="release", leaf=leaf),
    )


_NO_LIST = "istioctl refuses null in the place of a list of gateways"


def _null(source: str, why: str, action: str) -> FieldRule:
    return FieldRule(
        id=f"null.{source.rpartition('.')[2]}",
        source=f"{source}: null",
        pattern=("spec", *source.split(".")),
        outcome=Outcome.MANUAL,
        why=why,
        action=action,
        of_null=True,
        example=Example(
            spec="".join(f"{{{step}: " for step in source.split("."))[1:] + "null" + "}" * source.count("."),
            outcome="manual",
            leaf=source,
        ),
    )


FIELD_RULES: tuple[FieldRule, ...] = (
    FieldRule(id="document", source="apiVersion", pattern=("apiVersion",), why="says what the document is"),
    FieldRule(id="document.kind", source="kind", pattern=("kind",), why="says what the document is"),
    FieldRule(
        id="metadata",
        source="metadata.**",
        pattern=("metadata", "**"),
        why="belongs to the operator resource, which the releases replace; Istio's namespace is values.global.istioNamespace",
    ),
    FieldRule(
        id="status",
        source="status.**",
        pattern=("status", "**"),
        why="what a controller reported about the operator resource, which the releases replace",
    ),
    _release(
        "profile",
        "profile",
        "decides which releases exist and which settings they start from",
        "profile: demo",
        "profile",
        ("spec", "profile"),
    ),
    _release(
        "component.enabled",
        "components.*.enabled",
        "decides whether there is a release",
        "components: {base: {enabled: true}}",
        "components.base.enabled",
        ("spec", "components", "*", "enabled"),
    ),
    FieldRule(
        id="gateway.enabled",
        source="components.*Gateways[].enabled",
        pattern=("spec", "components", "*", "*", "enabled"),
        why="decides whether there is a release",
    ),
    _release(
        "component.namespace",
        "components.*.namespace",
        "the namespace of the release",
        "components: {cni: {enabled: true, namespace: kube-system}}",
        "components.cni.namespace",
        ("spec", "components", "*", "namespace"),
    ),
    FieldRule(
        id="gateway.namespace",
        source="components.*Gateways[].namespace",
        pattern=("spec", "components", "*", "*", "namespace"),
        why="the namespace of the release",
    ),
    _release(
        "gateway.name",
        "components.*Gateways[].name",
        "the name of the release and of its objects",
        "components: {ingressGateways: [{name: edge, enabled: true}]}",
        "components.ingressGateways[0].name",
        ("spec", "components", "*", "*", "name"),
    ),
    FieldRule(
        id="gateway.switch",
        source="values.gateways.*.enabled",
        pattern=("spec", "values", "gateways", "*", "enabled"),
        why="decides whether there is a release",
    ),
    FieldRule(
        id="values.gateways.enabled",
        source="values.gateways.enabled",
        pattern=("spec", "values", "gateways", "enabled"),
        outcome=Outcome.INERT,
        why="no chart reads it; components.ingressGateways and egressGateways decide",
        example=Example(spec="values: {gateways: {enabled: true}}", outcome="inert", leaf="values.gateways.enabled"),
    ),
    FieldRule(
        id="namespace",
        source="namespace",
        pattern=("spec", "namespace"),
        outcome=Outcome.INERT,
        why="istioctl no longer reads it; the control plane's namespace is values.global.istioNamespace",
        example=Example(spec="namespace: mesh", outcome="inert", leaf="namespace"),
    ),
    FieldRule(
        id="installPackagePath",
        source="installPackagePath",
        pattern=("spec", "installPackagePath"),
        outcome=Outcome.MANUAL,
        why="charts from a folder of one's own cannot be seen here; the releases use the official charts",
        action="compare that folder with the official release, or remove the field",
        example=Example(spec="installPackagePath: /charts", outcome="manual", leaf="installPackagePath"),
    ),
    _null("components.ingressGateways", _NO_LIST, "remove it, or write [] for no gateway"),
    _null("components.egressGateways", _NO_LIST, "remove it, or write [] for no gateway"),
    _null("meshConfig", "istioctl refuses a mesh configuration that is null", "remove it, or write {}"),
    _addon("prometheus", "install Prometheus by its own chart, or remove the field"),
    _addon("grafana", "install Grafana by its own chart, or remove the field"),
    _addon("kiali", "install Kiali by its own chart, or remove the field"),
    _addon("tracing", "install a tracing backend by its own chart, or remove the field"),
    _addon(
        "istiocoredns",
        "remove the field; where names of ServiceEntries must resolve, set ISTIO_META_DNS_CAPTURE to 'true' in "
        "meshConfig.defaultConfig.proxyMetadata: proxies resolve them by themselves",
    ),
    FieldRule(
        id="addon",
        source="addonComponents.**",
        pattern=("spec", "addonComponents", "**"),
        outcome=Outcome.MANUAL,
        why="istioctl installs no addons since 1.8",
        action="install it by its own chart, or remove the field",
        example=Example(
            spec="addonComponents: {pilot: {enabled: true}}", outcome="manual", leaf="addonComponents.pilot.enabled"
        ),
    ),
    _dead("citadel", "part of istiod since 1.5"),
    _dead("galley", "part of istiod since 1.5"),
    _dead("sidecarInjector", "part of istiod since 1.5"),
    _dead("nodeAgent", "part of the proxy since 1.5"),
    _dead("certManager", "removed in 1.6"),
    _dead("proxy", "never a component of its own since 1.5"),
    _dead("policy", "Mixer policy was removed in 1.8; use AuthorizationPolicy or an external authorizer"),
    _dead("telemetry", "Mixer telemetry was removed in 1.8; proxies report by themselves"),
    _dead("coreDNS", "removed in 1.8; proxies capture DNS themselves"),
    _dead("trafficManagement", "removed in 1.5"),
    _dead("configManagement", "removed in 1.5"),
    _dead("security", "removed in 1.5"),
    _dead("autoInjection", "removed in 1.5"),
    _dead("gateways", "removed in 1.5; components.ingressGateways and egressGateways took its place"),
    _dead("istiodRemote", "its chart ended with 1.23; profile remote took its place"),
)
