"""istioctl's side of the proof: the objects that the istioctl of a release would apply for an operator.

Own code from facts read off Istio's sources: it shares nothing with the mapping rules that it judges.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from istio_convert.errors import RenderError
from istio_convert.paths import Path
from istio_convert.verify import helm
from istio_convert.verify.charts import ReleaseCharts
from istio_convert.verify.manifests import Object, Rendered, object_id
from istio_convert.verify.reference.components import Instance, chart_values, instances, plain_values
from istio_convert.verify.reference.inputs import assumed_plane, group_operators, merge_inputs, read_operators
from istio_convert.verify.reference.refused import located
from istio_convert.verify.reference.semantics import Semantics, semantics_of
from istio_convert.verify.reference.settings import apply_settings
from istio_convert.verify.reference.tree import Tree, get_path, go_text, take_out

__all__ = ["Semantics", "generate", "lacks_plane", "located", "merge_all", "render_all", "semantics_of"]

#: Components that bring the settings of injection.
_PLANES = ("pilot", "istiodRemote")
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
    with located(operators):
        return render_all(merge_all(operators, charts, sets=sets, semantics=rules), charts, rules)


def merge_all(
    operators: Sequence[tuple[str, str]],
    charts: ReleaseCharts,
    *,
    sets: Sequence[str] = (),
    leave_out: Collection[Path] = (),
    semantics: Semantics | None = None,
) -> list[Tree]:
    """The merged operators of files, see :func:`generate`.

    Args:
        operators: (name, text) of each operator file.
        charts: whose profiles are used.
        sets: texts of ``--set``.
        leave_out: paths in the documents, in their order there, that are taken out before merging.
        semantics: of the istioctl; by default those of the charts' release.

    Raises:
        NotIstioOperatorError: there is no operator in the files.
        RenderError: no such profile, or a flag that cannot be applied.
    """
    rules = semantics or semantics_of(charts.version)
    documents = read_operators(operators)
    for document in documents:
        for path in reversed(list(leave_out)):  # from the end, so that list positions stay right
            take_out(document, path)
    return [merge_inputs(group, sets, charts, rules) for group in group_operators(documents)]


def render_all(operators: Sequence[Tree], charts: ReleaseCharts, semantics: Semantics) -> list[Rendered]:
    """The objects of merged operators, see :func:`generate`."""
    found = [(merged, instance) for merged in operators for instance in instances(merged, semantics)]
    planes = _planes(found)
    result: list[Rendered] = []
    for merged, instance in found:
        objects = _render(merged, instance, charts, semantics)
        if instance.component.many:
            plane = planes.get(_revision(merged)) or assumed_plane(merged, charts, semantics)
            objects = _with_plain(objects, plain_values(plane, merged, instance), instance, charts)
        result += objects
    return result


def lacks_plane(operators: Sequence[Tree], semantics: Semantics) -> bool:
    """Whether there is a gateway whose control plane is none of merged operators."""
    found = [(merged, instance) for merged in operators for instance in instances(merged, semantics)]
    planes = _planes(found)
    return any(instance.component.many and _revision(merged) not in planes for merged, instance in found)


def _planes(found: Sequence[tuple[Tree, Instance]]) -> dict[str, Tree]:
    """The operators that install a control plane, or set up the injection by one outside, by its revision."""
    return {_revision(merged): merged for merged, instance in found if instance.component.name in _PLANES}


def _revision(merged: Tree) -> str:
    return go_text(get_path(merged, "spec", "values", "revision") or "")


def _render(merged: Tree, instance: Instance, charts: ReleaseCharts, semantics: Semantics) -> list[Rendered]:
    values = chart_values(merged, instance, semantics)
    objects = _chart(values, instance, charts)
    patched = apply_settings(objects, instance, values, semantics)
    return [Rendered(instance.component.name, instance.namespace, obj) for obj in patched]


def _chart(values: Tree, instance: Instance, charts: ReleaseCharts) -> list[Object]:
    chart = instance.component.chart
    wants_crds = get_path(values, "base", "enableIstioConfigCRDs") is not False
    try:
        return helm.render(
            charts,
            chart,
            values,
            name=RELEASE_NAME,
            namespace=instance.namespace,
            crd_folder=chart != "base" or wants_crds,
        )
    except RenderError as error:
        raise RenderError(f"istioctl's side, component {instance.component.name}: {error.message}") from error


def _with_plain(objects: list[Rendered], values: Tree, instance: Instance, charts: ReleaseCharts) -> list[Rendered]:
    """Gateway objects with their plain counterparts beside them."""
    try:
        rendered = _chart(values, instance, charts)
    except RenderError:
        # the control plane's settings do not fit the gateway chart: then nothing of this gateway counts as plain
        return objects
    plain = {object_id(obj, instance.namespace): obj for obj in rendered}
    return [Rendered(r.release, r.namespace, r.object, plain.get(r.id)) for r in objects]
