"""The library's reference, from signatures and docstrings of what the package exports."""

from __future__ import annotations

import dataclasses
import inspect
import re
from enum import Enum
from typing import Any, ForwardRef

import istio_convert
from istio_convert import proving
from istio_convert.emit import EmitOptions
from istio_convert.verify import Verification
from tests.docs.generate.markdown import code, prose, sentence, table

_ORDER = (
    *("convert", "Source", "Conversion", "Release", "Patch", "Target"),
    *("ClosedLedger", "Entry", "Leaf", "Outcome", "Place", "Changes"),
)
_BLOCKS = re.compile(r"^(Args|Attributes|Returns|Raises|Example):\n", re.MULTILINE)
_ITEM = re.compile(r"^(\w+): (.+)$", re.DOTALL)


def section() -> str:
    """Everything that is exported but the errors, which have a page of their own."""
    names = [name for name in istio_convert.__all__ if not _is_error(getattr(istio_convert, name))]
    names = [*_ORDER, *(name for name in names if name not in _ORDER)]
    parts = [_member(name, getattr(istio_convert, name), f"istio_convert.{name}", 2) for name in names]
    parts.append(_member("EmitOptions", EmitOptions, "istio_convert.emit.EmitOptions", 2))
    parts += [_member(name, getattr(proving, name), f"istio_convert.proving.{name}", 2) for name in ("prove", "Proof")]
    parts.append(_member("Verification", Verification, "istio_convert.verify.Verification", 2))
    return "\n\n".join(parts)


def _is_error(member: Any) -> bool:
    return isinstance(member, type) and issubclass(member, Exception)


def _is_record(member: Any) -> bool:
    """Whether a class is a dataclass or a named tuple: its signature is its fields."""
    return isinstance(member, type) and (dataclasses.is_dataclass(member) or hasattr(member, "_fields"))


def _member(name: str, member: Any, path: str, level: int) -> str:
    parts = [f"{'#' * level} {name}"]
    if inspect.isfunction(member) or _is_record(member):
        parts.append(f"```py\n{_signature(path, member)}\n```")
    else:
        parts.append(f"```py\n{path}\n```")
    parts += _docs(member)
    if isinstance(member, type) and issubclass(member, Enum):
        parts.append("One of " + ", ".join(code(f"{name}.{one.name}") for one in member) + ".")
    if isinstance(member, type):
        for inner, value in vars(member).items():
            function = value.fget if isinstance(value, property) else value
            if not inner.startswith("_") and inspect.isfunction(function) and inspect.getdoc(function):
                what = "property" if isinstance(value, property) else "method"
                parts += [f"{'#' * (level + 1)} {name}.{inner}"]
                parts.append(f"```py\n{_signature(inner, function)}\n```" if what == "method" else "A property.")
                parts += _docs(function)
    return "\n\n".join(parts)


def _signature(name: str, function: Any) -> str:
    """The signature as the source writes it: annotations are strings there."""
    signature = inspect.signature(function)
    parameters = [one for one in signature.parameters.values() if one.name != "self" and not one.name.startswith("_")]
    shown = ", ".join(str(one.replace(annotation=_bare(one.annotation), default=_default(one))) for one in parameters)
    shown = re.sub(r"'([^']*)'", r"\1", shown) if "'" in shown and "=" not in shown else shown
    if keyword := next((one for one in parameters if one.kind is one.KEYWORD_ONLY), None):
        shown = shown.replace(f"{keyword.name}:", f"*, {keyword.name}:", 1)
    result = signature.return_annotation
    ends = "" if result in (inspect.Signature.empty, None, "None") else f" -> {result}"
    return f"{name}({shown}){ends}"


class _Text:
    """Something that shows as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _bare(annotation: Any) -> Any:
    if annotation is inspect.Parameter.empty:
        return annotation
    text = annotation.__forward_arg__ if isinstance(annotation, ForwardRef) else str(annotation)
    return _Text(text.removeprefix("Final[").removesuffix("]") if text.startswith("Final[") else text)


def _default(parameter: inspect.Parameter) -> Any:
    plain = (str, int, bool, tuple, type(None))
    default = parameter.default
    if isinstance(default, Enum):
        return _Text(f"{type(default).__name__}.{default.name}")
    if default is inspect.Parameter.empty or isinstance(default, plain):
        return default
    return _Text("...")


def _docs(member: Any) -> list[str]:
    text = inspect.getdoc(member) or ""
    pieces = _BLOCKS.split(text)
    parts = [prose(" ".join(paragraph.split())) for paragraph in pieces[0].split("\n\n") if paragraph.strip()]
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        content = inspect.cleandoc(body)
        if title == "Example":
            parts.append(f"```pycon\n{content}\n\n```")
        elif title == "Returns":
            parts.append(f"Returns: {prose(' '.join(content.split()))}")
        else:
            parts.append(_items(title, content))
    return [part for part in parts if part]


def _items(title: str, content: str) -> str:
    rows = []
    for item in re.split(r"\n(?=\S)", content):
        found = _ITEM.match(item)
        assert found, item
        rows.append((code(found[1]), sentence(prose(" ".join(found[2].split())))))
    return table((title.lower(), "meaning"), rows)
