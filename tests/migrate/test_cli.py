"""``istio-convert plan``: what it writes, says and returns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from istio_convert.cli.main import cli
from istio_convert.emit.marker import YOURS
from tests.migrate.plans import OPERATOR, make, thing


@pytest.fixture
def operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An operator file; no charts are at hand."""
    monkeypatch.setenv("ISTIO_CONVERT_CHARTS", str(tmp_path / "no-charts"))
    path = tmp_path / "operator.yaml"
    path.write_text(OPERATOR, encoding="utf-8")
    return str(path)


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["plan", *words])


WAY = ("--from", "1.24.6", "--to", "1.25.3")


def test_a_folder(operator: str, tmp_path: Path) -> None:
    result = run(operator, *WAY, "-o", str(tmp_path / "migration"))
    assert result.exit_code == 3, result.stderr
    assert result.stdout == ""
    assert "blocker: no-charts:" in result.stderr
    assert "istio-convert charts pull 1.25.3" in result.stderr
    scripts = sorted(path.name for path in (tmp_path / "migration").glob("*.sh"))
    assert scripts[0] == "00-preflight.sh"
    assert scripts[-1] == "rollback.sh"
    assert all(path.stat().st_mode & 0o100 for path in (tmp_path / "migration").glob("[0-9]*.sh"))
    assert (tmp_path / "migration" / "releases" / "final" / "flux" / "istiod.yaml").is_file()


def test_every_file_that_a_script_names_is_written(operator: str, tmp_path: Path) -> None:
    for target in ("flux", "argocd", "helmfile", "helm"):
        for strategy in ("in-place", "canary"):
            folder = tmp_path / f"{target}-{strategy}"
            run(operator, *WAY, "--strategy", strategy, "--target", target, "-o", str(folder))
            commands = [
                item["run"]
                for step in json.loads((folder / "plan.json").read_text(encoding="utf-8"))["steps"]
                for part in ("before", "change", "after", "rollback")
                for item in step[part]
            ]
            named = {word for text in commands for word in text.split() if word.startswith("releases/")}
            assert named
            assert {name for name in named if not (folder / name).exists()} == set()


def test_json(operator: str) -> None:
    result = run(operator, *WAY, "--json", "-q", "--fail-on", "never")
    assert result.exit_code == 0
    assert result.stderr == ""
    plan = json.loads(result.stdout)
    assert plan["format"] == "istio-convert/plan/v1"
    assert plan["adopt"] is None
    assert [step["number"] for step in plan["steps"]] == sorted(step["number"] for step in plan["steps"])


def test_quiet_still_names_blockers(operator: str) -> None:
    result = run(operator, *WAY, "--json", "-q")
    assert result.exit_code == 3
    assert result.stderr.startswith("blocker: no-charts:")
    assert "note:" not in result.stderr


DUMP = "kind: List\nitems: [{apiVersion: v1, kind: Namespace, metadata: {name: shop}}]\n"


def test_a_dump_gives_the_list_of_what_goes(operator: str, tmp_path: Path) -> None:
    dump = tmp_path / "live.yaml"
    dump.write_text(DUMP, encoding="utf-8")
    plan = json.loads(run(operator, *WAY, "--json", "--live", str(dump)).stdout)
    assert "no-dump" not in {finding["id"] for finding in plan["findings"]}


def test_a_file_that_is_no_dump_of_this_mesh_is_a_blocker(operator: str, tmp_path: Path) -> None:
    def blockers(*objects: dict[str, object]) -> list[dict[str, object]]:
        dump = tmp_path / "live.yaml"
        dump.write_text(json.dumps({"kind": "List", "items": objects}), encoding="utf-8")
        found = json.loads(run(operator, *WAY, "--json", "--live", str(dump)).stdout)["findings"]
        return [finding for finding in found if finding["id"] == "wrong-dump"]

    there = thing("apps/v1", "Deployment", "istio-ingressgateway", "istio-system")
    elsewhere = thing("apps/v1", "Deployment", "istiod", "mesh")
    [finding] = blockers(thing("v1", "ConfigMap", "istiod", "istio-system"), elsewhere)
    assert finding["level"] == "blocker"
    assert finding["objects"] == [
        "deployment.apps istio-system/istio-ingressgateway",
        "deployment.apps istio-system/istiod",
    ]
    assert blockers(there) == []
    given = json.loads(run(operator, *WAY, "--json", "--live", operator).stdout)["findings"]
    assert "wrong-dump" in {finding["id"] for finding in given}


