"""Whole proofs with the official charts, where they are at hand."""

from __future__ import annotations

import copy
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from istio_convert import Outcome, Source, convert
from istio_convert.errors import RenderError, VerifyError
from istio_convert.release import Release
from istio_convert.source.nodes import Mapping, Scalar, clone, walk
from istio_convert.verify import Kind, Verification, candidate, helm, reference, verify
from istio_convert.verify.charts import ReleaseCharts
from istio_convert.verify.charts.layout import pack
from istio_convert.verify.compare import compare
from istio_convert.verify.helm import _run, _sdk
from istio_convert.verify.manifests import Object, object_id, parse_objects, without_log

from .conftest import official_charts

pytestmark = [pytest.mark.charts, pytest.mark.render]
pytest.importorskip("helm_python")

OPERATOR = """\
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata:
  name: mesh
spec:
  meshConfig:
    accessLogFile: /dev/stdout
    defaultConfig:
      proxyMetadata: {ISTIO_META_DNS_CAPTURE: "true"}
  components:
    pilot:
      k8s:
        env: [{name: PILOT_TRACE_SAMPLING, value: "5"}]
        resources: {requests: {cpu: 300m, memory: 1Gi}}
        overlays:
        - kind: Deployment
          name: istiod
          patches: [{path: spec.template.spec.dnsPolicy, value: None}]
    cni: {enabled: true}
    ingressGateways:
    - name: istio-ingressgateway
      k8s:
        hpaSpec: {minReplicas: 2, maxReplicas: 7}
        podAnnotations: {team: edge}
        serviceAnnotations: {cloud.example/lb: internal}
        nodeSelector: {pool: edge}
        env: [{name: EDGE, value: "1"}]
    - name: inner
      namespace: inner
      enabled: true
      label: {istio: inner, tier: two}
      k8s:
        service:
          type: NodePort
          ports: [{name: http, port: 80, targetPort: 8080, nodePort: 30080}]
"""


def prove(charts: ReleaseCharts, releases: list[Release] | None = None, **options: Any) -> Verification:
    chosen = convert(OPERATOR, to=charts.version).releases if releases is None else releases
    return verify([("operator.yaml", OPERATOR)], chosen, charts.version, charts=charts, **options)


def test_a_mesh_is_proven(official: ReleaseCharts) -> None:
    proof = prove(official)
    assert [f"{identity}: {d.path}" for identity, d in proof.unexplained] == []
    assert proof.source == f"built-in istioctl {official.version}"
    gateways = [c for c in proof.objects if c.id.kind == "Deployment" and c.kind is Kind.INJECTION]
    assert {c.id.name for c in gateways} == {"istio-ingressgateway", "inner"}


def test_nothing_is_proven_by_nothing(official: ReleaseCharts) -> None:
    """Without the releases, every object of istioctl's side is unexplained."""
    proof = prove(official, [])
    assert proof.objects
    assert {c.kind for c in proof.objects} == {Kind.UNEXPLAINED}


def test_crds_rendered_apart_are_the_same(official: ReleaseCharts) -> None:
    files = official.files("base")
    whole = _sdk().Chart.load_archive(pack(files, "base"))
    texts = _run(whole, "base", {}, "the-release", "istio-system")
    expected = [o for t in texts.values() if not t.startswith("WARN") for o in _objects(t)]
    expected += [o for path, data in files.items() if path.startswith("crds/") for o in parse_objects(data.decode())]
    found = helm.render(official, "base", {}, name="the-release", namespace="istio-system")
    assert {object_id(o): o for o in found} == {object_id(o): o for o in expected}


def _objects(text: str) -> list[Object]:
    try:
        return list(parse_objects(text))
    except RenderError:
        return []  # the notes


def _changed_values(release: Release) -> Iterator[tuple[str, Release]]:
    for path, node in walk(release.values):
        if not isinstance(node, Scalar) or node.value is None:
            continue
        mutated = clone(release.values)
        assert isinstance(mutated, Mapping)
        spot: Any = mutated
        for step in path[:-1]:
            spot = spot.items[step]
        old = node.value
        new = (not old) if isinstance(old, bool) else old + 1 if isinstance(old, int | float) else f"{old}x"
        spot.items[path[-1]] = Scalar(new)
        yield ".".join(map(str, path)), _with(release, values=mutated)


def _changed_patches(release: Release) -> Iterator[tuple[str, Release]]:
    for number in range(len(release.patches)):
        rest = [p for i, p in enumerate(release.patches) if i != number]
        yield f"without patch {number}", _with(release, patches=rest)


def _with(release: Release, **fields: Any) -> Release:
    copied = copy.copy(release)
    for name, value in fields.items():
        setattr(copied, name, value)
    return copied


