"""Charts of an OCI registry: each chart is a repository, each release a tag of it.

Written against the distribution specification with the standard library. The manifest that a tag names is checked
against the digest that the registry gives with it, the archive against the digest in the manifest.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import http.client
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from istio_convert.errors import VerifyError
from istio_convert.verify.charts.download import BROKEN, OFFLINE, TIMEOUT, USER_AGENT, Archive, cause

SCHEME = "oci://"
_MANIFESTS = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
_CHART_LAYERS = ("application/vnd.cncf.helm.chart.content.v1.tar+gzip", "application/tar+gzip")
_LARGEST_MANIFEST = 4 << 20
#: Registries answer one of these for what is not there, or not for this user.
_ABSENT = (http.client.UNAUTHORIZED, http.client.FORBIDDEN, http.client.NOT_FOUND)
_LOCAL = ("localhost", "127.0.0.1", "::1")
_PARAMETER = re.compile(r'(\w+)="([^"]*)"')


def find(repository: str, version: str, charts: Sequence[str], optional: Sequence[str]) -> list[Archive]:
    """The archives of a release.

    Args:
        repository: the folder of the registry that has the charts, ``oci://HOST/PATH``.
        version: the release.
        charts: which charts.
        optional: charts that are left out when the registry lacks them.

    Raises:
        VerifyError: the registry cannot be reached, lacks a chart of this release, or sends what it denies itself.
    """
    host, _, folder = repository.removeprefix(SCHEME).rstrip("/").partition("/")
    if not host:
        raise VerifyError("the registry's address has no host", hint="write it as oci://HOST/PATH")
    wanted = []
    for name in (*charts, *optional):
        place = Repository(host, f"{folder}/{name}" if folder else name)
        try:
            wanted.append(_archive(place, name, version))
        except urllib.error.HTTPError as error:
            error.close()
            if name in optional and error.code in _ABSENT:
                continue
            raise _refused(error, place, name, version) from error
    return wanted


def _refused(error: urllib.error.HTTPError, place: Repository, name: str, version: str) -> VerifyError:
    if error.code == http.client.NOT_FOUND:
        return VerifyError(
            f"the registry has no chart {name} of {version}",
            hint="see which releases there are: istio-convert versions",
        )
    hint = f"log in: docker login {place.host}" if error.code in _ABSENT else None
    return VerifyError(f"{SCHEME}{place.host}/{place.name}: cannot be fetched ({cause(error)})", hint=hint)


def _archive(place: Repository, name: str, version: str) -> Archive:
    layers = _manifest(place, version.replace("+", "_")).get("layers")
    charts = [x for x in layers if _is_chart(x)] if isinstance(layers, list) else []
    if len(charts) != 1:
        raise VerifyError(f"{SCHEME}{place.host}/{place.name}: {version} there is no Helm chart")
    digest = charts[0]["digest"]
    return Archive(name, version, place.url("blobs", digest), digest, "registry's manifest", place.open)


def _is_chart(layer: Any) -> bool:
    return (
        isinstance(layer, dict)
        and layer.get("mediaType") in _CHART_LAYERS
        and re.fullmatch(r"sha256:[0-9a-f]{64}", str(layer.get("digest"))) is not None
    )


def _manifest(place: Repository, tag: str) -> dict[str, Any]:
    address = place.url("manifests", tag)
    try:
        with place.open(address) as response:
            body = response.read(_LARGEST_MANIFEST + 1)
            named = response.headers.get("Docker-Content-Digest", "")
    except urllib.error.HTTPError:
        raise
    except BROKEN as error:
        raise VerifyError(f"{address}: cannot be fetched ({cause(error)})", hint=OFFLINE) from error
    if named.startswith("sha256:") and named != f"sha256:{hashlib.sha256(body).hexdigest()}":
        raise VerifyError(f"{address}: what arrived does not have the digest that the registry names")
    try:
        data = json.loads(body)
    except ValueError as error:
        raise VerifyError(f"{address}: is no manifest") from error
    return data if isinstance(data, dict) else {}


@dataclass
class Repository:
    """One repository of a registry, and the token that opens it.

    Attributes:
        host: the registry, with its port if it has one.
        name: the repository's name.
    """

    host: str
    name: str
    _authorization: str = field(default="", repr=False)

    def url(self, kind: str, reference: str) -> str:
        """The address of a manifest or a blob; without TLS on this machine only."""
        scheme = "http" if urllib.parse.urlsplit(f"//{self.host}").hostname in _LOCAL else "https"
        path = urllib.parse.quote(f"/v2/{self.name}/{kind}/{reference}", safe="/:")
        return f"{scheme}://{self.host}{path}"

    def open(self, address: str, offset: int = 0) -> http.client.HTTPResponse:
        """Open an address from an offset on; what the registry asks for is fetched first, and again when it expires.

        Raises:
            HTTPError: the registry refuses.
        """
        try:
            return self._request(address, offset)
        except urllib.error.HTTPError as error:
            challenge = error.headers.get("WWW-Authenticate", "")
            if error.code != http.client.UNAUTHORIZED or not challenge:
                raise
            error.close()
            self._authorization = self._answer(challenge)
        return self._request(address, offset)

    def _request(self, address: str, offset: int) -> http.client.HTTPResponse:
        headers = {"User-Agent": USER_AGENT, "Accept": ", ".join(_MANIFESTS) if "/manifests/" in address else "*/*"}
        if offset:
            headers["Range"] = f"bytes={offset}-"
        return _send(address, headers, self._authorization)

    def _answer(self, challenge: str) -> str:
        """The authorization that a challenge asks for: a token, anonymous or for the user that docker knows."""
        kind, _, rest = challenge.partition(" ")
        given = dict(_PARAMETER.findall(rest))
        basic = _credentials(self.host)
        if kind.lower() == "basic" and basic:
            return basic
        if kind.lower() != "bearer" or not _is_safe(given.get("realm", ""), self.host):
            raise VerifyError(f"{SCHEME}{self.host}/{self.name}: cannot log in the way that the registry asks for")
        asked = {"scope": given.get("scope", f"repository:{self.name}:pull")}
        if "service" in given:
            asked = {"service": given["service"], **asked}
        realm = given["realm"]
        address = f"{realm}{'&' if '?' in realm else '?'}{urllib.parse.urlencode(asked)}"
        try:
            with _send(address, {"User-Agent": USER_AGENT}, basic) as response:
                answer = json.loads(response.read(_LARGEST_MANIFEST))
        except urllib.error.HTTPError:
            raise
        except (*BROKEN, ValueError) as error:
            raise VerifyError(f"{realm}: gives no token ({cause(error)})") from error
        token = (answer.get("token") or answer.get("access_token")) if isinstance(answer, dict) else None
        if not isinstance(token, str):
            raise VerifyError(f"{realm}: gives no token")
        return f"Bearer {token}"


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows to where the registry keeps its blobs, but never out of TLS. Tokens stay behind (see :func:`_send`)."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if urllib.parse.urlsplit(req.full_url).scheme == "https" and not newurl.startswith("https://"):
            raise urllib.error.URLError("the registry redirects away from https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _send(address: str, headers: dict[str, str], authorization: str) -> http.client.HTTPResponse:
    request = urllib.request.Request(address, headers=headers)  # noqa: S310 (addresses are built here or checked)
    if authorization:
        # not sent on after a redirect: the storage behind a registry is another host and takes its own signature
        request.add_unredirected_header("Authorization", authorization)
    response: http.client.HTTPResponse = urllib.request.build_opener(_Redirects).open(request, timeout=TIMEOUT)
    return response


def _is_safe(realm: str, host: str) -> bool:
    """Whether a token may be asked for there: over TLS, or on this machine for a registry on this machine."""
    parts = urllib.parse.urlsplit(realm)
    local = urllib.parse.urlsplit(f"//{host}").hostname in _LOCAL
    return parts.scheme == "https" or (parts.scheme == "http" and local and parts.hostname in _LOCAL)


def _credentials(host: str) -> str:
    """Basic credentials that ``docker login`` has left in its configuration for a host; else empty."""
    folder = os.environ.get("DOCKER_CONFIG")
    path = (Path(folder) if folder else Path.home() / ".docker") / "config.json"
    try:
        known = json.loads(path.read_text(encoding="utf-8"))["auths"][host]["auth"]
        base64.b64decode(known, validate=True)
    except (OSError, ValueError, LookupError, TypeError, binascii.Error):
        return ""
    return f"Basic {known}" if known else ""
