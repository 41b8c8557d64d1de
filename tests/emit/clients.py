"""Each target's folder as its tool makes objects of it: the real clients, with no cluster behind them."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from istio_convert.emit.kustomize import API_VERSION
from istio_convert.emit.rendering import LABEL
from istio_convert.emit.writer import write
from istio_convert.source.writer import dump
from istio_convert.verify.charts.layout import pack
from istio_convert.verify.manifests import object_id, parse_document, parse_objects

from . import terraform_hcl
from .charts import Charts
from .programs import need, need_helm, run

PATH = f"/usr/bin{os.pathsep}/bin"
# `helm upgrade` becomes `helm template`; the flags that only an installation has go
HELM_STAND_IN = """\
#!{python}
import os, sys
args = sys.argv[1:]
with open({log!r}, "a") as log:
    print(args, file=log)
if args[0] == "upgrade" and "--help" not in args:
    args[0] = "template"
    print("---", flush=True)
    for flag in ("--install", "--wait", "--take-ownership", "--force-conflicts", "--server-side=true"):
        args = [arg for arg in args if arg != flag]
os.execv({helm!r}, [{helm!r}, *args])
"""
# what would be applied is shown
KUBECTL_STAND_IN = """\
#!/bin/sh
[ "$1" = apply ] && {{ echo ---; exec cat; }}
exec {kubectl!r} "$@"
"""


def by_name(text: str) -> dict[str, Any]:
    """The objects of a stream; none may stand in it twice."""
    found: dict[str, Any] = {}
    for document in parse_objects(text):
        name = str(object_id(document))
        assert name not in found, f"{name} twice"
        found[name] = document
    return found


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def environment(scratch: Path, programs: Path) -> dict[str, str]:
    """Nothing of the user's: a home of its own, and only the programs that are meant."""
    return {"PATH": f"{programs}{os.pathsep}{PATH}", "HOME": str(scratch / "home"), "TMPDIR": str(scratch)}


def flux(texts: Iterable[str], charts: Charts) -> str:
    """What Flux makes of HelmReleases: the Helm SDK with their values, then Kustomize with their patches."""
    return joined(_flux_release(parse_document(text)["spec"], charts) for text in texts)


def _flux_release(spec: dict[str, Any], charts: Charts) -> str:
    helm_python = pytest.importorskip("helm_python")
    chart = spec["chart"]["spec"]
    skip_schema = spec["install"].get("disableSchemaValidation")
    files = charts[chart["chart"], chart["version"]]
    files = {path: data for path, data in files.items() if not (skip_schema and path == "values.schema.json")}
    loaded = helm_python.Chart.load_archive(pack(files, chart["chart"]))
    rendered = loaded.render(spec.get("values", {}), name=spec["releaseName"], namespace=spec["targetNamespace"])
    patched = joined(part for path, part in sorted(rendered.items()) if not path.endswith(".txt"))
    if spec.get("postRenderers"):
        (renderer,) = spec["postRenderers"]
        patched = _kustomized(patched, renderer["kustomize"]["patches"])
    if spec["upgrade"].get("crds") != "CreateReplace":
        return patched
    # helm-controller applies these definitions itself, beside Helm and its post-renderers
    return joined([patched, *(data.decode() for path, data in sorted(files.items()) if path.startswith("crds/"))])


def joined(parts: Iterable[str]) -> str:
    return "\n---\n".join(parts)


