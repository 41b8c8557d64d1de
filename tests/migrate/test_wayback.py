"""The way back names who puts the old objects back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from istio_convert import migrate
from istio_convert.cli.main import cli
from istio_convert.migrate import Level, Plan, Strategy
from tests.migrate.cluster import changes, run
from tests.migrate.plans import OPERATOR, make, thing
from tests.migrate.test_ownership import mesh


def operator(replicas: int, **metadata: Any) -> dict[str, Any]:
    """The Deployment of an in-cluster operator."""
    spec = {"replicas": replicas, "template": {"spec": {"containers": [{"name": "istio-operator"}]}}}
    return thing("apps/v1", "Deployment", "istio-operator", "istio-operator", spec=spec, metadata=metadata)


def workloads() -> list[dict[str, Any]]:
    """What makes a dump one of this mesh."""
    return [thing("apps/v1", "Deployment", name, "istio-system") for name in ("istiod", "istio-ingressgateway")]


def old(live: list[dict[str, Any]] | None, source: str = "1.23.6") -> Plan:
    return make(source=source, to="1.24.6", live=None if live is None else [*workloads(), *live])


def ids(plan: Plan) -> set[str]:
    return {finding.id for finding in plan.findings} & {"no-controller", "stopped-controller"}


def canary(live: list[dict[str, Any]] | None = None, **options: Any) -> Plan:
    return make(source="1.24.6", to="1.25.3", strategy=Strategy.CANARY, live=live, **options)


def test_on_call_finds_the_command_at_the_top_of_the_runbook() -> None:
    plan = canary(mesh(), kube_namespaces=("shop",))
    text = migrate.files(plan)["RUNBOOK.md"]
    box = text[: text.index("## Before you start")]
    assert box.splitlines()[2] == "## Incident? Do this"
    commands = [item.run[0] for item in plan.incidents]
    assert commands[:4] == [f"./rollback.sh {n}" for n in ("51 50", "61 60", "70 60", "80 50")]
    assert all(f"`{text}`" in box for text in commands)
    numbers = {f"{step.number:02d}" for step in plan.steps}
    named = [word for text in commands if text.startswith("./rollback.sh") for word in text.split()[1:]]
    assert set(named) <= numbers
    assert old(None).incidents[0].run[0] == "./rollback.sh 32"


def test_traffic_alone_goes_back(tmp_path: Path) -> None:
    gateway = thing("apps/v1", "Deployment", "istio-ingressgateway", "istio-system", status={"readyReplicas": 1})
    service = thing("v1", "Service", "istio-ingressgateway", "istio-system")
    result = run(canary(mesh()), tmp_path, [gateway, service], "rollback.sh", "51", "50", wait=True)
    assert result.returncode == 0, result.stderr
    changed = changes(tmp_path).splitlines()
    assert [text.split()[:3] for text in changed] == [["patch", "service", "istio-ingressgateway"]] * 2
    assert '"app":"istio-ingressgateway"' in changed[-1]


@pytest.mark.parametrize("there", [[], [thing("apps/v1", "Deployment", "istio-ingressgateway", "istio-system")]])
def test_traffic_does_not_go_back_to_nobody(there: list[dict[str, Any]], tmp_path: Path) -> None:
    service = thing("v1", "Service", "istio-ingressgateway", "istio-system")
    result = run(canary(mesh()), tmp_path, [*there, service], "rollback.sh", "51", "50", wait=True)
    assert result.returncode == 1
    assert "STOP: " in result.stderr
    assert changes(tmp_path) == ""


def test_a_canary_does_not_end_with_istioctl(tmp_path: Path) -> None:
    plan = canary()
    [finding] = [item for item in plan.findings if item.id == "no-controller"]
    assert finding.level is Level.NOTE
    assert "the way back ends with" not in finding.text
    assert "rollback.sh alone brings traffic and pods back" in finding.text
    said = run(plan, tmp_path, [OTHER], "10-freeze-operator.sh", "rollback").stderr
    assert "the objects of base (the old control plane and gateways run as before)" in said


def test_the_folder_keeps_the_files_that_istioctl_needs(tmp_path: Path) -> None:
    names = [tmp_path / "a" / "operator.yaml", tmp_path / "b" / "operator.yaml", tmp_path / "x y'.yml"]
    for position, name in enumerate(names):
        name.parent.mkdir(exist_ok=True)
        text = OPERATOR if not position else OPERATOR.replace("name: control-plane", f"name: other-{position}")
        name.write_text(text.replace("tag: 1.24.6", "profile: empty" if position else "tag: 1.24.6"), encoding="utf-8")
    words = ("plan", *map(str, names), "--from", "1.24.6", "--to", "1.25.3", "--fail-on", "never")
    result = CliRunner().invoke(cli, [*words, "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.stderr
    kept = ["operator/operator.yaml", "operator/operator-2.yaml", "operator/x-y.yaml"]
    assert [(tmp_path / "out" / path).read_text("utf-8") for path in kept] == [n.read_text("utf-8") for n in names]
    script = (tmp_path / "out" / "10-freeze-operator.sh").read_text(encoding="utf-8")
    for path in kept:
        assert f"istioctl install -f {path}" in script
    assert str(tmp_path) not in script
    assert json.loads((tmp_path / "out" / "plan.json").read_text("utf-8"))["operators"] == kept


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


def test_the_operator_does_not_come_back_to_finish_its_deletion(tmp_path: Path) -> None:
    deleted = {"deletionTimestamp": "2025-01-01T00:00:00Z"}
    mesh = thing("install.istio.io/v1alpha1", "IstioOperator", "control-plane", "istio-system", metadata=deleted)
    live = [operator(0, annotations={"istio-convert/replicas": "1"}), mesh]
    result = run(old(live), tmp_path, live, "10-freeze-operator.sh", "rollback")
    assert result.returncode == 1
    assert "blocker operator-deleted" in result.stderr
    assert changes(tmp_path) == ""
