"""Flux's own definitions, as the typed models that are made of them."""

from __future__ import annotations

from typing import Any

import pytest

#: younger than the models of Flux 2.5, which are the newest for Python before 3.14
NEWER = {"spec.install.strategy", "spec.upgrade.strategy"}


def check(document: dict[str, Any]) -> None:
    """Read an object of Flux with its model; a field that the model does not know is an error, like a wrong value."""
    model = _model(document["apiVersion"], document["kind"])
    known = model.model_validate(document).model_dump(mode="json", by_alias=True, exclude_unset=True)
    unknown = {path for path in _missing(document, known, "") if path not in NEWER}
    assert not unknown, f"{document['kind']} {document['metadata']['name']}: unknown to Flux"


def _model(api_version: str, kind: str) -> Any:
    if kind == "HelmRelease":
        module = pytest.importorskip("cloudcoil.models.fluxcd.helm.v2")
    else:
        module = pytest.importorskip("cloudcoil.models.fluxcd.source.v1")
    assert api_version in ("helm.toolkit.fluxcd.io/v2", "source.toolkit.fluxcd.io/v1")
    if hasattr(module, kind):
        return getattr(module, kind)
    # the same fields; v1 came with Flux 2.6
    old: Any = getattr(pytest.importorskip("cloudcoil.models.fluxcd.source.v1beta2"), kind)
    return _with_version(old, api_version)


def _with_version(model: Any, api_version: str) -> Any:
    class Promoted:
        @staticmethod
        def model_validate(document: dict[str, Any]) -> Any:
            return model.model_validate({**document, "apiVersion": "source.toolkit.fluxcd.io/v1beta2"})

    return Promoted


def _missing(document: Any, known: Any, at: str) -> list[str]:
    """Paths of the document that the model dropped or changed, but for what is free in it: values."""
    if isinstance(document, dict) and isinstance(known, dict):
        return [
            path
            for key, value in document.items()
            for path in _missing(value, known.get(key), f"{at}.{key}".lstrip("."))
        ]
    if isinstance(document, list) and isinstance(known, list) and len(document) == len(known):
        return [path for left, right in zip(document, known, strict=True) for path in _missing(left, right, at)]
    return [] if document == known or at in {"apiVersion", "spec.interval"} else [at]
