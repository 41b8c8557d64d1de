"""Charts of a Helm repository over HTTP: its ``index.yaml`` names the archives and their digests."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Sequence

from istio_convert.errors import VerifyError
from istio_convert.verify.charts.download import BROKEN, OFFLINE, Archive, cause, open_url


def find(repository: str, version: str, charts: Sequence[str], optional: Sequence[str]) -> list[Archive]:
    """The archives of a release.

    Args:
        repository: the repository's address.
        version: the release.
        charts: which charts.
        optional: charts that are left out when the repository lacks them.

    Raises:
        VerifyError: the repository cannot be reached, or lacks a chart of this release.
    """
    index = read_index(_fetch_text(f"{repository.rstrip('/')}/index.yaml"), repository)
    wanted = []
    for name in (*charts, *optional):
        entry = next((e for e in index if e.name == name and e.version.removeprefix("v") == version), None)
        if entry is not None:
            wanted.append(entry)
        elif name not in optional:
            raise VerifyError(
                f"the chart repository has no chart {name} of {version}",
                hint="see which releases there are: istio-convert versions",
            )
    return wanted


def read_index(text: str, repository: str) -> list[Archive]:
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
                version, digest = str(item.get("version", "")), str(item.get("digest", ""))
                found.append(Archive(str(name), version, address, digest, "repository's index", open_url))
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


def _fetch_text(address: str) -> str:
    try:
        with open_url(address) as response:
            return response.read().decode("utf-8")
    except BROKEN as error:
        raise VerifyError(f"{address}: cannot be fetched ({cause(error)})", hint=OFFLINE) from error
