"""The result of a conversion: Helm releases with their values and their patches. It knows no output format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from istio_convert.source.nodes import Mapping, to_data


class Target(NamedTuple):
    """The one object that a patch is for.

    ``namespace`` is None for cluster-scoped kinds.
    """

    group: str
    version: str
    kind: str
    name: str
    namespace: str | None

    @property
    def api_version(self) -> str:
        """Group and version as manifests write them: ``apps/v1``, ``v1``."""
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(frozen=True, slots=True)
class Patch:
    """One Kustomize patch.

    Attributes:
        target: the object.
        body: a dict is a strategic merge patch **without** apiVersion, kind and metadata.name/namespace, which the
            emitter adds; it may hold ``metadata`` with labels or annotations, and Kustomize's ``$patch`` directives.
            A list is a JSON 6902 patch.
        why: short reasons, one a line, shown as a comment above the patch.
    """

    target: Target
    body: dict[str, Any] | list[dict[str, Any]]
    why: tuple[str, ...] = ()


@dataclass(slots=True)
class Release:
    """One Helm release.

    Attributes:
        name: release name.
        chart: ``base``, ``istiod``, ``istiod-remote`` (up to 1.23), ``cni``, ``ztunnel`` or ``gateway``.
        version: chart version, such as ``1.25.3``.
        namespace: where it is installed.
        component: the operator's component: ``base``, ``istiodRemote``, ``pilot``, ``cni``, ``ztunnel``,
            ``ingressGateways`` or ``egressGateways``.
        values: what the user gives the chart; each leaf keeps its origin.
        patches: applied in this order after rendering.
        depends_on: names of releases that must be ready before.
        skip_schema: the chart's values schema of this version refuses everything under current Helm.
        notes: remarks for the person who applies it.
    """

    name: str
    chart: str
    version: str
    namespace: str
    component: str
    values: Mapping = field(default_factory=Mapping)
    patches: list[Patch] = field(default_factory=list)
    depends_on: list[str] = field(default_factory=list)
    skip_schema: bool = False
    notes: list[str] = field(default_factory=list)

    def values_data(self) -> dict[str, Any]:
        """The values as plain data."""
        data: dict[str, Any] = to_data(self.values)
        return data
