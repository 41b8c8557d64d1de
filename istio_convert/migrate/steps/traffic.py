"""Requests move to the second gateways, in steps that each have their way back."""

from __future__ import annotations

import json
from collections.abc import Sequence

from istio_convert.migrate.context import Context, OldGateway
from istio_convert.migrate.model import Command, Step
from istio_convert.migrate.options import split_name
from istio_convert.migrate.shell import TIMEOUT, command, present
from istio_convert.migrate.stages import main_workload

_FIRST = 50
_INGRESS = "ingress.networking.k8s.io"
_ACTION = "alb.ingress.kubernetes.io/actions."
_WORKLOADS = ("deployment.apps", "daemonset.apps")
_DNS = "external-dns.alpha.kubernetes.io/"


def steps(context: Context) -> list[Step]:
    """``50-traffic-…`` and following."""
    if not context.gateways:
        return []
    if context.options.traffic == "selector":
        return _by_selector(context)
    shares = context.options.weights
    before = (0, *shares[:-1])
    make = _alb if context.options.traffic == "alb" else _dns
    return [
        _weighted(context, number, share, previous, make)
        for number, (share, previous) in enumerate(zip(shares, before, strict=True), start=_FIRST)
    ]


def _weighted(context: Context, number: int, share: int, previous: int, make: object) -> Step:
    apply = _alb if make is _alb else _dns
    weighted, others = _split(context)
    change = [item for gateway in weighted for item in apply(context, gateway, share)]
    back = _served(weighted if share < 100 else context.gateways)
    back += [item for gateway in weighted for item in apply(context, gateway, previous)]
    if share == 100:
        change += [item for gateway in others for item in _select(gateway, gateway.new_name)]
        back += [item for gateway in others for item in _select(gateway, gateway.labels.get("app"))]
    name = "the ALB's target groups" if make is _alb else "weighted DNS records"
    why = [f"{100 - share} % of the requests go to the old gateway, {share} % to the new one, by {name}."]
    if share < 100:
        why.append("Watch errors and latency of both for as long as your traffic needs; then go on.")
    if apply is _dns:
        why.append("Resolvers keep the old answer for the record's TTL: the shares settle after that.")
    after = [] if apply is _dns else [_alb_check(context, gateway, share) for gateway in weighted]
    after += [selects(gateway, gateway.new_name) for gateway in others if share == 100]
    return Step(
        number,
        f"traffic-{share}",
        f"Send {share} % of the traffic to the new gateways",
        tuple(why),
        (*_ready(context), *_enough([(g, share) for g in weighted] + [(g, 100) for g in others if share == 100])),
        tuple(change),
        tuple(after),
        tuple(back),
    )


def moved(context: Context) -> tuple[Command, ...]:
    """Checks that all requests go to the new gateways, as far as the cluster tells."""
    weighted, others = _split(context) if context.options.traffic != "selector" else ([], context.gateways)
    checks = [selects(gateway, gateway.new_name) for gateway in others]
    if context.options.traffic == "alb":
        namespace, ingress = split_name(context.options.alb_ingress, "the ALB's Ingress")
        for gateway in weighted:
            shares = (_alb_action(context, gateway, 100), _alb_action(context, gateway, 100, alone=True))
            checks.append(command("has_annotation", _INGRESS, ingress, namespace, _ACTION + gateway.name, *shares))
    if context.options.traffic == "dns":
        key = f"{_DNS}aws-weight"
        checks += [command("has_annotation", "service", g.new_name, g.namespace, key, "100") for g in weighted]
    return tuple(checks)


def unused(context: Context, *, removed: bool = False) -> list[Command]:
    """Checks that no pod has a proxy of an old revision, but for those of the gateways that the plan replaces.

    Those run until the last step deletes their Deployments.

    Args:
        context: the plan's.
        removed: only of the gateways that the last step deletes: any other would stay without its control plane.
    """
    gone = {(item.namespace, item.name) for item in context.removals or () if item.resource in _WORKLOADS}
    replaced = [
        f"{gateway.namespace}/{gateway.name}"
        for gateway in context.gateways
        if not removed or (gateway.namespace, gateway.name) in gone
    ]
    why = "nobody uses the old one" + (", but for the old gateways" if replaced else "")
    return [command("no_proxies_of", old, *replaced, why=why) for old in context.old_revisions]


def last_target_group(context: Context) -> list[Command]:
    """The ALB's action without the old Service, which is about to go."""
    if context.options.traffic != "alb":
        return []
    weighted, _ = _split(context)
    return [
        _alb_annotation(
            context, gateway, _alb_action(context, gateway, 100, alone=True), "the old Service is about to go"
        )
        for gateway in weighted
    ]


def both_target_groups(context: Context) -> list[Command]:
    """The ALB's action with both Services again."""
    if context.options.traffic != "alb":
        return []
    weighted, _ = _split(context)
    return [_alb_annotation(context, gateway, _alb_action(context, gateway, 100), "as before") for gateway in weighted]


def _split(context: Context) -> tuple[list[OldGateway], list[OldGateway]]:
    """The gateway behind the ALB or the DNS name, and the others, which move by their Service."""
    return list(context.gateways[:1]), list(context.gateways[1:])


def _ready(context: Context) -> list[Command]:
    found = []
    for gateway in context.gateways:
        workload = main_workload(gateway.release)
        if workload:
            resource, name = workload
            found.append(
                command(
                    "wait_for", "kubectl", "rollout", "status", resource, name, "--namespace", gateway.namespace,
                    TIMEOUT, why="the new gateway is ready",
                )
            )  # fmt: skip
    return found


