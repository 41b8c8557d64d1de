"""Which field names MeshConfig has at a release, and Kubernetes objects have; and what in a tree is none of them.

Nobody else says a word about a misspelt name there: istioctl and the charts pass it on, and istiod or the API server
drop it. A type is named as in the data: a message (``ProxyConfig``), a closed list of words (``Protocol``), a number
with a unit (``Quantity``); a star before it means a map of them. What has no type there is anything, and not looked at.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from istio_convert.catalog.data import load, read_text
from istio_convert.catalog.ranges import contains
from istio_convert.paths import Path
from istio_convert.source.nodes import Node, Scalar, Sequence

QUANTITY = "Quantity"
#: how alike two names must be, as in :mod:`~istio_convert.catalog.closest`
_ALIKE = 0.8
_UNITS = frozenset(["", *"numkMGTPE", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"])

#: field -> its type, or the words of a closed list; None for what is not known
Content: TypeAlias = dict[str, str] | frozenset[str] | None


class Names:
    """The types of one kind of data."""

    #: whether a name may also be spelled as in the ``.proto`` file
    snake = False

    def known(self, kind: str) -> Content:
        """What is known of a type."""
        raise NotImplementedError

    def spelled(self, fields: dict[str, str], name: str) -> str | None:
        """The name under which a field of a message is known; None when there is no such field."""
        if name in fields:
            return name
        if self.snake and "_" in name and (other := json_name(name)) in fields:
            return other
        return None


class MeshNames(Names):
    """MeshConfig and what it holds, at one release."""

    snake = True

    def __init__(self, version: str) -> None:
        self.version = version
        self._found: dict[str, Content] = {}

    def known(self, kind: str) -> Content:
        """What is known of a type at the release."""
        if kind not in self._found:
            self._found[kind] = self._at_version(load("mesh.json").get(kind, {}))
        return self._found[kind]

    def _at_version(self, section: Mapping[str, str | list[list[str]]]) -> Content:
        fields: dict[str, str] = {}
        words = set()
        for name, entry in section.items():
            if isinstance(entry, str):
                if contains(entry, self.version):
                    words.add(name)
                continue
            for versions, kind in entry:
                if contains(versions, self.version):
                    fields[name] = kind
        return frozenset(words) if words else fields or None

    def elsewhere(self, kind: str, name: str) -> str:
        """Which other releases know a field, as ranges; empty when none does."""
        entry = load("mesh.json").get(kind, {}).get(json_name(name), "")
        return entry if isinstance(entry, str) else " ".join(versions for versions, _ in entry)


class KubernetesNames(Names):
    """Objects of Kubernetes, at its newest release."""

    def __init__(self, types: Mapping[str, dict[str, str]], words: Mapping[str, list[str]]) -> None:
        self._types = types
        self._words = {kind: frozenset(known) for kind, known in words.items()}

    def known(self, kind: str) -> Content:
        """What is known of a type."""
        return self._types.get(kind) or self._words.get(kind)

    def is_object(self, kind: str) -> bool:
        """Whether it is an object, and not a part of one."""
        return "metadata" in self._types.get(kind, ()) and "kind" in self._types[kind]


@lru_cache(maxsize=8)
def mesh_names(version: str) -> MeshNames:
    """The names that MeshConfig has at a release."""
    return MeshNames(version)


@lru_cache(maxsize=1)
def kubernetes_names() -> KubernetesNames:
    """The names that the objects of Kubernetes have."""
    data = json.loads(read_text("fields", "kubernetes.json"))
    return KubernetesNames(data["types"], data["words"])


class Odd(NamedTuple):
    """What a type does not know.

    Attributes:
        path: where it stands.
        node: what stands there.
        kind: the message that lacks the name, or the type whose values do not include this one.
        above: the message that holds this one; empty for the outermost.
        is_value: whether the value is odd, and not the name.
    """

    path: Path
    node: Node
    kind: str
    above: str = ""
    is_value: bool = False


def odd(names: Names, kind: str, node: Node, path: Path) -> list[Odd]:
    """Everything below a node that its type does not know, in order. Below a name that is not known nothing is said.

    Args:
        names: what is known.
        kind: the type of the node; a list of them is as good.
        node: where to look.
        path: where it stands.
    """
    found: list[Odd] = []
    _look(names, (kind, ""), node, path, found)
    return found


def _look(names: Names, kinds: tuple[str, str], node: Node, path: Path, found: list[Odd]) -> None:
    kind = kinds[0]
    if isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            _look(names, kinds, item, (*path, index), found)
    elif isinstance(node, Scalar):
        if isinstance(node.value, str) and node.value and not _fits(names, kind, node.value):
            found.append(Odd(path, node, *kinds, is_value=True))
    elif kind[0] == "*":
        for key, child in node.items.items():
            _look(names, (kind[1:], ""), child, (*path, key), found)
    elif isinstance(known := names.known(kind), dict):
        for key, child in node.items.items():
            name = key if key in known else names.spelled(known, key)
            if name is None:
                found.append(Odd((*path, key), child, *kinds))
            elif below := known[name]:
                _look(names, (below, kind), child, (*path, key), found)


def _fits(names: Names, kind: str, text: str) -> bool:
    """Whether a text can be a value of a type; true of those whose values are not listed."""
    if kind == QUANTITY:
        return is_quantity(text)
    known = names.known(kind)
    return not isinstance(known, frozenset) or text in known


def is_quantity(text: str) -> bool:
    """Whether Kubernetes reads a text as a quantity: ``500m``, ``1.5Gi``, ``12e6``."""
    number = text[1:] if text[0] in "+-" else text
    unit = number.lstrip("0123456789.")
    number = number.removesuffix(unit) if unit else number
    exponent = unit[2:] if unit[1:2] in ("+", "-") else unit[1:]
    scaled = unit in _UNITS or (unit[0] in "eE" and exponent.isdecimal())
    return scaled and number.count(".") < 2 and number.strip(".") != ""


def meant(names: Names, kind: str, above: str, path: Path) -> Path | None:
    """The path that was meant by one whose last name is not known; None when nothing is like it.

    Args:
        names: what is known.
        kind: the message that lacks the name.
        above: the message that holds this one; empty for the outermost.
        path: the path.

    Returns:
        The closest name; else the same name one level below, or above, as far as there is one such place.
    """
    known, name, place = names.known(kind), str(path[-1]), path[:-1]
    if not isinstance(known, dict):
        return None
    if close := closest_word(name, known):
        return (*place, close)
    below = [step for step, other in known.items() if _has(names, other, name)]
    if len(below) == 1:
        return (*place, below[0], name)
    if _has(names, above, name) and place and isinstance(place[-1], str):
        return (*place[:-1], name)
    return None


def closest_word(text: str, known: dict[str, str] | frozenset[str]) -> str:
    """The word that is spelled most like a text; empty when none is like it."""
    words = {word.lower(): word for word in sorted(known)}
    return next((words[word] for word in difflib.get_close_matches(text.lower(), words, n=1, cutoff=_ALIKE)), "")


def _has(names: Names, kind: str, name: str) -> bool:
    fields = names.known(kind) if kind else None
    return isinstance(fields, dict) and names.spelled(fields, name) is not None


def json_name(name: str) -> str:
    """A field as protobuf's JSON spells it: ``access_log_file`` is ``accessLogFile``."""
    first, *others = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)
