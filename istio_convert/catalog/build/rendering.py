"""Rendering one chart as often as needed, with the Helm SDK."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import Any

from ruamel.yaml import YAML

from istio_convert.errors import RenderError

RELEASE, NAMESPACE = "rlsname", "rlsnspace"
"""Names that occur nowhere else, so that they can be found again in what is rendered."""

_ALL_CRDS = "crd-all.gen.yaml"
_ONE_CRD = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: one\n"
"""Stands in for the megabyte of definitions, which take long to render and tell nothing about values."""


class RenderableChart:
    """A chart without its values schema: what the templates do is of interest here, not what the schema allows."""

    def __init__(self, chart: Any) -> None:
        self._chart = chart

    def render(self, values: dict[str, Any]) -> dict[str, str]:
        """Render. Template name -> text.

        Raises:
            RenderError: the chart refuses the values.
        """
        from helm_python.errors import HelmError  # noqa: PLC0415 (an optional dependency)

        try:
            rendered: dict[str, str] = self._chart.render(values=values, name=RELEASE, namespace=NAMESPACE)
        except HelmError as error:
            raise RenderError("the chart refuses the values") from error
        return rendered

    def refuses(self, values: dict[str, Any]) -> bool:
        """Whether rendering fails."""
        try:
            self.render(values)
        except RenderError:
            return True
        return False

    def notes(self, values: dict[str, Any]) -> str:
        """What the chart tells after installation."""
        return "".join(text for name, text in self.render(values).items() if name.endswith("NOTES.txt"))

    def objects(self, values: dict[str, Any]) -> list[dict[str, Any]]:
        """The objects that are rendered, without custom resource definitions."""
        yaml = YAML(typ="safe")
        yaml.allow_duplicate_keys = True  # as Helm has it
        found = []
        for name, text in self.render(values).items():
            if name.endswith("NOTES.txt") or "CustomResourceDefinition" in text:
                continue
            found += [item for item in yaml.load_all(text) if item]
        return found


@contextmanager
def renderable(folder: FilePath) -> Iterator[RenderableChart]:
    """The chart in a folder, ready to render.

    Raises:
        RenderError: the SDK is not installed.
    """
    try:
        from helm_python.chart import Chart  # noqa: PLC0415 (an optional dependency)
    except ImportError as error:
        raise RenderError(
            "building the catalog needs the Helm SDK", hint="pip install 'istio-convert[render]'"
        ) from error
    with tempfile.TemporaryDirectory() as scratch:
        copy = FilePath(scratch) / "chart"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("values.schema.json", _ALL_CRDS, "crds"))
        if (copy / "templates" / "crds.yaml").is_file():
            (copy / "files" / _ALL_CRDS).write_text(_ONE_CRD, encoding="utf-8")
        yield RenderableChart(Chart.load(str(copy)))
