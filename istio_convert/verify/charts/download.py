"""Downloads that resume where they stopped and are checked against a digest that was known before."""

from __future__ import annotations

import hashlib
import http.client
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from istio_convert.errors import VerifyError

USER_AGENT = "istio-convert"
TIMEOUT = 60.0
OFFLINE = "behind a proxy set HTTPS_PROXY; offline, add charts from disk: istio-convert charts add PATH"
#: What goes wrong on the way, as against an answer that refuses.
BROKEN = (urllib.error.URLError, OSError, http.client.HTTPException)
_BLOCK = 1 << 16
_ATTEMPTS = 4

#: ``progress(chart, bytes so far, bytes in all or None)``.
Progress = Callable[[str, int, "int | None"], None]
#: Opens an address from an offset on.
Opener = Callable[[str, int], http.client.HTTPResponse]


@dataclass(frozen=True, slots=True)
class Archive:
    """A chart archive to fetch.

    Attributes:
        name: the chart's name.
        version: its version.
        url: where it is.
        digest: sha256 of the archive, as its index or manifest says; empty when that says none.
        source: what named the digest, for messages.
        open: how it is opened.
    """

    name: str
    version: str
    url: str
    digest: str
    source: str
    open: Opener


def open_url(address: str, offset: int = 0) -> http.client.HTTPResponse:
    """Open an address from an offset on.

    Raises:
        VerifyError: it is neither http nor https.
        URLError: and others of :data:`BROKEN`, when it cannot be opened.
    """
    scheme = urllib.parse.urlsplit(address).scheme
    if scheme not in ("http", "https"):
        raise VerifyError(f"charts are fetched over http or https, not {scheme or 'a path'}")
    request = urllib.request.Request(address, headers={"User-Agent": USER_AGENT})  # noqa: S310 (scheme checked)
    if offset:
        request.add_header("Range", f"bytes={offset}-")
    response: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=TIMEOUT)  # noqa: S310
    return response


def cause(error: Exception) -> str:
    """What went wrong, for a message."""
    if isinstance(error, urllib.error.HTTPError):
        return f"HTTP {error.code}"
    return str(getattr(error, "reason", "") or error) or type(error).__name__


def fetch(archive: Archive, folder: Path, progress: Progress | None) -> Path:
    """Fetch an archive into a folder; what an earlier try left there is used.

    Args:
        archive: which.
        folder: where to.
        progress: called with the chart's name, the bytes so far, and the bytes in all when known.

    Returns:
        The complete file.

    Raises:
        VerifyError: it cannot be fetched, or has another digest.
    """
    target = folder / f"{archive.name}-{archive.version}.tgz"
    if target.exists() and file_digest(target) == _bare(archive.digest):
        return target
    part = target.with_suffix(".part")
    failure: Exception | None = None
    for _ in range(_ATTEMPTS):
        try:
            if _receive(archive, part, progress):
                break
        except urllib.error.HTTPError as error:
            raise VerifyError(f"{archive.url}: cannot be fetched ({cause(error)})") from error
        except BROKEN as error:
            failure = error
    else:
        why = cause(failure) if failure else "the connection kept breaking"
        raise VerifyError(f"{archive.url}: cannot be fetched ({why})", hint="run the same command again to resume")
    if archive.digest and file_digest(part) != _bare(archive.digest):
        part.unlink()
        raise VerifyError(f"{archive.url}: what arrived does not have the digest that the {archive.source} names")
    part.rename(target)
    return target


def _receive(archive: Archive, part: Path, progress: Progress | None) -> bool:
    """Append to the part file; true when it is complete."""
    done = part.stat().st_size if part.exists() else 0
    try:
        response = archive.open(archive.url, done)
    except urllib.error.HTTPError as error:
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and done:
            error.close()
            if archive.digest and file_digest(part) == _bare(archive.digest):
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
                    progress(archive.name, done, total)
    return total is None or done >= total


def _total(response: http.client.HTTPResponse, offset: int) -> int | None:
    if match := re.match(r"bytes \d+-\d+/(\d+)$", response.headers.get("Content-Range", "")):
        return int(match.group(1))
    length = response.headers.get("Content-Length", "")
    return offset + int(length) if length.isdigit() else None


def file_digest(path: Path) -> str:
    """sha256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        total = hashlib.sha256()
        while block := stream.read(_BLOCK):
            total.update(block)
    return total.hexdigest()


def _bare(digest: str) -> str:
    return digest.removeprefix("sha256:").lower()
