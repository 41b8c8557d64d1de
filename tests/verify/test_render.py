"""Helm and Kustomize, with charts of our own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from istio_convert.errors import RenderError
from istio_convert.release import Patch, Release, Target
from istio_convert.source.nodes import Mapping, from_data
from istio_convert.verify import candidate, helm, kustomize
from istio_convert.verify.charts import ReleaseCharts, locate
from istio_convert.verify.manifests import Object, Rendered
from istio_convert.verify.proof import Expected, judge
from istio_convert.verify.repeated import repeated_key

pytestmark = pytest.mark.render
pytest.importorskip("helm_python")

DEPLOYMENT = Target("apps", "v1", "Deployment", "istiod", "istio-system")


@pytest.fixture
def charts(release: Path) -> ReleaseCharts:
    return locate("1.25.3", release)


def release_of(patches: list[Patch], name: str = "istiod", **values: Any) -> Release:
    node = from_data(values)
    assert isinstance(node, Mapping)
    return Release(name, "istiod", "1.25.3", "istio-system", "pilot", node, patches=patches)


def deployment(rendered: list[Rendered]) -> Object:
    (found,) = [r.object for r in rendered if r.id.kind == "Deployment"]
    return found


def test_renders(charts: ReleaseCharts) -> None:
    objects = helm.render(charts, "istiod", {"a": {"b": [1]}}, name="n", namespace="ns")
    assert [obj["kind"] for obj in objects] == ["ConfigMap", "Deployment"]
    got = json.loads(objects[0]["data"]["values"])
    assert got["a"] == {"b": [1]}
    assert got["_internal_defaults"] == {"hub": "docker.io/istio", "tag": "1.25.3"}
    assert objects[0]["data"]["chart"] == "1.25.3"


@pytest.mark.parametrize("name", ["one", "two"])
def test_crds_are_rendered_apart_and_tell_their_release(charts: ReleaseCharts, name: str) -> None:
    objects = helm.render(charts, "base", {"base": {"crds": True}}, name=name, namespace="ns")
    (crd,) = [obj for obj in objects if obj["kind"] == "CustomResourceDefinition"]
    assert crd["metadata"]["labels"] == {"app.kubernetes.io/instance": name}
    assert not [o for o in helm.render(charts, "base", {}, name=name, namespace="ns") if o["kind"][0:6] == "Custom"]


def test_a_crd_template_that_reads_more_is_not_set_apart(release: Path) -> None:
    template = release / "manifests" / "charts" / "base" / "templates" / "crds.yaml"
    template.write_text(template.read_text().replace("group: example.com", "group: {{ .Values.other | quote }}"))
    values = {"base": {"crds": True}, "other": "from-values"}
    objects = helm.render(locate("1.25.3", release), "base", values, name="n", namespace="ns")
    assert objects[0]["spec"]["group"] == "from-values"


def test_schemas_can_be_set_aside(release: Path) -> None:
    schema = release / "manifests" / "charts" / "istiod" / "values.schema.json"
    schema = release / "manifests" / "charts" / "istio-control" / "istio-discovery" / "values.schema.json"
    schema.write_text('{"type": "object", "required": ["impossible"]}')
    charts = locate("1.25.3", release)
    with pytest.raises(RenderError, match="Helm refuses"):
        helm.render(charts, "istiod", {}, name="n", namespace="ns")
    assert helm.render(charts, "istiod", {}, name="n", namespace="ns", skip_schema=True)


def test_refusals_keep_values_to_themselves(release: Path) -> None:
    template = release / "manifests" / "charts" / "istio-control" / "istio-discovery" / "templates" / "objects.yaml"
    template.write_text('{{ fail (printf "bad password %s" .Values.password) }}')
    with pytest.raises(RenderError, match="bad password …") as caught:
        helm.render(locate("1.25.3", release), "istiod", {"password": "hunter2-secret"}, name="n", namespace="ns")
    assert "hunter2" not in str(caught.value)


@pytest.mark.skipif(shutil.which("helm") is None, reason="no helm on PATH")
def test_the_program_renders_the_same(charts: ReleaseCharts) -> None:
    for chart in ("istiod", "base"):
        values = {"a": "1", "base": {"crds": True}}
        mine = helm.render(charts, chart, values, name="n", namespace="ns")
        theirs = helm.render(charts, chart, values, name="n", namespace="ns", binary=True)
        assert sorted(map(json.dumps, mine)) == sorted(map(json.dumps, theirs))


def test_without_the_program(charts: ReleaseCharts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(RenderError, match="no helm on PATH"):
        helm.render(charts, "istiod", {}, name="n", namespace="ns", binary=True)


def test_strategic_and_json_patches(charts: ReleaseCharts) -> None:
    body = {
        "metadata": {"annotations": {"a": "b"}},
        "spec": {"template": {"spec": {"containers": [{"name": "discovery", "env": [{"name": "B", "value": "2"}]}]}}},
    }
    json6902 = [{"op": "add", "path": "/spec/template/spec/containers/0/args", "value": ["x"]}]
    rendered = candidate.render([release_of([Patch(DEPLOYMENT, body), Patch(DEPLOYMENT, json6902)])], charts)
    found = deployment(rendered)
    container = found["spec"]["template"]["spec"]["containers"][0]
    assert {item["name"] for item in container["env"]} == {"A", "B"}
    assert container["args"] == ["x"]
    assert found["metadata"]["annotations"] == {"a": "b"}


def test_patches_are_applied_release_by_release(charts: ReleaseCharts) -> None:
    """Two releases that bring the same object are patched each on its own."""
    one = release_of([Patch(DEPLOYMENT, {"spec": {"replicas": 1}})], "one")
    two = release_of([Patch(DEPLOYMENT, {"spec": {"replicas": 2}})], "two")
    rendered = candidate.render([one, two, release_of([], "three")], charts)
    found = [(r.release, r.object["spec"].get("replicas")) for r in rendered if r.id.kind == "Deployment"]
    assert found == [("one", 1), ("two", 2), ("three", None)]


def test_every_text_comes_through_kustomize(charts: ReleaseCharts) -> None:
    rendered = {
        "emoji": "😀 \U000e0001",
        "lines": "a\nb\u2028c\u2029d",
        "other": 'é \u00a0 \ufeff \\ " $(X) {{ x }}',
    }
    body = {"metadata": {"annotations": rendered}}
    values = {"texts": {**rendered, "control": "\x07"}}
    release = release_of([Patch(DEPLOYMENT, body)], **values)
    found = candidate.render([release], charts)
    assert deployment(found)["metadata"]["annotations"] == rendered
    copy = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "y"}, "data": rendered}
    patch = Patch(Target("", "v1", "ConfigMap", "x", "y"), {"metadata": {"labels": {"a": "b"}}})
    (after,) = kustomize.apply({"r": ([copy], [patch])})["r"]
    assert after["data"] == rendered


def test_an_object_can_be_deleted(charts: ReleaseCharts) -> None:
    rendered = candidate.render([release_of([Patch(DEPLOYMENT, {"$patch": "delete"})])], charts)
    assert [r.id.kind for r in rendered] == ["ConfigMap"]


@pytest.mark.parametrize(
    "target",
    [
        Target("apps", "v1", "Deployment", "other", "istio-system"),
        Target("apps", "v1", "Deployment", "istiod", "elsewhere"),
        Target("apps", "v1beta1", "Deployment", "istiod", "istio-system"),
        Target("", "v1", "Deployment", "istiod", "istio-system"),
        Target("apps", "v1", "DaemonSet", "istiod", "istio-system"),
    ],
)
def test_a_patch_that_selects_nothing_fails(charts: ReleaseCharts, target: Target) -> None:
    with pytest.raises(RenderError, match="selects no objects, not exactly one"):
        candidate.render([release_of([Patch(target, {"spec": {"replicas": 1}})])], charts)


def test_a_patch_that_selects_several_fails() -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "n"}}
    other = {**obj, "metadata": {"name": "a", "namespace": "m"}}
    patch = Patch(Target("", "v1", "ConfigMap", "a", None), {"data": {"a": "b"}})
    with pytest.raises(RenderError, match="selects 2 objects"):
        kustomize.apply({"r": ([obj, other], [patch])})


def test_objects_that_a_release_renders_twice() -> None:
    """A post-renderer gets the whole release, and Kustomize takes no object twice."""
    obj = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "n"}}
    other = {**obj, "metadata": {"name": "b", "namespace": "n"}}
    patch = Patch(Target("", "v1", "Service", "b", "n"), {"spec": {"type": "ClusterIP"}})
    with pytest.raises(RenderError, match="release r renders Service n/a 2 times, which Kustomize refuses"):
        kustomize.apply({"r": ([obj, obj, other], [patch])})
    assert kustomize.apply({"r": ([obj, obj, other], [])}) == {"r": [obj, obj, other]}
    side = [Rendered("r", "n", obj), Rendered("r", "n", obj), Rendered("r", "n", other)]
    proof = judge(Expected(tuple(side), {}, "istioctl"), side, "1.25.3")
    assert proof.proven
    assert proof.notes == ("release r renders Service n/a 2 times: Helm upgrades that, but cannot install it",)


def test_a_key_that_stands_twice(release: Path) -> None:
    """Helm takes the last one; where patches are applied, Kustomize refuses the whole release."""
    template = release / "manifests" / "charts" / "istio-control" / "istio-discovery" / "templates" / "twice.yaml"
    text = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: twice}\ndata:\n  a.b: one\n  a.b: hunter2-secret\n"
    template.write_text(text, encoding="utf-8")
    charts = locate("1.25.3", release)
    rendered = candidate.render([release_of([])], charts)
    assert [r.object["data"] for r in rendered if r.id.name == "twice"] == [{"a.b": "hunter2-secret"}]
    with pytest.raises(RenderError, match=r"release istiod, .*: ConfigMap twice has data.a\\.b twice") as caught:
        candidate.render([release_of([Patch(DEPLOYMENT, {"spec": {"replicas": 1}})])], charts)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: 1\nb:\n- {c: 1, d: 2, c: 3}\n", ("b", 0, "c")),
        ("a: {x: 1}\nb: {x: 1}\nc: [{x: 1}, {x: 1}]\n", None),
        ("a: 1\n'a': 2\n", ("a",)),
        ("a: |\n  b: 1\n  b: 1\n", None),
        ("a: [\n", None),
        ("", None),
    ],
)
def test_finds_repeated_keys(text: str, path: tuple[str | int, ...] | None) -> None:
    assert repeated_key(text) == path


def test_kustomizes_refusals_keep_bodies_to_themselves(charts: ReleaseCharts) -> None:
    bad = [{"op": "replace", "path": "/spec/nothing/here", "value": "hunter2-secret"}]
    with pytest.raises(RenderError, match="Kustomize refuses the patches of istio-system/istiod") as caught:
        candidate.render([release_of([Patch(DEPLOYMENT, bad)])], charts)
    assert "hunter2" not in str(caught.value)


def test_without_kustomize(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr("sys.executable", "/nonexistent/python")
    with pytest.raises(RenderError, match="needs kubectl or kustomize"):
        kustomize.find_program()


def test_objects_stay_untouched(charts: ReleaseCharts) -> None:
    objects = helm.render(charts, "istiod", {}, name="n", namespace="istio-system")
    before = json.dumps(objects)
    patched = kustomize.apply({"r": (objects, [Patch(DEPLOYMENT, {"spec": {"replicas": 5}})])})
    assert json.dumps(objects) == before
    assert patched["r"][1]["spec"]["replicas"] == 5
    assert patched["r"][0] is objects[0]
