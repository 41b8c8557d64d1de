"""The marker file: which files of an output folder are ours, and what was in them when we wrote them.

It carries no time, so that the same input gives the same bytes. Line ends do not count, since Git may change them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from istio_convert.errors import OutputError

MARKER = ".istio-convert.json"
_FORMAT = 1


def fingerprint(content: bytes) -> str:
    r"""The sha256 of a file's content with line ends as ``\n``."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


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