def _kustomized(text: str, applied: list[Any]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        kustomization = {
            "apiVersion": API_VERSION,
            "kind": "Kustomization",
            "resources": ["all.yaml"],
            "patches": applied,
        }
        Path(folder, "all.yaml").write_text(text)
        Path(folder, "kustomization.yaml").write_text(dump(kustomization))
        return run([need("kubectl"), "kustomize", folder])


def argocd(folder: Path, major: int, scratch: Path) -> str:
    """What Argo CD makes of its Applications: ``helm template``, or ``kustomize build --enable-helm``."""
    files = sorted((folder / "applications").iterdir())
    return joined(_application(folder, parse_document(file.read_text())["spec"], major, scratch) for file in files)


def _application(folder: Path, spec: dict[str, Any], major: int, scratch: Path) -> str:
    source = spec["source"]
    env, helm = environment(scratch, scratch / "bin"), need_helm(major)
    if "path" in source:
        kustomize = [need("kustomize"), "build", "--enable-helm", "--helm-command", helm]
        return run([*kustomize, folder / source["path"]], env=env)
    settings = source["helm"]
    (scratch / "values.yaml").write_text(dump(settings.get("valuesObject", {})))
    command = [helm, "template", settings["releaseName"], source["chart"], "--repo", source["repoURL"]]
    command += ["--version", source["targetRevision"], "--namespace", spec["destination"]["namespace"]]
    command += ["--values", str(scratch / "values.yaml")]
    command += [] if settings.get("skipCrds") else ["--include-crds"]
    command += ["--skip-schema-validation"] if settings.get("skipSchemaValidation") else []
    return run(command, env=env)


def plain_helm(folder: Path, major: int, scratch: Path, *arguments: str) -> str:
    """What the script installs; only ``helm upgrade`` is turned into ``helm template`` on its way to the real Helm."""
    programs = scratch / "bin"
    log = str(scratch / "log")
    executable(programs / "helm", HELM_STAND_IN.format(python=sys.executable, log=log, helm=need_helm(major)))
    executable(programs / "kubectl", KUBECTL_STAND_IN.format(kubectl=need("kubectl")))
    return run([folder / "install.sh", *arguments], env=environment(scratch, programs))


def helmfile(folder: Path, major: int, scratch: Path) -> str:
    """What helmfile installs, and what its hooks apply."""
    program, helm = need("helmfile"), need_helm(major)
    programs = scratch / "bin"
    programs.mkdir(exist_ok=True)
    for name, real in (("kustomize", need("kustomize")), ("helm", helm)):
        (programs / name).symlink_to(real)
    executable(programs / "kubectl", KUBECTL_STAND_IN.format(kubectl=need("kubectl")))
    env = environment(scratch, programs)
    file = folder / "helmfile.yaml"
    parts = [run([program, "--quiet", "--helm-binary", helm, "--file", file, "template"], env=env)]
    hooks = [hook for release in parse_document(file.read_text())["releases"] for hook in release.get("hooks", [])]
    parts += [run([hook["command"], *hook["args"]], env=env) for hook in hooks]
    return joined(parts)


def terraform(files: Mapping[str, str], charts: Charts) -> str:
    """What the provider makes of ``main.tf``: the Helm SDK with the values, then the real post-renderer."""
    helm_python = pytest.importorskip("helm_python")
    parts = []
    with tempfile.TemporaryDirectory() as scratch:
        write(Path(scratch, "out"), files)
        for resource in terraform_hcl.releases(files["main.tf"]).values():
            chart = charts[resource["chart"], resource["version"]]
            # the bounds in versions.tf keep to a provider whose Helm does not take the broken schemas at their word
            chart = {path: data for path, data in chart.items() if path != "values.schema.json"}
            loaded = helm_python.Chart.load_archive(pack(chart, resource["chart"]))
            values = parse_document(files[terraform_hcl.file_of(resource["values"][0])])
            rendered = loaded.render(values, name=resource["name"], namespace=resource["namespace"])
            text = joined(part for path, part in sorted(rendered.items()) if not path.endswith(".txt"))
            if renderer := terraform_hcl.post_render(resource):
                program = renderer["binary_path"].replace("${path.module}", str(Path(scratch, "out")))
                bare = environment(Path(scratch), Path(need("kubectl")).parent)
                text = run([program, *renderer["args"]], stdin=text, env=bare)
            parts.append(text)
            if not resource.get("skip_crds"):
                # a first installation brings them; a later one leaves them alone, which the README gives to a person
                parts += [data.decode() for path, data in sorted(chart.items()) if path.startswith("crds/")]
    return joined(parts)


def manifests(files: Mapping[str, str]) -> str:
    """The objects of plain manifests, without the label that prunes them and without the namespaces."""
    objects = []
    for path, text in files.items():
        if not path.endswith(".yaml") or path in ("kustomization.yaml", "00-namespaces.yaml"):
            continue
        for document in parse_objects(text):
            labels = dict(document["metadata"]["labels"])  # the reader shares definitions: they must not be changed
            del labels[LABEL]
            metadata = {key: value for key, value in document["metadata"].items() if key != "labels"}
            objects.append(dump({**document, "metadata": {**metadata, **({"labels": labels} if labels else {})}}))
    return joined(objects)
