"""What changes hands and what is left behind."""

from __future__ import annotations

from typing import Any

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
