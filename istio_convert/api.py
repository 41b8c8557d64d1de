"""The library's entry: text in, :class:`Conversion` out. Nothing here prints, reads the environment or renders."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from istio_convert.emit import Changes, EmitOptions, emit
from istio_convert.emit import write as write_folder
from istio_convert.emit.valid import check_values
from istio_convert.errors import Issue, LossError
from istio_convert.ledger import ClosedLedger, Outcome
from istio_convert.mapping.checks.spelling import misspelt
from istio_convert.mapping.engine import Engine
from istio_convert.mapping.target import choose, upgrade
from istio_convert.operator.documents import find_operators
from istio_convert.operator.effective import Effective, build, group, user_spec
from istio_convert.operator.templates import MARKS, unrendered
from istio_convert.paths import render
from istio_convert.release import Release
from istio_convert.report import Report, todo
from istio_convert.report import build as build_report
from istio_convert.report import render as render_report
from istio_convert.source import go_text_differs, read
from istio_convert.source.nodes import Document, Leaf

_WHOLE = re.compile(r"[-+]?\d+\.0+")
#: fields that hold texts, or maps of texts
_TEXTS = frozenset(
    (
        *("tag", "variant", "revision", "env", "proxyMetadata", "overlays"),
        *("label", "labels", "annotations", "podAnnotations", "serviceAnnotations"),
        *("nodeSelector", "matchLabels", "selector"),
    )
)


@dataclass(frozen=True, slots=True)
class Source:
    """One input.

    Attributes:
        name: how messages call it (a file name, or ``-``).
        text: YAML with one or more IstioOperators, or a dump of them.
    """

    name: str
    text: str | bytes


@dataclass(slots=True)
class Conversion:
    """What became of the operators.

    Attributes:
        version: version of the charts.
        why_version: why it is that one.
        provisional: whether the facts about that version are those of a release candidate.
        releases: Helm releases in the order in which they are applied.
        ledger: one entry for every leaf of the input.
        warnings: what is odd, but understood.
        sources: the inputs.
        operators: the operators after merging.
        sets: the ``--set`` flags.
        proof: the page of the proof in Markdown, without values; empty as long as there was none.
        left_behind: what the proof finds of istioctl's that no release takes over, and what to do about it, one line
            each; empty as long as there was none.
        upgrade: that applying the result is an upgrade (or a way back), too, as far as the operators' tags and
            revisions say it; empty when it is none.
    """

    version: str
    why_version: str
    provisional: bool
    releases: list[Release]
    ledger: ClosedLedger
    warnings: list[Issue] = field(default_factory=list)
    sources: tuple[Source, ...] = ()
    operators: list[Effective] = field(default_factory=list)
    sets: tuple[str, ...] = ()
    proof: str = ""
    left_behind: tuple[str, ...] = ()
    upgrade: str = ""

    def raise_for_loss(self, level: Outcome = Outcome.LOST) -> None:
        """Raise when an entry is as severe as ``level`` or worse.

        Raises:
            LossError: names the first such entry.
        """
        for entry in self.ledger.entries:
            if entry.outcome.severity >= level.severity > 0:
                raise LossError(f"{entry.outcome.value}: {entry.reason}", origin=entry.leaf.origin, hint=entry.action)

    @property
    def report(self) -> Report:
        """The report, without values of the input; :func:`istio_convert.report.build` makes one with them."""
        return build_report(self)

    def files(
        self, target: str = "flux", options: EmitOptions | None = None, *, show_values: bool = False
    ) -> dict[str, str]:
        """Everything that :meth:`write` puts into a folder.

        Args:
            target: a key of :data:`istio_convert.emit.EMITTERS`: ``flux``, ``argocd``, ``helmfile``, ``helm``,
                ``terraform`` or ``manifests``.
            options: how the output is to look; None for the defaults.
            show_values: let ``REPORT.md`` and ``report.json`` show values of the input, which may be secrets.

        Returns:
            Relative POSIX path -> text, in a fixed order; ``REPORT.md`` and ``report.json`` are the last two, and
            ``PROOF.md`` stands before them when there was a proof.

        Raises:
            SchemaViolationError: values that the chart's schema refuses.
            InvalidNameError: a name that must not reach a path, an object or a script.
            OutputError: an unknown target, contradicting options, or nothing to write.
            ChartsMissingError: the target renders, and the charts are not on this machine.
            RenderError: the target renders, and a chart or a patch is refused.
        """
        chosen = options or EmitOptions()
        report = build_report(self, show_values=show_values)
        if not chosen.todo:
            chosen = replace(chosen, todo=(*todo(report), *self.left_behind))
        chosen = replace(chosen, upgrade=chosen.upgrade or self.upgrade, proven=bool(self.proof))
        check_values(self.releases)
        files = emit(self.releases, target, chosen)
        if self.proof:
            files["PROOF.md"] = self.proof
        return {**files, "REPORT.md": render_report(report, "markdown"), "report.json": render_report(report, "json")}

    def write(
        self,
        folder: str | os.PathLike[str],
        target: str = "flux",
        *,
        force: bool = False,
        options: EmitOptions | None = None,
        show_values: bool = False,
    ) -> Changes:
        """Replace a folder by the output, whole or not at all.

        Args:
            folder: is created when missing; an existing one must hold only what an earlier run wrote, unchanged.
            target: as for :meth:`files`.
            force: overwrite files that were edited, and leave files of others beside ours.
            options: as for :meth:`files`.
            show_values: as for :meth:`files`.

        Returns:
            What was done.

        Raises:
            OutputExistsError: the folder holds other files, or files that were edited.
            OutputError: it cannot be written, or the result has no valid form.
        """
        return write_folder(folder, self.files(target, options, show_values=show_values), force=force)


def convert(
    source: str | bytes | Source | Sequence[Source],
    *,
    to: str | None = None,
    sets: Sequence[str] = (),
    allow_unknown_version: bool = False,
) -> Conversion:
    r"""Convert one or more IstioOperators.

    Args:
        source: YAML text, or one or several :class:`Source`. Documents without a name, or with the name of the one
            before, are laid over it, as with several ``-f`` of istioctl; others are operators of their own.
        to: chart version, such as ``1.25.3``. Without it: the release that the operator's ``tag`` names or begins
            with (``1.24.6-acme.3``) when the catalog has it, else the newest patch of its minor release; for
            operators without a tag, and with a warning for other tags, the newest final release.
        sets: ``path=value`` in istioctl's ``--set`` syntax, relative to ``spec``; applied to every operator.
        allow_unknown_version: take the nearest older release for one that the catalog does not know.

    Returns:
        The releases and the complete ledger. Losses are entries of the ledger, not exceptions.

    Raises:
        InputError: the text is no YAML, holds no IstioOperator, or one of a wrong shape; or the version is unknown.
        TypeError: a path was given instead of its text.

    Example:
        >>> conversion = convert("apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n", to="1.25.3")
        >>> [release.name for release in conversion.releases]
        ['istio-base', 'istiod', 'istio-ingressgateway']
    """
    with _collector_paused():
        return _convert(_sources(source), to, sets, allow_unknown=allow_unknown_version)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep Python from looking for cycles: a conversion leaves none, and on a large one the search costs half the time.

    The collector belongs to the whole process: where it is off already, it stays so.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _convert(sources: tuple[Source, ...], to: str | None, sets: Sequence[str], *, allow_unknown: bool) -> Conversion:
    documents = [document for item in sources for document in read(item.text, item.name)]
    inputs = find_operators(documents)
    groups = group(inputs)
    merged = [user_spec(documents, list(sets)) for documents in groups]
    choice = choose(merged, to, allow_unknown=allow_unknown)
    catalog = choice.catalog
    also = upgrade(merged, catalog.version)
    operators = [build(documents, spec, catalog) for documents, spec in zip(groups, merged, strict=True)]
    odd = [warning for operator in operators for warning in misspelt(operator.user, catalog)]
    outcomes = Engine(catalog, inputs).run(operators)
    warnings = [warning for operator in inputs.operators for warning in operator.warnings]
    if any(_has_template(item.text) for item in sources):
        warnings += unrendered(inputs.operators)
    warnings = [*choice.warnings, *also.warnings, *warnings, *_lost_texts(documents), *odd, *outcomes.warnings]
    return Conversion(
        catalog.version,
        choice.why,
        catalog.provisional,
        outcomes.releases,
        outcomes.ledger,
        warnings,
        sources,
        operators,
        tuple(sets),
        upgrade=also.words,
    )


def _has_template(text: str | bytes) -> bool:
    """Whether a text holds marks of a template at all: looking for them costs less than looking at every field."""
    if isinstance(text, str):
        return any(mark in text for mark in MARKS)
    return any(mark.encode() in text for mark in MARKS)


def _lost_texts(documents: list[Document]) -> Iterator[Issue]:
    """Scalars that Go, and so istioctl and Helm, reads as something else than they look."""
    for document in documents:
        for leaf in document.leaves:
            if go_text_differs(leaf) and not _is_same_number(leaf):
                kind = "true or false" if isinstance(leaf.value, bool) else "a number in another form"
                words = f"{render(leaf.path)} is read as {kind}, by istioctl, too"
                yield Issue(words, leaf.origin, "put it in quotes if it is meant as text")


def _is_same_number(leaf: Leaf) -> bool:
    """Whether it is a whole number that is written with a fraction, ``5.0``, where a number is meant."""
    return bool(_WHOLE.fullmatch(leaf.text)) and _TEXTS.isdisjoint(leaf.path)


def _sources(source: str | bytes | Source | Sequence[Source]) -> tuple[Source, ...]:
    if isinstance(source, str | bytes):
        return (Source("operator.yaml", source),)
    if isinstance(source, os.PathLike):
        raise TypeError("convert() takes the text of an operator, not a path: convert(path.read_text())")
    return (source,) if isinstance(source, Source) else tuple(source)
