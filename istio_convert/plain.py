"""A quick first look at data with its JSON Schema, so that short runs need not load the libraries that judge it.

pydantic and jsonschema stay the judges, and the ones who word what is wrong; loading them takes longer than converting
an operator. What is plainly right needs no judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

#: a whole number is asked of an int alone: whether 1.0 is one is for the judge to say
_TYPES: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "object": lambda value: isinstance(value, dict),
        "array": lambda value: isinstance(value, list),
        "string": lambda value: isinstance(value, str),
        "boolean": lambda value: isinstance(value, bool),
        "null": lambda value: value is None,
        "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
        "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    }
)
_SILENT = frozenset({"$schema", "$defs", "title", "description", "default"})
_KNOWN = _SILENT | {"$ref", "type", "enum", "anyOf", "required", "properties", "additionalProperties", "items"}
_DEFINITION = "#/$defs/"


def plainly_valid(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a schema accepts a value for sure.

    True needs no second opinion. False means only that a library must judge: the value may be wrong, or the schema
    uses what is not read here.

    Args:
        schema: a JSON Schema (2020-12) whose references are all to its own ``$defs``, without loops.
        value: plain JSON data.
    """
    return _accepts(schema, value, schema.get("$defs", {}))


def _accepts(schema: Any, value: Any, definitions: Mapping[str, Any]) -> bool:
    if schema is True or schema is False:
        return schema
    if not schema.keys() <= _KNOWN:
        return False
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_DEFINITION)
        if name not in definitions or not _accepts(definitions[name], value, definitions):
            return False
    if "anyOf" in schema and not any(_accepts(choice, value, definitions) for choice in schema["anyOf"]):
        return False
    types = schema.get("type", ())
    names = (types,) if isinstance(types, str) else types
    if names and not any(_TYPES[name](value) for name in names):
        return False
    if "enum" in schema and not any(type(value) is type(known) and value == known for known in schema["enum"]):
        return False
    if isinstance(value, dict):
        if any(name not in value for name in schema.get("required", ())):
            return False
        known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        return all(_accepts(known.get(key, others), child, definitions) for key, child in value.items())
    if isinstance(value, list) and "items" in schema:
        return all(_accepts(schema["items"], child, definitions) for child in value)
    return True
