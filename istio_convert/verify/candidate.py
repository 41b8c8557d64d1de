"""The Helm side of the proof: each release rendered by Helm, then patched by Kustomize, as a GitOps tool would."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.release import Release
from istio_convert.verify import helm, kustomize
from istio_convert.verify.charts import ReleaseCharts
from istio_convert.verify.manifests import Rendered


def render(releases: Sequence[Release], charts: ReleaseCharts, *, binary: bool = False) -> list[Rendered]:
    """What the cluster would get from the releases.

    Args:
        releases: the releases, all of one chart version.
        charts: the charts of that version.
        binary: use the ``helm`` program on PATH instead of the Helm SDK.

    Returns:
        Every object with its release, in release order.

    Raises:
        RenderError: Helm or Kustomize refuses, or a patch selects not exactly one object.
    """
    rendered = {
        f"{release.namespace}/{release.name}": (
            helm.render(
                charts,
                release.chart,
                release.values_data(),
                name=release.name,
                namespace=release.namespace,
                skip_schema=release.skip_schema,
                binary=binary,
                for_kustomize=bool(release.patches),
            ),
            release.patches,
        )
        for release in releases
    }
    patched = kustomize.apply(rendered)
    return [
        Rendered(release.name, release.namespace, obj)
        for release in releases
        for obj in patched[f"{release.namespace}/{release.name}"]
    ]
