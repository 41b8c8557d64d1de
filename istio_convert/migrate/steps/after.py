"""Afterwards: whether everything has its owner, and what is left."""

from __future__ import annotations

from istio_convert.emit.crds import CrdHandling, crd_handling
from istio_convert.migrate.context import Context
from istio_convert.migrate.model import Command, Step
from istio_convert.migrate.shell import command
from istio_convert.migrate.steps.freeze import CRD
from istio_convert.migrate.targets import Adopting


def step(context: Context) -> Step:
    """``90-after.sh``."""
    helm = context.target.adopting is not Adopting.TRACKING
    checks = changed_hands(context)
    if helm and "helm" in context.target.programs:
        checks.append(Command("helm list --all-namespaces", "every release is deployed"))
    checks.append(Command("leftovers", "what still carries the operator's labels"))
    checks.append(Command("istioctl proxy-status", "every proxy is in sync", "has_istioctl"))
    checks.append(Command("istioctl analyze --all-namespaces", "and the configuration is sound", "has_istioctl"))
    owner = "its Helm release" if helm else "its Argo CD Application"
    return Step(
        90,
        "after",
        "Afterwards",
        (f"Changes nothing. Every object that changed hands must name {owner} as its owner.", *_left(context)),
        (),
        (),
        tuple(checks),
        (),
        "Nothing to go back to.",
    )


def changed_hands(context: Context) -> list[Command]:
    """Checks that every object that changes hands has its owner."""
    checks: list[Command] = []
    loose = _not_helms(context)
    for item in context.adoptions or ():
        if item.resource == CRD and (item.release_namespace, item.release) in loose:
            continue
        words = (item.resource, item.name, *((item.namespace,) if item.namespace else ()))
        if context.target.adopting is Adopting.TRACKING:
            checks.append(command("tracked", *words, folded=True))
        else:
            checks.append(command("owned", item.release, item.release_namespace, *words, folded=True))
    return checks


def _left(context: Context) -> list[str]:
    """What nobody deletes: a person has to know whose it is."""
    if not context.left:
        return []
    names = "\n".join(f"- `{item.id}`" for item in context.left)
    return [f"These have an operator's labels, and nothing shows that they are this plan's. They stay:\n\n{names}"]


def _not_helms(context: Context) -> set[tuple[str, str]]:
    """Releases whose definitions have no owner of Helm's: helm-controller applies a chart's ``crds/`` without one."""
    if context.target.adopting is not Adopting.SELF:
        return set()
    final = context.stages[-1].releases
    return {(r.namespace, r.name) for r in final if crd_handling(r) is CrdHandling.APPLY}
