"""Pages in step with the code, links that lead somewhere, and a site that builds."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from istio_convert.cli.main import COMMANDS
from istio_convert.mapping.rules.table import rules
from tests.docs.generate import SECTIONS, generated, sections_in_use
from tests.docs.pages import ROOT, pages

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)\s]*)?\)")
HAS_MKDOCS = importlib.util.find_spec("material") is not None


@pytest.mark.parametrize("page", pages())
def test_generated_parts_are_in_step(page: str) -> None:
    wanted = generated(page)
    assert (ROOT / page).read_text(encoding="utf-8") == wanted, "update with: python -m tests.docs.generate"


def test_every_section_has_a_page() -> None:
    assert sections_in_use() == set(SECTIONS)


@pytest.mark.parametrize("page", pages())
def test_links_lead_to_files(page: str) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    for target, _ in LINK.findall(text):
        if "://" not in target:
            assert ((ROOT / page).parent / target).exists(), target


def test_reference_has_every_command_and_rule() -> None:
    commands = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    table = (ROOT / "docs/reference/rules.md").read_text(encoding="utf-8")
    assert all(f"## {name}\n" in commands for name in COMMANDS)
    assert all(f"### `{rule.id}`\n" in table for rule in rules())


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    written = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))
    assert [page for page in written if f": {page}\n" not in navigation] == [], "add them to nav in mkdocs.yml"


@pytest.mark.skipif(not HAS_MKDOCS, reason="needs the extra docs: pip install -e '.[docs]'")
def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    assert (tmp_path / "site" / "reference" / "rules" / "index.html").is_file()
