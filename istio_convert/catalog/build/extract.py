"""The facts of one release, read from its ``manifests`` folder. Nothing is rendered here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path as FilePath
from typing import Any

from ruamel.yaml import YAML

from istio_convert.catalog.build.conditions import Condition, conditions_of
from istio_convert.catalog.build.reads import KeyPath, Reader, defines_of, outermost
from istio_convert.catalog.build.template import Node, parse
from istio_convert.catalog.chart import ENDED_CHARTS
from istio_convert.catalog.trees import leaf_table
from istio_convert.paths import render

CHART_FOLDERS = {
    "base": "base",
    "istiod": "istio-control/istio-discovery",
    "cni": "istio-cni",
    "ztunnel": "ztunnel",
    "gateway": "gateway",
    "istiod-remote": "istiod-remote",
    "istio-ingress": "gateways/istio-ingress",
    "istio-egress": "gateways/istio-egress",
}
"""Chart name -> folder below ``manifests/charts``. The last two are istioctl's own."""

RELEASED_HUBS = {"gcr.io/istio-testing": "docker.io/istio", "registry.istio.io/testing": "registry.istio.io/release"}
"""Charts in the source repository carry a testing hub; the release build writes the one on the right."""

VERSION_MARK = "$version"
"""Stands for the release in stored values, since every release's chart carries its own tag."""

_WRAPPERS = ("_internal_defaults_do_not_set", "defaults")
_DESCOPE = re.compile(r'mustMergeOverwrite\s+\$\.Values\s+\(index\s+\$\.Values\s+"(\w+)"\)')
_FLATTEN = re.compile(r"Flatten globals.*\n\{\{-?\s*if\s+(true|false)\s*\}\}")
_PROFILE_KEY = re.compile(r"\.Values\)?\.?((?:global\)?\.)?(?:profile|platform|compatibilityVersion))\b")
_ENV_NAME = re.compile(r"^\s*-\s*name:\s*\"?([A-Z][A-Z0-9_]*)\"?\s*$")
_CRD = re.compile(r"^kind: CustomResourceDefinition$", re.MULTILINE)
_CRD_NAME = re.compile(r"^  name: ([a-z.]+)$", re.MULTILINE)
_ENV_VALUE = re.compile(r"^\s*(?:value|valueFrom):")


@dataclass(slots=True)
class ChartSource:
    """What one chart says at one release.

    Attributes:
        reads: paths that templates, or the choice of a profile, read.
        profile_keys: those of them that name a profile, a platform or a compatibility version.
        injection: paths that only the injection templates read, through the injector's ConfigMap.
        dumped: paths that are written whole into an object for others to read.
        dumps_all_values: all values are written into an object.
        defaults: default values by the text of their path.
        order: keys of each map of them, as they stand in the file, by the text of its path.
        descope: the prefix under which values are copied over the root.
        flattens_global: ``global.x`` is also ``x``.
        template_env: names of environment variables that the templates write.
        injection_env: the same of the injection templates.
        schema: constraints of the values schema by path; empty when the chart has none.
        schema_broken: the schema refuses everything when read as the standard says.
        crds: names of the custom resource definitions that the chart brings.
        conditions: on which whole objects depend.
    """

    reads: set[str] = field(default_factory=set)
    profile_keys: set[str] = field(default_factory=set)
    injection: set[str] = field(default_factory=set)
    dumped: set[str] = field(default_factory=set)
    dumps_all_values: bool = False
    defaults: dict[str, Any] = field(default_factory=dict)
    order: dict[str, list[str]] = field(default_factory=dict)
    descope: str | None = None
    flattens_global: bool = False
    template_env: set[str] = field(default_factory=set)
    injection_env: set[str] = field(default_factory=set)
    schema: dict[str, Any] = field(default_factory=dict)
    schema_broken: bool = False
    crds: set[str] = field(default_factory=set)
    conditions: list[Condition] = field(default_factory=list)


