"""Objects of a cluster: what it wrote into them is set aside, what people wrote is not."""

from __future__ import annotations

import copy
from typing import Any

from istio_convert.verify.live import is_live, set_aside

META = {
    "name": "x",
    "uid": "u",
    "resourceVersion": "1",
    "generation": 2,
    "creationTimestamp": "t",
    "managedFields": [{}],
    "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "mine": "1"},
}


def live(kind: str, **fields: Any) -> dict[str, Any]:
    return copy.deepcopy({"kind": kind, "metadata": META, "status": {"a": 1}, **fields})


def test_is_live() -> None:
    assert is_live(live("Service"))
    assert is_live({"kind": "Service", "status": {}})
    assert not is_live({"kind": "Service", "metadata": {"name": "x"}})


def test_metadata_and_status() -> None:
    obj = live("Role", rules=[1])
    assert set_aside(obj) == {"kind": "Role", "metadata": {"name": "x", "annotations": {"mine": "1"}}, "rules": [1]}
    assert obj == live("Role", rules=[1])


def test_services() -> None:
    ports = [{"port": 1, "nodePort": 30000}, {"port": 2, "nodePort": 30001}]
    spec = {"clusterIP": "1.1.1.1", "ipFamilyPolicy": "SingleStack", "ports": ports}
    other = {"spec": {"ipFamilyPolicy": "PreferDualStack", "ports": [{"port": 1, "nodePort": 31000}, {"port": 2}]}}
    assert set_aside(live("Service", spec=spec), other)["spec"] == {
        "ipFamilyPolicy": "SingleStack",
        "ports": [{"port": 1, "nodePort": 30000}, {"port": 2}],
    }


def test_replicas_belong_to_the_autoscaler() -> None:
    obj = live("Deployment", spec={"replicas": 7, "template": {"metadata": {"creationTimestamp": None}}})
    assert set_aside(obj)["spec"]["replicas"] == 7
    assert "replicas" not in set_aside(obj, {"spec": {}}, autoscaled=True)["spec"]
    assert set_aside(obj, {"spec": {"replicas": 1}}, autoscaled=True)["spec"]["replicas"] == 7


def test_webhooks() -> None:
    hook = {"name": "w", "failurePolicy": "Fail", "clientConfig": {"caBundle": "abc", "url": "u"}}
    other = {"webhooks": [{"name": "w", "failurePolicy": "Ignore", "clientConfig": {"url": "u"}}]}
    found = set_aside(live("ValidatingWebhookConfiguration", webhooks=[hook]), other)["webhooks"]
    assert found == [{"name": "w", "failurePolicy": "Ignore", "clientConfig": {"url": "u"}}]
    mutating = set_aside(live("MutatingWebhookConfiguration", webhooks=[hook]), other)["webhooks"]
    assert mutating[0]["failurePolicy"] == "Fail"
    pinned = {"webhooks": [{"name": "w", "clientConfig": {"caBundle": "other"}}]}
    kept = set_aside(live("MutatingWebhookConfiguration", webhooks=[hook]), pinned)["webhooks"]
    assert kept[0]["clientConfig"]["caBundle"] == "abc"


def test_accounts_and_crds() -> None:
    assert "secrets" not in set_aside(live("ServiceAccount", secrets=[{"name": "token"}]))
    names = {"kind": "Thing", "listKind": "ThingList", "singular": "thing", "plural": "things"}
    crd = live("CustomResourceDefinition", spec={"conversion": {"strategy": "None"}, "names": names})
    assert set_aside(crd)["spec"] == {"names": {"kind": "Thing", "plural": "things"}}
    webhook = live("CustomResourceDefinition", spec={"conversion": {"strategy": "Webhook"}})
    assert set_aside(webhook)["spec"] == {"conversion": {"strategy": "Webhook"}}
