"""YAML text -> trees of parser events, within limits on depth and size. The only module that knows a YAML parser.

libyaml (through ruamel.yaml.clib) does the work, since Go's parser is a port of it; ruamel's own parser takes over
where the extension is missing, and for what only libyaml refuses: a colon inside a value in flow style, as in a URL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, StringMark, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from istio_convert.errors import Origin, YamlError
from istio_convert.source.refusals import forbidden_character

try:
    from ruamel.yaml.cyaml import CParser  # type: ignore[attr-defined]
except ImportError:  # no C extension for this platform
    CParser = None

MAX_DEPTH = 100
MAX_NODES = 250_000
# The pure parser needs some 30 microseconds a node, so it takes no huge files, and steps in only for human ones.
_MAX_PURE = 2**20
_MAX_SECOND_TRY = 64 * 1024
_CHARACTERS_PER_NODE = 256
_INDICATOR = re.compile(r"(?:\s|#.*)*[-:]")
# What ruamel's own parser raises on some broken input, where it should raise its YAMLError.
_PURE_SLIPS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)

_NextEvent: TypeAlias = Callable[[], Any]


@dataclass(slots=True, eq=False)
class Collection:
    """A map or list as parsed.

    Attributes:
        event: its start event.
        is_map: whether ``items`` holds keys and values in turn.
        items: its children.
        closed: false while it is being read: an alias to it would contain itself.
        size: number of nodes with all aliases expanded; long scalars count more. 0 until an alias asks for it.
        height: levels of collections, itself included. 0 until an alias asks for it.
    """

    event: Any
    is_map: bool
    items: list[Raw] = field(default_factory=list)
    closed: bool = False
    size: int = 0
    height: int = 0

    def measure(self) -> None:
        """Find out size and height; what this has been found out for is not looked through again."""
        size, height = 1, 0
        for item in self.items:
            child = item.target if isinstance(item, Alias) else item
            if isinstance(child, Collection):
                if not child.size:
                    child.measure()
                size += child.size
                height = max(height, child.height)
            else:
                size += 1 + len(child.value) // _CHARACTERS_PER_NODE
        self.size, self.height = size, height + 1


@dataclass(slots=True, eq=False)
class Alias:
    """An alias and the node that it stands for."""

    event: Any
    target: Collection | ScalarEvent


Raw: TypeAlias = "Collection | Alias | ScalarEvent"


def place(event: Any, file: str) -> Origin:
    """Where an event begins."""
    mark = event.start_mark
    return Origin(file, mark.line + 1, mark.column + 1)


def compose(text: str, file: str) -> list[Raw]:
    """The documents of a text, empty ones included.

    Raises:
        YamlError: the text is no YAML, is nested too deeply, or is too large.
    """
    try:
        try:
            return _Composer(file).run(_libyaml(text) if CParser is not None else _pure(text, file))
        except MarkedYAMLError as error:
            if CParser is None or "found unexpected ':'" not in str(error.problem) or len(text) > _MAX_SECOND_TRY:
                raise
            return _Composer(file).run(_pure(text, file))
    except (YAMLError, UnicodeEncodeError) as error:
        from istio_convert.source.causes import diagnose, problem_of  # noqa: PLC0415 - many patterns, for refusals only

        raise forbidden_character(text, file) or diagnose(problem_of(error), text, file) from None


def _libyaml(text: str) -> _NextEvent:
    next_event: _NextEvent = CParser(text).get_event
    return next_event


def _pure(text: str, file: str) -> _NextEvent:
    if len(text) > _MAX_PURE:
        raise YamlError(
            f"more than {_MAX_PURE // 2**20} MiB, and no fast YAML parser on this machine",
            origin=Origin(file, 1, 1),
            hint="install ruamel.yaml.clib, or give the IstioOperator alone",
        )
    parser = YAML(typ="safe", pure=True)
    parser.version = (1, 1)
    return _like_libyaml(parser.parse(text), text).__next__


def _like_libyaml(events: Iterable[Any], text: str) -> Iterator[Any]:
    """The pure parser's events with libyaml's manners.

    The mark of an empty value in block style stands behind its colon or dash, not at whatever comes next, and half of a
    surrogate pair is an error.
    """
    previous: Any = None
    try:
        for event in events:
            if isinstance(event, ScalarEvent) and not (event.value or event.style or event.tag or event.anchor):
                before = previous.end_mark
                if match := _INDICATOR.match(text, before.index):
                    line = before.line + text.count("\n", before.index, match.end())
                    column = match.end() - (text.rfind("\n", 0, match.end()) + 1)
                    event.start_mark = StringMark("", match.end(), line, column, None, 0)
            if isinstance(event, ScalarEvent):
                event.value.encode()
            yield event
            previous = event
    except _PURE_SLIPS as error:
        raise YAMLError from error


class _Composer:
    """Collects events into trees, iteratively: the depth of the input is not the depth of the stack."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.documents: list[Raw] = []
        self.stack: list[Collection] = []
        self.anchors: dict[str, Collection | ScalarEvent] = {}
        self.expanded = 0  # nodes that aliases stand for

    def run(self, next_event: _NextEvent) -> list[Raw]:
        read = 0
        items: list[Raw] = self.documents
        stack = self.stack
        while True:
            event = next_event()
            kind = type(event)
            read += 1
            if read > MAX_NODES:
                raise self._too_large(event)
            if kind is ScalarEvent:
                items.append(event)
                if event.anchor is not None:
                    self.anchors[event.anchor] = event
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                collection = self._open(event, is_map=kind is MappingStartEvent)
                items.append(collection)
                stack.append(collection)
                items = collection.items
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                stack.pop().closed = True
                items = stack[-1].items if stack else self.documents
            elif kind is AliasEvent:
                items.append(self._alias(event))
                if read + self.expanded > MAX_NODES:
                    raise self._too_large(event)
            elif kind is DocumentStartEvent:
                self.anchors = {}
            elif kind is StreamEndEvent:
                return self.documents

    def _open(self, event: Any, *, is_map: bool) -> Collection:
        if len(self.stack) >= MAX_DEPTH:
            raise YamlError(
                f"nested more than {MAX_DEPTH} levels deep",
                origin=place(event, self.file),
                hint="no IstioOperator is; check for brackets that are never closed",
            )
        collection = Collection(event, is_map)
        if event.anchor is not None:
            self.anchors[event.anchor] = collection
        return collection

    def _alias(self, event: Any) -> Alias:
        target = self.anchors.get(event.anchor)
        if target is None:
            raise YamlError(
                "an alias (*name) without an anchor (&name) before it",
                origin=place(event, self.file),
                hint="quote a value that starts with *, or define the anchor",
            )
        if isinstance(target, Collection):
            if not target.closed:
                raise YamlError(
                    "an anchor that contains itself", origin=place(event, self.file), hint="remove the alias"
                )
            if not target.size:
                target.measure()
            self.expanded += target.size
            if len(self.stack) + target.height > MAX_DEPTH:
                raise YamlError(
                    f"aliases that nest more than {MAX_DEPTH} levels deep",
                    origin=place(event, self.file),
                    hint="write the values out instead of using aliases",
                )
        else:
            self.expanded += len(target.value) // _CHARACTERS_PER_NODE
        return Alias(event, target)

    def _too_large(self, event: Any) -> YamlError:
        return YamlError(
            f"more than {MAX_NODES} nodes, with aliases expanded",
            origin=place(event, self.file),
            hint="an IstioOperator has some hundreds; give it alone, and without aliases that multiply",
        )
