"""Objects change hands: off with the operator's owner labels, on with Helm's, object by object."""

from __future__ import annotations

from istio_convert.migrate.context import Context
from istio_convert.migrate.model import Adoption, Command, Step
from istio_convert.migrate.shell import command, line, listed
from istio_convert.migrate.targets import Adopting


def step(context: Context) -> Step:
    """``20-adopt.sh``."""
    labels = context.target.adopting is Adopting.LABELS
    if context.adoptions is None:
        return _unknown(context)
    change = [_change(item, labels=labels) for item in context.adoptions]
    kept = [
        command("detach", "service", gateway.name, gateway.namespace, why="it stays, and moves to the new gateway")
        for gateway in context.gateways
        if context.options.traffic == "selector"
    ]  # fmt: skip
    words = [_bound_name(item) for item in context.adoptions]
    after = [Command(listed("not_bound", *words), "the operator can prune none of them")] if words else []
    rollback = [
        command("unadopt", item.resource, item.name, *_in(item), folded=True) for item in context.adoptions if labels
    ]
    return Step(
        20,
        "adopt",
        "Adopt",
        (
            (
                f"{len(context.adoptions)} objects change hands, taken from the rendered manifests. The operator "
                "finds what it may prune by labels, and neither the gateway chart nor base overwrites those: an "
                "adopted gateway that keeps them goes when the IstioOperator is deleted."
            ),
            _ADOPTING[context.target.adopting],
        ),
        (Command("no_controller_runs", "a controller would put its labels back"),),
        (*change, *kept),
        tuple(after),
        tuple(rollback),
        "Its own labels come back with the operator that runs again, or with the old istioctl.",
    )


_ADOPTING = {
    Adopting.LABELS: (
        "Helm takes over what carries its label and both annotations, with the right release and namespace. They are "
        "set here and not by `--take-ownership`, so that an object outside this list stops Helm instead of changing "
        "hands unseen."
    ),
    Adopting.SELF: (
        "Helm's label and annotations are not set: helm-controller takes over by itself with its first apply."
    ),
    Adopting.TRACKING: (
        "Helm's label and annotations are not set: Argo CD has no Helm releases. It adds its tracking with its sync."
    ),
}


def _unknown(context: Context) -> Step:
    pull = line("istio-convert", "charts", "pull", context.conversion.version)
    return Step(
        20,
        "adopt",
        "Adopt",
        (
            ("The list of objects is **not known**: it comes from the rendered manifests, and the charts of "
            f"{context.conversion.version} were not at hand. Run `{pull}` and plan again."),
        ),
        (
            command(
                "fail", f"no list of objects: run '{pull}' (or --charts PATH) and plan again",
                why="nothing after this step is safe without the list",
            ),
        ),
    )  # fmt: skip


def _change(item: Adoption, *, labels: bool) -> Command:
    release = (item.release, item.release_namespace) if labels else ()
    return command("adopt" if labels else "detach", *release, item.resource, item.name, *_in(item), folded=True)


def _in(item: Adoption) -> tuple[str, ...]:
    return (item.namespace,) if item.namespace else ()


def _bound_name(item: Adoption) -> str:
    """As ``bound`` in lib.sh writes it."""
    return f"{item.namespace}/{item.resource.partition('.')[0]}/{item.name}"
