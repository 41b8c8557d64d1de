"""Who puts the old objects back after a rollback: the in-cluster operator, or a person with the old istioctl."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import count

from istio_convert.catalog.ranges import version_key
from istio_convert.migrate.context import Context
from istio_convert.migrate.model import Command, Finding, Level
from istio_convert.migrate.objects import Known
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


def findings(context: Context) -> list[Finding]:
    """What a person needs at hand for the way back."""
    source = context.options.source_version
    state = controller(source, context.live)
    kept = f"the istioctl of {source} and the files of the operator"
    kept += " (copies are in operator/)" if context.copies else ""
    run = f"after rollback.sh run {', then '.join(_commands(context))}, with the --set flags of before"
    back = _OF_CANARY.format(_shared(context)) if context.canary else ""
    if state is Controller.NONE:
        text = (
            "No in-cluster operator keeps this mesh"
            + (f". {back} by istioctl" if back else ": the way back ends with istioctl")
            + ", which no script runs."
        )
        level = Level.NOTE if context.canary else Level.WARNING
        return [Finding("no-controller", level, text, f"Keep {kept} at hand; {run}.")]
    if state is Controller.STOPPED:
        text = "The in-cluster operator stands at 0 replicas, and no script starts it" + (
            f". {back} by it." if back else ": a rollback alone puts nothing back."
        )
        action = f"Start it yourself after rollback.sh, or keep {kept} at hand and {run}."
        objects = tuple(f"Deployment {item.id.namespace}/{item.id.name}" for item in _deployments(context.live or ()))
        return [Finding("stopped-controller", Level.WARNING, text, action, objects)]
    return []


_OF_CANARY = (
    "The old control plane and gateways run until step 80, and rollback.sh alone brings traffic and pods back to them; "
    "only what is taken over in place ({}) is put back"
)


def note(context: Context) -> str:
    """How the objects of a release that lets go become the old ones again."""
    shown = ", then ".join(f"`{text}`" for text in _commands(context))
    kept = f"the istioctl of {context.options.source_version} puts the old ones back: {shown}"
    back = {
        Controller.RUNS: "until the operator reconciles them (rollback of step 10).",
        Controller.STOPPED: f"until you start the operator after the rollback of step 10, or {kept}.",
        Controller.NONE: f"until, after the rollback of step 10, {kept}.",
        Controller.UNKNOWN: f"until the operator reconciles them (rollback of step 10) or, where none runs, {kept}.",
    }[controller(context.options.source_version, context.live)]
    return f"and serve the old control plane too, {back}" if context.canary else back


def last(context: Context) -> Command:
    """What the way back ends with: what is still to do by hand."""
    what = "the objects"
    if context.canary:
        what = f"the objects of {_shared(context)} (the old control plane and gateways run as before)"
    return command(
        "still_by_hand", context.options.source_version, what, *_commands(context),
        why="what puts the old objects back, when no operator runs",
    )  # fmt: skip


def by_hand(context: Context) -> tuple[str, ...]:
    """The commands that end the way back, when it is known that no operator runs and that nothing runs on."""
    alone = controller(context.options.source_version, context.live) is Controller.NONE
    return tuple(_commands(context)) if alone and not context.canary else ()


def ending(context: Context) -> str:
    """Who puts the old objects back, in a sentence."""
    source = context.options.source_version
    if context.canary:
        return (
            "Traffic and pods are with the old control plane then, and the second one is gone; "
            f"the objects of {_shared(context)} stay at {context.conversion.version} until somebody follows the last "
            "lines that it prints."
        )
    return {
        Controller.RUNS: f"Then the operator puts the objects of {source} back.",
        Controller.STOPPED: f"Then start the operator, which puts the objects of {source} back.",
        Controller.NONE: f"Then run istioctl, that of {source}, with the --set flags of before: it puts the objects of "
        f"{source} back.",
        Controller.UNKNOWN: f"Then the operator puts the objects of {source} back; where none runs, it prints the "
        "istioctl commands that do.",
    }[controller(source, context.live)]


def copies(sources: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Name as given -> (path in the plan's folder, text) of every operator file.

    Args:
        sources: (name, text) of the files.
    """
    found: dict[str, tuple[str, str]] = {}
    for name, text in sources:
        base = re.sub(r"\.(ya?ml|json)$", "", name.replace("\\", "/").rpartition("/")[2], flags=re.I)
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", base).strip("-.") or "operator"
        taken = {path for path, _ in found.values()}
        path = next(p for n in count(1) if (p := f"operator/{stem}{f'-{n}' if n > 1 else ''}.yaml") not in taken)
        found.setdefault(name, (path, text))
    return found


def _shared(context: Context) -> str:
    *others, last_ = context.shared or ("nothing",)
    return f"{', '.join(others)} and {last_}" if others else last_


def _commands(context: Context) -> list[str]:
    """One call of istioctl for each operator, with the copies of its files, or with the files as they were given."""
    operators = context.conversion.operators
    files = [tuple(dict.fromkeys(d.document.file for d in operator.documents)) for operator in operators]
    found = []
    for operator, names in zip(operators, files, strict=True):
        text = line("istioctl", "install", *(word for n in names for word in ("-f", context.copies.get(n, n))))
        shared = any(name in other for name in names for other in files if other is not names)
        found.append(f"{text} (of that file only {operator.title})" if shared else text)
    return found
