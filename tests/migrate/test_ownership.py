"""What changes hands and what is left behind."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert.migrate import Plan, Strategy
from tests.migrate.plans import make, thing

OWNED = {
    "labels": {"install.operator.istio.io/owning-resource": "control-plane", "operator.istio.io/managed": "Reconcile"}
}


def mesh() -> list[dict[str, Any]]:
    system = "istio-system"
    return [
        thing("apps/v1", "Deployment", "istiod", system, metadata=OWNED),
        thing("v1", "ServiceAccount", "istiod", system, metadata=OWNED),
        thing("apps/v1", "Deployment", "istio-ingressgateway", system, metadata=OWNED),
        thing("v1", "Service", "istio-ingressgateway", system, metadata=OWNED),
        thing("rbac.authorization.k8s.io/v1", "Role", "istio-ingressgateway-sds", system, metadata=OWNED),
        thing("v1", "ConfigMap", "mine", system),
        thing(
            "v1",
            "ConfigMap",
            "of-helm",
            system,
            metadata={**OWNED, "annotations": {"meta.helm.sh/release-name": "other"}},
        ),
        thing("v1", "Secret", "istio-ca-secret", system, metadata=OWNED),
        thing("apiextensions.k8s.io/v1", "CustomResourceDefinition", "istiooperators.install.istio.io", metadata=OWNED),
    ]


def removed(plan: Plan) -> list[tuple[str, str]]:
    assert plan.removals is not None
    return [(item.resource, item.name) for item in plan.removals]


def test_in_place_only_orphans_go() -> None:
    plan = make(live=mesh())
    assert plan.adoptions is not None
    names = [(item.resource, item.name, item.namespace) for item in plan.adoptions]
    assert ("deployment.apps", "istiod", "istio-system") in names
    assert ("customresourcedefinition.apiextensions.k8s.io", "gateways.networking.istio.io", "") in names
    assert ("serviceaccount", "istio-ingressgateway", "istio-system") not in names, "it is not live"
    assert removed(plan) == [
        ("service", "istio-ingressgateway"),
        ("role.rbac.authorization.k8s.io", "istio-ingressgateway-sds"),
    ]


def test_a_canary_removes_the_old_plane_but_not_the_service_that_stays() -> None:
    assert removed(make(live=mesh(), strategy=Strategy.CANARY)) == [
        ("deployment.apps", "istio-ingressgateway"),
        ("deployment.apps", "istiod"),
        ("serviceaccount", "istiod"),
        ("role.rbac.authorization.k8s.io", "istio-ingressgateway-sds"),
    ]
    weighted = make(live=mesh(), strategy=Strategy.CANARY, traffic="dns", dns_name="a.example.com")
    assert ("service", "istio-ingressgateway") in removed(weighted)


def test_without_a_dump_nothing_is_known_to_remove() -> None:
    plan = make()
    assert plan.removals is None
    [step] = [step for step in plan.steps if step.number == 80]
    assert step.before[-1].text.startswith("fail ")
    assert not any(item.text.startswith("remove deployment") for item in step.change)


def test_owner_labels_go_from_everything_that_changes_hands() -> None:
    for target, word in (("helm", "adopt"), ("helmfile", "adopt"), ("flux", "detach"), ("argocd", "detach")):
        plan = make(target, live=mesh())
        [step] = [step for step in plan.steps if step.number == 20]
        assert plan.adoptions is not None
        assert [item.text.split()[0] for item in step.change] == [word] * len(plan.adoptions)


def test_the_definition_of_the_operator_goes_last() -> None:
    [step] = [step for step in make(live=mesh()).steps if step.number == 80]
    texts = [item.text for item in step.change]
    assert "finalizers" in texts[0]
    assert texts[-3:] == [
        "remove istiooperators.install.istio.io control-plane istio-system",
        "remove_controllers",
        "remove_operator_crd",
    ]


LOST = {
    "PodDisruptionBudget": "budget-removed",
    "HorizontalPodAutoscaler": "autoscaler-removed",
    "NetworkPolicy": "policy-removed",
    "Service": "service-removed",
    "Deployment": "workload-removed",
}


def removal_findings(plan: Plan) -> dict[str, tuple[str, ...]]:
    return {item.id: item.objects for item in plan.findings if item.id.endswith("-removed")}


@pytest.mark.parametrize(("kind", "name"), LOST.items())
def test_what_protects_or_serves_traffic_is_not_deleted_unnamed(kind: str, name: str) -> None:
    live = [item for item in mesh() if item["kind"] != "Service"]
    assert removal_findings(make(live=live)) == {}
    more = thing("any/v1" if kind != "Service" else "v1", kind, "web", "istio-system", metadata=OWNED)
    found = removal_findings(make(live=[*live, more]))
    assert found == {name: (f"{kind} istio-system/web",)}
    foreign = {**more, "metadata": {**more["metadata"], "labels": {}}}
    assert removal_findings(make(live=[*live, foreign])) == {}


def test_a_lost_budget_names_its_cure() -> None:
    live = [*mesh(), thing("policy/v1", "PodDisruptionBudget", "istiod", "istio-system", metadata=OWNED)]
    [finding] = [item for item in make(live=live).findings if item.id == "budget-removed"]
    assert "values.pilot.autoscaleMin" in finding.action
    assert "values.gateways.istio-ingressgateway.autoscaleMin" in finding.action


def test_in_a_canary_the_new_objects_take_the_place_of_the_old_ones() -> None:
    assert removal_findings(make(live=mesh(), strategy=Strategy.CANARY)) == {}
    budget = thing("policy/v1", "PodDisruptionBudget", "istiod", "istio-system", metadata=OWNED)
    plan = make(live=[*mesh(), budget], strategy=Strategy.CANARY)
    assert removal_findings(plan) == {"budget-removed": ("PodDisruptionBudget istio-system/istiod",)}


def test_a_gateway_that_is_not_in_the_dump_is_new() -> None:
    live = [item for item in mesh() if item["metadata"]["name"] != "istio-ingressgateway"]
    plan = make(live=live)
    [finding] = [item for item in plan.findings if item.id == "not-in-dump"]
    assert finding.objects == ("deployment.apps istio-system/istio-ingressgateway",)
    step = next(step for step in plan.steps if step.name == "istio-ingressgateway")
    assert step.title == "Install gateway as istio-system/istio-ingressgateway"
    assert "makes a new one" in step.why[0]
    assert [item.text.split()[0] for item in step.rollback] == ["forget_release"], "a dump may be incomplete"
    assert "by hand" in step.rollback_note
    whole = make(live=mesh())
    assert "not-in-dump" not in {item.id for item in whole.findings}
    step = next(step for step in whole.steps if step.name == "istio-ingressgateway")
    assert step.title.startswith("Take over gateway")
    assert [item.text.split()[0] for item in step.rollback] == ["forget_release"]
