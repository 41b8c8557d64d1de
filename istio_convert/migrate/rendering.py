"""What the plan needs rendered: the releases of every stage, and what the old istioctl applied."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.errors import ChartsMissingError, RenderError
from istio_convert.migrate.model import Stage
from istio_convert.verify import candidate, reference
from istio_convert.verify.charts import locate
from istio_convert.verify.manifests import Rendered


def render_stages(stages: Sequence[Stage], version: str, charts: str | None = None) -> dict[str, list[Rendered]] | None:
    """What each stage renders, by the stage's name; None when the charts are not on this machine.

    Raises:
        RenderError: Helm or Kustomize refuses.
    """
    try:
        found = locate(version, charts)
    except ChartsMissingError:
        return None
    return {stage.name: candidate.render(stage.releases, found) for stage in stages}


def render_old(
    operators: Sequence[tuple[str, str]], version: str, charts: str | None = None, sets: Sequence[str] = ()
) -> list[Rendered] | None:
    """What the istioctl of a release applies for the operators.

    None when the release is not on this machine with istioctl's own charts, or when its rules are not known.
    """
    try:
        found = locate(version, charts)
        if not found.has_reference:
            return None
        return reference.generate(operators, found, sets=sets)
    except (ChartsMissingError, RenderError):
        return None
