"""From an operator to what each chart gets, with charts of our own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from istio_convert.errors import NotIstioOperatorError, RenderError
from istio_convert.verify.charts import ReleaseCharts, locate
from istio_convert.verify.manifests import Rendered
from istio_convert.verify.reference import Semantics, generate, lacks_plane, merge_all, semantics_of

pytestmark = pytest.mark.render
pytest.importorskip("helm_python")


@pytest.fixture
def charts(release: Path) -> ReleaseCharts:
    return locate("1.25.3", release)


def operator(spec: str, name: str = "") -> tuple[str, str]:
    head = f"metadata: {{name: {name}}}\n" if name else ""
    return "operator.yaml", f"kind: IstioOperator\n{head}spec:\n" + "".join(f"  {line}\n" for line in spec.splitlines())


def given(rendered: list[Rendered], component: str) -> list[dict[str, Any]]:
    """What the chart of a component got, once per instance."""
    texts = [r.object["data"]["values"] for r in rendered if r.release == component and r.id.kind == "ConfigMap"]
    return [json.loads(text) for text in texts]


def values(charts: ReleaseCharts, spec: str, component: str = "pilot", **options: Any) -> dict[str, Any]:
    return given(generate([operator(spec)], charts, **options), component)[0]


def test_defaults(charts: ReleaseCharts) -> None:
    rendered = generate([operator("{}")], charts)
    assert {r.release for r in rendered} == {"base", "pilot", "ingressGateways"}
    got = given(rendered, "pilot")[0]
    assert got["global"] == {"istioNamespace": "istio-system", "hub": "docker.io/istio", "tag": "1.25.3"}
    assert got["pilot"] == {"enabled": True, "cni": {"enabled": False}}
    assert {r.namespace for r in rendered} == {"istio-system"}


def test_fields_become_values(charts: ReleaseCharts) -> None:
    got = values(charts, "hub: my/hub\ntag: 1.20\nrevision: a-b\ncompatibilityVersion: '1.24'\nmeshConfig: {a: {b: 1}}")
    assert got["global"]["hub"] == "my/hub"
    assert got["global"]["tag"] == "1.2"
    assert (got["revision"], got["compatibilityVersion"]) == ("a-b", "1.24")
    assert got["meshConfig"] == {"a": {"b": 1}}


def test_values_win_over_fields(charts: ReleaseCharts) -> None:
    got = values(charts, "tag: a\nvalues: {global: {tag: b, x: null}}\nunvalidatedValues: {global: {tag: c}, new: 1}")
    assert (got["global"]["tag"], got["new"]) == ("c", 1)


def test_what_istioctl_writes_into_the_users_own_maps(charts: ReleaseCharts) -> None:
    """Seen with istioctl 1.25.3: meshConfig and enablement win over a user's values of the same name."""
    got = values(
        charts, "meshConfig: {a: spec}\nvalues: {meshConfig: {a: values, b: 1}, pilot: {enabled: false, x: 1}}"
    )
    assert got["meshConfig"] == {"a": "spec", "b": 1}
    assert got["pilot"] == {"enabled": True, "x": 1, "cni": {"enabled": False}}


@pytest.mark.parametrize(("version", "winner"), [("1.22.8", "values"), ("1.23.6", "values"), ("1.24.0", "spec")])
def test_values_won_over_the_mesh_of_the_spec_until_1_23(charts: ReleaseCharts, version: str, winner: str) -> None:
    spec = "meshConfig: {a: spec, c: 2}\nvalues: {meshConfig: {a: values, b: 1}}"
    got = values(charts, spec, semantics=semantics_of(version))
    assert got["meshConfig"] == {"a": winner, "b": 1, "c": 2}


def test_files_and_flags_in_order(charts: ReleaseCharts) -> None:
    files = [
        operator("tag: a\nhub: x\nvalues: {l: [1, 2], m: {a: 1}}"),
        operator("tag: b\nvalues: {l: [3], m: {b: 2}}"),
    ]
    got = given(generate(files, charts, sets=["tag=c", "spec.values.m.c=3"]), "pilot")[0]
    assert (got["global"]["tag"], got["global"]["hub"]) == ("c", "x")
    assert (got["l"], got["m"]) == ([3], {"a": 1, "b": 2, "c": 3})


