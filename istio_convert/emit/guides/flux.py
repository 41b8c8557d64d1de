"""How to use the Flux output."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.emit.base import EmitOptions, Unit
from istio_convert.emit.readme import Guide

_NEEDS = """
helm-controller 1.4 (Flux 2.7) or newer: `strategy: RetryOnFailure` retries without uninstalling. An older one refuses
the field.

helm-controller 1.2 and newer adopt live objects by themselves.

helm-controller 1.5 and newer use Helm 4: a new release is applied server-side, conflicts are forced, and readiness is
kstatus. That fits an adoption; nothing is to be set.

helm-controller 1.6 and newer send hooks through the patches too (`postRenderStrategy`); no patch here selects a hook.
"""
_OWNERSHIP = """
`disableTakeOwnership` is set: a release stops at an object that is not its own. That is for the time after the
migration; the first run must be without it.
"""
_SCHEMA = """
`disableSchemaValidation` is set where a chart's schema refuses everything; it exists from helm-controller 1.1 on.
"""
_DIGEST = """
A chart of an OCIRepository gets its digest behind the version, which shows in the label `helm.sh/chart` and so restarts
pods when the source object changes from a HelmRepository. The controller's feature gate `DisableChartDigestTracking`
switches that off.
"""
_DRIFT = """
Drift detection leaves alone what istiod writes into its webhooks, and the number of replicas.
"""


def guide(
    plan: Sequence[Unit],
    home: str,
    options: EmitOptions,
    *,
    contents: Sequence[tuple[str, str]],
    from_registry: bool,
) -> Guide:
    """The guide for a Flux folder.

    Args:
        plan: the releases.
        home: namespace of the Flux objects.
        options: as for the emitter.
        contents: pairs of path and what it is.
        from_registry: whether OCIRepository objects are used.
    """
    names = [unit.slug for unit in plan]
    needs = _NEEDS
    needs += _OWNERSHIP if options.disable_take_ownership else ""
    needs += _SCHEMA if any(unit.release.skip_schema for unit in plan) else ""
    needs += _DIGEST if from_registry else ""
    needs += _DRIFT if options.drift_detection else ""
    return Guide(
        title="Istio by Flux",
        contents=contents,
        needs=needs,
        apply=f"""
The namespace {home} must exist.

Commit this folder where a Flux Kustomization finds it, or run `kubectl apply -k .`. The order is kept by `dependsOn`.

Watch `flux get helmreleases -n {home}` until all are ready, first to last: {", ".join(names)}.
""",
        back=f"""
Suspend, so that Flux stops and a later deletion uninstalls nothing:
`flux suspend helmrelease -n {home} {" ".join(names)}`.

To an earlier state of this folder: revert the commit, then `flux resume helmrelease …`, first to last.

To istioctl: with everything suspended, `istioctl install -f` the old operator file with the istioctl of the old
release; it takes the objects back in place. Delete the suspended HelmReleases afterwards.
""",
        never="""
`kubectl delete helmrelease`, or removing a file under a pruning Kustomization, while the HelmRelease is not suspended:
Flux then uninstalls it.

`helm uninstall` or `helm rollback` on these releases.
""",
    )
