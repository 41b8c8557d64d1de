"""A conversion that is proven, and repaired where the rules fell short.

Both sides are rendered and compared. A difference that nothing explains becomes a patch where one can express it, and
the proof runs again; the ledger says which fields live on in such a patch, and which are lost after all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from istio_convert.errors import Issue, RenderError
from istio_convert.ledger import ClosedLedger, Entry, Outcome, Place
from istio_convert.paths import Path
from istio_convert.release import Patch, Release
from istio_convert.source import read
from istio_convert.source.nodes import Scalar, get
from istio_convert.verify import candidate
from istio_convert.verify.charts import ReleaseCharts, locate
from istio_convert.verify.findings import Compared, Verification
from istio_convert.verify.manifests import ObjectId, Rendered
from istio_convert.verify.proof import Expected, expect, judge
from istio_convert.verify.repair import Repair, patches_of, repairs, without_failed
from istio_convert.verify.show import left_behind, to_markdown

if TYPE_CHECKING:
    from istio_convert.api import Conversion

#: A repair can uncover another difference; more rounds than this have not been seen to help.
_ROUNDS = 4
_OVERLAY = "overlay"
#: Rules about what the injector of a control plane gives that is not converted along: nothing to patch or to lose here.
_OF_THE_PLANE = frozenset({"gateway.image", "gateway.proxy"})
_COMPARE = "compare both renderings there (istio-convert verify --show-values) and write a patch of your own"


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of proving a conversion.

    Attributes:
        conversion: the conversion with the patches that the proof found, its ledger brought up to date.
        verification: the last comparison; what it leaves unexplained no patch can express.
        rounds: how often both sides were compared.
        derived: the changes that the proof found.
    """

    conversion: Conversion
    verification: Verification
    rounds: int
    derived: tuple[Repair, ...] = ()


def operator_texts(conversion: Conversion) -> list[tuple[str, str]]:
    """The inputs of a conversion as (name, text)."""
    return [
        (source.name, source.text if isinstance(source.text, str) else source.text.decode("utf-8-sig"))
        for source in conversion.sources
    ]


def prove(
    conversion: Conversion,
    *,
    charts: ReleaseCharts | str | os.PathLike[str] | None = None,
    binary: bool = False,
) -> Proof:
    """Prove a conversion, and patch what still differs.

    Args:
        conversion: what to prove; not changed.
        charts: the charts, or the folder they lie in; by default those of the cache.
        binary: render with the ``helm`` program on PATH.

    Raises:
        ChartsMissingError: the charts are not on this machine.
        RenderError: one side cannot be rendered.
    """
    if not isinstance(charts, ReleaseCharts):
        charts = locate(conversion.version, charts)
    expected, left_out = _expected(conversion, charts)
    rounds = 0

    def compared(releases: Sequence[Release]) -> tuple[list[Rendered], Verification]:
        nonlocal rounds
        rounds += 1
        actual = candidate.render(releases, charts, binary=binary)
        return actual, judge(expected, actual, conversion.version)

    releases, derived = conversion.releases, list[Repair]()
    actual, proof = compared(releases)
    for _ in range(_ROUNDS):
        wanted = repairs(proof, expected, actual)
        if not wanted:
            break
        trial = _with_patches(releases, wanted)
        then, after = compared(trial)
        kept = without_failed(wanted, after)
        if len(kept) < len(wanted):
            trial = _with_patches(releases, kept)
            then, after = compared(trial)
        if not kept or len(after.unexplained) >= len(proof.unexplained):
            break
        releases, actual, proof, derived = trial, then, after, [*derived, *kept]
    return Proof(_accounted(conversion, releases, proof, derived, left_out), proof, rounds, tuple(derived))


def _expected(conversion: Conversion, charts: ReleaseCharts) -> tuple[Expected, frozenset[Path]]:
    """The objects of istioctl's side, and the paths that it does without.

    These are what an absent control plane decides, and what istioctl refuses, where it refuses something.

    Overlays stay as long as possible: rendering shows what they do.
    """
    manual = [e for e in conversion.ledger.entries if e.outcome is Outcome.MANUAL and not e.places]
    others = [entry.leaf.path for entry in manual if entry.rule != _OVERLAY]
    operators = operator_texts(conversion)

    def attempt(left_out: list[Path]) -> Expected | None:
        try:
            return expect(operators, charts, sets=conversion.sets, leave_out=left_out)
        except RenderError:
            return None

    elsewhere = [entry.leaf.path for entry in manual if entry.rule in _OF_THE_PLANE]
    for left_out in (elsewhere, others):
        if (found := attempt(left_out)) is not None:
            return found, frozenset(left_out)
    everything = [entry.leaf.path for entry in manual]
    return expect(operators, charts, sets=conversion.sets, leave_out=everything), frozenset(everything)


def _with_patches(releases: Sequence[Release], chosen: Sequence[Repair]) -> list[Release]:
    more: Mapping[tuple[str, str], list[Patch]] = patches_of(chosen)
    return [
        replace(release, patches=[*release.patches, *more.get((release.namespace, release.name), ())])
        for release in releases
    ]


# -- the ledger --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Overlay:
    """The overlay that a leaf belongs to.

    Attributes:
        kind, name: its object.
        path: of its patch, as differences write paths, up to a step that only rendering resolves.
    """

    kind: str
    name: str
    path: str

    @property
    def start(self) -> str:
        """The path up to the first list."""
        return self.path.partition("[")[0]


