"""Bringing charts that are already on the machine into the cache."""

from __future__ import annotations

import os
import re
import shutil
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from istio_convert.errors import ChartsMissingError, VerifyError
from istio_convert.verify.charts.cache import store
from istio_convert.verify.charts.layout import (
    ENDED_CHARTS,
    HELM_CHARTS,
    chart_field,
    find_charts,
    is_version,
    read_chart,
    version_key,
)

_IN_NAME = re.compile(r"(?:^|-|_|/)v?(\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?)(?=$|[-_./])")


def add(path: str | os.PathLike[str], version: str | None = None) -> list[str]:
    """Add charts to the cache.

    Args:
        path: an unpacked Istio release (it has ``manifests/charts`` and ``manifests/profiles``), its ``manifests``
            folder, a folder of such releases, a chart archive, or a folder of official charts.
        version: the release, when neither the folder's name nor ``Chart.yaml`` says it.

    Returns:
        The releases that were added, oldest first.

    Raises:
        ChartsMissingError: there are no charts at that path.
        VerifyError: the release cannot be told; give it.
    """
    source = Path(path).resolve()
    if not source.exists():
        raise ChartsMissingError(f"{path}: no such file or folder")
    if version is not None:
        version_key(version)
    if (manifests := _manifests(source)) is not None:
        return [_add_release(manifests, version or _version_of_release(source, manifests))]
    if source.is_dir():
        releases = [(child, found) for child in sorted(source.iterdir()) if (found := _manifests(child)) is not None]
        if releases:
            if version is not None and len(releases) > 1:
                raise VerifyError(f"{path}: several releases, but one version given")
            added = [_add_release(found, version or _version_of_release(child, found)) for child, found in releases]
            return sorted(added, key=version_key)
    return _add_charts(source, version)


def _manifests(folder: Path) -> Path | None:
    for place in (folder / "manifests", folder):
        if (place / "charts").is_dir() and (place / "profiles").is_dir():
            return place
    return None


def _version_of_release(folder: Path, manifests: Path) -> str:
    for _, chart in find_charts(manifests / "charts"):
        own = chart_field(read_chart(chart), "version")
        if is_version(own) and own != "1.0.0":
            return own
    for part in (folder.name, folder.parent.name if folder == manifests else ""):
        if match := _IN_NAME.search(part):
            return match.group(1)
    raise VerifyError(
        f"{folder}: cannot tell which release this is", hint="give it: istio-convert charts add PATH --version 1.25.3"
    )


def _add_release(manifests: Path, version: str) -> str:
    def fill(folder: Path) -> None:
        for part in ("charts", "profiles"):
            shutil.copytree(manifests / part, folder / "manifests" / part, symlinks=False)

    store(version, "release", fill)
    return version


def _add_charts(source: Path, version: str | None) -> list[str]:
    """Official charts: archives or unpacked, of one or several releases."""
    by_version: dict[str, dict[str, Path]] = defaultdict(dict)
    for name, path in find_charts(source):
        if name not in HELM_CHARTS + ENDED_CHARTS:
            continue
        own = chart_field(read_chart(path), "version")
        found = own if is_version(own) and own != "1.0.0" else version
        if found is None:
            raise VerifyError(
                f"{path}: cannot tell which release this chart belongs to",
                hint="give it: istio-convert charts add PATH --version 1.25.3",
            )
        if version is None or found == version:
            by_version[found][name] = path
    if not by_version:
        raise ChartsMissingError(
            f"{source}: no Istio charts in there",
            hint="give an unpacked Istio release, or the archives of base, istiod, cni, ztunnel and gateway",
        )
    for found, charts in by_version.items():
        store_charts(found, charts, "charts")
    return sorted(by_version, key=version_key)


def store_charts(version: str, charts: Mapping[str, Path], source: str) -> None:
    """Unpack official charts into the cache as one release."""

    def fill(folder: Path) -> None:
        for name, path in charts.items():
            for file, data in read_chart(path).items():
                target = folder / "manifests" / "charts" / name / file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)

    store(version, source, fill)
