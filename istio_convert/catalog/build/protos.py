"""Field names of MeshConfig from the ``.proto`` files of the Go module ``istio.io/api``. Names only, no text.

protobuf's JSON spells a field in lower camel case; the name of the ``.proto`` file is valid beside it and follows from
it, so one spelling is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from istio_convert.catalog.build.compact import Section
from istio_convert.catalog.names import json_name

#: where to start; what they import is read along as far as it is of the module
FILES = ("mesh/v1alpha1/config.proto", "mesh/v1alpha1/network.proto")
#: messages whose fields operators hold
ROOTS = ("MeshConfig", "Network")
#: section of the data with the versions of the module that the names are from
MODULE = "module"

_TOKEN = re.compile(r"""//[^\n]*|/\*[\s\S]*?\*/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\.?[A-Za-z_][\w.]*|[^\s]""")
_IMPORT = re.compile(r'^import\s+(?:public\s+)?"([^"]+)"', re.MULTILINE)
_PACKAGE = re.compile(r"^package\s+([\w.]+)", re.MULTILINE)
_SKIPPED = frozenset({"option", "reserved", "extensions", "syntax", "package", "import"})
_LABELS = frozenset({"repeated", "optional", "required"})


def mesh_names(api: FilePath) -> dict[str, Section]:
    """The names of one version of the module, in the levels of a catalog file: message or enum, name.

    Args:
        api: folder of the module. The name of the folder that it stands for, ``api@v1.25.3``, tells the version.

    Raises:
        FileNotFoundError: it is no such folder.
        ValueError: two messages have one name.
    """
    files = _Files()
    for name in FILES:
        files.read(api, name)
    found: dict[str, Section] = {}
    taken: dict[str, str] = {}
    wanted = [next(full for full in files.messages if full.endswith(f".{root}")) for root in ROOTS]
    while wanted:
        full = wanted.pop()
        short = files.short(full)
        if taken.setdefault(short, full) != full:
            raise ValueError(f"{taken[short]} and {full} have one name")
        if short in found:
            continue
        if full in files.enums:
            found[short] = set(files.enums[full])
            continue
        message: dict[str, str] = {}
        for name, (is_map, written) in files.messages[full].items():
            kind = files.resolved(written, full)
            message[name] = f"{'*' if is_map else ''}{files.short(kind)}" if kind else ""
            wanted += [kind] if kind else []
        found[short] = message
    version = api.resolve().name.partition("@")[2]
    if version:
        found[MODULE] = {version}
    return found


@dataclass(slots=True)
class _Files:
    """All messages and enums of the files that were read, by full name.

    Attributes:
        messages: field -> whether it is a map, and its type as written.
        enums: the words of each.
        packages: package of each message and enum.
    """

    messages: dict[str, dict[str, tuple[bool, str]]] = field(default_factory=dict)
    enums: dict[str, list[str]] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def read(self, api: FilePath, name: str) -> None:
        """Read a file and what it imports; imports of other modules are passed over."""
        if name in self.seen:
            return
        self.seen.add(name)
        text = (api / name).read_text(encoding="utf-8")
        package = _PACKAGE.search(text)
        if package is None:
            raise ValueError(f"{name} names no package")
        tokens = [word for word in _TOKEN.findall(text) if not word.startswith(("//", "/*"))]
        self._body(iter(tokens), package[1], package[1])
        for imported in _IMPORT.findall(text):
            if (api / imported).is_file():
                self.read(api, imported)

    def short(self, full: str) -> str:
        """The name without its package."""
        return full.removeprefix(f"{self.packages[full]}.")

    def resolved(self, kind: str, scope: str) -> str:
        """The message or enum that a type means inside a message; empty for scalars and what no file here defines."""
        if kind.startswith("."):
            return kind[1:] if kind[1:] in self.packages else ""
        while True:
            full = f"{scope}.{kind}" if scope else kind
            if full in self.packages:
                return full
            if not scope:
                return ""
            scope = scope.rpartition(".")[0]

    def _body(self, tokens: Iterator[str], scope: str, package: str) -> None:
        """The statements up to the brace that closes them."""
        for word in tokens:
            if word == "}":
                return
            if word in _SKIPPED:
                _statement(tokens)
            elif word == "oneof":
                next(tokens), next(tokens)
                self._body(tokens, scope, package)
            elif word == "message":
                full = f"{scope}.{next(tokens)}"
                next(tokens)
                self.packages[full] = package
                self.messages[full] = {}
                self._body(tokens, full, package)
            elif word == "enum":
                full = f"{scope}.{next(tokens)}"
                next(tokens)
                self.packages[full] = package
                self.enums[full] = list(_words(tokens))
            elif word != ";":
                self._field([word, *_statement(tokens)], scope)

    def _field(self, words: Sequence[str], scope: str) -> None:
        """One field: ``[repeated] Type name = 3 [options]``, or ``map<Key, Type> name = 3``."""
        if words[0] in _LABELS:
            words = words[1:]
        is_map = words[0] == "map" and words[1] == "<"
        kind, name = (words[4], words[6]) if is_map else (words[0], words[1])
        if "json_name" in words:
            name = words[words.index("json_name") + 2].strip("\"'")
        self.messages[scope][json_name(name)] = (is_map, kind)


def _words(tokens: Iterator[str]) -> Iterator[str]:
    """The words of an enum whose brace is open."""
    for word in tokens:
        if word == "}":
            return
        rest = _statement(tokens) if word != ";" else []
        if word not in _SKIPPED and rest:
            yield word


def _statement(tokens: Iterator[str]) -> list[str]:
    """What is left of a statement, up to its semicolon or the block that ends it."""
    found: list[str] = []
    depth = 0
    for word in tokens:
        depth += (word == "{") - (word == "}")
        if word == ";" and not depth:
            break
        found.append(word)
        if word == "}" and not depth and "=" not in found:
            break
    return found
