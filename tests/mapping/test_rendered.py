"""Overlays on objects that charts render only with some values, or no longer with some."""

from __future__ import annotations

import pytest

from istio_convert import Outcome, convert

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"
LATEST = "1.31.0"


def _outcomes(component: str, kind: str, name: str, settings: str, version: str) -> set[Outcome]:
    """What becomes of an overlay on an object, beside other settings of the spec."""
    overlay = f"{{kind: {kind}, name: '{name}', patches: [{{path: metadata.annotations.a, value: b}}]}}"
    extra = ""
    if "hpaSpec" in settings:
        extra, settings = settings, ""
    block = f"{component}: {{enabled: true, k8s: {{{extra + ', ' if extra else ''}overlays: [{overlay}]}}}}"
    if component.endswith("Gateways"):
        block = f"{component}: [{{name: gw, enabled: true, k8s: {{overlays: [{overlay}]}}}}]"
    text = f"{HEAD}  components: {{{block}}}\n" + (f"  {settings}\n" if settings else "")
    conversion = convert(text, to=version)
    return {entry.outcome for entry in conversion.ledger.entries if "overlays" in entry.leaf.path}


@pytest.mark.parametrize(
    ("component", "kind", "name", "settings"),
    [
        ("pilot", "PodDisruptionBudget", "istiod", "hpaSpec: {minReplicas: 2}"),
        ("pilot", "PodDisruptionBudget", "istiod", "values: {pilot: {autoscaleMin: 2}}"),
        ("pilot", "PodDisruptionBudget", "istiod", "values: {pilot: {autoscaleEnabled: false, replicaCount: 2}}"),
        ("pilot", "NetworkPolicy", "istiod", "values: {global: {networkPolicy: {enabled: true}}}"),
        ("cni", "NetworkPolicy", "istio-cni", "values: {global: {networkPolicy: {enabled: true}}}"),
        ("ztunnel", "NetworkPolicy", "ztunnel", "values: {global: {networkPolicy: {enabled: true}}}"),
        ("cni", "ResourceQuota", "istio-cni-resource-quota", "values: {cni: {resourceQuotas: {enabled: true}}}"),
        ("ztunnel", "ResourceQuota", "ztunnel", "values: {ztunnel: {resourceQuotas: {enabled: true}}}"),
        ("cni", "ClusterRole", "istio-cni-ambient", "values: {cni: {ambient: {enabled: true}}}"),
        ("cni", "ClusterRole", "istio-cni-ambient", "values: {profile: ambient}"),
        ("ztunnel", "ClusterRole", "ztunnel", "values: {global: {platform: openshift}}"),
        ("cni", "NetworkAttachmentDefinition", "istio-cni", "values: {cni: {provider: multus}}"),
        ("pilot", "ConfigMap", "pilot-jwks-extra-cacerts", "values: {pilot: {jwksResolverExtraRootCA: x}}"),
        ("pilot", "ConfigMap", "istio-default-gatewayclass-x", "values: {gatewayClasses: {x: {service: {}}}}"),
        ("pilot", "MutatingWebhookConfiguration", "istio-revision-tag-prod", "values: {revisionTags: [a, prod]}"),
        (
            "pilot",
            "MutatingWebhookConfiguration",
            "istio-revision-tag-prod-mesh",
            "values: {revisionTags: [prod], global: {istioNamespace: mesh}}",
        ),
        ("pilot", "Service", "istiod-revision-tag-prod", "values: {revisionTags: [prod]}"),
        (
            "pilot",
            "ValidatingAdmissionPolicy",
            "stable-channel-policy-istio-system.istio.io",
            "values: {experimental: {stableValidationPolicy: true}}",
        ),
        ("base", "ValidatingWebhookConfiguration", "istiod-default-validator", "values: {defaultRevision: default}"),
    ],
)
def test_an_object_that_values_bring_is_patched(component: str, kind: str, name: str, settings: str) -> None:
    assert _outcomes(component, kind, name, settings, LATEST) == {Outcome.PATCH}
    without = "" if kind != "ValidatingWebhookConfiguration" else 'values: {defaultRevision: ""}'
    assert _outcomes(component, kind, name, without, LATEST) == {Outcome.INERT}


@pytest.mark.parametrize(
    ("kind", "name", "settings"),
    [
        ("ConfigMap", "istio", "values: {pilot: {configMap: false}}"),
        ("ConfigMap", "istio-sidecar-injector", "values: {global: {omitSidecarInjectorConfigMap: true}}"),
        (
            "MutatingWebhookConfiguration",
            "istio-sidecar-injector",
            "values: {global: {operatorManageWebhooks: true}}",
        ),
        (
            "ValidatingWebhookConfiguration",
            "istio-validator-istio-system",
            "values: {global: {configValidation: false}}",
        ),
        (
            "ClusterRole",
            "istiod-gateway-controller-istio-system",
            'values: {pilot: {env: {PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER: "false"}}}',
        ),
    ],
)
def test_an_object_that_values_take_away_is_not_patched(kind: str, name: str, settings: str) -> None:
    assert _outcomes("pilot", kind, name, "", "1.30.3") == {Outcome.PATCH}
    assert _outcomes("pilot", kind, name, settings, "1.30.3") == {Outcome.INERT}
    assert _outcomes("pilot", kind, name, settings, "1.23.6") == {Outcome.MANUAL}  # there it is an error


@pytest.mark.parametrize(("version", "outcome"), [("1.22.8", Outcome.MANUAL), ("1.25.3", Outcome.INERT)])
def test_istioctl_renders_no_default_validator(version: str, outcome: Outcome) -> None:
    found = _outcomes("base", "ValidatingWebhookConfiguration", "istiod-default-validator", "", version)
    assert found == {outcome}


@pytest.mark.parametrize("component", ["ingressGateways", "egressGateways"])
@pytest.mark.parametrize(
    ("settings", "version", "outcome"),
    [
        ("values: {global: {networkPolicy: {enabled: true}}}", LATEST, Outcome.MANUAL),
        ("values: {global: {networkPolicy: {enabled: true}}}", "1.25.3", Outcome.INERT),
        ("", LATEST, Outcome.INERT),
    ],
)
def test_the_policy_of_a_gateway_is_for_a_person(component: str, settings: str, version: str, outcome: Outcome) -> None:
    assert _outcomes(component, "NetworkPolicy", "gw", settings, version) == {outcome}
