"""The skeleton of what a chart renders with default values: objects, places that are set, names in lists. No texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from istio_convert.catalog.build.conditions import Condition
from istio_convert.catalog.build.rendering import NAMESPACE, RELEASE, RenderableChart
from istio_convert.catalog.build.switches import ELEMENT, Switches
from istio_convert.catalog.trees import from_leaf_table, merged
from istio_convert.paths import Path, render

_REVISION, _MESH, _GATEWAY = "rlsrevision", "rlsmesh", "rlsgateway"
_MARKS = {
    f"-{_REVISION}": "{-revision}",
    _REVISION: "{revision}",
    RELEASE: "{release}",
    NAMESPACE: "{namespace}",
    _MESH: "{istioNamespace}",
    _GATEWAY: "{gateway}",
    ELEMENT: "{element}",
}
_KEYS = ("name", "mountPath", "containerPort", "port", "key", "type")
_NOT_FOLLOWED = {"rules"}


def skeleton_of(
    chart: RenderableChart,
    always_set: Mapping[str, Any],
    conditions: Sequence[Condition] = (),
    defaults: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The sections of a skeleton file.

    Args:
        chart: the chart.
        always_set: values below ``global`` to render it with, beside its defaults.
        conditions: what its templates test around whole objects.
        defaults: its default values by path.

    Returns:
        ``objects``: ``Kind name`` -> apiVersion and whether it has a namespace; names hold marks such as
        ``{release}``. ``optional``: the same of objects that some values bring, or keep, and which: alternatives, each
        of them path -> test. ``taken``: objects of the first section -> the values that take them away, likewise.
        ``places``: ``Kind name path`` of every value that is set. ``lists``: the same of every list -> the key that
        tells its elements apart followed by their names, or just its length.
    """

    def rendered(values: Mapping[str, Any], revision: str = "") -> dict[str, dict[str, Any]]:
        given = merged(_settings(revision, always_set), from_leaf_table(values))
        return {f"{item['kind']} {item['metadata']['name']}": item for item in chart.objects(given)}

    skeleton: dict[str, Any] = {"objects": {}, "optional": {}, "taken": {}, "places": set(), "lists": {}}
    switches = Switches(rendered, conditions, defaults or {})
    normal = rendered({})
    heads = _heads(normal, rendered({}, _REVISION))
    for name, item in normal.items():
        skeleton["objects"][heads[name]] = _described(item)
        _add_shape(skeleton, heads[name], item)
        if name in switches.takes:
            skeleton["taken"][heads[name]] = switches.takes[name]
    for name, values in sorted(switches.values.items()):
        objects = rendered(values)
        head = _heads(objects, rendered(values, _REVISION))[name]
        skeleton["optional"][head] = {**_described(objects[name]), "when": switches.brings[name]}
        if name not in normal:
            _add_shape(skeleton, head, objects[name])
    return skeleton


def _described(item: Mapping[str, Any]) -> dict[str, Any]:
    return {"apiVersion": item["apiVersion"], "namespaced": "namespace" in item["metadata"]}


def _heads(plain: Iterable[str], revised: Iterable[str]) -> dict[str, str]:
    """Kind and name of each object -> the same with marks. What a revision does to a name shows when there is one."""
    patterns = {name.replace(f"-{_REVISION}", "").replace(_REVISION, "default"): _marked(name) for name in revised}
    return {name: patterns.get(name, _marked(name)) for name in plain}


def _add_shape(skeleton: dict[str, Any], head: str, item: Mapping[str, Any]) -> None:
    body = {key: value for key, value in item.items() if key not in ("apiVersion", "kind")}
    for path, elements in _walk(body, ()):
        text = f"{head} {_marked(render(path))}"
        if elements is None:
            skeleton["places"].add(text)
        else:
            skeleton["lists"][text] = elements


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
