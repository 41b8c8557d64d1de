"""The operator stops, and nothing is deleted: no namespace, no IstioOperator, no definition."""

from __future__ import annotations

from dataclasses import replace

from istio_convert.migrate import rules, wayback
from istio_convert.migrate.context import Context
from istio_convert.migrate.model import Command, Step
from istio_convert.migrate.options import split_name
from istio_convert.migrate.shell import command, line, present
from istio_convert.migrate.targets import Adopting

OPERATORS = "istiooperators.install.istio.io"
CRD = "customresourcedefinition.apiextensions.k8s.io"
_FREEZE = "install.istio.io/ignoreReconcile"


def step(context: Context) -> Step:
    """``10-freeze-operator.sh``."""
    suspend, resume = _application(context)
    change = [*suspend]
    for namespace, name in context.frozen:
        change.append(
            command(
                "kubectl", "annotate", OPERATORS, name, "--namespace", namespace, f"{_FREEZE}=true", "--overwrite",
                why="the controller returns before its finalizer code: from now on it prunes nothing",
                guard=present(OPERATORS, name, namespace),
            )
        )  # fmt: skip
    change.append(command("stop_controllers", why="every one that is found, in any namespace; it stays at 0 replicas"))
    change += [
        command(
            "guard_from_pruning", OPERATORS, name, namespace, guard=present(OPERATORS, name, namespace), folded=True
        )
        for namespace, name in context.frozen
    ]
    names = (*rules.crd_names(context.conversion.version), "istiooperators.install.istio.io")
    change += [command("guard_from_pruning", CRD, name, folded=True) for name in names]
    return Step(
        10,
        "freeze-operator",
        "Freeze the operator",
        (
            ("The annotation `install.istio.io/ignoreReconcile` makes a controller leave an IstioOperator alone, its "
            "deletion included; then every controller is scaled to 0. An operator that is only stopped would prune "
            "what it owns as soon as it comes back. Without an operator in the cluster this step changes nothing but "
            "the "
            "marks against pruning."),
            ("Argo CD and Flux delete what leaves Git. Every definition and IstioOperator is marked against that. "
             "**Run "
            "this script in every cluster that applies the same base folder before the folder changes**: a base "
            "without "
            "the definitions, applied to another environment, deletes them there with all Istio resources."),
            *_parent(context),
        ),
        (),
        tuple(change),
        (
            command("no_controller_runs", why="no operator has replicas"),
            command("all_operators_frozen", why="and none could prune when it came back"),
        ),
        (
            *_idle(context),
            *(
                command(
                    "kubectl", "annotate", OPERATORS, name, "--namespace", namespace, f"{_FREEZE}-",
                    why="the operator reconciles again: it puts back the objects of its release",
                    guard=present(OPERATORS, name, namespace),
                )
                for namespace, name in context.frozen
            ),
            command("start_controllers", why="with the replicas that it had"),
            *resume,
            wayback.last(context),
        ),
        "The marks against pruning stay; they do no harm.",
    )  # fmt: skip


def _idle(context: Context) -> list[Command]:
    """The operator must not come back against a release that writes the same objects, nor to finish its deletion."""
    places = {
        (place.unit.release.namespace, place.unit.release.name): place
        for stage in context.stages
        for place in context.places(stage)
    }
    checks = [context.target.idle(place) for place in places.values()]
    first = replace(checks[0], why="the operator and a release that is still active would undo each other's work")
    stays = [command("operator_stays", namespace, name) for namespace, name in context.frozen]
    if stays:
        stays[0] = replace(stays[0], why="a controller would finish a deletion that waits, and prune the mesh")
    stop = command("no_blockers", why="undo the later steps first: rollback.sh with the last step that was run")
    return [first, *checks[1:], *stays, stop]


def _parent(context: Context) -> list[str]:
    """What a person has to stop beforehand: whatever applies the object that applies the operator."""
    if not context.options.old_application:
        return []
    text = (
        f"`{context.options.old_application}` stops to sync. **If another Application or Kustomization renders it, "
        "stop that one first**: it would start the sync again, and the sync would undo the freeze."
    )
    return [text]


def _application(context: Context) -> tuple[list[Command], list[Command]]:
    """Stop and restart what applies the IstioOperator from Git."""
    if not context.options.old_application:
        return [], []
    namespace, name = split_name(context.options.old_application, "the old application")
    if context.target.adopting is Adopting.TRACKING:
        guard = present("application.argoproj.io", name, namespace)
        return (
            [command("suspend_application", namespace, name, why="Git must not undo the freeze", guard=guard)],
            [command("resume_application", namespace, name, guard=guard)],
        )
    resource = "kustomization.kustomize.toolkit.fluxcd.io"
    guard = present(resource, name, namespace)

    def patch(suspended: str) -> str:
        return line(
            "kubectl", "patch", resource, name, "--namespace", namespace, "--type=merge",
            "--patch", f'{{"spec":{{"suspend":{suspended}}}}}',
        )  # fmt: skip

    return (
        [Command(patch("true"), "Git must not undo the freeze", guard)],
        [Command(patch("false"), "", guard)],
    )
