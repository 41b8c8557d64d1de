"""What the page shows: panels of lines on both sides, and which entries of the ledger each piece of them stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from istio_convert.errors import Issue
from istio_convert.ledger import ClosedLedger
from istio_convert.release import Release
from istio_convert.report.html.scan import Scanned


class Named(Protocol):
    """An input: :class:`istio_convert.api.Source`."""

    @property
    def name(self) -> str:
        """How messages call it."""
        ...

    @property
    def text(self) -> str | bytes:
        """Its text."""
        ...


class Converted(Protocol):
    """A conversion: :class:`istio_convert.api.Conversion`."""

    @property
    def version(self) -> str:
        """Version of the charts."""
        ...

    @property
    def why_version(self) -> str:
        """Why it is that one."""
        ...

    @property
    def provisional(self) -> bool:
        """Whether the facts are those of a release candidate."""
        ...

    @property
    def upgrade(self) -> str:
        """That applying the result is an upgrade, too."""
        ...

    @property
    def releases(self) -> list[Release]:
        """In the order in which they are applied."""
        ...

    @property
    def ledger(self) -> ClosedLedger:
        """One entry per leaf."""
        ...

    @property
    def warnings(self) -> list[Issue]:
        """What is odd, but understood."""
        ...

    @property
    def sources(self) -> Sequence[Named]:
        """The inputs."""
        ...

    @property
    def sets(self) -> Sequence[str]:
        """The ``--set`` flags."""
        ...


@dataclass(slots=True)
class Panel:
    """A text and its links.

    Attributes:
        name: of the file, or what the text is.
        scanned: the text.
        links: index of a span -> positions of entries in the ledger, ascending.
        plain: indices of spans whose values are the program's words, shown even when values are masked.
    """

    name: str
    scanned: Scanned
    links: dict[int, list[int]] = field(default_factory=dict)
    plain: set[int] = field(default_factory=set)

    def link(self, span: int, entry: int) -> None:
        """Note that a span stands for an entry; entries come in ascending order or repeat."""
        found = self.links.setdefault(span, [])
        if entry not in found[-1:] and entry not in found:
            found.append(entry)
