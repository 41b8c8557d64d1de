"""Fetching official charts from a Helm repository over HTTP.

Downloads resume where they stopped (``Range``), are checked against the digests of the repository's index, and enter
the cache only when all of them are there.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from istio_convert.errors import VerifyError
from istio_convert.verify.charts.add import store_charts
from istio_convert.verify.charts.cache import cache_root
from istio_convert.verify.charts.layout import ENDED_CHARTS, HELM_CHARTS, version_key

#: The chart repository that istio.io documents.
OFFICIAL_REPOSITORY = "https://istio-release.storage.googleapis.com/charts"
_TIMEOUT = 60.0
_BLOCK = 1 << 16
_ATTEMPTS = 4

#: ``progress(chart, bytes so far, bytes in all or None)``.
Progress = Callable[[str, int, "int | None"], None]


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One chart of a repository's index."""

    name: str
    version: str
    url: str
    digest: str


def pull(
    version: str,
    *,
    repository: str = OFFICIAL_REPOSITORY,
    charts: Sequence[str] = HELM_CHARTS,
    optional: Sequence[str] = ENDED_CHARTS,
    progress: Progress | None = None,
) -> str:
    """Fetch the official charts of a release into the cache.

    The repository holds the charts that Helm users install. istioctl's own gateway charts and profiles are only in the
    release archive, so the proof still needs ``--reference`` or an added release.

    Args:
        version: the release.
        repository: the repository's address (``index.yaml`` lies below it).
        charts: which charts.
        optional: charts that come too when the repository has them at this release.
        progress: called with the chart's name, the bytes so far, and the bytes in all when known.

    Returns:
        The release.

    Raises:
        VerifyError: the repository cannot be reached, lacks a chart of this release, or sends what its index denies.
    """
    version_key(version)
    index = read_index(_fetch_text(f"{repository.rstrip('/')}/index.yaml"), repository)
    wanted = []
    for name in (*charts, *optional):
        entry = next((e for e in index if e.name == name and e.version.removeprefix("v") == version), None)
        if entry is None and name in optional:
            continue
        if entry is None:
            raise VerifyError(
                f"the chart repository has no chart {name} of {version}",
                hint="see which releases there are: istio-convert versions",
            )
        wanted.append(entry)
    partial = cache_root() / ".partial" / version
    partial.mkdir(parents=True, exist_ok=True)
    archives = {entry.name: _download(entry, partial, progress) for entry in wanted}
    store_charts(version, archives, "pull")
    for archive in archives.values():
        archive.unlink()
    partial.rmdir()
    return version


def read_index(text: str, repository: str) -> list[IndexEntry]:
    """The charts of a Helm repository index (YAML or JSON).

    Raises:
        VerifyError: it is no index.
    """
    data = _parse_index(text)
    entries = data.get("entries") if isinstance(data, dict) else None
    if not isinstance(entries, dict):
        raise VerifyError("the chart repository's index.yaml is no Helm index")
    found = []
    for name, versions in entries.items():
        for item in versions or []:
            urls = item.get("urls") or []
            if urls:
                address = urllib.parse.urljoin(f"{repository.rstrip('/')}/", str(urls[0]))
                found.append(IndexEntry(str(name), str(item.get("version", "")), address, str(item.get("digest", ""))))
    return found


def _parse_index(text: str) -> object:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except ValueError as error:
            raise VerifyError("the chart repository's index.yaml cannot be read") from error
    from ruamel.yaml import YAML  # noqa: PLC0415 (only needed here)
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    try:
        return YAML(typ="safe", pure=False).load(text)
    except YAMLError as error:
        raise VerifyError("the chart repository's index.yaml cannot be read") from error


def _open(address: str, offset: int = 0) -> http.client.HTTPResponse:
    scheme = urllib.parse.urlsplit(address).scheme
    if scheme not in ("http", "https"):
        raise VerifyError(f"charts are fetched over http or https, not {scheme or 'a path'}")
    request = urllib.request.Request(address, headers={"User-Agent": "istio-convert"})  # noqa: S310 (scheme checked)
    if offset:
        request.add_header("Range", f"bytes={offset}-")
    response: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=_TIMEOUT)  # noqa: S310
    return response


def _fetch_text(address: str) -> str:
    try:
        with _open(address) as response:
            return response.read().decode("utf-8")
    except (urllib.error.URLError, OSError, http.client.HTTPException) as error:
        raise VerifyError(
            f"{address}: cannot be fetched ({_cause(error)})",
            hint="behind a proxy set HTTPS_PROXY; offline, add charts from disk: istio-convert charts add PATH",
        ) from error


def _cause(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"HTTP {error.code}"
    return str(getattr(error, "reason", "") or error) or type(error).__name__


def _download(entry: IndexEntry, folder: Path, progress: Progress | None) -> Path:
    """One archive, resumed until complete, checked against the index."""
    target = folder / f"{entry.name}-{entry.version}.tgz"
    if target.exists() and _digest(target) == _bare(entry.digest):
        return target
    part = target.with_suffix(".part")
    failure: Exception | None = None
    for _ in range(_ATTEMPTS):
        try:
            if _receive(entry, part, progress):
                failure = None
                break
        except urllib.error.HTTPError as error:
            raise VerifyError(f"{entry.url}: cannot be fetched ({_cause(error)})") from error
        except (urllib.error.URLError, OSError, http.client.HTTPException) as error:
            failure = error
    else:
        cause = _cause(failure) if failure else "the connection kept breaking"
        raise VerifyError(f"{entry.url}: cannot be fetched ({cause})", hint="run the same command again to resume")
    if entry.digest and _digest(part) != _bare(entry.digest):
        part.unlink()
        raise VerifyError(f"{entry.url}: what arrived does not have the digest that the repository's index names")
    part.rename(target)
    return target


def _receive(entry: IndexEntry, part: Path, progress: Progress | None) -> bool:
    """Append to the part file; true when it is complete."""
    done = part.stat().st_size if part.exists() else 0
    try:
        response = _open(entry.url, done)
    except urllib.error.HTTPError as error:
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and done:
            error.close()
            if entry.digest and _digest(part) == _bare(entry.digest):
                return True
            part.unlink()
            return False
        raise
    with response:
        resumed = response.status == http.client.PARTIAL_CONTENT
        if done and not resumed:
            done = 0
        total = _total(response, done)
        with part.open("ab" if resumed else "wb") as out:
            while block := response.read(_BLOCK):
                out.write(block)
                done += len(block)
                if progress is not None:
                    progress(entry.name, done, total)
    return total is None or done >= total


def _total(response: http.client.HTTPResponse, offset: int) -> int | None:
    if match := re.match(r"bytes \d+-\d+/(\d+)$", response.headers.get("Content-Range", "")):
        return int(match.group(1))
    length = response.headers.get("Content-Length", "")
    return offset + int(length) if length.isdigit() else None


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        total = hashlib.sha256()
        while block := stream.read(_BLOCK):
            total.update(block)
    return total.hexdigest()


def _bare(digest: str) -> str:
    return digest.removeprefix("sha256:").lower()
