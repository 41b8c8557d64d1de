"""Field names of Kubernetes objects from the Go modules ``k8s.io/api`` and ``k8s.io/apimachinery``; no text.

The JSON tags of the structs in ``types.go`` are what the API server goes by; a field that is inlined there has its
fields in the place of itself, which the ``.proto`` files do not tell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from istio_convert.catalog.names import QUANTITY

#: files of the two modules whose types count; one that no module has is passed over
FILES = (
    "core/v1/types.go",
    "apps/v1/types.go",
    "autoscaling/v2/types.go",
    # gone from Kubernetes 1.26, and still read here: a metric of it becomes one of v2
    "autoscaling/v2beta1/types.go",
    "policy/v1/types.go",
    "rbac/v1/types.go",
    "admissionregistration/v1/types.go",
    "pkg/apis/meta/v1/types.go",
)
#: objects that overlays change; the settings of components are parts of them
ROOTS = (
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "DaemonSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "MutatingWebhookConfiguration",
    "PodDisruptionBudget",
    "Role",
    "RoleBinding",
    "Service",
    "ServiceAccount",
    "ValidatingWebhookConfiguration",
)

_STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r'^\t(?:(\w+)[ \t]+)?([\[\]*\w.]+)[ \t]+`[^`\n]*?json:"([^",]*)(,inline)?', re.MULTILINE)
_TEXT = re.compile(r"((?:^//.*\n)*)^type (\w+) string\b", re.MULTILINE)
_WORD = re.compile(r'^\t(?:const )?\w+[ \t]+(\w+)[ \t]+=[ \t]+"([^"]*)"', re.MULTILINE)
_MAP = re.compile(r"^type (\w+) map\[[\w.]+\]([*\w.]+)$", re.MULTILINE)


@dataclass(slots=True)
class _Types:
    """What the files define, by the name of the type.

    Attributes:
        structs: field -> type as written; an inlined type stands under its own name with a dot before it.
        words: what a text of a closed list may be.
        maps: type of what a named map holds.
    """

    structs: dict[str, dict[str, str]] = field(default_factory=dict)
    words: dict[str, set[str]] = field(default_factory=dict)
    maps: dict[str, str] = field(default_factory=dict)

    def read(self, text: str) -> None:
        """Add what one file defines."""
        for name, body in _STRUCT.findall(text):
            fields = self.structs.setdefault(name, {})
            for _, written, spelled, inline in _FIELD.findall(body):
                key = f".{_last(written)}" if inline or not spelled else spelled
                if spelled != "-":
                    # one name with two types, in two versions of a group: what is below it is not looked at
                    fields[key] = written if fields.get(key, written) == written else ""
        closed = {name for comment, name in _TEXT.findall(text) if "+enum" in comment}
        for name, word in _WORD.findall(text):
            if name in closed:
                self.words.setdefault(name, set()).add(word)
        self.maps |= {name: _last(held) for name, held in _MAP.findall(text)}

    def flat(self, name: str) -> dict[str, str]:
        """The fields of a struct, those of inlined ones among them."""
        found: dict[str, str] = {}
        for key, written in self.structs[name].items():
            if not key.startswith("."):
                found[key] = self.kind(written)
            elif key[1:] in self.structs:
                found |= self.flat(key[1:])
        return found

    def kind(self, written: str) -> str:
        """The type that matters here: a struct with fields, a closed list of words, a quantity; empty for all else."""
        is_map = written.startswith("map[")
        name = _last(written)
        if name in self.maps:
            is_map, name = True, self.maps[name]
        known = name == QUANTITY or name in self.words or bool(self.structs.get(name))
        return f"{'*' if is_map else ''}{name}" if known else ""


def kubernetes_names(modules: Iterable[FilePath]) -> dict[str, object]:
    """The names that the modules know.

    Args:
        modules: folders of the two modules; several versions of one, too: each file is that of the first which has it.

    Returns:
        ``types``: type -> field -> type; ``words``: type -> what its text may be; ``modules``: where it is from.

    Raises:
        FileNotFoundError: an object is in none of the folders.
    """
    types = _Types()
    folders = list(modules)
    for name in FILES:
        path = next((folder / name for folder in folders if (folder / name).is_file()), None)
        if path is not None:
            types.read(path.read_text(encoding="utf-8"))
    if missing := [root for root in (*ROOTS, "ObjectMeta") if root not in types.structs]:
        raise FileNotFoundError(f"no types.go of k8s.io/api and k8s.io/apimachinery has {', '.join(missing)}")
    found: dict[str, object] = {}
    words: dict[str, object] = {}
    wanted = [*ROOTS]
    while wanted:
        name = wanted.pop().removeprefix("*")
        if name in types.words:
            words[name] = sorted(types.words[name])
        elif name in types.structs and name not in found:
            fields = found[name] = types.flat(name)
            if name in ROOTS and "status" in fields:
                fields["status"] = ""  # nobody sets it
            wanted += [kind for kind in fields.values() if kind]
    return {"modules": modules_of(folders), "types": found, "words": words}


def modules_of(folders: Iterable[FilePath]) -> list[str]:
    """The names of the folders, such as ``api@v0.37.0`` in Go's module cache."""
    return [folder.resolve().name for folder in folders]


def to_text(data: Mapping[str, object]) -> str:
    """The file: one field a line, sorted."""
    return json.dumps(data, indent=1, sort_keys=True) + "\n"


def _last(written: str) -> str:
    """The name in a Go type: ``[]*v1.Container`` is ``Container``."""
    return re.split(r"[\]*.]", written)[-1]