def _served(gateways: Sequence[OldGateway]) -> list[Command]:
    """Checks that the old gateways can take the traffic back: step 80 removes them."""
    return [
        command(
            "can_serve", workload[0], gateway.name, gateway.namespace,
            why="traffic goes back to it; when step 80 has run, undo that first",
        )
        for gateway in gateways
        if (workload := main_workload(gateway.release))
    ]  # fmt: skip


def _enough(shares: list[tuple[OldGateway, int]]) -> list[Command]:
    """Checks that the new pods can take what is about to come: an autoscaler comes too late for a jump."""
    found = []
    for gateway, share in shares:
        if workload := main_workload(gateway.release):
            resource, name = workload
            words = (str(share), resource, gateway.name, name, gateway.namespace)
            found.append(command("enough_pods", *words, why="an autoscaler comes too late for a jump"))
    return [*found, command("no_blockers", why="ACCEPT=fewer-pods goes on all the same")] if found else []


def _alb(context: Context, gateway: OldGateway, share: int) -> list[Command]:
    namespace, ingress = split_name(context.options.alb_ingress, "the ALB's Ingress")
    why = "the load balancer controller sets the weights of the two target groups"
    return [
        command("alb_uses_action", namespace, ingress, gateway.name, why="else the annotation has no effect"),
        _alb_annotation(context, gateway, _alb_action(context, gateway, share), why),
    ]


def _alb_annotation(context: Context, gateway: OldGateway, action: str, why: str) -> Command:
    namespace, ingress = split_name(context.options.alb_ingress, "the ALB's Ingress")
    annotation = f"{_ACTION}{gateway.name}={action}"
    return command(
        "kubectl", "annotate", _INGRESS, ingress, "--namespace", namespace, "--overwrite", annotation, why=why
    )  # fmt: skip


def _alb_check(context: Context, gateway: OldGateway, share: int) -> Command:
    namespace, ingress = split_name(context.options.alb_ingress, "the ALB's Ingress")
    action = _alb_action(context, gateway, share)
    return command("has_annotation", _INGRESS, ingress, namespace, f"{_ACTION}{gateway.name}", action)


def _alb_action(context: Context, gateway: OldGateway, share: int, *, alone: bool = False) -> str:
    port = context.options.alb_port
    groups = [
        {"serviceName": gateway.name, "servicePort": port, "weight": 100 - share},
        {"serviceName": gateway.new_name, "servicePort": port, "weight": share},
    ]
    if alone:
        del groups[0]
    return json.dumps({"type": "forward", "forwardConfig": {"targetGroups": groups}}, separators=(",", ":"))


def _dns(context: Context, gateway: OldGateway, share: int) -> list[Command]:
    return [
        command(
            "kubectl", "annotate", "service", name, "--namespace", gateway.namespace, "--overwrite",
            f"{_DNS}hostname={context.options.dns_name}", f"{_DNS}set-identifier={name}",
            f"{_DNS}aws-weight={weight}",
            why="external-dns writes the weight of this record",
        )
        for name, weight in ((gateway.name, 100 - share), (gateway.new_name, share))
    ]  # fmt: skip


def _by_selector(context: Context) -> list[Step]:
    """The Service stays, and with it its address; what it selects changes."""
    found = []
    shared = [gateway for gateway in context.gateways if not _labels_shared(context, gateway)]
    if shared:
        found.append(
            Step(
                _FIRST,
                "traffic-both",
                "Send traffic to both gateways",
                (
                    (
                        "The Service drops the label `app` from its selector, and selects the pods of both gateways. "
                        "Its address stays. The shares follow the number of pods."
                    ),
                ),
                tuple(_ready(context)),
                tuple(item for gateway in shared for item in _select(gateway, None)),
                tuple(selects(gateway, "") for gateway in shared),
                (
                    *_served(shared),
                    *(item for gateway in shared for item in _select(gateway, gateway.labels.get("app"))),
                ),
            )
        )
    found.append(
        Step(
            _FIRST + len(found),
            "traffic-100",
            "Send all traffic to the new gateways",
            (
                "The Service selects the pods of the new gateway only.",
                "The old pods run on without new connections. Those that are open stay until step 80 deletes the pods.",
            ),
            (*_ready(context), *_enough([(gateway, 100) for gateway in context.gateways])),
            tuple(item for gateway in context.gateways for item in _select(gateway, gateway.new_name)),
            moved(context),
            (
                *_served(context.gateways),
                *(
                    item
                    for gateway in context.gateways
                    for item in _select(gateway, None if gateway in shared else gateway.labels.get("app"))
                ),
            ),
        )
    )
    return found


def _labels_shared(context: Context, gateway: OldGateway) -> bool:
    """Whether another gateway of the namespace would be selected too when ``app`` no longer counts."""
    rest = {key: value for key, value in gateway.labels.items() if key != "app"}
    return any(
        other is not gateway
        and other.namespace == gateway.namespace
        and all(other.labels.get(key) == value for key, value in rest.items())
        for other in context.gateways
    )


def selects(gateway: OldGateway, app: str) -> Command:
    """A check of what the gateway's Service selects."""
    return command("service_selects", gateway.namespace, gateway.name, "app", app)


def _select(gateway: OldGateway, app: str | None) -> list[Command]:
    patch = json.dumps({"spec": {"selector": {"app": app}}}, separators=(",", ":"))
    return [
        command(
            "kubectl", "patch", "service", gateway.name, "--namespace", gateway.namespace, "--type=merge",
            "--patch", patch,
            guard=present("service", gateway.name, gateway.namespace),
        )
    ]  # fmt: skip
