"""Pinned image tags: a conversion to another release leaves them to the chart, so they are read as that release's."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from typing import Any

from istio_convert.verify.manifests import Object
from istio_convert.verify.reference.tree import Tree, get_path

_RELEASE_TAG = re.compile(r"(\d+\.\d+\.\d+)(-(?:distroless|debug))?\Z")


def pinned_tags(merged: Iterable[Tree], version: str) -> dict[str, str]:
    """Tags that operators pin and that name another release.

    Args:
        merged: the merged operators.
        version: the release.

    Returns:
        Tag to the tag that the release has, suffix kept: ``1.11.4-distroless`` to ``1.25.3-distroless``. A tag of the
        release itself is there too when it has a suffix, which the conversion writes as the variant.
    """
    found: dict[str, str] = {}
    for operator in merged:
        for tag in _tags(operator):
            match = _RELEASE_TAG.match(tag)
            if match and (match.group(1) != version or match.group(2)):
                found[tag] = f"{version}{match.group(2) or ''}"
    return found


def without_image_type(obj: Object, tags: Mapping[str, str]) -> Object:
    """The mesh configuration (normal form) without the image type that only spells a tag's suffix."""
    mesh = get_path(obj, "data", "mesh")
    kind = get_path(mesh, "defaultConfig", "image", "imageType")
    if not isinstance(kind, str) or not any(tag.endswith(f"-{kind}") for tag in tags.values()):
        return obj
    result = copy.deepcopy(obj)
    config = result["data"]["mesh"]["defaultConfig"]
    del config["image"]["imageType"]
    if not config["image"]:
        del config["image"]
    return result


def _tags(operator: Tree) -> Iterable[str]:
    spec = operator.get("spec")
    places = [get_path(spec, "tag"), get_path(spec, "values", "global", "tag")]
    values = get_path(spec, "values")
    if isinstance(values, dict):
        places += [get_path(values, name, "tag") for name in values]
        places += [get_path(values, "global", name, "tag") for name in ("proxy", "proxy_init")]
    components = get_path(spec, "components")
    for component in components.values() if isinstance(components, dict) else ():
        for entry in component if isinstance(component, list) else [component]:
            places.append(get_path(entry, "tag"))
    return [tag for tag in places if isinstance(tag, str)]


def read_as_release(obj: Object, tags: Mapping[str, str]) -> Object:
    """A copy of an object (normal form) with pinned tags replaced: in images, in the injector's and CNI's settings."""
    return _replace(copy.deepcopy(obj), tags, "") if tags else obj


def _replace(value: Any, tags: Mapping[str, str], key: str) -> Any:
    if isinstance(value, dict):
        return {name: _replace(child, tags, str(name)) for name, child in value.items()}
    if isinstance(value, list):
        return [_replace(child, tags, key) for child in value]
    if isinstance(value, str) and key == "tag":
        return tags.get(value, value)
    if isinstance(value, str) and key == "CURRENT_AGENT_VERSION":
        # CNI's own version: the tag, which on Helm's side has no suffix
        return tags[value].split("-")[0] if value in tags else value
    if isinstance(value, str) and key == "image":
        name, colon, tag = value.rpartition(":")
        return f"{name}:{_tag_of_release(tag, tags)}" if colon else value
    return value


def _tag_of_release(tag: str, tags: Mapping[str, str]) -> str:
    """An image's tag as the release's. Charts append a variant of the values to the tag that the operator pins."""
    match = _RELEASE_TAG.match(tag)
    if tag in tags or not match or not match.group(2):
        return tags.get(tag, tag)
    bare = match.group(1)
    return f"{tags[bare]}{match.group(2)}" if bare in tags else tag


def join_variant(values: Tree) -> None:
    """Write ``global.tag`` and ``global.variant`` as the one tag that images get (in place)."""
    shared = values.get("global")
    if isinstance(shared, dict) and isinstance(shared.get("tag"), str):
        variant = shared.pop("variant", "")
        if variant and not shared["tag"].endswith(f"-{variant}"):
            shared["tag"] = f"{shared['tag']}-{variant}"
