"""Names of the profile files inside the charts, by what they are for."""

from __future__ import annotations

from functools import lru_cache

from istio_convert.catalog.data import load
from istio_convert.catalog.ranges import contains

HELM_FILE = "helm-profiles.json"
PREFIXES = {"profile": "", "platform": "platform-", "compatibilityVersion": "compatibility-version-"}
"""Values key -> what the name of its file begins with, behind ``profile-``."""


@lru_cache(maxsize=128)
def names_of(version: str) -> dict[str, frozenset[str]]:
    """The known names by values key (``profile``, ``platform``, ``compatibilityVersion``). Treat as read-only."""
    found = [name for name, text in load(HELM_FILE)["names"].items() if contains(text, version)]
    special = tuple(prefix for prefix in PREFIXES.values() if prefix)
    return {
        key: frozenset(
            name.removeprefix(prefix)
            for name in found
            if (name.startswith(prefix) if prefix else not name.startswith(special))
        )
        for key, prefix in PREFIXES.items()
    }
