"""The chart cache: ways in, ways out, what charts from source read like."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from istio_convert.errors import ChartsMissingError, RenderError, VerifyError
from istio_convert.verify import charts
from istio_convert.verify.charts.cache import RECORD, store
from istio_convert.verify.charts.layout import as_released, read_chart_archive, release_hub, version_key

from .small_release import write_chart, write_release


def test_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ISTIO_CONVERT_CHARTS", str(tmp_path / "mine"))
    assert charts.cache_root() == tmp_path / "mine"
    monkeypatch.delenv("ISTIO_CONVERT_CHARTS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert charts.cache_root() == tmp_path / "xdg" / "istio-convert" / "charts"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert charts.cache_root() == tmp_path / "home" / ".cache" / "istio-convert" / "charts"


def test_add_an_unpacked_release(cache: Path, release: Path) -> None:
    assert charts.add(release) == ["1.25.3"]
    (line,) = charts.listing()
    assert (line.version, line.has_reference) == ("1.25.3", True)
    assert line.charts == ("base", "cni", "gateway", "istio-egress", "istio-ingress", "istiod", "ztunnel")
    assert line.digest.startswith("sha256:")
    assert charts.intact("1.25.3")
    (line.path / "manifests" / "charts" / "base" / "values.yaml").write_text("a: b\n")
    assert not charts.intact("1.25.3")
    assert sorted(p.name for p in cache.iterdir()) == ["1.25.3"]


def test_add_again_replaces(cache: Path, release: Path) -> None:
    charts.add(release)
    (release / "manifests" / "profiles" / "mine.yaml").write_text("kind: IstioOperator\n")
    charts.add(release)
    assert "mine" in {p.stem for p in (cache / "1.25.3" / "manifests" / "profiles").iterdir()}
    assert [p.name for p in cache.iterdir()] == ["1.25.3"]


def test_add_a_folder_of_releases(cache: Path, tmp_path: Path) -> None:
    for version in ("1.31.0-rc.0", "1.9.0", "1.30.3"):
        write_release(tmp_path / "all" / version)
    assert charts.add(tmp_path / "all") == ["1.9.0", "1.30.3", "1.31.0-rc.0"]
    assert [line.version for line in charts.listing()] == ["1.9.0", "1.30.3", "1.31.0-rc.0"]


def test_the_charts_version_counts_before_the_folders_name(cache: Path, tmp_path: Path) -> None:
    assert charts.add(write_release(tmp_path / "istio-1.1.1", "1.28.10")) == ["1.28.10"]


def test_a_release_without_a_version_needs_one(cache: Path, tmp_path: Path) -> None:
    folder = write_release(tmp_path / "istio")
    with pytest.raises(VerifyError, match="which release") as caught:
        charts.add(folder)
    assert "--version" in str(caught.value.hint)
    assert charts.add(folder, "1.25.3") == ["1.25.3"]


def test_add_official_archives(cache: Path, tmp_path: Path) -> None:
    folder = tmp_path / "archives"
    folder.mkdir()
    for name in ("base", "istiod", "gateway", "unrelated"):
        for version in ("1.24.6", "1.25.3"):
            _archive(folder, tmp_path / "work", name, version)
    assert charts.add(folder) == ["1.24.6", "1.25.3"]
    found = charts.locate("1.25.3")
    assert sorted(found.charts) == ["base", "gateway", "istiod"]
    assert not found.has_reference
    with pytest.raises(RenderError, match="no chart 'istio-ingress'") as caught:
        found.files("istio-ingress")
    assert "charts add" in str(caught.value.hint)
    with pytest.raises(RenderError, match="profiles"):
        found.profile("default")


def test_add_one_archive(cache: Path, tmp_path: Path) -> None:
    assert charts.add(_archive(tmp_path, tmp_path / "work", "istiod", "1.25.3")) == ["1.25.3"]


def test_nothing_to_add(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(ChartsMissingError, match="no such file"):
        charts.add(tmp_path / "missing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ChartsMissingError, match="no Istio charts"):
        charts.add(tmp_path / "empty")
    assert charts.listing() == []


def test_a_failure_leaves_nothing_behind(cache: Path) -> None:
    def fill(folder: Path) -> None:
        (folder / "half").write_text("written")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        store("1.25.3", "release", fill)
    assert list(cache.iterdir()) == []


def test_missing_charts_name_the_commands(cache: Path) -> None:
    with pytest.raises(ChartsMissingError) as caught:
        charts.locate("1.25.3")
    hint = str(caught.value.hint)
    assert "istio-convert charts add PATH" in hint
    assert "istio-convert charts pull 1.25.3" in hint


def test_a_candidate_stands_in_for_its_final_release(cache: Path, tmp_path: Path) -> None:
    for version in ("1.31.0-alpha.1", "1.31.0-rc.0", "1.31.0-beta.2"):
        charts.add(write_release(tmp_path / version))
    found = charts.locate("1.31.0")
    assert (found.version, found.stored_as) == ("1.31.0", "1.31.0-rc.0")
    assert b"tag: 1.31.0\n" in found.files("istiod")["values.yaml"]
    charts.add(write_release(tmp_path / "1.31.0"))
    assert charts.locate("1.31.0").stored_as == "1.31.0"
    with pytest.raises(ChartsMissingError):
        charts.locate("1.31.1")


def test_locate_in_a_folder(cache: Path, release: Path, tmp_path: Path) -> None:
    assert charts.locate("1.25.3", release).has_reference
    assert charts.locate("1.25.3", release / "manifests").has_reference
    write_release(tmp_path / "many" / "1.26.8")
    assert charts.locate("1.26.8", tmp_path / "many").has_reference
    write_chart(tmp_path / "loose" / "istiod", "istiod", "1.25.3")
    write_chart(tmp_path / "loose" / "old", "istiod", "1.20.0")
    assert charts.locate("1.25.3", tmp_path / "loose").charts == {"istiod": tmp_path / "loose" / "istiod"}
    for folder in (tmp_path / "nowhere", tmp_path / "many"):
        with pytest.raises(ChartsMissingError):
            charts.locate("1.25.3", folder)


@pytest.mark.parametrize("text", ["1.25", "latest", "1.25.3.4", "", "1.25.3;rm", "../1.25.3"])
def test_versions(cache: Path, text: str) -> None:
    with pytest.raises(VerifyError, match="no release version"):
        charts.locate(text)


def test_version_order() -> None:
    ordered = ["1.9.0", "1.25.3", "1.30.0-alpha.0", "1.30.0-rc.0", "1.30.0", "1.30.1"]
    shuffled = [ordered[i] for i in (3, 5, 0, 4, 2, 1)]
    assert sorted(shuffled, key=version_key) == ordered


@pytest.mark.parametrize(
    ("version", "hub"),
    [("1.22.8", "docker.io/istio"), ("1.29.6", "docker.io/istio"), ("1.30.3", "registry.istio.io/release")],
)
def test_charts_from_source_read_as_released(version: str, hub: str) -> None:
    text = "  hub: gcr.io/istio-testing\n  tag: latest\nother:\n    hub: registry.istio.io/testing\nkeep: latest\n"
    assert release_hub(version) == hub
    assert as_released(text, version) == f"  hub: {hub}\n  tag: {version}\nother:\n    hub: {hub}\nkeep: latest\n"


def test_released_charts_stay_as_they_are() -> None:
    text = "hub: example.com/mirror\ntag: 1.25.3\nversion: 1.25.3\n"
    assert as_released(text, "1.25.3") == text
    assert as_released(text, "1.25.3", chart_file=True) == text


def test_a_chart_file_gets_the_release(cache: Path, release: Path) -> None:
    charts.add(release)
    found = charts.locate("1.25.3")
    assert b"version: 1.25.3\nappVersion: 1.25.3\n" in found.files("base")["Chart.yaml"]
    assert "tag: 1.25.3" in found.profile("default")
    with pytest.raises(RenderError, match="no profile of that name") as caught:
        found.profile("nope")
    assert "default, empty" in str(caught.value.hint)
    with pytest.raises(RenderError):
        found.profile("../profiles/default")


def test_an_archive_cannot_leave_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "bad.tgz"
    (tmp_path / "x").write_text("x")
    with tarfile.open(path, "w:gz") as archive:
        archive.add(tmp_path / "x", "chart/../../evil")
    with pytest.raises(VerifyError, match="unexpected entry"):
        read_chart_archive(path)
    path.write_bytes(b"no archive")
    with pytest.raises(VerifyError, match="not a readable"):
        read_chart_archive(path)


def test_the_record_is_no_part_of_the_digest(cache: Path, release: Path) -> None:
    charts.add(release)
    record = cache / "1.25.3" / RECORD
    assert json.loads(record.read_text())["source"] == "release"
    record.write_text("{broken")
    assert not charts.intact("1.25.3")
    assert charts.listing()[0].digest == ""


def _archive(folder: Path, work: Path, name: str, version: str) -> Path:
    chart = write_chart(work / f"{name}-{version}" / name, name, version)
    path = folder / f"{name}-{version}.tgz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(chart, name)
    return path
