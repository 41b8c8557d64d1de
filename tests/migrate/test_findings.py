"""Each check on a dump: what it is for is found, and the same cluster without it is clean."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from istio_convert import migrate
from istio_convert.api import convert
from istio_convert.catalog import versions
from istio_convert.migrate import Level, Options, Plan, Strategy
from istio_convert.verify.manifests import Rendered
from tests.migrate.plans import make, thing

OPERATOR = """
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata: {name: mesh, namespace: istio-system}
spec: {tag: 1.24.6}
"""
GATEWAY = "istio-ingressgateway"
LABELS = {"app": GATEWAY, "istio": "ingressgateway"}
Objects = list[dict[str, Any]]


def workload(name: str, labels: dict[str, str], account: str, replicas: int | None = None) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "selector": {"matchLabels": dict(labels)},
        "template": {"metadata": {"labels": {**labels, "version": "v1"}}, "spec": {"serviceAccountName": account}},
    }
    if replicas is not None:
        spec["replicas"] = replicas
    return thing("apps/v1", "Deployment", name, "istio-system", spec=spec)


def service(ports: list[dict[str, Any]], **spec: Any) -> dict[str, Any]:
    return thing("v1", "Service", GATEWAY, "istio-system", spec={"selector": dict(LABELS), "ports": ports, **spec})


def cluster() -> Objects:
    """A cluster that nothing is wrong with."""
    return [
        thing("v1", "Namespace", "istio-system"),
        thing("install.istio.io/v1alpha1", "IstioOperator", "mesh", "istio-system"),
        workload("istiod", {"app": "istiod"}, "istiod", 1),
        workload(GATEWAY, LABELS, f"{GATEWAY}-service-account", 1),
        service([{"port": 80, "targetPort": 8080}]),
    ]


def rendered() -> list[Rendered]:
    objects = [
        workload(GATEWAY, LABELS, f"{GATEWAY}-service-account"),
        service([{"port": 80, "protocol": "TCP", "targetPort": 8080}]),
    ]
    return [Rendered(GATEWAY, "istio-system", item) for item in objects]


def plan(live: Objects, new: list[Rendered] | None = None) -> Plan:
    return migrate.plan(
        convert(OPERATOR, to="1.25.3"), Options("1.24.6", target="helm"), {"final": new or rendered()}, live
    )


def found(live: Objects, new: list[Rendered] | None = None) -> dict[str, Level]:
    return {finding.id: finding.level for finding in plan(live, new).findings}


def change(kind: str, edit: Callable[[dict[str, Any]], Any]) -> Objects:
    live = cluster()
    for item in live:
        if item["kind"] == kind and item["metadata"]["name"] != "istiod":
            edit(item)
    return live


def test_a_sound_cluster_has_only_notes_about_versions() -> None:
    quiet = {"gateway-schema", "gateway-restart-on-upgrade", "helm4-conflicts", "webhook-conflict", "no-controller"}
    assert set(found(cluster())) == quiet


def _policy(principal: str) -> dict[str, Any]:
    rules = [{"from": [{"source": {"principals": [principal]}}]}]
    return thing("security.istio.io/v1", "AuthorizationPolicy", "edge", "shop", spec={"rules": rules})


MANAGED = [{"manager": "argocd-controller"}, {"manager": "istio-operator"}]
CASES: list[tuple[str, Level, Objects]] = [
    (
        "selector",
        Level.BLOCKER,
        change("Deployment", lambda d: d["spec"]["selector"]["matchLabels"].update(team="edge")),
    ),
    ("target-port", Level.BLOCKER, change("Service", lambda s: s["spec"]["ports"][0].update(targetPort=80))),
    ("port-lost", Level.BLOCKER, change("Service", lambda s: s["spec"]["ports"].append({"port": 15443}))),
    ("service-selector", Level.WARNING, change("Service", lambda s: s["spec"].update(selector={"app": "x"}))),
    ("load-balancer-class", Level.BLOCKER, change("Service", lambda s: s["spec"].update(loadBalancerClass="x/y"))),
    (
        "principals",
        Level.BLOCKER,
        [
            *change("Deployment", lambda d: d["spec"]["template"]["spec"].update(serviceAccountName="old")),
            _policy("cluster.local/ns/istio-system/sa/old"),
        ],
    ),
    (
        "gateway-selector",
        Level.BLOCKER,
        [
            *change("Deployment", lambda d: d["spec"]["template"]["metadata"]["labels"].update(edge="yes")),
            thing("networking.istio.io/v1", "Gateway", "public", "shop", spec={"selector": {"edge": "yes"}}),
        ],
    ),
    (
        "pod-selector",
        Level.WARNING,
        [
            *change("Deployment", lambda d: d["spec"]["template"]["metadata"]["labels"].update(edge="yes")),
            thing(
                "networking.istio.io/v1alpha3",
                "EnvoyFilter",
                "limits",
                "istio-system",
                spec={"workloadSelector": {"labels": {"edge": "yes"}}},
            ),
        ],
    ),
    (
        "other-release",
        Level.BLOCKER,
        change(
            "Service",
            lambda s: s["metadata"].update(
                annotations={"meta.helm.sh/release-name": "edge", "meta.helm.sh/release-namespace": "edge"}
            ),
        ),
    ),
    ("field-managers", Level.WARNING, change("Service", lambda s: s["metadata"].update(managedFields=MANAGED))),
    ("replicas", Level.WARNING, change("Deployment", lambda d: d["spec"].update(replicas=3))),
    (
        "injection-disabled",
        Level.BLOCKER,
        change("Namespace", lambda n: n["metadata"].update(labels={"istio-injection": "disabled"})),
    ),
    (
        "two-injection-labels",
        Level.NOTE,
        change("Namespace", lambda n: n["metadata"].update(labels={"istio-injection": "enabled", "istio.io/rev": "x"})),
    ),
    (
        "revision-tags",
        Level.WARNING,
        [
            *cluster(),
            thing("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "istio-revision-tag-prod"),
        ],
    ),
    (
        "other-operators",
        Level.WARNING,
        [*cluster(), thing("install.istio.io/v1alpha1", "IstioOperator", "gateways", "edge")],
    ),
    (
        "stuck-finalizer",
        Level.WARNING,
        change("IstioOperator", lambda o: o["metadata"].update(deletionTimestamp="2025-01-01T00:00:00Z")),
    ),
    (
        "prune",
        Level.WARNING,
        change("IstioOperator", lambda o: o["metadata"].update(labels={"kustomize.toolkit.fluxcd.io/name": "mesh"})),
    ),
]


@pytest.mark.parametrize(("name", "level", "live"), CASES, ids=[case[0] for case in CASES])
def test_a_check_finds_what_it_is_for(name: str, level: Level, live: Objects) -> None:
    assert found(live).get(name) == level


@pytest.mark.parametrize(("strategy", "found"), [(Strategy.CANARY, True), (Strategy.IN_PLACE, False)])
def test_a_canary_needs_a_control_plane_to_move_to(strategy: Strategy, found: bool) -> None:
    gateways = OPERATOR.replace(
        "{tag: 1.24.6}",
        "{profile: empty, tag: 1.24.6, components: {ingressGateways: [{name: edge, enabled: true}]}}",
    )
    second = convert(gateways.replace("tag:", "revision: r2, tag:"), to="1.25.3") if found else None
    options = Options(source_version="1.24.6", strategy=strategy)
    made = migrate.plan(convert(gateways, to="1.25.3"), options, beside=second)
    blockers = {finding.id for finding in made.findings if finding.level is Level.BLOCKER}
    assert ("no-second-plane" in blockers) is found


def test_two_releases_must_not_render_one_object() -> None:
    new = [*rendered(), Rendered("istiod", "istio-system", rendered()[0].object)]
    assert found(cluster(), new)["two-owners"] is Level.BLOCKER


def test_an_accepted_blocker_is_named_in_the_preflight() -> None:
    made = plan(next(live for name, _, live in CASES if name == "target-port"))
    preflight = migrate.files(made)["00-preflight.sh"]
    assert "finding blocker target-port" in preflight
    assert preflight.index("finding blocker target-port") < preflight.index("no_blockers")


@pytest.mark.parametrize(
    ("source", "to", "strategy", "expected"),
    [
        ("1.24.6", "1.25.3", Strategy.IN_PLACE, None),
        ("1.25.3", "1.25.3", Strategy.IN_PLACE, None),
        ("1.23.6", "1.25.3", Strategy.IN_PLACE, "minor-skip"),
        ("1.23.6", "1.25.3", Strategy.CANARY, None),
        ("1.22.8", "1.25.3", Strategy.CANARY, "minor-skip"),
        ("1.26.8", "1.25.3", Strategy.IN_PLACE, "downgrade"),
        ("1.25.4", "1.25.3", Strategy.IN_PLACE, "downgrade"),
    ],
)
def test_how_far_one_step_may_go(source: str, to: str, strategy: Strategy, expected: str | None) -> None:
    blockers = {finding.id for finding in make(source=source, to=to, strategy=strategy).blockers}
    assert blockers == ({expected} if expected else set())


def test_before_the_oldest_charts_there_is_nothing_to_take_over_with() -> None:
    def action(source: str, strategy: Strategy) -> str:
        [finding] = [f for f in make(source=source, strategy=strategy).blockers if f.id == "minor-skip"]
        return finding.action

    oldest = versions()[0]
    for strategy in Strategy:
        assert "take over at the release that runs" in action(oldest.version, strategy)
        assert "no charts of 1.9 to take over with. Upgrade by istioctl first" in action("1.9.5", strategy)
        assert f"to {oldest.minor} or newer" in action("1.9.5", strategy)


def test_without_charts_the_plan_says_how_to_get_them() -> None:
    made = make(charts=False)
    assert made.adoptions is None
    [finding] = [finding for finding in made.findings if finding.id == "no-charts"]
    assert finding.level is Level.BLOCKER
    assert "istio-convert charts pull 1.25.3" in finding.action
    assert "fail " in migrate.files(made)["20-adopt.sh"]


def tag(name: str, revision: str) -> dict[str, Any]:
    labels = {"istio.io/tag": name, "istio.io/rev": revision}
    kind = "MutatingWebhookConfiguration"
    return thing("admissionregistration.k8s.io/v1", kind, f"istio-revision-tag-{name}", metadata={"labels": labels})


REV = "istio.io/rev"
SPACES = [
    thing("v1", "Namespace", name, metadata={"labels": labels})
    for name, labels in {
        "by-label": {"istio-injection": "enabled"},
        "by-revision": {REV: "old"},
        "by-tag": {REV: "prod"},
        "other": {REV: "other"},
        "none": {},
    }.items()
]


@pytest.mark.parametrize(
    ("revision", "more", "moved"),
    [
        ("old", [tag("prod", "old")], ["by-revision", "by-tag"]),
        ("old", [tag("prod", "other")], ["by-revision"]),
        ("old", [tag("default", "old")], ["by-label", "by-revision"]),
        ("", [tag("default", "default")], ["by-label"]),
        ("", [tag("prod", "default")], ["by-label", "by-tag"]),
        ("else", [], []),
    ],
)
def test_namespaces_move_that_ask_for_the_old_plane(revision: str, more: Objects, moved: list[str]) -> None:
    operator = OPERATOR.replace("spec: {", f"spec: {{revision: '{revision}', ")
    made = make(operator=operator, strategy=Strategy.CANARY, live=[*SPACES, *more])
    [step] = [step for step in made.steps if step.name == "namespaces"]
    assert [command.text.split()[1] for command in step.change] == moved
    assert ("no namespace that asks for the old control plane" in "".join(step.why)) is (not moved)


@pytest.mark.parametrize(
    ("options", "live", "expected"),
    [
        ({"tag": "prod"}, [tag("prod", "default")], True),
        ({"tag": "prod"}, [tag("prod", "1-25-3")], False),  # as the plan's own release has made it
        ({"tag": "next"}, [tag("prod", "default")], False),
        ({}, [tag("prod", "default")], False),
    ],
)
def test_a_tag_in_use_is_not_taken(options: dict[str, str], live: Objects, expected: bool) -> None:
    made = make(strategy=Strategy.CANARY, live=live, **options)  # type: ignore[arg-type]
    assert ("tag-taken" in {finding.id for finding in made.blockers}) is expected


def test_a_canary_names_what_points_at_the_old_service() -> None:
    spec = {"http": [{"route": [{"destination": {"host": f"{GATEWAY}.istio-system.svc.cluster.local"}}]}]}
    live = [thing("networking.istio.io/v1", "VirtualService", "loop", "shop", spec=spec)]
    made = make(strategy=Strategy.CANARY, traffic="dns", dns_name="shop.example.com", live=live)
    [finding] = [finding for finding in made.findings if finding.id == "service-name"]
    assert finding.objects == ("VirtualService shop/loop",)


def edited(kind: str, edit: Callable[[dict[str, Any]], Any]) -> list[Rendered]:
    new = rendered()
    for item in new:
        if item.object["kind"] == kind:
            edit(item.object)
    return new


@pytest.mark.parametrize(
    ("name", "live", "new", "difference"),
    [
        ("port-lost", change("Service", lambda s: s["spec"]["ports"].append({"port": 15443})), None,
         f"Service istio-system/{GATEWAY}: port 15443 is in no release"),
        ("port-lost", change("Service", lambda s: s["spec"]["ports"].append({"port": 53, "protocol": "UDP"})), None,
         f"Service istio-system/{GATEWAY}: port 53/UDP is in no release"),
        ("target-port", change("Service", lambda s: s["spec"]["ports"][0].update(targetPort=80)), None,
         f"Service istio-system/{GATEWAY}: port 80: target 80 -> 8080"),
        ("selector", change("Deployment", lambda d: d["spec"]["selector"]["matchLabels"].update(team="s3cret")), None,
         f"Deployment istio-system/{GATEWAY}: label team: only on the live one"),
        ("selector", cluster(), edited("Deployment", lambda d: d["spec"]["selector"]["matchLabels"].update(app="x")),
         f"Deployment istio-system/{GATEWAY}: label app: another value"),
        ("service-selector", cluster(), edited("Service", lambda s: s["spec"]["selector"].update(tier="x")),
         f"Service istio-system/{GATEWAY}: label tier: only in the release"),
        ("field-managers", change("Service", lambda s: s["metadata"].update(managedFields=MANAGED)), None,
         f"Service istio-system/{GATEWAY}: manager argocd-controller"),
        ("replicas", change("Deployment", lambda d: d["spec"].update(replicas=3)), None,
         f"Deployment istio-system/{GATEWAY}: 3 run, the autoscaler's minimum is not known"),
    ],
)  # fmt: skip
def test_a_finding_names_the_difference(name: str, live: Objects, new: list[Rendered] | None, difference: str) -> None:
    made = plan(live, new)
    [finding] = [item for item in made.findings if item.id == name]
    assert finding.differences == (difference,)
    files = migrate.files(made)
    assert f"    - {difference}\n" in files["RUNBOOK.md"]
    [data] = [item for item in json.loads(files["plan.json"])["findings"] if item["id"] == name]
    assert data["differences"] == [difference]
    assert data["objects"] == [difference.partition(":")[0]]
    assert "s3cret" not in str(made.findings)


def test_a_live_selector_goes_into_the_label() -> None:
    live = change("Deployment", lambda d: d["spec"]["selector"]["matchLabels"].update(team="edge"))
    [finding] = [item for item in plan(live).findings if item.id == "selector"]
    assert "into the operator's label" in finding.action
    faq = (Path(__file__).parents[2] / "docs" / "faq.md").read_text(encoding="utf-8")
    assert "put its labels into the\noperator file's `label`" in faq


def autoscaler(fewest: int) -> dict[str, Any]:
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": GATEWAY}, "minReplicas": fewest}
    return thing("autoscaling/v2", "HorizontalPodAutoscaler", GATEWAY, "istio-system", spec=spec)


@pytest.mark.parametrize(
    ("now", "before", "after", "warned"),
    [
        (3, 3, 3, False),
        (5, 3, 3, False),
        (3, None, 3, False),
        (3, 3, 2, True),
        (3, None, 2, True),
        (3, 3, None, True),
        (1, None, None, False),
    ],
)
def test_replicas_that_an_autoscaler_keeps_are_no_news(
    now: int, before: int | None, after: int | None, warned: bool
) -> None:
    live = change("Deployment", lambda d: d["spec"].update(replicas=now))
    new = rendered()
    if before:
        live.append(autoscaler(before))
    if after:
        new.append(Rendered(GATEWAY, "istio-system", autoscaler(after)))
    assert ("replicas" in found(live, new)) is warned
