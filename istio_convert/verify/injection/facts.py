"""The data of injection: the types and defaults of pods, and what the injector does at a release.

Everything that differs by release is in ``schemas/injection`` and ``schemas/kubernetes``, read here once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from istio_convert.catalog.data import read_text
from istio_convert.catalog.ranges import contains
from istio_convert.verify.charts.layout import final_version

PROXY = "istio-proxy"
#: The image that asks for the injector's.
AUTO = "auto"
INJECT = "sidecar.istio.io/inject"
TEMPLATES = "inject.istio.io/templates"
STATUS = "sidecar.istio.io/status"
OVERRIDES = "proxy.istio.io/overrides"
PROXY_CONFIG = "proxy.istio.io/config"
NETWORK = "topology.istio.io/network"
REVISION = "istio.io/rev"


class Field(NamedTuple):
    """A field of a type of the Kubernetes API.

    Attributes:
        go_name: its name in Go, by which templates read it.
        type: its type; ``[]X`` a list, ``{}X`` a map.
        merge_key: the key by which a strategic merge tells the elements of a list apart; empty for none.
        pointer: whether "not set" is another value than zero.
    """

    go_name: str
    type: str
    merge_key: str = ""
    pointer: bool = False


@lru_cache(maxsize=1)
def pod_types() -> Mapping[str, Mapping[str, Field]]:
    """Type -> field in JSON -> what is known about it, in the order of Go."""
    data = json.loads(read_text("kubernetes", "pod-types.json"))
    return {
        name: {key: Field(*(*entry[:3], len(entry) > 3)) for key, entry in fields.items()}
        for name, fields in data["types"].items()
    }


@lru_cache(maxsize=1)
def pod_defaults() -> Mapping[str, Any]:
    """What the API server fills in; see ``schemas/kubernetes/pod-defaults.json``."""
    data: dict[str, Any] = json.loads(read_text("kubernetes", "pod-defaults.json"))
    return data


@lru_cache(maxsize=1)
def _injector() -> Mapping[str, Any]:
    data: dict[str, Any] = json.loads(read_text("injection", "injector.json"))
    return data


@lru_cache(maxsize=32)
def injector_facts(version: str) -> Mapping[str, Any]:
    """What the injector of a release does: the entries of ``schemas/injection/injector.json`` that hold there.

    Args:
        version: the release; a candidate counts as its final release.
    """
    release = final_version(version)

    def holds(entry: Any) -> bool:
        return not isinstance(entry, dict) or contains(entry.get("versions", "*"), release)

    found: dict[str, Any] = {}
    for key, value in _injector().items():
        if isinstance(value, list):
            found[key] = [entry for entry in value if holds(entry)]
        elif isinstance(value, str) and ".." in value:
            found[key] = contains(value, release)
        else:
            found[key] = value
    return found
