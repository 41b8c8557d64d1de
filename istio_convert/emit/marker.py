"""The marker file: which files of an output folder are ours, and what was in them when we wrote them.

It carries no time, so that the same input gives the same bytes. Line ends do not count, since Git may change them, and
neither does what a person writes below :data:`YOURS`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from istio_convert.errors import OutputError

MARKER = ".istio-convert.json"
#: The line below which a text of ours belongs to its reader: another run keeps what stands there.
YOURS = "<!-- What you write below this line is yours: another run keeps it. -->"
_FORMAT = 1


def fingerprint(content: bytes) -> str:
    r"""The sha256 of a file's content with line ends as ``\n``, as far as it is ours."""
    return hashlib.sha256(_parts(content)[0]).hexdigest()


def has_yours(content: bytes) -> bool:
    """Whether a reader wrote something into their part of a file."""
    return bool(_parts(content)[1].strip())


def with_yours(path: Path, text: str) -> str:
    r"""A text of ours with what its reader wrote into the file that it replaces, line ends as ``\n``.

    Args:
        path: the file; need not exist. A link is not followed.
        text: the new text.

    Raises:
        OutputError: the file cannot be read.
    """
    if not text.endswith(f"\n{YOURS}\n") or path.is_symlink() or not path.is_file():
        return text
    try:
        return text + _parts(path.read_bytes())[1].decode("utf-8")
    except OSError as error:
        raise OutputError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise OutputError(
            f"{path} is not UTF-8", hint="save it as UTF-8, so that your part of it can be kept"
        ) from error


def _parts(content: bytes) -> tuple[bytes, bytes]:
    r"""What of a file is ours and what is its reader's, line ends as ``\n``."""
    ours, mark, yours = content.replace(b"\r\n", b"\n").partition(f"\n{YOURS}\n".encode())
    return ours + mark, yours


def fingerprints(files: Mapping[str, str]) -> dict[str, str]:
    """Path -> fingerprint, sorted by path."""
    return {path: fingerprint(text.encode()) for path, text in sorted(files.items())}


def marker_text(files: Mapping[str, str]) -> str:
    """The marker for these files."""
    return json.dumps({"tool": "istio-convert", "format": _FORMAT, "files": fingerprints(files)}, indent=2) + "\n"


def read_marker(folder: Path) -> dict[str, str] | None:
    """Path -> fingerprint of the files that were written by us; None when the folder has no marker.

    Raises:
        OutputError: there is a marker that cannot be read.
    """
    path = folder / MARKER
    if path.is_symlink() or not path.is_file():
        return None
    try:
        data = json.loads(path.read_bytes())
        files = data["files"]
        if data["format"] != _FORMAT or not isinstance(files, dict):
            raise ValueError
    except OSError as error:
        raise OutputError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise OutputError(
            f"{path} is damaged or comes from another version",
            hint="delete it and use --force, or choose another folder",
        ) from error
    return {str(name): str(value) for name, value in files.items()}
