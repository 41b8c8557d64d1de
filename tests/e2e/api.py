"""A real API server asked by dry run: what it fills in, what it refuses."""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.parse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from istio_convert.verify.manifests import Object
from tests.pods.backends import Answer

_PATHS = {
    "Deployment": "/apis/apps/v1/namespaces/{namespace}/deployments",
    "DaemonSet": "/apis/apps/v1/namespaces/{namespace}/daemonsets",
    "Pod": "/api/v1/namespaces/{namespace}/pods",
    "ConfigMap": "/api/v1/namespaces/{namespace}/configmaps",
    "Secret": "/api/v1/namespaces/{namespace}/secrets",
    "Namespace": "/api/v1/namespaces",
    "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "RuntimeClass": "/apis/node.k8s.io/v1/runtimeclasses",
    "MutatingWebhookConfiguration": "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
}
#: Classes that every API server has.
_GIVEN = ("system-cluster-critical", "system-node-critical")


class ApiServer:
    """The API server of a kubeconfig as :func:`tests.e2e.cluster.cluster` writes it."""

    def __init__(self, kubeconfig: Path) -> None:
        config = json.loads(kubeconfig.read_text())
        self._address = urllib.parse.urlsplit(config["clusters"][0]["cluster"]["server"])
        self._token = config["users"][0]["user"]["token"]
        self._context = ssl._create_unverified_context()
        self._connection = self._connect()
        self._made: set[tuple[str, str]] = set()

    def _connect(self) -> http.client.HTTPSConnection:
        host, port = self._address.hostname or "", self._address.port
        return http.client.HTTPSConnection(host, port, context=self._context, timeout=60)

    def call(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> tuple[int, Any]:
        """One request: status and answer."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": kind}
        text = None if body is None else json.dumps(body)
        try:
            self._connection.request(method, path, text, headers)
            answer = self._connection.getresponse()
        except (http.client.HTTPException, ConnectionError):
            self._connection = self._connect()
            self._connection.request(method, path, text, headers)
            answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")

    def create(self, obj: Object, *, dry: bool = False) -> tuple[int, Any]:
        """Create an object."""
        namespace = obj["metadata"].get("namespace", "")
        path = _PATHS[obj["kind"]].format(namespace=namespace)
        return self.call("POST", path + ("?dryRun=All" if dry else ""), obj)

    def apply(self, obj: Object) -> Any:
        """Create an object or write over it."""
        name, namespace = obj["metadata"]["name"], obj["metadata"].get("namespace", "")
        path = f"{_PATHS[obj['kind']].format(namespace=namespace)}/{name}?fieldManager=test&force=true"
        status, answer = self.call("PATCH", path, obj, "application/apply-patch+yaml")
        assert status < 300, answer
        return answer

    def get(self, kind: str, name: str, namespace: str = "") -> Any:
        """An object, or None."""
        status, answer = self.call("GET", f"{_PATHS[kind].format(namespace=namespace)}/{name}")
        return answer if status == 200 else None

    def names(self, kind: str) -> list[str]:
        """The names of all cluster-scoped objects of a kind."""
        return [one["metadata"]["name"] for one in self.call("GET", _PATHS[kind])[1]["items"]]

    def delete(self, kind: str, name: str) -> None:
        """Delete a cluster-scoped object."""
        self.call("DELETE", f"{_PATHS[kind]}/{name}")

    def need(self, kind: str, names: Iterable[str]) -> None:
        """See to it that cluster-scoped objects are there, empty."""
        more: dict[str, Any] = {"PriorityClass": {"value": 1}, "RuntimeClass": {"handler": "own"}}
        groups = {"Namespace": "v1", "PriorityClass": "scheduling.k8s.io/v1", "RuntimeClass": "node.k8s.io/v1"}
        for name in names:
            if name and (kind, name) not in self._made and name not in _GIVEN:
                obj = {"apiVersion": groups[kind], "kind": kind, "metadata": {"name": name}, **more.get(kind, {})}
                status, answer = self.create(obj)
                assert status < 300 or status == 409, answer
                self._made.add((kind, name))

    def fill_in(self, workload: Object) -> Answer:
        """A workload as the server would store it; the classes that its pods name are made first."""
        pod = workload["spec"]["template"].get("spec") or {}
        self.need("Namespace", [workload["metadata"]["namespace"]])
        self.need("PriorityClass", [pod.get("priorityClassName", "")])
        self.need("RuntimeClass", [pod.get("runtimeClassName", "")])
        return _answer(*self.create(workload, dry=True))

    def admit(self, pod: Object) -> Answer:
        """A pod as the server would store it."""
        self.need("Namespace", [pod["metadata"]["namespace"]])
        return _answer(*self.create(pod, dry=True))


def _answer(status: int, answer: Any) -> Answer:
    if status < 300:
        return Answer(answer)
    words = str(answer.get("message", answer))
    assert "failed calling webhook" not in words, words
    return Answer(None, words)
