"""Comparing an output folder with what would be written. It reads, follows no symbolic link, and changes nothing."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from istio_convert.emit.marker import MARKER, fingerprint, has_yours, read_marker
from istio_convert.errors import OutputError

#: what tells of the run and of the operator's text (lines, names, checksums) and is not applied
PAGES = frozenset({"README.md", "REPORT.md", "report.json", "PROOF.md"})


@dataclass(frozen=True, slots=True)
class Changes:
    """What writing would do to a folder. Every field holds relative POSIX paths, sorted.

    Attributes:
        added: files that do not exist yet.
        changed: files with another content.
        removed: files of an earlier run that are not written any more.
        unchanged: files that stay as they are.
        edited: files of an earlier run that somebody changed since, and that writing would overwrite or remove; a
            reader's own part of a file counts only when the file is removed.
        foreign: files and links that no earlier run wrote.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether writing would change anything."""
        return bool(self.added or self.changed or self.removed)


def plan_changes(folder: str | os.PathLike[str], files: Mapping[str, str]) -> Changes:
    """What :func:`~istio_convert.emit.writer.write` would do.

    Args:
        folder: need not exist.
        files: relative POSIX path -> text.

    Raises:
        OutputError: the folder cannot be read, or is no folder.
    """
    root = Path(folder)
    present = listing(root)
    known = (read_marker(root) or {}) if present else {}
    added, changed, unchanged, edited = [], [], [], []
    for path, text in files.items():
        if path not in present:
            added.append(path)
            continue
        found = _fingerprint(root, path, regular=present[path])
        if found == fingerprint(text.encode()):
            unchanged.append(path)
            continue
        changed.append(path)
        if path in known and found != known[path]:
            edited.append(path)
    removed = [path for path in known if path in present and path not in files]
    for path in removed:
        regular = present[path]
        if _fingerprint(root, path, regular=regular) != known[path] or (regular and has_yours(_read(root / path))):
            edited.append(path)
    same = set(unchanged)
    foreign = [path for path in present if path not in known and path not in same and path != MARKER]
    return Changes(*(tuple(sorted(paths)) for paths in (added, changed, removed, unchanged, edited, foreign)))


def diff(folder: str | os.PathLike[str], files: Mapping[str, str], *, prefix: str = "") -> str:
    """A unified diff from what is in a folder to what would be written; empty when what is applied would not change.

    Files that we did not write and would not write are left out; so are the pages that tell of the run (:data:`PAGES`).

    Args:
        folder: need not exist.
        files: relative POSIX path -> text.
        prefix: what stands before the names of files, such as ``prod/``.

    Raises:
        OutputError: the folder cannot be read.
    """
    root = Path(folder)
    changes = plan_changes(root, files)
    present = listing(root)
    parts: list[str] = []
    for path in sorted({*changes.added, *changes.changed, *changes.removed} - PAGES):
        before = _present_lines(root, path, regular=present[path]) if path in present else None
        after = _lines(files[path]) if path in files else None
        parts += _file_diff(prefix + path, before, after)
    return "".join(parts)


def _file_diff(path: str, before: list[str] | None, after: list[str] | None) -> list[str]:
    from_name = "/dev/null" if before is None else f"a/{path}"
    to_name = "/dev/null" if after is None else f"b/{path}"
    lines = difflib.unified_diff(before or [], after or [], from_name, to_name)
    return [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]


def _present_lines(root: Path, path: str, *, regular: bool) -> list[str]:
    if not regular:
        return ["(no regular file)\n"]
    return _lines(_read(root / path).decode(errors="replace").replace("\r\n", "\n"))


def _lines(text: str) -> list[str]:
    r"""Lines with their ends; only ``\n`` ends a line."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _fingerprint(root: Path, path: str, *, regular: bool) -> str:
    """The fingerprint of a file; empty for a link or a special file, which is never read."""
    return fingerprint(_read(root / path)) if regular else ""


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise OutputError(f"{path} cannot be read: {error.strerror}") from error


def listing(root: Path) -> dict[str, bool]:
    """Relative POSIX path -> whether it is a regular file, of everything below a folder but folders.

    Empty when the folder does not exist. Links are listed and not followed.

    Raises:
        OutputError: it cannot be read, is a symbolic link, or is no folder.
    """
    if root.is_symlink():
        raise OutputError(f"{root} is a symbolic link", hint="name the folder itself")
    if not root.exists():
        return {}
    if not root.is_dir():
        raise OutputError(f"{root} is no folder", hint="choose another name")
    found: dict[str, bool] = {}
    waiting = [root]
    try:
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    else:
                        path = Path(entry.path).relative_to(root).as_posix()
                        found[path] = entry.is_file(follow_symlinks=False)
    except OSError as error:
        raise OutputError(f"{error.filename or root} cannot be read: {error.strerror}") from error
    return dict(sorted(found.items()))
