"""What to say about a name that is no field of an IstioOperator: which name it is, and what was meant.

A name that is known one level deeper or higher (``components.pilot.resources``) has the wrong indentation, one that is
spelled like a field of its own level a typing error.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from istio_convert.catalog import Catalog
from istio_convert.ledger import Outcome
from istio_convert.mapping.draft.claims import Claim
from istio_convert.operator.shape import field_names
from istio_convert.paths import Path, render

_CHARTS = ("base", "istiod", "cni", "ztunnel", "istio-ingress", "istio-egress")


def is_known(path: Path) -> bool:
    """Whether every step that the model can name is a field of an IstioOperator."""
    return _first_unknown(path) is None


def unknown(path: Path, catalog: Catalog) -> Claim:
    """A field below ``spec`` that is none of IstioOperator's; the highest step that is none is named.

    Args:
        path: of a leaf, from the operator.
        catalog: the target, whose charts know names of values.
    """
    position, names = _first_unknown(path) or (len(path) - 1, ())
    upto = path[: position + 1]
    meant = _meant(upto, names, catalog)
    reason = f"{render(upto)} is no field of IstioOperator, istioctl refuses it"
    return Claim(Outcome.MANUAL, "unknown", None, reason, f"did you mean {render(meant)}?" if meant else "remove it")


def outside(path: Path) -> Claim:
    """A field beside ``spec``, which istioctl passes over."""
    name = path[0] if path else ""
    meant = name if name in field_names("Spec") else ""
    if isinstance(name, str) and name not in ("apiVersion", "kind", "metadata", "spec", "status"):
        meant = meant or next(iter(_close(name, ("spec",))), "")
    action = "" if not meant else f"did you mean {'spec' if meant == 'spec' else f'spec.{meant}'}?"
    return Claim(Outcome.INERT, "document", None, "no field of an IstioOperator; istioctl does not read it", action)


def closest_of(word: str, names: Iterable[str]) -> str:
    """The name that is spelled most like a word; empty when none is."""
    return next(iter(_close(word, names)), "")


def _meant(upto: Path, names: tuple[str, ...], catalog: Catalog) -> Path | None:
    *before, word = upto
    if not isinstance(word, str):
        return None
    for parent in _neighbours(tuple(before), word, catalog):
        return (*parent, word)
    close = closest_of(word, names)
    return (*before, close) if close else None


def _neighbours(parent: Path, word: str, catalog: Catalog) -> Iterator[Path]:
    """The places one level deeper or higher where a name is a field."""
    deeper: tuple[tuple[Path, Iterable[str]], ...] = ()
    higher: tuple[tuple[Path, Iterable[str]], ...] = ((("spec",), field_names("Spec")),)
    if parent == ("spec",):
        deeper = ((("spec", "components"), field_names("Components")), (("spec", "values"), _roots(word, catalog)))
        higher = ()
    elif parent == ("spec", "values") or len(parent) == 2:
        pass
    elif parent[-1] == "k8s":
        higher = ((parent[:-1], field_names("Gateway")),)
    else:
        deeper = (((*parent, "k8s"), field_names("Kubernetes")),)
        higher = ((("spec", "components"), field_names("Components")), *higher)
    for place, names in (*deeper, *higher):
        if word in names:
            yield place


def _roots(word: str, catalog: Catalog) -> tuple[str, ...]:
    """The word itself when a chart reads values below it."""
    return (word,) if any(catalog.chart(name).reads((word,)) for name in _CHARTS) else ()


def _close(word: str, names: Iterable[str]) -> list[str]:
    by_lower = {name.lower(): name for name in names}
    return [by_lower[found] for found in difflib.get_close_matches(word.lower(), list(by_lower), n=1)]


def _first_unknown(path: Path) -> tuple[int, tuple[str, ...]] | None:
    """The first step that is no field at its level, with the fields there."""
    for position, names in _fields_at(path):
        step = path[position]
        if isinstance(step, str) and step not in names:
            return position, names
    return None


def _fields_at(path: Path) -> list[tuple[int, tuple[str, ...]]]:
    """Known field names at the levels of a path."""
    levels = [(1, field_names("Spec"))]
    if path[1:2] == ("components",):
        levels.append((2, field_names("Components")))
        inside = 4 if len(path) > 3 and isinstance(path[3], int) else 3
        levels.append((inside, field_names("Gateway")))
        if len(path) > inside and path[inside] == "k8s":
            levels.append((inside + 1, field_names("Kubernetes")))
    return [(position, fields) for position, fields in levels if position < len(path)]
