"""The report as JSON, class by class, from its JSON Schema."""

from __future__ import annotations

from typing import Any

from istio_convert.report import json_schema
from tests.docs.generate.markdown import code, prose, sentence, table


def section() -> str:
    """Every class of the report with its fields."""
    definitions = json_schema()["$defs"]
    order = ["Report", "ReportSet", *(name for name in definitions if name not in ("Report", "ReportSet"))]
    return "\n\n".join(_class(name, definitions[name]) for name in order)


def _class(name: str, definition: dict[str, Any]) -> str:
    parts = [f"## {name}", sentence(prose(definition.get("description", "")))]
    if "enum" in definition:
        parts.append("One of " + ", ".join(code(value) for value in definition["enum"]) + ".")
    else:
        required = definition.get("required", [])
        rows = [
            (code(field), _type(shape), "yes" if field in required else "", prose(shape.get("description", "")))
            for field, shape in definition["properties"].items()
        ]
        parts.append(table(("field", "type", "required", "meaning"), rows))
    return "\n\n".join(part for part in parts if part)


def _type(shape: dict[str, Any]) -> str:
    if "$ref" in shape:
        name = shape["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in shape:
        return " or ".join(_type(one) for one in shape["anyOf"])
    if shape.get("type") == "array":
        return f"list of {_type(shape['items'])}"
    if "const" in shape:
        return code(str(shape["const"]))
    if shape.get("type") == "object" and isinstance(shape.get("additionalProperties"), dict):
        return f"map of {_type(shape['additionalProperties'])}"
    return str(shape.get("type", "anything"))
