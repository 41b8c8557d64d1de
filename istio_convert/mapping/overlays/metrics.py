"""Overlays into metrics that the operator's hpaSpec writes in the form of autoscaling/v2beta1."""

from __future__ import annotations

from istio_convert.mapping.converters.general import metric_v2
from istio_convert.mapping.overlays.path import Step
from istio_convert.source.nodes import Mapping, Sequence, get, to_data

OLD_METRIC = (
    "hpaSpec writes this metric in the form of autoscaling/v2beta1, and istioctl leaves the overlay beside it: the API "
    "server finds no target of one form and refuses the autoscaler"
)
OLD_METRIC_ACTION = "write the metric with a target (type, averageUtilization) in hpaSpec, and remove the overlay"
_METRICS = ("spec", "metrics")


def into_old_metric(k8s: Mapping, kind: str, steps: tuple[Step, ...]) -> bool:
    """Whether an overlay changes a part of such a metric.

    Args:
        k8s: the component's settings.
        kind: kind of the object.
        steps: the overlay's path.
    """
    if kind != "HorizontalPodAutoscaler" or steps[:2] != _METRICS or len(steps) < 4:
        return False
    metrics = get(k8s, ("hpaSpec", "metrics"))
    found = metrics.items if isinstance(metrics, Sequence) else []
    if isinstance(steps[2], int):
        found = found[steps[2] : steps[2] + 1 or None]
    return any(to_data(metric_v2(metric)) != to_data(metric) for metric in found)
