"""One release in the making: its values and patches, and what that means for the leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from istio_convert.catalog import MISSING, Catalog, ChartFacts
from istio_convert.ledger import Outcome, Place
from istio_convert.mapping.draft.claims import Claim, Claims
from istio_convert.mapping.draft.patches import PatchBuilder, describe
from istio_convert.mapping.model import ManifestPath
from istio_convert.operator.merge import Override, merged
from istio_convert.paths import Path, render
from istio_convert.release import Release, Target
from istio_convert.source.nodes import Leaf, Mapping, Node, Scalar, Sequence, clone, get, leaves, put, to_data, walk

LATER_WINS = "the setting that istioctl applies later wins"


@dataclass(frozen=True, slots=True)
class Laid:
    """What was laid over one place of a rendered object.

    Attributes:
        target: the object.
        path: the place.
        node: what is put there; None when what is there goes.
        replace: it takes the place of what is there instead of being merged into it.
        why: why it wins over the values.
        also: leaves that live on in it beside those of the node.
    """

    target: Target
    path: ManifestPath
    node: Node | None
    replace: bool
    why: str
    also: tuple[Leaf, ...] = ()


@dataclass(slots=True)
class Draft:
    """A release, the facts about its chart, and the claims of the run.

    Attributes:
        laid: what the operator's own settings and overlays lay over rendered objects, in order.
        chart: facts about the chart at the target version.
    """

    release: Release
    catalog: Catalog
    claims: Claims
    patches: PatchBuilder = field(default_factory=PatchBuilder)
    explicit: set[Path] = field(default_factory=set)
    patched: dict[Place, list[Leaf]] = field(default_factory=dict)
    laid: list[Laid] = field(default_factory=list)
    chart: ChartFacts = field(init=False)

    def __post_init__(self) -> None:
        self.chart = self.catalog.chart(self.release.chart)

    def place(self, path: Path) -> Place:
        """A values place of this release."""
        return Place(self.release.name, render(path))

    def set_value(
        self,
        path: Path,
        node: Node,
        rule: str,
        *,
        reason: str = "",
        why_wins: str = LATER_WINS,
        replace: bool = False,
        explicit: bool = False,
        also: list[Leaf] | None = None,
    ) -> None:
        """Put a value at a path of the chart's values and claim its leaves.

        Args:
            path: values path.
            node: the value.
            rule: id of the rule.
            reason: said in the ledger, when there is something to say.
            why_wins: why it beats a value that is there already.
            replace: replace a map that is there instead of merging into it.
            explicit: keep it even when the chart's default is the same.
            also: further leaves that live on in this value.
        """
        overrides: list[Override] = []
        if replace:
            present = get(self.release.values, path)
            if present is not None:
                winner = next(leaves(node), None)
                overrides = [Override(leaf, winner, why_wins) for leaf in leaves(present)]
            put(self.release.values, path, clone(node))
        elif not self._put_new(path, node):
            layer = Mapping()
            put(layer, path, clone(node))
            self.release.values = merged(self.release.values, layer, overrides, why_wins)
        for override in overrides:
            self.claims.overridden(override.leaf, override.winner, rule, override.why, release=self.release.name)
        name, add = self.release.name, self.claims.add
        for place, end in walk(node, path):
            if end.leaf is not None:
                add(end.leaf, Claim(Outcome.VALUE, rule, Place(name, render(place)), reason))
        for leaf in also or []:
            add(leaf, Claim(Outcome.VALUE, rule, self.place(path), reason))
        if explicit:
            self.explicit.add(path)

    def _put_new(self, path: Path, node: Node) -> bool:
        """Set a value where there is none yet, which is nearly always so; True when done.

        A copy is set, since later steps take parts of the values away in place.
        """
        holder = self.release.values
        for step in path[:-1]:
            child = holder.items.get(str(step))
            if child is None:
                child = holder.items[str(step)] = Mapping()
            elif not isinstance(child, Mapping) or child.leaf is not None:
                return False
            holder = child
        name = str(path[-1])
        if name in holder.items:
            return False
        holder.items[name] = clone(node)
        return True

    def claim_patch(self, target: Target, path: ManifestPath, found: list[Leaf], rule: str, reason: str = "") -> None:
        """Note that leaves live on in a patch."""
        place = Place(self.release.name, describe(target, path))
        self.patched.setdefault(place, []).extend(found)
        for leaf in found:
            self.claims.add(leaf, Claim(Outcome.PATCH, rule, place, reason))

    def patch(
        self,
        target: Target,
        path: ManifestPath,
        node: Node,
        rule: str,
        why: str,
        *,
        replace: bool = False,
        also: list[Leaf] | None = None,
    ) -> None:
        """Patch a place of a rendered object and claim the leaves."""
        self.patches.merge(target, path, node, why, replace=replace)
        self.claim_patch(target, path, [*leaves(node), *(also or [])], rule)

    def finish(self) -> Release:
        """Leave out what the chart does anyway, order the values as the chart does, write the patches."""
        defaults = Defaults(self.chart, self.catalog, self.release.values)
        self.release.values = self._wanted(self.release.values, (), defaults)
        self.release.patches = self.patches.patches()
        return self.release

    def _wanted(self, node: Mapping, path: Path, defaults: Defaults | None) -> Mapping:
        """The values without those that are the default (all of them, when None), keys in the order of the chart."""
        rank = self.chart.order(path)
        result = Mapping(leaf=node.leaf, origin=node.origin)
        for key in sorted(node.items, key=lambda key: rank.get(key, len(rank))) if rank else node.items:
            child, below = node.items[key], (*path, key)
            inside = None if below in self.explicit else defaults
            if isinstance(child, Mapping) and child.items:
                child = self._wanted(child, below, inside)
                if not child.items:
                    continue
            elif inside is not None and self._is_default(child, below, inside):
                self._leave_out(child, below)
                continue
            result.items[key] = child
        return result

    def _leave_out(self, node: Node, path: Path) -> None:
        """Say of the leaves of a value that the chart does this without it."""
        claim = Claim(Outcome.DEFAULT, "default", self.place(path), f"the {self.release.chart} chart does this anyway")
        for leaf in leaves(node):
            for old in [c.place for c in self.claims.by_leaf.get(leaf, []) if c.place and self._below(c.place, path)]:
                self.claims.moved(leaf, old, claim)

    def _below(self, place: Place, path: Path) -> bool:
        return place.release == self.release.name and place.path.startswith(render(path))

    @staticmethod
    def _is_default(node: Node, path: Path, defaults: Defaults) -> bool:
        default = defaults.at(path)
        if isinstance(node, Mapping):  # an empty map
            return isinstance(default, dict)
        if default is MISSING:
            return False
        data = to_data(node)
        if isinstance(node, Sequence) or isinstance(default, (dict, list)):
            return bool(data == default)
        return type(data) is type(default) and data == default


class Defaults:
    """What a chart does without a value, with the profile, compatibility and platform files that are in force."""

    def __init__(self, chart: ChartFacts, catalog: Catalog, values: Mapping) -> None:
        self.prefix = chart.descope
        self.chart = chart
        self.layers: list[dict[str, Any]] = []
        for settings in settings_in_force(catalog, values):
            self.layers.insert(0, settings)
        # what is set beside a global value of the same name, where the chart takes the one for the other
        self.root = {path for path, _ in walk(values) if path[0] != "global"} if "global" in values.items else set()

    def at(self, path: Path) -> Any:
        """The value in force at a path, or MISSING."""
        for layer in self.layers:
            found = _lookup(layer, path)
            if found is not MISSING:
                return found
            if self.prefix and path[0] == self.prefix and _lookup(layer, path[1:]) is not MISSING:
                return MISSING  # the file sets it without the prefix; do not guess
            if self.prefix and path[0] != self.prefix and _lookup(layer, (self.prefix, *path)) is not MISSING:
                return MISSING  # the file sets it with the prefix, which wins: keep what the user wrote
            if self.chart.flattens_global and _lookup(layer, ("global", *path)) is not MISSING:
                return MISSING
        found = _lookup(self.chart.defaults, path)
        if found is MISSING and self.prefix and path[0] == self.prefix:
            found = _lookup(self.chart.defaults, path[1:])
        if found is MISSING and self.chart.flattens_global and path[0] == "global" and path[1:] not in self.root:
            found = _lookup(self.chart.defaults, path[1:])
        return found


def settings_in_force(catalog: Catalog, values: Mapping) -> list[dict[str, Any]]:
    """The profile, compatibility and platform files that values choose, in the order in which a chart reads them."""

    def text(*path: str) -> str:
        node = get(values, path)
        return str(node.value) if isinstance(node, Scalar) and node.value else ""

    found = []
    profile = text("profile") or text("global", "profile")
    if profile in catalog.helm_profiles:
        found.append(catalog.helm_profile(profile))
    compatibility = text("compatibilityVersion")
    if compatibility in catalog.compatibility_versions:
        found.append(catalog.compatibility(compatibility))
    platform = text("platform") or text("global", "platform")
    if platform in catalog.platforms:
        found.append(catalog.platform(platform))
    return found


def _lookup(tree: Any, path: Path) -> Any:
    for step in path:
        if not isinstance(tree, dict) or step not in tree:
            return MISSING
        tree = tree[step]
    return tree
