"""Rules about versions, as data: ``schemas/migrate/rules.json``."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from istio_convert.catalog import resolve, versions
from istio_convert.catalog.data import read_text
from istio_convert.catalog.ranges import contains, minor_of, version_key
from istio_convert.migrate.model import Finding, Level, Strategy
from istio_convert.release import Release


@lru_cache(maxsize=1)
def _rules() -> dict[str, Any]:
    rules: dict[str, Any] = json.loads(read_text("migrate", "rules.json"))
    return rules


def minors_between(source: str, version: str) -> int:
    """How many minor releases lie between two versions; negative for a way down."""
    return version_key(version)[1] - version_key(source)[1]


def kubernetes_window(version: str) -> tuple[str, str] | None:
    """Oldest and newest Kubernetes that a release is supported on; the newest is empty when it is not known."""
    window = _rules()["kubernetes"].get(minor_of(version))
    return (window[0], window[1]) if window else None


def crd_names(version: str) -> tuple[str, ...]:
    """The definitions that a release of Istio has."""
    return tuple(sorted(resolve(version).chart("base").crds))


def restart_note(chart: str) -> str:
    """What restarts when the release of a chart is applied for the first time, and why."""
    return str(_rules()["restarts"][chart])


def findings(source: str, version: str, strategy: Strategy, target: str, releases: list[Release]) -> list[Finding]:
    """What the versions alone say."""
    found = _skips(source, version, strategy)
    charts = {release.chart for release in releases}
    steps = minors_between(source, version)
    for trap in _rules()["traps"]:
        if not contains(trap.get("from", "*"), source) or not contains(trap.get("to", "*"), version):
            continue
        if "chart" in trap and trap["chart"] not in charts:
            continue
        if "target" in trap and target not in trap["target"].split():
            continue
        if trap.get("strategy", strategy.value) != strategy.value or steps < trap.get("minors", steps):
            continue
        found.append(Finding(trap["id"], Level(trap["level"]), trap["text"], trap["action"]))
    return found


def _skips(source: str, version: str, strategy: Strategy) -> list[Finding]:
    steps = minors_between(source, version)
    if version_key(version)[0] != version_key(source)[0] or version_key(version) < version_key(source):
        return [
            Finding(
                "downgrade",
                Level.BLOCKER,
                "The release to go to is older than the one that runs.",
                "Go to the same release or a newer one.",
            )
        ]
    rule = _rules()["skips"][strategy.value]
    if steps <= rule["minors"]:
        return []
    words = {1: "one minor release", 2: "two minor releases"}
    return [
        Finding(
            "minor-skip",
            Level.BLOCKER,
            f"This way leads over {steps} minor releases at once; {strategy.value} allows {words[rule['minors']]}: "
            f"{rule['why']}.",
            _ways_out(source, steps, strategy),
        )
    ]


def _ways_out(source: str, steps: int, strategy: Strategy) -> str:
    oldest = versions()[0]
    if version_key(source) < version_key(oldest.version):
        return (
            f"There are no charts of {minor_of(source)} to take over with. Upgrade by istioctl first, one minor "
            f"release after the other, to {oldest.minor} or newer, and plan from there."
        )
    text = (
        "Upgrade the operator to an intermediate release first, or take over at the release that runs and upgrade with "
        "Helm afterwards"
    )
    return text + (", or use --strategy canary." if steps == 2 and strategy is Strategy.IN_PLACE else ".")
