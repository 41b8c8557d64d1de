"""Shell text: every word quoted, unless it is marked as text of ours."""

from __future__ import annotations

import shlex

from istio_convert.migrate.model import Command


class Raw(str):
    """A word that is shell already, such as ``"$CHARTS/base-1.25.3.tgz"``; never made from input."""

    __slots__ = ()


def line(*words: str) -> str:
    """One command line."""
    return " ".join(word if isinstance(word, Raw) else shlex.quote(word) for word in words)


def command(*words: str, why: str = "", guard: str = "", folded: bool = False) -> Command:
    """A command from its words."""
    return Command(line(*words), why, guard, folded)


def place(namespace: str) -> tuple[str, ...]:
    """``--namespace X``, or nothing for cluster-scoped objects."""
    return ("--namespace", namespace) if namespace else ()


def present(resource: str, name: str, namespace: str = "") -> str:
    """The guard that holds while an object is there."""
    return line("present", resource, name, *place(namespace))


def listed(first: str, *words: str) -> str:
    """A command with many words of one kind: one on each line."""
    return " \\\n".join([line(first), *(f"  {line(word)}" for word in words)])


TIMEOUT = Raw('--timeout="$TIMEOUT"')
