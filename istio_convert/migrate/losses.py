"""What the last step would delete although it protects or serves traffic, and nothing takes its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from istio_convert.migrate.model import Finding, Level
from istio_convert.migrate.objects import Known


@dataclass(frozen=True, slots=True)
class Loss:
    """A kind whose loss is a finding.

    Attributes:
        id: of the finding.
        what: what the deletion means.
        cure: what to do.
    """

    id: str
    what: str
    cure: str


_OWN = "or keep one of your own beside the releases, without the operator's labels"
_WORKLOAD = Loss(
    "workload-removed",
    "its pods go with it.",
    "Add it to the operator when it is still in use, and plan again.",
)
_LOSSES: Mapping[str, Loss] = {
    "PodDisruptionBudget": Loss(
        "budget-removed",
        "draining nodes may then take all pods at once.",
        "Charts that render a budget for two pods or more only count them in the values, not in hpaSpec: set "
        "values.pilot.autoscaleMin (istiod), values.gateways.istio-ingressgateway.autoscaleMin or "
        f"values.gateways.istio-egressgateway.autoscaleMin to 2 or more, and plan again; {_OWN}.",
    ),
    "HorizontalPodAutoscaler": Loss(
        "autoscaler-removed",
        "the number of pods then stays as it is.",
        f"Switch the autoscaling on in the operator (autoscaleEnabled, hpaSpec), and plan again; {_OWN}.",
    ),
    "Service": Loss(
        "service-removed",
        "its address goes, and whoever calls it gets no answer.",
        f"Add it to the operator, and plan again; {_OWN}; or make sure that nobody calls it.",
    ),
    "NetworkPolicy": Loss(
        "policy-removed",
        "what it forbids is then allowed.",
        f"Switch it on in the operator (values.global.networkPolicy.enabled), and plan again; {_OWN}.",
    ),
    "Deployment": _WORKLOAD,
    "DaemonSet": _WORKLOAD,
}


def of_removed(
    gone: Sequence[Known], rendered: Sequence[Known], successors: Mapping[tuple[str, str], str]
) -> list[Finding]:
    """Findings about what the last step deletes, one for each kind.

    Args:
        gone: what it deletes.
        rendered: what the releases render.
        successors: (namespace, name) of the workloads that a canary replaces -> the new name; empty in place.
    """
    there = {(item.id.kind, item.id.namespace, item.id.name) for item in rendered}
    found: dict[Loss, list[Known]] = {}
    for item in gone:
        loss = _LOSSES.get(item.id.kind)
        successor = successors.get((item.id.namespace, item.id.name))
        if loss and (item.id.kind, item.id.namespace, successor) not in there:
            found.setdefault(loss, []).append(item)
    return [
        Finding(
            loss.id,
            Level.WARNING,
            f"Step 80 would delete what no release renders: {loss.what}",
            loss.cure,
            tuple(sorted(str(item.id) for item in items)),
        )
        for loss, items in found.items()
    ]
