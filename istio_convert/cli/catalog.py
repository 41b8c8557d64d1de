"""``istio-convert catalog``: for contributors, the data about releases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from istio_convert.cli import terminal
from istio_convert.cli.command import SETTINGS, Command, common
from istio_convert.cli.reporting import write_file
from istio_convert.errors import InputError, Origin

_VERSION = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$")
_RELEASES = click.argument(
    "releases", metavar="RELEASE_DIR...", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False)
)
_MODULES = click.argument(
    "modules", metavar="MODULE_DIR...", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False)
)
_OUTPUT = click.option(
    "-o", "--output", metavar="DIR", default="schemas", show_default=True, help="The folder schemas of a checkout."
)


@click.group("catalog", context_settings=SETTINGS, hidden=True)
def command() -> None:
    """Bring the data about Istio releases up to date.

    RELEASE_DIR is an unpacked release in a folder named after its version (istio-1.25.3, 1.25.3), or a folder of such.
    With the Go module istio.io/api of the release in it, as the folder api, the names of MeshConfig are brought up to
    date, too; without it they are those of the release before.
    """


@command.command("add", cls=Command)
@_RELEASES
@_OUTPUT
@common
def add(releases: tuple[str, ...], output: str, **_: object) -> None:
    """Add releases to the data: the catalog, and the values schemas. A final release replaces its candidate."""
    from istio_convert.catalog.build.update import read_catalog  # noqa: PLC0415 - lazy: few runs need it

    known = read_catalog(Path(output))
    if "releases.json" not in known:
        hint = "run this in a checkout, or name its folder schemas with -o"
        raise InputError("there is no data about releases here", origin=Origin(output), hint=hint)
    _write(releases, output, known)


@command.command("build", cls=Command)
@_RELEASES
@_OUTPUT
@common
def build(releases: tuple[str, ...], output: str, **_: object) -> None:
    """Build the data anew from these releases alone. Needed when the way in which charts are read has changed."""
    _write(releases, output, {})


@command.command("kubernetes", cls=Command)
@_MODULES
@_OUTPUT
@common
def kubernetes(modules: tuple[str, ...], output: str, **_: object) -> None:
    """Write down the field names of Kubernetes objects anew.

    MODULE_DIR is the source of k8s.io/api or k8s.io/apimachinery, the newest first; of those after it only what is gone
    counts (autoscaling/v2beta1, which ended with k8s.io/api 0.25).
    """
    from istio_convert.catalog.build.gotypes import kubernetes_names, to_text  # noqa: PLC0415 - lazy: few runs need it

    try:
        names = kubernetes_names(Path(name) for name in modules)
    except FileNotFoundError as error:
        raise InputError(str(error), hint="give the folders of both modules") from error
    _put(Path(output) / "fields" / "kubernetes.json", to_text(names))


def _write(releases: tuple[str, ...], output: str, known: Mapping[str, Mapping[str, object]]) -> None:
    """Write what changed, and name it."""
    from istio_convert.catalog.build.update import updated  # noqa: PLC0415 - lazy: few runs need it

    folders = {_version(path): path for name in releases for path in _unpacked(Path(name))}
    for version, folder in folders.items():
        if not (folder / "api").is_dir():
            terminal.say(
                f"{version} comes without the folder api: its names of MeshConfig are those of the one before\n"
            )
    try:
        files = updated(folders, known)
    except (FileNotFoundError, ValueError) as error:
        raise InputError(f"a release cannot be read: {error}", hint="give unpacked releases of Istio") from error
    for name, text in files.items():
        _put(Path(output) / name, text)


def _put(path: Path, text: str) -> None:
    """Write a file and name it, unless it says so already."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(str(path), text)
    terminal.product(f"{path}\n")


def _unpacked(folder: Path) -> Iterator[Path]:
    """The folder itself, or the releases in it."""
    if not (folder / "manifests").is_dir():
        inside = [child for child in sorted(folder.iterdir()) if (child / "manifests").is_dir()]
        if inside:
            yield from inside
            return
    yield folder


def _version(folder: Path) -> str:
    if found := _VERSION.search(folder.resolve().name):
        return found[0]
    raise InputError("cannot tell which release this is", origin=Origin(str(folder)), hint="rename it to istio-1.25.3")
