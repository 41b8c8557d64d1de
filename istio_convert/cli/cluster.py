"""``istio-convert cluster``: what of Istio runs; and the options by which other commands take it as their input."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from istio_convert.cli import terminal
from istio_convert.cli.command import Command, common
from istio_convert.cli.exits import Exit
from istio_convert.errors import InputError

if TYPE_CHECKING:
    from istio_convert.api import Source
    from istio_convert.cluster import Inventory, Reading

_HELP = """Show what of Istio is in a cluster: operators, control planes, gateways, tags, and who owns them.

Only reads, by "kubectl get", with the kubeconfig and context that kubectl would take.

\b
  istio-convert cluster                          what runs
  istio-convert cluster --print operators        the operators, as convert --from-cluster takes them
  istio-convert cluster --print role             the ClusterRole that reading needs
  istio-convert cluster --print dump > live.yaml  for plan --live and verify --reference, without a cluster at hand
"""

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Found:
    """A cluster as the input.

    Attributes:
        reading: its objects.
        inventory: what of Istio is among them.
    """

    reading: Reading
    inventory: Inventory

    def sources(self) -> list[Source]:
        """The operators as inputs of a conversion.

        Raises:
            InputError: there are none.
        """
        from istio_convert.api import Source  # noqa: PLC0415 - lazy: --help needs no library
        from istio_convert.source import dump  # noqa: PLC0415 - lazy: --help needs no library

        operators = self.inventory.inputs()
        if not operators:
            raise InputError(
                "the cluster holds no IstioOperator",
                hint="istioctl from 1.24 on keeps none there: give the file that was applied, and "
                "verify --reference with istio-convert cluster --print dump",
            )
        return [Source(operator.title, dump(dict(operator.document))) for operator in operators]

    def dump(self) -> str:
        """All objects as one ``List``, as ``kubectl get -o yaml`` writes it (JSON, which is YAML)."""
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(self.reading.objects)}, indent=1) + "\n"


def connection_options(function: Function) -> Function:
    """Add the options that say which cluster; named as kubectl's."""
    for option in (
        click.option("--context", metavar="NAME", help="Context of the kubeconfig, as for kubectl."),
        click.option("--kubeconfig", metavar="FILE", help="As for kubectl."),
    ):
        function = option(function)
    return function


def from_cluster_option(function: Function) -> Function:
    """Add ``--from-cluster``, with the options that say which cluster."""
    option = click.option(
        "--from-cluster", is_flag=True, help="Take the operators of the cluster instead of files; only reads."
    )
    return option(connection_options(function))


def refuse_both(operators: tuple[str, ...], params: dict[str, Any]) -> None:
    """Operators come from files or from the cluster.

    Raises:
        UsageError: both or neither is given.
    """
    if params["from_cluster"] and operators:
        raise click.UsageError("operators come from files or, with --from-cluster, from the cluster")
    if not params["from_cluster"] and not operators:
        raise click.UsageError("Missing argument 'OPERATOR...': a file, or --from-cluster")
    if not params["from_cluster"] and (params["kubeconfig"] or params["context"]):
        raise click.UsageError("--kubeconfig and --context are for --from-cluster")


def look(params: dict[str, Any]) -> Found:
    """Read the cluster that the options name.

    Raises:
        ClusterError: it does not answer, or may not be read.
    """
    from istio_convert.cluster import Kubectl, read_cluster, take_inventory  # noqa: PLC0415 - lazy: few runs need it

    reading = read_cluster(Kubectl(kubeconfig=params["kubeconfig"], context=params["context"]))
    return Found(reading, take_inventory(reading))


@click.command("cluster", cls=Command, help=_HELP)
@connection_options
@click.option(
    "--print",
    "what",
    type=click.Choice(["inventory", "operators", "dump", "role"]),
    default="inventory",
    show_default=True,
    help="What goes to stdout.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Of the inventory.")
@common
def command(what: str, form: str, **params: Any) -> int:
    """Read, look through, print."""
    from istio_convert.cluster import cluster_role, to_data, to_text  # noqa: PLC0415 - lazy: --help needs no library
    from istio_convert.source import dump  # noqa: PLC0415 - lazy: --help needs no library

    if what == "role":
        terminal.product(dump(cluster_role()))
        return Exit.DONE
    found = look(params)
    if what == "operators":
        terminal.product("---\n".join(str(source.text).removeprefix("---\n") for source in found.sources()))
    elif what == "dump":
        terminal.product(found.dump())
    elif form == "json":
        terminal.product(json.dumps(to_data(found.inventory), indent=2) + "\n")
    else:
        terminal.product(to_text(found.inventory))
    return Exit.DONE
