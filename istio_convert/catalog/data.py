"""Where the data of the catalog lies, and reading it.

In a checkout the folder ``schemas`` stands beside the package; in a wheel it lies inside it. Nothing else of the
project needs to know.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any

from istio_convert.errors import InternalError


@lru_cache(maxsize=1)
def schemas_root() -> FilePath:
    """The folder ``schemas``.

    Raises:
        InternalError: the installation is incomplete.
    """
    package = FilePath(__file__).resolve().parents[1]
    for folder in (package / "schemas", package.parent / "schemas"):
        if folder.is_dir():
            return folder
    raise InternalError("the data folder 'schemas' is missing from the installation", hint="install the package again")


def read_text(*names: str) -> str:
    """The text of one file below ``schemas``, such as ``read_text("catalog", "istiod.json")``.

    Raises:
        InternalError: there is no such file.
    """
    try:
        return schemas_root().joinpath(*names).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InternalError(f"the data file {'/'.join(names)} is missing from the installation") from error


@lru_cache(maxsize=64)
def load(name: str) -> dict[str, Any]:
    """One data file of the catalog, read once. Callers must not change what they get.

    Args:
        name: file name without folder, such as ``istiod.json``.
    """
    data: dict[str, Any] = json.loads(read_text("catalog", name))
    return data
