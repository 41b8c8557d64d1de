"""The Flux output: the objects, their order and their text."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from istio_convert.emit import EmitOptions, emit
from istio_convert.errors import InvalidNameError, OutputError
from istio_convert.release import Patch, Release

from . import flux_models, schemas_flux
from .releases import base, gateway, istiod, load, load_all, mapping, removal, target, tolerations

VALUES = {"pilot": {"autoscaleMin": 2}, "meshConfig": {"accessLogFile": "/dev/stdout"}}


def release_of(files: dict[str, str], name: str) -> Any:
    return load(files[f"{name}.yaml"])


def mesh() -> list[Release]:
    return [base(), istiod(values=mapping(VALUES), patches=[tolerations(), removal()]), gateway(skip_schema=True)]


EVERY_OPTION = [
    EmitOptions(),
    EmitOptions(flux_namespace="flux-system", drift_detection=True, disable_take_ownership=True, interval="1h30m"),
    EmitOptions(chart_source="oci"),
    EmitOptions(chart_source="oci", flux_chart_ref=False),
    EmitOptions(chart_source="oci://registry.example.com/mirror/charts/", flux_namespace="gitops"),
    EmitOptions(chart_source="https://charts.example.com/istio/"),
]


@pytest.mark.parametrize("options", EVERY_OPTION)
@pytest.mark.parametrize("version", ["1.22.8", "1.23.6", "1.24.6", "1.31.0-rc.0"])
def test_every_object_fits_fluxs_definitions(options: EmitOptions, version: str) -> None:
    releases = [base(version), istiod(version, values=mapping(VALUES), patches=[tolerations(), removal()]), gateway()]
    files = emit(releases, "flux", options)
    found = []
    for path in load(files["kustomization.yaml"])["resources"]:
        for document in load_all(files[path]):
            jsonschema.Draft202012Validator(schemas_flux.BY_KIND[document["kind"]]).validate(document)
            flux_models.check(document)
            found.append((document["kind"], document["metadata"]["name"]))
    assert [name for kind, name in found if kind == "HelmRelease"] == ["istio-base", "istiod", "istio-ingressgateway"]
    assert found[0][0] in ("HelmRepository", "OCIRepository")


def test_the_schema_refuses_what_must_never_be_there() -> None:
    document = release_of(emit(mesh()), "istiod")
    for change in ({"remediation": {"retries": 3}}, {"force": True}):
        document["spec"]["upgrade"] |= change
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document, schemas_flux.HELM_RELEASE)
        document["spec"]["upgrade"].pop(next(iter(change)))


def test_nothing_remediates_or_forces() -> None:
    for options in EVERY_OPTION:
        for text in emit(mesh(), "flux", options).values():
            objects = text if text.startswith("apiVersion") else ""
            assert "remediation" not in objects
            assert "force" not in objects


ISTIOD = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: istiod
  namespace: istio-system
spec:
  interval: 10m
  releaseName: istiod
  targetNamespace: istio-system
  dependsOn:
    - name: istio-base
  chart:
    spec:
      chart: istiod
      version: 1.25.3
      sourceRef: {kind: HelmRepository, name: istio}
  install:
    strategy: {name: RetryOnFailure}
  upgrade:
    strategy: {name: RetryOnFailure}
  values:
    pilot:
      autoscaleMin: 2
    meshConfig:
      accessLogFile: /dev/stdout
  postRenderers:
    - kustomize:
        patches:
          # replaces the list; the chart's value would only add
          - target: {group: apps, version: v1, kind: Deployment, name: istiod, namespace: istio-system}
            patch: |
              apiVersion: apps/v1
              kind: Deployment
              metadata:
                name: istiod
                namespace: istio-system
              spec:
                template:
                  spec:
                    tolerations:
                      - key: dedicated
                        operator: Exists
          # the limit goes
          # a null would be written as it is
          - target: {group: apps, version: v1, kind: Deployment, name: istiod, namespace: istio-system}
            patch: |
              - op: remove
                path: /spec/template/spec/containers/0/resources/limits
"""


def test_a_release_with_values_and_patches() -> None:
    assert emit(mesh())["istiod.yaml"] == ISTIOD


