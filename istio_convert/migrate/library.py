"""``lib.sh``: what the scripts of a migration share. It holds no name of the input.

It runs under the bash of old Macs (3.2), where an empty array counts as unset.
"""

from __future__ import annotations

from importlib.resources import files

#: Every shell function that a command starts with, with what it does, for the runbook. Those that only look say what
#: they stop at.
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
    ("one_replica NAMESPACE", "names the workloads with one replica, which may be away for a moment when they restart"),
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
    ("operator_stays NAMESPACE NAME", "finds a blocker while the IstioOperator waits for its finalizer to be deleted"),
    ("helmrelease_idle NAMESPACE NAME", "finds a blocker while the HelmRelease is there and not suspended"),
    ("application_idle NAMESPACE NAME", "finds a blocker while something syncs the Application"),
    ("release_idle NAMESPACE NAME", "finds a blocker while Helm has records of the release"),
    ("guard_from_pruning RESOURCE NAME [IN]", "sets the annotations by which Argo CD and Flux leave an object alone"),
    ("move_namespace NAMESPACE REVISION", "sets `istio.io/rev`, removes `istio-injection`, remembers what was there"),
    ("present RESOURCE NAME", "whether the object is there"),
    ("remove RESOURCE NAME [IN]", "keeps the object in `backup/removed`, then deletes it; refuses what Helm owns"),
    (
        "restart_injected NAMESPACE REVISION GATEWAY…",
        "restarts the workloads of a namespace, but for the gateways, until its pods have that revision",
    ),
    (
        "show_changes STAGE RELEASE NAME NAMESPACE CHART …",
        "`helm template … | kubectl diff`: what would change, nothing is applied",
    ),
    ("stop_controllers", "scales every in-cluster operator to 0, wherever it runs, and remembers its replicas"),
    ("wait_for COMMAND", "runs the command; with `ISTIO_CONVERT_NO_WAIT=1` says that it did not"),
    ("unadopt RESOURCE NAME [IN]", "takes Helm's annotations off"),
    ("start_controllers", "scales the operators that `stop_controllers` stopped to the replicas from before"),
    (
        "still_by_hand VERSION WHAT COMMAND…",
        "names what puts the old objects back: the operator that runs, else what is for you to do",
    ),
    ("suspend_application NAMESPACE NAME", "takes `automated` out of the Application's `syncPolicy`, and remembers it"),
    ("resume_application NAMESPACE NAME", "puts it back"),
    ("post_renderer STAGE", "sets `POST_RENDERER`: a program for Helm 3, a plugin for Helm 4"),
    ("injected_namespaces REVISION", "the namespaces that ask for the control plane of that revision"),
    ("moved_namespaces", "the namespaces that `move_namespace` changed"),
    ("forget_move NAMESPACE", "takes off the annotation that remembers the labels"),
    ("save FILE COMMAND", "the command's output as a file, once; the first copy stays"),
    (
        "remove_controllers",
        "removes every operator's Deployment, Service, ServiceAccount and RBAC, if no IstioOperator is left",
    ),
    ("remove_operator_crd", "removes the definition of IstioOperator, if none is left"),
    ("leftovers", "names what still carries the operator's labels"),
    ("needs_in_git FOLDER PATH REVISION REPOSITORY", "says what has to be committed and pushed before the change"),
    ("fail TEXT", "stops"),
    ("no_blockers", "stops while findings of the level blocker are not accepted"),
    ("kubernetes_between OLDEST NEWEST", "stops at an older API server, warns of a newer one"),
    ("argocd_builds_charts NAMESPACE", "finds a blocker when Argo CD's Kustomize may not call Helm (`--enable-helm`)"),
    ("has_program NAME", "stops when it is not on PATH"),
    ("helm_at_least VERSION", "stops at an older Helm"),
    ("injection_possible NAMESPACE", "stops when the namespace disables injection"),
    (
        "injector_ready NAMESPACE [REVISION]",
        (
            "stops when the injector that a gateway's pods there ask for is missing, has no CA bundle or no ready "
            "istiod; waits a minute; `ACCEPT=injector` goes on"
        ),
    ),
    ("no_controller_runs", "stops when an operator has replicas"),
    ("all_operators_frozen", "stops at an IstioOperator without the annotation that freezes it"),
    ("not_bound NAMESPACE/KIND/NAME…", "stops when one of them carries the operator's owner labels"),
    ("owned RELEASE NAMESPACE RESOURCE NAME [IN]", "stops when the object is there and not this Helm release's"),
    ("tracked RESOURCE NAME [IN]", "stops when the object is there and no Application tracks it"),
    ("absent RESOURCE NAME", "stops when the object is there"),
    ("exists RESOURCE NAME", "stops when the object is not there"),
    (
        "no_proxies_of REVISION GATEWAY…",
        "stops at pods with a proxy that this revision injected, but for those of the gateways that are replaced",
    ),
    ("no_tags_of REVISION", "stops at revision tags that call its control plane"),
    (
        "enough_pods SHARE RESOURCE OLD NEW IN",
        "finds a blocker when the new gateway has fewer ready pods than that share, in percent, of the old one's",
    ),
    ("can_serve RESOURCE NAME IN", "stops when the workload is not there or has no ready pod"),
    ("webhook_has_service KIND NAME", "stops when the Service that the webhook calls is not there"),
    ("webhook_calls KIND NAME SERVICE", "stops when the webhook calls another Service"),
    ("service_selects NAMESPACE NAME KEY VALUE", "stops when the Service's selector has another value; empty: none"),
    ("has_annotation RESOURCE NAME IN KEY VALUE [OR]", "stops when the annotation has another value"),
    ("alb_uses_action NAMESPACE INGRESS ACTION", "stops when no backend of the Ingress names the action"),
)


def library() -> str:
    """The text of ``lib.sh``."""
    return files("istio_convert.migrate").joinpath("lib.sh").read_text(encoding="utf-8")
