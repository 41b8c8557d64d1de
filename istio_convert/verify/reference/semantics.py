"""What changed in istioctl between the releases, as data.

Read off operator/pkg of the release tags. Of istioctl up to 1.23, which had another implementation, this models what
differs for the objects that are applied: service ports merged by port and protocol, ``replicaCount`` left out beside
an enabled autoscaler, and errors for overlays that match nothing. Two of its habits are not modelled: it turned values
such as ``pilot.env`` into ``k8s`` settings before rendering (the charts read the same values), and it merged a user's
list of gateways into the profile's by name.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from istio_convert.verify.charts.layout import final_version, version_key


@dataclass(frozen=True, slots=True)
class Semantics:
    """How one istioctl treats what others treat otherwise.

    Attributes:
        feeds_autoscaling: ``hpaSpec.min/maxReplicas`` and ``replicaCount`` of Deployments also become chart values.
        feeds_cpu: so does the CPU of ``k8s.resources``.
        set_all_equals: a ``--set`` value may hold equals signs.
        drops_min_available: ``maxUnavailable`` of a PodDisruptionBudget drops the chart's ``minAvailable``.
        merges_ports_by_protocol: service ports are merged by port and protocol; else a gateway's are replaced and the
            others merged by port.
        replicas_yield: ``replicaCount`` is left out where values switch the autoscaler on.
        strict_overlays: an overlay that matches no object, or a path that cannot be walked, is an error.
        old_component_state: the charts hear of CNI as ``istio_cni.enabled``, not ``pilot.cni.enabled``, and of the
            base component as ``global.enabled`` and ``global.namespace``, which no template reads.
        values_win: the user's ``spec.values`` win over fields of the spec, ``meshConfig`` too; later istioctl writes
            the fields into the user's own maps and so lets the spec win there.
        keeps_value_labels: a gateway without a ``label`` keeps the labels that ``values.gateways`` gives it.
        has_remote: there is a component ``istiodRemote``; later istioctl passes over it.
    """

    feeds_autoscaling: bool = False
    feeds_cpu: bool = False
    set_all_equals: bool = False
    drops_min_available: bool = True
    merges_ports_by_protocol: bool = False
    replicas_yield: bool = False
    strict_overlays: bool = False
    old_component_state: bool = False
    values_win: bool = False
    keeps_value_labels: bool = False
    has_remote: bool = False


@dataclass(frozen=True, slots=True)
class _Change:
    """From ``since`` on, below ``until``, these fields have these values."""

    since: str
    until: str
    settings: dict[str, Any]


_CHANGES = (
    _Change(
        "0.0.0",
        "1.24.0",
        {
            "merges_ports_by_protocol": True,
            "replicas_yield": True,
            "strict_overlays": True,
            "old_component_state": True,
            "values_win": True,
            "keeps_value_labels": True,
        },
    ),
    _Change("0.0.0", "1.26.0", {"has_remote": True}),
    _Change("1.24.0", "1.24.2", {"drops_min_available": False}),
    _Change("1.28.8", "1.29.0", {"feeds_autoscaling": True}),
    _Change("1.31.0", "", {"feeds_autoscaling": True, "feeds_cpu": True, "set_all_equals": True}),
)


def semantics_of(version: str) -> Semantics:
    """The semantics of the istioctl of a release.

    Raises:
        VerifyError: the text is no release version.
    """
    key = version_key(final_version(version))
    settings: dict[str, Any] = {}
    for change in _CHANGES:
        if version_key(change.since) <= key and (not change.until or key < version_key(change.until)):
            settings |= change.settings
    known = {field.name for field in fields(Semantics)}
    return Semantics(**{name: value for name, value in settings.items() if name in known})
