"""The catalog at one version, and which versions there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

from istio_convert.catalog.chart import ENDED_CHARTS, HELM_CHARTS, ISTIOCTL_CHARTS, VERSION_MARK, ChartFacts
from istio_convert.catalog.data import load
from istio_convert.catalog.profiles import HELM_FILE, PREFIXES, names_of
from istio_convert.catalog.ranges import contains, minor_of, version_key
from istio_convert.catalog.trees import from_leaf_table, merged
from istio_convert.errors import InternalError, UnsupportedVersionError

_DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class ReleaseInfo:
    """One release of Istio that the catalog knows.

    Attributes:
        version: ``1.25.3``.
        candidate: the release candidate that stands in for it while it is not published, such as ``1.31.0-rc.0``.
    """

    version: str
    candidate: str | None = None

    @property
    def provisional(self) -> bool:
        """Whether the facts are those of a candidate."""
        return self.candidate is not None

    @property
    def minor(self) -> str:
        """``1.25``."""
        return minor_of(self.version)


@dataclass(frozen=True, slots=True)
class Workload:
    """The object that a component's ``k8s`` settings are for.

    Attributes:
        component: ``pilot``, ``cni``, ``ztunnel``, ``ingressGateways`` or ``egressGateways``.
        chart: its Helm chart.
        kind: ``Deployment`` or ``DaemonSet``.
        name: without revision; None when every instance has its own.
        container: the container that the settings are for.
    """

    component: str
    chart: str
    kind: str
    name: str | None
    container: str


@lru_cache(maxsize=1)
def versions() -> tuple[ReleaseInfo, ...]:
    """All releases of the catalog, oldest first."""
    known = load("releases.json")["releases"]
    return tuple(ReleaseInfo(version, known[version].get("candidate")) for version in sorted(known, key=version_key))


@lru_cache(maxsize=1)
def newest() -> str:
    """The newest final release."""
    return [release.version for release in versions() if not release.provisional][-1]


def resolve(requested: str, *, allow_unknown: bool = False) -> Catalog:
    """The catalog at a version.

    Args:
        requested: ``1.25.3``, ``v1.25.3``, ``1.25`` (its newest patch release) or the candidate that stands in for a
            release (``1.31.0-rc.0``).
        allow_unknown: take the nearest older release when this one is not known.

    Raises:
        UnsupportedVersionError: the release is not known; the hint names the nearest known ones.
    """
    text = requested.strip().removeprefix("v")
    for release in versions():
        if text in (release.version, release.candidate):
            return _catalog(release.version)
    of_minor = [release for release in versions() if release.minor == text]
    if of_minor:
        final = [release for release in of_minor if not release.provisional]
        return _catalog((final or of_minor)[-1].version)
    return _nearest(text, allow_unknown=allow_unknown)


def _nearest(text: str, *, allow_unknown: bool) -> Catalog:
    """The nearest older release, or the error that names the neighbours."""
    known = [release.version for release in versions()]
    try:
        key = version_key(text if text.count(".") > 1 else f"{text}.0")
    except ValueError:
        raise UnsupportedVersionError(
            f"{text!r} is no version of Istio", hint=f"give one such as {newest()} or {minor_of(newest())}"
        ) from None
    older = [version for version in known if version_key(version) < key]
    newer = [version for version in known if version_key(version) > key]
    if allow_unknown and older:
        return _catalog(older[-1])
    near = " and ".join([*older[-1:], *newer[:1]])
    hint = f"nearest known: {near}"
    if older:
        hint += "; --allow-unknown-version takes the older one"
    raise UnsupportedVersionError(f"the catalog does not know Istio {text}", hint=hint)


@lru_cache(maxsize=128)
def _catalog(version: str) -> Catalog:
    return Catalog(next(release for release in versions() if release.version == version))


class Catalog:
    """Everything that is known of one release. Get one from :func:`resolve`."""

    def __init__(self, release: ReleaseInfo) -> None:
        self.release = release
        self.version = release.version
        self._charts: dict[str, ChartFacts] = {}

    def __repr__(self) -> str:
        return f"Catalog({self.version!r})"

    @property
    def provisional(self) -> bool:
        """Whether the facts are those of a release candidate."""
        return self.release.provisional

    @property
    def minor(self) -> str:
        """``1.25``."""
        return self.release.minor

    def chart(self, name: str) -> ChartFacts:
        """The facts of one chart.

        Args:
            name: one of :data:`HELM_CHARTS`, of istioctl's own :data:`ISTIOCTL_CHARTS`, or one of
                :data:`ENDED_CHARTS` that this release still has.

        Raises:
            InternalError: there is no such chart; ask :meth:`has_chart` before.
        """
        if name not in self._charts:
            if not self.has_chart(name):
                raise InternalError(f"Istio {self.version} has no chart {name!r}")
            self._charts[name] = ChartFacts(name, self.version)
        return self._charts[name]

    def has_chart(self, name: str) -> bool:
        """Whether this release has a chart of that name."""
        if name in ENDED_CHARTS:
            return bool(ChartFacts(name, self.version).read_paths)
        return name in HELM_CHARTS + ISTIOCTL_CHARTS

    # -- the profiles inside the charts -------------------------------------------------------------------------------

    @property
    def helm_profiles(self) -> frozenset[str]:
        """Names that the value ``profile`` may have."""
        return names_of(self.version)["profile"]

    @property
    def platforms(self) -> frozenset[str]:
        """Names that ``global.platform`` may have. Before there were platform files, none; then any name passes."""
        return names_of(self.version)["platform"]

    @property
    def compatibility_versions(self) -> frozenset[str]:
        """Names that ``compatibilityVersion`` may have."""
        return names_of(self.version)["compatibilityVersion"]

    def helm_profile(self, name: str) -> dict[str, Any]:
        """The values that ``profile: name`` lays over the defaults; empty when there is no such profile."""
        return self._helm_values("profile", name)

    def platform(self, name: str) -> dict[str, Any]:
        """The values of a platform; empty when there is no such platform."""
        return self._helm_values("platform", name)

    def compatibility(self, name: str) -> dict[str, Any]:
        """The values of a compatibility version; empty when there is no such version."""
        return self._helm_values("compatibilityVersion", name)

    def _helm_values(self, key: str, name: str) -> dict[str, Any]:
        return self._profile(HELM_FILE, PREFIXES[key] + name) if name in names_of(self.version)[key] else {}

    # -- istioctl -----------------------------------------------------------------------------------------------------

    @cached_property
    def istioctl_profiles(self) -> frozenset[str]:
        """Names that ``spec.profile`` may have."""
        return self._names("istioctl-profiles.json")

    @lru_cache(maxsize=64)  # noqa: B019 (catalogs live as long as the program)
    def istioctl_profile(self, name: str) -> Mapping[str, Any] | None:
        """The ``spec`` that a profile stands for: laid over ``default``, as istioctl does. None when there is none."""
        if name not in self.istioctl_profiles:
            return None
        base = self._profile("istioctl-profiles.json", _DEFAULT)
        return base if name == _DEFAULT else merged(base, self._profile("istioctl-profiles.json", name))

    def behaviour(self, name: str) -> bool:
        """Whether istioctl or the charts behave so at this version; the names are those of ``behaviours.json``.

        Raises:
            InternalError: there is no such name.
        """
        try:
            return contains(load("behaviours.json")["behaviours"][name]["versions"], self.version)
        except KeyError:
            raise InternalError(f"there is no behaviour {name!r} in the catalog") from None

    @property
    def workloads(self) -> Mapping[str, Workload]:
        """All workloads by component."""
        return _workloads()

    def workload(self, component: str) -> Workload:
        """The workload of a component.

        Raises:
            InternalError: the component has none (``base``).
        """
        try:
            return _workloads()[component]
        except KeyError:
            raise InternalError(f"the component {component!r} has no workload") from None

    # -- reading the data ---------------------------------------------------------------------------------------------

    def _names(self, file: str) -> frozenset[str]:
        return frozenset(name for name, text in load(file)["names"].items() if contains(text, self.version))

    def _profile(self, file: str, name: str) -> dict[str, Any]:
        table = {}
        for path, pairs in load(file).get(f"profile-{name}", {}).items():
            for text, value in pairs:
                if contains(text, self.version):
                    table[path] = self.version if value == VERSION_MARK else value
                    break
        return from_leaf_table(table)


@lru_cache(maxsize=1)
def _workloads() -> Mapping[str, Workload]:
    known = load("workloads.json")["workloads"]
    return MappingProxyType({component: Workload(component, **entry) for component, entry in known.items()})
