"""One proof: render both sides, compare them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from istio_convert.errors import RenderError, VerifyError
from istio_convert.paths import Path
from istio_convert.release import Release
from istio_convert.verify import candidate, reference
from istio_convert.verify.charts import ReleaseCharts, locate
from istio_convert.verify.compare import compare
from istio_convert.verify.findings import Verification
from istio_convert.verify.live import is_live
from istio_convert.verify.manifests import Object, ObjectId, Rendered, object_id, parse_objects, without_log
from istio_convert.verify.tags import pinned_tags

_NO_PLANE = (
    "gateways without their control plane: injection is taken to give what a control plane without settings gives; "
    "name the control plane's operator, too, to compare with what it gives"
)
_OWN_LABELS = ("operator.istio.io/component", "install.operator.istio.io/owning-resource")


@dataclass(frozen=True, slots=True)
class Expected:
    """istioctl's side of a proof.

    Attributes:
        objects: its objects.
        tags: pinned image tags that are read as the release.
        source: what this side is called.
        notes: what limits the proof.
        live: whether the objects are those of a cluster or a file, not built in.
    """

    objects: tuple[Rendered, ...]
    tags: dict[str, str]
    source: str
    notes: tuple[str, ...] = ()
    live: bool = False


def verify(  # noqa: PLR0913 (each is one choice of the person who verifies)
    operators: Sequence[tuple[str, str]],
    releases: Sequence[Release],
    version: str,
    *,
    sets: Sequence[str] = (),
    charts: ReleaseCharts | str | os.PathLike[str] | None = None,
    given: tuple[str, str] | None = None,
    leave_out: Collection[Path] = (),
    keep_tags: bool = False,
    binary: bool = False,
) -> Verification:
    """Compare what istioctl would apply for operators with what Helm and Kustomize would for releases.

    Args:
        operators: (name, text) of the operator files.
        releases: what they were converted to.
        version: the release that both sides are rendered at.
        sets: texts of ``--set``.
        charts: the charts, or the folder they lie in; by default those of the cache.
        given: (name, text) of manifests to take as istioctl's side: output of ``istioctl manifest generate``, or
            ``kubectl get -o yaml`` of the live objects.
        leave_out: paths in the operators (``("spec", "values", …)``), in the order of the file, that istioctl's side
            does without: settings that this istioctl refuses, and that the conversion leaves to a person.
        keep_tags: compare pinned image tags as they are; by default one that names another release is read as
            ``version``, as the conversion does.
        binary: render with the ``helm`` program on PATH.

    Returns:
        Every object of either side with its differences.

    Raises:
        ChartsMissingError: the charts are not on this machine.
        RenderError: one side cannot be rendered, or a patch selects not exactly one object.
        NotIstioOperatorError: there is no operator in the files.
    """
    if not isinstance(charts, ReleaseCharts):
        charts = locate(version, charts)
    expected = expect(operators, charts, sets=sets, given=given, leave_out=leave_out, keep_tags=keep_tags)
    return judge(expected, candidate.render(releases, charts, binary=binary), version)


def expect(
    operators: Sequence[tuple[str, str]],
    charts: ReleaseCharts,
    *,
    sets: Sequence[str] = (),
    given: tuple[str, str] | None = None,
    leave_out: Collection[Path] = (),
    keep_tags: bool = False,
) -> Expected:
    """Render istioctl's side; arguments and errors as for :func:`verify`."""
    notes: list[str] = []
    objects, tags, source = _reference(operators, charts, sets, given, leave_out, notes)
    if charts.stored_as != charts.version:
        notes.append(f"rendered with the charts of {charts.stored_as}, which stand for {charts.version}")
    return Expected(tuple(objects), {} if keep_tags else tags, source, tuple(notes), live=given is not None)


def judge(expected: Expected, actual: Sequence[Rendered], version: str) -> Verification:
    """Compare both sides.

    Args:
        expected: istioctl's side.
        actual: Helm's side.
        version: the release of both.
    """
    notes = list(expected.notes)
    objects = list(expected.objects)
    if expected.live:
        objects = _own_objects(objects, {item.id for item in actual}, notes)
    notes += _doubled(actual)
    compared = compare(objects, actual, tags=expected.tags)
    return Verification(version, tuple(compared), expected.source, tuple(notes), expected.tags)


def _doubled(actual: Sequence[Rendered]) -> Iterator[str]:
    """What one release renders more than once."""
    for (release, identity), times in Counter((item.release, item.id) for item in actual).items():
        if times > 1:
            yield f"release {release} renders {identity} {times} times: Helm upgrades that, but cannot install it"


def _reference(
    operators: Sequence[tuple[str, str]],
    charts: ReleaseCharts,
    sets: Sequence[str],
    given: tuple[str, str] | None,
    leave_out: Collection[Path],
    notes: list[str],
) -> tuple[list[Rendered], dict[str, str], str]:
    """The objects of istioctl's side, the pinned tags, and what to call that side."""
    if given is None and not charts.has_reference:
        raise VerifyError(
            f"the charts of {charts.version} here came without istioctl's own gateway charts and profiles",
            hint="add an unpacked Istio release: istio-convert charts add PATH; or give istioctl's output: --reference",
        )
    built: list[Rendered] = []
    tags: dict[str, str] = {}
    if charts.has_reference:
        semantics = reference.semantics_of(charts.version)
        try:
            with reference.located(operators):
                merged = reference.merge_all(operators, charts, sets=sets, leave_out=leave_out)
                tags = pinned_tags(merged, charts.version)
                built = reference.render_all(merged, charts, semantics)
            if reference.lacks_plane(merged, semantics):
                notes.append(_NO_PLANE)
        except RenderError:
            if given is None:
                raise
            notes.append("the built-in istioctl cannot render the operator: gateway defaults are told by their names")
    elif given is not None:
        notes.append("without istioctl's gateway charts, gateway defaults are told by their names")
    if given is None:
        return built, tags, f"built-in istioctl {charts.version}"
    plain = {item.id: item for item in built}
    name, text = given
    return [_given(obj, plain) for obj in parse_objects(without_log(text), name)], tags, name


def _given(obj: Object, built: dict[ObjectId, Rendered]) -> Rendered:
    item = Rendered("", "", obj)
    counterpart = built.get(object_id(obj))
    if counterpart is None:
        return item
    return Rendered(counterpart.release, counterpart.namespace, obj, counterpart.plain)


def _own_objects(objects: list[Rendered], wanted: set[ObjectId], notes: list[str]) -> list[Rendered]:
    """Given objects without those of a cluster that neither side of the proof is about."""
    kept, passed = [], 0
    for item in objects:
        labels = (item.object.get("metadata") or {}).get("labels") or {}
        if item.id in wanted or not is_live(item.object) or any(label in labels for label in _OWN_LABELS):
            kept.append(item)
        else:
            passed += 1
    if passed:
        notes.append(f"{passed} live objects are neither rendered by Helm nor labelled by istioctl, and not compared")
    return kept
