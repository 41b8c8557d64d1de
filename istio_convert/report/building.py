"""From a conversion, or from the error that ended it, to the report."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Protocol

from istio_convert.errors import Issue, IstioConvertError, ModelError
from istio_convert.ledger import ClosedLedger
from istio_convert.ledger import Entry as LedgerEntry
from istio_convert.release import Patch, Release
from istio_convert.report.model import (
    Entry,
    Input,
    PatchSummary,
    Place,
    Problem,
    ReleaseSummary,
    Report,
    RuleSummary,
    Target,
    Tool,
    Totals,
)


class _Named(Protocol):
    """An input: :class:`istio_convert.api.Source`."""

    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str | bytes: ...


class _Converted(Protocol):
    """A conversion: :class:`istio_convert.api.Conversion`."""

    @property
    def version(self) -> str: ...
    @property
    def why_version(self) -> str: ...
    @property
    def provisional(self) -> bool: ...
    @property
    def upgrade(self) -> str: ...
    @property
    def releases(self) -> list[Release]: ...
    @property
    def ledger(self) -> ClosedLedger: ...
    @property
    def warnings(self) -> list[Issue]: ...
    @property
    def sources(self) -> Sequence[_Named]: ...


def build(conversion: _Converted, *, show_values: bool = False) -> Report:
    """The report of a conversion.

    Args:
        conversion: what :func:`istio_convert.convert` returned.
        show_values: put the values of the input into the entries.
    """
    entries = [_entry(entry, show_values=show_values) for entry in conversion.ledger.entries]
    return Report(
        tool=_tool(),
        inputs=_inputs(conversion.sources),
        target=Target(
            version=conversion.version,
            why=conversion.why_version,
            provisional=conversion.provisional,
            upgrade=conversion.upgrade or None,
        ),
        totals=Totals.count(entries),
        releases=[_release(release) for release in conversion.releases],
        warnings=[_problem(issue) for issue in conversion.warnings],
        entries=entries,
        rules=_rules({entry.rule for entry in entries}),
    )


def failed(sources: Sequence[_Named], error: IstioConvertError) -> Report:
    """The report of a conversion that an error ended.

    Args:
        sources: what had been read.
        error: what ended it; a :class:`~istio_convert.errors.ModelError` gives one problem per issue.
    """
    return Report(tool=_tool(), inputs=_inputs(sources), totals=Totals.count([]), errors=problems_of(error))


def problems_of(error: IstioConvertError) -> list[Problem]:
    """An error as problems, in input order."""
    if isinstance(error, ModelError):
        return [_problem(issue) for issue in error.issues]
    return [_problem(Issue(error.message, error.origin, error.hint))]


def _tool() -> Tool:
    from istio_convert import __version__  # noqa: PLC0415 - the package imports this module

    return Tool(version=__version__)


def _inputs(sources: Iterable[_Named]) -> list[Input]:
    found = []
    for source in sources:
        content = source.text.encode() if isinstance(source.text, str) else source.text
        found.append(Input(name=source.name, sha256=hashlib.sha256(content).hexdigest()))
    return found


def _entry(entry: LedgerEntry, *, show_values: bool) -> Entry:
    leaf = entry.leaf
    return Entry(
        file=leaf.file,
        document=leaf.document,
        line=leaf.line,
        column=leaf.column,
        path=leaf.dotted,
        outcome=entry.outcome,
        rule=entry.rule,
        places=[Place(release=place.release, path=place.path) for place in entry.places],
        reason=entry.reason,
        action=entry.action,
        derived=entry.derived,
        value=leaf.text if show_values else None,
    )


def _release(release: Release) -> ReleaseSummary:
    return ReleaseSummary(
        name=release.name,
        chart=release.chart,
        version=release.version,
        namespace=release.namespace,
        component=release.component,
        depends_on=list(release.depends_on),
        patches=[_patch(patch) for patch in release.patches],
        notes=list(release.notes),
    )


def _patch(patch: Patch) -> PatchSummary:
    target = patch.target
    return PatchSummary(kind=target.kind, name=target.name, namespace=target.namespace, why=list(patch.why))


def _problem(issue: Issue) -> Problem:
    origin = issue.origin
    return Problem(
        message=issue.message,
        file=origin.file if origin else None,
        line=origin.line if origin else 0,
        column=origin.column if origin else 0,
        hint=issue.hint,
    )


def _rules(ids: set[str]) -> list[RuleSummary]:
    from istio_convert.mapping.rules.table import rules  # noqa: PLC0415 - only a complete conversion needs the tables

    return [RuleSummary(id=rule.id, why=rule.why) for rule in rules() if rule.id in ids]
