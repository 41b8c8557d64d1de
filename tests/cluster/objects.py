"""Objects of a small mesh as an API server gives them, and a kubectl that serves them."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

_KUBECTL = """#!{python}
import json, pathlib, sys
here = pathlib.Path(__file__).parent
words = sys.argv[1:]
with (here / "calls").open("a") as calls:
    calls.write(json.dumps(words) + "\\n")
kind = words[words.index("get") + 1]
answers = json.loads((here / "answers.json").read_text())
found = answers.get(kind, [])
if isinstance(found, str):
    sys.exit(found)
if "--selector" in words:
    label = words[words.index("--selector") + 1]
    found = [one for one in found if label in (one["metadata"].get("labels") or {{}})]
print(json.dumps({{"kind": "List", "items": found}}))
"""


def kubectl(folder: Path, answers: dict[str, Any]) -> Path:
    """A kubectl in a folder: kind -> objects, or the text of a refusal."""
    program = folder / "kubectl"
    program.write_text(_KUBECTL.format(python=sys.executable))
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    (folder / "answers.json").write_text(json.dumps(answers))
    return program


def made(api: str, kind: str, name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    """An object; ``labels`` and ``annotations`` go into its metadata."""
    metadata: dict[str, Any] = {"name": name, "uid": f"uid-{name}", "resourceVersion": "1"}
    metadata |= {"namespace": namespace} if namespace else {}
    metadata |= {key: more.pop(key) for key in ("labels", "annotations") if key in more}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **more}


def operator(name: str, spec: dict[str, Any], namespace: str = "istio-system") -> dict[str, Any]:
    return made("install.istio.io/v1alpha1", "IstioOperator", name, namespace, spec=spec, status={"status": "HEALTHY"})


def istiod(revision: str, image: str, **marks: str) -> dict[str, Any]:
    name = "istiod" if revision == "default" else f"istiod-{revision}"
    pod = {"containers": [{"name": "discovery", "image": image}]}
    labels = {"app": "istiod", "istio.io/rev": revision}
    more = {"annotations": marks} if marks else {}
    return made("apps/v1", "Deployment", name, "istio-system", labels=labels, spec={"template": {"spec": pod}}, **more)


def gateway(name: str, *, injected: bool, revision: str = "default") -> dict[str, Any]:
    proxy: dict[str, Any] = {"name": "istio-proxy", "image": "auto" if injected else "docker.io/istio/proxyv2:1.23.2"}
    proxy |= {} if injected else {"args": ["proxy", "router"]}
    metadata = {"labels": {"istio.io/rev": revision}}
    metadata |= {"annotations": {"inject.istio.io/templates": "gateway"}} if injected else {}
    template = {"metadata": metadata, "spec": {"containers": [proxy]}}
    return made("apps/v1", "Deployment", name, "istio-system", spec={"template": template})


HELM = {"meta.helm.sh/release-name": "istiod-new", "meta.helm.sh/release-namespace": "istio-system"}

MESH: dict[str, Any] = {
    "istiooperators.install.istio.io": [
        operator("mesh", {"profile": "minimal", "tag": "1.23.2"}),
        operator("installed-state", {"profile": "default"}),
        operator("installed-state-canary", {"profile": "minimal", "revision": "canary"}),
        operator("edge", {"profile": "empty", "components": {"ingressGateways": [{"name": "edge", "enabled": True}]}}),
    ],
    "deployments.apps": [
        istiod("default", "docker.io/istio/pilot:1.23.2"),
        istiod("canary", "registry.example.com:5000/istio/pilot:1.25.3-distroless", **HELM),
        gateway("edge", injected=False),
        gateway("edge-helm", injected=True, revision="canary"),
        made(
            "apps/v1",
            "Deployment",
            "istio-operator",
            "istio-operator",
            labels={"name": "istio-operator"},
            spec={"replicas": 0, "template": {"spec": {"containers": [{"name": "istio-operator"}]}}},
        ),
        made(
            "apps/v1",
            "Deployment",
            "shop",
            "shop",
            spec={"template": {"spec": {"containers": [{"name": "istio-proxy", "image": "x", "args": ["proxy"]}]}}},
        ),
    ],
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": [
        made("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "istio-sidecar-injector",
             labels={"istio.io/rev": "default", "install.operator.istio.io/owning-resource": "mesh"}),
        made("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "istio-revision-tag-prod",
             labels={"istio.io/rev": "canary", "istio.io/tag": "prod"}),
        made("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "cert-manager"),
    ],
    "customresourcedefinitions.apiextensions.k8s.io": [
        made("apiextensions.k8s.io/v1", "CustomResourceDefinition", "gateways.networking.istio.io",
             spec={"group": "networking.istio.io"}, annotations={"meta.helm.sh/release-name": "istio-base",
                                                                 "meta.helm.sh/release-namespace": "istio-system"}),
        made("apiextensions.k8s.io/v1", "CustomResourceDefinition", "sidecars.networking.istio.io",
             spec={"group": "networking.istio.io"}),
        made("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.com",
             spec={"group": "example.com"}),
    ],
    "namespaces": [
        made("v1", "Namespace", "shop", labels={"istio-injection": "enabled"}),
        made("v1", "Namespace", "pay", labels={"istio.io/rev": "prod"}),
        made("v1", "Namespace", "mesh", labels={"istio.io/dataplane-mode": "ambient"}),
        made("v1", "Namespace", "plain"),
    ],
}  # fmt: skip
