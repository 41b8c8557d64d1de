"""What a dump says about itself: whether it is of this mesh, and what in it is not this plan's to delete."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.migrate.model import Finding, Level
from istio_convert.migrate.objects import OWNER, OWNER_NAMESPACE, Known
from istio_convert.migrate.stages import main_workload
from istio_convert.release import Release


def of_dump(live: Sequence[Known], releases: Sequence[Release]) -> list[Finding]:
    """Whether a dump is of the cluster that the operators describe.

    Args:
        live: the dump.
        releases: the operators as they are, whose workloads keep the names of today.
    """
    wanted = {(r.namespace, *main) for r in releases if (main := main_workload(r))}
    there = wanted & {(item.id.namespace, item.resource, item.id.name) for item in live}
    if there == wanted:
        return []
    if there:
        return [
            Finding(
                "not-in-dump",
                Level.WARNING,
                "The dump has no such workloads: their releases make new ones, and take nothing over.",
                "Look whether they run under another name or in another namespace, and give the operator the live one; "
                "or plan again with a dump of now.",
                _named(wanted - there),
            )
        ]
    return [
        Finding(
            "wrong-dump",
            Level.BLOCKER,
            "The dump has no workload of these operators: no istiod, no gateway. It is of another cluster, or no dump.",
            "Give --live what 00-preflight.sh writes (backup/live.yaml) in the cluster that these operators describe.",
            _named(wanted),
        )
    ]


def _named(workloads: set[tuple[str, str, str]]) -> tuple[str, ...]:
    return tuple(sorted(f"{resource} {namespace}/{name}" for namespace, resource, name in workloads))


def cluster_of(live: Sequence[Known]) -> str:
    """What tells the cluster of a dump from others: the UID of its namespace ``kube-system``; empty without one."""
    return next(iter(_clusters(live)), "")


def of_clusters(live: Sequence[Known]) -> list[Finding]:
    """Whether all dumps are of one cluster."""
    if len(_clusters(live)) < 2:
        return []
    return [
        Finding(
            "two-clusters",
            Level.BLOCKER,
            "The dumps are of different clusters: their namespaces kube-system have different UIDs.",
            "Make a plan for each cluster, each with its own dump and folder.",
        )
    ]


def _clusters(live: Sequence[Known]) -> list[str]:
    uids = [
        str(item.get("metadata", "uid") or "")
        for item in live
        if item.id.kind == "Namespace" and item.id.name == "kube-system"
    ]
    return list(dict.fromkeys(uid for uid in uids if uid))


def of_left(left: Sequence[Known]) -> list[Finding]:
    """Which objects stay because no planned operator is known to own them."""
    if not left:
        return []
    return [
        Finding(
            "not-removed",
            Level.WARNING,
            "An operator made these objects, and nothing shows that it is one of this plan's: by the name, namespace "
            "and revision of their owner, or since several control planes use them. They stay.",
            "Plan their operators too, or look at each one afterwards. For those without an owner: istio-convert "
            "charts pull the release that runs now, then plan again.",
            tuple(f"{item.id} ({_owner(item)})" for item in left),
        )
    ]


def _owner(item: Known) -> str:
    name, namespace = item.labels.get(OWNER, ""), item.labels.get(OWNER_NAMESPACE, "")
    return f"owner {namespace}/{name}" if name and namespace else f"owner {name}" if name else "no owner"
