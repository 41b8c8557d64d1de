"""``istio-convert plan``: the migration of a running mesh, step by step."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from istio_convert.cli import inputs, terminal
from istio_convert.cli.command import Command, common
from istio_convert.cli.converting import convert_by, settle_version
from istio_convert.cli.exits import Exit
from istio_convert.cli.proof import text_of
from istio_convert.cli.settings import plan_options, refuse_options_of_others, settings_from
from istio_convert.errors import InputError, OutputExistsError

if TYPE_CHECKING:
    from istio_convert.api import Conversion, Source
    from istio_convert.migrate import Finding, Options, Plan

_HELP = """Write the migration of a running mesh: a runbook, numbered scripts, and the way back.

The folder has RUNBOOK.md, REPORT.md, scripts that may be run again at any time, rollback.sh, plan.json
and the releases. Give --live a dump of the cluster (00-preflight.sh writes one), so that live selectors, ports and
policies are compared.

\b
  istio-convert plan operator.yaml --from 1.24.6 --to 1.25.3 --strategy in-place -o migration/
  istio-convert plan operator.yaml --from 1.23.2 --to 1.25.3 --strategy canary --live live.yaml -o migration/

Exit code 3 when the plan has blockers; it is written all the same.
"""


#: folders that the scripts of a plan fill
_OF_SCRIPTS = ("backup/", "charts/")


def _weights(_: click.Context, __: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter("numbers with commas, such as 10,50,100") from None


@click.command("plan", cls=Command, help=_HELP)
@click.argument("operators", metavar="OPERATOR...", nargs=-1, required=True)
@click.option("--from", "source_version", metavar="VERSION", required=True, help="The Istio release that runs now.")
@click.option(
    "--to", metavar="VERSION", help="Version of the charts to go to. Default: that of the configuration, as for check."
)
@click.option(
    "--strategy",
    type=click.Choice(["in-place", "canary"]),
    default="in-place",
    show_default=True,
    help="canary: a second control plane and second gateways beside the old ones.",
)
@click.option("--live", metavar="DUMP", multiple=True, help="Live objects: backup/live.yaml, or 'kubectl get -o yaml'.")
@click.option("--charts", metavar="DIR", help="An unpacked Istio release to use instead of the cache.")
@click.option(
    "--set", "sets", multiple=True, metavar="PATH=VALUE", help="Override a field of spec, as istioctl's --set."
)
@click.option(
    "--revision", metavar="NAME", default="", help="Canary: the new revision. Default: the version with dashes."
)
@click.option("--tag", metavar="NAME", default="", help="Canary: revision tag that namespaces name instead.")
@click.option(
    "--gateway-suffix", metavar="NAME", default="helm", show_default=True, help="Canary: names the second gateways."
)
@click.option(
    "--traffic",
    type=click.Choice(["selector", "alb", "dns"]),
    default="selector",
    show_default=True,
    help="Canary: how requests move to the second gateways.",
)
@click.option("--weights", default="10,50,100", show_default=True, callback=_weights, help="Canary: shares in percent.")
@click.option("--alb-ingress", metavar="NS/NAME", default="", help="Canary: the Ingress of the AWS ALB.")
@click.option("--alb-port", type=int, default=80, show_default=True, help="Canary: the Services' port behind the ALB.")
@click.option("--dns-name", metavar="HOST", default="", help="Canary: host name with weighted records (external-dns).")
@click.option("--namespace", "namespaces", metavar="NS", multiple=True, help="Canary: move only these namespaces.")
@click.option(
    "--old-application",
    metavar="NS/NAME",
    default="",
    help="Argo CD Application or Flux Kustomization of the operator.",
)
@click.option("-o", "--output", metavar="DIR", help="Write the folder.")
@click.option("--json", "as_json", is_flag=True, help="Print plan.json.")
@click.option("--force", is_flag=True, help="Overwrite edited files in DIR, and write beside files of others.")
@click.option(
    "--fail-on", type=click.Choice(["never", "blocker"]), default="blocker", show_default=True, help="Exit with 3."
)
@click.option("-q", "--quiet", is_flag=True, help="Show errors only.")
@plan_options
@common
@click.pass_context
def command(ctx: click.Context, /, operators: tuple[str, ...], output: str | None, as_json: bool, **params: Any) -> int:
    """Convert, render what is at hand, plan, write."""
    from istio_convert import migrate  # noqa: PLC0415 - lazy: --help needs no library
    from istio_convert.emit import write  # noqa: PLC0415 - lazy: --help needs no library
    from istio_convert.report import render  # noqa: PLC0415 - lazy: --help needs no library

    if not output and not as_json:
        raise click.UsageError("give -o DIR for the folder, or --json")
    settle_version(params)
    if not params["to"]:
        raise click.MissingParameter(ctx=ctx, param_hint="'--to'", param_type="option")
    refuse_options_of_others(ctx)
    options = _options(params)
    emit = settings_from(params).emit_options()
    sources = [inputs.read(name) for name in inputs.expand(operators)]
    conversion = _convert(sources, params)
    plan = _plan(conversion, sources, options, params)
    files = migrate.files(plan, emit) | {"REPORT.md": render(conversion.report, "markdown")}
    if output:
        if not params["force"]:
            _refuse_another_cluster(Path(output), plan)
        write(output, files, force=params["force"] or _only_ours(output, files))
    if as_json:
        terminal.product(files["plan.json"])
    failed = bool(plan.blockers) and params["fail_on"] == "blocker"
    if not params["quiet"]:
        if params.get("to_from"):
            terminal.say(f"note: Istio {conversion.version}, {conversion.why_version}\n")
        _report(plan, output)
    elif failed:
        _findings(plan.blockers)
    return Exit.FINDING if failed else Exit.DONE


def _only_ours(output: str, files: Mapping[str, str]) -> bool:
    """Whether a folder has only an earlier plan, unedited, and what its scripts put beside it."""
    from istio_convert.emit import plan_changes  # noqa: PLC0415 - lazy: --help needs no library

    changes = plan_changes(Path(output), files)
    return not changes.edited and all(name.startswith(_OF_SCRIPTS) for name in changes.foreign)


def _refuse_another_cluster(output: Path, plan: Plan) -> None:
    """A folder of another cluster keeps that one's copies in ``backup/``, and its scripts would put them into this one.

    Raises:
        OutputExistsError: the folder was planned with a dump of another cluster.
    """
    try:
        before = json.loads((output / "plan.json").read_bytes())["cluster"]
    except (OSError, ValueError, LookupError, TypeError):
        return  # no plan, or one that names no cluster
    if before and plan.cluster and before != plan.cluster:
        raise OutputExistsError(
            f"{output} was planned with a dump of another cluster, whose copies are in its backup/",
            hint="give another folder, or --force when the cluster is meant to be another one",
        )


def _options(params: dict[str, Any]) -> Options:
    from istio_convert import migrate  # noqa: PLC0415 - lazy: --help needs no library
    from istio_convert.emit import OFFICIAL_REPOSITORY  # noqa: PLC0415 - lazy: --help needs no library

    options = migrate.Options(
        source_version=params["source_version"],
        strategy=migrate.Strategy(params["strategy"]),
        target=params["target"],
        revision=params["revision"],
        tag=params["tag"],
        gateway_suffix=params["gateway_suffix"],
        traffic=params["traffic"],
        weights=params["weights"],
        alb_ingress=params["alb_ingress"],
        alb_port=params["alb_port"],
        dns_name=params["dns_name"],
        old_application=params["old_application"],
        chart_source=params["chart_source"] or OFFICIAL_REPOSITORY,
        kube_namespaces=tuple(params["namespaces"]),
    )
    options.check()
    return options


def _plan(conversion: Conversion, sources: list[Source], options: Options, params: dict[str, Any]) -> Plan:
    from istio_convert import migrate  # noqa: PLC0415 - lazy: --help needs no library

    beside = None
    if options.strategy is migrate.Strategy.CANARY:
        beside = _convert(sources, params, f"revision={migrate.revision_of(options, conversion.version)}")
    stages = migrate.build_stages(conversion, options, beside)
    live = None
    if params["live"]:
        dumps = [inputs.read(name) for name in params["live"]]
        live = [item for dump in dumps for item in migrate.read_objects(dump.text, dump.name)]
        if not live:
            names = ", ".join(params["live"])
            raise InputError(
                f"no objects in {names}", hint="dump the cluster with 00-preflight.sh, or leave out --live"
            )
    texts = [(source.name, text_of(source.name, source.text)) for source in sources]
    return migrate.plan(
        conversion,
        options,
        migrate.render_stages(stages, conversion.version, params["charts"]),
        live,
        before=(
            migrate.render_old(texts, options.source_version, sets=params["sets"])
            if live is None or migrate.has_nameless(live)
            else None
        ),
        beside=beside,
        emit=settings_from(params).emit_options(),
        sources=texts,
    )


def _convert(sources: list[Source], params: dict[str, Any], *more: str) -> Conversion:
    return convert_by(sources, settings_from(params), *more)


def _findings(findings: Sequence[Finding]) -> None:
    for finding in findings:
        named = "".join(f"  {name}\n" for name in finding.details)
        terminal.say(f"{finding.level.value}: {finding.id}: {finding.text}\n{named}hint: {finding.action}\n")


def _report(plan: Plan, output: str | None) -> None:
    _findings(plan.findings)
    adopted = "unknown" if plan.adoptions is None else str(len(plan.adoptions))
    removed = "unknown" if plan.removals is None else str(len(plan.removals))
    terminal.say(f"{len(plan.steps)} steps; objects to adopt: {adopted}; objects to remove at the end: {removed}\n")
    if output:
        terminal.say(f"written: {output}; read RUNBOOK.md first\n")
