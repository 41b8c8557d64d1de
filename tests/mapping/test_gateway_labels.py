"""Labels of a gateway that charts write themselves."""

from __future__ import annotations

import pytest

from istio_convert import Outcome, convert

VERSIONS = ["1.25.3", "1.31.0"]


def _label(key: str, value: str, version: str, revision: str = "") -> tuple[Outcome, dict[str, str], str]:
    """What becomes of one label of a gateway, the labels that the release gives as values, and its patches."""
    text = (
        "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"
        f"  revision: '{revision}'\n"
        f"  components: {{ingressGateways: [{{name: gw, enabled: true, label: {{{key}: '{value}'}}}}]}}\n"
    )
    conversion = convert(text, to=version)
    (entry,) = [entry for entry in conversion.report.entries if key in str(entry.path).replace("\\", "")]
    release = next(release for release in conversion.releases if release.chart == "gateway")
    return entry.outcome, release.values_data()["labels"], str([patch.body for patch in release.patches])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("key", "right", "wrong"),
    [
        ("istio.io/rev", "default", "x"),
        ("istio.io/dataplane-mode", "none", "ambient"),
        ("release", "istio", "mine"),
        ("service.istio.io/canonical-name", "gw", "other"),
        ("operator.istio.io/component", "IngressGateways", "EgressGateways"),
        ("app.kubernetes.io/name", "istio-ingressgateway", "gw"),
    ],
)
def test_a_label_that_istioctl_writes_over_is_for_a_person(key: str, right: str, wrong: str, version: str) -> None:
    assert _label(key, right, version)[0] in (Outcome.VALUE, Outcome.PATCH)
    assert _label(key, wrong, version)[0] is Outcome.MANUAL


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("key", "value", "revision"), [("istio.io/rev", "r2", "r2"), ("app.kubernetes.io/name", "istio-ingressgateway", "")]
)
def test_a_label_that_the_gateway_chart_prints_is_a_patch(key: str, value: str, revision: str, version: str) -> None:
    _, labels, patches = _label(key, value, version, revision)
    assert key not in labels  # it would stand in the Deployment twice, and Kustomize refuses that
    assert f"'labels': {{'{key}': '{value}'}}" in patches


@pytest.mark.parametrize("version", VERSIONS)
def test_other_labels_stay_values(version: str) -> None:
    outcome, labels, _ = _label("team", "a", version)
    assert (outcome, labels["team"]) == (Outcome.VALUE, "a")
