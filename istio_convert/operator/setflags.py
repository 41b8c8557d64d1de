"""``--set`` flags in istioctl's syntax, as one more layer over the files."""

from __future__ import annotations

import math
import re

from istio_convert.errors import InputError, Origin
from istio_convert.operator.merge import Override
from istio_convert.source.nodes import Document, Leaf, Mapping, Node, Scalar, ScalarValue, Sequence, leaves

#: paths whose values stay strings, as in istioctl
_ALWAYS_STRING = (
    "values.compatibilityVersion",
    "tag",
    "values.global.tag",
    "meshConfig.defaultConfig.proxyMetadata.",
    "values.meshConfig.defaultConfig.proxyMetadata.",
    "compatibilityVersion",
)


def split_path(text: str) -> list[str]:
    r"""Split ``a.b\.c.[0].d`` or ``a.list[name:x].d`` into steps; list steps keep their brackets."""
    steps: list[str] = []
    for part in re.split(r"(?<!\\)\.", text.strip(".")):
        if not part:
            continue
        step = part.replace("\\.", ".")
        bracket = step.find("[")
        if bracket > 0:
            steps += [step[:bracket], step[bracket:]]
        else:
            steps.append(step)
    return steps


def _value(path: str, text: str) -> ScalarValue:
    if path.startswith(_ALWAYS_STRING):
        return text
    if (found := _number(text)) is not None:
        return found
    if text in {"1", "t", "T", "TRUE", "true", "True"}:
        return True
    if text in {"0", "f", "F", "FALSE", "false", "False"}:
        return False
    return text.replace("\\,", ",")


_DIGITS, _HEX = r"\d+(?:_\d+)*", r"[0-9a-f]+(?:_[0-9a-f]+)*"
_DECIMAL = re.compile(rf"[+-]?(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:e[+-]?\d+)?", re.IGNORECASE)
_HEXADECIMAL = re.compile(rf"[+-]?0x_?(?:{_HEX}\.?(?:{_HEX})?|\.{_HEX})p[+-]?\d+", re.IGNORECASE)
_INT64 = range(-(2**63), 2**63)


def _number(text: str) -> int | float | None:
    """A number as Go's ``strconv.Atoi`` and ``ParseFloat`` read it: infinite ones are texts, ``0x10`` is one, too."""
    if re.fullmatch(r"[+-]?\d+", text, re.ASCII) and int(text) in _INT64:
        return int(text)
    plain = text.replace("_", "")
    if _DECIMAL.fullmatch(text):
        number = float(plain)
    elif _HEXADECIMAL.fullmatch(text):
        number = _from_hex(plain)
    else:
        return None
    return number if math.isfinite(number) else None


def _from_hex(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        return math.inf


SET_ORDER = "a --set flag wins over the files"


def apply_set(root: Mapping, flags: list[str], overrides: list[Override]) -> Document:
    """Write the flags into an operator's tree, in order, and return the document of their leaves.

    Args:
        root: the merged operator (with ``spec``); changed in place.
        flags: ``path=value``, the path relative to ``spec``.
        overrides: leaves that a flag replaces are appended here.

    Raises:
        InputError: a flag has no ``=``, or names a list element that is not there.
    """
    document = Document("--set", 0, Mapping(), [])
    for number, flag in enumerate(flags, start=1):
        path, separator, text = flag.partition("=")
        path, text = path.strip(), text.strip()
        if not separator or not path:
            raise InputError("--set needs path=value", origin=Origin("--set", number, 1))
        value = _value(path, text)
        leaf = Leaf("--set", 0, ("spec", *split_path(path)), number, len(path) + 2, text, value)
        document.leaves.append(leaf)
        node = Scalar(value, leaf, leaf.origin)
        spec = root.items.setdefault("spec", Mapping())
        if not isinstance(spec, Mapping):
            raise InputError("spec is no map, so --set cannot write into it", origin=leaf.origin)
        _Writer(node, leaf, overrides).write(spec, split_path(path))
    return document


class _Writer:
    """Writes one flag's value at its path."""

    def __init__(self, node: Node, leaf: Leaf, overrides: list[Override]) -> None:
        self.node = node
        self.leaf = leaf
        self.overrides = overrides

    def write(self, container: Mapping, steps: list[str]) -> None:
        """Walk map keys and list steps, creating maps on the way, and set the value at the end."""
        step = steps[0]
        container.leaf = None
        if len(steps) > 1 and steps[1].startswith("["):
            self._write_list(container, step, steps[1], steps[2:])
        elif len(steps) == 1:
            self._replace(container.items.get(step))
            container.items[step] = self.node
        else:
            child = container.items.get(step)
            if not isinstance(child, Mapping):
                self._replace(child)
                child = Mapping()
                container.items[step] = child
            elif child.leaf is not None:
                self._replace(child)
            self.write(child, steps[1:])

    def _write_list(self, container: Mapping, step: str, element_step: str, rest: list[str]) -> None:
        items = container.items.setdefault(step, Sequence())
        if not isinstance(items, Sequence):
            raise InputError(f"--set: {step} is no list", origin=self.leaf.origin)
        if items.leaf is not None:
            self._replace(items)
            items.leaf = None
        index = self._index(items, element_step)
        if index is None:
            element: Node = self.node
            if rest:
                element = Mapping()
                self.write(element, rest)
            items.items.append(element)
        elif not rest:
            self._replace(items.items[index])
            items.items[index] = self.node
        else:
            element = items.items[index]
            if not isinstance(element, Mapping):
                raise InputError(f"--set: {step}{element_step} is no map", origin=self.leaf.origin)
            self.write(element, rest)

    def _replace(self, node: Node | None) -> None:
        if node is not None:
            self.overrides.extend(Override(leaf, self.leaf, SET_ORDER) for leaf in leaves(node))

    def _index(self, items: Sequence, step: str) -> int | None:
        inner = step.strip("[]")
        if re.fullmatch(r"-?\d+", inner):
            index = int(inner)
            return index if 0 <= index < len(items.items) else None
        key, separator, wanted = inner.partition(":")
        if separator:
            for index, element in enumerate(items.items):
                found = element.items.get(key) if isinstance(element, Mapping) else None
                if isinstance(found, Scalar) and found.value == wanted:
                    return index
        raise InputError(
            f"--set: no list element {step}", origin=self.leaf.origin, hint="the element must exist in the files"
        )
