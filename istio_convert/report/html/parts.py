"""The parts of the page around and between the lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from istio_convert.ledger import Outcome
from istio_convert.paths import parse
from istio_convert.report.html.lines import ADDED, SIGNS, LineWriter
from istio_convert.report.html.model import Panel
from istio_convert.report.html.outputs import PatchPanel, ReleasePanel
from istio_convert.report.html.text import fragment, html
from istio_convert.report.model import Entry, Problem, Report
from istio_convert.report.text import verdict

MEANINGS = {
    Outcome.VALUE: "lives on in the values of a chart",
    Outcome.PATCH: "lives on in a patch of a release",
    Outcome.RELEASE: "decides about the releases themselves",
    Outcome.DEFAULT: "what the chart does anyway; left out",
    Outcome.OVERRIDDEN: "another field wins",
    Outcome.INERT: "istioctl ignores it, too",
    Outcome.MANUAL: "needs a decision or another tool",
    Outcome.LOST: "had an effect with istioctl and has none now",
}
GENERAL = "general"
COMPONENTS = {
    "base": "base",
    "pilot": "istiod",
    "cni": "CNI",
    "ztunnel": "ztunnel",
    "ingressGateways": "ingress gateways",
    "egressGateways": "egress gateways",
    GENERAL: "other fields",
}

_BELOW_VALUES = {
    ("cni",): "cni",
    ("pilot", "cni"): "cni",
    ("pilot",): "pilot",
    ("istiodRemote",): "pilot",
    ("sidecarInjectorWebhook",): "pilot",
    ("ztunnel",): "ztunnel",
    ("base",): "base",
    ("gateways", "istio-ingressgateway"): "ingressGateways",
    ("gateways", "istio-egressgateway"): "egressGateways",
}
_FINDINGS = '<section aria-label="Findings">'
_TOO_DEEP = '<p class="note">Nested too deeply to be shown here; the output folder has it.</p>'


def components_of(entry: Entry, of_release: Mapping[str, Sequence[str]]) -> list[str]:
    """The components that an entry belongs to: those of its places, else the one that its path names.

    Args:
        entry: the entry.
        of_release: name of a release -> components of the releases of that name.
    """
    found = dict.fromkeys(component for place in entry.places for component in of_release.get(place.release, ()))
    if found:
        return list(found)
    path = parse(entry.path)
    if path[:2] == ("spec", "components") and len(path) > 2 and path[2] in COMPONENTS:
        return [str(path[2])]
    if path[:2] == ("spec", "values"):
        for length in (2, 1):
            component = _BELOW_VALUES.get(tuple(map(str, path[2 : 2 + length])))
            if component:
                return [component]
    return [GENERAL]


def sources(writer: LineWriter, panels: Sequence[Panel]) -> str:
    """The left side."""
    return "".join(
        f'<section class="file" aria-label="{html(panel.name)}"><h3><code>{html(panel.name)}</code></h3>\n'
        f'<div class="code">{writer.source(panel)}</div></section>\n'
        for panel in panels
    )


def releases(writer: LineWriter, panels: Sequence[ReleasePanel]) -> str:
    """The right side."""
    if not panels:
        return '<p class="note">No release: no component is enabled.</p>'
    return "".join(_release(writer, panel) for panel in panels)


def _release(writer: LineWriter, shown: ReleasePanel) -> str:
    release = shown.release
    facts = [f"chart <b>{html(release.chart)}</b> {html(release.version)}", f"namespace {html(release.namespace)}"]
    if release.depends_on:
        facts.append(f"after {html(', '.join(release.depends_on))}")
    notes = "".join(f'<p class="note">{html(note)}</p>' for note in release.notes)
    if shown.values is None:
        values = '<p class="note">No values: the chart keeps its defaults.</p>'
    else:
        body = writer.output(shown.values, f"{release.name}/", Outcome.VALUE) or _TOO_DEEP
        values = f'<div class="part"><h4>Values</h4>\n<div class="code">{body}</div></div>'
    prefix = f"{release.name}/"
    patches = "".join(_patch(writer, patch, prefix) for patch in shown.patches)
    return (
        f'<section class="unit" data-c="{html(release.component)}" aria-label="release {html(release.name)}">'
        f'<h3 id="r={fragment(release.name)}">{html(release.name)}</h3><p class="facts">{" · ".join(facts)}</p>'
        f"{notes}{values}{patches}</section>\n"
    )


def _patch(writer: LineWriter, patch: PatchPanel, prefix: str) -> str:
    where = f" in {html(patch.namespace)}" if patch.namespace else ""
    why = "".join(f"<li>{html(line)}</li>" for line in patch.why)
    body = writer.output(patch.panel, f"{prefix}{patch.kind}.{patch.name}/", Outcome.PATCH) or _TOO_DEEP
    return (
        f'<div class="part"><h4>Patch <code>{html(patch.kind)} {html(patch.name)}</code>{where}</h4>'
        f'{f"<ul class=why>{why}</ul>" if why else ""}\n<div class="code">{body}</div></div>'
    )


def head(report: Report) -> str:
    """What was converted into what."""
    target = report.target
    version = f"Istio {target.version}" if target else ""
    why = (target.why + ("; provisional, from a release candidate" if target.provisional else "")) if target else ""
    total = report.totals.entries
    upgrade = (
        f'<p class="why">This is an upgrade, too: {html(target.upgrade)}.</p>' if target and target.upgrade else ""
    )
    return (
        f"<h1><code>{html(report.title)}</code> <span>→ {html(version)}</span></h1>"
        f'<p class="why">Version: {html(why)} · {total} field{"" if total == 1 else "s"} · {_verdict(report)}</p>'
        f"{upgrade}"
    )


def bar(report: Report) -> str:
    """The outcomes as a bar, for the eye only: the buttons below it have the numbers."""
    parts = "".join(
        f'<i class="{outcome.value}" style="flex-grow:{count}"></i>'
        for outcome in Outcome
        if (count := report.totals.of(outcome))
    )
    return f'<div class="bar" aria-hidden="true">{parts}</div>'


def _verdict(report: Report) -> str:
    totals = report.totals
    grade = "lost" if totals.lost else "manual" if totals.manual else "value"
    return f'<strong class="{grade}">{html(verdict(report))}</strong>'


def filters(report: Report, components: Sequence[Sequence[str]]) -> str:
    """A button per outcome, and the choice of a component."""
    buttons = "".join(
        f'<button type="button" class="chip {outcome.value}" data-o="{outcome.value}" aria-pressed="false"'
        f' title="{html(MEANINGS[outcome])}"{"" if report.totals.of(outcome) else " disabled"}>'
        f"<b>{SIGNS[outcome]}</b> {outcome.value} <span>{report.totals.of(outcome)}</span></button>"
        for outcome in Outcome
    )
    present = {component for found in components for component in found}
    present |= {release.component for release in report.releases}
    options = "".join(
        f'<option value="{name}">{label}</option>' for name, label in COMPONENTS.items() if name in present
    )
    return (
        f'<div class="chips" role="group" aria-label="Show only these outcomes">{buttons}</div>'
        f'<label class="field"><span class="unseen">Component</span><select id="component">'
        f'<option value="">all components</option>{options}</select></label>'
    )


def value_switch(*, show_values: bool) -> str:
    """The switch that shows values, or a word on why there is none."""
    if show_values:
        return '<button type="button" id="reveal" aria-pressed="false">Show values</button>'
    return '<span class="hint" title="Written without --show-values">values are not in this file</span>'


def findings(report: Report, keys: Sequence[str]) -> str:
    """What needs attention, the worst first: lost, manual and inert fields, and warnings.

    Fields with the same outcome, reason and action make one item.
    """
    groups: dict[tuple[Outcome, str, str], list[tuple[Entry, str]]] = {}
    for entry, key in zip(report.entries, keys, strict=True):
        if entry.outcome.severity:
            groups.setdefault((entry.outcome, entry.reason, entry.action), []).append((entry, key))
    items = [_finding(*group, groups[group]) for group in sorted(groups, key=lambda group: -group[0].severity)]
    items += [_warning(problem) for problem in report.warnings]
    if not items:
        return (
            _FINDINGS + '<p id="findings" class="calm">Every field has its place: no finding, no warning.</p></section>'
        )
    count = sum(map(len, groups.values()))
    said = [f"{count} finding{'' if count == 1 else 's'}"] if count else []
    if report.warnings:
        said.append(f"{len(report.warnings)} warning{'' if len(report.warnings) == 1 else 's'}")
    is_open = " open" if report.totals.lost or report.totals.manual else ""
    return (
        f'{_FINDINGS}<details id="findings"{is_open}><summary>{" and ".join(said)}</summary>'
        f'<ul tabindex="0" aria-label="Findings and warnings">{"".join(items)}</ul></details></section>'
    )


def _finding(outcome: Outcome, reason: str, action: str, found: Sequence[tuple[Entry, str]]) -> str:
    what = f' <span class="action">{html(action)}</span>' if action else ""
    links = "".join(
        f'<span><a href="#e={key}"><code>{html(entry.path)}</code></a> <small>{html(str(entry.origin))}</small></span> '
        for entry, key in found
    )
    return (
        f'<li class="{outcome.value}"><b title="{outcome.value}">{SIGNS[outcome]}</b><div>'
        f'<p>{html(reason)}{"." if what else ""}{what}</p><p class="links">{links}</p></div></li>'
    )


def _warning(problem: Problem) -> str:
    origin = f" <small>{html(str(problem.origin))}</small>" if problem.origin else ""
    hint = f' <span class="action">{html(problem.hint)}</span>' if problem.hint else ""
    return f'<li class="warning"><b>!</b><div>{html(problem.message)}{"." if hint else ""}{hint}{origin}</div></li>'


def legend() -> str:
    """The signs and their meanings."""
    rows = "".join(
        f'<dt class="{outcome.value}"><b>{SIGNS[outcome]}</b> {outcome.value}</dt><dd>{MEANINGS[outcome]}</dd>'
        for outcome in Outcome
    )
    return f'<dl class="legend">{rows}<dt class="added"><b>{ADDED}</b> added</dt><dd>{_ADDED_MEANING}</dd></dl>'


_ADDED_MEANING = "set by istio-convert, so that the chart makes what istioctl made"


def foot(report: Report) -> str:
    """Which program, and which bytes it read."""
    inputs = "".join(
        f"<li><code>{html(item.name)}</code> sha256 <code>{html(item.sha256)}</code></li>" for item in report.inputs
    )
    return f"<p>{html(report.tool.name)} {html(report.tool.version)}</p><ul>{inputs}</ul>"
