"""Enough of `kubectl get` for the scripts to look at a list of objects: names, and the jsonpath that they use."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from istio_convert.migrate import Plan


def run(
    plan: Plan, folder: Path, objects: list[dict[str, Any]], *words: str, wait: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run a script of a plan against objects; what changes something is only noted, in the file ``changes``."""
    from istio_convert.migrate.scripts import scripts  # noqa: PLC0415 - lazy: the stand-in for kubectl starts often

    for name, text in scripts(plan).items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    (folder / "objects.json").write_text(json.dumps(objects), encoding="utf-8")
    kubectl = folder / "kubectl"
    kubectl.write_text(f'#!/bin/sh\nexec {sys.executable} -S {__file__} {folder} "$@"\n', "utf-8")
    kubectl.chmod(0o755)
    environment = {**os.environ, "KUBECTL": str(kubectl), "ISTIOCTL": "no-istioctl", "HELM": "no-helm"}
    environment |= {} if wait else {"ISTIO_CONVERT_NO_WAIT": "1"}
    return subprocess.run(
        [f"./{words[0]}", *words[1:]], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def changes(folder: Path) -> str:
    """Every call that would have changed something."""
    path = folder / "changes"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def jsonpath(template: str, data: Any) -> str:
    """What kubectl prints for a template."""
    match = re.search(r"{range ([^}]*)}(.*?){end}", template, re.S)
    if match:
        before, after = template[: match.start()], template[match.end() :]
        inner = "".join(jsonpath(match[2], item) for item in values(data, match[1]))
        return jsonpath(before, data) + inner + jsonpath(after, data)
    return re.sub(r"{([^}]*)}", lambda found: _part(found[1], data), template)


def _part(text: str, data: Any) -> str:
    if text.startswith('"'):
        return str(json.loads(text))
    return " ".join(item if isinstance(item, str) else json.dumps(item) for item in values(data, text))


def values(data: Any, path: str) -> list[Any]:
    """What stands at a path, such as ``.items[*].metadata.annotations.istio\\.io/rev``."""
    found = [data]
    for key in re.findall(r"\.((?:\\.|[^.\[])+)|\[(\*|\d+)\]", path):
        name, position = key[0].replace("\\.", "."), key[1]
        if position == "*":
            found = [one for item in found for one in item]
        elif position:
            found = [item[int(position)] for item in found if len(item) > int(position)]
        else:
            found = [item[name] for item in found if isinstance(item, dict) and name in item]
    return found


def selected(labels: dict[str, str], selector: str) -> bool:
    """Whether a label selector matches: ``key``, ``!key``, ``key=value`` and ``key!=value`` with commas."""
    for part in filter(None, selector.split(",")):
        key, found, value = re.fullmatch(r"!?([^!=]+)(!?=)?(.*)", part).groups()
        if part.startswith("!"):
            met = key not in labels
        elif found:
            met = (labels.get(key) == value) is (found == "=")
        else:
            met = key in labels
        if not met:
            return False
    return True


def main(folder: Path, words: list[str]) -> int:
    """One call of kubectl."""
    if words[0] == "version":
        sys.stdout.write('"serverVersion": {\n"minor": "31"\n}\n')
        return 0
    if words[0] != "get":
        with (folder / "changes").open("a", encoding="utf-8") as file:
            file.write(" ".join(words) + "\n")
        return 0
    flags = dict(pairwise(words))
    kind = words[1].split(".")[0].rstrip("s")
    name = words[2] if len(words) > 2 and not words[2].startswith("--") else ""
    space = flags.get("--namespace", "")
    items = [
        item
        for item in json.loads((folder / "objects.json").read_text(encoding="utf-8"))
        if item["kind"].lower().rstrip("s") == kind
        and name in ("", item["metadata"]["name"])
        and space in ("", item["metadata"].get("namespace", ""))
        and selected(item["metadata"].get("labels") or {}, flags.get("--selector", ""))
    ]
    output = flags.get("--output", "")
    if output == "name":
        sys.stdout.write("".join(f"{kind}/{item['metadata']['name']}\n" for item in items))
    elif output == "yaml":
        sys.stdout.write(json.dumps({"kind": "List", "items": items}) + "\n")
    elif items or not name:
        sys.stdout.write(jsonpath(output.removeprefix("jsonpath="), items[0] if name else {"items": items}))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
