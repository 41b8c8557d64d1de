"""Support for a release is one command: in a checkout without the release it makes what is committed, byte for byte."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from istio_convert.catalog.build import MESH
from istio_convert.catalog.data import load
from istio_convert.catalog.ranges import contains
from istio_convert.verify.charts import listing
from tests.docs.pages import blocks

from .go_modules import module_at_hand
from .test_add import SCHEMAS, folder_of, texts_of, written_without

ROOT = SCHEMAS.parent
PAGE = "docs/contributing/releases.md"
LISTING_PAGES = ("README.md", "docs/reference/versions.md")
pytestmark = [pytest.mark.charts, pytest.mark.render]


def command() -> str:
    """The command of the page."""
    wanted = f"skip, runs in {Path(__file__).relative_to(ROOT)}"
    (block,) = (block for block in blocks(PAGE) if wanted in block.all("run"))
    return block.text.splitlines()[0].removeprefix("$ ")


def checkout_without(version: str, folder: Path) -> Path:
    """The repository as it would be without a release, with a virtual environment that is this one."""
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("istio_convert", "tests", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("Makefile", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    written_without({version}, folder / "schemas")
    for name, starts in (("python", ""), ("istio-convert", "-m istio_convert")):
        script = folder / ".venv" / "bin" / name
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {starts} "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    (folder / ".venv" / ".ready").touch()
    for page in LISTING_PAGES:
        (folder / page).write_text(
            re.sub(r"(?s)(<!-- generated: \w+ -->\n).*?(<!-- /)", r"\1\2", (folder / page).read_text())
        )
    return folder


def unpacked_with_names(release: str, folder: Path) -> Path:
    """The release as the page says, with the Go module of its names in it."""
    charts = folder_of(release)
    version = release.partition("-")[0]
    (module,) = (name for name, ranges in load(MESH)["module"].items() if contains(ranges, version))
    if (api := module_at_hand("istio.io/api", module)) is None:
        pytest.skip(f"not in Go's module cache: istio.io/api@{module} (go mod download)")
    folder = folder / release
    folder.mkdir(parents=True)
    (folder / "manifests").symlink_to(charts / "manifests")
    (folder / "api").symlink_to(api)
    return folder


@pytest.mark.parametrize("release", ["1.30.3", "1.31.0-rc.0"])
def test_one_command_supports_a_release(release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked = unpacked_with_names(release, tmp_path / "unpacked")
    if shutil.which("make") is None:
        pytest.skip("needs make")
    version = release.partition("-")[0]
    checkout = checkout_without(version, tmp_path / "checkout")
    assert version not in (checkout / "schemas" / "catalog" / "releases.json").read_text()
    assert texts_of(checkout / "schemas") != texts_of(SCHEMAS)

    monkeypatch.setenv("ISTIO_CONVERT_CHARTS", str(tmp_path / "charts"))
    asked = command().replace("~/istio/1.32.0", str(unpacked))
    assert str(unpacked) in asked
    environment = {name: text for name, text in os.environ.items() if name not in ("PYTHONPATH", "MAKEFLAGS")}
    done = subprocess.run(
        ["bash", "-c", asked], cwd=checkout, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr

    assert texts_of(checkout / "schemas") == texts_of(SCHEMAS)
    for page in LISTING_PAGES:
        assert (checkout / page).read_bytes() == (ROOT / page).read_bytes(), page
    assert [one.version for one in listing()] == [release]
    changed = {line.strip() for line in done.stdout.splitlines()}
    assert "schemas/catalog/releases.json" in changed
    newest_final = "-" not in release
    assert ("schemas/values/istiod.json" in changed) == newest_final  # schemas for editors are of final releases
