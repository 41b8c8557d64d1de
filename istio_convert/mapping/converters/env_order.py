"""Variables that refer to others: Kubernetes replaces ``$(NAME)`` only when NAME stands before, so the order counts.

istioctl puts the variables of a setting in front of those of the chart, in the order in which they are written. As
values they are a map, which a chart prints by name, behind its own; a patch of Kustomize stands in front.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Map
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field

from istio_convert.mapping.converters.general import env_item
from istio_convert.mapping.draft.strategic_merge import interleaved
from istio_convert.mapping.draft.trees import name_of
from istio_convert.mapping.model import Converted
from istio_convert.source.nodes import Mapping, Node, Scalar, Sequence, get, leaves

OTHERWISE = (
    "it refers to another variable; with istioctl one of the two stands first and with Helm the other, so the "
    "reference is replaced on one side only"
)
OTHERWISE_ACTION = "write the value itself in its place, or $$(NAME) when it is to stay as it stands"

_REFERENCE = re.compile(r"\$\$|\$\(([^)]*)\)")


def references(text: str) -> list[str]:
    """The names that a value refers to; ``$$(NAME)`` is no reference."""
    return [match.group(1) for match in _REFERENCE.finditer(text) if match.group(1)] if "$(" in text else []


def refers(item: Node) -> bool:
    """Whether the value of a variable refers to another."""
    return isinstance(item, Mapping) and "value" in item.items and bool(references(_text(item)))


def replaced(order: Seq[str], texts: Map[str, str]) -> set[tuple[str, str]]:
    """The references that Kubernetes replaces, as (variable, the one that it refers to)."""
    at = {name: position for position, name in enumerate(order)}
    return {
        (name, other)
        for name, text in texts.items()
        for other in (references(text) if name in at else ())
        if other in at and at[other] < at[name]
    }


@dataclass(frozen=True, slots=True)
class Around:
    """The other variables of a container.

    Attributes:
        first: names that stand before all others under Helm, wherever a release has its own.
        printed: names that the chart's template always sets, in order.
        perhaps: names that it sets on a condition.
        texts: what stands in the value of the chart already.
        behind: what is no plain value is a list that the chart prints behind the map, and no patch.
    """

    first: tuple[str, ...] = ()
    printed: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    texts: Map[str, str] = field(default_factory=dict)
    behind: bool = False

    @property
    def rendered(self) -> list[str]:
        """The names that the chart prints without the setting."""
        return [*self.printed, *(name for name in self.perhaps if name not in self.texts), *sorted(self.texts)]

    def placed(self, values: Seq[str], listed: Seq[str]) -> list[str]:
        """The order under Helm."""
        template = [name for name in self.rendered if name not in self.texts]
        printed = [*template, *sorted({*self.texts, *values})]
        rest = [name for name in printed if name not in listed]
        return [*self.first, *rest, *listed] if self.behind else [*self.first, *listed, *rest]


def order_with_istioctl(items: Seq[Node], around: Around) -> list[str]:
    """The order in which istioctl's container has the variables of a setting and those around it."""
    return interleaved(around.rendered, [name for item in items if (name := name_of(item))])


def keep_order(items: Seq[Node], found: Converted, order: Seq[str], around: Around) -> Converted:
    """The split of a list of variables, with those in the list whose order counts.

    Args:
        items: the list.
        found: its split into a map of values and a list.
        order: the order with istioctl.
        around: the other variables.
    """
    texts = {**around.texts, **{name_of(item): _text(item) for item in items}}
    if not any(references(text) for text in texts.values()):
        return found
    wanted = replaced(order, texts)
    in_map = [*found.value.items] if isinstance(found.value, Mapping) else []
    in_list = [name_of(item) for item in found.patch.items] if isinstance(found.patch, Sequence) else []
    if replaced(around.placed(in_map, in_list), texts) == wanted:
        return found
    touched = {name for source in texts for other in references(texts[source]) for name in (source, other)}
    in_list = [name for name in order if name in in_list or (name in touched and name in in_map)]
    in_map = [name for name in in_map if name not in in_list]
    # what only stands before them when it is in the patch, too
    repeated = {
        other
        for name, other in wanted
        if name in in_list and other not in in_map and (other in around.printed or other in around.texts)
    }
    in_list = [name for name in order if name in in_list or (name in repeated and not around.behind)]
    by_name = {name_of(item): item for item in items}
    listed: list[Node] = [
        env_item(item) if isinstance(item := by_name.get(name), Mapping) else Mapping({"name": Scalar(name)})
        for name in in_list
    ]
    values = found.value.items if isinstance(found.value, Mapping) else {}
    kept = Mapping({name: values[name] for name in in_map})
    wrong = {name for name, _ in replaced(around.placed(in_map, in_list), texts) ^ wanted}
    left = tuple(leaf for name in order if name in wrong for leaf in leaves(_value(by_name.get(name))))
    return Converted(kept if in_map else None, Sequence(listed) if listed else None, left)


def referred(element: str, value: Node, names: Seq[str]) -> list[str]:
    """Of the variables that stand before one, those that its new value (or itself, anew) refers to."""
    text = value if isinstance(value, Scalar) else _value(value)
    before = names[: names.index(element)] if element in names else ()
    return [name for name in before if isinstance(text, Scalar) and name in references(str(text.value))]


def _value(item: Node | None) -> Node:
    return get(item, ("value",)) or Mapping()


def _text(item: Node) -> str:
    value = _value(item)
    return str(value.value) if isinstance(value, Scalar) else ""
