"""Any values and any patches come back from the files of every target as they went in, read by Go's own YAML reader."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from istio_convert.emit import EMITTERS, EmitOptions, emit
from istio_convert.release import Patch
from istio_convert.verify.manifests import parse_document

from .releases import HARD_TEXTS, istiod, mapping, target
from .terraform_hcl import file_of, post_render, releases

pytestmark = pytest.mark.render
pytest.importorskip("helm_python")

TEXT = st.one_of(
    st.sampled_from([*HARD_TEXTS.values()]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.text("ab\n \t:#-'\"{}[]$%&*!|>?,\\", max_size=20),
)
SCALAR = st.one_of(TEXT, st.booleans(), st.integers(-(2**53), 2**53), st.none(), st.sampled_from([0.5, 1e-7, 12.25]))
TREE = st.recursive(
    SCALAR,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=8,
)
VALUES = st.dictionaries(TEXT, TREE, max_size=4)
DEPLOYMENT = target("Deployment", "istiod")
STRATEGIC = st.builds(lambda spec, why: Patch(DEPLOYMENT, {"spec": spec}, (why,)), VALUES, TEXT)
OPERATION = st.builds(lambda value: {"op": "add", "path": "/spec/x", "value": value}, TREE)
JSON = st.builds(lambda body, why: Patch(DEPLOYMENT, body, (why,)), st.lists(OPERATION, min_size=1, max_size=2), TEXT)
PATCHES = st.lists(st.one_of(STRATEGIC, JSON), max_size=3)
WHOLE = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "istiod", "namespace": "istio-system"}}


def bodies(patches: list[Patch]) -> list[Any]:
    return [patch.body if isinstance(patch.body, list) else {**WHOLE, **patch.body} for patch in patches]


def from_flux(files: dict[str, str]) -> tuple[Any, list[Any]]:
    spec = parse_document(files["istiod.yaml"])["spec"]
    renderers = spec.get("postRenderers") or [{"kustomize": {"patches": []}}]
    return spec.get("values", {}), inline(renderers[0]["kustomize"]["patches"])


def inline(patches: list[Any]) -> list[Any]:
    assert all(patch["target"]["name"] == "istiod" for patch in patches)
    return [parsed(patch["patch"]) for patch in patches]


def parsed(text: str) -> Any:
    """A patch on its own; the reader takes maps only."""
    return parse_document("it:\n" + "".join(f"  {line}\n" for line in text.rstrip("\n").split("\n")))["it"]


def from_argocd(files: dict[str, str]) -> tuple[Any, list[Any]]:
    if "kustomize/istiod/values.yaml" not in files:
        return parse_document(files["applications/istiod.yaml"])["spec"]["source"]["helm"].get("valuesObject", {}), []
    kustomization = parse_document(files["kustomize/istiod/kustomization.yaml"])
    return parse_document(files["kustomize/istiod/values.yaml"]), inline(kustomization["patches"])


def from_helmfile(files: dict[str, str]) -> tuple[Any, list[Any]]:
    (release,) = parse_document(files["helmfile.yaml"])["releases"]
    found = [parse_document(files[path]) for path in release.get("strategicMergePatches", [])]
    found += [parse_document(files[path])["patch"] for path in release.get("jsonPatches", [])]
    found += [parsed(parse_document(files[path])["patch"]) for path in release.get("transformers", [])]
    return parse_document(files[release["values"][0]]), found


def from_helm(files: dict[str, str]) -> tuple[Any, list[Any]]:
    path = "plugins/istio-convert/releases/istiod/kustomization.yaml"
    patches = parse_document(files[path])["patches"] if path in files else []
    return parse_document(files["values/istiod.yaml"]), inline(patches)


def from_terraform(files: dict[str, str]) -> tuple[Any, list[Any]]:
    (release,) = releases(files["main.tf"]).values()
    renderer = post_render(release)
    patches = parse_document(files[file_of(renderer["args"][1])])["patches"] if renderer else []
    return parse_document(files[file_of(release["values"][0])]), inline(patches)


READERS = {
    "flux": from_flux,
    "argocd": from_argocd,
    "helmfile": from_helmfile,
    "helm": from_helm,
    "terraform": from_terraform,
}


def test_every_target_has_its_reader() -> None:
    assert set(READERS) == set(EMITTERS) - {"manifests"}  # no values and no patches are left in there


def same(left: Any, right: Any) -> bool:
    """Equal as JSON, where true is not 1."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


@settings(max_examples=60, deadline=None)
@given(values=VALUES, patches=PATCHES)
@pytest.mark.parametrize("name", list(READERS))
def test_everything_comes_back(name: str, values: dict[str, Any], patches: list[Patch]) -> None:
    files = emit([istiod(values=mapping(values), patches=patches, depends_on=[])], name)
    found_values, found_patches = READERS[name](files)
    assert same(found_values, values)
    assert same(found_patches, bodies(patches))


@settings(max_examples=60, deadline=None)
@given(values=VALUES)
def test_values_come_back_from_an_application_set(values: dict[str, Any]) -> None:
    files = emit([istiod(values=mapping(values), depends_on=[])], "argocd", EmitOptions(argocd_layout="applicationset"))
    (element,) = parse_document(files["applicationset.yaml"])["spec"]["generators"][0]["list"]["elements"]
    helm = element["source"]["helm"]
    found = parse_document(helm["values"]) if "values" in helm else helm.get("valuesObject", {})
    assert same(found, values)
