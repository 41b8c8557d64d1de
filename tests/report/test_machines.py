"""SARIF, JUnit and GitHub annotations."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import jsonschema
import pytest

from istio_convert.ledger import Outcome
from istio_convert.report import FORMATS, Problem, View, format_for, render
from istio_convert.report.sarif import uri
from tests.report.samples import OPERATOR, broken, sample, warned
from tests.report.schemas_sarif import SARIF


def sarif(*reports) -> dict:
    chosen = FORMATS["sarif"]
    data = json.loads(chosen.whole([chosen.part(report, View()) for report in reports]))
    jsonschema.Draft202012Validator(SARIF).validate(data)
    return data["runs"][0]


def allowed():
    report = sample()
    return report.with_allowed({n: "ticket 7" for n, e in enumerate(report.entries) if e.severity})


@pytest.mark.parametrize("reports", [(), (sample(),), (broken(),), (warned(), broken()), (allowed(),)])
def test_sarif_is_valid(reports) -> None:
    run = sarif(*reports)
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_has_one_result_per_finding_at_its_line() -> None:
    report = sample()
    results = {
        result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]: result
        for result in sarif(report)["results"]
    }
    assert set(results) == {entry.path for entry in report.entries if entry.severity}
    kiali = results["spec.addonComponents.kiali.enabled"]
    place = kiali["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "ops/operator.yaml"}, "region": {"startLine": 16, "startColumn": 16}}
    assert OPERATOR.splitlines()[15][15:] == "true"
    assert (kiali["level"], kiali["ruleId"]) == ("warning", "addon.kiali")
    assert results["spec.values.kiali.password"]["level"] == "note"


def test_sarif_fingerprints_do_not_depend_on_lines() -> None:
    def prints(text: str) -> set[str]:
        return {r["partialFingerprints"]["istioConvert/v1"] for r in sarif(sample(text=text))["results"]}

    assert prints(OPERATOR) == prints("# a comment\n" + OPERATOR)


def test_sarif_marks_allowed_findings_as_suppressed() -> None:
    assert all(
        result["suppressions"] == [{"kind": "external", "justification": "ticket 7"}]
        for result in sarif(allowed())["results"]
    )


def test_sarif_joins_reports_into_one_run() -> None:
    run = sarif(sample(), broken())
    assert [artifact["location"]["uri"] for artifact in run["artifacts"]] == ["ops/operator.yaml", "ops/bad.yaml"]
    assert {result["ruleId"] for result in run["results"]} >= {"error", "addon.kiali"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a b/ö#.yaml", "a%20b/%C3%B6%23.yaml"), ("/tmp/x.yaml", "file:///tmp/x.yaml"), ("-", "-"), ("--set", "--set")],
)
def test_uris(name, expected) -> None:
    assert uri(name) == expected


def junit(report, fail_at: int = 2) -> ET.Element:
    chosen = FORMATS["junit"]
    return ET.fromstring(chosen.whole([chosen.part(report, View(fail_at=fail_at))]))


@pytest.mark.parametrize(("fail_at", "outcomes"), [(0, []), (1, ["inert", "manual"]), (2, ["manual"]), (3, [])])
def test_junit_fails_at_the_threshold(fail_at, outcomes) -> None:
    report = sample()
    suite = junit(report, fail_at).find("testsuite")
    assert suite is not None
    failures = suite.findall("testcase/failure")
    assert sorted({failure.attrib["type"] for failure in failures}) == outcomes
    assert int(suite.attrib["tests"]) == report.totals.entries == len(suite.findall("testcase"))
    assert int(suite.attrib["failures"]) == len(failures)


def test_junit_skips_allowed_findings() -> None:
    suite = junit(allowed()).find("testsuite")
    assert suite is not None
    assert suite.attrib["failures"] == "0"
    assert {s.attrib["message"] for s in suite.findall("testcase/skipped")} == {"ticket 7"}
    assert int(suite.attrib["skipped"]) == 3


def test_junit_has_the_error_of_a_failed_conversion() -> None:
    suite = junit(broken()).find("testsuite")
    assert suite is not None
    assert suite.attrib["errors"] == "1"
    error = suite.find("testcase/error")
    assert error is not None
    assert error.attrib["message"] == "ops/bad.yaml:3:5: a list, where a map is needed"
    assert error.text == "indent it"


def test_junit_holds_keys_that_xml_cannot() -> None:
    text = OPERATOR.replace("replicas|<b>", '"a\\x01&<\\""')
    names = [case.attrib["name"] for case in junit(sample(text=text)).iter("testcase")]
    assert any('a\ufffd&<"' in name for name in names)


def test_github_annotates_every_finding() -> None:
    report = sample()
    lines = render(report, "github", View(fail_at=1)).splitlines()
    findings = [line for line in lines if line.startswith("::")]
    assert len(findings) == report.totals.manual + report.totals.inert
    pattern = r"::warning file=ops/operator\.yaml,line=16,col=16,title=manual addon\.kiali::spec\.addonComponents\..*"
    assert any(re.fullmatch(pattern, line) for line in findings)
    assert any(line.startswith("::notice ") for line in findings)
    assert not lines[-1].startswith("::")


def test_github_has_fields_without_effect_only_where_they_fail() -> None:
    report = sample()
    assert report.totals.inert
    for fail_at in (0, 2, 3):
        assert "::notice" not in render(report, "github", View(fail_at=fail_at))
    assert "::warning" in render(report, "github", View(fail_at=0))


def test_github_has_a_few_annotations_for_each_input_the_gravest_first() -> None:
    report = sample()
    *entries, last = report.entries
    report = replace(report, entries=[*entries, replace(last, outcome=Outcome.LOST)])
    many = replace(
        report,
        warnings=[Problem(message=f"warning {number}", file="a.yaml", line=number + 1) for number in range(40)],
    )
    shown = render(many, "github").splitlines()
    assert len([line for line in shown if line.startswith("::")]) == 10
    assert shown[0].startswith("::error ")
    assert re.fullmatch(r"ops/operator\.yaml: \d+ more, see the summary or the report", shown[10])


def test_the_summary_has_a_table_and_what_is_found() -> None:
    page = format_for("summary")
    parts = [page.part(report, View()) for report in (sample(), allowed(), broken())]
    text = page.whole(parts)
    assert "| `ops/operator.yaml` | 1.25.3 | 2 fields need you |" in text
    assert "| `ops/operator.yaml` | 1.25.3 | nothing is lost |" in text
    assert "| `ops/bad.yaml` | - | failed | - |" in text
    assert text.count("### ops/operator.yaml") == 1
    assert "a list, where a map is needed" in text
    assert "spec.hub" not in text


def test_the_summary_is_short_about_many_findings() -> None:
    entry = sample().with_outcome(Outcome.MANUAL)[0]
    many = replace(sample(), entries=[replace(entry, rule="x", path=f"spec.a{number}") for number in range(50)])
    assert "- and 30 more\n" in render(many, "summary")


def test_github_leaves_out_what_is_allowed_and_tells_errors() -> None:
    assert "::warning" not in render(allowed(), "github")
    assert render(broken(), "github") == (
        "::error file=ops/bad.yaml,line=3,col=5,title=istio-convert::a list, where a map is needed (indent it)\n"
    )


def test_github_properties_are_escaped() -> None:
    report = sample(name="a,b:c%.yaml")
    assert "file=a%2Cb%3Ac%25.yaml,line=" in render(report, "github")
    text = OPERATOR.replace("replicas|<b>", '"a\\n::error::b"')
    assert not [line for line in render(sample(text=text), "github").splitlines() if line.startswith("::error::")]
