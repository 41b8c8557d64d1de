"""A real API server with a mesh of three revisions, read by an account that has only the documented role."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from istio_convert.cluster import Kubectl, Reading, cluster_role, read_cluster, take_inventory
from istio_convert.verify import reference
from istio_convert.verify.charts import ReleaseCharts
from tests.cli.running import run
from tests.e2e.cluster import KUBERNETES, Cluster, cache, cluster
from tests.e2e.mesh import _operator_definition, revision_tag
from tests.verify.conftest import official_charts

pytestmark = [
    pytest.mark.charts,
    pytest.mark.render,
    pytest.mark.skipif(
        not (cache() / f"kube-apiserver-{KUBERNETES}").exists() or not shutil.which("etcd"),
        reason="no API server or no etcd here: make e2e builds the first, etcd-server is the distribution's package",
    ),
]
HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nmetadata: {name: %s, namespace: istio-system}\n"
MESH = HEAD % "mesh" + "spec: {profile: minimal, values: {pilot: {autoscaleMin: 2}}}\n"
GATEWAYS = HEAD % "edge" + (
    "spec: {profile: empty, components: {ingressGateways: [{name: edge, enabled: true, k8s: {replicaCount: 3}}]}}\n"
)
REVISIONS = [
    HEAD % f"installed-state-{name}" + f"spec: {{profile: minimal, revision: {name}}}\n" for name in ("a", "b")
]
VERSION = "1.23.6"


def objects_of(text: str, charts: ReleaseCharts) -> list[dict[str, Any]]:
    found = []
    for item in reference.generate([("operator.yaml", text)], charts):
        made = copy.deepcopy(item.object)
        if item.id.namespace:
            made["metadata"]["namespace"] = item.id.namespace
        labels = made["metadata"].setdefault("labels", {}) or {}
        made["metadata"]["labels"] = {**labels, "operator.istio.io/component": item.release}
        found.append(made)
    return found


@pytest.fixture(scope="module")
def mesh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    charts = official_charts(VERSION)
    with cluster(tmp_path_factory.mktemp("real") / "cluster", reader="reader") as made:
        made.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "istio-system"}}], "test")
        objects = [obj for text in (MESH, GATEWAYS, *REVISIONS) for obj in objects_of(text, charts)]
        # the revisions share the base
        unique = {(o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"]): o for o in objects}
        definitions = [o for o in unique.values() if o["kind"] == "CustomResourceDefinition"]
        made.apply([*definitions, _operator_definition()], "istioctl")
        made.run("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        made.apply([o for o in unique.values() if o["kind"] != "CustomResourceDefinition"], "istioctl")
        made.apply([revision_tag("prod", "b")], "istioctl")
        for text in (MESH, GATEWAYS, *REVISIONS):
            made.run("apply", "--server-side", "--filename", "-", text=text)
        binding = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "reader"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "istio-convert-reader"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "reader"}],
        }
        made.apply([cluster_role(), binding], "test")
        yield made


def read(mesh: Cluster) -> Reading:
    return read_cluster(Kubectl(mesh.kubectl, str(mesh.kubeconfig), "reader"))


def options(mesh: Cluster) -> list[str]:
    return ["--from-cluster", "--kubeconfig", str(mesh.kubeconfig), "--context", "reader", "--to", "1.25.3"]


def test_the_documented_role_is_enough_and_not_more(mesh: Cluster) -> None:
    assert read(mesh).unread == ()
    as_reader = ["--context", "reader", "auth", "can-i"]
    for words in (["list", "secrets"], ["create", "pods"], ["patch", "deployments.apps"], ["delete", "configmaps"]):
        assert mesh.run(*as_reader, *words, "--all-namespaces", check=False).strip() == "no", words


def test_operators_revisions_tags_and_gateways_are_found(mesh: Cluster) -> None:
    found = take_inventory(read(mesh))
    assert [(plane.name, plane.revision) for plane in found.planes] == [
        ("istiod", ""),
        ("istiod-a", "a"),
        ("istiod-b", "b"),
    ]
    assert [one.name for one in found.inputs()] == ["edge", "mesh", "installed-state-a", "installed-state-b"]
    assert [(tag.name, tag.revision) for tag in found.tags] == [("prod", "b")]
    assert [(gateway.name, gateway.injected) for gateway in found.gateways] == [("edge", False)]


def test_the_output_is_that_of_the_files(mesh: Cluster, tmp_path: Path) -> None:
    names = []
    for number, text in enumerate((GATEWAYS, MESH, *REVISIONS)):
        file = tmp_path / f"{number}.yaml"
        file.write_text(text)
        names.append(str(file))
    by_files = run(["convert", *names, "--to", "1.25.3"])
    by_cluster = run(["convert", *options(mesh)])
    assert by_files.code == by_cluster.code == 0, by_cluster.stderr
    assert by_cluster.stdout == by_files.stdout


def test_what_was_changed_by_hand_is_named(mesh: Cluster) -> None:
    before = json.loads(run(["verify", *options(mesh), "--format", "json"]).stdout)
    change = [{"op": "add", "path": "/spec/template/spec/priorityClassName", "value": "by-hand"}]
    words = ["patch", "deployment", "istiod-a", "--namespace", "istio-system", "--type=json"]
    mesh.run(*words, "--patch", json.dumps(change))
    after = json.loads(run(["verify", *options(mesh), "--format", "json"]).stdout)

    def unexplained(proof: dict[str, Any]) -> set[tuple[str, str]]:
        return {
            (compared["name"], difference["path"])
            for compared in proof["objects"]
            for difference in compared["differences"]
            if difference["class"] == "unexplained"
        }

    assert unexplained(after) - unexplained(before) == {("istiod-a", "spec.template.spec.priorityClassName")}
