"""The judge, with a stand-in for the injector that does what the test says: each way of breaking a pod is found."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.pods.backends import Answer, matches
from tests.pods.gateways import Feature
from tests.pods.judging import Judge, Verdict
from tests.pods.normal import table
from tests.pods.sides import Plane, pod_of
from tests.verify.conftest import official_charts

pytestmark = [pytest.mark.charts, pytest.mark.render]
FEATURE = Feature(
    "own",
    k8s={"env": [{"name": "MY_OWN", "value": "given"}], "nodeSelector": {"pool": "edge"}},
)
Change = Callable[[dict[str, Any]], "Answer | None"]


class Injector:
    """Gives Helm's pod all that the bare pod of istioctl has, then breaks it; istioctl's pod it leaves alone."""

    name = "a stand-in"

    def __init__(self, change: Change) -> None:
        self._change = change

    def serve(self, planes: Sequence[Plane], namespaces: Sequence[str]) -> None:
        assert planes
        assert namespaces

    def run(self, workload: dict[str, Any]) -> Answer:
        pod = pod_of(workload)
        [proxy] = pod["spec"]["containers"]
        if proxy["image"] != "auto":
            return Answer(pod)
        proxy["image"] = "istio/proxyv2:1"
        asked = any(one["name"] == "MY_OWN" for one in proxy.get("env") or ())
        return (self._change(pod) if asked else None) or Answer(pod)


def verdict(change: Change) -> Verdict:
    [found] = Judge(official_charts("1.25.3"), Injector(change)).judge("own", FEATURE.case().text)
    return found


def nothing(pod: dict[str, Any]) -> None:
    """Leave the pod as it is."""


def test_what_every_gateway_loses_is_no_finding() -> None:
    found = verdict(nothing)
    assert (found.state, found.is_false) == ("same", False)
    assert found.for_all > 20


def test_a_refused_pod_is_found() -> None:
    found = verdict(lambda pod: Answer(None, "no"))
    assert (found.state, found.words, found.is_false) == ("refused", "no", True)


def test_an_image_that_nobody_put_in_is_found() -> None:
    def left(pod: dict[str, Any]) -> None:
        pod["spec"]["containers"][0]["image"] = "auto"

    assert verdict(left).state == "auto"


def test_a_lacking_setting_is_found_with_its_field() -> None:
    def drop(pod: dict[str, Any]) -> None:
        del pod["spec"]["nodeSelector"]

    [one] = verdict(drop).differences
    assert (one.kind, one.place, one.before) == ("lacking", "spec.nodeSelector.pool", "edge")
    assert [leaf for leaf in one.leaves if "k8s.nodeSelector.pool" in leaf]
    assert not one.said


def test_another_value_is_found() -> None:
    def swap(pod: dict[str, Any]) -> None:
        pod["spec"]["nodeSelector"]["pool"] = "other"

    [one] = verdict(swap).differences
    assert (one.kind, one.before, one.after) == ("other value", "edge", "other")


def test_what_wakes_is_found() -> None:
    def wake(pod: dict[str, Any]) -> None:
        pod["spec"]["containers"][0]["env"].append({"name": "WOKEN", "value": "1"})

    [one] = verdict(wake).differences
    assert (one.kind, one.place) == ("woken", "spec.containers[istio-proxy].env[WOKEN]")


def test_a_field_that_asks_for_what_istioctl_does_anyway_is_not_excused_by_the_bare_gateway() -> None:
    """Every gateway's probe changes; that of a gateway that asks for the old one must not."""

    def drop(pod: dict[str, Any]) -> None:
        pod["spec"]["containers"][0].pop("readinessProbe", None)

    asked = Feature("asked", k8s={**FEATURE.k8s, "readinessProbe": {"periodSeconds": 2}}).case()
    [found] = Judge(official_charts("1.25.3"), Injector(drop)).judge(asked.name, asked.text)
    assert [one.place for one in found.differences] == ["spec.containers[istio-proxy].readinessProbe.periodSeconds"]
    assert "readinessProbe.periodSeconds" in found.differences[0].leaves[0]


def test_pods_that_run_the_same_have_the_same_table() -> None:
    container: dict[str, Any] = {"name": "a", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)"}]}
    container["resources"] = {"requests": {"cpu": "500m", "memory": "1Gi"}}
    pod: dict[str, Any] = {"metadata": {"name": "x"}, "spec": {"containers": [container]}}
    other = copy.deepcopy(pod)
    other["spec"]["containers"][0]["env"][1] = {"name": "B", "value": "1"}
    other["spec"]["containers"][0]["resources"] = {"requests": {"cpu": 0.5, "memory": "1024Mi"}}
    assert table(pod) == table(other)
    other["spec"]["containers"][0]["env"].reverse()
    other["spec"]["containers"][0]["env"][0]["value"] = "$(A)"
    assert table(pod) != table(other), "a reference to a variable that comes later is no reference"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [({"sidecar.istio.io/inject": "true"}, True), ({"sidecar.istio.io/inject": "false"}, False), ({}, False)],
)
def test_selectors_of_webhooks(labels: dict[str, str], expected: bool) -> None:
    expressions = [
        {"key": "sidecar.istio.io/inject", "operator": "In", "values": ["true"]},
        {"key": "istio.io/rev", "operator": "DoesNotExist"},
    ]
    hook = {"objectSelector": {"matchExpressions": expressions}, "namespaceSelector": {}}
    assert matches(hook, {"metadata": {"namespace": "edge", "labels": labels}}) is expected
