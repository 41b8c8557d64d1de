"""Every command, Python example and excerpt of the README and of the documentation, as a reader meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import Block, blocks, pages
from tests.docs.running import Page, compare

BLOCKS = [block for page in pages() for block in blocks(page) if block.does_something]


@pytest.fixture(scope="session")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    return {page: Page(page, tmp_path_factory.mktemp("page")) for page in pages()}


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"{block.page}:{block.line}")
def test_block(block: Block, page_of: dict[str, Page]) -> None:
    page_of[block.page].run(block)


def test_there_is_something_to_run() -> None:
    assert len([block for block in BLOCKS if block.condition("skip") is None]) >= 40
    assert {"README.md", "docs/tutorial.md"} <= {block.page for block in BLOCKS}


def test_comparing_finds_what_is_wrong(tmp_path: Path) -> None:
    compare("a\n...\nd\n", "a\nb\nc\nd\n")
    compare("b\nc\n", "a\nb\nc\nd\n", anywhere=True)
    for shown in ("a\nd\n", "a\n...\ne\n", "b\n"):
        with pytest.raises(AssertionError):
            compare(shown, "a\nb\nc\nd\n")
