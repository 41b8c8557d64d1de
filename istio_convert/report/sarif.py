"""SARIF 2.1.0: findings, warnings and errors as results, for code scanning."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from istio_convert.ledger import Outcome
from istio_convert.report.model import Entry, Problem, Report

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
WARNING_RULE = "warning"
ERROR_RULE = "error"

_LEVELS = {Outcome.INERT: "note", Outcome.MANUAL: "warning", Outcome.LOST: "error"}
_OWN_RULES = {
    WARNING_RULE: "what is odd in the input, but understood",
    ERROR_RULE: "what ended the conversion of an input",
}


def part(report: Report) -> str:
    """One report as a JSON text with its rules, artifacts and results; :func:`whole` joins such texts."""
    results = [_finding(entry) for entry in report.entries if entry.outcome.severity]
    results += [_problem(problem, WARNING_RULE, "warning", report) for problem in report.warnings]
    results += [_problem(problem, ERROR_RULE, "error", report) for problem in report.errors]
    used = {result["ruleId"] for result in results}
    why = {rule.id: rule.why for rule in report.rules} | _OWN_RULES
    artifacts = [{"location": {"uri": uri(item.name)}, "hashes": {"sha-256": item.sha256}} for item in report.inputs]
    rules = {rule: why.get(rule, rule) for rule in sorted(used)}
    data = {"version": report.tool.version, "rules": rules, "artifacts": artifacts, "results": results}
    return json.dumps(data)


def whole(parts: Sequence[str]) -> str:
    """The SARIF log of all parts, as one run."""
    loaded = [json.loads(text) for text in parts]
    rules: dict[str, str] = {}
    for data in loaded:
        rules |= data["rules"]
    ids = sorted(rules)
    place = {rule: number for number, rule in enumerate(ids)}
    results = [{**result, "ruleIndex": place[result["ruleId"]]} for data in loaded for result in data["results"]]
    driver = {
        "name": "istio-convert",
        "version": loaded[0]["version"] if loaded else "0",
        "rules": [{"id": rule, "shortDescription": {"text": rules[rule]}} for rule in ids],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [artifact for data in loaded for artifact in data["artifacts"]],
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def uri(name: str) -> str:
    """A file name as a URI reference; a relative name stays relative."""
    path = PurePath(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _finding(entry: Entry) -> dict[str, Any]:
    location = _location(entry.file, entry.line, entry.column)
    location["logicalLocations"] = [{"fullyQualifiedName": entry.path}]
    result: dict[str, Any] = {
        "ruleId": entry.rule,
        "level": _LEVELS[entry.outcome],
        "message": {"text": _sentences(f"{entry.outcome.value}: {entry.path}: {entry.reason}", entry.action)},
        "locations": [location],
        "partialFingerprints": {"istioConvert/v1": _fingerprint((entry.rule, entry.outcome.value, entry.path))},
    }
    if entry.allowed is not None:
        result["suppressions"] = [{"kind": "external", "justification": entry.allowed}]
    return result


def _problem(problem: Problem, rule: str, level: str, report: Report) -> dict[str, Any]:
    file = problem.file or (report.inputs[0].name if report.inputs else "-")
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": _sentences(problem.message, problem.hint)},
        "locations": [_location(file, problem.line, problem.column)],
        "partialFingerprints": {"istioConvert/v1": _fingerprint((rule, problem.message))},
    }


def _location(file: str, line: int, column: int) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(file)}}
    if line:
        physical["region"] = {"startLine": line, "startColumn": max(column, 1)}
    return {"physicalLocation": physical}


def _fingerprint(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _sentences(*texts: str | None) -> str:
    return ". ".join(text for text in texts if text)
