"""The conditions around whole objects in a chart's templates: which values paths they test, against which texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from istio_convert.catalog.build.reads import Abstract, KeyPath, Reader
from istio_convert.catalog.build.template import Block, Call, Expression, Field, Literal, Node, Text

Condition: TypeAlias = "dict[KeyPath, set[str]]"
"""Values paths that decide together, each with the texts that it is compared with (none: only its truth counts)."""

_OBJECT = re.compile(r"^kind:", re.MULTILINE)
_COMPARISONS = {"eq", "ne"}


class _Conditions(Reader):
    """Runs templates like its base, and notes what stands around the beginning of an object."""

    def __init__(self, defines: Mapping[str, list[Node]]) -> None:
        super().__init__(defines)
        self.found: list[Condition] = []
        self._around: list[Condition] = []

    def _nodes(self, nodes: list[Node], dot: Abstract, scope: dict[str, Abstract]) -> None:
        if self._around and any(isinstance(node, Text) and _OBJECT.search(node.text) for node in nodes):
            together: Condition = {}
            for condition in self._around:
                for path, texts in condition.items():
                    together.setdefault(path, set()).update(texts)
            if together and together not in self.found:
                self.found.append(together)
        super()._nodes(nodes, dot, scope)

    def _block(self, node: Block, dot: Abstract, scope: dict[str, Abstract]) -> None:
        condition: Condition = {path: set() for path in self._paths(node.pipeline, dot, scope)}
        for texts, others in _comparisons(node.pipeline):
            for other in others:
                for path in self._paths(other, dot, scope):
                    condition.setdefault(path, set()).update(texts)
        self._around.append(condition)
        super()._block(node, dot, scope)
        self._around.pop()

    def _paths(self, expression: Expression, dot: Abstract, scope: dict[str, Abstract]) -> set[KeyPath]:
        """What evaluating an expression reads."""
        before, self.read = self.read, set()
        self._mark(self._value(expression, dot, scope))
        found, self.read = self.read, before
        self.read |= found
        return {path for path in found if path}


def _comparisons(expression: Expression) -> Iterator[tuple[set[str], list[Expression]]]:
    """The texts, and what is compared with them, of every comparison in an expression."""
    if isinstance(expression, Field):
        yield from _comparisons(expression.of)
    elif isinstance(expression, Call):
        if expression.function in _COMPARISONS:
            texts = {
                one.value for one in expression.arguments if isinstance(one, Literal) and isinstance(one.value, str)
            }
            if texts:
                yield texts, [one for one in expression.arguments if not isinstance(one, Literal)]
        for argument in expression.arguments:
            yield from _comparisons(argument)


def conditions_of(files: Iterable[list[Node]], defines: Mapping[str, list[Node]]) -> list[Condition]:
    """The conditions on which the objects of a chart depend, those of one object together.

    Args:
        files: the parsed templates.
        defines: the named templates of the chart.
    """
    reader = _Conditions(defines)
    for nodes in files:
        reader.run(nodes)
    return reader.found