#: Values whose change leaves what the cluster does as it is.
HARMLESS = {
    "defaultRevision": "decides about a webhook that istioctl install creates elsewhere",
    "global.enabled": "up to 1.23 a record in the injector's values",
    "global.namespace": "up to 1.23 a record in the injector's values",
}


@pytest.mark.parametrize("version", ["1.23.6", "1.31.0"])
def test_every_fault_is_found(version: str) -> None:
    """Each value changed and each patch dropped, one at a time."""
    charts = official_charts(version)
    releases = convert(OPERATOR, to=version).releases
    expected = reference.generate([("operator.yaml", OPERATOR)], charts)
    rendered = [candidate.render([release], charts) for release in releases]
    assert not [c for c in compare(expected, [item for part in rendered for item in part]) if c.unexplained]
    survivors, count = [], 0
    for number, release in enumerate(releases):
        for what, mutant in [*_changed_values(release), *_changed_patches(release)]:
            count += 1
            try:
                changed = candidate.render([mutant], charts)
            except RenderError:
                continue
            if [item.object for item in changed] == [item.object for item in rendered[number]]:
                assert "patch" not in what
                continue
            actual = [item for i, part in enumerate(rendered) for item in (changed if i == number else part)]
            if what not in HARMLESS and not any(c.unexplained for c in compare(expected, actual)):
                survivors.append(f"{release.name}: {what}")
    assert count > 30
    assert survivors == []


def test_given_manifests(tmp_path: Path) -> None:
    charts = official_charts("1.25.3")
    built = reference.generate([("operator.yaml", OPERATOR)], charts)
    text = "\n---\n".join(json.dumps(r.object) for r in built)
    log = "2026-01-01T00:00:00.000000Z\twarn\tsomething: odd\n\t* more\n"
    proof = prove(charts, given=("istioctl.yaml", log + text))
    assert proof.proven
    assert proof.source == "istioctl.yaml"
    live = []
    for item in built:
        obj = copy.deepcopy(item.object)
        obj["metadata"] |= {"uid": "u", "resourceVersion": "1", "managedFields": []}
        obj["status"] = {"x": 1}
        live.append(obj)
    live.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "own", "namespace": "x", "uid": "u"}})
    dump = json.dumps({"apiVersion": "v1", "kind": "List", "items": live})
    proof = prove(charts, given=("live.yaml", dump))
    assert proof.proven
    assert any("1 live object" in note for note in proof.notes)
    for obj in live:
        if obj["kind"] == "Service" and obj["metadata"]["name"] == "inner":
            obj["spec"]["ports"][0]["targetPort"] = 9999
    proof = prove(charts, given=("live.yaml", json.dumps({"apiVersion": "v1", "kind": "List", "items": live})))
    assert [d.path for _, d in proof.unexplained] == ["spec.ports[0].targetPort"]


def test_official_charts_alone_need_given_manifests() -> None:
    charts = official_charts("1.25.3")
    built = reference.generate([("operator.yaml", OPERATOR)], charts)
    own = {name: path for name, path in charts.charts.items() if name not in ("istio-ingress", "istio-egress")}
    limited = ReleaseCharts(charts.version, own)
    with pytest.raises(VerifyError, match="without istioctl's own gateway charts") as caught:
        prove(limited)
    assert "charts add PATH" in str(caught.value.hint)
    text = "\n---\n".join(json.dumps(r.object) for r in built)
    proof = prove(limited, given=("istioctl.yaml", text))
    assert [d.path for _, d in proof.unexplained] == []
    assert any("told by their names" in note for note in proof.notes)


GATEWAYS = """\
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata:
  name: edge
spec:
  profile: empty
  hub: registry.example.com/istio
  values: {global: {logAsJson: true}}
  components:
    ingressGateways:
    - name: edge
      enabled: true
"""


def test_gateways_without_a_control_plane_are_as_unknown_as_the_ledger_says() -> None:
    charts = official_charts("1.25.3")
    alone = convert(GATEWAYS, to="1.25.3")
    manual = [entry.leaf.path for entry in alone.ledger.entries if entry.outcome is Outcome.MANUAL]
    proof = verify([("edge", GATEWAYS)], alone.releases, "1.25.3", charts=charts)
    assert {d.path.rpartition(".")[2] for _, d in proof.unexplained} == {"image", "args"}
    assert any("gateways without their control plane" in note for note in proof.notes)
    assert verify([("edge", GATEWAYS)], alone.releases, "1.25.3", charts=charts, leave_out=manual).proven
    plane = GATEWAYS[: GATEWAYS.index("  components")].replace("edge", "mesh").replace("profile: empty", "tag: 1.25.3")
    texts = [("mesh", plane), ("edge", GATEWAYS)]
    both = verify(texts, convert([Source(*text) for text in texts], to="1.25.3").releases, "1.25.3", charts=charts)
    assert [d.path for _, d in both.unexplained] == []
    assert not [note for note in both.notes if "control plane" in note]


