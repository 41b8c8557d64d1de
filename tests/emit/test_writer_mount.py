"""A mount point as the output folder: it cannot be renamed, and the error says what can be done."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from istio_convert.emit.writer import write
from istio_convert.errors import OutputError

FILES = {"release.yaml": "a: 1\n"}
HINT = "name a folder inside it"
#: a shell line runs with a mount of its own, where the system lets a user do that
MOUNTED = ["unshare", "--map-root-user", "--mount", "sh", "-c"]


def can_mount() -> bool:
    """Whether this system has mounts for users."""
    if not shutil.which("unshare"):
        return False
    done = subprocess.run([*MOUNTED, "mount -t tmpfs none /mnt"], capture_output=True, check=False)
    return done.returncode == 0


def test_a_folder_that_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    out.mkdir()

    def fail(self: Path, _: Path) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(self))

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OutputError, match=os.strerror(errno.EBUSY)) as caught:
        write(out, FILES)
    assert HINT in str(caught.value.hint)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert not list(out.iterdir())


def test_another_error_has_no_word_of_mounts(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError) as caught:
        write(tmp_path / "file" / "out", FILES)
    assert caught.value.hint == "nothing was written"


@pytest.mark.skipif(not can_mount(), reason="this system has no mounts for users")
@pytest.mark.parametrize("mount", ["mount -t tmpfs none out", "mount --bind other out"])
def test_a_real_mount(tmp_path: Path, mount: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "operator.yaml").write_text("apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n")
    program = f"{sys.executable} -m istio_convert operator.yaml -q -o"
    line = f"{mount} && {program} out; code=$?; {program} out/inside && ls -A out && exit $code"
    done = subprocess.run([*MOUNTED, line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "inside\n")
    first, hint = done.stderr.splitlines()
    assert first.endswith(f"out cannot be written: {os.strerror(errno.EBUSY)}")
    assert HINT in hint
