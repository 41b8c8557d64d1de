"""Small tables: outcomes, exit codes, versions."""

from __future__ import annotations

from itertools import groupby

from istio_convert.catalog import newest, resolve, versions
from istio_convert.cli.exits import MEANINGS, Exit
from istio_convert.ledger import Outcome
from istio_convert.report.markdown import MEANING
from tests.docs.generate.markdown import code, prose, table


def outcomes() -> str:
    """Every outcome, what it means, and whether ``check`` fails on it."""
    check = {1: "fails with `--strict`", 2: "fails", 3: "fails"}
    rows = [(code(one.value), MEANING[one], check.get(one.severity, "passes")) for one in Outcome]
    return table(("outcome", "the field", "`check`"), rows)


def exits() -> str:
    """Every exit code."""
    rows = [(str(int(one)), prose(meaning).replace("--fail-on", "`--fail-on`")) for one, meaning in MEANINGS.items()]
    rows += [
        (str(int(Exit.INTERRUPTED)), "interrupted"),
        (str(int(Exit.BROKEN_PIPE)), "the reader of stdout went away"),
    ]
    return table(("code", "meaning"), rows)


def versions_of_minor(minor: str) -> list[str]:
    """The releases of a minor version that the catalog has."""
    return [one.version for one in versions() if one.version.rpartition(".")[0] == minor]


def _ranges(numbers: list[str]) -> str:
    return numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _broken(numbers: list[str]) -> str:
    """The releases of which the gateway chart's schema refuses everything under a current Helm."""
    found = [one for one in numbers if resolve(one).chart("gateway").schema_broken]
    return _ranges(found) if found else "-"


def versions_table_rows() -> list[tuple[str, str, str, str]]:
    """One row for each minor version."""
    rows = []
    for minor, group in groupby(versions(), key=lambda one: one.version.rpartition(".")[0]):
        members = list(group)
        numbers = [one.version for one in members]
        candidates = [one.candidate for one in members if one.provisional]
        note = f"provisional: the data is that of {candidates[0]}" if candidates else ""
        note = "the newest" if newest() in numbers else note
        rows.append((minor, _ranges(numbers), _broken(numbers), note))
    return rows


def supported() -> str:
    """Which releases can be a target, in words."""
    final = [one.version for one in versions() if not one.provisional]
    provisional = [
        f"{one.version} is provisional: its data comes from the release candidate {one.candidate}."
        for one in versions()
        if one.provisional
    ]
    return " ".join([f"Chart versions {final[0]} to {final[-1]}.", *provisional])


def versions_table() -> str:
    """The releases, minor by minor."""
    return table(("Istio", "releases", "gateway schema refused by Helm 3.18.5 and newer", ""), versions_table_rows())
