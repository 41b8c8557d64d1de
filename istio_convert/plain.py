"""A quick first look at data with its JSON Schema, so that short runs need not load the libraries that judge it.

pydantic and jsonschema stay the judges, and the ones who word what is wrong; loading them takes longer than converting
an operator. What is plainly right needs no judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

#: a whole number is asked of an int alone: whether 1.0 is one is for the judge to say
_TYPES: Mapping[str, frozenset[type]] = MappingProxyType(
    {
        "object": frozenset({dict}),
        "array": frozenset({list}),
        "string": frozenset({str}),
        "boolean": frozenset({bool}),
        "null": frozenset({type(None)}),
        "number": frozenset({int, float}),
        "integer": frozenset({int}),
    }
)
_SILENT = frozenset({"$schema", "$defs", "title", "description", "default"})
_KNOWN = _SILENT | {"$ref", "type", "enum", "anyOf", "required", "properties", "additionalProperties", "items"}
_DEFINITION = "#/$defs/"

#: what a schema comes to: None accepts everything, a set accepts values of these types, the rest must be asked
_Check: TypeAlias = "Callable[[Any], bool] | frozenset[type] | None"


class PlainCheck:
    """A schema, made ready to be asked often.

    Args:
        schema: a JSON Schema (2020-12) whose references are all to its own ``$defs``, without loops.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._definitions = schema.get("$defs", {})
        self._made: dict[str, _Check] = {}
        self._check = self._compile(schema)

    def accepts(self, value: Any) -> bool:
        """Whether the schema accepts a value for sure.

        True needs no second opinion. False means only that a library must judge: the value may be wrong, or the
        schema uses what is not read here.

        Args:
            value: plain JSON data.
        """
        return _passes(self._check, value)

    def _compile(self, schema: Any) -> _Check:
        if schema is True:
            return None
        if schema is False or not schema.keys() <= _KNOWN:
            return _never
        checks = [self._definition(schema["$ref"])] if "$ref" in schema else []
        if "anyOf" in schema:
            checks.append(_any_of([self._compile(choice) for choice in schema["anyOf"]]))
        if "type" in schema:
            names = schema["type"]
            checks.append(frozenset().union(*(_TYPES[name] for name in ([names] if isinstance(names, str) else names))))
        if "enum" in schema:
            checks.append(_one_of(schema["enum"]))
        checks.append(self._children(schema))
        return _all_of([check for check in checks if check is not None])

    def _definition(self, reference: str) -> _Check:
        name = reference.removeprefix(_DEFINITION)
        if name not in self._definitions:
            return _never
        if name not in self._made:
            self._made[name] = self._compile(self._definitions[name])
        return self._made[name]

    def _children(self, schema: Mapping[str, Any]) -> _Check:
        """What a schema asks of the entries of a map and the elements of a list."""
        required = tuple(schema.get("required", ()))
        known = {key: self._compile(child) for key, child in schema.get("properties", {}).items()}
        others = self._compile(schema.get("additionalProperties", True))
        element = self._compile(schema.get("items", True))
        if not required and others is None and element is None and all(child is None for child in known.values()):
            return None

        def check(value: Any) -> bool:
            if type(value) is dict:
                if not all(name in value for name in required):
                    return False
                for key, child in value.items():
                    found = known.get(key, others)
                    if found is not None and not _passes(found, child):
                        return False
            elif element is not None and type(value) is list:
                for child in value:
                    if not _passes(element, child):
                        return False
            return True

        return check


def _passes(check: _Check, value: Any) -> bool:
    if check is None:
        return True
    if type(check) is frozenset:
        return type(value) in check
    return check(value)  # type: ignore[operator]


def _never(_: Any) -> bool:
    return False


def _one_of(known: list[Any]) -> Callable[[Any], bool]:
    return lambda value: any(type(value) is type(one) and value == one for one in known)


def _any_of(choices: list[_Check]) -> _Check:
    if None in choices:
        return None
    types = frozenset().union(*(choice for choice in choices if isinstance(choice, frozenset)))
    others = [choice for choice in choices if not isinstance(choice, frozenset)]
    if not others:
        return types
    return lambda value: type(value) in types or any(_passes(other, value) for other in others)


def _all_of(checks: list[_Check]) -> _Check:
    if len(checks) < 2:
        return checks[0] if checks else None
    return lambda value: all(_passes(check, value) for check in checks)
