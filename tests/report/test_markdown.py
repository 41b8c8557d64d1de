from __future__ import annotations

import re

from istio_convert.report import render
from tests.report.samples import OPERATOR, broken, sample, warned


def headings(page: str) -> list[str]:
    return re.findall(r"^## (.*)$", page, re.MULTILINE)


def test_what_needs_a_person_comes_first_and_every_field_last() -> None:
    page = render(sample(), "markdown")
    assert headings(page) == [
        "Totals",
        "What needs a person first",
        "Lost",
        "Without effect",
        "Patches, and why",
        "Releases",
    ]
    assert page.index("<details>") > page.index("## Releases")
    assert page.rstrip().endswith("</details>")


def test_details_have_a_row_for_every_field() -> None:
    report = sample()
    details = render(report, "markdown").split("<details>")[1]
    assert details.count("\n| ops/operator.yaml:") == report.totals.entries
    assert f"Every field ({report.totals.entries})" in details


def test_findings_name_place_path_reason_and_action() -> None:
    page = render(sample(), "markdown")
    assert re.search(
        r"^- `ops/operator.yaml:16:16` `spec.addonComponents.kiali.enabled`: .+; \*\*.+\*\*$", page, re.MULTILINE
    )


def test_every_patch_says_why() -> None:
    page = render(sample(), "markdown")
    section = page.split("## Patches, and why")[1].split("##")[0]
    rows = [line for line in section.splitlines() if line.startswith("- ")]
    assert rows
    assert all(re.fullmatch(r"- \w+, `Deployment istiod`: \S.*", row) for row in rows)


def test_tables_are_not_broken_by_keys_of_the_input() -> None:
    text = OPERATOR.replace("replicas|<b>", '"a|b `c` <script> *x*"')
    page = render(sample(text=text), "markdown")
    assert "<script>" not in page.split("<details>")[1]
    for table in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
        columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(columns) == 1, table


def test_code_spans_hold_backticks() -> None:
    text = OPERATOR.replace("replicas|<b>", '"a`b``c"')
    page = render(sample(text=text), "markdown")
    assert "```spec.components.pilot.k8s.a`b``c```" in page


def test_warnings_have_a_section() -> None:
    page = render(warned(), "markdown")
    assert "- `ops/operator.yaml:6:8`: tag is read as a number; quote it" in page
    assert "Warnings" in headings(page)


def test_failed_conversion_says_so() -> None:
    page = render(broken(), "markdown")
    assert "**The conversion failed.**" in page
    assert "- `ops/bad.yaml:3:5`: a list, where a map is needed; indent it" in page
    assert "Totals" not in page


def test_operator_without_findings_says_so() -> None:
    text = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"
    page = render(sample(text=text), "markdown")
    assert "## What needs a person first\n\nNothing.\n" in page
    assert "Nothing is lost." in page


def test_control_characters_are_made_visible() -> None:
    text = OPERATOR.replace("replicas|<b>", '"a\\0b\\e[1m"')
    assert {char for char in render(sample(text=text), "markdown") if not char.isprintable()} == {"\n"}
