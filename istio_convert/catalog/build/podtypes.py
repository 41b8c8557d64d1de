"""The types of a pod from the Go module ``k8s.io/api``: names, types and merge keys; no text.

Usage: ``python -m istio_convert.catalog.build.podtypes GO_MODULE_CACHE/k8s.io/api@VERSION``. The tags of the structs
are what the API server and a strategic merge go by; the names of the fields are what injection templates read.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path as FilePath
from typing import Any

#: what comes of the build, below ``schemas``
FILE = ("kubernetes", "pod-types.json")
ROOT = "PodSpec"

_STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\t(?:(\w+)[ \t]+)?([\[\]*\w.]+)[ \t]+`([^`\n]*)`", re.MULTILINE)
_NAMED = re.compile(r"^type (\w+) (string|bool|u?int\d*)\b", re.MULTILINE)
_MAP = re.compile(r"^type (\w+) map\[[\w.]+\]([*\w.]+)$", re.MULTILINE)
#: types of other packages, and what they are in JSON
_KNOWN = {"Quantity": "Quantity", "IntOrString": "IntOrString", "Time": "string", "UID": "string"}


class _Reader:
    def __init__(self, text: str) -> None:
        self._structs = dict(_STRUCT.findall(text))
        self._named: dict[str, str] = dict(_NAMED.findall(text))
        self._maps = {name: held.rpartition(".")[2].lstrip("*") for name, held in _MAP.findall(text)}

    def types(self) -> dict[str, dict[str, list[str]]]:
        """Type -> field in JSON -> [name in Go, type, merge key, ...], of the pod and all below it."""
        found: dict[str, dict[str, list[str]]] = {}
        wanted = [ROOT]
        while wanted:
            name = wanted.pop()
            if name in found or name not in self._structs:
                continue
            found[name] = self._fields(name)
            wanted += [re.sub(r"^(\[\]|\{\})", "", field[1]) for field in found[name].values()]
        return found

    def _fields(self, name: str) -> dict[str, list[str]]:
        fields: dict[str, list[str]] = {}
        for go_name, written, tags in _FIELD.findall(self._structs[name]):
            spelled, _, options = _tag(tags, "json").partition(",")
            if not go_name or "inline" in options:
                fields |= self._fields(written.rpartition(".")[2].lstrip("*"))
                continue
            entry = [go_name, self._type(written)]
            if "merge" in _tag(tags, "patchStrategy").split(","):
                entry.append(_tag(tags, "patchMergeKey"))
            if written.startswith("*"):
                entry = [*entry, *[""] * (3 - len(entry)), "pointer"]
            fields[spelled] = entry
        return fields

    def _type(self, written: str) -> str:
        """``[]X`` is a list, ``{}X`` a map of X."""
        written = written.lstrip("*")
        if written.startswith("[]"):
            return f"[]{self._type(written[2:])}"
        if written.startswith("map["):
            return f"{{}}{self._type(written.partition(']')[2])}"
        name = written.rpartition(".")[2]
        if name in self._maps:
            return f"{{}}{self._type(self._maps[name])}"
        name = str(_KNOWN.get(name, self._named.get(name, name)))
        return "int" if re.fullmatch(r"u?int\d*", name) else name


def _tag(tags: str, name: str) -> str:
    found = re.search(rf'{name}:"([^"]*)"', tags)
    return found.group(1) if found else ""


def pod_types(module: FilePath) -> dict[str, Any]:
    """The types of a pod.

    Args:
        module: the folder of ``k8s.io/api``, and that of ``k8s.io/apimachinery`` beside it for label selectors.

    Raises:
        FileNotFoundError: the folder is not that module.
    """
    machinery = module.with_name(module.name.replace("api@", "apimachinery@"))
    texts = [module / "core/v1/types.go", machinery / "pkg/apis/meta/v1/types.go"]
    types = _Reader("\n".join(path.read_text(encoding="utf-8") for path in texts)).types()
    return {"module": module.resolve().name, "types": types}


def main() -> None:
    """Write the file."""
    data = pod_types(FilePath(sys.argv[1]))
    target = FilePath(__file__).resolve().parents[3].joinpath("schemas", *FILE)
    # fields stay in the order of Go, which is that of their JSON
    data["types"] = dict(sorted(data["types"].items()))
    lines = json.dumps(data, separators=(", ", ": "))
    # a field a line
    text = re.sub(r'(\{|\],) ?("\w+": \[)', r"\1\n   \2", lines)
    text = re.sub(r'(\{|\},) ?("\w+": \{)', r"\1\n  \2", text)
    target.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
