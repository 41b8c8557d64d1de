"""Every target's folder, rendered by its own client, has the objects that Flux makes of the same conversion.

By hand over more versions: ``python -m tests.corpus.targets VERSION…``.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from istio_convert import InputError, Source, convert
from istio_convert.emit import ARGOCD_LAYOUTS, EmitOptions, Files, emit
from istio_convert.emit.writer import write
from istio_convert.release import Release
from istio_convert.verify.manifests import parse_document
from tests.corpus.operators import VARIABLE, VERSIONS, operators
from tests.emit.charts import Charts, charts_of_release, serve
from tests.emit.clients import argocd, by_name, flux, helmfile, manifests, plain_helm, terraform

CLIENTS: dict[str, Callable[[Path, int, Path], str]] = {
    "argocd": argocd,
    "helmfile": helmfile,
    "helm": plain_helm,
}
#: targets whose files are read here and handed to the Helm SDK, as their own programs do, without a Helm beside them
READERS: dict[str, Callable[[Files, Charts], str]] = {
    "terraform": terraform,
    "manifests": lambda files, _: manifests(files),
}
#: target and major version of Helm; 0 where it is not a matter of Helm
PAIRS = (*((target, major) for target in CLIENTS for major in (3, 4)), *((target, 0) for target in READERS))


@dataclass(frozen=True)
class Mesh:
    """Releases that an operator makes.

    Attributes:
        name: of the operator's file.
        releases: those of them that no operator before has made exactly like this.
    """

    name: str
    releases: list[Release]


def meshes(version: str, paths: Sequence[Path]) -> list[Mesh]:
    """What the operators become; a release that one before has too is left out.

    What a client makes of a release depends on nothing beside it, and most operators share theirs of the base chart,
    which is the slow one.
    """
    seen: set[str] = set()
    found = []
    for path in paths:
        try:
            conversion = convert(Source(path.name, path.read_bytes()), to=version)
        except InputError:
            continue  # refused with a message: the tests of the conversion count these
        releases = [release for release in conversion.releases if _content(release) not in seen]
        seen.update(map(_content, releases))
        names = {release.name for release in releases}
        kept = [replace(r, depends_on=[name for name in r.depends_on if name in names]) for r in releases]
        if kept:
            found.append(Mesh(path.name, kept))
    return found


def _content(release: Release) -> str:
    patches = [[str(patch.target), patch.body] for patch in release.patches]
    return json.dumps([release.name, release.namespace, release.chart, release.values_data(), patches])


@dataclass(frozen=True)
class Corpus:
    """All operators at one version.

    Attributes:
        charts: the charts of that version.
        meshes: what the operators become.
        objects: for each of them, what Flux makes of it.
    """

    charts: Charts
    meshes: list[Mesh]
    objects: list[dict[str, Any]]


@lru_cache(maxsize=1)
def corpus(version: str) -> Corpus:
    """The operators, converted, and rendered as Flux renders them."""
    charts = charts_of_release(version)
    found = meshes(version, operators())
    return Corpus(charts, found, [by_name(flux(_helm_releases(emit(mesh.releases)), charts)) for mesh in found])


@dataclass(frozen=True)
class Difference:
    """What a target renders otherwise; names only, for values may be secrets."""

    target: str
    mesh: str
    what: tuple[str, ...]


def compare(version: str, target: str, major: int) -> Iterator[Difference]:
    """Render every mesh for a target by a major version of Helm, and compare with Flux."""
    whole = corpus(version)
    with tempfile.TemporaryDirectory() as scratch, serve(_folder(scratch, "charts"), whole.charts) as url:

        def render(number: int) -> str:
            if target in READERS:
                return READERS[target](emit(whole.meshes[number].releases, target), whole.charts)
            folder = _folder(scratch, str(number))
            write(folder / "out", emit(whole.meshes[number].releases, target, EmitOptions(chart_source=url)))
            try:
                return CLIENTS[target](folder / "out", major, folder)
            except AssertionError as error:
                return f"failed: {error}"

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for mesh, objects, text in zip(
                whole.meshes, whole.objects, pool.map(render, range(len(whole.meshes))), strict=True
            ):
                what = [text] if text.startswith("failed: ") else _differences(objects, by_name(text))
                if what:
                    yield Difference(title(target, major), mesh.name, tuple(what))


def title(target: str, major: int) -> str:
    """How a comparison is called."""
    return f"{target} with Helm {major}" if major else target


def layouts(mesh: Mesh) -> list[dict[str, Any]]:
    """For each layout of Argo CD: release -> its source and the fields to ignore, values read as Argo CD reads them."""
    return [_sources(emit(mesh.releases, "argocd", EmitOptions(argocd_layout=layout))) for layout in ARGOCD_LAYOUTS]


def _sources(files: Files) -> dict[str, Any]:
    documents = [parse_document(text) for path, text in files.items() if path.startswith("application")]
    found = {d["metadata"]["name"]: d["spec"] for d in documents if d["kind"] == "Application"}
    for document in documents:
        for generator in document["spec"].get("generators", []):
            found |= {element["name"]: element for element in generator["list"]["elements"]}
    for spec in found.values():
        helm = spec["source"].get("helm", {})
        if "values" in helm:
            helm["valuesObject"] = parse_document(helm.pop("values"))
    return {name: [spec["source"], spec.get("ignoreDifferences") or []] for name, spec in sorted(found.items())}


def _folder(scratch: str, name: str) -> Path:
    folder = Path(scratch, name)
    folder.mkdir()
    return folder


def _helm_releases(files: Files) -> list[str]:
    return [text for text in files.values() if "\nkind: HelmRelease\n" in text]


def _differences(left: dict[str, Any], right: dict[str, Any]) -> list[str]:
    found = [f"only by Flux: {name}" for name in left if name not in right]
    found += [f"not by Flux: {name}" for name in right if name not in left]
    for name, before in left.items():
        found += [f"{name}: {place}" for place in _places(before, right.get(name, before), "")]
    return found


def _places(left: Any, right: Any, at: str) -> Iterator[str]:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in {**left, **right}:
            yield from _places(left.get(key), right.get(key), f"{at}.{key}")
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, (before, after) in enumerate(zip(left, right, strict=True)):
            yield from _places(before, after, f"{at}[{index}]")
    elif at == ".metadata.annotations" and not left and not right:
        return  # Kustomize drops an empty map from what goes through it; the API server keeps neither
    elif _text(left) != _text(right) or type(left) is not type(right):
        yield at


def _text(value: Any) -> Any:
    """A text of several lines without the blanks at its end: Helm 3 drops them from one of 1.22, Helm 4 does not."""
    return value.rstrip() if isinstance(value, str) and "\n" in value else value


def main(versions: list[str]) -> int:
    """Compare everything at these versions; the exit code says whether something is different."""
    different = 0
    for version in versions:
        whole = corpus(version)
        releases = sum(len(mesh.releases) for mesh in whole.meshes)
        print(f"{version}: {len(whole.meshes)} operators, {releases} releases", flush=True)
        for target, major in PAIRS:
            start, used = time.monotonic(), _processor_time()
            found = list(compare(version, target, major))
            for difference in found:
                print(difference.mesh, *difference.what[:5], sep="\n    ")
            different += len(found)
            took = f"{time.monotonic() - start:.0f} s, {_processor_time() - used:.0f} s of processors"
            print(f"{version} {title(target, major)}: {len(found)} different, {took}", flush=True)
    return bool(different)


def _processor_time() -> float:
    return sum(os.times()[:4])


if __name__ == "__main__":
    if not operators():
        sys.exit(f"set {VARIABLE} to a folder of IstioOperator files")
    sys.exit(main(sys.argv[1:] or list(VERSIONS)))
