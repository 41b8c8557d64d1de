"""``istio-convert check``: for CI."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from istio_convert.cli import baseline as baselines
from istio_convert.cli import batch, config, fleet, inputs, terminal
from istio_convert.cli.baseline import Known
from istio_convert.cli.batch import Done, Job
from istio_convert.cli.command import Command, common, is_failing, report_options, version_options
from istio_convert.cli.config import Allowance
from istio_convert.cli.converting import settle_version
from istio_convert.cli.exits import Exit, worst
from istio_convert.cli.reporting import reporting_from, write_file
from istio_convert.cli.settings import settings_from

if TYPE_CHECKING:
    from istio_convert.api import Conversion
    from istio_convert.report import Report

_HELP = """Convert, write nothing, and fail when a field has no place in the target version.

OPERATOR is a file, "-", a folder or a glob; each file is checked on its own. The report goes to stdout.

Settings come from istio-convert.toml or [tool.istio-convert] in pyproject.toml, in this folder or above: the target
version (to, which convert, verify and plan read, too), fail-on, baseline, and findings that are allowed until a day:

\b
  [[allow]]
  rule = "addon.kiali"
  path = "spec.addonComponents.kiali.*"
  reason = "Kiali is installed by its own chart"
  expires = 2027-01-31
"""


@dataclass(frozen=True, slots=True)
class _Policy:
    """Which findings are tolerated.

    Attributes:
        allow: allowances that are in force.
        baseline: name of the baseline file, or None.
        known: its findings.
        fail_at: severity from which a finding fails.
    """

    allow: tuple[Allowance, ...]
    baseline: str | None
    known: frozenset[Known]
    fail_at: int


@dataclass(frozen=True, slots=True)
class _Task:
    job: Job
    policy: _Policy


@dataclass(frozen=True, slots=True)
class _Checked:
    """What came of one input.

    Attributes:
        done: its report and code.
        used: positions of the allowances that matched.
        findings: findings that fail, or that the baseline tolerates; for writing a baseline.
    """

    done: Done
    used: frozenset[int] = frozenset()
    findings: tuple[Known, ...] = ()


@click.command("check", cls=Command, help=_HELP)
@click.argument("operators", metavar="OPERATOR...", nargs=-1, required=True)
@version_options
@click.option(
    "--only-operators",
    is_flag=True,
    help="Pass over files without an IstioOperator; for pre-commit, which passes only the files that changed.",
)
@click.option("--config", "config_file", metavar="FILE", help="Settings to use instead of searching for them.")
@click.option("--baseline", metavar="FILE", help="Tolerate the findings that this file lists.")
@click.option("--write-baseline", is_flag=True, help="Write the findings of this run into the baseline file.")
@report_options("manual")
@common
@click.pass_context
def command(ctx: click.Context, /, operators: tuple[str, ...], **params: Any) -> int:
    """Read the settings, check every input, say what is left."""
    settled = config.load(Path(params["config_file"])) if params["config_file"] else config.find(Path.cwd())
    if ctx.get_parameter_source("fail_on") is click.core.ParameterSource.DEFAULT and settled.fail_on:
        params["fail_on"] = settled.fail_on
    settle_version(params, settled)
    params["baseline"] = params["baseline"] or settled.baseline
    if params["write_baseline"] and not params["baseline"]:
        raise click.UsageError("--write-baseline needs --baseline FILE")
    reporting = reporting_from(params, on_stdout=True)
    policy = _policy(params, settled, config.today(), reporting.view.fail_at)
    names = inputs.expand(operators)
    if params["only_operators"]:
        names = inputs.only_operators(names)
        if not names:
            return Exit.DONE
    tasks = [_Task(job, policy) for job in batch.jobs_for(names, settings_from(params), reporting)]
    checked = fleet.run(_check_one, tasks, "Checking", quiet=reporting.quiet)
    done = [one.done for one in checked]
    if params["write_baseline"]:
        write_file(params["baseline"], baselines.text_of(known for one in checked for known in one.findings))
        done = [_tolerated(one) for one in done]
    batch.show(done, reporting)
    reporting.deliver([one.parts for one in done])
    codes = [one.code for one in done]
    if _say_expired(settled, config.today(), names, params["color"]):
        codes.append(Exit.FINDING)
    if not reporting.quiet:
        _say_unused(settled, policy, checked, names, some=params["only_operators"])
    return worst(codes)


def _policy(params: dict[str, Any], settled: config.Config, today: date, fail_at: int) -> _Policy:
    name = params["baseline"]
    known = baselines.read(name) if name and not params["write_baseline"] else frozenset()
    allow = tuple(allowance for allowance in settled.allow if not allowance.is_over(today))
    return _Policy(allow, name, known, fail_at)


def _check_one(task: _Task) -> _Checked:
    used: set[int] = set()
    findings: list[Known] = []

    def work(conversion: Conversion) -> tuple[int, Report]:
        from istio_convert import report  # noqa: PLC0415 - lazy: --help needs no library

        account = report.build(conversion, show_values=task.job.settings.show_values)
        account = account.with_allowed(_allowed(account, task.policy, used, findings))
        failing = is_failing(account.worst, task.policy.fail_at)
        return Exit.FINDING if failing else Exit.DONE, account

    done = batch.guarded(task.job, work)
    return _Checked(done, frozenset(used), tuple(findings))


def _allowed(account: Report, policy: _Policy, used: set[int], findings: list[Known]) -> dict[int, str]:
    """Position of an entry -> why it is tolerated."""
    found: dict[int, str] = {}
    for number, entry in enumerate(account.entries):
        if not entry.severity:
            continue
        by = [position for position, one in enumerate(policy.allow) if one.matches(entry.rule, entry.path, entry.file)]
        if by:
            used.update(by)
            found[number] = policy.allow[by[0]].reason
            continue
        if policy.baseline is None or not is_failing(entry.severity, policy.fail_at):
            continue
        file = baselines.name_for(entry.file, policy.baseline)
        known = Known(file, entry.path, entry.rule, entry.outcome.value)
        findings.append(known)
        if known in policy.known:
            found[number] = "in the baseline"
    return found


def _tolerated(done: Done) -> Done:
    """What a run that writes the baseline makes of its findings."""
    if done.code != Exit.FINDING:
        return done
    return Done(done.name, Exit.DONE, done.parts, done.totals, done.problems)


def _say_expired(settled: config.Config, today: date, names: Sequence[str], colour: str) -> bool:
    over = [allowance for allowance in settled.allow if allowance.is_over(today) and allowance.is_about(names)]
    for allowance in over:
        terminal.show_message(
            f"{settled.file}: the allowance of {allowance.rule} at {allowance.path} expired on {allowance.expires}: "
            f"{allowance.reason}",
            "settle the finding and remove the allowance, or give it another day",
            colour,
        )
    return bool(over)


def _say_unused(
    settled: config.Config, policy: _Policy, checked: Sequence[_Checked], names: Sequence[str], *, some: bool
) -> None:
    """Name what nothing is left for, as far as the inputs that were read can tell.

    Args:
        settled: the configuration.
        policy: its part that is in force.
        checked: what came of the inputs.
        names: the inputs.
        some: they may be only some of those that the configuration is about, as a hook passes the changed ones.
    """
    used = {position for one in checked for position in one.used}
    for position, allowance in enumerate(policy.allow):
        if position not in used and allowance.is_about(names) and not (some and "*" in allowance.file):
            terminal.say(
                f"note: {settled.file}: nothing is left for the allowance of {allowance.rule} at {allowance.path}\n"
            )
    if policy.baseline is None:
        return
    read = {baselines.name_for(name, policy.baseline) for name in names}
    folder = Path(policy.baseline).parent
    here = {known for known in policy.known if known.file in read or not (folder / known.file).exists()}
    gone = here - {known for one in checked for known in one.findings}
    if gone:
        count = "1 finding is" if len(gone) == 1 else f"{len(gone)} findings are"
        terminal.say(f"note: {policy.baseline}: {count} gone; --write-baseline makes it shorter\n")
