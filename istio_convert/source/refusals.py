"""Why a text is no YAML that istioctl could read, said in one error that names file, line, cause and what to do.

The messages quote nothing of the input but single characters, since values may be secrets.
"""

from __future__ import annotations

import re

from istio_convert.errors import Origin, YamlError

MAX_BYTES = 16 * 2**20

_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_GZIP = b"\x1f\x8b"
_FORBIDDEN = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # slow to compile, seldom needed

TEMPLATE_CAUSE = "a template ({{ … }}) that is not rendered"
TEMPLATE_HINT = (
    "render it first (for example: helm template), then convert the result; in a text that must hold it, quote it"
)


def decode(data: str | bytes, file: str) -> str:
    """The text of an input, without a byte order mark.

    Raises:
        YamlError: it is too large, binary, or not UTF-8.
    """
    if len(data) > MAX_BYTES:
        raise YamlError(
            f"more than {MAX_BYTES // 2**20} MiB",
            origin=Origin(file, 1, 1),
            hint="give the IstioOperator alone; Kubernetes stores at most 1.5 MB",
        )
    text = data if isinstance(data, str) else _from_utf8(data, file)
    text = text.removeprefix("\ufeff")
    if "\n\ufeff" in text:  # libyaml skips it, Go makes it part of the key
        line = text.count("\n", 0, text.index("\n\ufeff")) + 2
        raise YamlError(
            "a byte order mark in the middle of the text",
            origin=Origin(file, line, 1),
            hint="remove it where files were joined",
        )
    return text


def _from_utf8(data: bytes, file: str) -> str:
    if data.startswith(_UTF16_BOMS):
        raise YamlError(
            "UTF-16, not UTF-8", origin=Origin(file, 1, 1), hint="save it as UTF-8; PowerShell: Out-File -Encoding utf8"
        )
    if data.startswith(_GZIP):
        raise YamlError("compressed data, not YAML", origin=Origin(file, 1, 1), hint="unpack it first (gunzip)")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        if b"\0" in data:
            raise _binary(file, data.count(b"\n", 0, data.index(b"\0")) + 1) from None
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", errors="replace").removeprefix("\ufeff")) + 1
        raise YamlError(
            f"a byte that is not UTF-8 (0x{data[error.start]:02x})",
            origin=Origin(file, before.count(b"\n") + 1, column),
            hint="save the file as UTF-8",
        ) from None


def forbidden_character(text: str, file: str) -> YamlError | None:
    """The error for the first character that YAML does not allow at all; None when there is none."""
    match = re.search(_FORBIDDEN, text)
    if match is None:
        return None
    line = text.count("\n", 0, match.start()) + 1
    if match[0] == "\0":
        return _binary(file, line)
    column = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
    return YamlError(
        f"the character U+{ord(match[0]):04X}, which YAML does not allow",
        origin=Origin(file, line, column),
        hint="remove it, or write it as an escape in double quotes",
    )


def _binary(file: str, line: int) -> YamlError:
    return YamlError("binary data (a NUL byte)", origin=Origin(file, line, 1), hint="give a YAML file in UTF-8")
