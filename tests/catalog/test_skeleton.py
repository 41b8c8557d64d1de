from __future__ import annotations

import pytest

from istio_convert.catalog import resolve
from istio_convert.paths import Path

CONTAINERS: Path = ("spec", "template", "spec", "containers")


def test_names_of_objects_have_marks_for_what_the_installation_decides() -> None:
    istiod = resolve("1.25.3").chart("istiod").skeleton
    names = {(item.kind, item.pattern) for item in istiod.objects}
    assert ("Deployment", "istiod{-revision}") in names
    assert ("ConfigMap", "istio{-revision}") in names
    assert ("ValidatingWebhookConfiguration", "istio-validator{-revision}-{istioNamespace}") in names
    assert all(item.pattern == "{release}" for item in resolve("1.25.3").chart("gateway").skeleton.objects)


@pytest.mark.parametrize(
    ("kind", "name", "pattern"),
    [
        ("Deployment", "istiod", "istiod{-revision}"),
        ("Deployment", "istiod-1-23-2", "istiod{-revision}"),
        ("ConfigMap", "istio-sidecar-injector", "istio-sidecar-injector{-revision}"),
        ("ConfigMap", "istio-canary", "istio{-revision}"),
        ("ValidatingWebhookConfiguration", "istio-validator-mesh", "istio-validator{-revision}-{istioNamespace}"),
        ("Deployment", "istio", None),
        ("DaemonSet", "istiod", None),
    ],
)
def test_find(kind: str, name: str, pattern: str | None) -> None:
    found = resolve("1.25.3").chart("istiod").skeleton.find(kind, name)
    assert (found and found.pattern) == pattern


@pytest.mark.parametrize(
    ("path", "exists"),
    [
        ((*CONTAINERS, "[name:discovery]", "readinessProbe"), True),
        ((*CONTAINERS, 0, "readinessProbe", "httpGet", "path"), True),
        ((*CONTAINERS, -1, "args", 0), True),
        ((*CONTAINERS, -1, "args"), True),
        ((*CONTAINERS, -1, "args", 99), False),
        (CONTAINERS, True),
        ((*CONTAINERS, 1), False),
        ((*CONTAINERS, "[name:istio-proxy]"), False),
        ((*CONTAINERS, "[name:discovery]", "lifecycle"), False),
        ((*CONTAINERS, "[name:discovery]", "env", "[name:REVISION]", "value"), True),
        ((*CONTAINERS, "[name:discovery]", "env", "[name:NONE]"), False),
        (("metadata", "labels", "istio.io/rev"), True),
        (("spec",), True),
        ((), True),
        (("spec", "paused"), False),
    ],
)
def test_exists(path: Path, exists: bool) -> None:
    skeleton = resolve("1.25.3").chart("istiod").skeleton
    assert skeleton.exists("Deployment", "istiod-canary", path) is exists
    assert not skeleton.exists("Deployment", "other", path)


def test_rules_are_counted_not_followed() -> None:
    skeleton = resolve("1.25.3").chart("istiod").skeleton
    assert skeleton.exists("Role", "istiod", ("rules", 0, "verbs"))
    assert not skeleton.exists("Role", "istiod", ("rules", 99, "verbs"))


def test_elements_of_lists() -> None:
    skeleton = resolve("1.25.3").chart("istiod").skeleton
    containers = skeleton.elements("Deployment", "istiod", CONTAINERS)
    assert containers is not None
    assert (containers.key, containers.names, containers.length) == ("name", ("discovery",), 1)
    arguments = skeleton.elements("Deployment", "istiod", (*CONTAINERS, 0, "args"))
    assert arguments is not None
    assert (arguments.key, arguments.names) == ("", ())
    assert arguments.length > 1
    assert skeleton.elements("Deployment", "istiod", ("spec",)) is None
    assert skeleton.elements("Deployment", "istiod", (*CONTAINERS, 7, "args")) is None


def test_objects_know_their_group_and_scope() -> None:
    skeleton = resolve("1.25.3").chart("istiod").skeleton
    deployment = skeleton.find("Deployment", "istiod")
    role = skeleton.find("ClusterRole", "istiod-clusterrole-istio-system")
    assert deployment is not None
    assert role is not None
    assert (deployment.api_version, deployment.namespaced) == ("apps/v1", True)
    assert (role.api_version, role.namespaced) == ("rbac.authorization.k8s.io/v1", False)


def test_an_object_knows_which_values_bring_and_take_it() -> None:
    skeleton = resolve("1.31.0").chart("istiod").skeleton
    policy = skeleton.find("NetworkPolicy", "istiod")
    validator = skeleton.find("ValidatingWebhookConfiguration", "istio-validator-istio-system")
    assert policy is not None
    assert validator is not None
    assert (policy.default, policy.brought) == (False, ({"global.networkPolicy.enabled": True},))
    assert policy not in skeleton.objects
    assert validator in skeleton.objects
    assert skeleton.exists("NetworkPolicy", "istiod", ("spec", "policyTypes", 0))
    on = {("global", "networkPolicy", "enabled"), ("global", "configValidation")}
    assert policy.rendered(lambda path, test: (path in on) is test)
    assert validator.rendered(lambda path, test: (path in on) is test)
    assert not policy.rendered(lambda _, test: test is False)
    assert not validator.rendered(lambda _, test: test is False)


def test_what_keeps_an_object_wins_over_what_takes_it() -> None:
    service = resolve("1.31.0").chart("istiod").skeleton.find("Service", "istiod")
    assert service is not None
    remote = {("istiodRemote", "enabled")}
    address = {*remote, ("global", "remotePilotAddress")}
    assert not service.rendered(lambda path, test: (path in remote) is test)
    assert service.rendered(lambda path, test: (path in address) is test)
