"""Data flows one way: a module imports only from the layers above it."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "istio_convert"
#: layers from the ground up; a module may import from its own and from earlier ones
LAYERS = (
    ("errors", "paths", "plain", "shapes"),
    ("source",),
    ("catalog",),
    ("operator",),
    ("ledger", "release"),
    ("mapping",),
    ("cluster", "emit", "report", "verify"),
    ("api",),
    ("migrate", "proving"),
    ("cli", "__main__", "__init__"),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
#: the same inside of mapping: from what a rule is to the engine
MAPPING = ("model", "draft", "converters", "rules", "overlays", "controlplane", "gateway", "checks", "target", "engine")


def part(module: str) -> str:
    steps = module.split(".")
    return steps[1] if len(steps) > 1 else "__init__"


def modules(path: Path) -> set[str]:
    """Modules of the package that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("istio_convert"):
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def imports(path: Path) -> set[str]:
    """Parts of the package that a file imports at run time."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("istio_convert"):
            if node.module == "istio_convert":
                found |= {alias.name if alias.name in RANK else "__init__" for alias in node.names}
            else:
                found.add(part(node.module))
        elif isinstance(node, ast.Import):
            found |= {part(alias.name) for alias in node.names if alias.name.startswith("istio_convert")}
    return found


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_follow_the_layers(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for other in imports(path):
        if other == "__init__" and own in ("report", "emit", "cli", "migrate", "verify"):
            continue  # the version number
        assert other in RANK, f"{other} has no layer"
        assert RANK[other] <= RANK[own], f"{own} imports {other}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "mapping").rglob("*.py")), ids=lambda path: path.stem)
def test_the_packages_of_mapping_are_layers(path: Path) -> None:
    own = path.relative_to(PACKAGE / "mapping").parts[0].removesuffix(".py")
    if own == "__init__":
        return
    for module in modules(path):
        steps = module.split(".")
        if steps[1:2] == ["mapping"] and len(steps) > 2:
            assert MAPPING.index(steps[2]) <= MAPPING.index(own), f"{own} imports {steps[2]}"


def test_no_modules_import_each_other() -> None:
    """One way to walk: no circle of modules, late imports and imports for types included."""
    names = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in MODULES
    }
    graph = {
        name: {other for other in modules(path) if other in names and names[other].name != "__init__.py"} - {name}
        for name, path in names.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError with the circle


def test_the_proof_shares_nothing_with_the_rules() -> None:
    for path in (PACKAGE / "verify").rglob("*.py"):
        assert not imports(path) & {"mapping", "operator", "api"}, path


def test_every_module_says_what_it_does() -> None:
    for path in MODULES:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path
