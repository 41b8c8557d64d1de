"""A step stops when those before it have not run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from istio_convert.migrate import Strategy
from tests.migrate.cluster import changes, run
from tests.migrate.plans import OPERATOR, injector, make, records, thing
from tests.migrate.test_ownership import OWNED, mesh
from tests.migrate.test_wayback import operator

SYSTEM, GATEWAY = "istio-system", "istio-ingressgateway"
Objects = list[dict[str, Any]]


def space(**labels: str) -> dict[str, Any]:
    names = {key.replace("_", "-").replace("-rev", ".io/rev"): value for key, value in labels.items()}
    return thing("v1", "Namespace", SYSTEM, metadata={"labels": names})


@pytest.mark.parametrize(
    ("revision", "objects", "problem"),
    [
        ("", injector(), ""),
        ("", injector("old"), "no injector has the label istio.io/rev=default"),
        ("", injector(ready=0), "istio-system/istiod, which istio-sidecar-injector calls, has no ready pod"),
        ("", injector(bundle=""), "istio-sidecar-injector has no CA bundle"),
        ("", injector()[:1], "calls the Service istio-system/istiod, which is not there"),
        ("", injector()[:2], "has no ready pod"),
        ("blue", injector("blue"), ""),
        ("blue", injector(), "no injector has the label istio.io/rev=blue"),
        ("", [*injector("blue", tag="prod"), space(istio_rev="prod")], ""),
        ("blue", [*injector(), space(istio_injection="enabled")], ""),
        ("blue", [*injector("blue"), space(istio_injection="enabled")], "istio.io/rev=default"),
    ],
)
def test_a_gateway_needs_its_injector(
    revision: str, objects: Objects, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = OPERATOR.replace("tag: 1.24.6", f"tag: 1.24.6\n  revision: {revision}") if revision else OPERATOR
    plan = make(operator=text)
    [script] = [step.script for step in plan.steps if step.name == GATEWAY]
    monkeypatch.setenv("TIMEOUT", "0s")
    result = run(plan, tmp_path, objects, script, "check", wait=True)
    assert (result.returncode == 0) is not problem, result.stderr
    assert problem in result.stderr
    monkeypatch.setenv("ACCEPT", "injector")
    assert run(plan, tmp_path, objects, script, "check", wait=True).returncode == 0


def test_a_release_is_not_applied_while_an_operator_runs(tmp_path: Path) -> None:
    plan = make(source="1.23.6", to="1.24.6")
    scripts = [step.script for step in plan.steps if step.script.startswith("3")]
    assert len(scripts) == 3
    for script in scripts:
        result = run(plan, tmp_path, [operator(1), *injector()], script)
        assert result.returncode == 1
        assert "STOP: an operator still runs" in result.stderr
        assert changes(tmp_path) == ""


def adopted(item: dict[str, Any], release: str) -> dict[str, Any]:
    marks = {"meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": SYSTEM}
    return {**item, "metadata": {**item["metadata"], "annotations": marks, "labels": {}}}


def test_nothing_is_removed_before_the_releases_have_taken_over(tmp_path: Path) -> None:
    there = mesh()
    plan = make(live=there)
    there += records("istio-base", "istiod", GATEWAY)
    result = run(plan, tmp_path, there, "80-remove-operator.sh")
    assert result.returncode == 1
    assert "is not owned by the release" in result.stderr
    assert changes(tmp_path) == ""
    taken = [adopted(item, item["metadata"]["name"]) if item["kind"] != "Role" else item for item in there[:-4]]
    said = run(plan, tmp_path, taken, "80-remove-operator.sh", "check").stderr
    assert "secrets --namespace istio-system --selector owner=helm,status=deployed,name=istio-base is not there" in said
    taken += records("istio-base", "istiod", GATEWAY)
    assert run(plan, tmp_path, taken, "80-remove-operator.sh", "check").returncode == 0
    without = [item for item in taken if (item["kind"], item["metadata"]["name"]) != ("Deployment", GATEWAY)]
    result = run(plan, tmp_path, without, "80-remove-operator.sh", "check")
    assert f"deployment.apps {GATEWAY} --namespace {SYSTEM} is not there" in result.stderr


def test_the_second_control_plane_must_be_there_too(tmp_path: Path) -> None:
    plan = make(strategy=Strategy.CANARY, live=[thing("apps/v1", "Deployment", "istiod", SYSTEM, metadata=OWNED)])
    said = run(plan, tmp_path, [], "80-remove-operator.sh", "check").stderr
    assert "STOP" in said
    before = next(step for step in plan.steps if step.number == 80).before
    assert f"exists deployment.apps istiod-1-25-3 --namespace {SYSTEM}" in [item.text for item in before]
