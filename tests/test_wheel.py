"""The built wheel, installed into a clean environment, converts: data files travel with the package."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OPERATOR = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec: {hub: registry.example.com/istio}\n"


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_data(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "istio_convert/py.typed" in names
    assert "istio_convert/schemas/catalog/istiod.json" in names
    assert "istio_convert/schemas/report.schema.json" in names
    assert "istio_convert/schemas/operator.schema.json" in names
    assert not [name for name in names if name.startswith(("tests/", "fixtures/"))]


def test_an_installed_wheel_converts(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, cwd=tmp_path)
    (tmp_path / "operator.yaml").write_text(OPERATOR, encoding="utf-8")
    run(tmp_path / "env" / "bin" / "istio-convert", "operator.yaml", "--to", "1.25.3", "-o", "out", cwd=tmp_path)
    assert "registry.example.com/istio" in (tmp_path / "out" / "istiod.yaml").read_text(encoding="utf-8")
    assert "gateway.lifecycle" in run(python, "-m", "istio_convert", "rules", cwd=tmp_path)
