"""How to use the plain Helm output."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.emit.base import EmitOptions, Unit
from istio_convert.emit.crds import CrdHandling, crd_handling
from istio_convert.emit.readme import Guide

_NEEDS = """
bash, and Helm 3.17 or newer, or Helm 4. `--take-ownership` takes over the objects that istioctl or the operator made;
Helm 4 also needs `--server-side=true --force-conflicts` for that, and the script gives both.
"""
_LATER = """
bash, and Helm 3.16 or newer, or Helm 4. `--take-ownership` is left out: a release stops at an object that is not its
own. That is for the time after the migration.
"""
_PATCHES = """
`kustomize` or `kubectl` beside it: patches go through a post-renderer. Every later `helm upgrade` by hand must name it
too, or the patches are gone.
"""
_DEFINITIONS = """
`kubectl`: the chart of this version keeps the definitions where Helm never updates them, so the script applies them.
"""


def guide(plan: Sequence[Unit], options: EmitOptions, contents: Sequence[tuple[str, str]]) -> Guide:
    """The guide for a plain Helm folder.

    Args:
        plan: the releases.
        options: as for the emitter.
        contents: pairs of path and what it is.
    """
    needs = _LATER if options.disable_take_ownership else _NEEDS
    needs += _PATCHES if any(unit.release.patches for unit in plan) else ""
    needs += _DEFINITIONS if any(crd_handling(unit.release) is CrdHandling.APPLY for unit in plan) else ""
    return Guide(
        title="Istio by Helm",
        contents=contents,
        needs=needs,
        apply="""
Look first: `./install.sh --dry-run=server`.

Install: `./install.sh`, with `CONTEXT=…` for another kubeconfig context. It waits for each release before the next, and
stops at the first that fails; run it again when the cause is gone.

Commit this folder; to change something, change it here and run `./install.sh` again.
""",
        back="""
To an earlier state of this folder: check it out and run its `./install.sh`.

To istioctl: `istioctl install -f` the old operator file with the istioctl of the old release; it takes the objects back
in place. Then forget the releases without touching their objects: delete the Secrets
`sh.helm.release.v1.<release>.v<n>` in the namespace of each release.
""",
        never="""
`helm uninstall` on a live mesh: it deletes the objects that it adopted, and with the base release of 1.24 and newer, or
a definition by hand, every Istio resource of the cluster.

`helm upgrade` with `--atomic` or `--rollback-on-failure` for the first run: when it fails it uninstalls what it
adopted.

`helm upgrade` with `--force` or `--force-replace`: it recreates live objects.

`helm rollback` to before the first revision of this folder: there is none.
""",
    )
