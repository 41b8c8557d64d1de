"""What the real clients make of each target's folder: the same objects, and every text as it was."""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from istio_convert.emit import EmitOptions, emit
from istio_convert.emit.kustomize import API_VERSION
from istio_convert.emit.writer import write
from istio_convert.release import Patch, Release
from istio_convert.source.writer import dump
from istio_convert.verify.manifests import parse_objects

from .charts import archive
from .programs import need, need_helm, run
from .releases import HARD_TEXTS, base, gateway, istiod, mapping, target

pytestmark = pytest.mark.render
VALUES = {"texts": HARD_TEXTS, "ports": [{"port": 80, "name": "http"}], "none": [], "number": 1.5, "big": 10**15}


def patches() -> list[Patch]:
    """Both kinds, in an order that matters: what the first adds the second removes."""
    texts = target("ConfigMap", "texts-of-istiod")
    deployment = target("Deployment", "istiod")
    container = {"name": "discovery", "env": [{"name": "A", "value": "$(HOST_IP)"}]}
    added = {
        "template": {"metadata": {"annotations": {"gone": "x", "kept": "{{ x }}"}}, "spec": {"containers": [container]}}
    }
    return [
        Patch(texts, {"metadata": {"labels": {"tier": "edge"}}, "data": HARD_TEXTS}, ("texts",)),
        Patch(deployment, {"spec": added}, ("adds",)),
        Patch(deployment, [{"op": "remove", "path": "/spec/template/metadata/annotations/gone"}], ("removes",)),
        Patch(texts, [{"op": "add", "path": f"/data/json-{key}", "value": text} for key, text in HARD_TEXTS.items()]),
        Patch(deployment, {"spec": {"template": {"spec": {"containers": [{"name": "discovery", "resources": None}]}}}}),
    ]


def gateway_patch() -> Patch:
    body = {"spec": {"template": {"spec": {"dnsConfig": {"options": [{"name": "ndots", "value": "1"}]}}}}}
    return Patch(target("Deployment", "patched", "edge"), body, ("a value from gateway 1.31 on",))


def mesh() -> list[Release]:
    return [
        base("1.23.6", values=mapping(VALUES)),
        istiod(values=mapping(VALUES), patches=patches()),
        gateway(namespace="edge", values=mapping(VALUES), skip_schema=True),
        gateway("patched", "edge", values=mapping(VALUES), skip_schema=True, patches=[gateway_patch()]),
    ]


def expected(releases: list[Release], *names: str) -> dict[str, Any]:
    """The objects of all releases, or of those named, as Flux would make them."""
    files = emit(releases)
    chosen = [release for release in releases if not names or release.name in names]
    return {key: value for release in chosen for key, value in _flux_release(files, release).items()}


def by_name(text: str) -> dict[str, Any]:
    found = {}
    for document in parse_objects(text):
        metadata = document["metadata"]
        found[f"{document['kind']} {metadata.get('namespace', '')}/{metadata['name']}"] = document
    return found


def _flux_release(files: dict[str, str], release: Release) -> dict[str, Any]:
    """What Flux makes of a HelmRelease: the Helm SDK with its values, then Kustomize with its patches."""
    helm_python = pytest.importorskip("helm_python")
    (document,) = parse_objects(files[f"{release.name}.yaml"])
    spec = document["spec"]
    chart = helm_python.Chart.load_archive(archive(release.chart, release.version))
    rendered = chart.render(spec.get("values", {}), name=spec["releaseName"], namespace=spec["targetNamespace"])
    text = "---\n".join(part for path, part in rendered.items())
    if not spec.get("postRenderers"):
        return by_name(text)
    ((renderer),) = spec["postRenderers"]
    return by_name(_kustomized(text, renderer["kustomize"]["patches"]))


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


def test_flux() -> None:
    """The reference itself: texts arrive in values and by both kinds of patches, and patches keep their order."""
    releases = mesh()
    objects = expected(releases)
    for release in releases:
        values = objects[f"ConfigMap {release.namespace}/values-of-{release.name}"]["data"]["values"]
        assert json.loads(values) == VALUES
    config = objects["ConfigMap istio-system/texts-of-istiod"]
    assert config["metadata"]["labels"] == {"tier": "edge"}
    for key, text in HARD_TEXTS.items():
        assert config["data"][key] == text, key
        assert config["data"][f"json-{key}"] == text, key
    template = objects["Deployment istio-system/istiod"]["spec"]["template"]
    assert template["metadata"]["annotations"] == {"kept": "{{ x }}"}
    (container,) = template["spec"]["containers"]
    assert container["env"] == [{"name": "A", "value": "$(HOST_IP)"}]
    assert "resources" not in container


def test_kustomize_reads_the_flux_folder_as_it_is(tmp_path: Path) -> None:
    files = emit(mesh(), "flux", EmitOptions(drift_detection=True))
    write(tmp_path / "out", {**files, "REPORT.md": "# not YAML: {{\n"})
    built = by_name(run([need("kubectl"), "kustomize", tmp_path / "out"]))
    (written,) = parse_objects(files["istiod.yaml"])
    assert built["HelmRelease istio-system/istiod"] == written
    assert written["spec"]["values"] == VALUES
    assert len(built) == 5


