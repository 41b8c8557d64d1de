"""The Argo CD output: Applications in waves, patched releases as Kustomize sources, no cascade."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from istio_convert.emit import ARGOCD_LAYOUTS, EmitOptions, emit
from istio_convert.release import Release

from . import schemas_argocd
from .releases import base, gateway, istiod, load, mapping, removal, tolerations

VALUES = {"pilot": {"autoscaleMin": 2}, "meshConfig": {"accessLogFile": "/dev/stdout"}}
REPOSITORY = "https://git.example.com/team/clusters.git"


def mesh(version: str = "1.25.3") -> list[Release]:
    ztunnel = Release("ztunnel", "ztunnel", version, "kube-system", "ztunnel", depends_on=["istio-cni"])
    cni = Release("istio-cni", "cni", version, "kube-system", "cni", depends_on=["istiod"])
    control = istiod(version, values=mapping(VALUES), patches=[tolerations(), removal()])
    return [base(version), control, cni, ztunnel, gateway(version=version, values=mapping({"labels": {"app": "x"}}))]


def options(layout: str, **changes: Any) -> EmitOptions:
    return EmitOptions(argocd_layout=layout, **changes)


@pytest.mark.parametrize("layout", ARGOCD_LAYOUTS)
@pytest.mark.parametrize("version", ["1.23.6", "1.25.3"])
@pytest.mark.parametrize(
    "changes", [{}, {"argocd_repository": REPOSITORY, "argocd_path": "prod/istio"}, {"chart_source": "oci"}]
)
def test_every_object_fits_argo_cds_definitions(layout: str, version: str, changes: dict[str, str]) -> None:
    files = emit(mesh(version), "argocd", options(layout, **changes))
    documents = [load(text) for path, text in files.items() if path.endswith(".yaml") and "kind" in text]
    found = [document for document in documents if document.get("kind") in schemas_argocd.BY_KIND]
    assert len(found) == {"applications": 5, "app-of-apps": 6, "applicationset": 1}[layout]
    for document in found:
        jsonschema.Draft202012Validator(schemas_argocd.BY_KIND[document["kind"]]).validate(document)
    for element in elements(found) if layout == "applicationset" else []:
        jsonschema.validate(element["source"], schemas_argocd.SOURCE)


def elements(documents: list[Any]) -> list[Any]:
    found: list[Any] = documents[0]["spec"]["generators"][0]["list"]["elements"]
    return found


def test_the_schema_refuses_a_cascade() -> None:
    document = load(emit(mesh(), "argocd")["applications/istio-base.yaml"])
    document["metadata"]["finalizers"] = ["resources-finalizer.argocd.argoproj.io"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schemas_argocd.APPLICATION)


def test_an_application_with_a_helm_source() -> None:
    releases = [istiod(values=mapping(VALUES), depends_on=[])]
    assert emit(releases, "argocd")["applications/istiod.yaml"] == (
        """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: istiod
  namespace: argocd
  annotations:
    argocd.argoproj.io/sync-wave: "1"
    argocd.argoproj.io/compare-options: ServerSideDiff=true
spec:
  project: default
  destination:
    server: https://kubernetes.default.svc
    namespace: istio-system
  source:
    repoURL: https://istio-release.storage.googleapis.com/charts
    chart: istiod
    targetRevision: 1.25.3
    helm:
      releaseName: istiod
      valuesObject:
        pilot:
          autoscaleMin: 2
        meshConfig:
          accessLogFile: /dev/stdout
  syncPolicy:
    syncOptions:
      - CreateNamespace=true
      - ServerSideApply=true
      - RespectIgnoreDifferences=true
    retry:
      limit: 10
      backoff:
        duration: 10s
        factor: 2
        maxDuration: 5m
  # istiod fills in caBundle and turns failurePolicy to Fail
  ignoreDifferences:
    - group: admissionregistration.k8s.io
      kind: ValidatingWebhookConfiguration
      name: istio-validator-istio-system
      jqPathExpressions:
        - .webhooks[]?.clientConfig.caBundle
        - .webhooks[]?.failurePolicy
    - group: admissionregistration.k8s.io
      kind: MutatingWebhookConfiguration
      name: istio-sidecar-injector
      jqPathExpressions:
        - .webhooks[]?.clientConfig.caBundle
        - .webhooks[]?.failurePolicy
