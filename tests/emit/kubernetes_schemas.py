"""Kubernetes' own schemas: whether an API server would take an object."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

VERSION = "1.33"


@lru_cache
def _library() -> Any:
    library = pytest.importorskip("kubernetes_validate")
    # it reads and parses all definitions anew for each object
    library.utils.schema_contents = lru_cache(library.utils.schema_contents)
    return library


def complaint(document: dict[str, Any]) -> str:
    """What is wrong with an object, an unknown field included; empty when nothing is, or for a kind of others."""
    library = _library()
    try:
        library.validate(document, VERSION, strict=True)
    except library.SchemaNotFoundError:
        assert "." in document["apiVersion"].replace(".k8s.io/", "/"), "a kind of Kubernetes that it does not know"
    except library.ValidationError as error:
        return f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
    return ""
