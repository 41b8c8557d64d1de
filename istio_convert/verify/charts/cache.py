"""The chart cache: one folder per release, complete or absent.

``<root>/<version>/manifests/{charts,profiles}`` holds an unpacked Istio release (everything that both sides of the
proof need) or the official charts (Helm's side only). Beside it, ``istio-convert.json`` records what was added and its
digest.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from istio_convert.errors import ChartsMissingError, VerifyError
from istio_convert.verify.charts.layout import (
    ReleaseCharts,
    chart_field,
    final_version,
    find_charts,
    is_version,
    read_chart,
    version_key,
)

RECORD = "istio-convert.json"


def cache_root() -> Path:
    """The cache folder: ``ISTIO_CONVERT_CHARTS``, else ``istio-convert/charts`` in the user's XDG cache folder."""
    if chosen := os.environ.get("ISTIO_CONVERT_CHARTS"):
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "istio-convert" / "charts"


@dataclass(frozen=True, slots=True)
class CachedRelease:
    """One line of the cache's listing.

    Attributes:
        version: the release.
        charts: names of the charts at hand.
        has_reference: whether istioctl's side can be rendered too.
        digest: sha256 over all files, as recorded when they were added; empty when the record is missing.
        path: its folder.
    """

    version: str
    charts: tuple[str, ...]
    has_reference: bool
    digest: str
    path: Path


def folder_digest(folder: Path) -> str:
    """sha256 over the names and contents of all files below a folder, the cache's record left out."""
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and name != RECORD:
            total.update(f"{name}\0{file.stat().st_size}\0".encode())
            total.update(file.read_bytes())
    return f"sha256:{total.hexdigest()}"


def store(version: str, source: str, fill: Callable[[Path], None]) -> Path:
    """Put a release into the cache, all or nothing; what was there before is replaced.

    Args:
        version: the release.
        source: how it came here (``release``, ``charts``, ``pull``), for the record.
        fill: writes ``manifests/…`` into the folder that it is given.
    """
    root = cache_root()
    root.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{version}-", dir=root))
    try:
        fill(scratch)
        record = {"version": version, "source": source, "digest": folder_digest(scratch)}
        (scratch / RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        scratch.chmod(0o755)
        target = root / version
        retired = None
        if target.exists():
            retired = Path(tempfile.mkdtemp(prefix=f".{version}-old-", dir=root))
            target.rename(retired / "old")
        scratch.rename(target)
        if retired is not None:
            shutil.rmtree(retired)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    return target


def _record(folder: Path) -> dict[str, str]:
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def listing() -> list[CachedRelease]:
    """The releases in the cache, oldest first."""
    root = cache_root()
    if not root.is_dir():
        return []
    found = []
    for folder in sorted((f for f in root.iterdir() if f.is_dir() and is_version(f.name)), key=_folder_key):
        charts = _charts_in(folder, folder.name)
        found.append(
            CachedRelease(
                folder.name,
                tuple(sorted(charts.charts)),
                charts.has_reference,
                _record(folder).get("digest", ""),
                folder,
            )
        )
    return found


def _folder_key(folder: Path) -> tuple[int, int, int, int, str]:
    return version_key(folder.name)


def intact(version: str) -> bool:
    """Whether a cached release still has the digest that was recorded when it was added."""
    folder = cache_root() / version
    return folder.is_dir() and _record(folder).get("digest") == folder_digest(folder)


def _charts_in(folder: Path, version: str, stored_as: str = "") -> ReleaseCharts:
    """The charts of one release in a folder: an unpacked release, its ``manifests``, or loose charts.

    Charts that carry another release's version in ``Chart.yaml`` are passed over.
    """
    manifests = next(
        (place for place in (folder / "manifests", folder) if (place / "charts").is_dir()),
        None,
    )
    profiles = manifests / "profiles" if manifests is not None else None
    charts: dict[str, Path] = {}
    for name, path in find_charts(manifests / "charts" if manifests is not None else folder):
        own = chart_field(read_chart(path), "version") if path.is_file() else _folder_version(path)
        if is_version(own) and own not in ("1.0.0", version, stored_as):
            continue
        charts[name] = path
    return ReleaseCharts(version, charts, profiles if profiles and profiles.is_dir() else None, stored_as or version)


def _folder_version(chart: Path) -> str:
    return chart_field({"Chart.yaml": (chart / "Chart.yaml").read_bytes()}, "version")


def _stand_in(versions: Iterable[str], version: str) -> str | None:
    """The newest pre-release of a final release."""
    matching = [v for v in versions if v != version and final_version(v) == version]
    return max(matching, key=version_key) if matching else None


def locate(version: str, charts_dir: str | os.PathLike[str] | None = None) -> ReleaseCharts:
    """The charts of a release.

    Args:
        version: the release, such as ``1.25.3``.
        charts_dir: a folder to use instead of the cache: an unpacked Istio release, a folder of such (each named after
            its version), or a folder of charts or chart archives.

    Raises:
        ChartsMissingError: they are not on this machine; the hint is the command that brings them.
        VerifyError: ``version`` is no version.
    """
    version_key(version)
    if charts_dir is not None:
        return _locate_in(Path(charts_dir), version)
    root = cache_root()
    if (root / version).is_dir():
        return _charts_in(root / version, version)
    known = [folder.name for folder in root.iterdir() if is_version(folder.name)] if root.is_dir() else []
    if (other := _stand_in(known, version)) is not None:
        return _charts_in(root / other, version, other)
    raise ChartsMissingError(
        f"the charts of Istio {version} are not on this machine",
        hint=f"from an unpacked Istio release: istio-convert charts add PATH; "
        f"from the official repository: istio-convert charts pull {version}",
    )


def _locate_in(folder: Path, version: str) -> ReleaseCharts:
    if not folder.exists():
        raise ChartsMissingError(f"{folder}: no such folder", hint="give the folder of an unpacked Istio release")
    if (folder / version).is_dir():
        return _charts_in(folder / version, version)
    versions = [f.name for f in folder.iterdir() if f.is_dir() and is_version(f.name)] if folder.is_dir() else []
    if (other := _stand_in(versions, version)) is not None:
        return _charts_in(folder / other, version, other)
    if folder.is_dir() and not versions:
        try:
            charts = _charts_in(folder, version)
        except VerifyError as error:
            raise ChartsMissingError(f"{folder}: {error.message}") from error
        if charts.charts:
            return charts
    raise ChartsMissingError(
        f"{folder}: no charts of Istio {version} in there",
        hint="give the folder of an unpacked Istio release, or of its charts",
    )
