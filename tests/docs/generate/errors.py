"""The errors: their tree, what each means, and the exit code that the program gives it."""

from __future__ import annotations

import inspect

from istio_convert import errors
from istio_convert.cli.exits import code_of
from tests.docs.generate.markdown import code, prose, table


def section() -> str:
    """One row for each class, bases before what derives from them."""
    rows = [
        (code(one.__name__), code(one.__base__.__name__ if one.__base__ else ""), _about(one), _exit(one))
        for one in _tree(errors.IstioConvertError)
    ]
    return table(("error", "is a", "meaning", "exit code"), rows)


def _tree(base: type[errors.IstioConvertError]) -> list[type[errors.IstioConvertError]]:
    derived = [one for one in base.__subclasses__() if one.__module__ == errors.__name__]
    return [base, *(inner for one in derived for inner in _tree(one))]


def _about(one: type) -> str:
    text = inspect.getdoc(one) or ""
    return prose(" ".join(text.split("\n\n")[0].split()))


def _exit(one: type[errors.IstioConvertError]) -> str:
    sample = one.__new__(one)
    return str(int(code_of(sample)))
