"""Scripts that know the cluster that they were planned for, and what they find and name in it."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

from istio_convert.migrate import Plan, read_objects
from tests.migrate.cluster import changes, run
from tests.migrate.plans import make, thing
from tests.migrate.test_ownership import OWNED, mesh

SYSTEM = "istio-system"


def system(uid: str) -> dict[str, Any]:
    return thing("v1", "Namespace", "kube-system", metadata={"uid": uid})


@functools.cache
def planned() -> Plan:
    return make(live=[*mesh(), system("aaaa")])


@pytest.mark.parametrize("words", [("10-freeze-operator.sh",), ("32-istio-ingressgateway.sh", "rollback")])
def test_in_another_cluster_nothing_runs(words: tuple[str, ...], tmp_path: Path) -> None:
    for objects in ([system("bbbb")], []):
        result = run(planned(), tmp_path, objects, *words)
        assert result.returncode == 1
        assert "This is another cluster than that of the dump" in result.stderr
        assert "STOP: name the context (CONTEXT)" in result.stderr
        assert changes(tmp_path) == ""


def test_in_its_own_it_does(tmp_path: Path) -> None:
    result = run(planned(), tmp_path, [system("aaaa")], "10-freeze-operator.sh")
    assert result.returncode == 0, result.stderr
    assert "another cluster" not in result.stderr


def test_and_in_another_one_that_was_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACCEPT", "minor-skip other-cluster")
    result = run(planned(), tmp_path, [system("bbbb")], "10-freeze-operator.sh")
    assert result.returncode == 0, result.stderr
    assert "This is another cluster" in result.stderr


def test_without_a_dump_no_cluster_is_known(tmp_path: Path) -> None:
    result = run(make(), tmp_path, [], "10-freeze-operator.sh")
    assert result.returncode == 0, result.stderr


MANAGED = {"labels": {"operator.istio.io/managed": "Reconcile", "operator.istio.io/component": "Pilot"}}
UNKNOWN = {"labels": {**MANAGED["labels"], "install.operator.istio.io/owning-resource": "unknown"}}


UNNAMED = """
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec: {tag: 1.24.6}
"""
LEFT = [
    thing("v1", "ConfigMap", "own", SYSTEM, metadata=MANAGED),
    thing("v1", "ConfigMap", "template", SYSTEM, metadata=UNKNOWN),
    thing("v1", "ConfigMap", "named", SYSTEM, metadata=OWNED),
    thing("v1", "ConfigMap", "helms", SYSTEM, metadata={"labels": {"app.kubernetes.io/managed-by": "Helm"}}),
]


def test_what_istioctl_made_for_an_operator_without_a_name_is_named_at_the_end(tmp_path: Path) -> None:
    result = run(make("argocd", live=mesh(), charts=False), tmp_path, LEFT, "90-after.sh")
    assert result.returncode == 0, result.stderr
    left = [line for line in result.stderr.splitlines() if line.startswith(f"{SYSTEM}/")]
    assert left == [f"{SYSTEM}/configmap/{name}" for name in ("named", "own", "template")]


def test_and_the_dump_has_it_so_that_a_plan_removes_or_names_it(tmp_path: Path) -> None:
    script = tmp_path / "dump.sh"
    script.write_text("#!/usr/bin/env bash\nset -euo pipefail\n. ./lib.sh\ndump_cluster\n", encoding="utf-8")
    script.chmod(0o755)
    result = run(make(), tmp_path, LEFT, "dump.sh")
    assert result.returncode == 0, result.stderr
    dumped = read_objects(result.stdout, "live.yaml")
    assert sorted(item["metadata"]["name"] for item in dumped) == ["named", "own", "template"]

    found = make(live=[*mesh(), *dumped]).findings
    [finding] = [finding for finding in found if finding.id == "not-removed"]
    assert "ConfigMap istio-system/own (no owner)" in finding.objects
    gone = make(operator=UNNAMED, live=[*dumped], before=LEFT).removals
    assert {"own", "template"} <= {item.name for item in gone or ()}
