"""The main constraints of SARIF 2.1.0 for what we write: required members, enumerations, ranges, known names only."""

from __future__ import annotations

from typing import Any


def _object(required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required or [],
        "additionalProperties": False,
    }


def _unique(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": True}


TEXT = {"type": "string"}
URI = {"type": "string", "format": "uri-reference"}
MESSAGE = _object(["text"], text={"type": "string", "minLength": 1}, markdown=TEXT, id=TEXT)
ARTIFACT_LOCATION = _object(uri=URI, uriBaseId=TEXT, index={"type": "integer", "minimum": -1})
POSITION = {"type": "integer", "minimum": 1}
REGION = _object(startLine=POSITION, startColumn=POSITION, endLine=POSITION, endColumn=POSITION)
PHYSICAL = {**_object(artifactLocation=ARTIFACT_LOCATION, region=REGION), "required": ["artifactLocation"]}
LOGICAL = _object(name=TEXT, fullyQualifiedName=TEXT, kind=TEXT)
LOCATION = _object(physicalLocation=PHYSICAL, logicalLocations=_unique(LOGICAL), message=MESSAGE)
SUPPRESSION = _object(
    ["kind"],
    kind={"enum": ["inSource", "external"]},
    status={"enum": ["accepted", "underReview", "rejected"]},
    justification=TEXT,
)
RESULT = _object(
    ["message"],
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    kind={"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations={"type": "array", "items": LOCATION},
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    suppressions=_unique(SUPPRESSION),
)
RULE = _object(["id"], id=TEXT, name=TEXT, shortDescription=MESSAGE, fullDescription=MESSAGE, helpUri=URI)
DRIVER = _object(["name"], name={"type": "string", "minLength": 1}, version=TEXT, rules=_unique(RULE))
ARTIFACT = _object(location=ARTIFACT_LOCATION, hashes={"type": "object", "additionalProperties": TEXT})
RUN = _object(
    ["tool"],
    tool=_object(["driver"], driver=DRIVER, extensions=_unique(DRIVER)),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    artifacts=_unique(ARTIFACT),
    results={"type": "array", "items": RESULT},
)
SARIF = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **_object(
        ["version", "runs"],
        **{"$schema": {"type": "string", "format": "uri"}},
        version={"const": "2.1.0"},
        runs={"type": "array", "items": RUN},
    ),
}
