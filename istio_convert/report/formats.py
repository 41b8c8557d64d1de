"""The formats of the report by name. A format renders one report to a part, and joins the parts of many.

Parts are texts, so that a run over a thousand operators holds texts, not reports.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from istio_convert.errors import InternalError
from istio_convert.ledger import Outcome
from istio_convert.report import github, junit, markdown, sarif, text
from istio_convert.report.model import SCHEMA_VERSION, Report
from istio_convert.report.text import PLAIN, Style


@dataclass(frozen=True, slots=True)
class View:
    """How a report is to be shown.

    Attributes:
        style: colours and width, for ``text``.
        verbose: every entry, for ``text``.
        releases: with the table of releases, for ``text``.
        fail_at: severity from which a finding is a failure, for ``junit``; 0 is none.
    """

    style: Style = PLAIN
    verbose: bool = False
    releases: bool = True
    fail_at: int = Outcome.MANUAL.severity


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes:
        name: its name.
        extensions: of file names that stand for it.
        part: one report as text.
        whole: the document of all parts; with one part, of one report.
    """

    name: str
    extensions: tuple[str, ...]
    part: Callable[[Report, View], str]
    whole: Callable[[Sequence[str]], str]


def _json_part(report: Report, view: View) -> str:  # noqa: ARG001 - all formats are called alike
    return json.dumps(report.to_data(), indent=2, ensure_ascii=False)


def _json_whole(parts: Sequence[str]) -> str:
    if len(parts) == 1:
        return f"{parts[0]}\n"
    reports = ",\n".join(parts)
    return f'{{\n"schemaVersion": {SCHEMA_VERSION},\n"reports": [\n{reports}\n]\n}}\n'


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        known.name: known
        for known in (
            Format(
                "text",
                (".txt",),
                lambda report, view: text.render(report, view.style, verbose=view.verbose, releases=view.releases),
                "".join,
            ),
            Format("json", (".json",), _json_part, _json_whole),
            Format("markdown", (".md", ".markdown"), lambda report, _: markdown.render(report), "\n".join),
            Format("sarif", (".sarif",), lambda report, _: sarif.part(report), sarif.whole),
            Format("junit", (".xml",), lambda report, view: junit.part(report, view.fail_at), junit.whole),
            Format("github", (), lambda report, _: github.render(report), "".join),
        )
    }
)
"""Every format by its name."""


def render(report: Report, name: str = "text", view: View | None = None) -> str:
    """One report in one format.

    Args:
        report: the report.
        name: a key of :data:`FORMATS`.
        view: how; None for the defaults.

    Raises:
        InternalError: there is no such format.
    """
    chosen = format_for(name)
    return chosen.whole([chosen.part(report, view or View())])


def format_for(name: str) -> Format:
    """The format of that name.

    Raises:
        InternalError: there is none.
    """
    if name not in FORMATS:
        raise InternalError(f"there is no report format {name!r}")
    return FORMATS[name]
