"""Which values a template reads, by running it over abstract values.

An abstract value remembers which values paths it may stand for. Whatever the template prints, tests or hands to a
function that this module does not know counts as read, with everything below it. So the result may name a path too
many, never one too few.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from istio_convert.catalog.build.template import (
    Action,
    Block,
    Call,
    Define,
    Dot,
    Expression,
    Field,
    Literal,
    Node,
    Variable,
)

KeyPath: TypeAlias = tuple[str, ...]

_TESTS = {"and", "or", "ternary", "coalesce", "default", "required", "valueOrDefault"}
_MERGES = {"merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite", "concat", "deepCopy", "append", "prepend"}
_PASSES = _TESTS | _MERGES | {"first", "last", "list"}
_DUMPS = {"toPrettyJson", "toJson", "mustToPrettyJson", "mustToJson"}


@dataclass(frozen=True, slots=True)
class Abstract:
    """What is known of a value.

    Attributes:
        paths: the values paths that it may stand for.
        fields: of a dict that the template made: its entries.
        literals: the strings that it may be, when they are all known.
    """

    paths: frozenset[KeyPath] = frozenset()
    fields: Mapping[str, Abstract] = field(default_factory=dict)
    literals: frozenset[str] = frozenset()

    def child(self, name: str) -> Abstract:
        """The value under a key."""
        below = frozenset((*path, name) for path in self.paths)
        own = self.fields.get(name, _UNKNOWN)
        return Abstract(below | own.paths, own.fields, own.literals)

    def everything(self) -> frozenset[KeyPath]:
        """All values paths in it."""
        found = self.paths
        for value in self.fields.values():
            found |= value.everything()
        return found


_UNKNOWN = Abstract()


def _union(values: Iterable[Abstract]) -> Abstract:
    paths: frozenset[KeyPath] = frozenset()
    literals: frozenset[str] = frozenset()
    fields: dict[str, Abstract] = {}
    for value in values:
        paths |= value.paths
        literals |= value.literals
        for key, entry in value.fields.items():
            fields[key] = _union((fields[key], entry)) if key in fields else entry
    return Abstract(paths, fields, literals)


_Scope: TypeAlias = "dict[str, Abstract]"


class Reader:
    """Runs templates of one chart and gathers what they read.

    Args:
        defines: the named templates of the chart.

    Attributes:
        read: paths that are read.
        dumped: paths that are only written out as JSON for another program to read; ``()`` means all values.
    """

    def __init__(self, defines: Mapping[str, list[Node]]) -> None:
        self.read: set[KeyPath] = set()
        self.dumped: set[KeyPath] = set()
        self._defines = defines
        self._done: set[tuple[str, Abstract | str]] = set()
        self._active: list[str] = []

    def run(self, nodes: list[Node], values: Abstract | None = None) -> None:
        """Read one template file.

        Args:
            nodes: the parsed file.
            values: what ``.Values`` stands for, by default the values of the chart.
        """
        root = Abstract(fields={"Values": values if values is not None else Abstract(frozenset({()}))})
        self._nodes(nodes, root, {"": root})

    def _nodes(self, nodes: list[Node], dot: Abstract, scope: _Scope) -> None:
        for node in nodes:
            if isinstance(node, Action):
                value = self._value(node.pipeline, dot, scope)
                if node.variables:
                    name = node.variables[-1]
                    scope[name] = _union((scope[name], value)) if name in scope else value
                else:
                    self._mark(value)
            elif isinstance(node, Block):
                self._block(node, dot, scope)

    def _block(self, node: Block, dot: Abstract, scope: _Scope) -> None:
        if node.keyword == "else":
            self._nodes(node.body, dot, scope)
            return
        value = self._value(node.pipeline, dot, scope)
        if node.keyword == "if" and isinstance(node.pipeline, Literal):
            self._nodes(node.body if node.pipeline.value else node.otherwise, dot, scope)
            return
        self._mark(value)
        inner = scope.copy()
        item = dot
        if node.keyword == "with":
            item = value
        elif node.keyword == "range":
            # elements of a list of known strings stay known; all else was read whole a moment ago
            item = Abstract(literals=value.literals)
        for name in node.variables:
            inner[name] = item if name == node.variables[-1] else _UNKNOWN
        self._nodes(node.body, item, inner)
        self._nodes(node.otherwise, dot, scope.copy())
        for name in scope:
            # assigned inside the block
            if name not in node.variables and inner.get(name, scope[name]) is not scope[name]:
                scope[name] = _union((scope[name], inner[name]))

    def _mark(self, value: Abstract) -> None:
        self.read |= value.everything()

    def _value(self, expression: Expression, dot: Abstract, scope: _Scope) -> Abstract:
        if isinstance(expression, Literal):
            text = expression.value
            return Abstract(literals=frozenset({text})) if isinstance(text, str) else _UNKNOWN
        if isinstance(expression, Dot):
            return dot
        if isinstance(expression, Variable):
            return scope.get(expression.name, _UNKNOWN)
        if isinstance(expression, Field):
            value = self._value(expression.of, dot, scope)
            for name in expression.names:
                value = value.child(name)
            return value
        return self._call(expression, dot, scope)

    def _call(self, call: Call, dot: Abstract, scope: _Scope) -> Abstract:
        values = [self._value(argument, dot, scope) for argument in call.arguments]
        name = call.function
        if not values:
            return _UNKNOWN
        if name in _PASSES:
            return self._passed(name, values)
        if name in ("index", "get", "hasKey", "pick"):
            return self._keyed(name, values[0], values[1:])
        if name == "dig":
            return self._keyed("index", values[-1], values[:-2])
        if name == "dict":
            pairs = zip(values[0::2], values[1::2], strict=False)
            return Abstract(fields={key: value for keyed, value in pairs for key in keyed.literals})
        if name == "set" and len(values) == 3:
            return self._set(*values)
        self._effect(name, values)
        return values[0] if name in ("omit", "unset") else _UNKNOWN

    def _effect(self, name: str, values: list[Abstract]) -> None:
        """Note what a function does whose result is not followed."""
        if name in ("include", "template"):
            self._include(values[0], values[1] if len(values) > 1 else _UNKNOWN)
        elif name in _DUMPS:
            for value in values:
                self.dumped |= value.everything()
        elif name == "tpl":
            self._mark(values[0])
        elif name not in ("omit", "unset"):
            for value in values:
                self._mark(value)

    def _passed(self, name: str, values: list[Abstract]) -> Abstract:
        """A function that hands on one of its arguments, or all of them put together."""
        if name in _TESTS:
            for value in values:
                self.read |= {path for path in value.paths if path}
        return _union(values)

    def _set(self, target: Abstract, key: Abstract, value: Abstract) -> Abstract:
        if target.paths or not key.literals:
            # what is put into the values, or under a key unknown here, may be read from there later
            self._mark(value)
        return Abstract(target.paths, {**target.fields, **dict.fromkeys(key.literals, value)})

    def _keyed(self, function: str, of: Abstract, keys: list[Abstract]) -> Abstract:
        if function == "pick":
            return Abstract(fields={key: of.child(key) for keyed in keys for key in keyed.literals})
        value = of
        for keyed in keys:
            if not keyed.literals:
                # the key is known only at run time: everything may be meant
                self._mark(value)
                return Abstract(value.paths)
            value = _union(value.child(key) for key in sorted(keyed.literals))
        if function == "hasKey":
            self._mark(value)
            return _UNKNOWN
        return value

    def _include(self, name: Abstract, argument: Abstract) -> None:
        for text in name.literals:
            if text not in self._defines or self._active.count(text) > 1:
                continue
            key = (text, repr(argument))
            if key in self._done:
                continue
            self._done.add(key)
            self._active.append(text)
            self._nodes(self._defines[text], argument, {"": argument})
            self._active.pop()


def defines_of(files: Iterable[list[Node]]) -> dict[str, list[Node]]:
    """The named templates of a chart.

    Two files may define the same name (Helm takes the one it reads last): their bodies are put together, so that
    nothing is missed.
    """
    found: dict[str, list[Node]] = {}
    for nodes in files:
        for node in nodes:
            if isinstance(node, Define):
                found[node.name] = [*found.get(node.name, ()), *node.body]
    return found


def outermost(paths: Iterable[KeyPath]) -> set[KeyPath]:
    """The paths that do not lie below another one of them."""
    found: set[KeyPath] = set()
    for path in sorted(paths, key=len):
        if not any(path[:length] in found for length in range(len(path) + 1)):
            found.add(path)
    return found
