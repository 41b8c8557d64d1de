"""Reading the output for Terraform with a real parser of HCL."""

from __future__ import annotations

import re
from typing import Any

import hcl2

_TEXT = re.compile(r'"(.*)"\Z', re.DOTALL)
_EXPRESSION = re.compile(r"\$\{(.*)\}\Z", re.DOTALL)
_FILE = re.compile(r'file(?:sha256)?\("\$\{path\.module\}/([^"]+)"\)')


def parse(text: str) -> dict[str, Any]:
    """The blocks of a file by their type, texts without their quotes and expressions without their braces."""
    found: dict[str, Any] = _plain(hcl2.loads(text))
    return found


def releases(text: str) -> dict[str, dict[str, Any]]:
    """The ``helm_release`` resources of ``main.tf`` by their name, in their order."""
    found: dict[str, dict[str, Any]] = {}
    for block in parse(text)["resource"]:
        (kind,) = block
        assert kind == "helm_release"
        for name, body in block[kind].items():
            assert name not in found
            found[name] = body
    return found


def file_of(expression: str) -> str:
    """The file of the module that an expression reads."""
    found = _FILE.search(expression)
    assert found, expression
    return found[1]


def post_render(release: dict[str, Any]) -> dict[str, Any] | None:
    """The settings of ``postrender``, the block of provider 2 or the attribute of provider 3."""
    found = release.get("postrender")
    return found[0] if isinstance(found, list) else found


def _plain(data: Any) -> Any:
    if isinstance(data, dict):
        return {_plain(key): _plain(value) for key, value in data.items() if not key.startswith("__")}
    if isinstance(data, list):
        return [_plain(item) for item in data]
    if isinstance(data, str):
        if found := _TEXT.match(data):
            return found[1]
        if found := _EXPRESSION.match(data):
            return found[1]
    return data
