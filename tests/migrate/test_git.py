"""What Argo CD reads from Git is named before it is needed, and each stage has its own folder there."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from istio_convert import migrate
from istio_convert.api import convert
from istio_convert.emit import EmitOptions
from istio_convert.migrate import Options, Plan, Strategy
from tests.migrate.cluster import run
from tests.migrate.plans import OPERATOR, injector, rendered_for, thing

URL = "https://git.example.com/mesh/config.git"
GATEWAY = "istio-ingressgateway"


@functools.cache
def planned(strategy: Strategy, repository: str = URL, path: str = "clusters/a", operator: str = OPERATOR) -> Plan:
    options, to = Options("1.23.6", strategy, "argocd"), "1.24.6"
    conversion = convert(operator, to=to)
    beside = None
    if strategy is Strategy.CANARY:
        beside = convert(operator, to=to, sets=[f"revision={migrate.revision_of(options, to)}"])
    stages = migrate.build_stages(conversion, options, beside)
    return migrate.plan(conversion, options, rendered_for(stages), beside=beside, emit=emit(repository, path))


def emit(repository: str = URL, path: str = "clusters/a") -> EmitOptions:
    return EmitOptions(argocd_repository=repository, argocd_path=path)


def ids(plan: Plan) -> set[str]:
    return {finding.id for finding in plan.blockers}


def test_a_repository_that_is_not_known_is_a_blocker_when_it_is_read() -> None:
    assert "argocd-repository" in ids(planned(Strategy.IN_PLACE, ""))
    assert "argocd-repository" not in ids(planned(Strategy.IN_PLACE))
    assert "argocd-repository" not in ids(planned(Strategy.IN_PLACE, "", operator="kind: IstioOperator\n" + BARE))


BARE = "apiVersion: install.istio.io/v1alpha1\nspec: {profile: minimal}\n"


def test_each_stage_has_its_own_folder_in_git() -> None:
    for path, prefix in (("clusters/a", "clusters/a/"), (".", "")):
        files = migrate.files(planned(Strategy.CANARY, path=path), emit(path=path))
        for stage, inside in (("beside", f"{prefix}beside/"), ("final", prefix)):
            text = files[f"releases/{stage}/argocd/applications/{GATEWAY}-helm.yaml"]
            assert f"path: {inside}kustomize/{GATEWAY}-helm\n" in text
            assert f"releases/{stage}/argocd/kustomize/{GATEWAY}-helm/kustomization.yaml" in files


def test_the_steps_say_what_to_commit_before_the_applications_are_applied() -> None:
    plan = planned(Strategy.CANARY)
    said = {step.name: " ".join(step.why) for step in plan.steps}
    assert (
        f"Commit and push first**: Argo CD reads `clusters/a/beside/kustomize/{GATEWAY}-helm`"
        in (said[f"{GATEWAY}-helm"])
    )
    assert f"Commit and push first**: Argo CD reads `clusters/a/kustomize/{GATEWAY}-helm`" in said["default-revision"]
    assert "Commit" not in said["istio-base"]
    assert any("take `clusters/a/beside` out of Git" in note for note in plan.hand_over)
    assert not any("out of Git: no Application" in note for note in planned(Strategy.IN_PLACE).hand_over)


def test_in_the_end_no_application_reads_the_folder_of_the_first_stage() -> None:
    node_agent = """
    cni:
      enabled: true
      k8s:
        overlays:
          - {kind: DaemonSet, name: istio-cni-node, patches: [{path: spec.minReadySeconds, value: 7}]}
"""
    operator = OPERATOR.replace("\n  components:\n", f"\n  components:{node_agent}")
    plan = planned(Strategy.CANARY, operator=operator)
    files = migrate.files(plan, emit())
    applied = {
        item.text.split()[1]
        for step in plan.steps
        if step.name == "default-revision"
        for item in step.change
        if item.text.startswith("apply ")
    }
    reading = {
        name.replace("/beside/", "/final/")
        for name, text in files.items()
        if "/beside/argocd/applications/" in name and "path: clusters/a/beside/" in text
    }
    assert "releases/final/argocd/applications/istio-cni.yaml" in reading
    assert reading <= applied


def test_in_place_there_is_one_folder() -> None:
    [said] = [" ".join(step.why) for step in planned(Strategy.IN_PLACE).steps if step.name == GATEWAY]
    assert f"`clusters/a/kustomize/{GATEWAY}` at `HEAD` from {URL}" in said


@pytest.mark.parametrize(("options", "found"), [("--enable-helm", False), ("--foo --enable-helm", False), ("", True)])
def test_preflight_looks_whether_argo_cd_builds_charts(options: str, found: bool, tmp_path: Path) -> None:
    settings = thing("v1", "ConfigMap", "argocd-cm", "argocd", data={"kustomize.buildOptions": options})
    result = run(planned(Strategy.IN_PLACE), tmp_path, [settings], "00-preflight.sh", "check")
    assert "gateway-restart-on-upgrade" in result.stderr, "it came to the findings"
    assert ("blocker argocd-enable-helm" in result.stderr) is found, result.stderr


def test_the_script_names_the_folder_before_its_change(tmp_path: Path) -> None:
    plan = planned(Strategy.IN_PLACE)
    [script] = [step.script for step in plan.steps if step.name == GATEWAY]
    result = run(plan, tmp_path, injector(), script, "check")
    assert f"COMMIT AND PUSH first, if it is not in Git yet: releases/final/argocd/kustomize/{GATEWAY}" in result.stderr
