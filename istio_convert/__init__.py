r"""istio-convert: an IstioOperator as Helm releases, with an account of every field.

>>> from istio_convert import convert
>>> conversion = convert("kind: IstioOperator\napiVersion: install.istio.io/v1alpha1\n", to="1.25.3")
>>> [release.name for release in conversion.releases]
['istio-base', 'istiod', 'istio-ingressgateway']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from istio_convert.api import Conversion, Source, convert
    from istio_convert.emit.changes import Changes
    from istio_convert.errors import (
        ChartsMissingError,
        InputError,
        InternalError,
        InvalidNameError,
        Issue,
        IstioConvertError,
        LedgerError,
        LossError,
        MergeConflictError,
        ModelError,
        NotIstioOperatorError,
        Origin,
        OutputError,
        OutputExistsError,
        RenderError,
        SchemaViolationError,
        UnsupportedVersionError,
        VerifyError,
        YamlError,
    )
    from istio_convert.ledger import ClosedLedger, Entry, Outcome, Place
    from istio_convert.release import Patch, Release, Target
    from istio_convert.source.nodes import Leaf

__version__ = "0.1.0"

#: where the public names live; they are imported when first asked for, so that the command line starts quickly
_HOMES = {
    "api": ("Conversion", "Source", "convert"),
    "emit.changes": ("Changes",),
    "errors": (
        "ChartsMissingError",
        "InputError",
        "InternalError",
        "InvalidNameError",
        "IstioConvertError",
        "Issue",
        "LedgerError",
        "LossError",
        "MergeConflictError",
        "ModelError",
        "NotIstioOperatorError",
        "Origin",
        "OutputError",
        "OutputExistsError",
        "RenderError",
        "SchemaViolationError",
        "UnsupportedVersionError",
        "VerifyError",
        "YamlError",
    ),
    "ledger": ("ClosedLedger", "Entry", "Outcome", "Place"),
    "release": ("Patch", "Release", "Target"),
    "source.nodes": ("Leaf",),
}

__all__ = [
    "Changes",
    "ChartsMissingError",
    "ClosedLedger",
    "Conversion",
    "Entry",
    "InputError",
    "InternalError",
    "InvalidNameError",
    "Issue",
    "IstioConvertError",
    "Leaf",
    "LedgerError",
    "LossError",
    "MergeConflictError",
    "ModelError",
    "NotIstioOperatorError",
    "Origin",
    "Outcome",
    "OutputError",
    "OutputExistsError",
    "Patch",
    "Place",
    "Release",
    "RenderError",
    "SchemaViolationError",
    "Source",
    "Target",
    "UnsupportedVersionError",
    "VerifyError",
    "YamlError",
    "convert",
]


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(importlib.import_module(f"istio_convert.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
