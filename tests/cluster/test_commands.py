"""The commands that take a cluster as their input."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import run
from tests.cluster.objects import MESH, kubectl, operator

SPEC: dict[str, Any] = {"profile": "minimal", "values": {"pilot": {"autoscaleMin": 3}}}
FILE = """apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata:
  name: mesh
  namespace: istio-system
spec:
  profile: minimal
  values:
    pilot:
      autoscaleMin: 3
"""


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a kubectl in front of all others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    kubectl(folder, {**MESH, "istiooperators.install.istio.io": [operator("mesh", SPEC)]})
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return folder


@pytest.mark.usefixtures("served")
def test_the_output_is_that_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "operator.yaml").write_text(FILE)
    by_file = run(["convert", str(tmp_path / "operator.yaml"), "--to", "1.25.3"])
    by_cluster = run(["convert", "--from-cluster", "--to", "1.25.3"])
    assert by_cluster.code == by_file.code == 0
    assert by_cluster.stdout == by_file.stdout
    assert "cluster:istio-system/mesh" in by_cluster.stderr


@pytest.mark.usefixtures("served")
def test_the_operators_can_be_kept_as_a_file() -> None:
    assert run(["cluster", "--print", "operators"]).stdout == FILE


@pytest.mark.usefixtures("served")
def test_the_inventory_is_printed() -> None:
    ran = run(["cluster", "--format", "json"])
    assert ran.code == 0
    assert [plane["version"] for plane in json.loads(ran.stdout)["planes"]] == ["1.23.2", "1.25.3"]


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["convert", "operator.yaml", "--from-cluster"], "from files or, with --from-cluster, from the cluster"),
        (["convert"], "a file, or --from-cluster"),
        (["verify", "operator.yaml", "--context", "x"], "are for --from-cluster"),
        (["verify", "--from-cluster", "--reference", "x"], "compares with the live objects"),
    ],
)
def test_files_or_the_cluster(words: list[str], said: str) -> None:
    ran = run(words)
    assert ran.code == 2
    assert said in ran.stderr


def test_a_cluster_without_operators_says_what_to_do(served: Path) -> None:
    kubectl(served, {**MESH, "istiooperators.install.istio.io": []})
    ran = run(["convert", "--from-cluster"])
    assert ran.code == 1
    assert "the cluster holds no IstioOperator" in ran.stderr
    assert "give the file that was applied" in ran.stderr
