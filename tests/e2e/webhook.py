"""A real istiod's webhook on a real API server: pods are injected and validated by the programs that do it in clusters.

istiod runs beside the API server with the ConfigMaps of the conversion. A template of our own, which no gateway names,
tells that what was written last is what it injects with.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from istio_convert.verify.manifests import Object, parse_document
from tests.e2e.api import ApiServer
from tests.e2e.cluster import Cluster, free_ports
from tests.pods.backends import Answer
from tests.pods.sides import Plane, pod_of

_MARK = "pods-test"
_SPACE = "pods-test"
_TEMPLATE = f"""metadata:
  annotations:
    {_MARK}/config: "%s"
    {_MARK}/mesh: "{{{{ index .MeshConfig.DefaultDestinationRuleExportTo 0 }}}}"
"""
#: How many istiods are kept running; each is for one revision in one namespace.
_KEPT = 2
_SECONDS = 90.0
_MESH_SECONDS = 15.0


class Istiod:
    """One running istiod.

    Attributes:
        url: of its webhook.
    """

    def __init__(self, program: str, cluster: Cluster, folder: Path, plane: Plane) -> None:
        folder.mkdir(parents=True)
        https, grpc, secure, plain, monitoring = free_ports(5)
        self.url = f"https://localhost:{https}/inject"
        self._log = (folder / "log").open("wb")
        self._path = folder / "log"
        environment = {
            **{key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ},
            "POD_NAME": "istiod",
            "POD_NAMESPACE": plane.namespace,
            "REVISION": plane.revision or "default",
            "CLUSTER_ID": "Kubernetes",
            "PILOT_CERT_PROVIDER": "istiod",
            "ISTIOD_CUSTOM_HOST": "localhost",
            "INJECTION_WEBHOOK_CONFIG_NAME": "",  # two of one name in two namespaces would write over each other's
            "VALIDATION_WEBHOOK_CONFIG_NAME": "",
        }
        ports = {"httpsAddr": https, "grpcAddr": grpc, "secureGRPCAddr": secure, "httpAddr": plain}
        ports["monitoringAddr"] = monitoring
        flags = [f"--{name}=127.0.0.1:{port}" for name, port in ports.items()]
        command = [program, "discovery", "--kubeconfig", str(cluster.kubeconfig), "--ctrlz_port", "0", *flags]
        self._process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=self._log, stderr=self._log, stdin=subprocess.DEVNULL
        )

    @property
    def runs(self) -> bool:
        """Whether it is still there."""
        return self._process.poll() is None

    def words(self) -> str:
        """The end of what it logged."""
        return self._path.read_text(errors="replace")[-3000:]

    def end(self) -> None:
        """End it."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()


