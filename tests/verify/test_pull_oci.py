"""Fetching charts from an OCI registry on this machine, which asks for tokens and can be made to misbehave."""

from __future__ import annotations

import base64
import hashlib
import json
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from istio_convert.errors import VerifyError
from istio_convert.verify import charts
from istio_convert.verify.charts.layout import ENDED_CHARTS
from istio_convert.verify.charts.oci import Repository

from .serving import send, send_from, serving
from .test_pull import NAMES, _archive

CHART_LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
VERSION = "1.25.3"


def digest_of(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


class Registry:
    """A registry. ``/v2/…`` wants a token of ``/token``, which names the repository; blobs may lie in ``/storage``."""

    def __init__(self, folder: Path) -> None:
        self.archives = {name: _archive(folder, name) for name in NAMES}
        self.requests: list[tuple[str, str, str]] = []
        self.challenge = 'Bearer realm="{url}/token",service="here",scope="repository:{name}:pull"'
        self.user = ""  # "Basic …" that /token wants
        self.uses = 0  # how often a token may be used; 0: no limit
        self.used: dict[str, int] = {}
        self.tokens = 0
        self.break_after = 0
        self.redirects = False
        self.manifest_digest = ""
        self.tamper = False
        self.layers: list[dict[str, Any]] | None = None
        self.url = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        address = urllib.parse.urlsplit(handler.path)
        authorization = handler.headers.get("Authorization", "")
        self.requests.append((address.path, handler.headers.get("Range", ""), authorization))
        if address.path == "/token":
            self.give_token(handler, urllib.parse.parse_qs(address.query), authorization)
        elif address.path.startswith("/storage/"):
            self.give_blob(handler, address.path.split("/")[2])
        else:
            _, version, *folders, kind, reference = address.path.split("/")
            assert version == "v2"
            name = "/".join(folders)
            if not self.is_open(name, authorization):
                challenge = self.challenge.format(url=self.url, name=name)
                send(handler, 401, b"{}", {"WWW-Authenticate": challenge} if challenge else {})
            elif kind == "manifests":
                self.give_manifest(handler, folders, reference)
            elif self.redirects:
                send(handler, 307, b"", {"Location": f"{self.url}/storage/{folders[-1]}"})
            else:
                assert reference == digest_of(self.archives[folders[-1]])
                self.give_blob(handler, folders[-1])

    def give_token(self, handler: BaseHTTPRequestHandler, asked: dict[str, list[str]], authorization: str) -> None:
        if self.user and authorization != self.user:
            send(handler, 401, b"{}")
            return
        assert asked["service"] == ["here"]
        self.tokens += 1
        send(handler, 200, json.dumps({"token": f"{self.tokens}:{asked['scope'][0].split(':')[1]}"}).encode())

    def is_open(self, name: str, authorization: str) -> bool:
        if not self.challenge:
            return True
        token = authorization.removeprefix("Bearer ")
        self.used[token] = self.used.get(token, 0) + 1
        return token.partition(":")[2] == name and not (self.uses and self.used[token] > self.uses)

    def give_manifest(self, handler: BaseHTTPRequestHandler, folders: list[str], tag: str) -> None:
        data = self.archives.get(folders[-1])
        if data is None or folders[:-1] != ["istio", "charts"] or tag != VERSION:
            send(handler, 404, b"{}")
            return
        assert "application/vnd.oci.image.manifest.v1+json" in handler.headers["Accept"]
        layers = self.layers
        if layers is None:
            other = {"mediaType": "application/vnd.cncf.helm.chart.provenance.v1.prov", "digest": digest_of(b"")}
            layers = [other, {"mediaType": CHART_LAYER, "digest": digest_of(data), "size": len(data)}]
        body = json.dumps({"schemaVersion": 2, "layers": layers}).encode()
        send(handler, 200, body, {"Docker-Content-Digest": self.manifest_digest or digest_of(body)})

    def give_blob(self, handler: BaseHTTPRequestHandler, name: str) -> None:
        data = self.archives[name]
        if self.tamper:
            data = data[:-1] + bytes([data[-1] ^ 1])
        asked = handler.headers.get("Range", "")
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        break_after, self.break_after = self.break_after, 0
        send_from(handler, data, start, break_after)


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "docker"))
    served = Registry(tmp_path)
    with serving(served.answer) as address:
        served.url = address
        yield served


def pull(registry: Registry, **options: Any) -> str:
    address = registry.url.replace("http://", "oci://") + "/istio/charts/"
    return charts.pull(VERSION, repository=address, **options)


def log_in(registry: Registry, tmp_path: Path) -> str:
    """Leave credentials where ``docker login`` does."""
    encoded = base64.b64encode(b"someone:a word").decode()
    (tmp_path / "docker").mkdir()
    known = {"auths": {registry.url.removeprefix("http://"): {"auth": encoded}}}
    (tmp_path / "docker" / "config.json").write_text(json.dumps(known))
    return f"Basic {encoded}"


def test_pull(cache: Path, registry: Registry) -> None:
    steps: list[tuple[str, int, int | None]] = []
    assert pull(registry, progress=lambda *step: steps.append(step)) == VERSION
    (line,) = charts.listing()
    assert line.charts == tuple(sorted(NAMES))
    assert charts.intact(VERSION)
    assert {name: (done, total) for name, done, total in steps} == {
        name: (len(data),) * 2 for name, data in registry.archives.items()
    }
    assert not list(cache.glob(".partial/*"))


def test_a_token_is_asked_for_once_for_each_repository(cache: Path, registry: Registry) -> None:
    pull(registry)
    assert registry.tokens == len(NAMES + ENDED_CHARTS)
    assert {authorization for path, _, authorization in registry.requests if path == "/token"} == {""}


