"""From a conversion to a plan: stages, ownership, findings, steps. Pure: nothing is read, rendered or printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from istio_convert.emit.base import EmitOptions, check
from istio_convert.errors import OutputError
from istio_convert.migrate import findings as checks
from istio_convert.migrate import git, rules, wayback
from istio_convert.migrate.context import Context, OldGateway, old_gateways
from istio_convert.migrate.dump import cluster_of, of_clusters, of_dump, of_left
from istio_convert.migrate.incident import incidents
from istio_convert.migrate.injection import of_injection
from istio_convert.migrate.losses import of_removed
from istio_convert.migrate.model import Converted, Finding, Level, Plan, Stage, Step, Strategy
from istio_convert.migrate.objects import Known, known
from istio_convert.migrate.options import Options, revision_of
from istio_convert.migrate.owners import Owners, owners
from istio_convert.migrate.ownership import adoptions, orphans, removals
from istio_convert.migrate.references import of_canary
from istio_convert.migrate.stages import build, object_of
from istio_convert.migrate.steps import adopt, after, freeze, preflight, releases, remove, traffic, workloads
from istio_convert.migrate.targets import Adopting
from istio_convert.verify.manifests import ObjectId, Rendered


def plan(
    conversion: Converted,
    options: Options,
    rendered: Mapping[str, Sequence[Rendered]] | None = None,
    live: Sequence[Mapping[str, Any]] | None = None,
    *,
    before: Sequence[Rendered] | None = None,
    beside: Converted | None = None,
    emit: EmitOptions | None = None,
    sources: Iterable[tuple[str, str]] = (),
) -> Plan:
    """Work out a migration.

    Args:
        conversion: the operators as they run, converted to the release to go to.
        options: how to go over.
        rendered: what the releases of each stage render, by the stage's name (see :func:`stages.build`); None when the
            charts are not at hand: the plan then has no list of objects, and its scripts stop there.
        live: the objects of a dump of the cluster; None without one.
        before: what the old release renders for these operators: what is left behind when there is no dump, and whose
            an object in a dump is that names no owner.
        beside: for a canary, the same operators converted with ``revision_of(options, version)``.
        emit: how the releases are written; the chart source of ``options`` wins.
        sources: (name, text) of the operators' files, as the conversion names them: the folder keeps copies of them for
            the way back.

    Returns:
        Findings, steps and lists; scripts and runbook are written from it.

    Raises:
        InvalidNameError: a name must not reach a script.
        OutputError: options that contradict each other, or nothing to migrate.
    """
    options.check()
    how = replace(emit or EmitOptions(), chart_source=options.chart_source)
    if options.target == "argocd" and how.argocd_layout != "applications":
        raise OutputError("a plan takes over one Application after the other", hint="the layout applications")
    stages = build(conversion, options, beside)
    for stage in stages:
        check(stage.releases, how)
    new = _known_rendered(rendered, stages) if rendered is not None else None
    cluster = known(live) if live is not None else None
    old = _known_before(before)
    past = cluster if cluster is not None else old
    gateways = old_gateways(conversion, stages)
    who = owners(conversion, cluster, old)
    gone, left = (
        orphans(_final(new, stages), past, _kept(options, gateways), who)
        if new is not None and past is not None
        else (None, [])
    )
    copies = wayback.copies(sources)
    context = Context(
        conversion,
        options,
        how,
        stages,
        (),
        adoptions(new, past) if new is not None else None,
        removals(gone) if gone is not None else None,
        cluster,
        who.operators,
        who.others,
        tuple(left),
        gateways,
        {name: path for name, (path, _) in copies.items()},
    )
    found = [
        *_findings(conversion, options, stages, new, cluster, gateways, who, (gone or [], left)),
        *git.findings(stages, options.target, how),
        *wayback.findings(context),
    ]
    context = replace(context, findings=tuple(sorted(found, key=checks.by_severity)))
    steps = tuple(_steps(context))
    return Plan(
        options.source_version,
        conversion.version,
        options.strategy,
        options.target,
        context.findings,
        steps,
        stages,
        context.adoptions,
        context.removals,
        _NEVER,
        tuple(_hand_over(context)),
        incidents(context, steps),
        tuple(copies.values()),
        cluster_of(cluster or ()),
    )


def _steps(context: Context) -> list[Step]:
    steps = [preflight.step(context), freeze.step(context), adopt.step(context), *releases.steps(context)]
    if context.canary:
        steps += traffic.steps(context)
        steps += workloads.steps(context)
        steps.append(releases.default_step(context, 70))
    return [*steps, remove.step(context), after.step(context)]


def _known_rendered(rendered: Mapping[str, Sequence[Rendered]], stages: Sequence[Stage]) -> list[Known]:
    """All rendered objects, the final stage's last so that its releases are listed in order."""
    found = []
    for stage in stages:
        for item in rendered[stage.name]:
            found += known([item.object], release=item.release, namespace=item.namespace)
    return found


