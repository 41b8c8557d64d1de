"""One file with operators of several meshes as one input per operator, lines and columns unchanged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from istio_convert.api import Source
    from istio_convert.source.nodes import Document

_MARKER = re.compile(r"(---|\.\.\.)(\s|\Z)")


def operators(source: Source) -> list[tuple[str, Source]]:
    """The operators of a file.

    Args:
        source: a file that can be read.

    Returns:
        Pairs of the operator's name and the file with everything blank that is not this operator's; empty when the
        operators cannot be told apart by documents, as in a List.
    """
    from istio_convert.api import Source  # noqa: PLC0415 - lazy: --help needs no library
    from istio_convert.operator.documents import find_operators  # noqa: PLC0415
    from istio_convert.operator.effective import group  # noqa: PLC0415
    from istio_convert.source import read  # noqa: PLC0415

    documents = read(source.text, source.name)
    groups = group(find_operators(documents))
    owners = [{id(operator.document) for operator in members} for members in groups]
    if sum(map(len, owners)) != len(set().union(*owners)):
        return []
    text = source.text if isinstance(source.text, str) else source.text.decode("utf-8-sig")
    found = []
    for number, (members, own) in enumerate(zip(groups, owners, strict=True), start=1):
        others = [document for document in documents if id(document) not in own]
        found.append((members[0].name or f"operator-{number}", Source(source.name, without(text, others))))
    return found


def without(text: str, documents: list[Document]) -> str:
    """The text with these documents blanked."""
    lines = text.splitlines()
    for document in documents:
        origin = document.root.origin
        if origin is None:
            continue
        start = origin.line - 1
        if marker := _MARKER.match(lines[start]):
            lines[start] = marker[1]
            start += 1
        elif not any(map(_MARKER.match, lines[:start])):
            lines[start] = "---"  # the first document counts, even when it is empty
            start += 1
        for number in range(start, len(lines)):
            if _MARKER.match(lines[number]):
                break
            lines[number] = ""
    return "\n".join(lines) + "\n"
