"""Running the proof for a conversion, for ``verify``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from istio_convert.errors import InputError, Origin

if TYPE_CHECKING:
    from istio_convert.api import Conversion
    from istio_convert.verify import Verification


def prove(
    conversion: Conversion,
    *,
    charts: str | None = None,
    reference: tuple[str, str] | None = None,
    keep_tags: bool = False,
    binary: bool = False,
) -> Verification:
    """Render both sides of a conversion and compare them.

    Args:
        conversion: the conversion.
        charts: a folder of charts to use instead of the cache.
        reference: (name, text) of manifests to take as istioctl's side.
        keep_tags: compare pinned image tags as they are.
        binary: render with the ``helm`` program on PATH.

    Raises:
        VerifyError: there are no charts here, or a side does not render.
    """
    from istio_convert.proving import operator_texts  # noqa: PLC0415 - lazy: few runs need it
    from istio_convert.verify import verify  # noqa: PLC0415 - lazy: few runs need it

    return verify(
        operator_texts(conversion),
        conversion.releases,
        conversion.version,
        sets=conversion.sets,
        charts=charts,
        given=reference,
        keep_tags=keep_tags,
        binary=binary,
    )


def text_of(name: str, content: str | bytes) -> str:
    """An input as text.

    Raises:
        InputError: it is no UTF-8.
    """
    if isinstance(content, str):
        return content
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("is no UTF-8 text", origin=Origin(name), hint="save it as UTF-8") from error
