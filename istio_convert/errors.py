"""The exception tree. It imports nothing of this project, and nothing here prints.

IstioConvertError
├── InputError                 what was given cannot be read or is not what it says
│   ├── YamlError              no YAML, or YAML that Go's reader refuses
│   ├── NotIstioOperatorError  YAML, but no IstioOperator
│   ├── ModelError             an IstioOperator of the wrong shape; carries every issue
│   ├── MergeConflictError     two operators that contradict each other
│   ├── UnsupportedVersionError
│   └── ClusterError           a cluster that cannot be read
├── OutputError                the result cannot be written
│   ├── OutputExistsError
│   ├── InvalidNameError
│   └── SchemaViolationError
├── VerifyError                the proof cannot be carried out
│   ├── ChartsMissingError
│   └── RenderError
├── LossError                  raised only by Conversion.raise_for_loss()
└── InternalError              a bug of ours
    └── LedgerError
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Origin(NamedTuple):
    """A place in an input file. Lines and columns count from 1; 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


def one_line(text: str) -> str:
    """The text on one line, control characters made visible: keys of the input must not steer a terminal."""
    joined = " ".join(text.split())
    if joined.isprintable():
        return joined
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in joined)


class IstioConvertError(Exception):
    """Base of all errors of this package.

    Attributes:
        message: what is wrong, one line, without values of the input (they may be secrets).
        origin: where in the input, when known.
        hint: what to do about it, when known.
    """

    def __init__(self, message: str, *, origin: Origin | None = None, hint: str | None = None) -> None:
        self.message = one_line(message)
        super().__init__(self.message)
        self.origin = origin
        self.hint = one_line(hint) if hint is not None else None

    def __str__(self) -> str:
        where = f"{self.origin}: " if self.origin else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.message}{hint}"


class InputError(IstioConvertError):
    """The input cannot be used."""


class YamlError(InputError):
    """The text is no YAML that istioctl could read."""


class NotIstioOperatorError(InputError):
    """The document is no IstioOperator."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One problem of many in one input."""

    message: str
    origin: Origin | None = None
    hint: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", one_line(self.message))
        object.__setattr__(self, "hint", one_line(self.hint) if self.hint is not None else None)

    def __str__(self) -> str:
        where = f"{self.origin}: " if self.origin else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.message}{hint}"


class ModelError(InputError):
    """The operator has the wrong shape. ``issues`` lists every problem, in input order."""

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues = tuple(issues)
        first = self.issues[0]
        super().__init__(first.message, origin=first.origin, hint=first.hint)

    def __str__(self) -> str:
        return "\n".join(str(issue) for issue in self.issues)


class MergeConflictError(InputError):
    """Two inputs would render the same object differently."""


class UnsupportedVersionError(InputError):
    """The catalog does not know the version that was asked for."""


class ClusterError(InputError):
    """The cluster does not answer, or the account may not read it.

    Attributes:
        forbidden: it answers, and the account may not.
    """

    def __init__(self, message: str, *, hint: str | None = None, forbidden: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.forbidden = forbidden


class OutputError(IstioConvertError):
    """The result cannot be written."""


class OutputExistsError(OutputError):
    """The output folder holds files that this program did not write."""


class InvalidNameError(OutputError):
    """A name that Kubernetes would refuse, or that would leave the output folder."""


class SchemaViolationError(OutputError):
    """The values do not fit the chart's schema."""


class VerifyError(IstioConvertError):
    """The proof cannot be carried out."""


class ChartsMissingError(VerifyError):
    """There are no charts of that version on this machine."""


class RenderError(VerifyError):
    """Helm or Kustomize refuses to render."""


class LossError(IstioConvertError):
    """Raised by ``Conversion.raise_for_loss`` when something is lost or needs a decision."""


class InternalError(IstioConvertError):
    """A bug in istio-convert."""


class LedgerError(InternalError):
    """The ledger does not add up."""
