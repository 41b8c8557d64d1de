"""Rendering charts with the real Helm: the SDK in this process, or the ``helm`` program when asked for."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from istio_convert.errors import RenderError
from istio_convert.verify.charts.layout import ReleaseCharts, pack
from istio_convert.verify.manifests import Object, as_yaml, parse_objects

_SCHEMA = "values.schema.json"
_CRD_TEMPLATE = "templates/crds.yaml"
_VALUE_REFERENCE = re.compile(r"\.Values\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)")
#: What the CRD template and the profile helper beside it may read; when a template reads more, it is not split off.
_CRD_VALUES = {"base", "profile", "platform", "compatibilityVersion", "defaults"}
_CRD_GLOBALS = {"resourceScope", "profile", "platform"}
#: CRDs are rendered once for all releases; the label that names the release is put right afterwards.
_ANY_RELEASE = "istio-convert-any"
_INSTANCE = "app.kubernetes.io/instance"
_PARTS_OF_CRDS = re.compile(r"templates/(?:crds\.yaml|zzz_profile\.yaml|.*\.tpl)$|(?!templates/)")


@dataclass(frozen=True)
class _Loaded:
    """A chart ready to render.

    Attributes:
        chart: the SDK's chart.
        crds: a chart of the CRD template alone, whose slow rendering is shared between runs; None when not split.
        crd_files: the texts under ``crds/``, sorted by name.
    """

    chart: Any
    crds: Any
    crd_files: tuple[str, ...]


def _sdk() -> Any:
    try:
        import helm_python  # noqa: PLC0415 (an optional dependency)
    except ImportError as error:
        raise RenderError("rendering needs the Helm SDK", hint="pip install 'istio-convert[render]'") from error
    return helm_python


def _splittable(template: str) -> bool:
    if ".Release" in template:
        return False
    for reference in _VALUE_REFERENCE.findall(template):
        root, _, child = reference.partition(".")
        if root not in _CRD_VALUES and not (root == "global" and child in _CRD_GLOBALS):
            return False
    return True


@lru_cache(maxsize=24)
def _load(charts: _Keyed, name: str, with_schema: bool) -> _Loaded:  # noqa: FBT001 (a cache key)
    sdk = _sdk()
    files = {path: data for path, data in charts.charts.files(name).items() if with_schema or path != _SCHEMA}
    crds = None
    if _CRD_TEMPLATE in files and _splittable(files[_CRD_TEMPLATE].decode()):
        part = {path: data for path, data in files.items() if _PARTS_OF_CRDS.match(path)}
        crds = sdk.Chart.load_archive(pack(part, name))
        files = {path: data for path, data in files.items() if path != _CRD_TEMPLATE}
    crd_files = tuple(data.decode() for path, data in sorted(files.items()) if path.startswith("crds/"))
    try:
        chart = sdk.Chart.load_archive(pack(files, name))
    except sdk.HelmError as error:
        raise RenderError(f"chart {name}: Helm cannot load it") from error
    return _Loaded(chart, crds, crd_files)


class _Keyed:
    """Release charts as a cache key: the same content has the same key."""

    def __init__(self, charts: ReleaseCharts) -> None:
        self.charts = charts

    def __hash__(self) -> int:
        return hash(self.charts.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and other.charts.key == self.charts.key


def render(  # noqa: PLR0913 (what a release says about itself, and what is to become of it)
    charts: ReleaseCharts,
    chart: str,
    values: Mapping[str, Any],
    *,
    name: str,
    namespace: str,
    skip_schema: bool = False,
    crd_folder: bool = True,
    binary: bool = False,
    for_kustomize: bool = False,
) -> list[Object]:
    """Render one chart, CRDs included.

    Args:
        charts: the release's charts.
        chart: the chart's name, as in ``Chart.yaml``.
        values: what ``-f`` would give.
        name: the release's name.
        namespace: the release's namespace.
        skip_schema: set the chart's values schema aside.
        crd_folder: include the objects under ``crds/``.
        binary: run the ``helm`` program on PATH instead of the SDK.
        for_kustomize: Kustomize is to read what is rendered, and takes no key twice.

    Returns:
        The objects, in the order of their templates. They may be shared: copy before changing one.

    Raises:
        RenderError: Helm refuses, or Kustomize would.
    """
    if binary:
        text = _render_with_program(charts, chart, values, name, namespace, skip_schema=skip_schema)
        return list(parse_objects(text, f"release {name}, chart {chart}", for_kustomize=for_kustomize))
    loaded = _load(_Keyed(charts), chart, not skip_schema)
    rendered = _run(loaded.chart, chart, values, name, namespace)
    objects = list(_objects(f"release {name}, chart {chart}", rendered, for_kustomize=for_kustomize))
    if loaded.crds is not None:
        shared = _rendered_crds(loaded.crds, chart, json.dumps(_crd_values(values), sort_keys=True), namespace)
        objects += [_of_release(obj, name) for obj in shared]
    for text in loaded.crd_files if crd_folder else ():
        objects += parse_objects(text, f"chart {chart}, crds/")
    return objects


def _crd_values(values: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {key: value for key, value in values.items() if key in _CRD_VALUES}
    shared = values.get("global")
    if isinstance(shared, Mapping):
        chosen["global"] = {key: value for key, value in shared.items() if key in _CRD_GLOBALS}
    return chosen


@lru_cache(maxsize=4)
def _rendered_crds(crds: Any, chart: str, values: str, namespace: str) -> tuple[Object, ...]:
    return tuple(_objects(f"chart {chart}", _run(crds, chart, json.loads(values), _ANY_RELEASE, namespace)))


def _of_release(crd: Object, name: str) -> Object:
    """A CRD rendered under another release's name, as it is under this one: only a label tells."""
    metadata = crd.get("metadata") or {}
    labels = metadata.get("labels") or {}
    if labels.get(_INSTANCE) != _ANY_RELEASE:
        return crd
    return {**crd, "metadata": {**metadata, "labels": {**labels, _INSTANCE: name}}}


