"""The pages of the documentation, and the blocks of code in them.

A comment on the lines above a block says what a test does with it:

    <!-- copy: fixtures/web-shop/input.yaml operator.yaml -->   copy a file of the repository first
    <!-- file: istio-convert.toml -->                           write the block into this file
    <!-- excerpt: helmrelease/istiod.yaml -->                   the block stands in this file; "..." leaves lines out
    <!-- run: exit 3; charts 1.25.3; program kubectl -->        how the commands end, and what they need
    <!-- run: skip, needs a cluster -->                         shown as a skipped test with this reason
    <!-- rule: SLOTS -->                                        a rule; ``test_adding_a_rule`` puts it into this table

Blocks of ``console``, ``python`` and ``pycon`` run without a comment, in the order of the page, in one folder.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
#: pages of other owners: written by a target of the Makefile, or runs of their own
ELSEWHERE = ("docs/reference/fidelity.md", "docs/migrations/")

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<language>[\w+-]*)(?P<rest>[^`]*)$")
_COMMENT = re.compile(r"^ *<!-- (?P<key>copy|file|excerpt|run|rule): (?P<value>.+?) -->$")


@dataclass(frozen=True)
class Block:
    """One block of code.

    Attributes:
        page: its page, from the root of the repository.
        line: line of its opening fence.
        language: the word behind the fence.
        text: its text without indentation.
        comments: what the comments above it say, in order.
    """

    page: str
    line: int
    language: str
    text: str
    comments: tuple[tuple[str, str], ...] = field(default=())

    def all(self, key: str) -> list[str]:
        """The values of one kind of comment."""
        return [value for name, value in self.comments if name == key]

    def condition(self, name: str) -> str | None:
        """What ``run`` says of one condition: ``3`` for ``exit 3``; None when it says nothing."""
        for value in self.all("run"):
            if value.startswith("skip"):
                return value.removeprefix("skip").lstrip(", ") if name == "skip" else None
            for part in value.split("; "):
                key, _, rest = part.partition(" ")
                if key == name:
                    return rest
        return None

    @property
    def does_something(self) -> bool:
        """Whether a test runs, writes or compares it."""
        return self.language in ("console", "python", "pycon") or any(self.all(key) for key in ("file", "excerpt"))


def pages() -> list[str]:
    """The pages that people wrote, from the root of the repository."""
    found = ["README.md", *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md")))]
    return [page for page in found if not page.startswith(ELSEWHERE)]


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    found: list[Block] = []
    comments: list[tuple[str, str]] = []
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if comment := _COMMENT.match(line):
            comments.append((comment["key"], comment["value"]))
        elif fence := _FENCE.match(line):
            opening, body = number, []
            while lines[number].strip() != fence["ticks"]:
                body.append(lines[number])
                number += 1
            number += 1
            text = "".join(f"{row.removeprefix(fence['indent'])}\n" for row in body)
            found.append(Block(page, opening, fence["language"], text, tuple(comments)))
            comments = []
        elif line.strip() and comments:
            raise ValueError(f"{page}:{number}: a comment for tests without a block below it")
    return found