@pytest.mark.parametrize("major", [3, 4])
def test_argocd(tmp_path: Path, repository: str, major: int) -> None:
    """The Kustomize source of a patched release, by the real Kustomize that calls the real Helm."""
    kustomize, helm = need("kustomize"), need_helm(major)
    files = emit(mesh(), "argocd", EmitOptions(chart_source=repository))
    write(tmp_path / "out", files)
    for name in ("istiod", "patched"):
        folder = tmp_path / "out" / "kustomize" / name
        built = by_name(run([kustomize, "build", "--enable-helm", "--helm-command", helm, folder]))
        assert built == expected(mesh(), name)
    for release in (mesh()[0], mesh()[2]):
        (application,) = parse_objects(files[f"applications/{release.name}.yaml"])
        assert application["spec"]["source"]["helm"]["valuesObject"] == VALUES
    applied = by_name(run([kustomize, "build", tmp_path / "out"]))
    assert [key.split("/")[1] for key in applied] == ["istio-base", "istio-ingressgateway", "istiod", "patched"]


def test_the_values_of_an_application_set() -> None:
    releases = [
        base("1.23.6", values=mapping(VALUES)),
        gateway(values=mapping({**VALUES, "none": None}), depends_on=[]),
    ]
    files = emit(releases, "argocd", EmitOptions(argocd_layout="applicationset"))
    (document,) = parse_objects(files["applicationset.yaml"])
    plain, as_text = (element["source"]["helm"] for element in document["spec"]["generators"][0]["list"]["elements"])
    assert plain["valuesObject"] == VALUES
    ((read),) = parse_objects(f"apiVersion: v1\nkind: Values\n{as_text['values']}")
    assert {key: value for key, value in read.items() if key in VALUES} == {**VALUES, "none": None}


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


@pytest.mark.parametrize("major", [3, 4])
def test_plain_helm(tmp_path: Path, repository: str, major: int) -> None:
    """The script as it is; only ``helm upgrade`` is turned into ``helm template`` on the way to the real Helm."""
    helm = need_helm(major)
    log = tmp_path / "log"
    executable(tmp_path / "bin" / "helm", HELM_STAND_IN.format(python=sys.executable, log=str(log), helm=helm))
    executable(
        tmp_path / "bin" / "kubectl", f'#!/bin/sh\n[ "$1" = apply ] && exec cat\nexec {need("kubectl")!r} "$@"\n'
    )
    path = f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
    env = {"PATH": path, "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    folder = tmp_path / "a folder with 'quotes' and $(id)"
    write(folder, emit(mesh(), "helm", EmitOptions(chart_source=repository)))
    output = by_name(run([folder / "install.sh"], env=env))
    definition = output.pop("CustomResourceDefinition /things.example.com")
    assert definition["spec"]["group"] == "example.com"
    assert output == expected(mesh())
    calls = log.read_text()
    assert calls.count("'--take-ownership'") == 4
    assert calls.count("'--wait'") == 4
    assert ("'--force-conflicts'" in calls) == ("'--server-side=true'" in calls) == (major == 4)
    assert calls.count("'--skip-schema-validation'") == 2
    dry = by_name(run([folder / "install.sh", "--debug", "--dry-run=client"], env=env))
    assert dry == output


def executable(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_an_old_helm_is_refused(tmp_path: Path) -> None:
    executable(tmp_path / "helm", "#!/bin/sh\necho old\n")
    write(tmp_path / "out", emit(mesh(), "helm"))
    with pytest.raises(AssertionError, match=r"Helm 3\.17 or newer"):
        run([tmp_path / "out" / "install.sh"], env={"PATH": f"{tmp_path}:/usr/bin:/bin"})


def test_the_post_renderer_refuses_other_paths(tmp_path: Path) -> None:
    write(tmp_path / "out", emit(mesh(), "helm"))
    script = tmp_path / "out" / "plugins" / "istio-convert" / "post-render.sh"
    for argument in ("../../x", "a/b", "/etc", "nothing"):
        with pytest.raises(AssertionError, match=r"no such release|No such file"):
            run([script, argument])


ONE_KIND = [
    pytest.param(patches(), "transformers", id="both kinds"),
    pytest.param([patches()[0], patches()[1]], "strategicMergePatches", id="strategic"),
    pytest.param([patches()[3]], "jsonPatches", id="JSON"),
]


@pytest.mark.parametrize("major", [3, 4])
@pytest.mark.parametrize(("chosen", "field"), ONE_KIND)
def test_helmfile(tmp_path: Path, repository: str, major: int, chosen: list[Patch], field: str) -> None:
    """The real helmfile, which calls the real Helm and the real Kustomize."""
    helmfile, kustomize, helm = need("helmfile"), need("kustomize"), need_helm(major)
    releases = mesh()
    releases[1].patches = chosen
    files = emit(releases, "helmfile", EmitOptions(chart_source=repository))
    assert field in files["helmfile.yaml"]
    write(tmp_path / "out", files)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "kustomize").symlink_to(kustomize)
    env = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    command = [helmfile, "--quiet", "--helm-binary", helm, "--file", tmp_path / "out" / "helmfile.yaml", "template"]
    assert by_name(run(command, env=env)) == expected(releases)