def _run(loaded: Any, chart: str, values: Mapping[str, Any], name: str, namespace: str) -> dict[str, str]:
    sdk = _sdk()
    try:
        rendered: dict[str, str] = loaded.render(dict(values), name=name, namespace=namespace, is_install=True)
    except sdk.HelmError as error:
        raise RenderError(f"chart {chart}: Helm refuses to render it: {without_values(str(error), values)}") from error
    return rendered


def _objects(where: str, rendered: Mapping[str, str], *, for_kustomize: bool = False) -> Iterator[Object]:
    for template, text in sorted(rendered.items()):
        if not template.endswith(".txt"):
            yield from parse_objects(text, f"{where}, {template}", for_kustomize=for_kustomize)


def without_values(message: str, values: Any) -> str:
    """A message of Helm without strings of the input, which may be secrets."""
    for text in sorted(set(_strings(values)), key=len, reverse=True):
        message = message.replace(text, "…")
    return " ".join(message.split())


def _strings(values: Any) -> Iterator[str]:
    if isinstance(values, Mapping):
        for value in values.values():
            yield from _strings(value)
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _strings(value)
    elif isinstance(values, str) and len(values) >= 6:
        yield values


def _render_with_program(
    charts: ReleaseCharts, chart: str, values: Mapping[str, Any], name: str, namespace: str, *, skip_schema: bool
) -> str:
    program = shutil.which("helm")
    if program is None:
        raise RenderError("there is no helm on PATH", hint="install it, or leave the choice to the built-in Helm SDK")
    with tempfile.TemporaryDirectory(prefix="istio-convert-") as scratch:
        folder = Path(scratch) / chart
        for path, data in charts.files(chart).items():
            if skip_schema and path == _SCHEMA:
                continue
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        file = Path(scratch) / "values.json"
        file.write_text(as_yaml(values), encoding="utf-8")
        command = [
            program,
            "template",
            name,
            str(folder),
            "--namespace",
            namespace,
            "--values",
            str(file),
            "--include-crds",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RenderError(f"chart {chart}: helm template fails: {without_values(done.stderr, values)}")
    return done.stdout
