r"""istio-convert: an IstioOperator as Helm releases, with an account of every field.

>>> from istio_convert import convert
>>> conversion = convert("kind: IstioOperator\napiVersion: install.istio.io/v1alpha1\n", to="1.25.3")
>>> [release.name for release in conversion.releases]
['istio-base', 'istiod', 'istio-ingressgateway']
"""

from __future__ import annotations

from istio_convert.api import Conversion, Source, convert
from istio_convert.errors import (
    ChartsMissingError,
    InputError,
    InternalError,
    InvalidNameError,
    IstioConvertError,
    Issue,
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

__version__ = "0.1.0"

__all__ = [
    "ChartsMissingError",
    "ClosedLedger",
    "Conversion",
    "Entry",
    "InputError",
    "InternalError",
    "InvalidNameError",
    "Issue",
    "IstioConvertError",
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
