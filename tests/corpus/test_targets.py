"""Every operator of the corpus through the clients of all targets: the same objects as Flux, valid ones.

One version, and each release once, in each run of CI; ``python -m tests.corpus.targets VERSION…`` compares at more.
"""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from istio_convert import ChartsMissingError
from istio_convert.emit import EmitOptions, emit
from istio_convert.verify import reference
from istio_convert.verify.charts import locate
from istio_convert.verify.manifests import parse_objects
from tests.corpus.operators import need_corpus
from tests.corpus.targets import compare, corpus, layouts, meshes
from tests.emit import flux_models, schemas_argocd, schemas_flux
from tests.emit.charts import charts_of_release
from tests.emit.kubernetes_schemas import complaint
from tests.emit.programs import need, need_helm

pytestmark = [pytest.mark.corpus, pytest.mark.render]
VERSION = "1.25.3"
PROGRAMS = {
    "argocd": ["kustomize"],
    "helmfile": ["helmfile", "kustomize"],
    "helm": ["kustomize", "kubectl"],
    "terraform": ["kubectl"],
}


@pytest.fixture
def charts() -> None:
    need_corpus()
    try:
        charts_of_release(VERSION)
    except ChartsMissingError as error:
        pytest.skip(str(error))


@pytest.mark.charts
@pytest.mark.usefixtures("charts")
@pytest.mark.parametrize(
    ("target", "major"), [("argocd", 3), ("helmfile", 4), ("helm", 3), ("helm", 4), ("terraform", 0)]
)
def test_every_target_gives_the_objects_that_flux_gives(target: str, major: int) -> None:
    if major:
        need_helm(major)
    for program in PROGRAMS[target]:
        need(program)
    assert list(compare(VERSION, target, major)) == []
    assert len(corpus(VERSION).meshes) > 100


@pytest.mark.charts
@pytest.mark.usefixtures("charts")
def test_kubernetes_takes_every_object() -> None:
    """But for those that the operator's own settings break, which it refuses from istioctl as well."""
    whole = corpus(VERSION)
    paths = {path.name: path for path in need_corpus()}
    refused = 0
    for mesh, objects in zip(whole.meshes, whole.objects, strict=True):
        wrong = {name: found for name, document in objects.items() if (found := complaint(document))}
        if wrong:
            operator = (mesh.name, paths[mesh.name].read_text(encoding="utf-8"))
            by_istioctl = {str(item.id): item.object for item in reference.generate([operator], locate(VERSION))}
            assert {name: complaint(by_istioctl[name]) for name in wrong} == wrong, mesh.name
        refused += bool(wrong)
    assert refused < 10


def test_every_layout_of_argo_cd_has_the_same_sources() -> None:
    for mesh in meshes(VERSION, need_corpus()):
        first, *others = layouts(mesh)
        assert all(other == first for other in others), mesh.name


@pytest.mark.parametrize("source", ["oci", "https://charts.example.com/istio"])
def test_every_object_of_flux_fits_its_definitions(source: str) -> None:
    fits = validators(schemas_flux.BY_KIND)
    options = EmitOptions(chart_source=source, flux_namespace="flux-system", drift_detection=True)
    for mesh in meshes(VERSION, need_corpus()):
        for document in objects_in(emit(mesh.releases, "flux", options)):
            fits[document["kind"]].validate(document)
            flux_models.check(document)


@pytest.mark.parametrize("layout", ["app-of-apps", "applicationset"])
def test_every_object_of_argo_cd_fits_its_definitions(layout: str) -> None:
    fits = validators(schemas_argocd.BY_KIND)
    for mesh in meshes(VERSION, need_corpus()):
        for document in objects_in(emit(mesh.releases, "argocd", EmitOptions(argocd_layout=layout))):
            fits[document["kind"]].validate(document)


def validators(schemas: dict[str, Any]) -> dict[str, Any]:
    return {kind: jsonschema.Draft202012Validator(schema) for kind, schema in schemas.items()}


def objects_in(files: dict[str, str]) -> list[Any]:
    found = [
        document
        for path, text in files.items()
        if path.endswith(".yaml") and not path.startswith("kustomize/")
        for document in parse_objects(text)
        if document["kind"] != "Kustomization"
    ]
    assert found
    return found
