"""Reading by kubectl: what is called, and what happens when it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from istio_convert.cluster import KINDS, Kubectl, cluster_role, read_cluster
from istio_convert.errors import ClusterError
from tests.cluster.objects import MESH, kubectl

FORBIDDEN = 'Error from server (Forbidden): deployments.apps is forbidden: User "reader" cannot list resource'


def test_only_get_is_ever_called(tmp_path: Path) -> None:
    program = kubectl(tmp_path, MESH)
    read_cluster(Kubectl(str(program), kubeconfig="config", context="mesh"))
    calls = [json.loads(line) for line in (tmp_path / "calls").read_text().splitlines()]
    assert len(calls) == len(KINDS)
    assert all(call[:5] == ["--kubeconfig", "config", "--context", "mesh", "get"] for call in calls)


def test_the_role_allows_what_is_read_and_nothing_else() -> None:
    rules = cluster_role()["rules"]
    allowed = {(group, resource) for rule in rules for group in rule["apiGroups"] for resource in rule["resources"]}
    assert allowed == {(kind.group, kind.resource) for kind in KINDS}
    assert {verb for rule in rules for verb in rule["verbs"]} == {"get", "list"}
    assert "secrets" not in {resource for _, resource in allowed}


def test_a_kind_that_the_cluster_lacks_has_no_objects(tmp_path: Path) -> None:
    said = 'error: the server doesn\'t have a resource type "istiooperators"'
    program = kubectl(tmp_path, {**MESH, "istiooperators.install.istio.io": said})
    reading = read_cluster(Kubectl(str(program)))
    assert reading.unread == ()
    assert "IstioOperator" not in {obj["kind"] for obj in reading.objects}


def test_what_may_not_be_listed_is_said_and_the_rest_is_read(tmp_path: Path) -> None:
    program = kubectl(tmp_path, {**MESH, "deployments.apps": FORBIDDEN})
    reading = read_cluster(Kubectl(str(program)))
    assert reading.unread == ("kubectl get deployments.apps: the account may not list it",)
    assert "IstioOperator" in {obj["kind"] for obj in reading.objects}


def test_an_account_that_may_list_nothing_is_an_error_that_names_the_role(tmp_path: Path) -> None:
    program = kubectl(tmp_path, {kind.full_name: FORBIDDEN for kind in KINDS})
    with pytest.raises(ClusterError, match="may not list it") as caught:
        read_cluster(Kubectl(str(program)))
    assert caught.value.hint == "istio-convert cluster --print role prints the ClusterRole that is needed"


def test_a_cluster_that_does_not_answer_is_an_error_at_once(tmp_path: Path) -> None:
    said = "Unable to connect to the server: dial tcp 127.0.0.1:1: connect: connection refused"
    program = kubectl(tmp_path, {kind.full_name: said for kind in KINDS})
    with pytest.raises(ClusterError, match="connection refused"):
        read_cluster(Kubectl(str(program)))
    assert len((tmp_path / "calls").read_text().splitlines()) == 1


def test_without_kubectl_the_error_names_it() -> None:
    with pytest.raises(ClusterError, match="no-such-kubectl is not on PATH"):
        read_cluster(Kubectl("no-such-kubectl"))
