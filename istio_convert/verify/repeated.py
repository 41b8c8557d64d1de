"""Keys that stand twice in one map of a rendered document: Helm takes the last one, Kustomize refuses the release."""

from __future__ import annotations

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from istio_convert.paths import Path


def repeated_key(document: str) -> Path | None:
    """The path of the first key of a YAML document that its map has already; None when there is none.

    Text that this reader cannot read is left to the one that counts, Go's.
    """
    try:
        root = YAML(typ="safe").compose(document)
    except YAMLError:
        return None
    return _in(root, ())


def _in(node: Node | None, path: Path) -> Path | None:
    if isinstance(node, SequenceNode):
        steps: list[tuple[str | int, Node]] = [(index, item) for index, item in enumerate(node.value)]
    elif isinstance(node, MappingNode):
        steps = []
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value) if isinstance(key, ScalarNode) else ""
            if name and name in seen:
                return (*path, name)
            seen.add(name)
            steps.append((name, value))
    else:
        return None
    return next((found for step, child in steps if (found := _in(child, (*path, step))) is not None), None)
