"""The helmfile output: releases in order, one kind of patch in each, everything of the user outside of templates."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert.emit import EmitOptions, emit
from istio_convert.release import Patch, Release

from .releases import HARD_TEXTS, base, gateway, istiod, load, mapping, removal, target, tolerations

VALUES = {"pilot": {"autoscaleMin": 2}}


def mesh(patches: list[Patch] | None = None) -> list[Release]:
    chosen = [tolerations()] if patches is None else patches
    return [base(), istiod(values=mapping(VALUES), patches=chosen), gateway(namespace="edge", skip_schema=True)]


def test_the_file() -> None:
    assert emit(mesh(), "helmfile")["helmfile.yaml"] == (
        """\
repositories:
  - name: istio
    url: https://istio-release.storage.googleapis.com/charts
helmDefaults:
  wait: true
  timeout: 600
  createNamespace: true
  # under Helm 4 also:
  # serverSide: "true"
  # forceConflicts: true
  takeOwnership: true
releases:
  - name: istio-base
    namespace: istio-system
    chart: istio/base
    version: 1.25.3
    values:
      - values/istio-base.yaml
  - name: istiod
    namespace: istio-system
    chart: istio/istiod
    version: 1.25.3
    needs:
      - istio-system/istio-base
    values:
      - values/istiod.yaml
    strategicMergePatches:
      - patches/istiod/01.yaml
  - name: istio-ingressgateway
    namespace: edge
    chart: istio/gateway
    version: 1.25.3
    needs:
      - istio-system/istiod
    # the gateway chart's schema of 1.25.3 refuses everything under Helm >= 3.18.5; repaired in 1.25.5
    skipSchemaValidation: true
    values:
      - values/istio-ingressgateway.yaml
"""
    )


def test_the_files() -> None:
    files = emit(mesh(), "helmfile")
    assert list(files) == [
        "helmfile.yaml",
        "values/istio-base.yaml",
        "values/istiod.yaml",
        "values/istio-ingressgateway.yaml",
        "patches/istiod/01.yaml",
        "README.md",
    ]
    assert files["values/istiod.yaml"] == "pilot:\n  autoscaleMin: 2\n"
    assert all(f"- `{path}`: " in files["README.md"] for path in files if path != "README.md")
    assert files["patches/istiod/01.yaml"].startswith("# replaces the list; the chart's value would only add\n")


@pytest.mark.parametrize(
    ("patches", "field"),
    [
        ([tolerations(), tolerations()], "strategicMergePatches"),
        ([removal(), removal()], "jsonPatches"),
        ([tolerations(), removal()], "transformers"),
    ],
)
def test_one_kind_of_patch_in_a_release(patches: list[Patch], field: str) -> None:
    files = emit(mesh(patches), "helmfile")
    release = load(files["helmfile.yaml"])["releases"][1]
    assert release[field] == ["patches/istiod/01.yaml", "patches/istiod/02.yaml"]
    assert len({"strategicMergePatches", "jsonPatches", "transformers"} & set(release)) == 1


SELECTOR = {"group": "apps", "version": "v1", "kind": "Deployment", "name": "istiod", "namespace": "istio-system"}


def test_what_the_patch_files_hold() -> None:
    assert load(emit(mesh([tolerations()]), "helmfile")["patches/istiod/01.yaml"])["metadata"]["name"] == "istiod"
    body = [{"op": "remove", "path": "/spec/template/spec/containers/0/resources/limits"}]
    assert load(emit(mesh([removal()]), "helmfile")["patches/istiod/01.yaml"]) == {"target": SELECTOR, "patch": body}
    mixed = emit(mesh([tolerations(), removal()]), "helmfile")
    transformer = load(mixed["patches/istiod/02.yaml"])
    assert (transformer["apiVersion"], transformer["kind"]) == ("builtin", "PatchTransformer")
    assert transformer["target"] == SELECTOR
    assert load(transformer["patch"]) == body
    names = {load(mixed[f"patches/istiod/0{number}.yaml"])["metadata"]["name"] for number in (1, 2)}
    assert names == {"istiod-1", "istiod-2"}


def test_nothing_of_the_user_stands_where_helmfile_reads_templates() -> None:
    texts = Patch(target("ConfigMap", "istio"), {"data": HARD_TEXTS}, ("{{ why }}",))
    files = emit([istiod(values=mapping(HARD_TEXTS), patches=[texts], depends_on=[])], "helmfile")
    assert "{{" not in files["helmfile.yaml"]
    assert not [path for path in files if path.endswith(".gotmpl")]


def test_charts_from_a_registry() -> None:
    document = load(emit([base("1.23.6")], "helmfile", EmitOptions(chart_source="oci"))["helmfile.yaml"])
    assert document["repositories"] == [{"name": "istio", "url": "gcr.io/istio-release/charts", "oci": True}]
    (hook,) = document["releases"][0]["hooks"]
    assert hook["args"][1].startswith(
        "helm show crds 'oci://gcr.io/istio-release/charts/base' --version '1.23.6' | kubectl"
    )


@pytest.mark.parametrize(
    ("version", "values", "hook", "skip"),
    [
        ("1.23.6", {}, True, None),
        ("1.23.6", {"base": {"enableCRDTemplates": True}}, False, True),
        ("1.24.0", {}, False, None),
    ],
)
def test_definitions(version: str, values: dict[str, Any], hook: bool, skip: bool | None) -> None:
    document = load(emit([base(version, values=mapping(values))], "helmfile")["helmfile.yaml"])
    assert ("hooks" in document["releases"][0]) == hook
    assert document["helmDefaults"].get("skipCRDs") is skip


def test_ownership() -> None:
    files = emit(mesh(), "helmfile", EmitOptions(disable_take_ownership=True))
    assert "takeOwnership" not in files["helmfile.yaml"]
    assert "`takeOwnership` is left out" in files["README.md"]
