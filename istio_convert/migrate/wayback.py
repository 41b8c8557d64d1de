"""Who puts the old objects back after a rollback: the in-cluster operator, or a person with the old istioctl."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

from istio_convert.catalog.ranges import version_key
from istio_convert.migrate.context import Context
from istio_convert.migrate.model import Command, Converted, Finding, Level
from istio_convert.migrate.objects import Known
from istio_convert.migrate.options import Options
from istio_convert.migrate.shell import command, line

#: The first minor release without an in-cluster operator.
_WITHOUT = 24
_CONTAINER = "istio-operator"


class Controller(Enum):
    """The in-cluster operator of today."""

    RUNS = "runs"
    STOPPED = "stopped"
    NONE = "none"
    UNKNOWN = "unknown"


def controller(source: str, live: Sequence[Known] | None) -> Controller:
    """Whether an in-cluster operator keeps the mesh, as far as release and dump tell."""
    if version_key(source)[1] >= _WITHOUT:
        return Controller.NONE
    if live is None:
        return Controller.UNKNOWN
    found = _deployments(live)
    if not found:
        return Controller.NONE
    return Controller.STOPPED if all(item.get("spec", "replicas") == 0 for item in found) else Controller.RUNS


def _deployments(live: Iterable[Known]) -> list[Known]:
    return [
        item
        for item in live
        if item.id.kind == "Deployment"
        and any(
            isinstance(one, dict) and one.get("name") == _CONTAINER
            for one in item.get("spec", "template", "spec", "containers") or ()
        )
    ]


def findings(conversion: Converted, options: Options, live: Sequence[Known] | None) -> list[Finding]:
    """What a person needs at hand for the way back."""
    state = controller(options.source_version, live)
    by_hand = f"the istioctl of {options.source_version} and the files of the operator"
    run = f"after rollback.sh run {', then '.join(_commands(conversion))}, with the --set flags of before"
    if state is Controller.NONE:
        text = "No in-cluster operator keeps this mesh: the way back ends with istioctl, which no script runs."
        return [Finding("no-controller", Level.WARNING, text, f"Keep {by_hand} at hand; {run}.")]
    if state is Controller.STOPPED:
        text = (
            "The in-cluster operator stands at 0 replicas, and no script starts it: a rollback alone puts nothing back."
        )
        action = f"Start it yourself after rollback.sh, or keep {by_hand} at hand and {run}."
        objects = tuple(f"Deployment {item.id.namespace}/{item.id.name}" for item in _deployments(live or ()))
        return [Finding("stopped-controller", Level.WARNING, text, action, objects)]
    return []


def note(context: Context) -> str:
    """How the objects of a release that lets go become the old ones again."""
    shown = ", then ".join(f"`{text}`" for text in _commands(context.conversion))
    by_hand = f"the istioctl of {context.options.source_version} puts the old ones back: {shown}"
    return {
        Controller.RUNS: "until the operator reconciles them (rollback of step 10).",
        Controller.STOPPED: f"until you start the operator after the rollback of step 10, or {by_hand}.",
        Controller.NONE: f"until, after the rollback of step 10, {by_hand}.",
        Controller.UNKNOWN: f"until the operator reconciles them (rollback of step 10) or, where none runs, {by_hand}.",
    }[controller(context.options.source_version, context.live)]


def last(context: Context) -> Command:
    """What the way back ends with: what is still to do by hand."""
    return command(
        "still_by_hand", context.options.source_version, *_commands(context.conversion),
        why="what puts the old objects back, when no operator runs",
    )  # fmt: skip


def _commands(conversion: Converted) -> list[str]:
    """One call of istioctl for each operator, with the files as they were given."""
    files = [tuple(dict.fromkeys(d.document.file for d in operator.documents)) for operator in conversion.operators]
    found = []
    for operator, names in zip(conversion.operators, files, strict=True):
        text = line("istioctl", "install", *(word for name in names for word in ("-f", name)))
        shared = any(name in other for name in names for other in files if other is not names)
        found.append(f"{text} (of that file only {operator.title})" if shared else text)
    return found