def test_a_gateway_whose_schema_is_switched_off() -> None:
    text = emit(mesh())["istio-ingressgateway.yaml"]
    spec = load(text)["spec"]
    assert spec["install"]["disableSchemaValidation"] is True
    assert spec["upgrade"]["disableSchemaValidation"] is True
    note = "    # the gateway chart's schema of 1.25.3 refuses everything under Helm >= 3.18.5; repaired in 1.25.5\n"
    assert text.count(note) == 2
    assert "values" not in spec
    assert "postRenderers" not in spec


def test_the_order_and_the_files() -> None:
    files = emit(mesh())
    assert list(files) == [
        "kustomization.yaml",
        "source.yaml",
        "istio-base.yaml",
        "istiod.yaml",
        "istio-ingressgateway.yaml",
        "README.md",
    ]
    assert load(files["kustomization.yaml"]) == {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": ["source.yaml", "istio-base.yaml", "istiod.yaml", "istio-ingressgateway.yaml"],
    }
    assert files["source.yaml"] == (
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata:\n  name: istio\n"
        "  namespace: istio-system\nspec:\n  interval: 1h\n  url: https://istio-release.storage.googleapis.com/charts\n"
    )


def test_the_same_bytes_twice() -> None:
    assert list(emit(mesh()).items()) == list(emit(mesh()).items())


@pytest.mark.parametrize(
    ("version", "values", "policy"),
    [
        ("1.22.8", {}, "CreateReplace"),
        ("1.23.6", {"base": {"enableCRDTemplates": False}}, "CreateReplace"),
        ("1.23.6", {"base": {"enableCRDTemplates": True}}, "Skip"),
        ("1.24.0", {}, None),
        ("1.25.3", {}, None),
    ],
)
def test_definitions_are_updated_where_the_chart_does_not(
    version: str, values: dict[str, Any], policy: str | None
) -> None:
    files = emit([base(version, values=mapping(values)), istiod(version)])
    for action in ("install", "upgrade"):
        assert release_of(files, "istio-base")["spec"][action].get("crds") == policy
        assert "crds" not in release_of(files, "istiod")["spec"][action]


def test_a_namespace_of_its_own_for_flux() -> None:
    files = emit([base(), istiod(), gateway(namespace="edge")], "flux", EmitOptions(flux_namespace="flux-system"))
    for name, namespace in (("istio-base", "istio-system"), ("istio-ingressgateway", "edge")):
        document = release_of(files, name)
        assert document["metadata"]["namespace"] == "flux-system"
        assert document["spec"]["targetNamespace"] == namespace
        assert document["spec"]["storageNamespace"] == namespace
        assert document["spec"]["install"]["createNamespace"] is True
    assert load(files["source.yaml"])["metadata"]["namespace"] == "flux-system"


def test_the_objects_live_with_the_control_plane() -> None:
    files = emit([base(), istiod(), gateway(namespace="edge")])
    assert release_of(files, "istio-ingressgateway")["metadata"]["namespace"] == "istio-system"
    assert "storageNamespace" not in release_of(files, "istiod")["spec"]


def test_two_gateways_of_one_name_in_two_namespaces() -> None:
    files = emit([base(), istiod(), gateway("gw", "one"), gateway("gw", "two", depends_on=["istiod", "gw"])])
    one, two = release_of(files, "gw-one"), release_of(files, "gw-two")
    assert (one["metadata"]["name"], one["spec"]["releaseName"]) == ("gw-one", "gw")
    assert two["spec"]["dependsOn"] == [{"name": "istiod"}, {"name": "gw-one"}]


@pytest.mark.parametrize("name", ["source", "kustomization"])
def test_a_gateway_named_like_a_file_of_ours(name: str) -> None:
    files = emit([gateway(name, depends_on=[])])
    assert load(files["kustomization.yaml"])["resources"] == ["source.yaml", f"{name}-release.yaml"]
    assert load(files[f"{name}-release.yaml"])["metadata"]["name"] == name


