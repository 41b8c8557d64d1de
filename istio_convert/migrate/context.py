"""What every step needs to know, worked out once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from istio_convert.emit.base import EmitOptions, units
from istio_convert.migrate.model import Adoption, Converted, Finding, Removal, Stage, Strategy
from istio_convert.migrate.objects import Known
from istio_convert.migrate.options import Options, revision_of
from istio_convert.migrate.stages import SHARED, gateway_labels, main_workload, object_of, old_revisions
from istio_convert.migrate.targets import TARGETS, Place, Target, home_of
from istio_convert.release import Release


@dataclass(frozen=True, slots=True)
class OldGateway:
    """A gateway of today that a canary replaces.

    Attributes:
        name: its Deployment and Service.
        namespace: where it is.
        labels: what its Service selects.
        release: the second gateway's release, in the first stage.
    """

    name: str
    namespace: str
    labels: dict[str, str]
    release: Release

    @property
    def new_name(self) -> str:
        """The second gateway's name."""
        return object_of(self.release)


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that the steps are made from.

    Attributes:
        conversion: the operators as they are.
        options: how to go over.
        emit: how the releases are written.
        stages: the sets of releases.
        findings: what was found.
        adoptions, removals: what changes hands, what goes; None when not known.
        live: the dump; None when there is none.
        operators: (namespace, name) of the planned IstioOperators.
        others: those of the dump that are not planned: frozen along, and never removed.
        left: objects with an operator's labels that no planned operator is known to own: they stay.
        gateways: the gateways that a canary replaces; empty in place.
        copies: the operators' files by the names that they were given with -> their copies in the plan's folder.
    """

    conversion: Converted
    options: Options
    emit: EmitOptions
    stages: tuple[Stage, ...]
    findings: tuple[Finding, ...]
    adoptions: tuple[Adoption, ...] | None
    removals: tuple[Removal, ...] | None
    live: Sequence[Known] | None
    operators: tuple[tuple[str, str], ...]
    others: tuple[tuple[str, str], ...]
    left: tuple[Known, ...]
    gateways: tuple[OldGateway, ...]
    copies: Mapping[str, str] = field(default_factory=dict)

    @property
    def canary(self) -> bool:
        """Whether there is a second control plane."""
        return self.options.strategy is Strategy.CANARY

    @property
    def frozen(self) -> tuple[tuple[str, str], ...]:
        """All IstioOperators that are known to be in the cluster."""
        return tuple(sorted({*self.operators, *self.others}))

    @property
    def target(self) -> Target:
        """The tool that owns the releases."""
        return TARGETS[self.options.target]

    @property
    def revision(self) -> str:
        """The new revision of a canary."""
        return revision_of(self.options, self.conversion.version)

    @property
    def namespace_revision(self) -> str:
        """What namespaces name: the tag when there is one."""
        return self.options.tag or self.revision

    @property
    def old_revisions(self) -> tuple[str, ...]:
        """The revisions of today; ``default`` for none."""
        return old_revisions(self.conversion)

    @property
    def shared(self) -> tuple[str, ...]:
        """The charts that take over in place what there is once per cluster, also in a canary."""
        charts = [release.chart for release in self.stages[0].releases if release.chart in SHARED]
        return tuple(dict.fromkeys(charts))

    def is_new(self, release: Release) -> bool:
        """Whether the dump lacks the workload of a release that takes over in place."""
        workload = main_workload(release)
        if self.live is None or workload is None:
            return False
        return not any(
            (item.resource, item.id.name) == workload and item.id.namespace == release.namespace for item in self.live
        )

    def places(self, stage: Stage) -> list[Place]:
        """The releases of a stage with what their commands need, in order."""
        home = home_of(stage, self.emit)
        source = f"releases/{stage.name}/flux/source.yaml" if self.options.target == "flux" else ""
        return [
            Place(stage, unit, home, self.emit, source if number == 0 else "")
            for number, unit in enumerate(units(stage.releases))
        ]


def old_gateways(conversion: Converted, stages: Sequence[Stage]) -> tuple[OldGateway, ...]:
    """The gateways of today, each with the release that replaces it in a canary."""
    if len(stages) == 1:
        return ()
    old = [release for release in conversion.releases if release.chart == "gateway"]
    new = [release for release in stages[0].releases if release.chart == "gateway"]
    return tuple(
        OldGateway(object_of(before), before.namespace, gateway_labels(before), after)
        for before, after in zip(old, new, strict=True)
    )
