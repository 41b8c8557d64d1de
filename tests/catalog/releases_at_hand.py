"""Unpacked releases on this machine, in the chart cache. None of them is part of the project."""

from __future__ import annotations

import os
from pathlib import Path

from istio_convert.catalog import versions
from istio_convert.catalog.ranges import version_key


def releases_at_hand() -> dict[str, Path]:
    """Version -> folder that holds ``manifests``, oldest first; without candidates of which the final is known."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    root = Path(os.environ.get("ISTIO_CONVERT_CHARTS") or Path(cache) / "istio-convert" / "charts")
    if not root.is_dir():
        return {}
    found = {path.name: path for path in root.iterdir() if (path / "manifests" / "profiles").is_dir()}
    known = {name for release in versions() for name in (release.version, release.candidate)}
    return {version: found[version] for version in sorted(found, key=version_key) if version in known}
