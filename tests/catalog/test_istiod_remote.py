"""The chart istiod-remote, which ended with 1.23."""

from __future__ import annotations

import json
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from istio_convert.catalog import ENDED_CHARTS, HELM_CHARTS, ISTIOCTL_CHARTS, resolve, versions
from istio_convert.emit import EMITTERS, emit
from istio_convert.errors import ChartsMissingError, InternalError
from istio_convert.release import Release
from istio_convert.source.nodes import Mapping, from_data
from istio_convert.verify import helm
from istio_convert.verify.charts import add, locate, pull
from istio_convert.verify.charts.layout import pack

ADDRESS = "203.0.113.7"
VALUES: dict[str, Any] = {"global": {"remotePilotAddress": ADDRESS}}


def test_it_ends_with_1_23_and_all_others_stay() -> None:
    having = [release.version for release in versions() if resolve(release.version).has_chart("istiod-remote")]
    assert (having[0], having[-1]) == ("1.22.0", "1.23.6")
    assert having == [release.version for release in versions() if release.minor in ("1.22", "1.23")]
    for release in versions():
        assert all(resolve(release.version).has_chart(name) for name in HELM_CHARTS + ISTIOCTL_CHARTS)
        assert not resolve(release.version).has_chart("nonsense")


def test_a_release_without_it_says_so() -> None:
    with pytest.raises(InternalError, match=r"1\.24\.0 has no chart 'istiod-remote'"):
        resolve("1.24.0").chart("istiod-remote")


@pytest.mark.parametrize("version", ["1.22.0", "1.22.8", "1.23.6"])
def test_its_facts(version: str) -> None:
    chart = resolve(version).chart("istiod-remote")
    assert chart.reads(("global", "remotePilotAddress"))
    assert chart.reads(("sidecarInjectorWebhook", "rewriteAppHTTPProbe"))
    assert not chart.reads(("pilot", "resources"))
    assert chart.default(("global", "tag")) == version
    assert chart.default(("global", "hub")) == "docker.io/istio"
    assert tuple(chart.order(()))[:2] == ("pilot", "sidecarInjectorWebhook")
    assert chart.descope is None
    assert chart.skeleton.find("Service", "istiod-canary") is not None
    assert chart.skeleton.find("Deployment", "istiod") is None
    assert chart.refusal(("profile",), "nonsense") is not None
    assert chart.refusal(("meshConfig",), None) is not None
    assert chart.refusal(("global", "remotePilotAddress"), ADDRESS) is None


@pytest.mark.parametrize("version", ["1.22.0", "1.23.6"])
def test_its_schema(version: str) -> None:
    validator = Draft202012Validator(resolve(version).chart("istiod-remote").values_schema())
    assert validator.is_valid(VALUES)
    assert not validator.is_valid({"global": []})


@pytest.mark.parametrize("target", list(EMITTERS))
def test_every_target_writes_it(target: str) -> None:
    values = from_data(VALUES)
    assert isinstance(values, Mapping)
    release = Release("istiod-remote", "istiod-remote", "1.23.6", "istio-system", "istiodRemote", values)
    files = emit([release], target)
    assert any(ADDRESS in text for text in files.values())


@pytest.mark.charts
@pytest.mark.render
@pytest.mark.parametrize("version", ["1.22.8", "1.23.6"])
def test_it_renders_the_objects_of_its_skeleton(version: str) -> None:
    pytest.importorskip("helm_python")
    try:
        charts = locate(version)
    except ChartsMissingError as error:
        pytest.skip(f"{error.message}: {error.hint}")
    skeleton = resolve(version).chart("istiod-remote").skeleton
    objects = helm.render(charts, "istiod-remote", VALUES, name="istiod-remote", namespace="remote")
    found = [skeleton.find(item["kind"], item["metadata"]["name"]) for item in objects]
    assert sorted(str(item) for item in found) == sorted(str(item) for item in skeleton.objects)
    (endpoints,) = [item for item in objects if item["kind"] == "Endpoints"]
    assert endpoints["subsets"][0]["addresses"] == [{"ip": ADDRESS}]


def _archives(folder: Path, *names: str) -> Path:
    """Chart archives of our own and the index of a repository that holds them."""
    folder.mkdir()
    entries = {}
    for name in names:
        archive = f"{name}-1.23.6.tgz"
        meta = f"apiVersion: v2\nname: {name}\nversion: 1.23.6\n".encode()
        (folder / archive).write_bytes(pack({"Chart.yaml": meta, "values.yaml": b""}, name))
        entries[name] = [{"version": "1.23.6", "urls": [archive]}]
    (folder / "index.yaml").write_text(json.dumps({"entries": entries}), encoding="utf-8")
    return folder


def test_its_archive_can_be_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISTIO_CONVERT_CHARTS", str(tmp_path / "cache"))
    assert add(_archives(tmp_path / "charts", "base", "istiod-remote")) == ["1.23.6"]
    assert set(locate("1.23.6").charts) == {"base", "istiod-remote"}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name is Python's)
        """Say nothing."""


@pytest.mark.parametrize("ended", [["istiod-remote"], []], ids=["there", "gone"])
def test_it_is_pulled_where_there_is_one(ended: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISTIO_CONVERT_CHARTS", str(tmp_path / "cache"))
    folder = _archives(tmp_path / "charts", *HELM_CHARTS, *ended)
    with HTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        pull("1.23.6", repository=f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    assert set(locate("1.23.6").charts) == {*HELM_CHARTS, *ended}


def test_no_chart_is_in_two_lists() -> None:
    names = HELM_CHARTS + ENDED_CHARTS + ISTIOCTL_CHARTS
    assert len(names) == len(set(names))
