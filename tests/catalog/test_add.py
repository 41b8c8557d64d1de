"""Adding a release to the data."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

import pytest

from istio_convert.catalog.build import MESH, known_releases, to_text
from istio_convert.catalog.build.compact import compacted
from istio_convert.catalog.build.publish import published_schemas
from istio_convert.catalog.build.update import read_catalog
from istio_convert.catalog.ranges import version_key
from tests.cli.running import run

from .releases_at_hand import releases_at_hand

SCHEMAS = Path(__file__).parent.parent.parent / "schemas"
RELEASES = releases_at_hand()


def texts_of(schemas: Path) -> dict[str, str]:
    return {path.relative_to(schemas).as_posix(): path.read_text("utf-8") for path in sorted(schemas.rglob("*.json"))}


def written_without(versions: Collection[str], schemas: Path) -> Path:
    """A folder ``schemas`` as it would be, had these releases never been added."""
    facts, stands_in = known_releases(read_catalog(SCHEMAS))
    order = [version for version in sorted(facts, key=version_key) if version not in versions]
    content = dict(compacted({version: facts[version] for version in order}, order))
    content["releases.json"] = {
        "releases": {version: {"candidate": stands_in[version]} if version in stands_in else {} for version in order}
    }
    files = {f"catalog/{name}": to_text(data) for name, data in content.items()}
    files |= {f"values/{name}": text for name, text in published_schemas(content).items()}
    for name, text in (texts_of(SCHEMAS) | files).items():
        (schemas / name).parent.mkdir(parents=True, exist_ok=True)
        (schemas / name).write_text(text, encoding="utf-8")
    return schemas


def test_the_facts_of_every_release_can_be_read_back(tmp_path: Path) -> None:
    """What adding rests on: the files and the facts of the releases say the same."""
    assert texts_of(written_without((), tmp_path)) == texts_of(SCHEMAS)


def folder_of(release: str) -> Path:
    pytest.importorskip("helm_python")
    if release not in RELEASES:
        pytest.skip(f"not in the chart cache: {release} (istio-convert charts add PATH)")
    return RELEASES[release]


@pytest.mark.charts
@pytest.mark.render
def test_a_final_release_takes_the_place_of_its_candidate(tmp_path: Path) -> None:
    candidate = folder_of("1.31.0-rc.0")
    schemas = written_without((), tmp_path / "schemas")
    (tmp_path / "all" / "1.31.0").mkdir(parents=True)
    (tmp_path / "all" / "1.31.0" / "manifests").symlink_to(candidate / "manifests")
    ran = run(["catalog", "add", str(tmp_path / "all"), "-o", str(schemas)])
    assert ran.code == 0, ran.stderr
    assert json.loads((schemas / "catalog" / "releases.json").read_text())["releases"]["1.31.0"] == {}
    assert "1.31.0" in json.loads((schemas / "values" / "istiod.json").read_text())["title"]
    assert "1.31.0 comes without the folder api" in ran.stderr
    assert (schemas / "catalog" / MESH).read_bytes() == (SCHEMAS / "catalog" / MESH).read_bytes()
    # and the candidate does not come back
    back = run(["catalog", "add", str(candidate), "-o", str(schemas)])
    assert (back.code, back.stdout) == (0, "")


def test_a_folder_without_data_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "1.31.0").mkdir()
    ran = run(["catalog", "add", str(tmp_path / "1.31.0"), "-o", str(tmp_path)])
    assert ran.code == 1
    assert "no data about releases here" in ran.stderr
