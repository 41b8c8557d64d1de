"""Which release of the charts a conversion is for, why, and whether applying the result is an upgrade, too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from istio_convert.catalog import Catalog, newest, resolve
from istio_convert.catalog.ranges import minor_of, version_key
from istio_convert.errors import Issue, UnsupportedVersionError
from istio_convert.mapping.draft.image_tags import release_in, split_tag
from istio_convert.mapping.draft.template_text import text_of
from istio_convert.operator.effective import UserSpec
from istio_convert.source.nodes import Node, Scalar, get

AS_ASKED = "as asked for"
#: where an operator names the release of its control plane, the most general place first
_TAGS = (
    ("tag",),
    ("values", "global", "tag"),
    ("components", "pilot", "tag"),
    ("values", "pilot", "tag"),
)
_REVISION = re.compile(r"v?(1)-(\d+)(?:-(\d+))?(?![0-9])")


@dataclass(frozen=True, slots=True)
class Choice:
    """The release that a conversion is for.

    Attributes:
        catalog: its facts.
        why: why it is that one.
        warnings: that it is a guess, when it is one.
    """

    catalog: Catalog
    why: str
    warnings: tuple[Issue, ...] = ()


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What applying the result does beside the migration.

    Attributes:
        words: one line; empty when it is no upgrade.
        warnings: what is wrong with that way.
    """

    words: str = ""
    warnings: tuple[Issue, ...] = ()


def choose(specs: Sequence[UserSpec], to: str | None, *, allow_unknown: bool) -> Choice:
    """The release to convert for: the one asked for, else the operators' own, else the newest.

    Raises:
        UnsupportedVersionError: the one asked for is not known.
    """
    if to is not None:
        catalog = resolve(to, allow_unknown=allow_unknown)
        return Choice(
            catalog, f"the nearest older release, {to} has no entry here" if _is_other(catalog, to) else AS_ASKED
        )
    tags = list(_tags(specs))
    named = [release for tag, _ in tags for release, _ in _said(tag)]
    for release, verb in [(release, verb) for tag, _ in tags for release, verb in _said(tag)]:
        if (exact := _known(release)) is not None:
            return Choice(exact, f"the release that the operator's tag {verb}")
    for release in named:
        minor = minor_of(release)
        if (newest_patch := _known(minor)) is not None:
            why = f"the newest patch of {minor} that is known here; the operator's tag names {release}, which is not"
            return Choice(newest_patch, why)
    catalog = resolve(newest())
    if not tags:
        return Choice(catalog, "the newest release; the operator names none")
    why = f"names {named[0]}, which has no entry here" if named else "names no release of Istio"
    warning = Issue(
        f"the operator's tag {why}: the newest release {catalog.version} is a guess",
        tags[0][1].origin,
        "say which release it is to be: --to VERSION",
    )
    return Choice(catalog, f"the newest release; the operator's tag {why}", (warning,))


def upgrade(specs: Sequence[UserSpec], version: str) -> Upgrade:
    """Whether the result is for another release than the operators', as far as their tags and revisions say it."""
    words = ""
    warnings: list[Issue] = []
    runs = next(((release, node) for tag, node in _tags(specs) if (release := release_in(tag))), None)
    revision = next(((found, node) for found, node in _revisions(specs) if not _fits(found, version)), None)
    name = revision[0].replace(".", "-") if revision else ""
    if runs is not None and not _fits(runs[0], version):
        words = f"the operator's tag is {runs[0]}, the output is {version}: applying it also {_way(runs[0], version)}"
        words += f"; the revision keeps the name {name}" if revision else ""
    elif revision is not None:
        way = "" if runs else f": applying it also {_way(revision[0], version)}"
        words = f"the revision is called {name}, the output is {version}{way}"
    before = runs or revision
    if before is not None and (steps := _minors(before[0], version)) > 1:
        warnings.append(
            Issue(
                f"from {before[0]} to {version} is {steps} minor releases at once; Istio supports one in place, and "
                "two by a canary",
                before[1].origin,
                "istio-convert plan writes the steps; --to takes a release in between",
            )
        )
    return Upgrade(words, tuple(warnings))


def _said(tag: str) -> Iterator[tuple[str, str]]:
    """The release in a tag, and how the tag says it; nothing when there is none."""
    if release := release_in(tag):
        yield release, "names" if split_tag(tag) else "begins with"


def _known(release: str) -> Catalog | None:
    try:
        return resolve(release)
    except UnsupportedVersionError:
        return None


def _is_other(catalog: Catalog, to: str) -> bool:
    """Whether the catalog stands in for a release that is not known."""
    known = _known(to)
    return known is None or known.version != catalog.version


def _tags(specs: Sequence[UserSpec]) -> Iterator[tuple[str, Node]]:
    """The tags that the operators name, and where; as written, since ``1.30`` without quotes is the number 1.3."""
    for path in _TAGS:
        for spec in specs:
            node = get(spec.tree, path)
            if node is not None and (text := text_of(node)):
                is_number = isinstance(node, Scalar) and isinstance(node.value, float) and node.leaf is not None
                yield (node.leaf.text if is_number and node.leaf else text), node


def _revisions(specs: Sequence[UserSpec]) -> Iterator[tuple[str, Node]]:
    """The releases that revisions are called after: ``1-24-6`` is 1.24.6."""
    for spec in specs:
        for path in (("revision",), ("values", "revision")):
            node = get(spec.tree, path)
            if node is not None and (found := _REVISION.match(text_of(node))):
                yield ".".join(part for part in found.groups() if part), node


def _fits(release: str, version: str) -> bool:
    """Whether a release, or only its minor, is that of a version."""
    return release in (version, minor_of(version))


def _minors(before: str, after: str) -> int:
    first, second = (version_key(f"{minor_of(release)}.0") for release in (before, after))
    return second[1] - first[1]


def _way(before: str, after: str) -> str:
    """``upgrades, by 2 minor releases``."""
    steps = _minors(before, after)
    if steps:
        what = "goes back" if steps < 0 else "upgrades"
        return f"{what}, by {abs(steps)} minor release{'' if abs(steps) == 1 else 's'}"
    back = version_key(before) > version_key(after)
    return f"{'goes back' if back else 'upgrades'}, within {minor_of(after)}"
