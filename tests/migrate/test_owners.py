"""What other operators own stays: in doubt nothing is deleted, and a person is told."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert.migrate import Level, Plan, Strategy
from tests.migrate.cases import FOLDER, Case, load
from tests.migrate.plans import make, thing

SYSTEM = "istio-system"
OWNER = "install.operator.istio.io/owning-resource"
REV = "istio.io/rev"
Objects = list[dict[str, Any]]


def operator(name: str = "", namespace: str = SYSTEM, **spec: Any) -> str:
    metadata = {"name": name, "namespace": namespace} if name else {}
    head = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"
    return f"{head}metadata: {metadata}\nspec: {{{', '.join(f'{key}: {value}' for key, value in spec.items())}}}\n"


def resource(name: str, namespace: str = SYSTEM) -> dict[str, Any]:
    return thing("install.istio.io/v1alpha1", "IstioOperator", name, namespace)


def owned(
    kind: str, name: str, owner: str = "", *, of: str = "", rev: str = "", component: str = "Pilot", home: str = SYSTEM
) -> dict[str, Any]:
    """An object as istioctl labels it."""
    apis = {"Deployment": "apps/v1", "Service": "v1", "ServiceAccount": "v1"}
    labels = {"operator.istio.io/managed": "Reconcile", "operator.istio.io/component": component}
    labels |= {OWNER: owner} if owner else {}
    labels |= {f"{OWNER}-namespace": of} if of else {}
    labels |= {REV: rev} if rev else {}
    return thing(apis.get(kind, "rbac.authorization.k8s.io/v1"), kind, name, home, metadata={"labels": labels})


def removed(plan: Plan) -> set[str]:
    assert plan.removals is not None
    return {item.name for item in plan.removals}


def stay(plan: Plan) -> set[str]:
    """The objects of the finding, without their owner."""
    found = [finding for finding in plan.findings if finding.id == "not-removed"]
    assert all(finding.level is Level.WARNING for finding in found)
    names = {text.split(" (")[0].split()[1].split("/")[-1] for finding in found for text in finding.objects}
    [after] = [step for step in plan.steps if step.name == "after"]
    assert all(f"/{name}`" in "".join(after.why) or f" {name}`" in "".join(after.why) for name in names)
    return names


def texts(plan: Plan, name: str) -> str:
    [step] = [step for step in plan.steps if step.name == name]
    return "\n".join(command.text for _, commands in step.parts for command in commands)


@pytest.mark.parametrize("strategy", Strategy)
def test_of_two_meshes_the_planned_one_goes_over_alone(strategy: Strategy) -> None:
    folder = FOLDER / "two-meshes"
    live = Case("two-meshes", load(folder / "case.yaml")).live()
    assert live is not None
    for item in live:
        labels = item["metadata"].get("labels", {})
        if OWNER in labels:
            labels[REV] = labels[OWNER].removeprefix("mesh-")
    blue = (folder / "input.yaml").read_text("utf-8").split("---")[0]
    plan = make(operator=blue, strategy=strategy, source="1.23.6", to="1.24.6", live=live)
    assert plan.removals is not None
    gone = [f"{item.resource} {item.name} {item.namespace}" for item in plan.removals]
    assert "role.rbac.authorization.k8s.io blue-gateway-sds istio-blue" in gone
    assert ("deployment.apps istiod-blue istio-blue" in gone) is (strategy is Strategy.CANARY)
    # with a revision of its own in its labels, a webhook is one mesh's
    injector = "mutatingwebhookconfiguration.admissionregistration.k8s.io istio-sidecar-injector-blue-istio-blue "
    assert injector in gone
    assert [line for line in gone if "green" in line] == []
    assert "green" not in texts(plan, "remove-operator")
    assert "remove_operator_crd" in texts(plan, "remove-operator"), "which looks whether an operator is left"
    freeze = texts(plan, "freeze-operator")
    assert "mesh-green --namespace istio-green install.istio.io/ignoreReconcile=true" in freeze
    assert "mesh-green --namespace istio-green install.istio.io/ignoreReconcile-" in freeze
    [others] = [finding for finding in plan.findings if finding.id == "other-operators"]
    assert others.objects == ("IstioOperator istio-green/mesh-green",)
    assert {"istiod-green", "green-gateway", "istio-validator-green-istio-green"} <= stay(plan)
    assert any("`istio-green/mesh-green` were not part" in note for note in plan.hand_over)
    assert "gateway-selector" not in {finding.id for finding in plan.findings if "green" in "".join(finding.objects)}


def test_what_has_no_revision_of_its_own_may_be_shared_while_another_one_lives() -> None:
    live = [
        owned("ServiceAccount", "istio-reader", "mesh", component="Base"),
        owned("ClusterRole", "no-revision", "mesh", home=""),
        owned("ClusterRole", "revision", "mesh", rev="default", home=""),
        owned("Deployment", "istiod", "mesh"),
    ]
    mine = operator("mesh")
    everything = {"istio-reader", "no-revision", "revision", "istiod"}
    alone = make(operator=mine, live=live, strategy=Strategy.CANARY)
    assert (removed(alone), stay(alone)) == (everything, set())
    for other in (resource("other", "edge"), owned("Service", "gw", "other")):
        plan = make(operator=mine, live=[*live, other], strategy=Strategy.CANARY)
        assert removed(plan) == {"revision", "istiod"}
        assert stay(plan) - {"gw"} == {"istio-reader", "no-revision"}


@pytest.mark.parametrize("owner", ["mesh", "installed-state-mesh", "mesh-green", "", "unknown"])
def test_a_second_revision_in_the_namespace_stays(owner: str) -> None:
    live = [
        owned("Deployment", "istiod", "mesh", rev="default"),
        owned("Service", "istiod", "mesh", rev="default"),
        owned("Deployment", "istiod-green", owner, rev="green"),
        owned("Service", "green-gateway", owner, rev="green", component="IngressGateways"),
    ]
    plan = make(operator=operator("mesh"), live=live, strategy=Strategy.CANARY)
    assert removed(plan) == {"istiod"}
    assert stay(plan) == {"istiod-green", "green-gateway"}


def test_of_control_plane_and_gateways_only_the_planned_operator_goes() -> None:
    live = [
        resource("mesh"),
        resource("gateways"),
        owned("Deployment", "istiod", "mesh", of=SYSTEM, rev="default"),
        owned("Role", "istiod", "mesh", of=SYSTEM, rev="default"),
        owned("Deployment", "edge", "gateways", of=SYSTEM, rev="default", component="IngressGateways"),
        owned("Role", "edge-sds", "gateways", of=SYSTEM, rev="default", component="IngressGateways"),
    ]
    edge = "{ingressGateways: [{name: edge, enabled: true}]}"
    plane = make(operator=operator("mesh", profile="minimal"), live=live)
    assert (removed(plane), stay(plane)) == ({"istiod"}, {"edge", "edge-sds"})
    gates = make(operator=operator("gateways", profile="empty", components=edge), live=live)
    assert (removed(gates), stay(gates)) == ({"edge-sds"}, {"istiod"})
    for plan, mine, other in ((plane, "mesh", "gateways"), (gates, "gateways", "mesh")):
        assert f"remove istiooperators.install.istio.io {mine} {SYSTEM}" in texts(plan, "remove-operator")
        assert f"istiooperators.install.istio.io {other} " not in texts(plan, "remove-operator")


@pytest.mark.parametrize(
    ("labels", "more", "goes"),
    [
        ({"of": SYSTEM}, [], True),
        ({"of": "edge"}, [], False),
        ({}, [], True),
        ({}, [resource("mesh", "edge")], False),  # two of that name
        ({"of": SYSTEM}, [resource("mesh", "edge")], True),
    ],
)
def test_an_owner_has_a_namespace(labels: dict[str, str], more: Objects, goes: bool) -> None:
    live = [resource("mesh"), owned("Deployment", "istiod", "mesh", **labels), *more]
    plan = make(operator=operator("mesh"), live=live, strategy=Strategy.CANARY)
    assert (removed(plan) == {"istiod"}) is goes
    assert (stay(plan) == {"istiod"}) is not goes


def test_a_file_without_a_namespace_is_the_only_resource_of_its_name() -> None:
    mine = operator("mesh").replace(", 'namespace': 'istio-system'", "")
    live = [resource("mesh", "ops"), owned("Deployment", "istiod", "mesh", of="ops")]
    plan = make(operator=mine, live=live, strategy=Strategy.CANARY)
    assert removed(plan) == {"istiod"}
    assert "remove istiooperators.install.istio.io mesh ops" in texts(plan, "remove-operator")
    doubt = make(operator=mine, live=[*live, resource("mesh", "edge")], strategy=Strategy.CANARY)
    assert removed(doubt) == set()


@pytest.mark.parametrize(
    ("name", "spec", "owner"),
    [
        ("mesh", {}, "installed-state-mesh"),
        ("mesh", {"revision": "a"}, "installed-state-mesh-a"),
        ("", {"revision": "a"}, "installed-state-a"),
        ("", {}, "installed-state"),
    ],
)
def test_istioctl_named_its_owner_otherwise_before_1_24(name: str, spec: dict[str, str], owner: str) -> None:
    live = [resource(owner), owned("Deployment", "istiod", owner), owned("Service", "gw", f"{owner}-b")]
    plan = make(operator=operator(name, **spec), live=live, strategy=Strategy.CANARY)
    assert (removed(plan), stay(plan)) == ({"istiod"}, {"gw"})
    assert f"remove istiooperators.install.istio.io {owner} {SYSTEM}" in texts(plan, "remove-operator")


@pytest.mark.parametrize("owner", ["", "unknown"])
def test_without_an_owner_only_what_the_old_release_renders_goes(owner: str) -> None:
    live = [owned("Deployment", "istiod", owner, rev="default"), owned("Deployment", "edge", owner, rev="default")]
    blind = make(operator=operator(), live=live, strategy=Strategy.CANARY)
    assert (removed(blind), stay(blind)) == (set(), {"istiod", "edge"})
    rendered = [thing("apps/v1", "Deployment", "istiod", SYSTEM)]
    plan = make(operator=operator(), live=live, before=rendered, strategy=Strategy.CANARY)
    assert (removed(plan), stay(plan)) == ({"istiod"}, {"edge"})


def test_an_application_that_may_hold_another_operator_stays() -> None:
    mine = [resource("mesh"), owned("Deployment", "istiod", "mesh")]
    for more, goes in (([], True), ([resource("other", "edge")], False)):
        plan = make("argocd", operator=operator("mesh"), live=[*mine, *more], old_application="argocd/mesh")
        assert ("remove application.argoproj.io mesh argocd" in texts(plan, "remove-operator")) is goes
