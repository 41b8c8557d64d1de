"""Putting an output folder on disk: whole or not at all.

The new folder is written beside the old one, flushed to disk, and takes its place by renaming. A crash leaves the old
folder, or the new one, or (between two renames) the old one under a name that the next run restores. Nothing is written
through a symbolic link, and nothing that another hand wrote is removed or overwritten unless that is asked for.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from istio_convert.emit.base import check_path
from istio_convert.emit.changes import Changes, diff, listing, plan_changes
from istio_convert.emit.marker import MARKER, fingerprints, marker_text, read_marker, with_yours
from istio_convert.errors import OutputError, OutputExistsError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["Changes", "diff", "plan_changes", "write"]


def write(folder: str | os.PathLike[str], files: Mapping[str, str], *, force: bool = False) -> Changes:
    """Replace a folder by these files.

    With ``force`` hand-edited files are overwritten, and files that we did not write stay, unless one of ours takes
    their place. What a reader wrote into their own part of a file (:data:`~istio_convert.emit.marker.YOURS`) stays in
    any case.

    Args:
        folder: is created with its parents; an existing one must hold only what an earlier run wrote, unchanged.
        files: relative POSIX path -> text; a text that starts with ``#!`` becomes an executable.
        force: see above.

    Returns:
        What was done.

    Raises:
        OutputExistsError: the folder holds other files, or files that were edited.
        InvalidNameError: a path is no plain relative path.
        OutputError: it cannot be written: permissions, space, a second run at the same time.
    """
    for path in files:
        check_path(path, "a path of the output")
    with _os_errors(Path(folder)):
        target = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow a link at its end
        if not target.name:
            raise OutputError("the output folder is the root of the file system", hint="name a folder")
        if Path.cwd().is_relative_to(target.resolve()):
            raise OutputError(
                f"{target} is, or holds, the current folder and cannot be replaced", hint="name a folder inside it"
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(_beside(target, "lock"), target):
            _recover(target)
            return _replace(target, files, force=force)


def _replace(target: Path, files: Mapping[str, str], *, force: bool) -> Changes:
    changes = plan_changes(target, files)
    if not force:
        _refuse(target, changes)
    if not changes and read_marker(target) == fingerprints(files):
        return changes
    files = {path: with_yours(target / path, text) for path, text in files.items()}
    fresh, old = _beside(target, "new"), _beside(target, "old")
    try:
        fresh.mkdir()
        _fill(fresh, files)
        _carry_over(target, fresh, files, changes)
        _flush_folders(fresh)
        if target.exists():
            shutil.copymode(target, fresh)
            target.rename(old)
        fresh.rename(target)
        _flush(target.parent)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    shutil.rmtree(old, ignore_errors=True)
    return changes


def _refuse(target: Path, changes: Changes) -> None:
    if changes.foreign:
        raise OutputExistsError(
            f"{target} holds files that istio-convert did not write, such as {changes.foreign[0]}",
            hint="choose another folder, or --force to write beside them",
        )
    if changes.edited:
        raise OutputExistsError(
            f"{target} holds files that were edited since they were written, such as {changes.edited[0]}",
            hint="keep the edits elsewhere, or --force to overwrite them",
        )


def _fill(fresh: Path, files: Mapping[str, str]) -> None:
    for name, text in {**files, MARKER: marker_text(files)}.items():
        path = fresh / name
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = 0o777 if text.startswith("#!") else 0o666  # less the umask
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(text.encode())
            stream.flush()
            os.fsync(stream.fileno())


def _carry_over(target: Path, fresh: Path, files: Mapping[str, str], changes: Changes) -> None:
    """Copy what others put into the folder, links as links, where no file of ours takes the place."""
    taken = {*files, MARKER}
    folders = {str(parent) for path in taken for parent in PurePosixPath(path).parents}
    regular = listing(target) if changes.foreign else {}
    for name in changes.foreign:
        above = {str(parent) for parent in PurePosixPath(name).parents}
        if name in taken or name in folders or above & taken:
            continue
        source, copy = target / name, fresh / name
        if not regular[name] and not source.is_symlink():
            raise OutputError(f"{source} is neither a file nor a link", hint="choose another folder")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, copy, follow_symlinks=False)


def _recover(target: Path) -> None:
    """Tidy up after a run that was killed."""
    fresh, old = _beside(target, "new"), _beside(target, "old")
    if old.exists():
        if not target.exists():
            old.rename(target)
        elif read_marker(target) is not None:
            shutil.rmtree(old)
        else:
            raise OutputError(
                f"{old} is left over from a run that was killed, and {target} is not by istio-convert",
                hint="look at both and delete one",
            )
    if fresh.exists():
        shutil.rmtree(fresh)


def _beside(target: Path, purpose: str) -> Path:
    return target.with_name(f".{target.name}.istio-convert-{purpose}")


def _flush_folders(fresh: Path) -> None:
    for folder, _, _ in os.walk(fresh, topdown=False):
        _flush(Path(folder))


def _flush(folder: Path) -> None:
    if sys.platform == "win32":  # a folder cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _locked(path: Path, target: Path) -> Iterator[None]:
    """Hold a lock that the system releases when the process dies, and remove its file afterwards."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        if not _take(descriptor) or not _is_same_file(descriptor, path):
            raise OutputError(f"another run is writing {target}", hint="wait for it to end")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                path.unlink()
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_same_file(descriptor: int, path: Path) -> bool:
    """Whether the lock file is still there: the run that held it before may just have removed it."""
    try:
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    except OSError:
        return False


@contextlib.contextmanager
def _os_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or target
        hint = f"nothing was changed in {target}" if target.exists() else "nothing was written"
        if error.errno == errno.EBUSY or os.path.ismount(target):
            hint += "; the folder is replaced whole, by a rename, and a mount point cannot be: name a folder inside it"
        raise OutputError(f"{where} cannot be written: {error.strerror or type(error).__name__}", hint=hint) from error
