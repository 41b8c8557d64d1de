"""What the real clients make of each target's folder: the same objects, and every text as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from istio_convert.emit import EmitOptions, emit
from istio_convert.emit.writer import write
from istio_convert.release import Patch, Release
from istio_convert.verify.manifests import parse_objects

from .charts import own_charts
from .clients import argocd, by_name, executable, flux, helmfile, plain_helm
from .programs import need, run
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
    chosen = [release.name for release in releases if not names or release.name in names]
    return by_name(flux((files[f"{name}.yaml"] for name in chosen), own_charts()))


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
    """Helm sources, and the Kustomize source of a patched release, by the real Kustomize that calls the real Helm."""
    kustomize = need("kustomize")
    write(tmp_path / "out", emit(mesh(), "argocd", EmitOptions(chart_source=repository)))
    assert by_name(argocd(tmp_path / "out", major, tmp_path)) == expected(mesh())
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


@pytest.mark.parametrize("major", [3, 4])
def test_plain_helm(tmp_path: Path, repository: str, major: int) -> None:
    folder = tmp_path / "a folder with 'quotes' and $(id)"
    write(folder, emit(mesh(), "helm", EmitOptions(chart_source=repository)))
    output = by_name(plain_helm(folder, major, tmp_path))
    assert output == expected(mesh())
    assert "CustomResourceDefinition things.example.com" in output
    calls = (tmp_path / "log").read_text()
    assert calls.count("'--take-ownership'") == 4
    assert calls.count("'--wait'") == 4
    assert ("'--force-conflicts'" in calls) == ("'--server-side=true'" in calls) == (major == 4)
    assert calls.count("'--skip-schema-validation'") == 2
    dry = by_name(plain_helm(folder, major, tmp_path, "--debug", "--dry-run=client"))
    del output["CustomResourceDefinition things.example.com"]
    assert dry == output


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
    releases = mesh()
    releases[1].patches = chosen
    files = emit(releases, "helmfile", EmitOptions(chart_source=repository))
    assert field in files["helmfile.yaml"]
    write(tmp_path / "out", files)
    assert by_name(helmfile(tmp_path / "out", major, tmp_path)) == expected(releases)
