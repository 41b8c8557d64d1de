"""What to run when something breaks on the way: for the person on call, who has not read the runbook."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.migrate import wayback
from istio_convert.migrate.context import Context
from istio_convert.migrate.model import Incident, Step

#: Numbers of the steps, by what they change.
_TRAFFIC, _PODS, _REMOVE = range(50, 60), range(60, 70), range(80, 90)


def incidents(context: Context, steps: Sequence[Step]) -> tuple[Incident, ...]:
    """The ways back, the shortest first.

    Args:
        context: the plan's.
        steps: its steps.
    """
    return (*(_of_canary(context, steps) if context.canary else ()), *_of_everything(context, steps))


def _of_canary(context: Context, steps: Sequence[Step]) -> list[Incident]:
    found = []
    traffic, pods = _ends(steps, _TRAFFIC), _ends(steps, _PODS)
    if traffic:
        found.append(
            Incident(
                f"requests fail since step {traffic[0]} or a later one",
                (f"./rollback.sh {traffic[1]} {traffic[0]}",),
                "Traffic goes back to the old gateways, whose pods run until step 80. Nothing else moves.",
            )
        )
    if pods:
        found += [
            Incident(
                f"pods fail since step {pods[0]} or {pods[1]}",
                (f"./rollback.sh {pods[1]} {pods[0]}",),
                "The namespaces ask for the old control plane again, and their workloads restart.",
            ),
            Incident(
                "something fails since step 70",
                (f"./rollback.sh 70 {pods[0]}",),
                "The same, after the default revision has gone back.",
            ),
        ]
    if context.removals:
        first = traffic[0] if traffic else pods[0] if pods else 70
        found.append(
            Incident(
                "something fails since step 80",
                (f"./rollback.sh 80 {first}",),
                "The old control plane and gateways are created again from backup/removed; when they are ready, the "
                "default, the pods and the traffic go back to them.",
            )
        )
    return found


def _of_everything(context: Context, steps: Sequence[Step]) -> list[Incident]:
    last = max(step.number for step in steps if step.number < _REMOVE.start)
    return [
        Incident(
            "everything has to go back",
            (f"./rollback.sh {last}", *wayback.by_hand(context)),
            f"With {last} replaced by the last step that was run, whether or not it ended: it and every step before it "
            f"are undone, the last one first. {wayback.ending(context)}",
        ),
        Incident(
            "only the step that has just run has to go back",
            ("./NN-….sh rollback",),
            "NN-….sh is the script of that step.",
        ),
    ]


def _ends(steps: Sequence[Step], numbers: range) -> tuple[int, int] | None:
    """The first and the last step of a range."""
    found = [step.number for step in steps if step.number in numbers]
    return (min(found), max(found)) if found else None
