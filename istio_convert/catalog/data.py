"""Where the data of the catalog lies, and reading it.

In a checkout the folder ``schemas`` stands beside the package; in a wheel it lies inside it. Nothing else of the
project needs to know.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from istio_convert.errors import InternalError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable  # Python 3.10 has it elsewhere

_PACKAGE = "istio_convert"


@lru_cache(maxsize=1)
def schemas_root() -> Traversable:
    """The folder ``schemas``.

    Raises:
        InternalError: the installation is incomplete.
    """
    inside = files(_PACKAGE).joinpath("schemas")
    if inside.is_dir():
        return inside
    beside = FilePath(__file__).resolve().parents[2] / "schemas"
    if beside.is_dir():
        return beside
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