def test_profiles(charts: ReleaseCharts) -> None:
    assert generate([operator("profile: empty")], charts) == []
    assert {r.release for r in generate([operator("profile: empty")], charts, sets=["profile=default"])} >= {"pilot"}
    with pytest.raises(RenderError, match="no profile of that name"):
        generate([operator("profile: nope")], charts)


def test_gateways(charts: ReleaseCharts) -> None:
    spec = """\
components:
  ingressGateways:
  - name: one
    label: {team: x}
    k8s: {service: {ports: [{port: 80, name: http}, {port: 443, targetPort: 8443, nodePort: 30000}]}}
  - {name: two, enabled: false}
  - {name: three, namespace: other, hub: h, tag: v1}
"""
    rendered = generate([operator(spec)], charts)
    one, three = (got["gateways"]["istio-ingressgateway"] for got in given(rendered, "ingressGateways"))
    assert (one["name"], one["labels"]) == ("one", {"team": "x"})
    assert one["ports"] == [
        {"port": 80, "name": "http", "targetPort": 0},
        {"port": 443, "targetPort": 8443, "nodePort": 30000},
    ]
    assert (three["name"], three["labels"], three["hub"], three["tag"]) == ("three", {}, "h", "v1")
    assert {r.namespace for r in rendered if r.release == "ingressGateways"} == {"istio-system", "other"}


@pytest.mark.parametrize(("label", "kept"), [("{}", {"a": "b"}), ("{c: d}", {"c": "d"})])
def test_labels_of_values_survived_until_1_23(charts: ReleaseCharts, label: str, kept: dict[str, str]) -> None:
    spec = "values: {gateways: {istio-ingressgateway: {labels: {a: b}}}}\n"
    spec += f"components: {{ingressGateways: [{{name: g, label: {label}}}]}}"
    for version, expected in (("1.23.6", kept), ("1.24.6", {} if label == "{}" else kept)):
        rendered = generate([operator(spec)], charts, semantics=semantics_of(version))
        (got,) = given(rendered, "ingressGateways")
        assert got["gateways"]["istio-ingressgateway"]["labels"] == expected, version


def test_values_enable_gateways(charts: ReleaseCharts) -> None:
    on = "values: {gateways: {istio-egressgateway: {enabled: true}}}"
    assert {r.release for r in generate([operator(on)], charts)} >= {"egressGateways"}
    listed = on + "\ncomponents: {egressGateways: [{name: a, enabled: false}]}"
    assert (
        given(generate([operator(listed)], charts), "egressGateways")[0]["gateways"]["istio-egressgateway"]["name"]
        == "a"
    )


def test_ztunnel_gets_its_values_at_the_root(charts: ReleaseCharts) -> None:
    spec = "components: {ztunnel: {enabled: true, hub: h}}\nvalues: {ztunnel: {env: {A: 1}}, other: {x: 1}, flat: 2}"
    got = values(charts, spec, "ztunnel")
    assert got["env"] == {"A": 1}
    assert (got["hub"], got["flat"]) == ("h", 2)
    assert "other" not in got
    assert "ztunnel" not in got


def test_several_operators(charts: ReleaseCharts) -> None:
    plane = operator("revision: r\nvalues: {global: {network: net}}", "plane")
    gateway = operator("profile: empty\nrevision: r\ncomponents: {ingressGateways: [{name: g}]}", "gateway")
    rendered = generate([plane, gateway], charts)
    assert [r.release for r in rendered if r.id.kind == "Deployment"] == [
        "base",
        "pilot",
        "ingressGateways",
        "ingressGateways",
    ]
    own, plain = rendered[-2], rendered[-2].plain
    assert plain is not None
    assert "network" not in json.loads(own.object["data"]["values"])["global"]
    assert json.loads(plain["data"]["values"])["global"]["network"] == "net"


