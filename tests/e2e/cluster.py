"""A real kube-apiserver with etcd on loopback, without controllers, nodes or anything that a Pod could run on.

etcd is the distribution's package (etcd-server). The API server is built once, from the Go module k8s.io/kubernetes
with its staging modules replaced by the published ones, into a cache folder. Both end with the context.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KUBERNETES = "1.32.9"
HELM_MODULES = ("helm.sh/helm/v3/cmd/helm@v3.22.0", "helm.sh/helm/v4/cmd/helm@v4.2.4")
_STAGING = [
    "api",
    "apiextensions-apiserver",
    "apimachinery",
    "apiserver",
    "cli-runtime",
    "client-go",
    "cloud-provider",
    "cluster-bootstrap",
    "code-generator",
    "component-base",
    "component-helpers",
    "controller-manager",
    "cri-api",
    "cri-client",
    "csi-translation-lib",
    "dynamic-resource-allocation",
    "endpointslice",
    "externaljwt",
    "kms",
    "kube-aggregator",
    "kube-controller-manager",
    "kube-proxy",
    "kube-scheduler",
    "kubectl",
    "kubelet",
    "metrics",
    "mount-utils",
    "pod-security-admission",
    "sample-apiserver",
]
_TOKEN = "loopback-only"


class MissingProgramError(Exception):
    """A program that the test needs is not here."""


def program(name: str, variable: str) -> str:
    """The path of a program: what the variable names, else the one beside this Python, else the one on PATH.

    Raises:
        MissingProgramError: there is none.
    """
    beside = Path(sys.executable).with_name(name)
    found = os.environ.get(variable) or (str(beside) if beside.exists() else shutil.which(name))
    if not found:
        raise MissingProgramError(f"{name} is not installed ({variable} names another)")
    return found


def helms() -> list[str]:
    """Helm 3 and Helm 4: what HELM names, else from the cache, where Go puts them once, else the one on PATH.

    Raises:
        MissingProgramError: there is none.
    """
    if given := os.environ.get("HELM"):
        return [given]
    found, go = [], shutil.which("go")
    for module in HELM_MODULES:
        folder = cache() / module.rpartition("/")[2]
        if go and not (folder / "helm").exists():
            print(f"building {module}", flush=True)
            environment = {**os.environ, "GOBIN": str(folder)}
            subprocess.run([go, "install", module], env=environment, check=True)
        if (folder / "helm").exists():
            found.append(str(folder / "helm"))
    return found or [program("helm", "HELM")]


def cache() -> Path:
    """Where the API server is kept between runs."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "istio-convert" / "e2e"


def built_api_server() -> str:
    """The API server, where it is built already.

    Raises:
        MissingProgramError: it is not.
    """
    binary = Path(os.environ.get("KUBE_APISERVER") or cache() / f"kube-apiserver-{KUBERNETES}")
    if not binary.exists():
        raise MissingProgramError("the API server is not built: make e2e builds it")
    return str(binary)


def api_server() -> str:
    """The API server; built when it is not in the cache, which takes about twenty minutes on two cores.

    Raises:
        MissingProgramError: it is not built, and there is no Go toolchain.
    """
    if given := os.environ.get("KUBE_APISERVER"):
        return given
    binary = cache() / f"kube-apiserver-{KUBERNETES}"
    if binary.exists():
        return str(binary)
    go = shutil.which("go")
    if not go:
        raise MissingProgramError("the API server is not built, and there is no Go toolchain")
    module = cache() / f"module-{KUBERNETES}"
    module.mkdir(parents=True, exist_ok=True)
    published = f"v0.{KUBERNETES.split('.', 1)[1]}"
    replaced = "\n".join(f"replace k8s.io/{name} => k8s.io/{name} {published}" for name in _STAGING)
    (module / "go.mod").write_text(
        "module istio-convert.example/apiserver\n\ngo 1.23.0\n\nrequire k8s.io/kubernetes "
        f"v{KUBERNETES}\n\n{replaced}\n"
    )
    (module / "tools.go").write_text(
        '//go:build tools\n\npackage tools\n\nimport _ "k8s.io/kubernetes/cmd/kube-apiserver"\n'
    )
    print(f"building kube-apiserver {KUBERNETES}; this takes a while", flush=True)
    minor = KUBERNETES.split(".")[1]
    names = {"gitVersion": f"v{KUBERNETES}", "gitMajor": "1", "gitMinor": minor}
    stamp = " ".join(f"-X k8s.io/component-base/version.{key}={value}" for key, value in names.items())
    partial = binary.with_suffix(".part")
    nice = ["nice", "-n", "15"] if shutil.which("nice") else []
    subprocess.run([*nice, go, "mod", "tidy"], cwd=module, check=True)
    build = [
        "build",
        "-trimpath",
        "-ldflags",
        f"-s -w {stamp}",
        "-o",
        str(partial),
        "k8s.io/kubernetes/cmd/kube-apiserver",
    ]
    subprocess.run([*nice, go, *build], cwd=module, check=True)
    partial.rename(binary)
    return str(binary)


