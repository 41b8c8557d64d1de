"""``istio-convert verify``: the proof."""

from __future__ import annotations

from typing import Any

import click

from istio_convert.cli import inputs, terminal
from istio_convert.cli.cluster import from_cluster_option, look, refuse_both
from istio_convert.cli.command import Command, common, version_options
from istio_convert.cli.converting import convert_by, settle_version
from istio_convert.cli.exits import Exit
from istio_convert.cli.proof import prove, text_of
from istio_convert.cli.settings import settings_from

_HELP = """Render what istioctl would apply and what Helm and Kustomize would, and compare the objects.

Needs the charts of the release on this machine ("istio-convert charts add PATH") and the extra "render".
With --from-cluster the operators and istioctl's side are those of the cluster, so that what was changed by hand shows.
Exit code 4 when a difference is left that nothing explains.
"""


@click.command("verify", cls=Command, help=_HELP)
@click.argument("operators", metavar="OPERATOR...", nargs=-1)
@from_cluster_option
@version_options
@click.option(
    "--charts",
    metavar="DIR",
    help="An unpacked Istio release, or a folder of such, to use instead of the cache.",
)
@click.option(
    "--reference",
    metavar="FILE|-",
    help="istioctl's side: output of 'istioctl manifest generate', or 'kubectl get -o yaml' of the live objects.",
)
@click.option("--keep-tags", is_flag=True, help="Compare pinned image tags as they are.")
@click.option("--helm-binary", is_flag=True, help="Render with the helm program on PATH.")
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", help="Of the proof.")
@click.option("--show-values", is_flag=True, help="Show values of both sides, which may be secrets.")
@click.option("-v", "--verbose", is_flag=True, help="List explained differences, too.")
@click.option("-q", "--quiet", is_flag=True, help="Show errors only.")
@common
def command(operators: tuple[str, ...], form: str, reference: str | None, **params: Any) -> int:
    """Convert, render, compare."""
    refuse_both(operators, params)
    if params["from_cluster"] and reference is not None:
        raise click.UsageError("--from-cluster compares with the live objects; give --reference with files")
    names = inputs.expand(operators)
    if reference == inputs.STDIN and inputs.STDIN in names:
        raise click.UsageError("both the operator and --reference from standard input")
    settle_version(params)
    found = look(params) if params["from_cluster"] else None
    sources = found.sources() if found else [inputs.read(name) for name in names]
    conversion = convert_by(sources, settings_from(params))
    if params.get("to_from") and not params["quiet"]:
        terminal.say(f"note: Istio {conversion.version}, {conversion.why_version}\n")
    given = ("the cluster", found.dump()) if found else None
    if reference is not None:
        source = inputs.read(reference)
        given = (source.name, text_of(source.name, source.text))
    proof = prove(
        conversion,
        charts=params["charts"],
        reference=given,
        keep_tags=params["keep_tags"],
        binary=params["helm_binary"],
    )
    if not params["quiet"]:
        from istio_convert import verify  # noqa: PLC0415 - lazy: --help needs no library

        if form == "json":
            text = verify.to_json(proof, show_values=params["show_values"])
        elif form == "markdown":
            text = verify.to_markdown(proof, show_values=params["show_values"])
        else:
            text = verify.to_text(proof, show_values=params["show_values"], everything=params["verbose"])
        terminal.product(text)
    return Exit.DONE if proof.proven else Exit.DIFFERENCE
