from __future__ import annotations

import re

from istio_convert.report import View, render
from istio_convert.report.text import PLAIN, Style, finding, table
from tests.report.samples import broken, sample, warned

FINDING = re.compile(r"ops/operator\.yaml:\d+:\d+: (\w+) [\w.]+ \S+: \S.*")


def lines(report, **view) -> list[str]:
    return render(report, "text", View(**view)).splitlines()


def test_first_line_says_version_and_why_last_line_the_totals() -> None:
    shown = lines(sample())
    assert shown[0] == "ops/operator.yaml -> Istio 1.25.3 (as asked for)"
    assert re.fullmatch(r"\d+ fields: \d+ value, .*, 2 manual; 2 fields need you", shown[-1])


def test_short_view_leaves_out_what_everybody_hopes_for() -> None:
    outcomes = [match[1] for line in lines(sample()) if (match := FINDING.fullmatch(line))]
    assert set(outcomes) == {"overridden", "inert", "manual"}


def test_verbose_view_has_every_entry_with_its_places() -> None:
    report = sample()
    shown = [line for line in lines(report, verbose=True) if FINDING.fullmatch(line)]
    assert len(shown) == report.totals.entries
    assert any("value values spec.meshConfig.accessLogFile: istiod: meshConfig.accessLogFile" in line for line in shown)


def test_warnings_come_before_findings() -> None:
    shown = lines(warned())
    assert shown[1] == "ops/operator.yaml:6:8: warning: tag is read as a number (quote it)"


def test_failed_conversion_has_no_text() -> None:
    assert render(broken()) == ""


def test_allowed_findings_are_shown_on_request_only() -> None:
    report = sample()
    allowed = report.with_allowed({n: "ticket 7" for n, e in enumerate(report.entries) if e.severity})
    assert not [line for line in lines(allowed) if " manual " in line]
    assert [line for line in lines(allowed, verbose=True) if "(allowed: ticket 7)" in line]
    assert lines(allowed)[-1].endswith("3 allowed; nothing is lost")


def test_colours_are_those_of_the_style() -> None:
    style = Style({"manual": ("<m>", "</m>"), "title": ("<t>", "</t>")})
    shown = lines(sample(), style=style)
    assert shown[0].startswith("<t>")
    assert any(" <m>manual</m> " in line for line in shown)
    assert "<m>" not in render(sample())


def test_releases_are_listed_in_order_unless_left_out() -> None:
    shown = "\n".join(lines(sample()))
    assert re.search(r"release +chart +version.*\nistio-base .*\nistiod ", shown)
    assert "istio-base" not in "\n".join(lines(sample(), releases=False))


def test_table_gives_way_on_a_narrow_terminal() -> None:
    rows = [("name", "number", "remark"), ("aaaa", "1", "b" * 30)]
    assert table(rows) == ["name  number  remark", "aaaa  1       " + "b" * 30]
    assert table(rows, Style(width=20)) == ["name  number", "aaaa  1"]
    assert table([("n", "m"), ("a" * 30, "b")], Style(width=10)) == ["n" + " " * 8 + "…", "a" * 9 + "…"]


def test_control_characters_of_keys_do_not_reach_the_terminal() -> None:
    text = 'apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n  "a\\e[31m\\nb": 1\n'
    report = sample(text=text)
    entry = next(entry for entry in report.entries if "31m" in entry.path)
    assert "\x1b" in entry.path
    assert finding(entry, PLAIN).isprintable()
    assert "\x1b" not in render(report)