"""
    )


def test_a_release_with_patches_is_a_kustomize_source() -> None:
    files = emit(mesh(), "argocd", options("applications", argocd_repository=REPOSITORY, argocd_path="prod/istio"))
    assert load(files["applications/istiod.yaml"])["spec"]["source"] == {
        "repoURL": REPOSITORY,
        "targetRevision": "HEAD",
        "path": "prod/istio/kustomize/istiod",
    }
    kustomization = load(files["kustomize/istiod/kustomization.yaml"])
    assert kustomization["helmCharts"] == [
        {
            "name": "istiod",
            "repo": "https://istio-release.storage.googleapis.com/charts",
            "version": "1.25.3",
            "releaseName": "istiod",
            "namespace": "istio-system",
            "valuesFile": "values.yaml",
        }
    ]
    assert [patch["target"]["kind"] for patch in kustomization["patches"]] == ["Deployment", "Deployment"]
    assert load(files["kustomize/istiod/values.yaml"]) == VALUES
    assert "--enable-helm" in files["README.md"]
    assert "What still needs a person\n\nNothing." in files["README.md"]


def test_an_unknown_repository_is_for_a_person() -> None:
    files = emit(mesh(), "argocd")
    assert "https://git.example.com/CHANGE/ME.git" in files["applications/istiod.yaml"]
    assert "The Git repository of this folder is not known" in files["README.md"]
    assert "is not known" not in emit([base()], "argocd")["README.md"]


@pytest.mark.parametrize("layout", ["applications", "app-of-apps"])
def test_the_waves(layout: str) -> None:
    files = emit(mesh(), "argocd", options(layout))
    key = "argocd.argoproj.io/sync-wave"
    waves = {
        document["metadata"]["name"]: document["metadata"]["annotations"][key]
        for path, text in files.items()
        if path.startswith("applications/")
        for document in [load(text)]
    }
    assert waves == {"istio-base": "0", "istiod": "1", "istio-cni": "2", "ztunnel": "3", "istio-ingressgateway": "3"}


def test_the_waves_of_a_set() -> None:
    spec = load(emit(mesh(), "argocd", options("applicationset"))["applicationset.yaml"])["spec"]
    waves = {element["name"]: element["wave"] for element in spec["generators"][0]["list"]["elements"]}
    assert waves == {"istio-base": "0", "istiod": "1", "istio-cni": "2", "ztunnel": "3", "istio-ingressgateway": "3"}
    steps = [step["matchExpressions"][0] for step in spec["strategy"]["rollingSync"]["steps"]]
    assert [step["values"] for step in steps] == [["0"], ["1"], ["2"], ["3"]]
    assert {step["key"] for step in steps} == set(spec["template"]["metadata"]["labels"])


@pytest.mark.parametrize(
    ("layout", "resources"),
    [
        (
            "applications",
            [
                f"applications/{name}.yaml"
                for name in ("istio-base", "istiod", "istio-cni", "ztunnel", "istio-ingressgateway")
            ],
        ),
        ("app-of-apps", ["app-of-apps.yaml"]),
        ("applicationset", ["applicationset.yaml"]),
    ],
)
def test_what_is_applied(layout: str, resources: list[str]) -> None:
    files = emit(mesh(), "argocd", options(layout))
    assert load(files["kustomization.yaml"])["resources"] == resources
    assert set(resources) < set(files)
    assert all(f"- `{path}`: " in files["README.md"] for path in files if path != "README.md")


def test_only_below_a_parent_applications_sync_by_themselves() -> None:
    for layout, automatic in (("applications", False), ("app-of-apps", True)):
        files = emit(mesh(), "argocd", options(layout))
        assert ("automated" in load(files["applications/istio-base.yaml"])["spec"]["syncPolicy"]) == automatic
    parent = load(emit(mesh(), "argocd", options("app-of-apps", argocd_path="x"))["app-of-apps.yaml"])
    assert parent["spec"]["source"]["path"] == "x/applications"
    assert "automated" not in parent["spec"]["syncPolicy"]


def test_the_names_of_the_webhooks_carry_the_revision() -> None:
    values = mapping({"revision": "1-25-3", "revisionTags": ["prod"]})
    document = load(emit([istiod(values=values, depends_on=[])], "argocd")["applications/istiod.yaml"])
    assert [(rule["kind"][:3], rule["name"]) for rule in document["spec"]["ignoreDifferences"]] == [
        ("Val", "istio-validator-1-25-3-istio-system"),
        ("Mut", "istio-sidecar-injector-1-25-3"),
        ("Mut", "istio-revision-tag-prod"),
    ]


def test_values_of_a_form_that_the_chart_does_not_read_name_no_webhook() -> None:
    values = mapping({"global": "x", "pilot": "y", "revisionTags": 3})
    document = load(emit([istiod(values=values, depends_on=[])], "argocd")["applications/istiod.yaml"])
    names = [rule["name"] for rule in document["spec"]["ignoreDifferences"]]
    assert names == ["istio-validator-istio-system", "istio-sidecar-injector"]


def test_a_schema_that_must_be_skipped() -> None:
    plain = load(emit([gateway(skip_schema=True, depends_on=[])], "argocd")["applications/istio-ingressgateway.yaml"])
    assert plain["spec"]["source"]["helm"]["skipSchemaValidation"] is True
    patched = emit([gateway(skip_schema=True, patches=[tolerations()], depends_on=[])], "argocd")
    (chart,) = load(patched["kustomize/istio-ingressgateway/kustomization.yaml"])["helmCharts"]
    assert (chart["releaseName"], chart["nameTemplate"]) == ("--skip-schema-validation", "istio-ingressgateway")
    assert "nameTemplate" in patched["README.md"]


def test_definitions() -> None:
    templated = mapping({"base": {"enableCRDTemplates": True}})
    path = "applications/istio-base.yaml"
    assert "skipCrds" not in emit([base("1.23.6")], "argocd")[path]
    assert load(emit([base("1.23.6", values=templated)], "argocd")[path])["spec"]["source"]["helm"]["skipCrds"] is True
    for version, expected in (("1.23.6", True), ("1.24.0", None)):
        files = emit([base(version, patches=[tolerations()])], "argocd")
        chart = load(files["kustomize/istio-base/kustomization.yaml"])["helmCharts"][0]
        assert chart.get("includeCRDs") is expected


def test_a_registry_is_named_as_argo_cd_names_it() -> None:
    files = emit([base(), istiod(patches=[tolerations()])], "argocd", EmitOptions(chart_source="oci"))
    assert load(files["applications/istio-base.yaml"])["spec"]["source"]["repoURL"] == "gcr.io/istio-release/charts"
    chart = load(files["kustomize/istiod/kustomization.yaml"])["helmCharts"][0]
    assert chart["repo"] == "oci://gcr.io/istio-release/charts"
    assert "enableOCI" in files["README.md"]


@pytest.mark.parametrize("values", [{"a": None}, {"a": [{"b": None}]}, {"a": [None]}, {"$patch": "delete"}])
def test_values_that_a_template_patch_would_change_travel_as_text(values: dict[str, Any]) -> None:
    files = emit([base(values=mapping(values))], "argocd", options("applicationset"))
    (element,) = elements([load(files["applicationset.yaml"])])
    assert "valuesObject" not in element["source"]["helm"]
    assert load(element["source"]["helm"]["values"]) == values
    plain = emit([base(values=mapping({"a": 1}))], "argocd", options("applicationset"))
    (element,) = elements([load(plain["applicationset.yaml"])])
    assert element["source"]["helm"]["valuesObject"] == {"a": 1}


def test_a_set_per_mesh() -> None:
    other = Release("istiod", "istiod", "1.25.3", "mesh-two", "pilot")
    document = load(emit([other], "argocd", options("applicationset"))["applicationset.yaml"])
    assert document["metadata"]["name"] == "istio-mesh-two"
