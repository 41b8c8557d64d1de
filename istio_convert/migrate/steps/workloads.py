"""Namespaces ask for the new control plane, and their pods are restarted to get its proxy."""

from __future__ import annotations

from istio_convert.migrate.context import Context
from istio_convert.migrate.injection import namespaces_of
from istio_convert.migrate.model import Command, Step
from istio_convert.migrate.shell import command, line
from istio_convert.migrate.steps import traffic


def steps(context: Context) -> list[Step]:
    """``60-namespaces.sh`` and ``61-restart.sh``."""
    return [_move(context), _restart(context)]


def found_namespaces(context: Context) -> tuple[str, ...] | None:
    """The application namespaces of the old revisions: as asked for, else of the dump; None when not known."""
    if context.options.kube_namespaces:
        return context.options.kube_namespaces
    if context.live is None:
        return None
    return namespaces_of(context.live, context.old_revisions)


def _move(context: Context) -> Step:
    names, revision = found_namespaces(context), context.namespace_revision
    if names is None:
        change = [
            Command(
                f"{line('injected_namespaces', old)} | while read -r namespace; do\n"
                f'  move_namespace "${{namespace#namespace/}}" {line(revision)}\ndone',
                "every namespace that asks for the old control plane; a dump (--live) gives the list beforehand",
            )
            for old in context.old_revisions
        ]
    else:
        change = [command("move_namespace", name, revision) for name in names]
    return Step(
        60,
        "namespaces",
        f"Let the namespaces ask for {revision}",
        (
            ("The label `istio-injection` wins over `istio.io/rev`, so it is removed in the same change. Running "
             "pods keep "
            "their old proxy, which goes on talking to the old istiod; a pod that starts from now on gets the new one. "
            "What was there is remembered in an annotation of the namespace."),
            "To go namespace by namespace, plan again with `--namespace NAME`." if names != () else
            "**The dump has no namespace that asks for the old control plane**, so that there is nothing to do here. "
            "The next step stops if a pod has its proxy all the same.",
        ),
        (
            command(
                "webhook_has_service", "mutatingwebhookconfiguration.admissionregistration.k8s.io", _webhook(context),
                why="the new injector can be called",
            ),
        ),
        tuple(change),
        (),
        tuple(_each(names, "move_namespace_back", "forget_move", why="the labels that were there before")),
    )  # fmt: skip


def _restart(context: Context) -> Step:
    names, revision = found_namespaces(context), context.revision
    if names is None:
        words = line(revision, *_gateways(context))
        text = f'moved_namespaces | while read -r namespace; do\n  restart_injected "$namespace" {words}\ndone'
        change = [Command(text, "one namespace after the other")]
    else:
        change = [command("restart_injected", name, revision, *_gateways(context, name)) for name in names]
    back = _each(names, "move_namespace_back", "restart_back", why="first the labels, then the pods")
    return Step(
        61,
        "restart",
        "Restart the data plane",
        (
            (
                "Workloads are restarted one after the other, each by its own rolling update, until no pod has a "
                "proxy of the old revision. A workload with one replica may be away for a moment: "
                "`./61-restart.sh check` names those."
            ),
        ),
        tuple(_each(names, "one_replica", why="they may be away for a moment: give them a second one first")),
        tuple(change),
        (
            *traffic.unused(context),
            Command("istioctl proxy-status", "every proxy is in sync, at the new version", "has_istioctl"),
        ),
        tuple(back),
        "Pods that are restarted get the old proxy again.",
    )


def _gateways(context: Context, namespace: str = "") -> list[str]:
    """The gateways that are replaced, as ``namespace/name``; those of a namespace when it is known."""
    return [f"{g.namespace}/{g.name}" for g in context.gateways if namespace in ("", g.namespace)]


def _each(names: tuple[str, ...] | None, *functions: str, why: str) -> list[Command]:
    """Functions for each namespace; for those that were moved when the names are not known."""
    if names is not None:
        return [
            command(function, name, why=why if function == functions[0] else "")
            for name in names
            for function in functions
        ]
    body = "\n".join(f'  {function} "$namespace"' for function in functions)
    return [Command(f"moved_namespaces | while read -r namespace; do\n{body}\ndone", why)]


def _webhook(context: Context) -> str:
    if context.options.tag:
        name = f"istio-revision-tag-{context.options.tag}"
    else:
        name = f"istio-sidecar-injector-{context.revision}"
    namespaces = [r.namespace for r in context.stages[0].releases if r.chart == "istiod"]
    outside = [namespace for namespace in namespaces if namespace != "istio-system"]
    return f"{name}-{outside[0]}" if outside else name