def test_gateways_without_a_control_plane_get_what_one_without_settings_gives(charts: ReleaseCharts) -> None:
    spec = "profile: empty\nrevision: r\nhub: mine\nmeshConfig: {trustDomain: td}\n"
    spec += "values: {global: {network: net, platform: openshift, istioNamespace: ns}}\n"
    gateway = operator(spec + "components: {ingressGateways: [{name: g}]}", "gateway")
    other = operator("values: {global: {network: other}}", "plane")
    merged = merge_all([gateway, other], charts)
    assert lacks_plane(merged, semantics_of("1.25.3"))
    rendered = next(r for r in generate([gateway, other], charts) if r.release == "ingressGateways")
    own, plain = (json.loads(obj["data"]["values"]) for obj in (rendered.object, rendered.plain or {}))
    assert (own["global"]["hub"], own["global"]["network"], own["meshConfig"]["trustDomain"]) == ("mine", "net", "td")
    assert "network" not in plain["global"]
    assert "trustDomain" not in plain.get("meshConfig", {})
    assert plain["global"]["hub"] != "mine"
    assert (plain["revision"], plain["global"]["platform"], plain["global"]["istioNamespace"]) == (
        "r",
        "openshift",
        "ns",
    )
    outside = operator("revision: r\ncomponents: {pilot: {enabled: false}, istiodRemote: {enabled: true}}", "outside")
    assert not lacks_plane(merge_all([gateway, outside], charts), semantics_of("1.23.6"))
    assert lacks_plane(merge_all([gateway, outside], charts), semantics_of("1.26.0"))
    own_plane = operator("revision: r\nvalues: {global: {network: net}}", "plane")
    assert not lacks_plane(merge_all([gateway, own_plane], charts), semantics_of("1.25.3"))


def test_plain_gateways_are_uncustomised(charts: ReleaseCharts) -> None:
    own = "values: {gateways: {istio-ingressgateway: {env: {A: b}}}}"
    spec = own + "\ncomponents: {ingressGateways: [{name: g, label: {a: b}}]}"
    rendered = [r for r in generate([operator(spec)], charts) if r.release == "ingressGateways"]
    plain = json.loads((rendered[0].plain or {})["data"]["values"])
    assert plain["gateways"] == {"istio-ingressgateway": {"name": "g", "labels": {"a": "b"}}}


def test_plain_gateways_have_the_operators_ports(charts: ReleaseCharts) -> None:
    """The chart lists them on the container, too, where they inform people only."""
    spec = "values: {gateways: {istio-ingressgateway: {ports: [{port: 1}], env: {A: b}}}}\n"
    spec += "components: {ingressGateways: [{name: g}]}"
    rendered = [r for r in generate([operator(spec)], charts) if r.release == "ingressGateways"]
    plain = json.loads((rendered[0].plain or {})["data"]["values"])["gateways"]["istio-ingressgateway"]
    assert plain == {"name": "g", "labels": {}, "ports": [{"port": 1}]}


def test_a_dump_and_leaving_out(charts: ReleaseCharts) -> None:
    one = "{kind: IstioOperator, metadata: {name: x}, spec: {tag: a, hub: b}}"
    text = f"apiVersion: v1\nkind: List\nitems:\n- {one}\n- {{kind: Pod}}\n"
    (merged,) = merge_all([("dump", text)], charts, leave_out=[("spec", "tag")])
    assert (merged["spec"]["tag"], merged["spec"]["hub"]) == ("1.25.3", "b")
    with pytest.raises(NotIstioOperatorError):
        generate([("x", "kind: Pod\napiVersion: v1\n")], charts)


def test_settings_of_the_workload(charts: ReleaseCharts) -> None:
    spec = """\
components:
  pilot:
    k8s:
      env: [{name: B, value: "2"}, {name: A, value: "3"}]
      replicaCount: 0
      tolerations: [{key: a}]
      podAnnotations: {one: two}
      overlays:
      - kind: Deployment
        name: istiod
        patches: [{path: spec.template.spec.hostNetwork, value: true}]
      - {kind: Service, name: nothing, patches: [{path: a, value: b}]}
"""
    rendered = generate([operator(spec)], charts)
    (deployment,) = [r.object for r in rendered if r.release == "pilot" and r.id.kind == "Deployment"]
    pod = deployment["spec"]["template"]
    assert pod["spec"]["containers"][0]["env"] == [{"name": "B", "value": "2"}, {"name": "A", "value": "3"}]
    assert (pod["spec"]["hostNetwork"], pod["spec"]["tolerations"]) == (True, [{"key": "a"}])
    assert (pod["metadata"]["annotations"], deployment["spec"]["replicas"]) == ({"one": "two"}, 0)


