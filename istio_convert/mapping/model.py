"""What a mapping rule is, and what it returns.

A rule is one readable entry of a table: an id, where the field stands in the operator, where it can live in the values
of the chart, where it can live in the rendered manifest, why, and an example that runs as a test. The engine chooses
the value when the chart at the target version reads it with exactly that effect, otherwise the patch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from istio_convert.operator.merge import Override
from istio_convert.paths import Path
from istio_convert.source.nodes import Leaf, Node

#: one step of a manifest path: a map key, or an element of a list by its merge key
ManifestStep: TypeAlias = "str | tuple[str, str]"
ManifestPath: TypeAlias = tuple[ManifestStep, ...]

#: stands for the component's main container in a manifest path
CONTAINER = ("name", "*")

POD = ("spec", "template", "spec")
IN_CONTAINER: ManifestPath = (*POD, "containers", CONTAINER)


def in_text(path: ManifestPath) -> Path:
    """A manifest path as the skeleton writes it."""
    return tuple(f"[{step[0]}:{step[1]}]" if isinstance(step, tuple) else step for step in path)


@dataclass(frozen=True, slots=True)
class Example:
    """A conversion in small: part of an operator's spec, and what must come of it.

    Attributes:
        spec: YAML of the spec.
        to: target version.
        release: release to look at.
        values: values that the release must hold (among others).
        patch: strategic merge patch body that a patch of ``kind`` must hold (among others).
        kind: kind of the patched object.
        outcome: outcome of the leaf at ``leaf``, when the point is an outcome.
        leaf: path of the leaf inside the spec.
    """

    spec: str
    to: str = "1.25.3"
    release: str = "istiod"
    values: Mapping[str, Any] | None = None
    patch: Any = None
    kind: str = "Deployment"
    outcome: str = ""
    leaf: str = ""


@dataclass(frozen=True, slots=True)
class Converted:
    """A field split into what the values carry and what only a patch carries. Either may be None.

    Attributes:
        value: what the values carry.
        patch: what only a patch carries.
        unequal: leaves of it that are for a person, as neither does what istioctl does.
        overridden: leaves that others of the same field replace.
    """

    value: Node | None = None
    patch: Node | None = None
    unequal: tuple[Leaf, ...] = ()
    overridden: tuple[Override, ...] = ()


Converter: TypeAlias = Callable[[Node, "Facts"], Converted]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a converter may ask about the chart at the target version.

    Attributes:
        template_env: names of environment variables that the chart's template sets itself.
        singled_out_env: names that the chart reads one by one from its ``env`` value, for other purposes too.
        reads: whether the chart reads a values path.
    """

    template_env: frozenset[str]
    singled_out_env: frozenset[str]
    reads: Callable[[tuple[str, ...]], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of the table.

    Attributes:
        id: stable identifier, used in reports, allow lists and docs.
        source: pattern of the operator's path.
        why: why the mapping is what it is.
        example: a running example.
        value: the chart's values path in words, empty when there is none.
        manifest: the manifest place in words, empty when there is none.
    """

    id: str
    source: str
    why: str
    example: Example | None = None
    value: str = ""
    manifest: str = ""


@dataclass(frozen=True, slots=True)
class Slot(Rule):
    """A field of ``components.<component>.k8s`` that is one place of a rendered object.

    Attributes:
        k8s_field: path below ``k8s``.
        kind: kind of the object; ``workload`` stands for the component's Deployment or DaemonSet.
        path: manifest path in that object.
        values: component -> values path of its chart.
        convert: splits the field into value and patch; None when the field is the value as it stands.
        probe: a setting of the value, used to measure at each version that it moves just this place.
        given: values of the chart that are in force while measuring.
        absent: kind of workload that has no such field -> what to do instead. istioctl writes the field all the same.
    """

    k8s_field: tuple[str, ...] = ()
    kind: str = "workload"
    path: ManifestPath = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    convert: Converter | None = None
    probe: Any = None
    given: Mapping[str, Any] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GatewaySlot(Rule):
    """A place of the objects that istioctl renders for a gateway, and the gateway chart's value for it.

    Attributes:
        kind: Deployment, Service, HorizontalPodAutoscaler, PodDisruptionBudget or ServiceAccount.
        path: manifest path in that object.
        value_path: path in the gateway chart's values; empty when the chart has none.
        convert: splits what is there into value and patch; None when the value is what is there.
        provided: what istioctl's chart puts here by itself comes from injection under Helm, so it is not carried.
        only_without: the value counts only when the gateway has no object of this kind.
        only_when: a values path and what must be in force there for the chart to read the value at all.
        decides_budget: from some release on the chart renders a PodDisruptionBudget only when the value is above 1.
        explicit: written even when it equals the chart's default (a live object depends on it).
        probe: a setting of the value, used to measure at each version that it moves just this place.
        given: values of the chart that are in force while measuring.
    """

    kind: str = "Deployment"
    path: ManifestPath = ()
    value_path: tuple[str, ...] = ()
    convert: Converter | None = None
    provided: bool = False
    explicit: bool = False
    only_without: str = ""
    only_when: tuple[tuple[str, ...], object] | None = None
    decides_budget: bool = False
    probe: Any = None
    given: Mapping[str, Any] = field(default_factory=dict)
