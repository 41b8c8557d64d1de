"""Fetching charts from a chart repository on this machine."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from istio_convert.errors import VerifyError
from istio_convert.verify import charts
from istio_convert.verify.charts.index import read_index

from .serving import send, send_from, serving
from .small_release import write_chart

NAMES = ("base", "istiod", "cni", "ztunnel", "gateway")


class Repository:
    """Serves charts; can break a download after some bytes, ignore ranges, or send other bytes."""

    def __init__(self, folder: Path) -> None:
        self.files = {f"/charts/{n}-1.25.3.tgz": _archive(folder, n) for n in NAMES}
        self.requests: list[tuple[str, str]] = []
        self.break_after = 0
        self.ranges = True
        self.tamper = False
        self.digests = True
        self.url = ""

    def index(self) -> str:
        lines = ["apiVersion: v1", "entries:"]
        for path, data in self.files.items():
            name = path.split("/")[-1].removesuffix("-1.25.3.tgz")
            lines += [f"  {name}:", "  - version: 1.25.3", f"    urls: [{name}-1.25.3.tgz]"]
            if self.digests:
                lines.append(f"    digest: {hashlib.sha256(data).hexdigest()}")
        return "\n".join(lines) + "\n"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        asked = handler.headers.get("Range", "")
        self.requests.append((handler.path, asked))
        if handler.path == "/charts/index.yaml":
            send(handler, 200, self.index().encode())
            return
        data = self.files.get(handler.path)
        if data is None:
            send(handler, 404, b"")
            return
        if self.tamper:
            data = data[:-1] + bytes([data[-1] ^ 1])
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.ranges else 0
        if start >= len(data):
            send(handler, 416, b"")
            return
        break_after, self.break_after = self.break_after, 0
        send_from(handler, data, start, break_after)


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    served = Repository(tmp_path)
    with serving(served.answer) as address:
        served.url = f"{address}/charts"
        yield served


def test_pull(cache: Path, repository: Repository) -> None:
    steps: list[tuple[str, int, int | None]] = []
    assert charts.pull("1.25.3", repository=repository.url, progress=lambda *step: steps.append(step)) == "1.25.3"
    (line,) = charts.listing()
    assert line.charts == tuple(sorted(NAMES))
    assert not line.has_reference
    assert charts.intact("1.25.3")
    last = {name: (done, total) for name, done, total in steps}
    assert last == {n: (len(repository.files[f"/charts/{n}-1.25.3.tgz"]),) * 2 for n in NAMES}
    assert sorted(p.name for p in cache.iterdir()) in ([".partial", "1.25.3"], ["1.25.3"])
    assert not list(cache.glob(".partial/*"))


def test_a_broken_download_is_resumed(cache: Path, repository: Repository) -> None:
    repository.break_after = 100
    charts.pull("1.25.3", repository=repository.url)
    assert charts.intact("1.25.3")
    assert ("/charts/base-1.25.3.tgz", "bytes=100-") in repository.requests


def test_a_server_without_ranges_starts_again(cache: Path, repository: Repository) -> None:
    repository.break_after, repository.ranges = 100, False
    charts.pull("1.25.3", repository=repository.url)
    assert charts.locate("1.25.3").files("base")["Chart.yaml"].startswith(b"apiVersion: v2")


def test_finished_parts_are_not_fetched_again(cache: Path, repository: Repository) -> None:
    partial = cache / ".partial" / "1.25.3"
    partial.mkdir(parents=True)
    (partial / "base-1.25.3.tgz").write_bytes(repository.files["/charts/base-1.25.3.tgz"])
    (partial / "cni-1.25.3.part").write_bytes(repository.files["/charts/cni-1.25.3.tgz"])
    charts.pull("1.25.3", repository=repository.url)
    fetched = [path for path, asked in repository.requests if not asked]
    assert "/charts/base-1.25.3.tgz" not in fetched
    assert "/charts/cni-1.25.3.tgz" not in fetched
    assert charts.intact("1.25.3")


@pytest.mark.parametrize("resumed", [False, True])
def test_what_the_index_denies_does_not_enter(cache: Path, repository: Repository, resumed: bool) -> None:
    repository.tamper = True
    repository.break_after = 100 if resumed else 0
    with pytest.raises(VerifyError, match="does not have the digest"):
        charts.pull("1.25.3", repository=repository.url)
    assert charts.listing() == []
    repository.tamper = False
    charts.pull("1.25.3", repository=repository.url)
    assert charts.intact("1.25.3")


def test_a_release_that_is_not_there(cache: Path, repository: Repository) -> None:
    with pytest.raises(VerifyError, match=r"no chart base of 1\.9\.9"):
        charts.pull("1.9.9", repository=repository.url)


def test_an_archive_that_is_not_there(cache: Path, repository: Repository) -> None:
    index = repository.index()
    del repository.files["/charts/cni-1.25.3.tgz"]
    repository.index = lambda: index  # type: ignore[method-assign]
    with pytest.raises(VerifyError, match="HTTP 404"):
        charts.pull("1.25.3", repository=repository.url)
    assert charts.listing() == []


def test_a_repository_that_cannot_be_reached(cache: Path) -> None:
    with pytest.raises(VerifyError, match="cannot be fetched") as caught:
        charts.pull("1.25.3", repository="http://127.0.0.1:9/charts")
    assert "charts add" in str(caught.value.hint)
    with pytest.raises(VerifyError, match="over http or https"):
        charts.pull("1.25.3", repository="file:///etc")


def test_indexes() -> None:
    found = read_index(
        '{"entries": {"base": [{"version": "1.25.3", "urls": ["https://x.example/b.tgz"]}]}}', "http://r"
    )
    assert [(e.name, e.version, e.url, e.digest) for e in found] == [("base", "1.25.3", "https://x.example/b.tgz", "")]
    for text in ("{", "a: [", "- 1", "entries: 5"):
        with pytest.raises(VerifyError, match=r"index\.yaml"):
            read_index(text, "http://r")


def _archive(folder: Path, name: str) -> bytes:
    chart = write_chart(folder / "work" / name, name, "1.25.3")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        archive.add(chart, name)
    return buffer.getvalue()
