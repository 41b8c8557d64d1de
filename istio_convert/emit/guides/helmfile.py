"""How to use the helmfile output."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.emit.base import EmitOptions, Unit
from istio_convert.emit.crds import CrdHandling, crd_handling
from istio_convert.emit.readme import Guide

_NEEDS = """
helmfile 1.0 or newer with Helm 3.17 or newer: `takeOwnership` takes over the objects that istioctl or the operator
made.

Helm 4: add the two lines that stand as a comment in `helmDefaults`, since istioctl applied server-side as another field
manager; Helm 3 refuses them.
"""
_LATER = """
helmfile 1.0 or newer. `takeOwnership` is left out: a release stops at an object that is not its own. That is for the
time after the migration.
"""
_DIFF = """
`helmfile apply` and `helmfile diff` need the Helm plugin helm-diff; `helmfile sync` does not.
"""
_PATCHES = """
`kustomize`: helmfile renders a patched chart, patches it and installs the result. Such a release is rendered as for a
first installation each time; what a chart looks up in the cluster is not there.
"""
_SCHEMA = """
`skipSchemaValidation` is set where a chart's schema refuses everything under Helm 3.18.5 and newer.
"""
_DEFINITIONS = """
`kubectl`: the chart of this version keeps the definitions where Helm never updates them, so a hook applies them.
"""


def guide(plan: Sequence[Unit], options: EmitOptions, contents: Sequence[tuple[str, str]]) -> Guide:
    """The guide for a helmfile folder.

    Args:
        plan: the releases.
        options: as for the emitter.
        contents: pairs of path and what it is.
    """
    needs = (_LATER if options.disable_take_ownership else _NEEDS) + _DIFF
    needs += _PATCHES if any(unit.release.patches for unit in plan) else ""
    needs += _SCHEMA if any(unit.release.skip_schema for unit in plan) else ""
    needs += _DEFINITIONS if any(crd_handling(unit.release) is CrdHandling.APPLY for unit in plan) else ""
    return Guide(
        title="Istio by helmfile",
        contents=contents,
        needs=needs,
        apply="""
Look first: `helmfile diff`.

Install: `helmfile sync`. `needs` keeps the order; each release is waited for before the next.

Commit this folder; to change something, change it here and run `helmfile apply`.
""",
        back="""
To an earlier state of this folder: check it out and run `helmfile sync`.

To istioctl: `istioctl install -f` the old operator file with the istioctl of the old release; it takes the objects back
in place. Then forget the releases without touching their objects: delete the Secrets
`sh.helm.release.v1.<release>.v<n>` in the namespace of each release.
""",
        never="""
`helmfile destroy`, `helmfile delete`, or `installed: false` on a live mesh: they delete the objects that were adopted.

`atomic: true` or `cleanupOnFail: true` for the first run: when it fails it uninstalls what it adopted.

`force: true`: it recreates live objects.
""",
    )
