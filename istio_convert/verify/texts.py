"""Texts in ConfigMaps that hold JSON or YAML."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from istio_convert.errors import RenderError
from istio_convert.verify.manifests import parse_document

_YAML_START = re.compile(r"(?:#[^\n]*\n\s*)*[\w\"'./-]+[\"']?:(?:\s|$)")


def read_text(text: Any) -> Any:
    """What a text holds when that is a JSON or YAML map; else the text itself.

    Args:
        text: an entry of a ConfigMap. What comes back may be shared: copy before changing it.
    """
    if not isinstance(text, str):
        return text
    return _read(text)


@lru_cache(maxsize=32)
def _read(text: str) -> Any:
    stripped = text.strip()
    if stripped.startswith("{"):
        try:
            parsed = json.loads(stripped)
        except ValueError:
            return text
    elif _YAML_START.match(stripped):
        try:
            parsed = parse_document(text)
        except RenderError:
            return text
    else:
        return text
    return parsed if isinstance(parsed, dict) and parsed else text
