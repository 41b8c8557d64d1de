"""What a dump of the cluster says against the migration: everything that names what is going to change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from istio_convert.ledger import ClosedLedger, Outcome
from istio_convert.migrate import comparing
from istio_convert.migrate.comparing import WORKLOADS
from istio_convert.migrate.model import Finding, Level, Stage
from istio_convert.migrate.objects import Known, index, look_up, pod_labels, selects, text_map
from istio_convert.migrate.ownership import twice
from istio_convert.migrate.references import texts
from istio_convert.migrate.stages import object_of
from istio_convert.paths import render
from istio_convert.release import Release

#: Field managers that are expected on Istio's objects.
_EXPECTED_MANAGERS = frozenset(
    {"istio-operator", "helm", "helm-controller", "pilot-discovery", "kube-controller-manager", "istio-convert"}
)
#: The finding about fields that need a person.
OPEN_FIELDS = "open-fields"
_NETWORKING = "networking.istio.io"


def of_fields(ledger: ClosedLedger) -> list[Finding]:
    """Which settings of the operators are not carried over."""
    left = [entry for entry in ledger.entries if entry.outcome in (Outcome.MANUAL, Outcome.LOST)]
    if not left:
        return []
    return [
        Finding(
            OPEN_FIELDS,
            Level.WARNING,
            "Fields of the operators need a decision, or have no effect any more after the migration.",
            "Settle each of them before the first step, then plan again.",
            tuple(f"{e.leaf.origin} {render(e.leaf.path)}: {e.reason}; {e.action}" for e in left),
        )
    ]


def of_second_plane(releases: Sequence[Release]) -> list[Finding]:
    """Whether a canary brings the control plane that its gateways and namespaces are to move to."""
    if any(release.chart == "istiod" for release in releases):
        return []
    return [
        Finding(
            "no-second-plane",
            Level.BLOCKER,
            "A canary moves to a second control plane, and none of these operators has one.",
            "Plan together with the operator of the control plane, or in place.",
        )
    ]


def of_rendered(rendered: Sequence[Known]) -> list[Finding]:
    """What the releases alone say."""
    shared = twice(rendered)
    return _finding(
        "two-owners",
        Level.BLOCKER,
        "Two releases render the same object, and would take it from each other.",
        "Give the control planes different revisions and namespaces, or leave the object out of one of them.",
        shared,
    )


def of_cluster(
    rendered: Sequence[Known],
    live: Sequence[Known],
    stages: Sequence[Stage],
    replaced: Mapping[tuple[str, str], str],
    gone: Iterable[Known] = (),
) -> list[Finding]:
    """What a dump says.

    Args:
        rendered: what the releases render.
        live: the dump.
        stages: the releases.
        replaced: (namespace, name) of gateways that a canary replaces -> the new name.
        gone: what the last step removes.
    """
    ends = {item.id for item in [*rendered, *gone]}
    stay = [item for item in live if item.id not in ends and (item.id.namespace, item.id.name) not in replaced]
    there = index(live)
    pairs = [(item, there[item.id]) for item in index(rendered).values() if item.id in there]
    found: list[Finding] = []
    found += comparing.selectors(pairs)
    found += comparing.services(pairs)
    found += _accounts(pairs, live)
    found += _gateways(rendered, live, stages, stay)
    found += _pod_selectors([*pairs, *_replaced(rendered, live, replaced)], live)
    found += _foreign_owners(pairs)
    found += _managers(pairs)
    found += comparing.replicas(pairs, rendered, live)
    return found


def of_operators(live: Sequence[Known], frozen: Iterable[tuple[str, str]]) -> list[Finding]:
    """What the IstioOperators of a dump say."""
    known = set(frozen)
    operators = [item for item in live if item.id.kind == "IstioOperator"]
    others = [item for item in operators if (item.id.namespace, item.id.name) not in known]
    stuck = [item for item in operators if item.get("metadata", "deletionTimestamp")]
    found = _finding(
        "other-operators",
        Level.WARNING,
        "The cluster has IstioOperators that are not part of this migration. Their controller stops as well, and "
        "objects that they share with yours change hands.",
        "They are frozen along, and never deleted: they, what they own, the controller and the definition stay. Add "
        "their files to the plan, or plan them next.",
        others,
    )
    found += _finding(
        "stuck-finalizer",
        Level.WARNING,
        "An IstioOperator is being deleted and waits for its finalizer. A controller that comes back would finish "
        "that, and delete what the operator owns.",
        "Do not start the controller before the freeze script ran; the removal takes the finalizer off.",
        stuck,
    )
    return found


def of_prune(live: Sequence[Known]) -> list[Finding]:
    """Objects that a GitOps tool holds and could prune."""
    marks = ("argocd.argoproj.io/tracking-id", "kustomize.toolkit.fluxcd.io/name")
    held = [
        item
        for item in live
        if item.id.kind in {"CustomResourceDefinition", "IstioOperator"}
        and (marks[0] in item.annotations or marks[1] in item.labels)
    ]
    return _finding(
        "prune",
        Level.WARNING,
        "A GitOps tool holds these objects, and deletes them when they leave Git: with a definition all its "
        "resources go.",
        "The freeze script marks them in this cluster. Run it in every cluster that applies the same base folder "
        "before the folder changes.",
        held,
    )


def _finding(name: str, level: Level, text: str, action: str, objects: Sequence[Known]) -> list[Finding]:
    if not objects:
        return []
    return [Finding(name, level, text, action, tuple(sorted({str(item.id) for item in objects})))]


def _accounts(pairs: Sequence[tuple[Known, Known]], live: Sequence[Known]) -> list[Finding]:
    changed: set[tuple[str, str]] = set()
    for new, old in pairs:
        path = ("spec", "template", "spec", "serviceAccountName")
        if new.id.kind in WORKLOADS and new.get(*path) != old.get(*path):
            changed.add((new.id.namespace, str(old.get(*path))))
    named = [
        item
        for item in live
        if item.id.kind == "AuthorizationPolicy"
        and any(f"ns/{namespace}/sa/{name}" in text for namespace, name in changed for text in texts(item.data))
    ]
    return _finding(
        "principals",
        Level.BLOCKER,
        "These policies name the identity of a workload whose ServiceAccount changes.",
        "Keep the ServiceAccount's name (serviceAccount.name), or add the new principal to the policies beforehand.",
        named,
    )


def _gateways(
    rendered: Sequence[Known], live: Sequence[Known], stages: Sequence[Stage], stay: Sequence[Known]
) -> list[Finding]:
    """Gateway resources that select a gateway of today and would not select the one of tomorrow."""
    names = {object_of(r) for stage in stages for r in stage.releases if r.chart == "gateway"}
    after = [pod_labels(item) for item in rendered if item.id.kind in WORKLOADS and item.id.name in names]
    after += [pod_labels(item) for item in stay if item.id.kind in WORKLOADS]
    before = [pod_labels(item) for item in live if item.id.kind in WORKLOADS and pod_labels(item).get("istio")]
    missed = []
    for item in live:
        if item.id.kind != "Gateway" or item.id.group != _NETWORKING:
            continue
        selector = text_map(item.data, "spec", "selector")
        if any(selects(selector, labels) for labels in before) and not any(selects(selector, x) for x in after):
            missed.append(item)
    return _finding(
        "gateway-selector",
        Level.BLOCKER,
        "These Gateways select pods by a label that the new gateway's pods do not have: nothing would listen for them.",
        "Select by the label istio, which stays, or add the label to the release's labels.",
        missed,
    )


def _replaced(
    rendered: Sequence[Known], live: Sequence[Known], replaced: Mapping[tuple[str, str], str]
) -> list[tuple[Known, Known]]:
    """(new, old) workloads of the gateways that a canary replaces."""
    return [
        (new, old)
        for old in live
        if old.id.kind in WORKLOADS
        for new in index(rendered).values()
        if new.id.kind in WORKLOADS
        and new.id.namespace == old.id.namespace
        and new.id.name == replaced.get((old.id.namespace, old.id.name))
    ]


def _pod_selectors(pairs: Sequence[tuple[Known, Known]], live: Sequence[Known]) -> list[Finding]:
    paths = {
        "EnvoyFilter": ("spec", "workloadSelector", "labels"),
        "Sidecar": ("spec", "workloadSelector", "labels"),
        "AuthorizationPolicy": ("spec", "selector", "matchLabels"),
        "PeerAuthentication": ("spec", "selector", "matchLabels"),
        "RequestAuthentication": ("spec", "selector", "matchLabels"),
        "WasmPlugin": ("spec", "selector", "matchLabels"),
        "Telemetry": ("spec", "selector", "matchLabels"),
    }
    workloads = [(pod_labels(old), pod_labels(new)) for new, old in pairs if new.id.kind in WORKLOADS]
    missed = []
    for item in live:
        selector = text_map(item.data, *paths[item.id.kind]) if item.id.kind in paths else {}
        if any(selects(selector, old) and not selects(selector, new) for old, new in workloads):
            missed.append(item)
    return _finding(
        "pod-selector",
        Level.WARNING,
        "These resources select pods by labels that the new pods do not have: they would stop to apply.",
        "Select by the labels app and istio, or add the labels to the release.",
        missed,
    )


def _foreign_owners(pairs: Sequence[tuple[Known, Known]]) -> list[Finding]:
    foreign = []
    for new, old in pairs:
        owner = (
            old.annotations.get("meta.helm.sh/release-namespace"),
            old.annotations.get("meta.helm.sh/release-name"),
        )
        if owner not in ((None, None), (new.release_namespace, new.release)):
            foreign.append(new)
    return _finding(
        "other-release",
        Level.BLOCKER,
        "Another Helm release owns these objects.",
        "Name the releases as they are, or let the other release go first.",
        foreign,
    )


def _managers(pairs: Sequence[tuple[Known, Known]]) -> list[Finding]:
    found = []
    for _, old in pairs:
        fields = look_up(old.data, "metadata", "managedFields")
        managers = {str(entry.get("manager")) for entry in fields or [] if isinstance(entry, dict)}
        if managers - _EXPECTED_MANAGERS:
            found.append((old, [f"manager {name}" for name in sorted(managers - _EXPECTED_MANAGERS)]))
    return comparing.finding(
        "field-managers",
        Level.WARNING,
        "Others than istioctl, Helm and istiod have changed these objects; what they set may conflict or be lost.",
        "Look at their managedFields. A GitOps tool among them must let go of the object first.",
        found,
    )


def by_severity(finding: Finding) -> tuple[int, str]:
    """The sort key of findings: blockers first, then by name."""
    return list(Level).index(finding.level), finding.id