@dataclass(slots=True)
class ReleaseSource:
    """What one release says.

    Attributes:
        charts: by chart name.
        profiles: values of the charts' profile files, by the name behind ``profile-``.
        istioctl_profiles: spec of istioctl's own profiles, by name, not merged.
    """

    charts: dict[str, ChartSource]
    profiles: dict[str, dict[str, Any]]
    istioctl_profiles: dict[str, dict[str, Any]]


def read_release(manifests: FilePath, version: str) -> ReleaseSource:
    """Extract all facts of one release.

    Args:
        manifests: folder that holds ``charts`` and ``profiles``.
        version: the release, for the place of its own tag.

    Raises:
        FileNotFoundError: a chart is missing.
        ValueError: copies of one profile differ between charts, or a template cannot be parsed.
    """
    folders = {name: manifests / "charts" / folder for name, folder in CHART_FOLDERS.items()}
    charts = {
        name: _read_chart(folder, version)
        for name, folder in folders.items()
        if name not in ENDED_CHARTS or folder.is_dir()
    }
    return ReleaseSource(charts, _read_profiles(manifests), _read_istioctl_profiles(manifests, version))


def _yaml(path: FilePath) -> Any:
    return _parse_yaml(path.read_text(encoding="utf-8"))


@lru_cache(maxsize=2048)
def _parse_yaml(text: str) -> Any:
    return YAML(typ="safe").load(text)


@lru_cache(maxsize=4096)
def _parse_template(text: str) -> list[Node]:
    return parse(text)


def _templates(folder: FilePath, *patterns: str) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            if path.suffix in (".yaml", ".tpl"):
                yield path.name, path.read_text(encoding="utf-8")


def _read_chart(folder: FilePath, version: str) -> ChartSource:
    values = _unwrapped(_yaml(folder / "values.yaml") or {})
    source = ChartSource(defaults=leaf_table(_as_released(values, version)), order=dict(_orders(values, ())))
    templates = dict(_templates(folder, "templates/*"))
    parsed = {name: _parse_template(text) for name, text in templates.items()}
    defines = defines_of(parsed.values())
    source.conditions = conditions_of((nodes for name, nodes in parsed.items() if not name.startswith("zz")), defines)
    reader = Reader(defines)
    for name, nodes in parsed.items():
        if name.startswith("zz"):
            _read_preparation(templates[name], source)
        else:
            reader.run(nodes)
    source.reads |= _texts(reader.read)
    source.dumps_all_values = () in reader.dumped
    source.dumped = _texts(path for path in reader.dumped if path and path[0] != "_original")
    source.template_env = _env_names(templates.values())
    _read_injection(folder, source)
    _read_schema(folder / "values.schema.json", source)
    source.crds = _crd_names(folder)
    return source


