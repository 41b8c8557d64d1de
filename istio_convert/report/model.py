"""The report: what was read, what became of every field, and what a person must know. Totals are counted here, once.

:mod:`~istio_convert.report.building` makes it of a conversion. The JSON form is versioned by ``schemaVersion``;
``schemas/report.schema.json`` is generated from these classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, ClassVar, Literal

from istio_convert.errors import Origin
from istio_convert.ledger import Outcome

SCHEMA_VERSION = 1
SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """Frozen, camelCase in JSON, no unknown fields.

    Plain dataclasses: a report has an entry per field of the input and is written at every run, so making it has to be
    cheap. pydantic makes the JSON Schema from the same annotations and metadata.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "alias_generator": _camel}

    def to_data(self) -> dict[str, Any]:
        """The JSON form as plain data; what is absent has no key."""
        model: Any = type(self)
        values = ((key, getattr(self, name)) for name, key in _json_keys(model))
        return {key: _data(value) for key, value in values if value is not None}


@cache
def _json_keys(model: Any) -> tuple[tuple[str, str], ...]:
    return tuple((known.name, _camel(known.name)) for known in fields(model))


def _data(value: Any) -> Any:
    if isinstance(value, list):
        return [_data(child) for child in value]
    if isinstance(value, _Model):
        return value.to_data()
    return value.value if isinstance(value, Outcome) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Input(_Model):
    """One file that was read."""

    name: str = field(metadata={"description": "As given on the command line; '-' is standard input."})
    sha256: str = field(metadata={"description": "Of its bytes.", "pattern": "^[0-9a-f]{64}$"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Target(_Model):
    """The version of the charts."""

    version: str
    why: str = field(metadata={"description": "Why it is this version."})
    provisional: bool = field(
        metadata={"description": "The facts about this version are those of a release candidate."}
    )
    upgrade: str | None = field(
        default=None, metadata={"description": "That applying the result is an upgrade, too; absent when it is none."}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals(_Model):
    """How many fields have which outcome."""

    entries: int = field(metadata={"description": "All fields of the input."})
    value: int
    patch: int
    release: int
    default: int
    overridden: int
    inert: int
    manual: int
    lost: int
    allowed: int = field(metadata={"description": "Findings that an allowance or a baseline tolerates."})

    @classmethod
    def count(cls, entries: Sequence[Entry]) -> Totals:
        """Count the outcomes of entries."""
        counted = Counter(entry.outcome for entry in entries)
        allowed = sum(entry.allowed is not None for entry in entries)
        return cls(entries=len(entries), allowed=allowed, **{outcome.value: counted[outcome] for outcome in Outcome})

    def of(self, outcome: Outcome) -> int:
        """The number of entries with an outcome."""
        count: int = getattr(self, outcome.value)
        return count


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(_Model):
    """Where a field lives on."""

    release: str
    path: str = field(metadata={"description": "Path in the chart's values, or 'Kind name: path' of a patched object."})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(_Model):
    """The account of one field of the input."""

    file: str
    document: int = field(metadata={"description": "Number of the YAML document in the file, from 0."})
    line: int = field(metadata={"description": "From 1; 0 for a --set flag."})
    column: int = field(metadata={"description": "From 1; 0 for a --set flag."})
    path: str = field(metadata={"description": "Path in the document, dots inside keys escaped by a backslash."})
    outcome: Outcome
    rule: str = field(metadata={"description": "Id of the mapping rule that decided."})
    places: list[Place]
    reason: str
    action: str = field(metadata={"description": "What a person must do; never empty for 'manual' and 'lost'."})
    derived: bool = field(metadata={"description": "The proof found the place, not a rule."})
    allowed: str | None = field(default=None, metadata={"description": "Why this finding is tolerated."})
    value: str | None = field(
        default=None, metadata={"description": "The value as written; only on request, it may be a secret."}
    )

    @property
    def origin(self) -> Origin:
        """Its place in the input."""
        return Origin(self.file, self.line, self.column)

    @property
    def severity(self) -> int:
        """That of the outcome; 0 when the finding is tolerated."""
        return 0 if self.allowed is not None else self.outcome.severity


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchSummary(_Model):
    """One patch of a release."""

    kind: str
    name: str
    namespace: str | None = None
    why: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseSummary(_Model):
    """One Helm release of the result."""

    name: str
    chart: str
    version: str
    namespace: str
    component: str
    depends_on: list[str]
    patches: list[PatchSummary]
    notes: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem(_Model):
    """A warning, or an error that ended the work on this input."""

    message: str
    file: str | None = None
    line: int = 0
    column: int = 0
    hint: str | None = None

    @property
    def origin(self) -> Origin | None:
        """Its place, when known."""
        return None if self.file is None else Origin(self.file, self.line, self.column)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSummary(_Model):
    """A mapping rule that decided about an entry."""

    id: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(_Model):
    """The program that wrote the report."""

    name: Literal["istio-convert"] = "istio-convert"
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(_Model):
    """The report of one conversion. When ``errors`` is not empty, it failed and the rest tells how far it came."""

    schema_version: Literal[1] = 1
    tool: Tool
    inputs: list[Input]
    target: Target | None = field(default=None, metadata={"description": "Absent when the conversion failed before."})
    totals: Totals
    releases: list[ReleaseSummary] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    errors: list[Problem] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    rules: list[RuleSummary] = field(default_factory=list, metadata={"description": "The rules that the entries name."})

    @property
    def worst(self) -> int:
        """The highest severity of what is not tolerated."""
        return max((entry.severity for entry in self.entries), default=0)

    @property
    def title(self) -> str:
        """The names of the inputs."""
        return ", ".join(item.name for item in self.inputs)

    def with_outcome(self, *outcomes: Outcome) -> list[Entry]:
        """The entries with one of these outcomes, in input order."""
        return [entry for entry in self.entries if entry.outcome in outcomes]

    def with_allowed(self, reasons: Mapping[int, str]) -> Report:
        """A copy in which the entries at these positions are tolerated, totals recounted.

        Args:
            reasons: position in ``entries`` -> why.
        """
        entries = [
            replace(entry, allowed=reasons[number]) if number in reasons else entry
            for number, entry in enumerate(self.entries)
        ]
        return replace(self, entries=entries, totals=Totals.count(entries))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSet(_Model):
    """The reports of several inputs, each converted on its own."""

    schema_version: Literal[1] = 1
    reports: list[Report]


def json_schema() -> dict[str, Any]:
    """The JSON Schema of ``report.json``: one report, or the reports of several inputs."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - only the schema command needs it

    _, schema = TypeAdapter.json_schemas(
        [(Report, "serialization", TypeAdapter(Report)), (ReportSet, "serialization", TypeAdapter(ReportSet))],
        by_alias=True,
    )
    definitions = schema["$defs"]
    return {
        "$schema": SCHEMA_DIALECT,
        "title": "Report of istio-convert",
        "anyOf": [{"$ref": "#/$defs/Report"}, {"$ref": "#/$defs/ReportSet"}],
        "$defs": {name: definitions[name] for name in sorted(definitions)},
    }
