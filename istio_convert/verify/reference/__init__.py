"""istioctl's side of the proof: the objects that the istioctl of a release would apply for an operator.

Own code from facts read off Istio's sources: it shares nothing with the mapping rules that it judges.
"""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.errors import RenderError
from istio_convert.verify import helm
from istio_convert.verify.charts import ReleaseCharts
from istio_convert.verify.manifests import Object, Rendered
from istio_convert.verify.reference.components import Instance, chart_values, instances
from istio_convert.verify.reference.inputs import group_operators, merge_inputs, read_operators
from istio_convert.verify.reference.semantics import Semantics, semantics_of
from istio_convert.verify.reference.settings import apply_settings
from istio_convert.verify.reference.tree import Tree, get_path

__all__ = ["Semantics", "generate", "semantics_of"]

#: istioctl renders every component under this release name.
RELEASE_NAME = "istio"


def generate(
    operators: Sequence[tuple[str, str]],
    charts: ReleaseCharts,
    *,
    sets: Sequence[str] = (),
    semantics: Semantics | None = None,
) -> list[Rendered]:
    """What istioctl would apply.

    Args:
        operators: (name, text) of each operator file. Documents of one operator are laid over one another; several
            operators are rendered one by one, and their objects put together.
        charts: an unpacked Istio release: charts, istioctl's gateway charts, profiles.
        sets: texts of ``--set``, applied to every operator.
        semantics: of the istioctl; by default those of the charts' release.

    Returns:
        The objects, each with the component that it comes from. They may be shared: copy before changing one.

    Raises:
        NotIstioOperatorError: there is no operator in the files.
        RenderError: istioctl or Helm refuses, or the charts lack what istioctl needs.
    """
    rules = semantics or semantics_of(charts.version)
    result: list[Rendered] = []
    for documents in group_operators(read_operators(operators)):
        merged = merge_inputs(documents, sets, charts, rules)
        for instance in instances(merged):
            result += _render(merged, instance, charts, rules)
    return result


def _render(merged: Tree, instance: Instance, charts: ReleaseCharts, semantics: Semantics) -> list[Rendered]:
    values = chart_values(merged, instance, semantics)
    chart = instance.component.chart
    wants_crds = get_path(values, "base", "enableIstioConfigCRDs") is not False
    try:
        objects: list[Object] = helm.render(
            charts,
            chart,
            values,
            name=RELEASE_NAME,
            namespace=instance.namespace,
            crd_folder=chart != "base" or wants_crds,
        )
    except RenderError as error:
        raise RenderError(f"istioctl's side, component {instance.component.name}: {error.message}") from error
    patched = apply_settings(objects, instance, values, semantics)
    return [Rendered(instance.component.name, instance.namespace, obj) for obj in patched]