def _unwrapped(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Values without the key around them. What is under it stands in its place and wins over keys beside it."""
    for wrapper in _WRAPPERS:
        if wrapper in values:
            inside = values[wrapper] or {}
            opened: dict[str, Any] = {}
            for key, value in values.items():
                opened |= inside if key == wrapper else {key: inside.get(key, value)}
            values = opened
    return values


def _orders(values: Mapping[str, Any], path: KeyPath) -> Iterator[tuple[str, list[str]]]:
    """Every map of two or more keys: its path, and its keys as they stand in the file."""
    if len(values) > 1:
        yield render(path), [str(key) for key in values]
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _orders(value, (*path, str(key)))


def _texts(paths: Any) -> set[str]:
    return {render(path) for path in outermost(path for path in paths if path)}


def _read_preparation(text: str, source: ChartSource) -> None:
    """Read the files that put the values together before all others run: profiles, prefixes, flattening."""
    if match := _DESCOPE.search(text):
        source.descope = match.group(1)
    if match := _FLATTEN.search(text):
        source.flattens_global = match.group(1) == "true"
    keys = {match.group(1).replace(")", "") for match in _PROFILE_KEY.finditer(text)}
    source.profile_keys |= keys
    source.reads |= keys


def _read_injection(folder: FilePath, source: ChartSource) -> None:
    """Read the templates that the injector runs later, over what was dumped for it."""
    if not source.dumped:
        return
    files = {
        name: text
        for name, text in _templates(folder, "files/*.yaml")
        if not name.startswith(("profile-", "crd-")) and "{{" in text
    }
    parsed = {name: _parse_template(text) for name, text in files.items()}
    reader = Reader(defines_of(parsed.values()))
    for nodes in parsed.values():
        reader.run(nodes)
    paths: set[KeyPath] = {path[1:] if path[:1] == (source.descope,) else path for path in reader.read if path}
    source.injection = _texts(paths)
    source.injection_env = _env_names(files.values())


def _env_names(texts: Any) -> set[str]:
    """Names in ``- name: X`` lines that are followed by a value: environment variables, not volumes or ports."""
    names: set[str] = set()
    for text in texts:
        lines = [line for line in text.splitlines() if line.strip() and not line.strip().startswith(("{{", "#"))]
        for line, following in pairwise(lines):
            if (match := _ENV_NAME.match(line)) and _ENV_VALUE.match(following):
                names.add(match.group(1))
    return names


def _crd_names(folder: FilePath) -> set[str]:
    """Names of the definitions, which lie in the chart's folder ``crds`` or in the file that its templates read."""
    paths = [*folder.glob("crds/*.yaml"), *folder.glob("files/crd-*.yaml")]
    texts = [text for path in paths for text in path.read_text(encoding="utf-8").split("\n---\n")]
    found = [_CRD_NAME.search(text) for text in texts if _CRD.search(text)]
    return {match.group(1) for match in found if match}


def _as_released(values: Any, version: str) -> Any:
    """Values with the hub of released charts and a mark in place of the release's own tag."""
    if isinstance(values, Mapping):
        return {
            str(key): VERSION_MARK
            if key == "tag" and value in ("latest", version)
            else RELEASED_HUBS.get(value, value)
            if key == "hub" and isinstance(value, str)
            else _as_released(value, version)
            for key, value in values.items()
        }
    return values


def _read_profiles(manifests: FilePath) -> dict[str, dict[str, Any]]:
    profiles: dict[str, dict[str, Any]] = {}
    for folder in CHART_FOLDERS.values():
        for path in sorted((manifests / "charts" / folder).glob("files/profile-*.yaml")):
            name = path.stem.removeprefix("profile-")
            values = _yaml(path) or {}
            if profiles.setdefault(name, values) != values:
                raise ValueError(f"the copies of profile {name} differ between charts")
    return profiles


def _read_istioctl_profiles(manifests: FilePath, version: str) -> dict[str, dict[str, Any]]:
    found = {}
    for path in sorted((manifests / "profiles").glob("*.yaml")):
        spec = (_yaml(path) or {}).get("spec") or {}
        found[path.stem] = _as_released(spec, version)
    return found


def _read_schema(path: FilePath, source: ChartSource) -> None:
    if not path.is_file():
        return
    schema = json.loads(path.read_text(encoding="utf-8"))
    # `additionalProperties: false` beside a `$ref` and without `properties` refuses every key
    source.schema_broken = schema.get("additionalProperties") is False and "properties" not in schema
    source.schema = dict(_constraints(_resolved(schema, schema), ()))


def _resolved(node: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = node.get("$ref")
    if not isinstance(reference, str):
        return node
    target: Any = root
    for step in reference.removeprefix("#/").split("/"):
        target = target[step]
    return target  # type: ignore[no-any-return]


def _constraints(node: Mapping[str, Any], path: KeyPath) -> Iterator[tuple[str, Any]]:
    """Every node of a schema as path and what it demands. ``[]`` stands for any element, ``{}`` for any other key."""
    own = {key: node[key] for key in ("type", "enum", "required") if key in node}
    if node.get("additionalProperties") is False:
        own["closed"] = True
    yield render(path), own
    for name, child in node.get("properties", {}).items():
        if name not in _WRAPPERS:
            yield from _constraints(child, (*path, name))
    if isinstance(node.get("items"), Mapping):
        yield from _constraints(node["items"], (*path, "[]"))
    if isinstance(node.get("additionalProperties"), Mapping):
        yield from _constraints(node["additionalProperties"], (*path, "{}"))