@pytest.mark.parametrize("text", ["", "kind: List\nitems: []\n"])
def test_a_dump_without_objects_is_an_error(operator: str, tmp_path: Path, text: str) -> None:
    dump = tmp_path / "live.yaml"
    dump.write_text(text, encoding="utf-8")
    result = run(operator, *WAY, "--json", "--live", str(dump))
    assert result.exit_code == 1
    assert "no objects in" in result.stderr


def test_findings_name_their_objects(operator: str, tmp_path: Path) -> None:
    dump = tmp_path / "live.yaml"
    labels = {"istio-injection": "disabled"}
    dump.write_text(json.dumps(thing("v1", "Namespace", "istio-system", metadata={"labels": labels})), encoding="utf-8")
    said = run(operator, *WAY, "--live", str(dump), "-o", str(tmp_path / "out")).stderr
    assert "never start.\n  Namespace istio-system\nhint: Remove the label" in said


@pytest.mark.parametrize("target", ["flux", "argocd", "helmfile", "helm"])
def test_the_readme_of_releases_leaves_applying_to_the_scripts(operator: str, tmp_path: Path, target: str) -> None:
    run(operator, *WAY, "--strategy", "canary", "--target", target, "-o", str(tmp_path / "out"))
    readmes = list(tmp_path.glob("out/releases/*/*/README.md"))
    assert len(readmes) == (2 if target == "helm" else 4)
    for path in readmes:
        text = path.read_text(encoding="utf-8")
        named = set(re.findall(r"`([./]+[\w.]+)`", text))
        assert {"../../../RUNBOOK.md", "../../../REPORT.md", "../../../rollback.sh"} <= named
        assert {name for name in named if not (path.parent / name).exists()} == set()
        assert "do not apply it by hand" in text
        assert "istioctl install -f" not in text
        assert "The one exception" not in text


def test_definitions_in_a_folder_have_no_owner_of_helms_under_flux() -> None:
    for target, to, checked in (("flux", "1.23.6", False), ("flux", "1.24.6", True), ("helm", "1.23.6", True)):
        checks = [
            command.text
            for step in make(target, source="1.23.2", to=to).steps
            if step.name == "after"
            for command in step.after
        ]
        assert any("deployment.apps" in text for text in checks)
        assert any("customresourcedefinition" in text for text in checks) is checked, (target, to)


def test_fields_for_a_person_are_a_finding(tmp_path: Path) -> None:
    old = tmp_path / "old.yaml"
    head = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"
    old.write_text(f"{head}spec: {{addonComponents: {{kiali: {{enabled: true}}}}}}\n", encoding="utf-8")
    assert run(str(old), *WAY, "-o", str(tmp_path / "out")).exit_code in (0, 3)
    (finding,) = [
        f for f in json.loads((tmp_path / "out/plan.json").read_text())["findings"] if f["id"] == "open-fields"
    ]
    assert "spec.addonComponents.kiali.enabled" in finding["objects"][0]
    assert "kiali" in (tmp_path / "out/RUNBOOK.md").read_text()
    assert "kiali" in (tmp_path / "out/REPORT.md").read_text()
    readme = next((tmp_path / "out/releases").glob("*/flux/README.md")).read_text()
    assert "kiali" in readme[readme.index("## What still needs a person") :]


def test_pull_secrets_of_the_account_reach_it_when_the_release_owns_it(tmp_path: Path) -> None:
    old = tmp_path / "old.yaml"
    head = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"
    old.write_text(f"{head}spec: {{values: {{global: {{imagePullSecrets: [pull]}}}}}}\n", encoding="utf-8")
    way = ("--from", "1.24.6", "--to", "1.25.3", "--strategy", "canary")
    result = run(str(old), *way, "-o", str(tmp_path / "out"))
    assert result.exit_code in (0, 3), result.stderr
    texts = {
        p.parts[-3]: p.read_text() for p in (tmp_path / "out/releases").glob("*/flux/istio-ingressgateway-helm.yaml")
    }
    assert {stage: "kind: ServiceAccount" in text for stage, text in texts.items()} == {"beside": False, "final": True}