def test_charts_from_a_registry() -> None:
    files = emit(
        [base(), istiod(), gateway(), gateway("old", version="1.24.6")], "flux", EmitOptions(chart_source="oci")
    )
    sources = {source["metadata"]["name"]: source["spec"] for source in load_all(files["source.yaml"])}
    assert list(sources) == ["istio-base", "istio-istiod", "istio-gateway-1-25-3", "istio-gateway-1-24-6"]
    assert sources["istio-istiod"] == {
        "interval": "1h",
        "url": "oci://gcr.io/istio-release/charts/istiod",
        "layerSelector": {"mediaType": "application/vnd.cncf.helm.chart.content.v1.tar+gzip", "operation": "copy"},
        "ref": {"tag": "1.25.3"},
    }
    assert release_of(files, "old")["spec"]["chartRef"] == {"kind": "OCIRepository", "name": "istio-gateway-1-24-6"}
    assert "DisableChartDigestTracking" in files["README.md"]


def test_a_helm_repository_of_a_registry() -> None:
    files = emit([base()], "flux", EmitOptions(chart_source="oci", flux_chart_ref=False))
    assert load(files["source.yaml"])["spec"] == {
        "type": "oci",
        "interval": "1h",
        "url": "oci://gcr.io/istio-release/charts",
    }
    assert release_of(files, "istio-base")["spec"]["chart"]["spec"]["version"] == "1.25.3"


def test_an_oci_repository_needs_a_registry() -> None:
    with pytest.raises(OutputError, match="registry"):
        emit([base()], "flux", EmitOptions(flux_chart_ref=True))


@pytest.mark.parametrize("text", ["${X}", "a$$b", "$${X}"])
@pytest.mark.parametrize("place", ["value", "key", "strategic", "json"])
def test_substitution_is_switched_off_where_it_would_act(text: str, place: str) -> None:
    changes: dict[str, dict[str, Any]] = {
        "value": {"values": mapping({"a": [{"b": text}]})},
        "key": {"values": mapping({text: 1})},
        "strategic": {"patches": [Patch(target("ConfigMap", "istio"), {"data": {"mesh": text}})]},
        "json": {"patches": [Patch(target("ConfigMap", "istio"), [{"op": "add", "path": "/data/a", "value": text}])]},
    }
    files = emit([base(), istiod(**changes[place])])
    key = "kustomize.toolkit.fluxcd.io/substitute"
    assert release_of(files, "istiod")["metadata"]["annotations"] == {key: "disabled"}
    assert "annotations" not in release_of(files, "istio-base")["metadata"]


@pytest.mark.parametrize("text", ["$X", "$(HOST_IP)", "%REQ(X)%", "{{ x }}", "100$"])
def test_substitution_stays_on_where_it_does_not_act(text: str) -> None:
    files = emit([istiod(values=mapping({"a": text}), depends_on=[])])
    assert "annotations" not in release_of(files, "istiod")["metadata"]


def test_drift_detection_leaves_alone_what_istiod_writes() -> None:
    values = mapping({"revision": "1-25-3", "revisionTags": ["prod"], "global": {"istioNamespace": "mesh"}})
    control = Release("istiod", "istiod", "1.25.3", "mesh", "pilot", values=values)
    files = emit([base(), control, gateway()], "flux", EmitOptions(drift_detection=True))
    ignored = {
        rule["target"].get("name", rule["target"]["kind"]): rule["paths"]
        for name in ("istio-base", "istiod", "istio-ingressgateway")
        for rule in release_of(files, name)["spec"]["driftDetection"]["ignore"]
    }
    assert list(ignored) == [
        "istiod-default-validator",
        "istio-validator-1-25-3-mesh",
        "istio-sidecar-injector-1-25-3-mesh",
        "istio-revision-tag-prod-mesh",
        "Deployment",
    ]
    assert ignored["istiod-default-validator"] == ["/webhooks/0/clientConfig/caBundle", "/webhooks/0/failurePolicy"]
    assert "/webhooks/4/clientConfig/caBundle" in ignored["istio-revision-tag-prod-mesh"]


def test_drift_detection_without_a_default_validator() -> None:
    files = emit([base(values=mapping({"defaultRevision": ""}))], "flux", EmitOptions(drift_detection=True))
    assert release_of(files, "istio-base")["spec"]["driftDetection"] == {"mode": "enabled"}


def test_no_adoption_after_the_migration() -> None:
    files = emit(mesh(), "flux", EmitOptions(disable_take_ownership=True))
    for action in ("install", "upgrade"):
        assert release_of(files, "istiod")["spec"][action]["disableTakeOwnership"] is True


