"""``istio-convert convert``: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from istio_convert.cli import inputs, terminal
from istio_convert.cli.cluster import from_cluster_option, look, refuse_both
from istio_convert.cli.command import Command, common, is_failing, report_options, version_options
from istio_convert.cli.converting import convert_by, settle_version
from istio_convert.cli.exits import Exit, worst
from istio_convert.cli.page import check_page, page_option, write_page
from istio_convert.cli.reporting import STDOUT, Reporting, refuse_inside, reporting_from
from istio_convert.cli.settings import RENDERED, Settings, emit_options, refuse_options_of_others, settings_from
from istio_convert.errors import IstioConvertError

if TYPE_CHECKING:
    from istio_convert.api import Conversion, Source
    from istio_convert.proving import Proof

_HELP = """Convert one or more IstioOperators into Helm releases.

OPERATOR is a file, "-" for standard input, a folder or a glob. Several operators of one mesh make one set of releases.

Without -o the manifests go to stdout as one YAML stream and the report goes to stderr. With -o the folder is replaced
as a whole: manifests, README.md, REPORT.md and report.json.
"""

#: targets whose output is objects of Kubernetes
_STREAMS = ("flux", "argocd")


@click.command("convert", cls=Command, help=_HELP)
@click.argument("operators", metavar="OPERATOR...", nargs=-1)
@from_cluster_option
@click.option("-o", "--output", metavar="DIR", help="Write the output into this folder.")
@version_options
@emit_options
@click.option(
    "--separate",
    is_flag=True,
    help="Each file on its own, in DIR/<name of the file>/ of -o or --diff.",
)
@click.option("--force", is_flag=True, help="Overwrite edited files in DIR, and write beside files of others.")
@click.option(
    "--diff",
    "diff_with",
    metavar="DIR",
    help="Write nothing; show what would change in this folder of what is applied.",
)
@click.option(
    "--prove", is_flag=True, help="Render both sides, compare them as verify does, and patch what still differs."
)
@click.option(
    "--charts",
    metavar="DIR",
    help="With --prove, or for manifests: an unpacked Istio release to use instead of the cache.",
)
@page_option
@report_options("lost")
@common
@click.pass_context
def command(ctx: click.Context, /, operators: tuple[str, ...], **params: Any) -> int:
    """Check the combination of options, then convert."""
    refuse_both(operators, params)
    output, diff_with = params["output"], params["diff_with"]
    if output and diff_with:
        raise click.UsageError("--diff compares and writes nothing; give it without -o")
    if params["separate"] and not output and not diff_with:
        raise click.UsageError("--separate is about a folder per file; give it -o DIR, or --diff DIR")
    if params["target"] not in _STREAMS and not output and not diff_with:
        raise click.UsageError(f"the output for {params['target']} is a folder of files; give it -o DIR")
    if params["report"] == STDOUT and not output:
        raise click.UsageError("stdout carries the manifests; give -o DIR, or --report a file")
    if params["separate"] and params["from_cluster"]:
        raise click.UsageError("--separate is about files; convert the operators that cluster --print operators gives")
    if params["separate"] and params["prove"]:
        raise click.UsageError("--prove is for operators of one mesh; run verify for each file")
    if params["charts"] and not params["prove"] and params["target"] not in RENDERED:
        raise click.UsageError(f"--charts is for --prove, and for --target {', '.join(RENDERED)}")
    refuse_options_of_others(ctx)
    refuse_inside(params["report"], output)
    check_page(params)
    found = look(params) if params["from_cluster"] else None
    names = inputs.expand(operators, _commands(ctx))
    settle_version(params)
    settings = settings_from(params)
    reporting = reporting_from(params, on_stdout=False)
    if params["separate"]:
        from istio_convert.cli.separate import convert_separately  # noqa: PLC0415 - lazy: few runs need it

        folder = Path(output or diff_with)
        return convert_separately(names, folder, settings, reporting, compare=not output)
    sources = found.sources() if found else [inputs.read(name) for name in names]
    return _convert(sources, settings, reporting, params)


def _commands(ctx: click.Context) -> list[str]:
    """Names of the commands, for the hint when an operator was meant to be one."""
    group = ctx.parent.command if ctx.parent else None
    return group.list_commands(ctx) if isinstance(group, click.Group) else []


def _convert(sources: list[Source], settings: Settings, reporting: Reporting, params: dict[str, Any]) -> int:
    from istio_convert import report  # noqa: PLC0415 - lazy: --help needs no library

    try:
        conversion = convert_by(sources, settings)
        proof = _prove(conversion, params) if params["prove"] else None
    except IstioConvertError as error:
        parts = reporting.parts(report.failed(sources, error))
        if reporting.terminal_format not in (None, "text"):
            reporting.show([parts])
        reporting.deliver([parts])
        return _refused(error, reporting)
    if proof is not None:
        conversion = proof.conversion
    account = report.build(conversion, show_values=settings.show_values)
    parts = reporting.parts(account)
    codes = [int(Exit.FINDING)] if is_failing(account.worst, reporting.view.fail_at) else []
    try:
        codes.append(_write(conversion, settings, params))
        reporting.deliver([parts])
        write_page(conversion, params)
    finally:
        reporting.show([parts])
    if proof is not None:
        codes.append(_verdict(proof, params))
    return worst(codes)


def _prove(conversion: Conversion, params: dict[str, Any]) -> Proof:
    from istio_convert.proving import prove  # noqa: PLC0415 - lazy: few runs need it

    return prove(conversion, charts=params["charts"])


def _verdict(proof: Proof, params: dict[str, Any]) -> int:
    """Show the last comparison, and make an exit code of it."""
    from istio_convert.verify import to_text  # noqa: PLC0415 - lazy: few runs need it

    if not params["quiet"]:
        terminal.say(to_text(proof.verification, show_values=params["show_values"]))
    return Exit.DONE if proof.verification.proven else Exit.DIFFERENCE


def _refused(error: IstioConvertError, reporting: Reporting) -> int:
    """Hand an error on to the command, or only its code when a report on stderr has told it."""
    from istio_convert.cli.exits import code_of  # noqa: PLC0415 - beside its use

    if reporting.shows_errors:
        raise error
    return code_of(error)


def _write(conversion: Conversion, settings: Settings, params: dict[str, Any]) -> int:
    """Write the folder, the stream or the difference."""
    options = settings.emit_options()
    if params["output"]:
        conversion.write(
            params["output"],
            settings.target,
            force=settings.force,
            options=options,
            show_values=settings.show_values,
        )
        return Exit.DONE
    if params["diff_with"]:
        from istio_convert.emit import diff  # noqa: PLC0415 - lazy: few runs need it

        difference = diff(
            params["diff_with"], conversion.files(settings.target, options, show_values=settings.show_values)
        )
        terminal.product(difference)
        return Exit.DIFFERENCE if difference else Exit.DONE
    terminal.product(_stream(conversion, settings))
    return Exit.DONE


def _stream(conversion: Conversion, settings: Settings) -> str:
    """All objects as one YAML stream.

    Raises:
        UsageError: the output is more than objects.
    """
    files = conversion.files(settings.target, settings.emit_options())
    if any(path.startswith("kustomize/") for path in files):
        raise click.UsageError("the releases have patches, which Argo CD takes from a folder; give it -o DIR")
    objects = [text for path, text in files.items() if path.endswith(".yaml") and path != "kustomization.yaml"]
    return "---\n".join(text.removeprefix("---\n") for text in objects)
