"""What one chart does at one version."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

from istio_convert.catalog import schema as schemas
from istio_convert.catalog.data import load
from istio_convert.catalog.profiles import names_of
from istio_convert.catalog.ranges import contains, version_key
from istio_convert.catalog.refusals import Refusal, find_refusal, unknown_name
from istio_convert.catalog.skeleton import Skeleton
from istio_convert.catalog.trees import MISSING, from_leaf_table, lookup
from istio_convert.paths import Path, parse, render, starts_with

VERSION_MARK = "$version"
"""Stands for the release in stored values, since every release's chart carries its own tag."""

HELM_CHARTS = ("base", "istiod", "cni", "ztunnel", "gateway")
ISTIOCTL_CHARTS = ("istio-ingress", "istio-egress")
ENDED_CHARTS = ("istiod-remote",)
"""Helm charts that older releases have and newer ones lack. All others are in every release."""


_UNORDERED: dict[str, int] = {}


class ChartFacts:
    """The facts of one chart at one version. Everything is looked up when first asked for, and kept.

    Args:
        name: one of :data:`HELM_CHARTS`, :data:`ENDED_CHARTS` and :data:`ISTIOCTL_CHARTS`.
        version: a version of the catalog.
        data: the content of the chart's file, when it is not that of this installation.
    """

    def __init__(self, name: str, version: str, data: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.version = version
        self._data = load(f"{name}.json") if data is None else data

    def __repr__(self) -> str:
        return f"ChartFacts({self.name!r}, {self.version!r})"

    # -- reading ------------------------------------------------------------------------------------------------------

    def reads(self, path: Path) -> bool:
        """Whether setting this values path can change what the chart renders or what is rendered from it later.

        True when the chart reads the path, something above it or something below it, under any spelling that the
        chart accepts (``pilot.x`` beside ``x``, ``global.x`` beside ``x``), and when the path is written whole into
        an object that the sidecar injector reads. Being written into the debugging copy of all values
        (:attr:`dumps_all_values`) does not count. List positions are cut off.
        """
        tree = self._read_tree
        if len(path) > 1 and path[0] in self._flattened and _matches(tree, path[1:]):
            return True
        return _matches(tree, path)

    def only_dumped(self, path: Path) -> bool:
        """Whether the path is read, yet by nothing but a copy in an object: no template that is shipped uses it."""
        return self.reads(path) and not any(_matches(self._used_tree, spelling) for spelling in self.spellings(path))

    def unread(self, path: Path) -> bool:
        """Whether the path reaches nothing but a copy in an object that no template and not istiod itself reads."""
        return self.only_dumped(path) and not any(_matches(_read_by_istiod(), one) for one in self.spellings(path))

    def spellings(self, path: Path) -> tuple[Path, ...]:
        """The path itself, then the other places that the chart makes of it (prefix cut off, global flattened)."""
        if len(path) > 1 and path[0] in self._flattened:
            return path, path[1:]
        return (path,)

    @cached_property
    def _flattened(self) -> frozenset[str | None]:
        """The keys whose content the chart also takes at the root."""
        return frozenset({self.descope, "global" if self.flattens_global else None} - {None})

    @cached_property
    def read_paths(self) -> frozenset[str]:
        """The outermost paths that templates read, also those of the injector; as text."""
        return frozenset(self._names("reads") | self._names("injection"))

    @cached_property
    def dumped_paths(self) -> frozenset[str]:
        """Paths that are copied whole into an object for the sidecar injector."""
        return frozenset(self._names("dumped"))

    @cached_property
    def _used_tree(self) -> dict[str, Any]:
        return _tree(self.read_paths)

    @cached_property
    def _read_tree(self) -> dict[str, Any]:
        return _tree(self.read_paths | self.dumped_paths)

    # -- defaults -----------------------------------------------------------------------------------------------------

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The chart's default values as the released chart has them. Treat as read-only."""
        table = {
            path: self.version if value == VERSION_MARK else value for path, value in self._values("defaults").items()
        }
        return from_leaf_table(table)

    def default(self, path: Path) -> Any:
        """The default value at a path, in any spelling the chart accepts, or :data:`MISSING`."""
        for spelling in self.spellings(path):
            if (value := lookup(self.defaults, spelling)) is not MISSING:
                return value
        return MISSING

    def order(self, path: Path) -> dict[str, int]:
        """Where each key of the map at a values path stands in the chart's ``values.yaml``; empty when not known.

        Other spellings count: ``pilot`` and ``pilot.x`` are ordered as the root and ``x`` where the chart takes both.
        """
        own = self._orders.get(path, _UNORDERED)
        if not path or path[0] not in self._flattened:
            return own
        keys = dict.fromkeys([*own, *self._orders.get(path[1:], _UNORDERED)])
        return {key: number for number, key in enumerate(keys)}

    @cached_property
    def _orders(self) -> dict[Path, dict[str, int]]:
        return {
            parse(path): {key: number for number, key in enumerate(keys)}
            for path, keys in self._values("order").items()
        }

    # -- traits -------------------------------------------------------------------------------------------------------

    @cached_property
    def _traits(self) -> dict[str, Any]:
        return self._values("traits")

    @property
    def descope(self) -> str | None:
        """The prefix under which values are copied over the root, where they win; None when there is none."""
        prefix: str | None = self._traits.get("descope")
        return prefix

    @property
    def flattens_global(self) -> bool:
        """Whether ``global.x`` is also ``x`` (a user's ``x`` wins)."""
        return bool(self._traits.get("flattens_global"))

    @property
    def dumps_all_values(self) -> bool:
        """Whether all values are written into an object, for debugging."""
        return bool(self._traits.get("dumps_all_values"))

    @property
    def schema_broken(self) -> bool:
        """Whether the chart's values schema refuses every value under Helm 3.18.5 and later."""
        return bool(self._traits.get("schema_broken"))

    @cached_property
    def fixed_in(self) -> str | None:
        """The nearest later release whose schema works: of the same minor if there is one; None when not broken."""
        if not self.schema_broken:
            return None
        pairs = self._data["traits"]["schema_broken"]
        later = [v for v in load("releases.json")["releases"] if version_key(v) > version_key(self.version)]
        good = [v for v in sorted(later, key=version_key) if not any(contains(text, v) for text, _ in pairs)]
        return good[0] if good else None

    # -- what else ----------------------------------------------------------------------------------------------------

    @cached_property
    def template_env(self) -> frozenset[str]:
        """Names of the environment variables that the chart's templates set, be it on a condition."""
        return frozenset(self._names("template_env"))

    @cached_property
    def injection_env(self) -> frozenset[str]:
        """Names of the environment variables that the injection templates set (istiod only)."""
        return frozenset(self._names("injection_env"))

    @cached_property
    def crds(self) -> frozenset[str]:
        """Names of the custom resource definitions that the chart brings."""
        return frozenset(self._names("crds"))

    @cached_property
    def schema_nodes(self) -> dict[str, Any]:
        """Constraints of the values schema that the chart ships, by path; empty when it ships none."""
        return self._values("schema")

    def values_schema(self) -> dict[str, Any]:
        """A JSON Schema (2020-12) for values of this chart at this version. It accepts what the chart accepts."""
        return self._schema

    @cached_property
    def _schema(self) -> dict[str, Any]:
        return schemas.build_schema(self)

    def refusal(self, path: Path, value: Any) -> Refusal | None:
        """Why the chart refuses this value at installation, or None when it does not.

        Args:
            path: a values path, or one below a refused one.
            value: the value there.
        """
        if render(path) in self._profile_keys and (found := unknown_name(path, value, names_of(self.version))):
            return found
        return find_refusal(self._refused, self.spellings(path), value)

    def dead(self, path: Path) -> str | None:
        """The place to use instead of a value that the chart accepts and does not read; None for all others."""
        near = self._dead.get(path[0]) if path else None
        return next((place for dead, place in near if starts_with(path, dead)), None) if near else None

    @cached_property
    def _profile_keys(self) -> set[str]:
        return self._names("profile_keys")

    @cached_property
    def _refused(self) -> dict[Path, Any]:
        return {parse(path): entry for path, entry in self._values("refused").items()}

    @cached_property
    def _dead(self) -> dict[str | int, list[tuple[Path, str]]]:
        """By the first step of the path."""
        found: dict[str | int, list[tuple[Path, str]]] = {}
        for text, place in self._values("dead").items():
            path = parse(text)
            found.setdefault(path[0], []).append((path, place))
        return found

    @cached_property
    def skeleton(self) -> Skeleton:
        """The objects that the chart renders with default values, without their texts."""
        return Skeleton(self.name, self.version)

    # -- reading the data ---------------------------------------------------------------------------------------------

    def _names(self, section: str) -> set[str]:
        return {key for key, text in self._data.get(section, {}).items() if contains(text, self.version)}

    def _values(self, section: str) -> dict[str, Any]:
        found = {}
        for key, pairs in self._data.get(section, {}).items():
            for text, value in pairs:
                if contains(text, self.version):
                    found[key] = value
                    break
        return found


@lru_cache(maxsize=1)
def _read_by_istiod() -> dict[str, Any]:
    return _tree(frozenset(load("behaviours.json")["injector"]["read_by_istiod"]))


def _tree(paths: frozenset[str]) -> dict[str, Any]:
    """Paths as nested dicts; an empty dict marks the end of one."""
    root: dict[str, Any] = {}
    for text in sorted(paths, key=len, reverse=True):
        current = root
        steps = parse(text)
        for step in steps[:-1]:
            current = current.setdefault(str(step), {})
        current[str(steps[-1])] = {}
    return root


def _matches(tree: dict[str, Any], path: Path) -> bool:
    for step in path:
        if isinstance(step, int):
            return True
        if step not in tree:
            return False
        tree = tree[step]
        if not tree:
            return True
    return True
