"""The operator goes: finalizer, what it left behind, its resource, its controller, its definition last."""

from __future__ import annotations

from dataclasses import replace

from istio_convert.migrate.context import Context
from istio_convert.migrate.model import Command, Step
from istio_convert.migrate.options import split_name
from istio_convert.migrate.shell import TIMEOUT, command, line, present
from istio_convert.migrate.stages import main_workload
from istio_convert.migrate.steps import traffic
from istio_convert.migrate.steps.after import changed_hands
from istio_convert.migrate.steps.freeze import OPERATORS
from istio_convert.migrate.targets import Adopting

_VALIDATOR = ("validatingwebhookconfiguration.admissionregistration.k8s.io", "istiod-default-validator")


def step(context: Context) -> Step:
    """``80-remove-operator.sh``."""
    before = [
        command("no_controller_runs", why="a running one would prune what the deletion leaves it"),
        command("all_operators_frozen"),
    ]
    if context.canary:
        before += traffic.unused(context, removed=True)
        before += [
            command("no_tags_of", old, why="its namespaces would ask for what is gone") for old in context.old_revisions
        ]
        before += traffic.moved(context)
        before.append(command("webhook_calls", *_VALIDATOR, f"istiod-{context.revision}", why="the default has moved"))
    before += _taken_over(context)
    if context.removals is None:
        before.append(
            command(
                "fail", "no list of what to remove: plan again with --live backup/live.yaml",
                why="nothing is deleted by a pattern",
            )
        )  # fmt: skip
    change: list[Command] = [*_application(context)]
    for namespace, name in context.operators:
        change.append(
            command(
                "kubectl", "patch", OPERATORS, name, "--namespace", namespace, "--type=merge",
                "--patch", '{"metadata":{"finalizers":null}}',
                why="no controller is left to take its finalizer off; a deletion that hangs ends here",
                guard=present(OPERATORS, name, namespace),
            )
        )  # fmt: skip
    removed = [
        command("remove", item.resource, item.name, *((item.namespace,) if item.namespace else ()), folded=False)
        for item in context.removals or ()
    ]
    change += traffic.last_target_group(context)
    change += removed
    change += [
        command("remove", OPERATORS, name, namespace, why="frozen and without finalizer: nothing is pruned")
        for namespace, name in context.operators
    ]
    change.append(command("remove_controllers", why="Deployment, Service, ServiceAccount, RBAC of each"))
    change.append(command("remove_operator_crd", why="last, and only when no IstioOperator is left"))
    back = [
        command("restore_all", why="everything that this script deleted, from backup/removed; still frozen"),
        *_running(context),
        *traffic.both_target_groups(context),
    ]
    return Step(
        80,
        "remove-operator",
        "Remove the operator" + (" and the old control plane" if context.canary else ""),
        (
            _what(context),
            (
                "The namespace of the operator stays; delete it when nothing else is in it. Definitions of Istio "
                "stay: they belong to base, and deleting one deletes every resource of its kind."
            ),
        ),
        tuple(before),
        tuple(change),
        tuple(
            command("absent", OPERATORS, name, "--namespace", namespace, why="it is gone")
            for namespace, name in context.operators
        ),
        tuple(back),
        "Objects come back with new UIDs and without their status.",
    )


def _running(context: Context) -> list[Command]:
    """Waits for the workloads that came back: the ways back of the steps below send traffic and pods to them."""
    waits = [
        command(
            "wait_for", "kubectl", "rollout", "status", item.resource, item.name, "--namespace", item.namespace, TIMEOUT
        )
        for item in context.removals or ()
        if item.resource in ("deployment.apps", "daemonset.apps")
    ]
    if waits:
        waits[0] = replace(waits[0], why="the steps before send traffic and pods back to it")
    return waits


def _taken_over(context: Context) -> list[Command]:
    """Checks that the releases have run: what they took over has its owner, and their workloads are there.

    Before that, what no release renders is still in use: a Role of the old gateway, say.
    """
    checks = [context.target.there(place) for place in context.places(context.stages[-1])]
    checks += [
        command("exists", *workload, "--namespace", release.namespace)
        for release in context.stages[-1].releases
        if (workload := main_workload(release))
    ]
    if checks:
        checks[0] = replace(checks[0], why="the releases are there, and have made or taken over their workloads")
    return [*checks, *changed_hands(context)]


def _what(context: Context) -> str:
    if context.removals is None:
        return (
            "What the migration leaves without an owner is **not known**: neither a dump of the cluster nor the "
            f"charts of {context.options.source_version} were at hand. Run {line('./00-preflight.sh')}, then plan "
            "again with `--live backup/live.yaml`."
        )
    if not context.removals:
        return "Nothing is left without an owner but the operator itself."
    return (
        f"{len(context.removals)} objects of the operator are rendered by no release. They are saved in "
        "`backup/removed` and deleted one by one, Deployments first and webhooks last."
        + (" What other operators own stays." if context.left else "")
    )


def _application(context: Context) -> list[Command]:
    """The GitOps object that held the operator goes without taking anything along, if it can hold no other one."""
    if not context.options.old_application or context.target.adopting is not Adopting.TRACKING or context.others:
        return []
    namespace, name = split_name(context.options.old_application, "the old application")
    guard = present("application.argoproj.io", name, namespace)
    return [
        command(
            "kubectl", "patch", "application.argoproj.io", name, "--namespace", namespace, "--type=merge",
            "--patch", '{"metadata":{"finalizers":null}}',
            why="with its finalizer Argo CD would delete what it tracks; the new Applications have none",
            guard=guard,
        ),
        command("remove", "application.argoproj.io", name, namespace, why="only the Application itself"),
    ]  # fmt: skip