def test_a_registry_that_is_open_to_all(cache: Path, registry: Registry) -> None:
    registry.challenge = ""
    pull(registry)
    assert {authorization for _, _, authorization in registry.requests} == {""}


def test_a_broken_download_is_resumed(cache: Path, registry: Registry) -> None:
    registry.break_after = 100
    pull(registry)
    assert charts.intact(VERSION)
    assert [ranged for _, ranged, _ in registry.requests if ranged] == ["bytes=100-"]


def test_a_token_that_expires_on_the_way_is_renewed(cache: Path, registry: Registry) -> None:
    registry.break_after, registry.uses = 100, 2
    pull(registry)
    assert charts.intact(VERSION)
    assert registry.tokens == len(NAMES + ENDED_CHARTS) + 1


def test_tokens_do_not_go_to_where_the_registry_redirects(cache: Path, registry: Registry) -> None:
    registry.redirects, registry.break_after = True, 100
    pull(registry)
    assert charts.intact(VERSION)
    stored = [(ranged, authorization) for path, ranged, authorization in registry.requests if "/storage/" in path]
    assert len(stored) == len(NAMES) + 1
    assert stored[:2] == [("", ""), ("bytes=100-", "")]
    assert not [authorization for _, authorization in stored if authorization]


@pytest.mark.parametrize("resumed", [False, True])
def test_an_archive_that_the_manifest_denies_does_not_enter(cache: Path, registry: Registry, resumed: bool) -> None:
    registry.tamper = True
    registry.break_after = 100 if resumed else 0
    with pytest.raises(VerifyError, match="does not have the digest that the registry's manifest names"):
        pull(registry)
    assert charts.listing() == []
    registry.tamper = False
    pull(registry)
    assert charts.intact(VERSION)


def test_a_manifest_that_the_registry_denies_does_not_enter(cache: Path, registry: Registry) -> None:
    registry.manifest_digest = digest_of(b"another")
    with pytest.raises(VerifyError, match="does not have the digest that the registry names"):
        pull(registry)
    assert charts.listing() == []


@pytest.mark.parametrize(
    "layers",
    [
        [],
        [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": digest_of(b"")}],
        [{"mediaType": CHART_LAYER, "digest": "md5:0"}],
        [{"mediaType": CHART_LAYER, "digest": "sha256:../../etc"}],
        ["chart"],
    ],
)
def test_what_is_no_chart_does_not_enter(cache: Path, registry: Registry, layers: list[Any]) -> None:
    registry.layers = layers
    with pytest.raises(VerifyError, match=rf"/istio/charts/base: {VERSION} there is no Helm chart"):
        pull(registry)


def test_a_release_that_is_not_there(cache: Path, registry: Registry) -> None:
    del registry.archives["cni"]
    with pytest.raises(VerifyError, match=r"the registry has no chart cni of 1\.25\.3"):
        pull(registry)
    assert charts.listing() == []


def test_charts_that_may_lack(cache: Path, registry: Registry) -> None:
    del registry.archives["cni"]
    assert pull(registry, charts=("base",), optional=("cni",)) == VERSION
    assert charts.listing()[0].charts == ("base",)


def test_credentials_of_docker_get_the_token(cache: Path, registry: Registry, tmp_path: Path) -> None:
    registry.user = log_in(registry, tmp_path)
    pull(registry)
    assert {a for path, _, a in registry.requests if path == "/token"} == {registry.user}
    assert not [a for path, _, a in registry.requests if path != "/token" and a == registry.user]


def test_without_credentials_the_message_says_what_to_do(cache: Path, registry: Registry) -> None:
    registry.user = "Basic c29tZW9uZTphIHdvcmQ="
    with pytest.raises(VerifyError, match="HTTP 401") as caught:
        pull(registry)
    assert caught.value.hint == f"log in: docker login {registry.url.removeprefix('http://')}"


def test_basic_authentication(cache: Path, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry.challenge = 'Basic realm="here"'
    monkeypatch.setattr(registry, "is_open", lambda name, given: given == user)
    user = log_in(registry, tmp_path)
    pull(registry)
    assert charts.intact(VERSION)


@pytest.mark.parametrize(
    "challenge",
    [
        'Basic realm="here"',
        'Digest realm="here"',
        "Bearer",
        'Bearer realm="file:///etc/passwd"',
        'Bearer realm="http://elsewhere.example/token"',
    ],
)
def test_ways_to_log_in_that_are_not_taken(cache: Path, registry: Registry, challenge: str) -> None:
    registry.challenge = challenge
    with pytest.raises(VerifyError, match="cannot log in the way that the registry asks for"):
        pull(registry)


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"token": 5}'])
def test_what_is_no_token(cache: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    monkeypatch.setattr(registry, "give_token", lambda handler, *_: send(handler, 200, body))
    with pytest.raises(VerifyError, match="/token: gives no token"):
        pull(registry)


def test_registries_that_cannot_be_reached(cache: Path) -> None:
    with pytest.raises(VerifyError, match="cannot be fetched") as caught:
        charts.pull(VERSION, repository="oci://127.0.0.1:9/charts")
    assert "charts add" in str(caught.value.hint)
    with pytest.raises(VerifyError, match="has no host"):
        charts.pull(VERSION, repository="oci:///charts")


def test_only_this_machine_is_reached_without_tls() -> None:
    assert Repository("registry.example.com", "charts/base").url("manifests", "1.25.3").startswith("https://")
    assert Repository("localhost.example.com:5000", "base").url("manifests", "1.25.3").startswith("https://")
    assert Repository("[::1]:5000", "base").url("blobs", "sha256:0") == "http://[::1]:5000/v2/base/blobs/sha256:0"
