from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli import running


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with operators; no configuration above it."""
    for name in ("clean", "inert", "manual", "broken", "patched"):
        (tmp_path / f"{name}.yaml").write_text(getattr(running, name.upper()))
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "ISTIO_CONVERT_TO"):
        monkeypatch.delenv(name, raising=False)