def test_settings_follow_the_revision(charts: ReleaseCharts) -> None:
    spec = "revision: r\ncomponents: {pilot: {k8s: {replicaCount: 7}}}"
    rendered = generate([operator(spec)], charts)
    assert all("replicas" not in r.object["spec"] for r in rendered if r.id.kind == "Deployment")


def test_overlays_of_old(charts: ReleaseCharts) -> None:
    spec = "components: {pilot: {k8s: {overlays: [{kind: Deployment, name: nope, patches: []}]}}}"
    assert generate([operator(spec)], charts)
    with pytest.raises(RenderError, match="selects no objects"):
        generate([operator(spec)], charts, semantics=semantics_of("1.23.6"))


def test_fed_settings(charts: ReleaseCharts) -> None:
    spec = """\
components:
  pilot:
    k8s:
      hpaSpec: {minReplicas: 2, maxReplicas: 0}
      replicaCount: 3
      resources: {limits: {cpu: 1500m}, requests: {cpu: 0.5}}
"""
    plain = values(charts, spec)["pilot"]
    assert {"autoscaleMin", "replicaCount", "resources"}.isdisjoint(plain)
    fed = values(charts, spec, semantics=semantics_of("1.31.0"))["pilot"]
    assert (fed["autoscaleMin"], fed["replicaCount"]) == (2, 3)
    assert "autoscaleMax" not in fed
    assert fed["resources"] == {"limits": {"cpu": "1500m"}, "requests": {"cpu": "500m"}}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.23.6", Semantics(merges_ports_by_protocol=True, replicas_yield=True, strict_overlays=True)),
        ("1.24.1", Semantics(drops_min_available=False)),
        ("1.25.3", Semantics()),
        ("1.28.7", Semantics()),
        ("1.28.8", Semantics(feeds_autoscaling=True)),
        ("1.29.0", Semantics()),
        ("1.31.0-rc.0", Semantics(feeds_autoscaling=True, feeds_cpu=True, set_all_equals=True)),
        ("1.32.5", Semantics(feeds_autoscaling=True, feeds_cpu=True, set_all_equals=True)),
    ],
)
def test_semantics(version: str, expected: Semantics) -> None:
    found = semantics_of(version)
    for field in ("merges_ports_by_protocol", "replicas_yield", "strict_overlays", "drops_min_available"):
        assert getattr(found, field) == getattr(expected, field)
    for field in ("feeds_autoscaling", "feeds_cpu", "set_all_equals"):
        assert getattr(found, field) == getattr(expected, field)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("components: {ingressGateways: {a: b}}", "is no list"),
        ("components: {pilot: {enabled: maybe}}", "neither true nor false"),
        ("components: {ingressGateways: [{name: a, k8s: {service: {ports: [80]}}}]}", "port is no map"),
        ("values: {pilot: 5}", "no map"),
    ],
)
def test_shapes_that_istioctl_refuses(charts: ReleaseCharts, spec: str, problem: str) -> None:
    with pytest.raises(RenderError, match=problem):
        generate([operator(spec)], charts)


def test_refusals_say_where_the_field_stands(charts: ReleaseCharts) -> None:
    place = "spec.template.spec.containers.[name:none].image"
    overlay = f'{{kind: Deployment, name: istiod, patches: [{{path: "{place}", value: 1}}]}}'
    spec = f"components: {{pilot: {{k8s: {{overlays: [{overlay}]}}}}}}"
    first = ("first.yaml", "kind: IstioOperator\n")
    for given, problem in (
        ("profile: demonstration", "no profile of that name"),
        (spec.replace("istiod", "other"), "selects no object"),
        (spec, f"overlay path {re.escape(place)}"),
    ):
        with pytest.raises(RenderError, match=problem) as caught:
            generate([first, operator(given)], charts, semantics=semantics_of("1.22.8"))
        assert caught.value.origin is not None, problem
        assert (caught.value.origin.file, caught.value.origin.line) == ("operator.yaml", 3)
    with pytest.raises(RenderError, match="no profile of that name") as caught:
        generate([operator("hub: x")], charts, sets=["profile=demonstration"])
    assert caught.value.origin is None
