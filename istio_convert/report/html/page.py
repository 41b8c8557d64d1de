"""The page: template, styles and script of this package, filled with one conversion."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from istio_convert.ledger import Outcome
from istio_convert.report.building import build
from istio_convert.report.html import parts
from istio_convert.report.html.lines import SIGNS, LineWriter
from istio_convert.report.html.model import Converted
from istio_convert.report.html.outputs import ReleasePanel, release_panels
from istio_convert.report.html.sources import source_panels
from istio_convert.report.html.text import Names, fragment, html, script_data
from istio_convert.report.model import Report

_SLOT = re.compile(r"<!--(\w+)-->|/\*(\w+)\*/")


def render(conversion: Converted, *, show_values: bool = False) -> str:
    """A conversion as one HTML page that needs nothing else: no network, no other file.

    The page is the same text for the same conversion. Keys, paths and names are escaped, and control characters in
    them made visible.

    Args:
        conversion: what :func:`istio_convert.convert` returned.
        show_values: put the values and comments of the input into the page, where a switch shows them. Without it the
            page does not hold them: every scalar and comment of the input, and every scalar of values and patches, is
            replaced by dots. Names of releases and patched objects are shown, as in every report.

    Raises:
        InputError: a source is not the text that was converted.
    """
    report = build(conversion)
    names = Names()
    keys = [names.take(fragment(entry.path)) for entry in report.entries]
    writer = LineWriter([entry.outcome for entry in report.entries], keys, show_values)
    sources = parts.sources(writer, source_panels(conversion))
    panels = release_panels(conversion.releases, conversion.ledger)
    releases = parts.releases(writer, panels)
    of_release: dict[str, list[str]] = {}
    for release in conversion.releases:
        of_release.setdefault(release.name, []).append(release.component)
    components = [parts.components_of(entry, of_release) for entry in report.entries]
    filled = {
        "title": html(f"{report.title} → Istio {conversion.version}"),
        "style": _asset("page.css"),
        "head": parts.head(report),
        "bar": parts.bar(report),
        "outcomes": parts.filters(report, components),
        "values": parts.value_switch(show_values=show_values),
        "findings": parts.findings(report, keys),
        "sources": sources,
        "releases": releases,
        "legend": parts.legend(),
        "foot": parts.foot(report),
        "data": script_data(_data(report, keys, components, panels, writer)),
        "lines": _asset("lines.js"),
        "moves": _asset("moves.js"),
        "filters": _asset("filters.js"),
    }
    return _SLOT.sub(lambda match: filled[match[1] or match[2]], _asset("page.html"))


def _data(
    report: Report,
    keys: list[str],
    components: list[list[str]],
    panels: list[ReleasePanel],
    writer: LineWriter,
) -> dict[str, object]:
    """What the script tells about an entry. It holds no value of the input."""
    places: dict[tuple[int, int], str] = {}
    for shown in panels:
        for key, (panel, span) in shown.places.items():
            places.setdefault(key, writer.anchors.get((id(panel), span), ""))
    entries = [
        {
            "key": keys[number],
            "origin": str(entry.origin),
            "path": entry.path,
            "outcome": entry.outcome.value,
            "rule": entry.rule,
            "places": [
                [place.release, place.path, places.get((number, position), "")]
                for position, place in enumerate(entry.places)
            ],
            "reason": entry.reason,
            "action": entry.action,
            "derived": entry.derived,
            "components": components[number],
        }
        for number, entry in enumerate(report.entries)
    ]
    return {
        "outcomes": {
            outcome.value: {"sign": SIGNS[outcome], "meaning": parts.MEANINGS[outcome], "severity": outcome.severity}
            for outcome in Outcome
        },
        "entries": entries,
        "rules": {rule.id: rule.why for rule in report.rules},
    }


@cache
def _asset(name: str) -> str:
    return files("istio_convert.report.html").joinpath("assets", name).read_text(encoding="utf-8")
