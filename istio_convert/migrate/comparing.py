"""Live objects against those of the releases: what differs, named so that a person can look it up; no label values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from istio_convert.migrate.model import Finding, Level
from istio_convert.migrate.objects import Known, index, look_up, text_map

WORKLOADS = ("Deployment", "DaemonSet")
Pairs = Sequence[tuple[Known, Known]]  # (rendered, live)


def finding(
    name: str, level: Level, text: str, action: str, objects: Sequence[tuple[Known, Sequence[str]]]
) -> list[Finding]:
    """A finding about objects and what differs in each; none without objects."""
    if not objects:
        return []
    named = {str(item.id): tuple(found) for item, found in objects}
    return [
        Finding(
            name,
            level,
            text,
            action,
            tuple(sorted(named)),
            tuple(f"{one}: {difference}" for one in sorted(named) for difference in named[one]),
        )
    ]


def selectors(pairs: Pairs) -> list[Finding]:
    """Selectors of workloads, which cannot change."""
    changed = [
        (new, _labels(text_map(new.data, *path), text_map(old.data, *path)))
        for new, old in pairs
        for path in [("spec", "selector", "matchLabels")]
        if new.id.kind in WORKLOADS and new.get("spec", "selector") != old.get("spec", "selector")
    ]
    return finding(
        "selector",
        Level.BLOCKER,
        "The selector of a live workload differs from the chart's, and a selector cannot change.",
        "Dump and operator may not belong together. Else put the gateway's live labels into the operator's label "
        "(components.ingressGateways[].label), from which the releases take the selector. Where that cannot be, "
        "--strategy canary makes a second gateway.",
        changed,
    )


def services(pairs: Pairs) -> list[Finding]:
    """Ports, selectors and classes of Services."""
    ports, lost, selected, classes = [], [], [], []
    for new, old in pairs:
        if new.id.kind != "Service":
            continue
        was, becomes = _ports(old), _ports(new)
        if moved := [key for key in was if becomes.get(key, was[key]) != was[key]]:
            ports.append((new, [f"port {_name(key)}: target {was[key]} -> {becomes[key]}" for key in moved]))
        if missing := [f"port {_name(key)} is in no release" for key in was if key not in becomes]:
            lost.append((new, missing))
        if new.get("spec", "selector") != old.get("spec", "selector"):
            path = ("spec", "selector")
            selected.append((new, _labels(text_map(new.data, *path), text_map(old.data, *path))))
        path = ("spec", "loadBalancerClass")
        if new.get(*path) != old.get(*path):
            classes.append((new, [f"live {old.get(*path) or 'none'}, in the release {new.get(*path) or 'none'}"]))
    return [
        *finding(
            "target-port",
            Level.BLOCKER,
            "A live Service would point at another port, where the running pods do not listen.",
            "Keep the target ports in this migration, and change them in a later one.",
            ports,
        ),
        *finding(
            "port-lost",
            Level.BLOCKER,
            "A live Service would lose a port.",
            "Add the port to the gateway's k8s.service.ports, or make sure that nobody uses it.",
            lost,
        ),
        *finding(
            "service-selector",
            Level.WARNING,
            "A live Service would select other pods.",
            "Put the live labels into the operator's label, or compare the selectors in the diff of the release before "
            "it is applied.",
            selected,
        ),
        *finding(
            "load-balancer-class",
            Level.BLOCKER,
            "The loadBalancerClass of a live Service differs, and it cannot change.",
            "Set the live value in the operator, or move to a second gateway.",
            classes,
        ),
    ]


def replicas(pairs: Pairs, rendered: Sequence[Known], live: Sequence[Known]) -> list[Finding]:
    """Deployments whose replicas an autoscaler decides from now on, and could make fewer."""
    dropped = []
    for new, old in pairs:
        now = old.get("spec", "replicas")
        if new.id.kind != "Deployment" or new.get("spec", "replicas") is not None or not isinstance(now, int):
            continue
        # an autoscaler that had made more than its minimum goes on as before
        before, after = _minimum(live, old), _minimum(rendered, new)
        needed = now if before is None else min(now, before)
        if now > 1 and (after is None or after < needed):
            dropped.append((new, [f"{now} run, the autoscaler's minimum is {'not known' if after is None else after}"]))
    return finding(
        "replicas",
        Level.WARNING,
        "The chart leaves the replicas of these Deployments to an autoscaler, and more than its minimum run now.",
        "Make sure that the autoscaler's minimum is what you need before the release is applied.",
        dropped,
    )


def _minimum(objects: Sequence[Known], workload: Known) -> int | None:
    """The fewest pods that an autoscaler of a workload keeps; None without one."""
    for item in index(objects).values():
        target = look_up(item.data, "spec", "scaleTargetRef", "name")
        same = item.id.kind == "HorizontalPodAutoscaler" and item.id.namespace == workload.id.namespace
        if same and target == workload.id.name:
            fewest = item.get("spec", "minReplicas")
            return fewest if isinstance(fewest, int) else 1
    return None


def _labels(new: Mapping[str, str], old: Mapping[str, str]) -> list[str]:
    """What differs between two label maps, by keys."""
    only_live = [f"label {key}: only on the live one" for key in sorted(old.keys() - new.keys())]
    only_new = [f"label {key}: only in the release" for key in sorted(new.keys() - old.keys())]
    other = [f"label {key}: another value" for key in sorted(old.keys() & new.keys()) if old[key] != new[key]]
    return [*only_live, *only_new, *other]


def _name(port: tuple[str, str]) -> str:
    return port[0] if port[1] == "TCP" else f"{port[0]}/{port[1]}"


def _ports(service: Known) -> dict[tuple[str, str], str]:
    """(port, protocol) -> target port; a missing target is the port itself."""
    ports = service.get("spec", "ports")
    return {
        (str(port.get("port")), str(port.get("protocol") or "TCP")): str(port.get("targetPort") or port.get("port"))
        for port in ports or []
        if isinstance(port, dict)
    }
