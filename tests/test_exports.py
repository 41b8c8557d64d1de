"""What the package exports is what it documents."""

from __future__ import annotations

import ast
import doctest
from pathlib import Path

import pytest

import istio_convert
import istio_convert.api


def test_all_names_exist_and_are_sorted() -> None:
    assert list(istio_convert.__all__) == sorted(istio_convert.__all__, key=lambda name: (name[0].islower(), name))
    assert all(getattr(istio_convert, name) is not None for name in istio_convert.__all__)


def test_names_for_type_checkers_are_those_that_are_exported() -> None:
    tree = ast.parse(Path(str(istio_convert.__file__)).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert imported == set(istio_convert.__all__)
    assert set(istio_convert.__all__) <= set(dir(istio_convert))


def test_other_names_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        istio_convert.nothing  # noqa: B018 - looking it up is the test


def test_examples_in_the_docstrings_run() -> None:
    for module in (istio_convert, istio_convert.api):
        failures, tried = doctest.testmod(module)
        assert (failures, tried > 0) == (0, True)


def test_a_path_instead_of_its_text_is_named() -> None:
    with pytest.raises(TypeError, match="read_text"):
        istio_convert.convert(Path("operator.yaml"))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["operator.yaml", "ops/prod/operator.yml", "C:\\\\ops\\\\operator.yaml", "./operator"])
def test_a_name_instead_of_the_text_is_named(text: str) -> None:
    with pytest.raises(istio_convert.NotIstioOperatorError, match="looks like the name of a file") as caught:
        istio_convert.convert(text)
    assert caught.value.hint == "give the text of the file, not its name"


def test_other_text_is_no_name() -> None:
    with pytest.raises(istio_convert.NotIstioOperatorError, match="it has no kind"):
        istio_convert.convert("just words, and more.yaml words")


def test_a_leaf_has_the_path_of_the_reports() -> None:
    text = "kind: IstioOperator\nspec: {meshConfig: {defaultConfig: {proxyMetadata: {a.b: c}}}}\n"
    conversion = istio_convert.convert(text, to="1.25.3")
    dotted = [entry.leaf.dotted for entry in conversion.ledger.entries]
    assert dotted == [entry.path for entry in conversion.report.entries]
    assert r"spec.meshConfig.defaultConfig.proxyMetadata.a\.b" in dotted
