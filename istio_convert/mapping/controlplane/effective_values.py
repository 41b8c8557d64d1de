"""The values in force when istioctl renders a chart: the operator's, those of the chart's profiles, its defaults."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass
from typing import Any

from istio_convert.catalog import MISSING, Catalog, ChartFacts
from istio_convert.catalog.skeleton import SkeletonObject, Test
from istio_convert.catalog.trees import lookup
from istio_convert.mapping.draft.control_plane import number, truth
from istio_convert.operator.components import Component
from istio_convert.operator.effective import Effective
from istio_convert.paths import Path, parse
from istio_convert.source.nodes import Mapping, get, to_data


def values_for(chart: str, effective: Effective) -> Mapping:
    """The values as istioctl hands them to a chart; ztunnel gets its own block at the root."""
    values = effective.values
    own = values.items.get("ztunnel")
    if chart != "ztunnel" or not isinstance(own, Mapping):
        return values
    view = Mapping({k: v for k, v in values.items.items() if k == "global" or not isinstance(v, Mapping)})
    view.items.update(own.items)
    return view


@dataclass(frozen=True, slots=True)
class EffectiveValues:
    """What a chart gets to see."""

    chart: ChartFacts
    catalog: Catalog
    effective: Effective

    def value(self, path: Path) -> Any:
        """The value in force at a path as the templates read it; MISSING when there is none."""
        spellings = list(self._spellings(path))
        given = values_for(self.chart.name, self.effective)
        for spelling in spellings:
            if (node := get(given, spelling)) is not None:
                return to_data(node)
        for tree in self._profiles():
            for spelling in spellings:
                if (value := lookup(tree, spelling)) is not MISSING:
                    return value
        return self.chart.default(path)

    def renders(self, known: SkeletonObject) -> bool:
        """Whether the chart renders an object with these values."""
        return known.rendered(self._holds)

    def elements(self, known: SkeletonObject) -> list[str]:
        """The elements of lists, and keys of maps, that bring an object and may be a part of its name."""
        found = []
        for tests in known.brought:
            for path in tests:
                value = self.value(parse(path))
                found += [str(item) for item in value] if isinstance(value, (list, dict)) else []
        return found

    def _holds(self, path: Path, test: Test) -> bool:
        value = self.value(path)
        if value is MISSING:
            return False
        if isinstance(test, bool):
            return truth(value) is test
        if isinstance(test, int):
            return number(value) >= test
        return (str(value).lower() if isinstance(value, bool) else str(value)) == test

    def _spellings(self, path: Path) -> Iterator[Path]:
        """Where the value may stand, the place that wins first."""
        if self.chart.descope and path[:1] != (self.chart.descope,):
            yield (self.chart.descope, *path)
        yield path
        if self.chart.flattens_global and path[:1] != ("global",):
            yield ("global", *path)

    def _profiles(self) -> Iterator[AnyMapping[str, Any]]:
        """The values of the chart's own files that the operator chooses, the file that wins first."""
        names = {key: self.effective.value(key) for key in ("platform", "compatibilityVersion", "profile")}
        platform = names["platform"] or self.effective.value("global", "platform")
        yield self.catalog.platform(str(platform or ""))
        yield self.catalog.compatibility(str(names["compatibilityVersion"] or ""))
        yield self.catalog.helm_profile(str(names["profile"] or ""))


#: kinds of a gateway's objects that are known place by place elsewhere
_KNOWN_IN_DETAIL = ("Deployment", "HorizontalPodAutoscaler", "PodDisruptionBudget", "Service", "ServiceAccount")


@dataclass(frozen=True, slots=True)
class OtherObjects:
    """What istioctl's own chart renders for a gateway beside the objects that are known in detail."""

    component: Component
    name: str
    catalog: Catalog
    effective: Effective

    def rendered(self, kind: str, name: str) -> bool:
        """Whether there is an object of this kind and name."""
        if kind in _KNOWN_IN_DETAIL:
            return False
        chart = self.catalog.chart("istio-ingress" if self.component.kind == "ingressGateways" else "istio-egress")
        in_force = EffectiveValues(chart, self.catalog, self.effective)
        revision = str(self.effective.value("revision") or "")
        marks = {"{gateway}": self.name, "{-revision}": f"-{revision}" if revision else ""}
        for known in chart.skeleton.possible:
            pattern = known.pattern
            for mark, text in marks.items():
                pattern = pattern.replace(mark, text)
            if (known.kind, pattern) == (kind, name) and in_force.renders(known):
                return True
        return False
