"""How to use plain manifests."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.emit.readme import Guide


def guide(contents: Sequence[tuple[str, str]]) -> Guide:
    """The guide for a folder of manifests.

    Args:
        contents: pairs of path and what it is.
    """
    return Guide(
        title="Istio as plain manifests",
        contents=contents,
        needs="""
bash and `kubectl`. No Helm, no Kustomize: the objects stand here as both would give them to the cluster.

The folder belongs to one version of the charts. Another version, or a change of the operator: convert again, and read
the difference as you read that of any manifest.
""",
        apply="""
Look first: `./apply.sh --dry-run=server`, or `kubectl diff --server-side --force-conflicts -k .`.

Apply: `./apply.sh`, with `CONTEXT=…` for another kubeconfig context. It waits for each release before the next, and
stops at the first that fails; run it again when the cause is gone.

Commit this folder. After a later conversion: `./prune.sh` shows what it no longer holds, `./prune.sh --delete` deletes
it.
""",
        back="""
To an earlier state of this folder: check it out and run its `./apply.sh`.

To istioctl: `istioctl install -f` the old operator file with the istioctl of the old release; it takes the objects back
in place.
""",
        never="""
`kubectl delete -k .` or `kubectl delete -f` on these files: they delete the live mesh, and with the definitions every
Istio resource of the cluster.

`kubectl apply` without `--server-side` on the definitions: they are too large for the annotation that it writes.

`kubectl replace --force`: it recreates live objects.

Another release of Helm or a GitOps tool on the same objects: two owners overwrite each other.
""",
    )
