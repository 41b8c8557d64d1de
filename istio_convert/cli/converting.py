"""From the options of a command to a conversion; the target version may come from the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from istio_convert.cli.config import Config, find
from istio_convert.cli.settings import Settings
from istio_convert.errors import Origin, UnsupportedVersionError

if TYPE_CHECKING:
    from istio_convert.api import Conversion, Source


def settle_version(params: dict[str, Any], settled: Config | None = None) -> None:
    """Take the target version of the configuration when the command line and the environment name none.

    Args:
        params: of the command.
        settled: the configuration; None to look for it.

    Raises:
        InputError: the configuration is wrong.
    """
    if params.get("to"):
        return
    settled = find(Path.cwd()) if settled is None else settled
    if settled.to and settled.file is not None:
        params["to"], params["to_from"] = settled.to, settled.file


def convert_by(sources: Source | Sequence[Source], settings: Settings, *more: str) -> Conversion:
    """Convert as settings say.

    Args:
        sources: the inputs.
        settings: the options.
        more: flags behind those of ``--set``.

    Raises:
        InputError: as :func:`istio_convert.convert`; a version of the configuration that is not known names its file.
    """
    from istio_convert.api import convert  # noqa: PLC0415 - lazy: --help needs no library
    from istio_convert.mapping.target import AS_ASKED  # noqa: PLC0415 - lazy: --help needs no library

    try:
        conversion = convert(
            sources,
            to=settings.to,
            sets=[*settings.sets, *more],
            allow_unknown_version=settings.allow_unknown_version,
        )
    except UnsupportedVersionError as error:
        if settings.to_from is not None:
            error.origin = error.origin or Origin(str(settings.to_from))
        raise
    if settings.to_from is not None and conversion.why_version == AS_ASKED:
        conversion.why_version = f"as {settings.to_from.name} says"
    return conversion
