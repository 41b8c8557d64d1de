"""The formats of the report by name. A format renders one report to a part, and joins the parts of many.

Parts are texts, so that a run over a thousand operators holds texts, not reports.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from istio_convert.errors import InternalError
from istio_convert.ledger import Outcome
from istio_convert.report import text
from istio_convert.report.model import SCHEMA_VERSION, Report
from istio_convert.report.text import PLAIN, Style


@dataclass(frozen=True, slots=True)
class View:
    """How a report is to be shown.

    Attributes:
        style: colours and width, for ``text``.
        verbose: every entry, for ``text``.
        releases: with the table of releases, for ``text``.
        fail_at: severity from which a finding is a failure, for ``junit`` and ``github``; 0 is none.
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


#: without indentation, which costs a multiple of the time
_compact = json.JSONEncoder(ensure_ascii=False).encode


def _json_part(report: Report, view: View) -> str:  # noqa: ARG001 - all formats are called alike
    parts = (f"  {_compact(key)}: {_rows(value)}" for key, value in report.to_data().items())
    return "{\n" + ",\n".join(parts) + "\n}"


def _rows(value: Any) -> str:
    """A list with one element on a line, so that a line of the file, and of a diff, is one field of the operator."""
    if not isinstance(value, list) or not value:
        return _compact(value)
    return "[\n" + ",\n".join(f"    {_compact(item)}" for item in value) + "\n  ]"


def _text_part(report: Report, view: View) -> str:
    return text.render(report, view.style, verbose=view.verbose, releases=view.releases)


def _markdown_part(report: Report, view: View) -> str:  # noqa: ARG001
    from istio_convert.report import markdown  # noqa: PLC0415 - most runs need few of the formats, so each comes late

    return markdown.render(report)


def _sarif_part(report: Report, view: View) -> str:  # noqa: ARG001
    from istio_convert.report import sarif  # noqa: PLC0415

    return sarif.part(report)


def _sarif_whole(parts: Sequence[str]) -> str:
    from istio_convert.report import sarif  # noqa: PLC0415

    return sarif.whole(parts)


def _junit_part(report: Report, view: View) -> str:
    from istio_convert.report import junit  # noqa: PLC0415

    return junit.part(report, view.fail_at)


def _junit_whole(parts: Sequence[str]) -> str:
    from istio_convert.report import junit  # noqa: PLC0415

    return junit.whole(parts)


def _github_part(report: Report, view: View) -> str:
    from istio_convert.report import github  # noqa: PLC0415

    return github.render(report, view.fail_at)


def _summary_part(report: Report, view: View) -> str:  # noqa: ARG001
    from istio_convert.report import summary  # noqa: PLC0415

    return summary.part(report)


def _summary_whole(parts: Sequence[str]) -> str:
    from istio_convert.report import summary  # noqa: PLC0415

    return summary.whole(parts)


def _json_whole(parts: Sequence[str]) -> str:
    if len(parts) == 1:
        return f"{parts[0]}\n"
    reports = ",\n".join(parts)
    return f'{{\n"schemaVersion": {SCHEMA_VERSION},\n"reports": [\n{reports}\n]\n}}\n'


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        known.name: known
        for known in (
            Format("text", (".txt",), _text_part, "".join),
            Format("json", (".json",), _json_part, _json_whole),
            Format("markdown", (".md", ".markdown"), _markdown_part, "\n".join),
            Format("sarif", (".sarif",), _sarif_part, _sarif_whole),
            Format("junit", (".xml",), _junit_part, _junit_whole),
            Format("github", (), _github_part, "".join),
            Format("summary", (), _summary_part, _summary_whole),
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
