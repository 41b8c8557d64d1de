"""Measures what a value of a chart moves in the rendered objects.

"Same effect" in a mapping rule means: setting the value moves just the named place of the manifest. This is how it is
measured; values of wider effect and renamed paths show up here.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from istio_convert.verify import helm
from istio_convert.verify.charts import ReleaseCharts
from istio_convert.verify.manifests import Object

NAMESPACE = "istio-system"
_KEYS = ("name", "mountPath", "containerPort", "port", "topologyKey")


class Moved(NamedTuple):
    """One place that a value moved.

    Attributes:
        kind: kind of the object.
        name: its name.
        path: where in it; elements of lists stand as ``(key, value)``, or by position.
    """

    kind: str
    name: str
    path: tuple[Any, ...]


def moved(
    charts: ReleaseCharts,
    chart: str,
    name: str,
    path: tuple[str, ...],
    value: Any,
    *,
    given: Mapping[str, Any] | None = None,
    skip_schema: bool = False,
) -> set[Moved]:
    """Every place that differs between a rendering without and one with the value.

    Args:
        charts: the charts.
        chart: the chart's name.
        name: the release's name.
        path: values path.
        value: what to set there; a map is laid over what is there.
        given: values in force in both renderings.
        skip_schema: set the chart's values schema aside.

    Raises:
        RenderError: Helm refuses.
    """
    base = copy.deepcopy(dict(given or {}))
    changed = copy.deepcopy(base)
    _put(changed, path, value)
    before, after = (
        _places(helm.render(charts, chart, values, name=name, namespace=NAMESPACE, skip_schema=skip_schema))
        for values in (base, changed)
    )
    return {place for place in before.keys() | after.keys() if before.get(place) != after.get(place)}


def _put(tree: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for step in path[:-1]:
        tree = tree.setdefault(step, {})
    if isinstance(value, dict) and isinstance(tree.get(path[-1]), dict):
        tree[path[-1]] |= value
    else:
        tree[path[-1]] = value


def _places(objects: list[Object]) -> dict[Moved, Any]:
    found: dict[Moved, Any] = {}
    for obj in objects:
        name = obj["metadata"]["name"]
        if obj["kind"] == "ConfigMap" and name.split("-")[0] == "values":
            continue  # istiod's copy of all values, for people
        for path, value in _leaves(obj, ()):
            found[Moved(obj["kind"], name, path)] = value
    return found


def _leaves(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(node, dict) and node:
        for key, child in node.items():
            yield from _leaves(child, (*path, key))
    elif isinstance(node, list) and node:
        key = next((k for k in _KEYS if all(isinstance(item, dict) and k in item for item in node)), None)
        for position, child in enumerate(node):
            yield from _leaves(child, (*path, (key, str(child[key])) if key else position))
    else:
        yield path, node