def test_pinned_tags() -> None:
    charts = official_charts("1.25.3")
    text = OPERATOR.replace("spec:\n", "spec:\n  tag: 1.11.4\n", 1)
    releases = convert(text, to="1.25.3").releases
    assert verify([("o", text)], releases, "1.25.3", charts=charts).tags == {"1.11.4": "1.25.3"}
    assert verify([("o", text)], releases, "1.25.3", charts=charts).proven
    kept = verify([("o", text)], releases, "1.25.3", charts=charts, keep_tags=True)
    assert any(d.path.endswith("containers[discovery].image") for _, d in kept.unexplained)


def test_what_istioctl_refuses_can_be_left_out() -> None:
    charts = official_charts("1.25.3")
    path = ("spec", "values", "telemetry", "v2", "prometheus", "configOverride", "a")
    text = OPERATOR + "  values: {telemetry: {v2: {prometheus: {configOverride: {a: b}}}}}\n"
    releases = convert(OPERATOR, to="1.25.3").releases
    with pytest.raises(RenderError, match="istioctl's side, component pilot"):
        verify([("o", text)], releases, "1.25.3", charts=charts)
    assert verify([("o", text)], releases, "1.25.3", charts=charts, leave_out=[path]).proven


ISTIOCTL = os.environ.get("ISTIO_CONVERT_ISTIOCTL", "")


@pytest.mark.skipif(
    not ISTIOCTL, reason="no istioctl here: ISTIO_CONVERT_ISTIOCTL=/path/to/istioctl-1.25.3 pytest tests/verify"
)
def test_the_built_in_istioctl_agrees_with_the_real_one(tmp_path: Path) -> None:
    version = os.environ.get("ISTIO_CONVERT_ISTIOCTL_VERSION", "1.25.3")
    charts = official_charts(version)
    file = tmp_path / "operator.yaml"
    file.write_text(OPERATOR, encoding="utf-8")
    folder = (charts.profiles or Path()).parent
    command = [ISTIOCTL, "manifest", "generate", "-f", str(file), "-d", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    real = {object_id(obj): obj for obj in parse_objects(without_log(done.stdout))}
    as_is = ReleaseCharts(charts.version, charts.charts, charts.profiles, released=False)
    ours = {object_id(r.object): r.object for r in reference.generate([("o", OPERATOR)], as_is)}
    assert sorted(map(str, real)) == sorted(map(str, ours))
    for identity, obj in real.items():
        assert ours[identity] == obj, str(identity)


GATEWAY_PORTS = """\
        service:
          ports:
          - {name: http3, port: 443, targetPort: https, protocol: UDP}
          - {name: plain, port: 80, targetPort: http}
          - {name: https, port: 443, targetPort: https}
"""
ONE_PORT_LESS = """\
        overlays:
        - {kind: Service, name: istio-ingressgateway, patches: [{path: "spec.ports.[name:https]"}]}
        - kind: Deployment
          name: istio-ingressgateway
          patches:
          - path: spec.template.spec.containers.[name:istio-proxy].ports.[containerPort:8080].hostPort
            value: 80
"""
PLANE = """\
    pilot:
      k8s:
        overlays:
        - kind: Deployment
          name: istiod
          patches:
          - {path: "spec.template.spec.containers.[name:discovery].env.[name:KUBECONFIG].value", value: /x}
          - {path: "spec.template.spec.containers.[name:discovery].env.[0].value", value: own}
          - {path: "spec.template.spec.volumes.[name:cacerts].secret.optional", value: false}
          - {path: "spec.template.spec.volumes.[0].emptyDir.sizeLimit", value: 1Gi}
          - path: spec.template.spec.volumes.[name:istio-token].projected.sources.[0].serviceAccountToken.audience
            value: own
        - kind: ValidatingWebhookConfiguration
          name: istio-validator-istio-system
          patches:
          - {path: "webhooks.[0].rules.[0].operations", value: [CREATE]}
"""


@pytest.mark.parametrize("settings", [GATEWAY_PORTS, ONE_PORT_LESS, PLANE], ids=["protocols", "less", "positions"])
def test_elements_of_lists_are_proven(official: ReleaseCharts, settings: str) -> None:
    own = "    ingressGateways:\n    - name: istio-ingressgateway\n      k8s:\n" if settings is not PLANE else ""
    text = f"{OPERATOR.split('spec:', maxsplit=1)[0]}spec:\n  components:\n{own}{settings}"
    conversion = convert(text, to=official.version)
    assert not [entry for entry in conversion.ledger.entries if entry.outcome is Outcome.MANUAL]
    proof = verify([("operator.yaml", text)], conversion.releases, official.version, charts=official)
    assert [f"{identity}: {d.path}" for identity, d in proof.unexplained] == []