def _known_before(before: Sequence[Rendered] | None) -> list[Known] | None:
    if before is None:
        return None
    return [one for item in before for one in known([item.object], release=item.release, namespace=item.namespace)]


def _final(new: Sequence[Known] | None, stages: Sequence[Stage]) -> list[Known]:
    """What is rendered in the end. Both stages render the same objects, but for what only the last one owns."""
    names = {(release.namespace, release.name) for release in stages[-1].releases}
    return [item for item in new or () if (item.release_namespace, item.release) in names]


def _successors(
    conversion: Converted, stages: Sequence[Stage], gateways: Sequence[OldGateway]
) -> dict[tuple[str, str], str]:
    """(namespace, name) of what a canary replaces -> the name of what comes in its place."""
    if len(stages) == 1:
        return {}
    found = {(gateway.namespace, gateway.name): gateway.new_name for gateway in gateways}
    old = [release for release in conversion.releases if release.chart == "istiod"]
    new = [release for release in stages[0].releases if release.chart == "istiod"]
    return found | {(a.namespace, object_of(a)): object_of(b) for a, b in zip(old, new, strict=True)}


def _kept(options: Options, gateways: Sequence[OldGateway]) -> set[ObjectId]:
    """Objects that stay without a release: the Service that only its selector moves."""
    if options.traffic != "selector":
        return set()
    return {ObjectId("", "Service", gateway.namespace, gateway.name) for gateway in gateways}


def _findings(
    conversion: Converted,
    options: Options,
    stages: Sequence[Stage],
    new: Sequence[Known] | None,
    live: Sequence[Known] | None,
    gateways: Sequence[OldGateway],
    who: Owners,
    orphaned: tuple[Sequence[Known], Sequence[Known]],
) -> list[Finding]:
    everything = [release for stage in stages for release in stage.releases]
    found = rules.findings(options.source_version, conversion.version, options.strategy, options.target, everything)
    found += checks.of_fields(conversion.ledger)
    if options.strategy is Strategy.CANARY:
        found += checks.of_second_plane(everything)
    if new is None:
        found.append(
            Finding(
                "no-charts",
                Level.BLOCKER,
                f"The charts of {conversion.version} are not at hand, so that the objects to adopt are not known.",
                f"istio-convert charts pull {conversion.version}, or --charts PATH, then plan again.",
            )
        )
    else:
        found += checks.of_rendered(new)
        found += of_removed(orphaned[0], new, _successors(conversion, stages, gateways))
    if live is None:
        found.append(
            Finding(
                "no-dump",
                Level.NOTE,
                "Without a dump of the cluster, live selectors, ports, policies and namespaces were not looked at.",
                "Run 00-preflight.sh, which writes backup/live.yaml, and plan again with --live backup/live.yaml.",
            )
        )
    else:
        found += checks.of_cluster(
            new or (), live, stages, {(g.namespace, g.name): g.new_name for g in gateways}, orphaned[0]
        )
        found += of_injection(new or (), live, stages, options, revision_of(options, conversion.version))
        found += of_clusters(live)
        found += of_dump(live, conversion.releases)
        found += checks.of_operators(live, who.operators)
        found += of_left(orphaned[1])
        found += checks.of_prune(live)
        if options.traffic != "selector":
            found += of_canary(live, [(gateway.namespace, gateway.name) for gateway in gateways])
    if options.traffic != "selector" and len(gateways) > 1:
        found.append(
            Finding(
                "more-gateways",
                Level.NOTE,
                "Only the first gateway moves by weights; the Services of the others select the new pods in the last "
                "step.",
                "Plan a migration for each of them if they need weights too.",
                tuple(f"Service {gateway.namespace}/{gateway.name}" for gateway in gateways[1:]),
            )
        )
    return found


