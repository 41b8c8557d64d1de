"""The skeleton of what a chart renders with default values: objects, places that are set, names in lists. No texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from istio_convert.catalog.build.rendering import NAMESPACE, RELEASE, RenderableChart
from istio_convert.paths import Path, render

_REVISION, _MESH, _GATEWAY = "rlsrevision", "rlsmesh", "rlsgateway"
_MARKS = {
    f"-{_REVISION}": "{-revision}",
    _REVISION: "{revision}",
    RELEASE: "{release}",
    NAMESPACE: "{namespace}",
    _MESH: "{istioNamespace}",
    _GATEWAY: "{gateway}",
}
_KEYS = ("name", "mountPath", "containerPort", "port", "key", "type")
_NOT_FOLLOWED = {"rules"}


def skeleton_of(chart: RenderableChart, always_set: Mapping[str, Any]) -> dict[str, Any]:
    """The three sections of a skeleton file.

    Args:
        chart: the chart.
        always_set: values below ``global`` to render it with, beside its defaults.

    Returns:
        ``objects``: ``Kind name`` -> apiVersion and whether it has a namespace; names hold marks such as
        ``{release}``. ``places``: ``Kind name path`` of every value that is set. ``lists``: the same of every list
        -> the key that tells its elements apart followed by their names, or just its length.
    """
    names = {(item["kind"], item["metadata"]["name"]) for item in chart.objects(_settings("", always_set))}
    pattern = {}
    for item in chart.objects(_settings(_REVISION, always_set)):
        name = item["metadata"]["name"]
        without = name.replace(f"-{_REVISION}", "").replace(_REVISION, "default")
        if (item["kind"], without) in names:
            pattern[item["kind"], without] = _marked(name)
    objects: dict[str, Any] = {}
    places: set[str] = set()
    lists: dict[str, list[Any] | int] = {}
    for item in chart.objects(_settings("", always_set)):
        name = item["metadata"]["name"]
        head = f"{item['kind']} {pattern.get((item['kind'], name), _marked(name))}"
        objects[head] = {"apiVersion": item["apiVersion"], "namespaced": "namespace" in item["metadata"]}
        body = {key: value for key, value in item.items() if key not in ("apiVersion", "kind")}
        for path, elements in _walk(body, ()):
            text = f"{head} {_marked(render(path))}"
            if elements is None:
                places.add(text)
            else:
                lists[text] = elements
    return {"objects": objects, "places": places, "lists": lists}


def _settings(revision: str, always_set: Mapping[str, Any]) -> dict[str, Any]:
    gateway = {"name": _GATEWAY}
    return {
        "revision": revision,
        "global": {"istioNamespace": _MESH, **always_set},
        "gateways": {"istio-ingressgateway": gateway, "istio-egressgateway": gateway},
    }


def _marked(name: str) -> str:
    for text, mark in _MARKS.items():
        name = name.replace(text, mark)
    return name


def _walk(node: Any, path: Path) -> Iterator[tuple[Path, list[Any] | int | None]]:
    """Every place below ``node``: with None for a value, with names or length for a list."""
    if isinstance(node, Mapping) and node:
        for key, value in node.items():
            yield from _walk(value, (*path, str(key)))
    elif isinstance(node, list) and node:
        key = _key_of(node)
        yield path, [key, *(_marked(str(item[key])) for item in node)] if key else len(node)
        if path[-1] in _NOT_FOLLOWED or not isinstance(node[0], Mapping):
            return
        for position, item in enumerate(node):
            yield from _walk(item, (*path, f"[{key}:{item[key]}]" if key else position))
    else:
        yield path, None


def _key_of(items: list[Any]) -> str | None:
    """The key whose values tell the elements of a list apart."""
    for key in _KEYS:
        values = [item.get(key) for item in items if isinstance(item, Mapping)]
        if len(values) == len(items) and None not in values and len(set(map(str, values))) == len(values):
            return key
    return None
