"""``lib.sh``: what the scripts of a migration share. It holds no name of the input.

It runs under the bash of old Macs (3.2), where an empty array counts as unset.
"""

from __future__ import annotations

from importlib.resources import files

#: The shell functions that appear in commands, with what they do, for the runbook.
FUNCTIONS: tuple[tuple[str, str], ...] = (
    (
        "adopt RELEASE NAMESPACE RESOURCE NAME [IN]",
        (
            "detaches the object, and gives it Helm's label and annotations; stops when another Helm release owns "
            "it; nothing happens when it is not there or done"
        ),
    ),
    (
        "apply FILE",
        "`kubectl apply --server-side`; with `APPLY=git` it says what to commit, and waits until it is in the cluster",
    ),
    ("detach RESOURCE NAME [IN]", "takes the operator's owner labels off, so that it cannot prune the object"),
    ("move_namespace_back NAMESPACE", "the labels that were there before"),
    ("restart_back NAMESPACE", "restarts its workloads until their pods have the revision from before"),
    ("switch_injector_on NAME", "takes the selectors off an injector that match nothing"),
    ("copy RESOURCE NAME [IN]", "keeps the object in `backup/removed`"),
    ("put_back RESOURCE NAME [IN]", "what `copy` or `remove` kept, as it was"),
    ("restore_all", "everything that this script deleted and that is not there"),
    ("argocd_sync NAMESPACE NAME", "starts one sync of the Application, and waits until it has ended"),
    (
        "keep_when_dropped RESOURCE NAME [IN]",
        "Helm leaves the object in place when the next upgrade no longer renders it",
    ),
    ("forget_release NAME NAMESPACE", "deletes Helm's records of the release, and no object"),
    ("guard_from_pruning RESOURCE NAME [IN]", "sets the annotations by which Argo CD and Flux leave an object alone"),
    ("move_namespace NAMESPACE REVISION", "sets `istio.io/rev`, removes `istio-injection`, remembers what was there"),
    ("present RESOURCE NAME", "whether the object is there"),
    ("remove RESOURCE NAME [IN]", "keeps the object in `backup/removed`, then deletes it; refuses what Helm owns"),
    ("restart_injected NAMESPACE REVISION", "restarts the workloads of a namespace until its pods have that revision"),
    (
        "show_changes STAGE RELEASE NAME NAMESPACE CHART …",
        "`helm template … | kubectl diff`: what would change, nothing is applied",
    ),
    ("stop_controllers", "scales every in-cluster operator to 0, wherever it runs, and remembers its replicas"),
    ("wait_for COMMAND", "runs the command; with `ISTIO_CONVERT_NO_WAIT=1` says that it did not"),
)


def library() -> str:
    """The text of ``lib.sh``."""
    return files("istio_convert.migrate").joinpath("lib.sh").read_text(encoding="utf-8")
