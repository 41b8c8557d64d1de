"""What is found in the objects of a cluster."""

from __future__ import annotations

from istio_convert.cluster import Gateway, Inventory, Plane, Reading, Tag, take_inventory, to_data, to_text
from tests.cluster.objects import MESH, gateway, istiod, operator


def inventory() -> Inventory:
    return take_inventory(Reading(tuple(obj for objects in MESH.values() for obj in objects)))


def test_control_planes_tell_their_version_and_their_owner() -> None:
    image = "registry.example.com:5000/istio/pilot:1.25.3-distroless"
    assert inventory().planes == (
        Plane("istio-system", "istiod", "", "docker.io/istio/pilot:1.23.2", "1.23.2"),
        Plane("istio-system", "istiod-canary", "canary", image, "1.25.3", "istio-system/istiod-new"),
    )
    assert inventory().version == ""


def test_an_image_by_digest_tells_no_version() -> None:
    found = take_inventory(Reading((istiod("default", "docker.io/istio/pilot@sha256:12ab"),)))
    assert [plane.version for plane in found.planes] == [""]
    assert found.version == ""


def test_one_release_for_all_planes_is_the_version_that_runs() -> None:
    planes = (istiod("default", "istio/pilot:1.23.2"), istiod("b", "istio/pilot:1.23.2-debug"))
    assert take_inventory(Reading(planes)).version == "1.23.2"


def test_gateways_are_told_from_sidecars() -> None:
    assert inventory().gateways == (
        Gateway("istio-system", "edge", "Deployment", "", injected=False),
        Gateway("istio-system", "edge-helm", "Deployment", "canary", injected=True),
    )


def test_tags_webhooks_definitions_namespaces_and_controllers() -> None:
    found = inventory()
    assert found.tags == (Tag("prod", "canary", "istio-revision-tag-prod"),)
    assert found.webhooks == {
        "MutatingWebhookConfiguration istio-revision-tag-prod": "revision canary, owned by nobody",
        "MutatingWebhookConfiguration istio-sidecar-injector": "revision default, owned by operator mesh",
    }
    assert found.definitions == {"Helm release istio-system/istio-base": 1, "nobody": 1}
    assert found.namespaces == {"ambient": ("mesh",), "default": ("shop",), "prod": ("pay",)}
    assert found.controllers == ("istio-operator/istio-operator: 0 replicas",)


def test_what_istioctl_remembers_counts_where_no_operator_brings_that_control_plane() -> None:
    assert [one.name for one in inventory().inputs()] == ["edge", "mesh", "installed-state-canary"]


def test_gateways_alone_do_not_hide_what_istioctl_remembers() -> None:
    edge = operator("edge", {"profile": "empty"})
    found = take_inventory(Reading((edge, operator("installed-state", {"profile": "default"}))))
    assert [one.name for one in found.inputs()] == ["edge", "installed-state"]


def test_an_operator_comes_without_what_the_api_server_added() -> None:
    (found,) = take_inventory(Reading((operator("mesh", {"tag": "1.23.2"}),))).inputs()
    assert found.document == {
        "apiVersion": "install.istio.io/v1alpha1",
        "kind": "IstioOperator",
        "metadata": {"name": "mesh", "namespace": "istio-system"},
        "spec": {"tag": "1.23.2"},
    }


def test_data_has_no_documents_which_may_hold_secrets() -> None:
    data = to_data(inventory())
    assert data["operators"][0]["name"] == "edge"
    assert all("document" not in one for one in data["operators"])


def test_text_says_what_a_person_asks_first() -> None:
    text = to_text(take_inventory(Reading((gateway("edge", injected=False),), ("kubectl get secrets: no",))))
    assert text == (
        "Istio of several releases, or of an unknown one\n"
        "operators:\n"
        "  none: istioctl from 1.24 on keeps no copy in the cluster; take the file that was applied\n"
        "in-cluster operators:\n"
        "  none\n"
        "control planes:\n"
        "  none\n"
        "gateways:\n"
        "  istio-system/edge: Deployment, revision default, written whole by istioctl, no Helm release\n"
        "not looked at:\n"
        "  kubectl get secrets: no\n"
    )
