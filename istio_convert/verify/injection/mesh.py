"""The mesh config and the proxy config that injection templates read, with istiod's defaults.

Source of the facts: pkg/config/mesh and pkg/kube/inject/template.go of Istio's release tags; the defaults are data.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from typing import Any

from istio_convert.errors import RenderError
from istio_convert.verify.injection.facts import injector_facts
from istio_convert.verify.injection.functions import JSON
from istio_convert.verify.manifests import Object, parse_document

#: Maps that are merged into those of the default, key by key; everything else is replaced.
_MERGED = ("proxyMetadata", "proxyHeaders")


class ConfigRefusedError(ValueError):
    """Configuration that the injector does not read."""


def mesh_config(given: Mapping[str, Any], version: str) -> Object:
    """A mesh config with istiod's defaults.

    Args:
        given: what the ConfigMap ``istio`` holds under ``mesh``.
        version: the release.
    """
    facts = injector_facts(version)
    own = _set_fields(given)
    default = own.pop("defaultConfig", None)
    result = {**copy.deepcopy(facts["mesh_config"]), **own}
    result["defaultConfig"] = merged_proxy_config(
        facts["proxy_config"], default if isinstance(default, Mapping) else {}
    )
    return result


def merged_proxy_config(base: Mapping[str, Any], more: Mapping[str, Any]) -> Object:
    """A proxy config with the fields of another one; metadata and headers are merged by their keys."""
    own = _set_fields(more)
    result = {**copy.deepcopy(dict(base)), **own}
    for key in _MERGED:
        if isinstance(base.get(key), Mapping) and isinstance(own.get(key), Mapping):
            result[key] = {**base[key], **own[key]}
    if "tracingServiceName" in own:  # the other choice of one field
        result.pop("serviceCluster", None)
    return result


def annotated_proxy_config(base: Mapping[str, Any], text: str) -> Object:
    """A proxy config with what a pod's annotation adds.

    Raises:
        ConfigRefusedError: the annotation is no YAML map.
    """
    if not text.strip():
        return dict(base)
    try:
        return merged_proxy_config(base, parse_document(text))
    except RenderError as error:
        raise ConfigRefusedError("it is no YAML map") from error


def _set_fields(given: Mapping[str, Any]) -> Object:
    """The fields as JSON spells them, those that are null left out."""
    return {_camel(str(key)): copy.deepcopy(value) for key, value in given.items() if value is not None}


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def written_proxy_config(proxy: Mapping[str, Any], version: str) -> str:
    """The JSON that the templates write into ``PROXY_CONFIG``: what differs from the defaults."""
    facts = injector_facts(version)
    defaults = facts["proxy_config"]
    kept = {}
    for key, value in proxy.items():
        left_out = key in facts["left_out_when_default"] and value == defaults.get(key)
        if left_out or value in ({}, []) or (key not in facts["zero_is_kept"] and _is_zero(key, value, facts)):
            continue
        kept[key] = value
    return json.dumps(kept, separators=(",", ":"), ensure_ascii=False)


def _is_zero(key: str, value: Any, facts: Mapping[str, Any]) -> bool:
    return (
        value is False or value == "" or (not isinstance(value, bool) and value == 0) or _zero_word(key, value, facts)
    )


def _zero_word(key: str, value: Any, facts: Mapping[str, Any]) -> bool:
    return isinstance(value, str) and value == facts["zero_words"].get(key)


def go_proxy_config(proxy: Mapping[str, Any], version: str) -> Object:
    """A proxy config as a template reads it, by Go's names."""
    view: Object = _go(proxy)
    for key, value in injector_facts(version)["proxy_zeros"].items():
        view.setdefault(_go_name(key), copy.deepcopy(value))
    view["ProxyMetadata"] = {key: go_text(value) for key, value in (proxy.get("proxyMetadata") or {}).items()}
    view[JSON] = written_proxy_config(proxy, version)
    return view


def go_mesh_config(mesh: Mapping[str, Any], version: str) -> Object:
    """A mesh config as a template reads it, by Go's names."""
    view: Object = _go({key: value for key, value in mesh.items() if key != "defaultConfig"})
    view["DefaultConfig"] = go_proxy_config(mesh.get("defaultConfig") or {}, version)
    view[JSON] = json.dumps(mesh, separators=(",", ":"), ensure_ascii=False)
    return view


def _go(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_go_name(str(key)): _go(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_go(child) for child in value]
    return value


def _go_name(key: str) -> str:
    return key[:1].upper() + key[1:]


def go_text(value: Any) -> str:
    """A scalar as Go prints it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)