@dataclass
class Cluster:
    """A running API server.

    Attributes:
        kubeconfig: its kubeconfig.
        kubectl: the kubectl program.
    """

    kubeconfig: Path
    kubectl: str
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, *words: str, check: bool = True, text: str | None = None) -> str:
        """Run kubectl and give its stdout."""
        result = subprocess.run(
            [self.kubectl, "--kubeconfig", str(self.kubeconfig), *words],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and result.returncode:
            raise AssertionError(f"kubectl {' '.join(words)}: {result.stderr}")
        return result.stdout

    def objects(self, *words: str) -> list[dict[str, Any]]:
        """What ``kubectl get … -o json`` finds."""
        found: list[dict[str, Any]] = json.loads(self.run("get", *words, "--output", "json"))["items"]
        return found

    def apply(self, objects: Sequence[dict[str, Any]], manager: str) -> None:
        """Apply objects server-side, as istioctl does."""
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        self.run(
            "apply", "--server-side", "--force-conflicts", f"--field-manager={manager}", "--filename", "-", text=text
        )


def free_ports(number: int) -> list[int]:
    """Ports of the loopback that nobody listens on."""
    sockets = [socket.socket() for _ in range(number)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


@contextmanager
def cluster(folder: Path, *, reader: str | None = None) -> Iterator[Cluster]:
    """Start etcd and an API server in a folder; end both afterwards.

    Args:
        folder: is made; holds data, certificates, log and kubeconfig.
        reader: name of a user beside the administrator, who may do what roles allow; the kubeconfig has a context of
            that name. Without one everybody may do everything.

    Raises:
        MissingProgramError: a program is not here.
    """
    kubectl, etcd, server = program("kubectl", "KUBECTL"), program("etcd", "ETCD"), api_server()
    openssl = program("openssl", "OPENSSL")
    folder.mkdir(parents=True)
    client, peer, secure = free_ports(3)
    key = folder / "sa.key"
    subprocess.run([openssl, "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
    (folder / "tokens.csv").write_text(
        f"{_TOKEN},admin,admin,system:masters\n" + (f"{_TOKEN}-{reader},{reader},{reader}\n" if reader else "")
    )
    mode = "RBAC" if reader else "AlwaysAllow"
    log = (folder / "log").open("wb")
    started: list[subprocess.Popen[bytes]] = []
    try:
        started.append(
            subprocess.Popen(
                [
                    etcd, "--data-dir", str(folder / "etcd"), "--unsafe-no-fsync",
                    "--listen-client-urls", f"http://127.0.0.1:{client}",
                    "--advertise-client-urls", f"http://127.0.0.1:{client}",
                    "--listen-peer-urls", f"http://127.0.0.1:{peer}",
                ],
                stdout=log, stderr=log,
            )
        )  # fmt: skip
        started.append(
            subprocess.Popen(
                [
                    server, f"--etcd-servers=http://127.0.0.1:{client}", f"--cert-dir={folder / 'certificates'}",
                    "--bind-address=127.0.0.1", f"--secure-port={secure}", "--endpoint-reconciler-type=none",
                    "--service-cluster-ip-range=10.96.0.0/16", f"--authorization-mode={mode}",
                    "--allow-privileged=true",
                    f"--token-auth-file={folder / 'tokens.csv'}", "--disable-admission-plugins=ServiceAccount",
                    "--service-account-issuer=https://kubernetes.default.svc",
                    f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}",
                ],
                stdout=log, stderr=log,
            )
        )  # fmt: skip
        config = folder / "kubeconfig"
        config.write_text(
            json.dumps(
                {
                    "apiVersion": "v1",
                    "kind": "Config",
                    "current-context": "e2e",
                    "clusters": [
                        {
                            "name": "e2e",
                            "cluster": {"server": f"https://127.0.0.1:{secure}", "insecure-skip-tls-verify": True},
                        }
                    ],
                    "users": [{"name": "e2e", "user": {"token": _TOKEN}}],
                    "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "e2e"}}],
                }
            )
        )
        if reader:
            data = json.loads(config.read_text())
            data["users"].append({"name": reader, "user": {"token": f"{_TOKEN}-{reader}"}})
            data["contexts"].append({"name": reader, "context": {"cluster": "e2e", "user": reader}})
            config.write_text(json.dumps(data))
        made = Cluster(config, kubectl)
        _wait(made, started, folder)
        yield made
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        log.close()


def _wait(made: Cluster, started: Sequence[subprocess.Popen[bytes]], folder: Path) -> None:
    for _ in range(120):
        if any(process.poll() is not None for process in started):
            break
        if "ok" in made.run("get", "--raw", "/readyz", check=False):
            return
        time.sleep(0.5)
    raise AssertionError(f"the API server does not come up:\n{(folder / 'log').read_text(errors='replace')[-3000:]}")
