"""The plan as data: findings, steps and commands. Scripts, runbook and JSON are written from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from istio_convert.ledger import ClosedLedger
from istio_convert.operator.effective import Effective
from istio_convert.release import Release


class Level(str, Enum):
    """How much a finding matters. The order is the order of severity."""

    BLOCKER = "blocker"  # the preflight script stops at it until it is accepted by name
    WARNING = "warning"
    NOTE = "note"


class Strategy(str, Enum):
    """How the control plane changes hands."""

    IN_PLACE = "in-place"
    CANARY = "canary"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a person should know before the first step.

    Attributes:
        id: stable name of the check.
        level: how much it matters.
        text: what is so.
        action: what to do about it.
        objects: the objects that it is about, as ``Kind namespace/name``.
        differences: what differs in which of them, where a check compares: the object, a colon, what it is.
    """

    id: str
    level: Level
    text: str
    action: str
    objects: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()

    @property
    def details(self) -> tuple[str, ...]:
        """What it is about, as exactly as it is known."""
        return self.differences or self.objects


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a step, as it stands in the script and in the runbook.

    Attributes:
        text: shell, everything quoted; may have several lines.
        why: one line, the comment above it.
        guard: a shell condition; without it holding the command is not run (what it changes is not there, or done).
        folded: one of many alike; the runbook shows such commands folded.
    """

    text: str
    why: str = ""
    guard: str = ""
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One numbered script.

    Attributes:
        number: two digits; scripts run in this order.
        name: what it does, as a file name (``adopt``).
        title: the same for people.
        why: what happens and why, paragraphs of Markdown.
        before: checks that fail when the step must not run; they change nothing.
        change: the change; may be run again at any time.
        after: checks that fail when the change did not work.
        rollback: back to the state before the step.
        rollback_note: what the way back does not restore, or why there is nothing to do.
    """

    number: int
    name: str
    title: str
    why: tuple[str, ...]
    before: tuple[Command, ...] = ()
    change: tuple[Command, ...] = ()
    after: tuple[Command, ...] = ()
    rollback: tuple[Command, ...] = ()
    rollback_note: str = ""

    @property
    def script(self) -> str:
        """File name of the script."""
        return f"{self.number:02d}-{self.name}.sh"

    @property
    def parts(self) -> tuple[tuple[str, tuple[Command, ...]], ...]:
        """The four parts by their names in the scripts."""
        return (
            ("before", self.before),
            ("change", self.change),
            ("after", self.after),
            ("rollback", self.rollback),
        )


@dataclass(frozen=True, slots=True)
class Adoption:
    """One object that changes hands.

    Attributes:
        release: the release that owns it afterwards.
        release_namespace: the release's namespace.
        resource: what kubectl calls its kind, with the group: ``deployment.apps``.
        name: its name.
        namespace: its namespace; empty for cluster-scoped kinds.
    """

    release: str
    release_namespace: str
    resource: str
    name: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """A set of releases that is applied together: ``beside`` (canary only), then ``final``."""

    name: str
    releases: tuple[Release, ...]


@dataclass(frozen=True, slots=True)
class Removal:
    """One object that the migration leaves without an owner, and that the last step deletes."""

    resource: str
    name: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Incident:
    """What to run when something breaks.

    Attributes:
        when: what is so.
        run: the commands, one after the other.
        effect: what they do.
    """

    when: str
    run: tuple[str, ...]
    effect: str


@dataclass(slots=True)
class Plan:
    """The migration.

    Attributes:
        source_version, version: from and to.
        strategy, target: as asked for.
        findings: blockers first.
        steps: in order.
        stages: the sets of releases.
        adoptions: the objects that change hands; None when no charts were at hand to know them.
        removals: what is deleted at the end; None when neither a dump of the cluster nor the old charts were at hand.
        never: commands that must not be run any more, with the reason.
        hand_over: notes for the time after.
        incidents: what to run when something breaks.
        copies: (path, text) of the operators' files as they were given, for the way back by istioctl.
        cluster: the UID of ``kube-system`` in the dump, which tells clusters apart; empty when it is not known.
    """

    source_version: str
    version: str
    strategy: Strategy
    target: str
    findings: tuple[Finding, ...]
    steps: tuple[Step, ...]
    stages: tuple[Stage, ...]
    adoptions: tuple[Adoption, ...] | None
    removals: tuple[Removal, ...] | None
    never: tuple[tuple[str, str], ...] = ()
    hand_over: tuple[str, ...] = ()
    incidents: tuple[Incident, ...] = ()
    copies: tuple[tuple[str, str], ...] = ()
    cluster: str = ""

    @property
    def blockers(self) -> tuple[Finding, ...]:
        """The findings that the preflight stops at."""
        return tuple(finding for finding in self.findings if finding.level is Level.BLOCKER)


class Converted(Protocol):
    """What a plan needs of a conversion."""

    @property
    def version(self) -> str:
        """Version of the charts."""

    @property
    def releases(self) -> Sequence[Release]:
        """The releases in order."""

    @property
    def operators(self) -> Sequence[Effective]:
        """The operators after merging."""

    @property
    def ledger(self) -> ClosedLedger:
        """What became of every field."""