def test_the_readme() -> None:
    releases = [base(), istiod(patches=[tolerations()]), gateway(notes=["restarts its pods\nonce"])]
    text = emit(releases, "flux", EmitOptions(todo=("operator.yaml:3: addonComponents: install Kiali yourself",)))[
        "README.md"
    ]
    for file in ("REPORT.md", "report.json", ".istio-convert.json"):
        assert f"\n- `{file}`: " in text
    assert "PROOF.md" not in text
    assert "\n- `PROOF.md`: " in emit(releases, "flux", EmitOptions(proven=True))["README.md"]
    for heading in ("What is in here", "What it needs", "How to apply it", "How to go back", "What never to run"):
        assert f"## {heading}\n" in text
    assert "- `istiod.yaml`: release istiod, its values and 1 patch\n" in text
    assert "- operator.yaml:3: addonComponents: install Kiali yourself\n" in text
    assert "- istio-ingressgateway: restarts its pods once\n" in text
    assert "| istiod | istio-system | istiod | 1.25.3 | istio-base |\n" in text
    assert "Nothing.\n" in emit(releases)["README.md"]


BAD_NAMES = ["a'; rm -rf ~; '", "../x", "a b", "A", "", "-a", "a-", "a.b", "a/b", "a\n", "$(id)", '"', "ä", "a" * 54]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_bad_names_reach_nothing(name: str) -> None:
    with pytest.raises(InvalidNameError) as caught:
        emit([base(), istiod(), gateway(name)])
    assert not name.strip("a-\n") or name not in str(caught.value)


@pytest.mark.parametrize("namespace", [*(name for name in BAD_NAMES if len(name) < 54), "a" * 64])
def test_bad_namespaces_reach_nothing(namespace: str) -> None:
    with pytest.raises(InvalidNameError):
        emit([base(), istiod(), gateway(namespace=namespace)])
    with pytest.raises(InvalidNameError):
        emit([base()], "flux", EmitOptions(flux_namespace=namespace))


@pytest.mark.parametrize(
    "change",
    [
        {"version": "1.25"},
        {"version": "1.25.3; id"},
        {"version": "$(id)"},
        {"chart": "../gateway"},
    ],
)
def test_bad_charts_and_versions_reach_nothing(change: dict[str, str]) -> None:
    fields = {"name": "gw", "chart": "gateway", "version": "1.25.3", "namespace": "edge", "component": "x", **change}
    with pytest.raises(InvalidNameError):
        emit([Release(**fields)])


@pytest.mark.parametrize(
    "options",
    [
        EmitOptions(chart_source="charts"),
        EmitOptions(chart_source="https://x/$(id)"),
        EmitOptions(chart_source="https://x/'"),
        EmitOptions(chart_source="file:///etc"),
        EmitOptions(interval="10"),
        EmitOptions(interval="10m\n"),
        EmitOptions(argocd_namespace="Argo"),
        EmitOptions(argocd_project="a b"),
        EmitOptions(argocd_repository="not a url"),
        EmitOptions(argocd_revision="a b"),
        EmitOptions(argocd_path="../x"),
    ],
)
def test_bad_options_are_refused(options: EmitOptions) -> None:
    with pytest.raises(InvalidNameError):
        emit([base()], "flux", options)


def test_names_that_collide() -> None:
    with pytest.raises(InvalidNameError, match="same name"):
        emit([gateway("gw", "one", depends_on=[]), gateway("gw", "one", depends_on=[])])
    clash = [gateway("gw", "one", depends_on=[]), gateway("gw", "two", depends_on=[]), gateway("gw-one", depends_on=[])]
    with pytest.raises(InvalidNameError, match="file name"):
        emit(clash)


def test_nothing_and_unknown() -> None:
    with pytest.raises(OutputError, match="nothing to write"):
        emit([])
    with pytest.raises(OutputError, match="unknown target"):
        emit([base()], "pulumi")
    with pytest.raises(OutputError, match="layout"):
        emit([base()], "flux", EmitOptions(argocd_layout="x"))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("argocd", EmitOptions(disable_take_ownership=True)),
        ("argocd", EmitOptions(drift_detection=True)),
        ("helm", EmitOptions(drift_detection=True)),
        ("helmfile", EmitOptions(drift_detection=True)),
    ],
)
def test_an_option_that_the_target_does_not_have(name: str, options: EmitOptions) -> None:
    with pytest.raises(OutputError, match=f"the target {name} has no"):
        emit([base()], name, options)
