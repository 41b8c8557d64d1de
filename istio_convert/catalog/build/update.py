"""Everything below ``schemas`` that follows from releases, brought up to date in one go."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from istio_convert.catalog.build import build, to_text
from istio_convert.catalog.build.publish import published_schemas

#: kept by hand: no chart says what is in them
_BY_HAND = {"behaviours.json", "workloads.json"}


def read_catalog(schemas: Path) -> dict[str, dict[str, object]]:
    """The catalog in a folder ``schemas`` by file name, as far as it is built; empty when there is none."""
    paths = sorted((schemas / "catalog").glob("*.json"))
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in paths if path.name not in _BY_HAND}


def updated(releases: Mapping[str, Path], known: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """The files of the folder ``schemas`` with some releases added.

    Args:
        releases: version -> folder of the unpacked release.
        known: the catalog that they are added to, as of :func:`read_catalog`; empty for a new one.

    Returns:
        Path below ``schemas`` -> text.

    Raises:
        FileNotFoundError: a folder is no release.
        ValueError: a release says something that the tool does not understand.
        RenderError: the Helm SDK is missing.
    """
    texts = {name: to_text(content) for name, content in build(releases, known).items()}
    schemas = published_schemas({name: json.loads(text) for name, text in texts.items()})
    return {
        **{f"catalog/{name}": text for name, text in texts.items()},
        **{f"values/{name}": text for name, text in schemas.items()},
    }