_NEVER = (
    (
        "istioctl uninstall --purge",
        "it selects everything with the label operator.istio.io/component, which the Helm charts set as well",
    ),
    ("istioctl uninstall --revision", "it also finds the objects of a Helm release with that revision"),
    (
        "istioctl install",
        (
            "with any IstioOperator, even one for gateways only: it prunes by owner labels what the file does not "
            "name. The one exception is the way back: after rollback.sh, with the istioctl and the whole file of before"
        ),
    ),
    ("kubectl delete namespace istio-operator", "before the IstioOperators are gone: their finalizers then hang"),
    ("kubectl delete crd", "of Istio: it deletes every resource of that kind in the cluster"),
    (
        "helm rollback, helm uninstall",
        "on a release that took objects over: nothing is known of the time before, and uninstall deletes the mesh",
    ),
)


_MERGED = (
    "What only the old istioctl set in the gateways' pods is still there, since applying merges: arguments, "
    "environment, probe, ports and volumes of `istio-proxy`. They have the effect of before, and injection lets them "
    "win over its template: a later change of what they hold, such as the cluster's or the mesh's name, does not reach "
    "these pods."
)
_DROP = (
    " To drop them, which rolls the pods once more, apply what Helm renders as the old owner of these fields, first "
    "with `diff` instead of `apply`: `helm get manifest NAME --namespace NAMESPACE | kubectl apply --server-side "
    "--force-conflicts --field-manager=istio-operator --filename -`."
)


def _hand_over(context: Context) -> list[str]:
    notes = []
    if context.target.adopting is Adopting.SELF:
        notes.append(
            "Commit `releases/final/flux`. Set `disableTakeOwnership` when the migration is over, so that no other "
            "HelmRelease can take an object unseen."
        )
    elif context.target.adopting is Adopting.TRACKING:
        notes.append(
            "Commit `releases/final/argocd`. The Applications have no finalizer: deleting one leaves its objects. "
            "Only the old Application may have one, and the removal takes it off, so that nothing is deleted with it."
        )
        notes += git.hand_over(context.stages, context.options.target, context.emit)
    else:
        folder = context.options.target
        notes.append(f"Keep `releases/final/{folder}`: it is the source of the releases from now on.")
        if folder == "helmfile":
            notes.append(
                "Terraform can take a release over from here with `terraform import helm_release.NAME "
                "NAMESPACE/NAME`; the values are the files in `releases/final/helm/values`. One tool owns a release: "
                "stop the other."
            )
    if context.gateways and context.options.traffic == "selector":
        names = ", ".join(f"`{gateway.namespace}/{gateway.name}`" for gateway in context.gateways)
        notes.append(
            f"The Services {names} kept their addresses and belong to no release. Put them into Git as they are now "
            "(`backup/live.yaml` shows them before)."
        )
    if not context.canary and any(release.chart == "gateway" for release in context.stages[-1].releases):
        notes.append(_MERGED + (_DROP if context.target.adopting is not Adopting.TRACKING else ""))
    if context.others:
        names = ", ".join(f"`{namespace}/{name}`" for namespace, name in context.others)
        notes.append(
            f"The IstioOperators {names} were not part of this plan. They, their objects, the controller and the "
            "definition stay: frozen, and with 0 replicas. Plan them next. A controller that runs again before that "
            "applies the definitions of its own release over those of base."
            + (
                " So does the old Application or Kustomization, without sync."
                if context.options.old_application
                else ""
            )
        )
    if context.canary:
        notes.append(
            "The next upgrade in place keeps these release names. Namespaces that name a tag do not have to be "
            "relabelled at the next canary."
        )
    notes.append(
        "`istioctl` stays useful for looking (`proxy-status`, `analyze`, `precheck`); it must not install any more."
    )
    return notes