class Webhook:
    """istiod's webhook and the API server."""

    def __init__(self, program: str, cluster: Cluster, folder: Path) -> None:
        self._program, self._cluster, self._folder = program, cluster, folder
        self._server = ApiServer(cluster.kubeconfig)
        self._server.need("Namespace", [_SPACE])
        self._istiods: dict[tuple[str, str], Istiod] = {}
        self._served: dict[tuple[str, str], str] = {}
        self._hooks: dict[str, str] = {}
        self._started = 0

    @property
    def name(self) -> str:
        """What it is."""
        return "istiod's webhook and an API server"

    def serve(self, planes: Sequence[Plane], namespaces: Sequence[str]) -> None:
        """Write the ConfigMaps and webhooks of these planes, and wait until they act."""
        self._server.need("Namespace", namespaces)
        hooks: dict[str, str] = {}
        for plane in planes:
            key = (plane.revision, plane.namespace)
            fresh = self._write(plane)
            istiod = self._istiod(plane)
            for one in plane.configurations:
                hooks[one["metadata"]["name"]] = json.dumps(self._pointed(one, istiod, plane))
            if fresh:
                self._served[key] = fresh
        self._register(hooks)
        for plane in planes:
            self._wait(plane)

    def run(self, workload: Object) -> Answer:
        """Fill in the workload, create its pod: injected where a webhook matches, and validated."""
        filled = self._server.fill_in(workload)
        if filled.pod is None:
            return filled
        return self._server.admit(pod_of(workload, filled.pod["spec"]["template"]))

    def end(self) -> None:
        """End every istiod."""
        for one in self._istiods.values():
            one.end()
        self._istiods.clear()

    def _write(self, plane: Plane) -> str:
        """The ConfigMaps, when they are not there yet; the mark that they carry then."""
        mark = _mark(plane)
        key = (plane.revision, plane.namespace)
        if self._served.get(key) == mark:
            return ""
        self._server.need("Namespace", [plane.namespace])
        suffix = f"-{plane.revision}" if plane.revision else ""
        config = parse_document(plane.config)
        config["templates"][_MARK] = _TEMPLATE % mark
        mesh = {**(parse_document(plane.mesh) or {}), "defaultDestinationRuleExportTo": [mark]}
        injector = {"config": json.dumps(config), "values": plane.values}
        for name, data in (
            (f"istio-sidecar-injector{suffix}", injector),
            (f"istio{suffix}", {"mesh": json.dumps(mesh)}),
        ):
            metadata = {"name": name, "namespace": plane.namespace}
            self._server.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
        return mark

    def _istiod(self, plane: Plane) -> Istiod:
        key = (plane.revision, plane.namespace)
        if key in self._istiods and not self._istiods[key].runs:
            raise AssertionError(f"istiod ended:\n{self._istiods[key].words()}")
        if key not in self._istiods:
            while len(self._istiods) >= _KEPT:
                oldest = next(iter(self._istiods))
                self._istiods.pop(oldest).end()
                self._served.pop(oldest, None)
            self._started += 1
            folder = self._folder / f"istiod-{self._started}"
            self._istiods[key] = Istiod(self._program, self._cluster, folder, plane)
        return self._istiods[key]

    def _pointed(self, configuration: Object, istiod: Istiod, plane: Plane) -> Object:
        """A webhook configuration that calls an istiod."""
        made: Object = json.loads(json.dumps(configuration))
        made["metadata"] = {"name": made["metadata"]["name"], "labels": made["metadata"].get("labels") or {}}
        for hook in made["webhooks"]:
            hook["clientConfig"] = {"url": istiod.url, "caBundle": self._authority(plane)}
        return made

    def _authority(self, plane: Plane) -> str:
        """The certificate authority of an istiod, which it keeps in a Secret."""
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            secret = self._server.get("Secret", "istio-ca-secret", plane.namespace)
            if secret:
                return str(secret["data"]["ca-cert.pem"])
            time.sleep(0.2)
        raise AssertionError(f"istiod makes no certificates:\n{self._istiod(plane).words()}")

    def _register(self, hooks: dict[str, str]) -> None:
        """The webhook configurations, and no others."""
        if hooks == self._hooks:
            return
        for name in self._server.names("MutatingWebhookConfiguration"):
            if hooks.get(name) != self._hooks.get(name):
                self._server.delete("MutatingWebhookConfiguration", name)
        for name, text in hooks.items():
            if self._hooks.get(name) != text:
                self._server.apply(json.loads(text))
        self._hooks = hooks
        time.sleep(1.0)  # the API server hears of it by a watch

    def _wait(self, plane: Plane) -> None:
        """Wait until a pod is injected with what was written last.

        A mesh configuration that istiod does not take never acts: then it is that of an istiod that starts with it.
        """
        if self._acts(plane, _SECONDS, mesh=False) and not self._acts(plane, _MESH_SECONDS):
            key = (plane.revision, plane.namespace)
            self._istiods.pop(key).end()
            self._hooks = {}
            istiod = self._istiod(plane)
            pointed = {one["metadata"]["name"]: self._pointed(one, istiod, plane) for one in plane.configurations}
            self._register({name: json.dumps(one) for name, one in pointed.items()})
            self._acts(plane, _SECONDS, mesh=False)

    def _acts(self, plane: Plane, seconds: float, *, mesh: bool = True) -> bool:
        """Whether what was written last acts within some time; without ``mesh``, the templates alone, and it must.

        Raises:
            AssertionError: the templates do not.
        """
        mark, end, last = _mark(plane), time.monotonic() + seconds, "nothing"
        while time.monotonic() < end:
            status, answer = self._server.create(_marker(plane), dry=True)
            if status < 300:
                annotations = answer["metadata"].get("annotations") or {}
                parts = ("config", "mesh") if mesh else ("config",)
                seen = [annotations.get(f"{_MARK}/{part}") for part in parts]
                if seen == [mark] * len(parts):
                    return True
                last = str(seen)
            else:
                last = str(answer.get("message"))
            time.sleep(0.1)
        if mesh:
            return False
        raise AssertionError(f"istiod does not inject with {mark}, but {last}:\n{self._istiod(plane).words()}")


def _mark(plane: Plane) -> str:
    text = f"{plane.config}\n{plane.values}\n{plane.mesh}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _marker(plane: Plane) -> Object:
    labels = {"sidecar.istio.io/inject": "true", **({"istio.io/rev": plane.revision} if plane.revision else {})}
    annotations = {"inject.istio.io/templates": _MARK}
    metadata: dict[str, Any] = {"name": _MARK, "namespace": _SPACE, "labels": labels, "annotations": annotations}
    spec = {"containers": [{"name": "one", "image": "registry.example.com/one:1"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


@contextmanager
def webhook(program: str, cluster: Cluster, folder: Path) -> Iterator[Webhook]:
    """A webhook that ends with the context."""
    made = Webhook(program, cluster, folder)
    try:
        yield made
    finally:
        made.end()
