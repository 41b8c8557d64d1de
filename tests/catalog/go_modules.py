"""Go modules on this machine, in Go's module cache. None of them is part of the project."""

from __future__ import annotations

import os
from pathlib import Path


def module_at_hand(path: str, version: str) -> Path | None:
    """The folder of a module such as ``istio.io/api``; None when it is not on this machine."""
    roots = [os.environ.get("GOMODCACHE"), *(f"{root}/pkg/mod" for root in (os.environ.get("GOPATH"), "~/go") if root)]
    folders = [Path(root).expanduser() / f"{path}@{version}" for root in roots if root]
    return next((folder for folder in folders if folder.is_dir()), None)
