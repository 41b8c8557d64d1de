"""``istio-convert charts``: the charts on this machine."""

from __future__ import annotations

import sys

import click

from istio_convert.cli import terminal
from istio_convert.cli.command import SETTINGS, Command, common


@click.group("charts", context_settings=SETTINGS)
def command() -> None:
    """Bring the charts of Istio releases to this machine, for verify.

    They are kept in the folder that ISTIO_CONVERT_CHARTS names, else in the user's cache.
    """


@command.command("add", cls=Command)
@click.argument("path", type=click.Path(exists=True))
@click.option("--version", metavar="VERSION", help="The release, when neither the folder nor Chart.yaml says it.")
@common
def add(path: str, version: str | None, **_: object) -> None:
    """Add an unpacked Istio release, a folder of such, a chart archive, or a folder of charts."""
    from istio_convert.verify import charts  # noqa: PLC0415 - lazy: --help needs no library

    for added in charts.add(path, version):
        terminal.product(f"{added}\n")


@command.command("pull", cls=Command)
@click.argument("version")
@click.option(
    "--repository",
    metavar="URL",
    help="Instead of the official chart repository: https:// of one, oci:// of a registry; oci: the official registry.",
)
@common
def pull(version: str, repository: str | None, **_: object) -> None:
    """Fetch the official charts of a release.

    They lack istioctl's own gateway charts, which the proof needs: add an unpacked release, or give verify --reference.
    """
    from istio_convert.verify import charts  # noqa: PLC0415 - lazy: --help needs no library

    with terminal.Progress() as progress:
        pulled = charts.pull(version, repository=repository or charts.OFFICIAL_REPOSITORY, progress=progress.show)
    terminal.product(f"{pulled}\n")


@command.command("list", cls=Command)
@common
def list_(color: str, **_: object) -> None:
    """List the releases whose charts are here."""
    from istio_convert.report.text import table  # noqa: PLC0415 - lazy: --help needs no library
    from istio_convert.verify import charts  # noqa: PLC0415

    rows = [("release", "proof", "intact", "charts")]
    for release in charts.listing():
        proof = "yes" if release.has_reference else "no"
        intact = "yes" if charts.intact(release.version) else "no"
        rows.append((release.version, proof, intact, ", ".join(release.charts)))
    terminal.product("\n".join(table(rows, terminal.style_for(color, sys.stdout))) + "\n")
