from __future__ import annotations

import hashlib
import json
from pathlib import Path

import jsonschema
import pytest
from pydantic import TypeAdapter

from istio_convert import Source, convert
from istio_convert.catalog.data import read_text
from istio_convert.errors import Issue, ModelError, Origin
from istio_convert.ledger import Outcome
from istio_convert.report import FORMATS, build, failed, json_schema, render, todo
from istio_convert.report.model import ReportSet
from tests.report.samples import OPERATOR, SECRET, broken, sample, warned


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(read_text("report.schema.json"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_published_schema_is_the_one_of_the_classes() -> None:
    published = json.loads(read_text("report.schema.json"))
    assert published == json_schema(), "istio-convert schema report > schemas/report.schema.json"


@pytest.mark.parametrize("report", [sample(), sample(show_values=True), broken(), warned()])
def test_json_fits_the_published_schema(report, validator) -> None:
    validator.validate(json.loads(render(report, "json")))


def test_json_of_several_reports_fits_the_published_schema(validator) -> None:
    chosen = FORMATS["json"]
    parts = [json.dumps(report.to_data()) for report in (sample(), broken())]
    data = json.loads(chosen.whole(parts))
    validator.validate(data)
    assert TypeAdapter(ReportSet).validate_python(data).reports == [sample(), broken()]


def test_schema_refuses_a_report_of_another_shape(validator) -> None:
    data = sample().to_data()
    for change in ({"schemaVersion": 2}, {"entries": [{"file": "x"}]}, {"surprise": 1}, {"totals": {}}):
        assert not validator.is_valid(data | change), change


def test_every_leaf_has_its_entry_and_totals_add_up() -> None:
    conversion = convert(Source("a.yaml", OPERATOR), to="1.25.3")
    report = build(conversion)
    assert [(e.line, e.column, e.outcome) for e in report.entries] == [
        (e.leaf.line, e.leaf.column, e.outcome) for e in conversion.ledger.entries
    ]
    totals = report.totals
    assert totals.entries == len(report.entries) == sum(totals.of(outcome) for outcome in Outcome)
    assert {outcome for outcome in Outcome if totals.of(outcome)} >= {
        Outcome.VALUE,
        Outcome.PATCH,
        Outcome.RELEASE,
        Outcome.DEFAULT,
        Outcome.OVERRIDDEN,
        Outcome.INERT,
        Outcome.MANUAL,
    }


def test_header_names_inputs_version_and_reason() -> None:
    data = sample().to_data()
    assert data["inputs"] == [{"name": "ops/operator.yaml", "sha256": hashlib.sha256(OPERATOR.encode()).hexdigest()}]
    assert data["target"] == {"version": "1.25.3", "why": "as asked for", "provisional": False}
    assert data["schemaVersion"] == 1
    assert data["tool"]["name"] == "istio-convert"


def test_provisional_version_is_marked() -> None:
    report = build(convert(Source("a.yaml", OPERATOR), to="1.31"))
    assert report.target is not None
    assert report.target.provisional
    assert "provisional" in render(report).splitlines()[0]
    assert "not published yet" in render(report, "markdown")


@pytest.mark.parametrize("name", FORMATS)
def test_values_of_the_input_appear_in_no_format_unless_asked_for(name) -> None:
    assert SECRET not in render(sample(), name)


@pytest.mark.parametrize("name", ["json", "markdown", "text"])
def test_values_appear_when_asked_for(name) -> None:
    assert SECRET in render(sample(show_values=True), name)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_deterministic(name) -> None:
    assert render(sample(), name) == render(sample(), name)


def test_rules_of_the_entries_are_explained() -> None:
    report = sample()
    assert {rule.id for rule in report.rules} <= {entry.rule for entry in report.entries}
    assert all(rule.why for rule in report.rules)
    assert "addon.kiali" in {rule.id for rule in report.rules}


def test_allowed_findings_are_no_findings_but_stay_in_the_totals() -> None:
    report = sample()
    findings = {number: "decided" for number, entry in enumerate(report.entries) if entry.severity}
    allowed = report.with_allowed(findings)
    assert (report.worst, allowed.worst) == (Outcome.MANUAL.severity, 0)
    assert allowed.totals.allowed == len(findings)
    assert allowed.totals.manual == report.totals.manual
    assert report.totals.allowed == 0


def test_failed_report_lists_every_issue() -> None:
    issues = [Issue("one", Origin("a.yaml", 1, 2)), Issue("two", Origin("a.yaml", 3, 4), "do this")]
    report = failed([Source("a.yaml", b"\xff")], ModelError(issues))
    assert [(p.message, str(p.origin), p.hint) for p in report.errors] == [
        ("one", "a.yaml:1:2", None),
        ("two", "a.yaml:3:4", "do this"),
    ]
    assert report.inputs[0].sha256 == hashlib.sha256(b"\xff").hexdigest()
    assert report.target is None


def test_todo_names_warnings_too() -> None:
    assert todo(warned())[-1] == "ops/operator.yaml:6:8 tag is read as a number; quote it"


def test_todo_names_place_reason_and_action_of_what_needs_a_person() -> None:
    lines = todo(sample())
    assert len(lines) == sample().totals.manual
    assert any(line.startswith("ops/operator.yaml:16:16 spec.addonComponents.kiali.enabled: ") for line in lines)


def test_conversion_has_report_files_and_write(tmp_path: Path) -> None:
    conversion = convert(Source("ops/operator.yaml", OPERATOR), to="1.25.3")
    assert conversion.report == sample()
    files = conversion.files()
    assert list(files)[-2:] == ["REPORT.md", "report.json"]
    assert files["report.json"] == render(sample(), "json")
    assert files["REPORT.md"] == render(sample(), "markdown")
    conversion.write(tmp_path / "out")
    assert {p.name: p.read_text() for p in (tmp_path / "out").iterdir() if not p.name.startswith(".")} == files
    assert not conversion.write(tmp_path / "out"), "the second run changes nothing"


def test_reports_are_not_applied_by_kustomize() -> None:
    kustomization = convert(Source("a.yaml", OPERATOR), to="1.25.3").files()["kustomization.yaml"]
    assert "eport" not in kustomization.replace("kustomize", "")


def test_readme_of_the_output_says_what_needs_a_person() -> None:
    readme = convert(Source("a.yaml", OPERATOR), to="1.25.3").files()["README.md"]
    assert "spec.addonComponents.kiali.enabled" in readme
