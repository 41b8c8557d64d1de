"""Writes what the documentation takes from the code, between its markers.

    python -m tests.docs.generate          write
    python -m tests.docs.generate --check  say which pages are out of date

A marker names a section of :data:`SECTIONS`: ``<!-- generated: exits -->`` … ``<!-- /generated -->``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.docs.generate import api, cli, errors, report, rules, tables
from tests.docs.pages import ROOT, pages

SECTIONS: dict[str, Callable[[], str]] = {
    "api": api.section,
    "cli": cli.section,
    "errors": errors.section,
    "exits": tables.exits,
    "outcomes": tables.outcomes,
    "report": report.section,
    "rules": rules.section,
    "supported": tables.supported,
    "versions": tables.versions_table,
}

_MARKED = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- /generated -->)", re.DOTALL)


def generated(page: str) -> str:
    """The text of a page with its sections as the code has them now."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return _MARKED.sub(lambda found: f"{found[1]}\n{SECTIONS[found[2]]().strip()}\n\n{found[3]}", text)


def outdated() -> list[str]:
    """The pages that differ from what the code says."""
    return [page for page in pages() if generated(page) != (ROOT / page).read_text(encoding="utf-8")]


def sections_in_use() -> set[str]:
    """The sections that some page shows."""
    return {found[2] for page in pages() for found in _MARKED.finditer((ROOT / page).read_text(encoding="utf-8"))}
