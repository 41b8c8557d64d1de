"""Errors of the built-in istioctl about one field of an operator, and where in the files that field stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from istio_convert.errors import InputError, Origin, RenderError
from istio_convert.source import read


class RefusedError(RenderError):
    """istioctl refuses a field.

    Attributes:
        field: the field's own name.
        value: what the operator has there.
    """

    def __init__(self, message: str, field: str, value: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.field = field
        self.value = value


@contextmanager
def located(operators: Sequence[tuple[str, str]]) -> Iterator[None]:
    """Give errors about a field the place where it stands.

    Args:
        operators: (name, text) of the operator files.
    """
    try:
        yield
    except RefusedError as error:
        error.origin = error.origin or _find(operators, error.field, error.value)
        raise


def _find(operators: Sequence[tuple[str, str]], field: str, value: str) -> Origin | None:
    """The last place where a field of that name has that value; None when a flag brought it."""
    found = None
    for name, text in operators:
        try:
            documents = read(text, name)
        except InputError:
            continue
        for document in documents:
            for leaf in document.leaves:
                if leaf.path[-1:] == (field,) and isinstance(leaf.value, str) and leaf.value == value:
                    found = leaf.origin
    return found
