"""``istio-convert explain``: what becomes of a field, and why."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from istio_convert.cli import terminal
from istio_convert.cli.command import Command, common
from istio_convert.errors import InputError

if TYPE_CHECKING:
    from istio_convert.catalog import Catalog
    from istio_convert.cli.lookup import Match
    from istio_convert.mapping.model import Rule
    from istio_convert.report.text import Style

_HELP = """Say what becomes of a field, and why.

PATH is a path of the operator (components.pilot.k8s.affinity, values.global.hub), of a chart's values, of a rendered
object (spec.template.spec.dnsConfig), or the id of a rule. With --to, the example of each rule is converted for that
version.
"""
_MOST = 8
#: rules that are about every path, and so say nothing about one
_FOR_EVERYTHING = frozenset({"default", "merge", "unknown", "component.off"})


@click.command("explain", cls=Command, help=_HELP)
@click.argument("path")
@click.option("--to", metavar="VERSION", help="Version of the charts. Default: the newest.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Form of the answer.")
@common
def command(path: str, to: str | None, form: str, color: str, **_: object) -> None:
    """Look the path up, convert the examples, print."""
    from istio_convert.catalog import newest, resolve  # noqa: PLC0415 - lazy: --help needs no catalog

    catalog = resolve(to or newest())
    looked_up = _of_an_operator(path, catalog)
    matches = _matches(looked_up)
    close = [match.rule for match in matches if match.closeness]
    general = [match.rule for match in matches if not match.closeness]
    reads = _reads(looked_up, catalog)
    answers = [_answer(rule, catalog) for rule in close]
    if form == "json":
        data = {"path": path, "version": catalog.version, "charts": reads, "rules": answers}
        terminal.product(json.dumps(data | {"general": [rule.id for rule in general]}, indent=2) + "\n")
        return
    style = terminal.style_for(color, sys.stdout)
    lines = [style.paint("title", f"{path} at Istio {catalog.version}")]
    lines += [f"  {line}" for line in reads]
    shown = answers[:_MOST]
    for answer in shown:
        lines += ["", *_lines(answer, style)]
    if len(answers) > len(shown):
        lines += ["", f"and {len(answers) - len(shown)} more: {', '.join(a['id'] for a in answers[_MOST:])}"]
    if general:
        lines += ["", "general rules that can apply:"]
        lines += [f"  {rule.id}: {rule.why}" for rule in general]
    terminal.product("\n".join(lines) + "\n")


def _of_an_operator(path: str, catalog: Catalog) -> str:
    """The path of the operator that is meant: what only a chart knows at its root stands below ``values`` there."""
    from istio_convert.cli.lookup import find, split  # noqa: PLC0415 - lazy: --help needs no tables
    from istio_convert.mapping.rules.table import rules  # noqa: PLC0415

    if any(rule.id == path for rule in rules()) or any(match.closeness for match in find(path)):
        return path
    place = tuple(split(path))
    known = any(catalog.chart(name).reads(place) for name in ("base", "istiod", "cni", "ztunnel", "gateway"))
    return f"values.{path}" if known else path


def _matches(path: str) -> list[Match]:
    """The rules about a path.

    Raises:
        InputError: there are none.
    """
    from istio_convert.cli.lookup import Match, find  # noqa: PLC0415 - lazy: --help needs no tables
    from istio_convert.mapping.rules.table import rules  # noqa: PLC0415

    named = [rule for rule in rules() if rule.id == path]
    if named and not path.startswith(("values.", "components.")):
        return [Match(rule, 1) for rule in named]
    matches = [match for match in find(path) if match.rule.id not in _FOR_EVERYTHING]
    if not matches:
        known = [*(rule.id for rule in rules()), *(word for rule in rules() for word in rule.source.split(", "))]
        close = difflib.get_close_matches(path.removeprefix("spec."), known, n=3)
        hint = f"did you mean {', '.join(dict.fromkeys(close))}?" if close else "istio-convert rules lists all of them"
        raise InputError(f"no rule is about {path}", hint=hint)
    return matches


def _reads(path: str, catalog: Catalog) -> list[str]:
    """What the catalog says about a path: that nobody knows it, or which chart reads it, with which default."""
    from istio_convert.catalog import (  # noqa: PLC0415 - lazy: --help needs no catalog
        ENDED_CHARTS,
        HELM_CHARTS,
        MISSING,
        did_you_mean,
        last_read,
    )
    from istio_convert.cli.lookup import operator_steps  # noqa: PLC0415
    from istio_convert.mapping.checks.spelling import unknown  # noqa: PLC0415

    steps = operator_steps(path)
    if odd := unknown(tuple(steps), catalog):
        return [str(odd)]
    if steps[0] == "meshConfig":
        steps = ["values", *steps]
    if steps[0] not in ("values", "unvalidatedValues") or len(steps) < 2 or steps[1] == "gateways":
        return []
    place = tuple(steps[1:])
    lines = []
    for name in (*HELM_CHARTS, *(ended for ended in ENDED_CHARTS if catalog.has_chart(ended))):
        chart = catalog.chart(name)
        if instead := chart.dead(place):
            lines.append(f"chart {name}: accepted and not read; its place is {instead}")
        elif chart.reads(place):
            default = chart.default(place)
            shown = "" if default is MISSING or isinstance(default, dict) else f", default {json.dumps(default)}"
            lines.append(f"chart {name}: reads it{shown}")
    before = "" if lines else last_read(catalog, place)
    said = "no chart reads it" + (f", the last that did was of {before}" if before else "")
    return lines or ["; ".join([said, *filter(None, [did_you_mean(catalog, place)])])]


def _answer(rule: Rule, catalog: Catalog) -> dict[str, Any]:
    """A rule with what its example becomes at the version."""
    from istio_convert.cli.lookup import describe  # noqa: PLC0415 - lazy: --help needs no tables
    from istio_convert.mapping.rules.table import code_of  # noqa: PLC0415

    answer: dict[str, Any] = {"id": rule.id, **dict(describe(rule)), "code": code_of(rule)}
    if rule.example is not None:
        answer["example"] = rule.example.spec
        answer["result"] = _results(rule.id, rule.example.spec, catalog)
    return answer


def _results(rule: str, spec: str, catalog: Catalog) -> list[str]:
    from istio_convert import convert  # noqa: PLC0415 - lazy: --help needs no library

    indented = "\n".join(f"  {line}" for line in spec.splitlines())
    text = f"apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n{indented}\n"
    entries = [entry for entry in convert(text, to=catalog.version).ledger.entries if entry.leaf.path[0] == "spec"]
    wanted = [entry for entry in entries if entry.rule == rule] or entries
    found: dict[str, None] = {}
    for entry in wanted:
        said = "; ".join(str(place) for place in entry.places) or entry.reason
        found[f"{entry.outcome.value}: {said}"] = None
    return list(found)


def _lines(answer: dict[str, Any], style: Style) -> Sequence[str]:
    lines = [style.paint("title", answer["id"])]
    lines += [f"  {word:<9} {answer[word]}" for word in ("field", "value", "manifest", "why", "code") if word in answer]
    if "example" in answer:
        lines.append(f"  {'example':<9} {answer['example'].splitlines()[0]}")
        lines += [f"            {line}" for line in answer["example"].splitlines()[1:]]
        lines += [f"  {'becomes' if not number else '':<9} {line}" for number, line in enumerate(answer["result"])]
    return lines
