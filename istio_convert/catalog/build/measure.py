"""The facts that only rendering tells, chart by chart. A chart that did not change is not rendered again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from istio_convert.catalog.build.extract import CHART_FOLDERS, ChartSource
from istio_convert.catalog.build.probe import dead_values, refused_values
from istio_convert.catalog.build.rendering import renderable
from istio_convert.catalog.build.shapes import skeleton_of

_ALWAYS_SET = {"istiod-remote": {"remotePilotAddress": "192.0.2.1"}}
"""Values below ``global`` without which a chart installs to no purpose: its skeleton has the objects they bring."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What rendering tells of one chart.

    Attributes:
        refused: path -> when, reason, instead.
        dead: path -> the place to use instead.
        skeleton: the sections of the skeleton file.
    """

    refused: dict[str, Any]
    dead: dict[str, str]
    skeleton: dict[str, Any]


class Measurer:
    """Measures charts and remembers those it has seen."""

    def __init__(self) -> None:
        self._seen: dict[str, Measured] = {}

    def measure(self, name: str, manifests: FilePath, source: ChartSource) -> Measured:
        """Measure one chart of one release.

        Args:
            name: name of the chart.
            manifests: folder of the release that holds ``charts``.
            source: what was read from the chart.

        Raises:
            RenderError: the Helm SDK is missing, or the chart does not render with its defaults.
        """
        folder = manifests / "charts" / CHART_FOLDERS[name]
        digest = name + _digest(folder)
        if digest not in self._seen:
            with renderable(folder) as chart:
                extra = [source.descope] if source.descope else []
                self._seen[digest] = Measured(
                    refused_values(name, chart, source.defaults, extra),
                    dead_values(name, chart, source.reads | source.injection),
                    skeleton_of(chart, _ALWAYS_SET.get(name, {}), source.conditions, source.defaults),
                )
        return self._seen[digest]


def _digest(folder: FilePath) -> str:
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("crd-") and path.suffix != ".md":
            total.update(path.relative_to(folder).as_posix().encode())
            total.update(path.read_bytes())
    return total.hexdigest()
