"""The committed data says what the build tool finds in the releases that are at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from istio_convert.catalog import resolve
from istio_convert.catalog.build import Measurer, build, facts_at, facts_of, to_text
from istio_convert.catalog.data import load

from .releases_at_hand import releases_at_hand

RELEASES = releases_at_hand()
ENDS = {version: RELEASES[version] for version in (*list(RELEASES)[:1], *list(RELEASES)[-1:])}
MEASURED = {"refused", "dead"}

pytestmark = pytest.mark.charts


def _committed(file: str, version: str) -> dict[str, object]:
    return facts_at(load(file), version)


def _without_empty(facts: dict[str, object]) -> dict[str, object]:
    return {section: content for section, content in facts.items() if content}


@pytest.mark.parametrize(("release", "folder"), RELEASES.items(), ids=list(RELEASES))
def test_what_the_files_of_a_release_say_is_in_the_catalog(release: str, folder: Path) -> None:
    version = resolve(release).version
    fresh = facts_of(folder / "manifests", release)
    assert set(fresh) >= {"istiod.json", "gateway.json", "helm-profiles.json"}
    for file, sections in fresh.items():
        committed = {name: facts for name, facts in _committed(file, version).items() if name not in MEASURED}
        assert committed == _without_empty(sections), file


@pytest.mark.render
@pytest.mark.parametrize(("release", "folder"), ENDS.items(), ids=list(ENDS))
def test_what_rendering_tells_is_in_the_catalog(release: str, folder: Path) -> None:
    pytest.importorskip("helm_python")
    version = resolve(release).version
    for file, sections in facts_of(folder / "manifests", release, Measurer()).items():
        assert _committed(file, version) == _without_empty(sections), file


@pytest.mark.render
def test_the_tool_writes_files_that_say_the_same_at_that_version() -> None:
    pytest.importorskip("helm_python")
    if not RELEASES:
        pytest.skip("no release is at hand")
    release, folder = next(iter(RELEASES.items()))
    version = resolve(release).version
    for file, written in build({release: folder}).items():
        content = json.loads(to_text(written))
        if file == "releases.json":
            assert list(content["releases"]) == [version]
        else:
            assert facts_at(content, version) == _committed(file, version), file
