"""Conversions pause Python's garbage collector, so they must leave it no work and must turn it on again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from istio_convert import InputError, convert

FIXTURES = sorted(Path("fixtures").glob("*/input.yaml"))


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    yield
    gc.enable()


@pytest.mark.parametrize("operator", FIXTURES, ids=lambda path: path.parent.name)
def test_a_conversion_leaves_no_cycles(operator: Path) -> None:
    text = operator.read_text(encoding="utf-8")
    convert(text)  # what is kept for the next ones
    gc.collect()
    gc.disable()
    convert(text)
    assert gc.collect() == 0


def test_the_collector_is_as_it_was() -> None:
    convert(FIXTURES[0].read_text(encoding="utf-8"))
    assert gc.isenabled()
    with pytest.raises(InputError):
        convert("a: [")
    assert gc.isenabled()
    gc.disable()
    convert(FIXTURES[0].read_text(encoding="utf-8"))
    assert not gc.isenabled()
