"""The checks for pods of the old revision, run against a list of pods."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

from istio_convert.migrate import Plan, Strategy
from tests.migrate.cluster import changes, run
from tests.migrate.plans import make, records, thing
from tests.migrate.test_ownership import OWNED, mesh

SYSTEM, GATEWAY = "istio-system", "istio-ingressgateway"


def pod(namespace: str, workload: str, revision: str, kind: str = "ReplicaSet", **more: Any) -> dict[str, Any]:
    """A pod with a proxy, as its workload makes it."""
    set_hash = "7d4b9" if kind == "ReplicaSet" else ""
    owner = f"{workload}-{set_hash}" if set_hash else workload
    metadata: dict[str, Any] = {"annotations": {"istio.io/rev": revision}, **more}
    metadata["labels"] = {"app": GATEWAY} | ({"pod-template-hash": set_hash} if set_hash else {})
    if kind:
        metadata["ownerReferences"] = [{"kind": kind, "name": owner}]
    return thing("v1", "Pod", f"{owner}-x2v", namespace, metadata=metadata)


OLD_GATEWAY = [pod(SYSTEM, GATEWAY, "default"), pod(SYSTEM, GATEWAY, "default")]
MOVED = [
    *OLD_GATEWAY,
    pod(SYSTEM, f"{GATEWAY}-helm", "1-25-3"),
    pod("shop", "cart", "1-25-3"),
    pod("shop", "ends", "default", deletionTimestamp="2025-01-01T00:00:00Z"),
    thing("v1", "Pod", "without-a-proxy", "shop"),
]
#: a workload that was not restarted, and pods that only look like those of the gateway
UNMOVED = {
    "shop/pay-7d4b9-x2v": pod("shop", "pay", "default"),
    f"shop/{GATEWAY}-7d4b9-x2v": pod("shop", GATEWAY, "default"),
    f"{SYSTEM}/{GATEWAY}-x2v": pod(SYSTEM, GATEWAY, "default", kind=""),
    f"{SYSTEM}/{GATEWAY}-other-7d4b9-x2v": pod(SYSTEM, f"{GATEWAY}-other", "default"),
}
REST = [
    thing("v1", "Service", GATEWAY, SYSTEM, spec={"selector": {"app": f"{GATEWAY}-helm"}}),
    thing(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        "istiod-default-validator",
        webhooks=[{"clientConfig": {"service": {"name": "istiod-1-25-3", "namespace": SYSTEM}}}],
    ),
    thing("apps/v1", "Deployment", "cart", "shop"),
    thing("apps/v1", "Deployment", GATEWAY, SYSTEM),
]
SECOND = [thing("apps/v1", "Deployment", name, SYSTEM) for name in (f"{GATEWAY}-helm", "istiod-1-25-3")]
SECOND += records("istio-base", "istiod-1-25-3", f"{GATEWAY}-helm")


@functools.cache
def canary(*namespaces: str) -> Plan:
    return make(strategy=Strategy.CANARY, live=mesh(), kube_namespaces=namespaces or ("shop",))


SCRIPTS = [("61-restart.sh",), ("70-default-revision.sh", "check"), ("80-remove-operator.sh", "check")]


@pytest.mark.parametrize("words", SCRIPTS, ids=lambda words: words[0])
def test_the_old_gateways_may_still_run(words: tuple[str, ...], tmp_path: Path) -> None:
    result = run(canary(), tmp_path, [*MOVED, *REST, *SECOND], *words)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("words", SCRIPTS, ids=lambda words: words[0])
def test_every_other_pod_of_the_old_revision_is_named(words: tuple[str, ...], tmp_path: Path) -> None:
    result = run(canary(), tmp_path, [*MOVED, *UNMOVED.values(), *REST], *words)
    assert result.returncode == 1
    assert "STOP: these pods still have a proxy of revision default" in result.stderr
    assert {line for line in result.stderr.splitlines() if line.endswith("-x2v")} == set(UNMOVED)


def test_a_gateway_of_a_daemon_set_may_run_too(tmp_path: Path) -> None:
    pods = [pod(SYSTEM, GATEWAY, "default", kind="DaemonSet")]
    assert run(canary(), tmp_path, pods, "70-default-revision.sh", "check").returncode == 0


def test_a_gateway_that_is_not_deleted_would_stay_without_its_control_plane(tmp_path: Path) -> None:
    plan = make(strategy=Strategy.CANARY, live=[thing("apps/v1", "Deployment", "istiod", SYSTEM, metadata=OWNED)])
    result = run(plan, tmp_path, [*MOVED, *REST], "80-remove-operator.sh", "check")
    assert result.returncode == 1
    assert f"{SYSTEM}/{GATEWAY}-7d4b9-x2v" in result.stderr


def test_traffic_must_have_moved_before_the_old_gateways_go(tmp_path: Path) -> None:
    service = thing("v1", "Service", GATEWAY, SYSTEM, spec={"selector": {"app": GATEWAY}})
    result = run(canary(), tmp_path, [*MOVED, service, *REST[1:]], "80-remove-operator.sh", "check")
    assert result.returncode == 1
    assert f"STOP: Service {SYSTEM}/{GATEWAY} selects app={GATEWAY}" in result.stderr


def test_only_what_has_an_old_proxy_is_restarted(tmp_path: Path) -> None:
    plan = canary(SYSTEM, "shop")
    assert run(plan, tmp_path, [*MOVED, *REST], "61-restart.sh").returncode == 0
    assert changes(tmp_path) == ""
    own = [pod("shop", "cart", "default"), thing("apps/v1", "Deployment", "web", SYSTEM), pod(SYSTEM, "web", "default")]
    run(plan, tmp_path, [*MOVED, *own, *REST], "61-restart.sh")
    restarts = [line.split()[2] for line in changes(tmp_path).splitlines()]
    assert restarts == ["deployment/web", "deployment/cart"]


@pytest.mark.parametrize("namespaces", [("shop",), ()])
def test_workloads_with_one_replica_are_named_before_the_restart(namespaces: tuple[str, ...], tmp_path: Path) -> None:
    plan = make(strategy=Strategy.CANARY, kube_namespaces=namespaces)
    moved = {"istio-convert/injection-before": "enabled,none"}
    objects = [
        thing("v1", "Namespace", "shop", metadata={"annotations": moved}),
        thing("apps/v1", "Deployment", "cart", "shop", spec={"replicas": 1}),
        thing("apps/v1", "StatefulSet", "store", "shop", spec={"replicas": 1}),
        thing("apps/v1", "Deployment", "web", "shop", spec={"replicas": 2}),
        thing("apps/v1", "Deployment", "other", "elsewhere", spec={"replicas": 1}),
    ]
    result = run(plan, tmp_path, objects, "61-restart.sh", "check")
    assert result.returncode == 0, result.stderr
    named = [line.rpartition(" ")[2] for line in result.stderr.splitlines() if line.startswith("note: one replica")]
    assert named == ["shop/cart", "shop/store"]
    assert changes(tmp_path) == ""
