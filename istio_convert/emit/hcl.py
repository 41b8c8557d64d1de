"""The one writer of HCL, the language of Terraform and OpenTofu: blocks and attributes as ``fmt`` lays them out.

Only what the output needs: texts, numbers, booleans, lists, maps, and expressions that are written as they stand.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Expression:
    """HCL that is written as it is, such as ``file("…")``."""

    text: str


@dataclass(frozen=True, slots=True)
class Comment:
    """Lines above what follows."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A block.

    Attributes:
        head: its type and labels, such as ``("resource", "helm_release", "istiod")``.
        body: groups; a blank line stands between two of them.
    """

    head: tuple[str, ...]
    body: Sequence[Sequence[Item]] = ()


Value: TypeAlias = "str | bool | int | Expression | list[Value] | dict[str, Value]"
Attribute: TypeAlias = tuple[str, Value]
Item: TypeAlias = "Attribute | Block | Comment"


@dataclass(slots=True)
class _Text:
    lines: list[str] = field(default_factory=list)

    def add(self, depth: int, line: str) -> None:
        self.lines.append(f"{'  ' * depth}{line}" if line else "")


def dump(blocks: Sequence[Block | Comment]) -> str:
    """The text of a file; a blank line stands between two blocks."""
    text = _Text()
    for number, block in enumerate(blocks):
        if number and not isinstance(blocks[number - 1], Comment):
            text.add(0, "")
        _item(text, block, 0, 0)
    return "\n".join(text.lines) + "\n"


def quoted(value: str) -> str:
    """A text as HCL writes it: as JSON, but nothing in it is a template."""
    return json.dumps(value, ensure_ascii=False).replace("${", "$${").replace("%{", "%%{")


def _item(text: _Text, item: Item, depth: int, width: int) -> None:
    if isinstance(item, Comment):
        for line in item.lines:
            text.add(depth, f"# {line}")
    elif isinstance(item, Block):
        kind, *labels = item.head
        text.add(depth, " ".join([kind, *(quoted(label) for label in labels), "{"]))
        for number, group in enumerate(item.body):
            if number:
                text.add(0, "")
            _group(text, group, depth + 1)
        text.add(depth, "}")
    else:
        name, value = item
        _attribute(text, f"{name.ljust(width)} = ", value, depth)


def _group(text: _Text, group: Sequence[Item], depth: int) -> None:
    names = [item[0] for item in group if isinstance(item, tuple)]
    width = max(map(len, names), default=0)
    for item in group:
        _item(text, item, depth, width)


def _attribute(text: _Text, head: str, value: Value, depth: int) -> None:
    if isinstance(value, dict):
        text.add(depth, f"{head}{{")
        _group(text, list(value.items()), depth + 1)
        text.add(depth, "}")
    else:
        text.add(depth, head + _inline(value))


def _inline(value: Value) -> str:
    if isinstance(value, Expression):
        return value.text
    if isinstance(value, list):
        return f"[{', '.join(_inline(item) for item in value)}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_inline(item)}' for name, item in value.items())} }}"
    if isinstance(value, bool | int):
        return json.dumps(value)
    return quoted(value)
