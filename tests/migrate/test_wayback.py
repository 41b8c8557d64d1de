"""The way back names who puts the old objects back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from istio_convert import migrate
from istio_convert.migrate import Plan
from tests.migrate.cluster import changes, run
from tests.migrate.plans import make, thing


def operator(replicas: int, **metadata: Any) -> dict[str, Any]:
    """The Deployment of an in-cluster operator."""
    spec = {"replicas": replicas, "template": {"spec": {"containers": [{"name": "istio-operator"}]}}}
    return thing("apps/v1", "Deployment", "istio-operator", "istio-operator", spec=spec, metadata=metadata)


def old(live: list[dict[str, Any]] | None, source: str = "1.23.6") -> Plan:
    return make(source=source, to="1.24.6", live=live)


def ids(plan: Plan) -> set[str]:
    return {finding.id for finding in plan.findings} & {"no-controller", "stopped-controller"}


OTHER = thing("v1", "Namespace", "shop")


@pytest.mark.parametrize(
    ("plan", "finding", "note"),
    [
        (old([operator(1)]), set(), "until the operator reconciles them (rollback of step 10)."),
        (old([operator(0)]), {"stopped-controller"}, "until you start the operator"),
        (old([OTHER]), {"no-controller"}, "the istioctl of 1.23.6 puts the old ones back"),
        (old(None), set(), "or, where none runs, the istioctl of 1.23.6"),
        (old(None, "1.24.6"), {"no-controller"}, "the istioctl of 1.24.6 puts the old ones back"),
    ],
    ids=["runs", "stopped", "none", "no dump", "1.24"],
)
def test_the_plan_says_who_puts_the_old_objects_back(plan: Plan, finding: set[str], note: str) -> None:
    assert ids(plan) == finding
    taken_over = [step for step in plan.steps if step.title.startswith("Take over")]
    assert len(taken_over) == 3
    assert all(note in step.rollback_note for step in taken_over)


def test_the_runbook_allows_istioctl_install_for_the_way_back() -> None:
    text = migrate.files(old(None, "1.24.6"))["RUNBOOK.md"]
    assert "The one exception is the way back" in text
    assert "istioctl install -f" in text


@pytest.mark.parametrize("replicas", [None, 0])
def test_a_rollback_ends_with_what_is_still_to_do(replicas: int | None, tmp_path: Path) -> None:
    objects = [] if replicas is None else [operator(replicas)]
    result = run(old(objects or [OTHER]), tmp_path, objects, "rollback.sh", "32")
    assert result.returncode == 0, result.stderr
    end = result.stderr[result.stderr.index("STILL TO DO BY HAND") :]
    assert "istioctl of 1.23.6" in end
    assert end.rstrip().splitlines()[-1].lstrip().startswith("istioctl install -f ")
    assert ("kubectl scale deployment.apps istio-operator" in end) is (replicas == 0)


def test_a_rollback_leaves_it_to_an_operator_that_runs(tmp_path: Path) -> None:
    result = run(old([operator(1)]), tmp_path, [operator(1)], "rollback.sh", "32")
    assert result.returncode == 0, result.stderr
    assert "LEFT TO THE OPERATOR" in result.stderr.splitlines()[-1]
    assert "BY HAND" not in result.stderr


def flux(suspended: bool) -> dict[str, Any]:
    spec = {"suspend": True} if suspended else {}
    return thing("helm.toolkit.fluxcd.io/v2", "HelmRelease", "istiod", "istio-system", spec=spec)


def argocd(automated: bool) -> dict[str, Any]:
    spec = {"syncPolicy": {"automated": {}}} if automated else {"syncPolicy": {}}
    return thing("argoproj.io/v1alpha1", "Application", "istiod", "argocd", spec=spec)


RECORDS = thing("v1", "Secret", "sh.helm.release.v1.istiod.v1", "istio-system", metadata={
    "labels": {"owner": "helm", "name": "istiod"},
})  # fmt: skip


@pytest.mark.parametrize(
    ("target", "there", "active"),
    [
        ("flux", flux(suspended=False), True),
        ("flux", flux(suspended=True), False),
        ("argocd", argocd(automated=True), True),
        ("argocd", argocd(automated=False), False),
        ("helm", RECORDS, True),
        ("helmfile", RECORDS, True),
        ("helm", OTHER, False),
    ],
)
def test_the_operator_does_not_come_back_against_an_active_release(
    target: str, there: dict[str, Any], active: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesh = thing("install.istio.io/v1alpha1", "IstioOperator", "control-plane", "istio-system")
    live = [operator(0, annotations={"istio-convert/replicas": "1"}), mesh]
    plan = make(target, source="1.23.6", to="1.24.6", live=live)
    result = run(plan, tmp_path, [*live, there], "10-freeze-operator.sh", "rollback")
    assert (result.returncode != 0) is active, result.stderr
    assert ("scale deployment.apps istio-operator" in changes(tmp_path)) is not active
    if active:
        assert "istiod is still active" in result.stderr
        assert changes(tmp_path) == ""
        monkeypatch.setenv("ACCEPT", "active-release")
        assert run(plan, tmp_path, [*live, there], "10-freeze-operator.sh", "rollback").returncode == 0
        assert "scale deployment.apps istio-operator" in changes(tmp_path)
