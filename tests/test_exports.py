"""What the package exports is what it documents."""

from __future__ import annotations

import doctest
from types import ModuleType

import istio_convert
import istio_convert.api


def test_all_names_exist_and_are_sorted() -> None:
    assert list(istio_convert.__all__) == sorted(istio_convert.__all__)
    assert all(hasattr(istio_convert, name) for name in istio_convert.__all__)


def test_public_names_are_all_exported() -> None:
    names = {
        name
        for name, value in vars(istio_convert).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name != "annotations"
    }
    assert names == set(istio_convert.__all__)


def test_examples_in_the_docstrings_run() -> None:
    for module in (istio_convert, istio_convert.api):
        failures, tried = doctest.testmod(module)
        assert (failures, tried > 0) == (0, True)
