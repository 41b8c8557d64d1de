"""Patches as Kustomize reads them; every target that patches goes through here.

A patch stays the patch that it is: nothing is merged or reordered, since Kustomize applies them one after the other.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from istio_convert.release import Patch
from istio_convert.source.writer import Commented, Flow, Literal, dump

_COMMENT_WIDTH = 100
API_VERSION = "kustomize.config.k8s.io/v1beta1"


def is_strategic(patch: Patch) -> bool:
    """Whether the patch is a strategic merge patch; otherwise it is a JSON 6902 patch."""
    return isinstance(patch.body, dict)


def patch_object(patch: Patch) -> dict[str, Any] | list[dict[str, Any]]:
    """The whole body of a patch: a strategic one gets apiVersion, kind, name and namespace."""
    if not isinstance(patch.body, dict):
        return patch.body
    target = patch.target
    metadata: dict[str, Any] = {"name": target.name}
    if target.namespace is not None:
        metadata["namespace"] = target.namespace
    metadata.update(patch.body.get("metadata") or {})
    rest = {key: value for key, value in patch.body.items() if key != "metadata"}
    return {"apiVersion": target.api_version, "kind": target.kind, "metadata": metadata, **rest}


def patch_text(patch: Patch) -> str:
    """The body of a patch as YAML text."""
    return dump(patch_object(patch))


def target_object(patch: Patch) -> dict[str, str]:
    """The full selector of a patch; the core group and the namespace of cluster-scoped objects are left out."""
    target = patch.target
    fields = (
        ("group", target.group),
        ("version", target.version),
        ("kind", target.kind),
        ("name", target.name),
        ("namespace", target.namespace),
    )
    return {key: value for key, value in fields if value}


def inline_patches(patches: Sequence[Patch]) -> list[Any]:
    """The ``patches`` list of a Kustomization, of Flux or of Kustomize itself, with each patch's reasons above it."""
    return [
        commented({"target": Flow(target_object(patch)), "patch": Literal(patch_text(patch))}, *patch.why)
        for patch in patches
    ]


def kustomization_text(patches: Sequence[Patch]) -> str:
    """The Kustomization that a post-renderer puts beside ``all.yaml``, what Helm rendered."""
    kustomization = {
        "apiVersion": API_VERSION,
        "kind": "Kustomization",
        "resources": ["all.yaml"],
        "patches": inline_patches(patches),
    }
    return dump(kustomization, comments="all.yaml is what Helm rendered; post-render.sh puts it beside this file")


def commented(value: Any, *lines: str) -> Any:
    """The value with comment lines above it, wrapped to a readable width; without text the value itself."""
    wrapped = comment_lines(lines)
    return Commented(value, wrapped) if wrapped else value


def comment_lines(texts: Sequence[str]) -> tuple[str, ...]:
    """Texts as lines of a comment."""
    return tuple(line for text in texts for line in textwrap.wrap(text, _COMMENT_WIDTH, break_long_words=False))
