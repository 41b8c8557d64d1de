"""How to use the Argo CD output."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.emit.base import EmitOptions, Unit
from istio_convert.emit.readme import Guide

_NEEDS = """
Argo CD 2.14 or newer. `ServerSideApply` takes the live objects over without recreating them.
"""
_KUSTOMIZE = """
Argo CD has no post-renderer. A release with patches is therefore a Kustomize source in `kustomize/`, and Kustomize
calls Helm itself: `argocd-cm` must hold `kustomize.buildOptions: --enable-helm`. Check it with `kustomize build
--enable-helm kustomize/<release>`. Charts from a private registry need its credentials in the repo-server.
"""
_SCHEMA = """
`skipSchemaValidation` is set where a chart's schema refuses everything under Helm 3.18.5 and newer; Argo CD brings
such a Helm from 3.3 on. In `kustomize/` the flag `--skip-schema-validation` stands in the place of `releaseName`, since
Kustomize has no field for it; `nameTemplate` gives the name.
"""
_REGISTRY = """
Charts from a registry: Argo CD needs a repository secret for it, of type helm with `enableOCI: "true"`.
"""
_ORDER = {
    "applications": """
No Application syncs by itself, since only a parent Application keeps the order of the waves. Below a parent of your own
the waves act.
""",
    "app-of-apps": """
The parent is synced by hand, the Applications below it sync by themselves. The parent waits for a wave only if Argo CD
knows the health of an Application: `argocd-cm` must hold a `resource.customizations.health.argoproj.io_Application`, as
its documentation on health shows.
""",
    "applicationset": """
The order comes from `strategy: RollingSync`, which the ApplicationSet controller honours only with
`--enable-progressive-syncs`; it then syncs by itself. Without that switch nothing syncs by itself: sync by hand, in
order.
""",
}
_ENTRY = {
    "applications": "kubectl apply -k .",
    "app-of-apps": "kubectl apply -f app-of-apps.yaml",
    "applicationset": "kubectl apply -f applicationset.yaml",
}
_SYNC = {
    "applications": "In the order of the table: look at `argocd app diff <name>`, sync, wait for healthy.",
    "app-of-apps": "Sync the parent: `argocd app sync istio`. Each wave follows when the one before it is healthy.",
    "applicationset": "Watch `argocd app list`, or sync by hand in the order of the table.",
}
_SET = """
Deleting the ApplicationSet with `--cascade=foreground`; `preserveResourcesOnDeletion` keeps the mesh, but not the
Applications.
"""


def guide(plan: Sequence[Unit], options: EmitOptions, contents: Sequence[tuple[str, str]]) -> Guide:
    """The guide for an Argo CD folder.

    Args:
        plan: the releases.
        options: as for the emitter.
        contents: pairs of path and what it is.
    """
    names = " ".join(unit.slug for unit in plan)
    needs = _NEEDS + _ORDER[options.argocd_layout]
    needs += _REGISTRY if options.is_oci else ""
    needs += _KUSTOMIZE if any(unit.release.patches for unit in plan) else ""
    needs += _SCHEMA if any(unit.release.skip_schema for unit in plan) else ""
    return Guide(
        title="Istio by Argo CD",
        contents=contents,
        needs=needs,
        apply=f"""
Commit this folder to the repository that the Applications name, then `{_ENTRY[options.argocd_layout]}`.

{_SYNC[options.argocd_layout]}

When all are healthy and the operator is gone, switch on the automatic sync, pruning or healing that you want.
""",
        back=f"""
To an earlier state of this folder: revert the commit and sync again, in the order of the table above.

To istioctl: delete the Applications without their objects (`argocd app delete --cascade=false {names}`; they carry no
finalizer, so `kubectl delete application` does the same), then `istioctl install -f` the old operator file with the
istioctl of the old release; it takes the objects back in place.
""",
        never="""
`argocd app delete` with its default cascade: it deletes the mesh.

Sync with *Replace* or *Force*: they recreate live objects.

The finalizer `resources-finalizer.argocd.argoproj.io` while the old installation still exists.
"""
        + (_SET if options.argocd_layout == "applicationset" else ""),
    )
