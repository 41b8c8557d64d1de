"""``istio-convert catalog``: for contributors, building the data about releases."""

from __future__ import annotations

import re
from pathlib import Path

import click

from istio_convert.cli import terminal
from istio_convert.cli.command import SETTINGS, Command, common
from istio_convert.cli.reporting import write_file
from istio_convert.errors import InputError, Origin

_VERSION = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$")


@click.group("catalog", context_settings=SETTINGS, hidden=True)
def command() -> None:
    """Build the data about Istio releases."""


@command.command("build", cls=Command)
@click.argument("releases", metavar="RELEASE_DIR...", nargs=-1, required=True, type=click.Path(exists=True))
@click.option("-o", "--output", metavar="DIR", required=True, help="Where the data files go.")
@common
def build(releases: tuple[str, ...], output: str, **_: object) -> None:
    """Build the catalog from unpacked releases, each in a folder named after its version (istio-1.25.3, 1.25.3)."""
    from istio_convert.catalog.build import build as build_catalog  # noqa: PLC0415 - lazy: few runs need it

    folders = {_version(Path(name)): Path(name) for name in releases}
    try:
        files = build_catalog(folders)
    except (FileNotFoundError, ValueError) as error:
        raise InputError(f"a release cannot be read: {error}", hint="give unpacked releases of Istio") from error
    Path(output).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write_file(str(Path(output) / name), text)
        terminal.product(f"{Path(output) / name}\n")


def _version(folder: Path) -> str:
    if found := _VERSION.search(folder.resolve().name):
        return found[0]
    raise InputError("cannot tell which release this is", origin=Origin(str(folder)), hint="rename it to istio-1.25.3")
