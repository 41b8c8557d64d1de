"""A null in the place of a whole section: what it takes away, and what istioctl refuses."""

from __future__ import annotations

import pytest

from istio_convert import Conversion, convert
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"


def converted(*lines: str, to: str = "1.25.3") -> Conversion:
    return convert(HEAD + "".join(f"  {line}\n" for line in lines), to=to)


def outcome(conversion: Conversion, path: str) -> tuple[str, str]:
    return next((e.outcome.value, e.reason) for e in conversion.ledger.entries if render(e.leaf.path) == f"spec.{path}")


def values(conversion: Conversion, chart: str) -> dict[str, object]:
    return next(r for r in conversion.releases if r.chart == chart).values_data()


@pytest.mark.parametrize("profile", ["profile: ambient", "values: {global: {platform: openshift}, pilot: null}"])
def test_a_null_takes_away_what_the_profile_sets(profile: str) -> None:
    lines = [profile] if "pilot" in profile else [profile, "values: {pilot: null}"]
    conversion = converted(*lines, "components: {cni: {enabled: true}}")
    assert values(conversion, "istiod")["pilot"] is None
    assert outcome(conversion, "values.pilot")[0] == "value"
    assert outcome(conversion, "components.cni.enabled")[0] == "overridden"


def test_the_same_for_cni() -> None:
    conversion = converted("profile: ambient", "values: {cni: null}")
    assert values(conversion, "cni")["cni"] is None
    assert outcome(conversion, "values.cni")[0] == "value"


def test_without_a_profile_it_takes_nothing_away() -> None:
    conversion = converted("values: {pilot: null}", "components: {pilot: {k8s: {hpaSpec: {maxReplicas: 7}}}}")
    assert values(conversion, "istiod") == {"pilot": {"autoscaleMax": 7}}
    assert outcome(conversion, "values.pilot") == ("default", "nothing is set there that it would take away")


def test_a_setting_that_becomes_a_value_brings_the_rest_back() -> None:
    k8s = "components: {pilot: {k8s: {hpaSpec: {maxReplicas: 7}}}}"
    conversion = converted("profile: ambient", "values: {pilot: null}", k8s)
    found, reason = outcome(conversion, "values.pilot")
    assert found == "manual"
    assert "bring that back" in reason


def test_a_null_keeps_out_what_istioctl_hands_to_the_chart() -> None:
    lines = ["values: {pilot: null}", "components: {pilot: {k8s: {hpaSpec: {minReplicas: 2}}}}"]
    conversion = converted(*lines, to="1.31.0")
    assert outcome(conversion, "components.pilot.k8s.hpaSpec.minReplicas")[0] == "patch"
    assert outcome(converted(lines[1], to="1.31.0"), "components.pilot.k8s.hpaSpec.minReplicas")[0] == "value"


@pytest.mark.parametrize(
    ("line", "path", "found"),
    [
        ("values: null", "values", "default"),
        ("unvalidatedValues: null", "unvalidatedValues", "default"),
        ("meshConfig: null", "meshConfig", "manual"),
        ("components: {ingressGateways: null}", "components.ingressGateways", "manual"),
        ("components: {egressGateways: null}", "components.egressGateways", "manual"),
        ("components: {egressGateways: []}", "components.egressGateways", "default"),
        ("components: null", "components", "default"),
        ("components: {pilot: null}", "components.pilot", "default"),
        ("components: {cni: null}", "components.cni", "inert"),
        ("components: {pilot: {k8s: null}}", "components.pilot.k8s", "default"),
        ("values: {global: null}", "values.global", "manual"),
        ("values: {gateways: {istio-ingressgateway: null}}", "values.gateways.istio-ingressgateway", "manual"),
        ("values: {ztunnel: null}", "values.ztunnel", "inert"),
        ("{profile: ambient, values: {ztunnel: null}}", "values.ztunnel", "manual"),
        ("{profile: ambient, components: {cni: null}}", "components.cni", "release"),
    ],
)
def test_other_nulls(line: str, path: str, found: str) -> None:
    if line.startswith("{"):
        conversion = convert(HEAD.replace("spec:\n", f"spec: {line}\n"), to="1.25.3")
    else:
        conversion = converted(line)
    assert outcome(conversion, path)[0] == found
