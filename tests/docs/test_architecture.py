"""The page on the architecture says what the code is."""

from __future__ import annotations

import importlib
import random
import re
from pathlib import Path

import pytest

from istio_convert.mapping.rules.table import code_of, rules
from tests.test_layers import LAYERS, MAPPING, modules

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "contributing" / "architecture.md").read_text(encoding="utf-8")


def drawn(name: str) -> list[set[str]]:
    """The layers of a drawing, from the ground up."""
    text = re.search(rf"<!-- layers: {name} -->\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert text, name
    lines = text[1].splitlines()
    return [set(re.split(r"\s{3,}", line)[0].split()) for line in reversed(lines)]


def steps() -> list[str]:
    """The modules of the walk, in order."""
    walk = PAGE.partition("<!-- walk -->")[2].partition("## From a field")[0]
    return re.findall(r"`(istio_convert[\w.]*:\w+)`", walk)


def test_the_drawing_of_the_layers_is_the_one_that_is_kept() -> None:
    assert drawn("istio_convert") == [set(names) for names in LAYERS]
    assert drawn("mapping") == [{name} for name in MAPPING]


@pytest.mark.parametrize("name", steps())
def test_what_the_walk_names_is_there(name: str) -> None:
    module, _, attribute = name.partition(":")
    assert hasattr(importlib.import_module(module), attribute)


def test_the_walk_follows_the_imports() -> None:
    """Each step is imported by an earlier one, or imports one, directly."""
    names = [step.partition(":")[0] for step in steps()]

    def file_of(module: str) -> Path:
        path = ROOT / module.replace(".", "/")
        return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

    def imported(one: str, other: str) -> bool:
        return any(found == other or found.startswith(f"{other}.") for found in modules(file_of(one)))

    assert len(names) > 10
    for number, name in enumerate(names[1:-1], 1):
        earlier = [*names[:number], "istio_convert.proving"]
        assert any(imported(one, name) for one in earlier if one != name), name


def test_every_package_of_mapping_says_what_is_in_it() -> None:
    for folder in (ROOT / "istio_convert" / "mapping").iterdir():
        if folder.is_dir() and (folder / "__init__.py").exists():
            said = (folder / "__init__.py").read_text(encoding="utf-8")
            files = {path.name for path in folder.glob("*.py")} - {"__init__.py", "gateway_examples.py"}
            assert {name for name in files if f"``{name}``" not in said} == set(), folder.name


def test_a_rule_is_found_in_two_steps() -> None:
    """From a field by ``explain`` to the file, and there by the id to the entry."""
    for rule in random.Random(7).sample(rules(), 10):
        path = ROOT / code_of(rule)
        assert rule.id.rpartition(".")[2] in path.read_text(encoding="utf-8"), (rule.id, path)
