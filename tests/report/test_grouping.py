"""A dead overlay is one line for people, and as many entries as it has fields for machines."""

from __future__ import annotations

import json

import pytest

from istio_convert import Source, convert
from istio_convert.report import View, build, render
from istio_convert.report.model import Report

OPERATOR = """\
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  components:
    pilot:
      k8s:
        overlays:
          - kind: Deployment
            name: nobody
            patches:
              - {path: spec.a, value: secret-1}
              - {path: spec.b, value: secret-2}
          - kind: Deployment
            name: istiod
            patches:
              - {path: "spec.template.spec.nothing.[name:x].y", value: 1}
              - {path: spec.template.spec.dnsPolicy, value: Default}
          - kind: Service
            name: nobody
            patches: [{path: spec.c, value: 3}]
"""


@pytest.fixture(scope="module")
def report() -> Report:
    return build(convert(Source("a.yaml", OPERATOR), to="1.25.3"))


def findings(text: str) -> list[str]:
    return [line for line in text.splitlines() if "overlays[" in line.replace("\\", "")]


@pytest.mark.parametrize(("form", "path"), [("text", "a.yaml:8:19: inert"), ("github", "::notice file=a.yaml,line=8,")])
def test_one_line_for_each_overlay(report: Report, form: str, path: str) -> None:
    lines = findings(render(report, form, View(fail_at=1)))
    lines.sort(key=lambda line: "overlays[0]" not in line)
    assert lines[0].startswith(path)
    assert "spec.components.pilot.k8s.overlays[0] (6 fields)" in lines[0]
    assert ": no object of this kind and name" in lines[0]
    assert "overlays[1]" in lines[1]
    if form == "text":
        assert "overlays[2] (4 fields)" in lines[2]
    else:  # the same is said of two overlays
        assert "overlays[0] (6 fields), and 1 more: " in lines[0]


def test_the_page_says_it_once_and_lists_every_field(report: Report) -> None:
    page, everything = render(report, "markdown").split("<details>")
    assert len(findings(page)) == 3
    assert len(findings(everything)) == len([entry for entry in report.entries if "overlays[" in entry.path])


def test_every_field_is_an_entry(report: Report) -> None:
    paths = [entry["path"] for entry in json.loads(render(report, "json"))["entries"]]
    assert len([path for path in paths if "overlays[0]" in path]) == 6
    assert len(findings(render(report, "text", View(verbose=True)))) == len([p for p in paths if "overlays[" in p])


def test_values_are_not_drawn_together() -> None:
    shown = build(convert(Source("a.yaml", OPERATOR), to="1.25.3"), show_values=True)
    lines = findings(render(shown, "text"))
    assert len([line for line in lines if "overlays[0]" in line]) == 6
    assert [line for line in lines if line.endswith("[secret-1]")]