def test_a_plan_may_be_written_again_beside_what_its_scripts_wrote(operator: str, tmp_path: Path) -> None:
    folder = tmp_path / "migration"
    run(operator, *WAY, "-o", str(folder))
    (folder / "backup").mkdir()
    (folder / "backup" / "live.yaml").write_text(DUMP, encoding="utf-8")
    again = run(operator, *WAY, "--live", str(folder / "backup" / "live.yaml"), "-o", str(folder))
    assert again.exit_code == 3, again.stderr
    assert (folder / "backup" / "live.yaml").is_file()
    runbook = (folder / "RUNBOOK.md").read_text(encoding="utf-8")
    (folder / "RUNBOOK.md").write_text(f"{runbook}\n- step 20: ask Anna\n", encoding="utf-8")
    assert run(operator, *WAY, "--strategy", "canary", "-o", str(folder)).exit_code == 3
    noted = (folder / "RUNBOOK.md").read_text(encoding="utf-8")
    assert noted.endswith(f"{YOURS}\n\n- step 20: ask Anna\n")
    assert "by a canary" in noted
    (folder / "RUNBOOK.md").write_text("mine", encoding="utf-8")
    assert run(operator, *WAY, "-o", str(folder)).exit_code == 1
    assert (folder / "RUNBOOK.md").read_text(encoding="utf-8") == "mine"


def test_a_folder_that_was_planned_for_another_cluster_is_left_alone(operator: str, tmp_path: Path) -> None:
    folder, dump = tmp_path / "migration", tmp_path / "live.yaml"

    def plan_for(uid: str, *words: str) -> Result:
        dump.write_text(json.dumps(thing("v1", "Namespace", "kube-system", metadata={"uid": uid})), encoding="utf-8")
        return run(operator, *WAY, "--live", str(dump), "-o", str(folder), *words)

    assert plan_for("aaaa").exit_code == 3
    assert json.loads((folder / "plan.json").read_text(encoding="utf-8"))["cluster"] == "aaaa"
    assert plan_for("aaaa").exit_code == 3
    refused = plan_for("bbbb")
    assert refused.exit_code == 1
    assert "was planned with a dump of another cluster" in refused.stderr
    assert "aaaa" in (folder / "00-preflight.sh").read_text(encoding="utf-8")
    assert plan_for("bbbb", "--force").exit_code == 3
    assert "planned_for bbbb" in (folder / "00-preflight.sh").read_text(encoding="utf-8")
    assert plan_for("").exit_code == 3  # nothing tells the clusters apart
    assert "planned_for" not in (folder / "00-preflight.sh").read_text(encoding="utf-8")


def test_dumps_of_two_clusters_are_a_blocker(operator: str, tmp_path: Path) -> None:
    dumps = []
    for uid in ("aaaa", "bbbb", "aaaa"):
        path = tmp_path / f"{uid}.yaml"
        path.write_text(json.dumps(thing("v1", "Namespace", "kube-system", metadata={"uid": uid})), encoding="utf-8")
        dumps += ["--live", str(path)]
    for words, wanted in ((dumps[:2], False), (dumps[2:4], False), ([*dumps[:2], *dumps[4:]], False), (dumps, True)):
        findings = json.loads(run(operator, *WAY, "--json", *words).stdout)["findings"]
        assert ("two-clusters" in {one["id"] for one in findings if one["level"] == "blocker"}) is wanted


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("-o", "x", "--revision", "$(reboot)", "--strategy", "canary"), 1, "the revision is no DNS-1123 label"),
        (("-o", "x", "--strategy", "canary", "--traffic", "alb"), 1, "weights of an ALB need its Ingress"),
        (("-o", "x", "--weights", "ten"), 2, "numbers with commas"),
        ((), 2, "give -o DIR"),
        (("-o", "x", "--live", "missing.yaml"), 1, "cannot be read"),
    ],
)
def test_refusals(operator: str, tmp_path: Path, words: tuple[str, ...], code: int, message: str) -> None:
    here = [str(tmp_path / "x") if word == "x" else word for word in words]
    result = run(operator, *WAY, *here)
    assert result.exit_code == code
    assert message in result.stderr
    assert not (tmp_path / "x").exists()
