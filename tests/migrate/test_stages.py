"""The releases of a canary: what is new has names of its own, what there is once per cluster is taken over."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert.errors import OutputError
from istio_convert.migrate import Plan, Strategy
from istio_convert.release import Release
from tests.migrate.plans import OPERATOR, make

TWO = """
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata: {name: a, namespace: mesh-a}
spec: {profile: minimal, revision: a, values: {global: {istioNamespace: mesh-a}}}
---
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata: {name: b, namespace: mesh-b}
spec: {profile: minimal, revision: b, values: {global: {istioNamespace: mesh-b}}}
"""


def canary(**options: Any) -> Plan:
    return make(strategy=Strategy.CANARY, **options)


def releases(plan: Plan, stage: str) -> dict[str, Release]:
    [found] = [item for item in plan.stages if item.name == stage]
    return {release.name: release for release in found.releases}


def test_names() -> None:
    plan = canary()
    expected = ["istio-base", "istiod-1-25-3", "istio-ingressgateway-helm"]
    assert list(releases(plan, "beside")) == expected
    assert list(releases(plan, "final")) == expected


def test_the_second_gateway_shares_only_the_label_istio_and_the_identity() -> None:
    gateway = releases(canary(traffic="dns", dns_name="a.example.com"), "beside")["istio-ingressgateway-helm"]
    values = gateway.values_data()
    assert values["labels"] == {"app": "istio-ingressgateway-helm", "istio": "ingressgateway", "team": "edge"}
    assert values["revision"] == "1-25-3"
    assert values["serviceAccount"] == {"name": "istio-ingressgateway-service-account", "create": False}
    assert values["service"]["ports"] == [{"name": "http2", "port": 80, "targetPort": 8080}]
    assert {patch.target.name for patch in gateway.patches} == {"istio-ingressgateway-helm"}
    assert gateway.depends_on == ["istiod-1-25-3"]


def test_in_the_end_the_release_owns_the_account() -> None:
    values = releases(canary(), "final")["istio-ingressgateway-helm"].values_data()
    assert values["serviceAccount"] == {"name": "istio-ingressgateway-service-account"}


def test_with_a_selector_the_second_gateway_has_no_service() -> None:
    gateway = releases(canary(), "beside")["istio-ingressgateway-helm"]
    assert gateway.values_data()["service"]["type"] == "None"
    assert "Service" not in {patch.target.kind for patch in gateway.patches}


def test_the_default_moves_only_in_the_end() -> None:
    plan = canary()
    assert "defaultRevision" not in releases(plan, "beside")["istio-base"].values_data()
    assert releases(plan, "final")["istio-base"].values_data()["defaultRevision"] == "1-25-3"


def test_tags() -> None:
    plan = canary(tag="stable")
    assert releases(plan, "beside")["istiod-1-25-3"].values_data()["revisionTags"] == ["stable"]
    assert releases(plan, "final")["istiod-1-25-3"].values_data()["revisionTags"] == ["stable", "default"]


def test_a_revisioned_mesh_keeps_its_default_until_the_end() -> None:
    operator = OPERATOR.replace("tag: 1.24.6", "tag: 1.24.6\n  revision: old")
    plan = canary(operator=operator)
    assert releases(plan, "beside")["istio-base"].values_data()["defaultRevision"] == "old"
    assert "revisionTags" not in releases(plan, "final")["istiod-1-25-3"].values_data()


def test_the_revision_that_runs_is_refused() -> None:
    operator = OPERATOR.replace("tag: 1.24.6", "tag: 1.24.6\n  revision: 1-25-3")
    with pytest.raises(OutputError, match="the revision that runs already"):
        canary(operator=operator)


def test_what_exists_once_has_one_owner() -> None:
    plan = make(operator=TWO, source="1.24.6", to="1.25.3")
    first, second = (r.values_data() for r in plan.stages[0].releases if r.chart == "base")
    assert first["defaultRevision"] == "a"
    assert "base" not in first
    assert second["defaultRevision"] == ""
    assert "gateways.networking.istio.io" in second["base"]["excludedCRDs"]


def test_order_in_place() -> None:
    operator = OPERATOR.replace("components:", "components:\n    cni: {enabled: true}\n    ztunnel: {enabled: true}")
    charts = [release.chart for release in make(operator=operator).stages[0].releases]
    assert charts == ["base", "cni", "istiod", "ztunnel", "gateway"]


def test_what_needs_an_istiod_needs_the_new_one() -> None:
    operator = OPERATOR.replace("components:", "components:\n    cni: {enabled: true}\n    ztunnel: {enabled: true}")
    ztunnel = releases(canary(operator=operator), "beside")["ztunnel"]
    assert "istiod-1-25-3" in ztunnel.depends_on
    assert "istiod" not in ztunnel.depends_on


def test_the_releases_themselves_are_not_changed() -> None:
    before = canary().stages[0].releases[-1].values_data()
    assert before == canary().stages[0].releases[-1].values_data()


def test_the_step_says_only_what_the_releases_hold() -> None:
    revisioned = canary(operator=OPERATOR.replace("tag: 1.24.6", "tag: 1.24.6\n  revision: old"))
    for plan, follows in ((canary(), True), (revisioned, False)):
        [step] = [step for step in plan.steps if step.number == 70]
        assert ("The tag `default` follows" in " ".join(step.why)) is follows
