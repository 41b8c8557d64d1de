"""The webhook configurations of a release and the fields in them that istiod writes at run time.

istiod fills in ``caBundle`` and turns ``failurePolicy`` from Ignore to Fail once it is ready. A controller that
compares the cluster with the charts must leave both alone, or it and istiod overwrite each other for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from istio_convert.release import Release

GROUP = "admissionregistration.k8s.io"
WHY = "istiod fills in caBundle and turns failurePolicy to Fail"
_HOME = "istio-system"  # the namespace in which the injector's name carries no namespace
_MOST = 5  # entries of the largest injector configuration: two by revision, two without one, one for all namespaces


@dataclass(frozen=True, slots=True)
class Webhook:
    """One webhook configuration.

    Attributes:
        kind: ``ValidatingWebhookConfiguration`` or ``MutatingWebhookConfiguration``.
        name: its name, with the revision where it has one.
        entries: how many webhooks it can hold.
    """

    kind: str
    name: str
    entries: int

    def pointers(self) -> list[str]:
        """JSON pointers of the fields that istiod writes."""
        fields = ("clientConfig/caBundle", "failurePolicy")
        return [f"/webhooks/{entry}/{field}" for entry in range(self.entries) for field in fields]


JQ_PATHS = (".webhooks[]?.clientConfig.caBundle", ".webhooks[]?.failurePolicy")
"""The same fields as jq expressions."""


def webhooks(release: Release) -> list[Webhook]:
    """The webhook configurations that a release renders."""
    values = release.values_data()
    if release.chart == "base":
        if values.get("defaultRevision", "default") == "":
            return []
        return [Webhook("ValidatingWebhookConfiguration", "istiod-default-validator", 1)]
    if release.chart not in ("istiod", "istiod-remote"):
        return []
    revision = _setting(values, "revision") or ""
    tags = _setting(values, "revisionTags")
    shared = values.get("global")
    home = (shared.get("istioNamespace") if isinstance(shared, dict) else None) or _HOME
    infix = f"-{revision}" if revision else ""
    suffix = "" if release.namespace == _HOME else f"-{release.namespace}"
    mutating = [
        f"istio-sidecar-injector{infix}{suffix}",
        *(f"istio-revision-tag-{tag}{suffix}" for tag in (tags if isinstance(tags, list) else ())),
    ]
    return [
        Webhook("ValidatingWebhookConfiguration", f"istio-validator{infix}-{home}", 1),
        *(Webhook("MutatingWebhookConfiguration", name, _MOST) for name in mutating),
    ]


def _setting(values: dict[str, Any], key: str) -> Any:
    """A setting of the istiod chart, which reads it below ``pilot`` first."""
    pilot = values.get("pilot")
    prefixed = pilot.get(key) if isinstance(pilot, dict) else None
    return values.get(key) if prefixed is None else prefixed