def _accounted(
    conversion: Conversion,
    releases: list[Release],
    proof: Verification,
    derived: Sequence[Repair],
    left_out: Collection[Path],
) -> Conversion:
    """The conversion with its new releases, and with entries and warnings that say what the proof found."""
    overlays = _overlays(conversion)
    named: set[tuple[ObjectId, str]] = set()
    entries = []
    for entry in conversion.ledger.entries:
        lost = _lost(entry, overlays.get(entry), proof)
        if lost is not None:
            named |= {(compared.id, path) for compared, path in lost}
            entries.append(_as_lost(entry, lost))
        elif entry in overlays and entry.leaf.path not in left_out:
            entries.append(_settled(entry, overlays[entry], proof, derived))
        else:
            entries.append(entry)
    warnings = [
        Issue(_words(compared, difference.path), None, _COMPARE)
        for compared in proof.objects
        for difference in compared.unexplained
        if (compared.id, difference.path) not in named
    ]
    return replace(
        conversion,
        releases=releases,
        ledger=ClosedLedger(tuple(entries)),
        warnings=[*conversion.warnings, *warnings],
        proof=to_markdown(proof),
        left_behind=left_behind(proof),
    )


def _overlays(conversion: Conversion) -> dict[Entry, _Overlay]:
    """The overlays that the rules leave to a person, by entry."""
    manual = [e for e in conversion.ledger.entries if e.outcome is Outcome.MANUAL and e.rule == _OVERLAY]
    if not manual:
        return {}
    roots = {
        (source.name, document.index): document.root
        for source in conversion.sources
        for document in read(source.text, source.name)
    }
    found = {}
    for entry in manual:
        leaf = entry.leaf
        root = roots.get((leaf.file, leaf.document))
        if root is None or "overlays" not in leaf.path:
            continue
        end = leaf.path.index("overlays") + 2

        def text(*path: str | int, start: Path = leaf.path[:end], root: object = root) -> str:
            node = get(root, (*start, *path))  # type: ignore[arg-type]
            return str(node.value) if isinstance(node, Scalar) else ""

        rest = leaf.path[end : end + 2]
        path = text(*rest, "path") if len(rest) == 2 and rest[0] == "patches" else ""
        known = re.sub(r"\.?\[\w+:([^\]]+)\]", r"[\1]", path).partition(".[")[0]
        found[entry] = _Overlay(text("kind"), text("name"), known)
    return found


def _lost(entry: Entry, overlay: _Overlay | None, proof: Verification) -> list[tuple[Compared, str]] | None:
    """The differences that are left at what an entry names; None when there are none."""
    found = []
    for compared in proof.objects:
        other = compared.paired_with or compared.id
        names = {(compared.id.kind, compared.id.name), (other.kind, other.name)}
        for difference in compared.unexplained:
            if overlay is not None:
                hit = (overlay.kind, overlay.name) in names and _overlap(overlay.start, difference.path)
            else:
                hit = any(_names(place, names, difference.path) for place in entry.places)
            if hit:
                found.append((compared, difference.path))
    return found or None


def _names(place: Place, objects: Iterable[tuple[str, str]], path: str) -> bool:
    for kind, name in objects:
        head = f"{kind} {name}: "
        if place.path.startswith(head):
            written = re.sub(r"\[\w+:([^\]]*)\]", r"[\1]", place.path.removeprefix(head)).replace(".[", "[")
            return _overlap(written, path)
    return False


def _overlap(one: str, other: str) -> bool:
    """Whether one path lies at or below the other."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and (not short or long[len(short) : len(short) + 1] in ("", ".", "["))


def _as_lost(entry: Entry, left: Sequence[tuple[Compared, str]]) -> Entry:
    compared, path = left[0]
    more = f" (and {len(left) - 1} more)" if len(left) > 1 else ""
    reason = f"the proof finds that {_words(compared, path)}{more}"
    return replace(entry, outcome=Outcome.LOST, reason=reason, action=_COMPARE, derived=True)


def _words(compared: Compared, path: str) -> str:
    """One difference, with what each side calls the object."""
    place = path or "the object"
    if not compared.candidate:
        return f"istioctl renders {compared.id}, and no release does"
    if not compared.reference:
        return f"release {compared.candidate} renders {compared.id}, and istioctl does not"
    other = compared.paired_with or compared.id
    return f"{place} of istioctl's {compared.id} is not that of {other} in release {compared.candidate}"


def _settled(entry: Entry, overlay: _Overlay, proof: Verification, derived: Sequence[Repair]) -> Entry:
    """The entry of an overlay that no rule could place, after a proof that leaves nothing at its object."""
    there = [repair for repair in derived if (repair.id.kind, repair.id.name) == (overlay.kind, overlay.name)]
    for path in (overlay.path, overlay.start, ""):
        own = [repair for repair in there if any(_overlap(path, settled) for settled in repair.settles)]
        if not own:
            continue
        places = tuple(dict.fromkeys(Place(repair.release[1], repair.place) for repair in own))
        return replace(entry, outcome=Outcome.PATCH, places=places, reason="", action="", derived=True)
    if any((compared.id.kind, compared.id.name) == (overlay.kind, overlay.name) for compared in proof.objects):
        reason = "the proof finds the object the same without it"
        return replace(entry, outcome=Outcome.DEFAULT, reason=reason, action="", derived=True)
    return entry
