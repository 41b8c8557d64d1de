"""Builds the data of the catalog from unpacked releases.

The rest of the program never imports this: it reads what was built. Only facts are taken over, no text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any

from istio_convert.catalog.build.compact import Facts, Section, at_version, compacted, to_text
from istio_convert.catalog.build.extract import ChartSource, read_release
from istio_convert.catalog.build.measure import Measurer
from istio_convert.catalog.build.protos import mesh_names
from istio_convert.catalog.ranges import version_key
from istio_convert.catalog.trees import leaf_table

__all__ = ["MESH", "Measurer", "build", "facts_at", "facts_of", "fill_names", "known_releases", "to_text"]

_PROFILE = "profile-"
#: the file with the names of MeshConfig, and the folder of a release that they are read from: charts do not tell them
MESH = "mesh.json"
_API = "api"


def build(
    releases: Mapping[str, FilePath], known: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Mapping[str, Any]]:
    """Build the catalog.

    Args:
        releases: version -> folder of the unpacked release, which holds ``manifests``. A candidate (``1.31.0-rc.0``)
            stands in for its final release as long as that is not given.
        known: the content of a catalog by file name; its releases stay, and those given are added or take the place
            of what was said about them. A candidate that comes before what is known of its release is left out.

    Returns:
        File name -> content, for the folder ``schemas/catalog``.

    Raises:
        FileNotFoundError: a folder is no release.
        ValueError: a release says something that the tool does not understand.
        RenderError: the Helm SDK is missing.
    """
    facts, stands_in = known_releases(known or {})
    chosen: dict[str, str] = {}
    for release in sorted(releases, key=version_key):
        chosen[release.partition("-")[0]] = release
    measurer = Measurer()
    for version, release in chosen.items():
        if version in facts and version_key(release) < version_key(stands_in.get(version, version)):
            continue
        before = facts.get(version, {})
        facts[version] = facts_of(releases[release] / "manifests", release, measurer)
        if MESH in before:  # the candidate came with the names, and the final release without
            facts[version].setdefault(MESH, before[MESH])
        stands_in.pop(version, None)
        if release != version:
            stands_in[version] = release
    order = sorted(facts, key=version_key)
    fill_names(facts, order)
    content: dict[str, Mapping[str, Any]] = dict(compacted(facts, order))
    content["releases.json"] = {
        "releases": {version: {"candidate": stands_in[version]} if version in stands_in else {} for version in order}
    }
    return {name: content[name] for name in sorted(content)}


def fill_names(facts: Mapping[str, Facts], order: Sequence[str]) -> None:
    """Give releases that came without the folder of names those of the nearest older one that has them."""
    last = None
    for version in order:
        last = facts[version].get(MESH, last)
        if last is not None:
            facts[version][MESH] = last


def known_releases(catalog: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, Facts], dict[str, str]]:
    """What a catalog says about each of its releases, and which candidate stands in for which of them."""
    if not catalog:
        return {}, {}
    releases: Mapping[str, Mapping[str, Any]] = catalog["releases.json"]["releases"]
    files = {name: content for name, content in catalog.items() if name != "releases.json"}
    facts = {version: {name: _sections_at(content, version) for name, content in files.items()} for version in releases}
    return facts, {version: entry["candidate"] for version, entry in releases.items() if "candidate" in entry}


def _sections_at(content: Mapping[str, Any], version: str) -> dict[str, Section]:
    """A file's sections at one version; those of profiles that the release lacks are not among them."""
    found = {section: at_version(entries, version) for section, entries in content.items()}
    names = found.get("names", set())
    return {
        section: entries
        for section, entries in found.items()
        if not section.startswith(_PROFILE) or section.removeprefix(_PROFILE) in names
    }


def facts_of(manifests: FilePath, release: str, measurer: Measurer | None = None) -> Facts:
    """The facts of one release in the three levels of the files: file, section, key.

    Args:
        manifests: folder that holds ``charts`` and ``profiles``. The Go module ``istio.io/api`` of the release may
            lie beside it as ``api``; without it nothing is said about the names of MeshConfig.
        release: which release it is.
        measurer: renders the charts; without one, facts that need rendering are left out.
    """
    source = read_release(manifests, release)
    facts: Facts = {
        "helm-profiles.json": _profile_sections(source.profiles),
        "istioctl-profiles.json": _profile_sections(source.istioctl_profiles),
    }
    for name, chart in source.charts.items():
        sections = facts[f"{name}.json"] = _chart_sections(chart)
        if measurer is not None:
            measured = measurer.measure(name, manifests, chart)
            sections |= {"refused": measured.refused, "dead": measured.dead}
            facts[f"{name}.skeleton.json"] = measured.skeleton
    if (api := manifests.parent / _API).is_dir():
        facts[MESH] = mesh_names(api)
    return facts


def _profile_sections(profiles: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    sections: dict[str, Any] = {"names": set(profiles)}
    for name, values in profiles.items():
        sections[_PROFILE + name] = leaf_table(values) if values else {}
    return sections


def _chart_sections(chart: ChartSource) -> dict[str, Any]:
    traits = {
        "descope": chart.descope,
        "flattens_global": chart.flattens_global,
        "dumps_all_values": chart.dumps_all_values,
        "schema_broken": chart.schema_broken,
    }
    return {
        "defaults": chart.defaults,
        "dumped": chart.dumped,
        "injection": chart.injection,
        "injection_env": chart.injection_env,
        "order": chart.order,
        "profile_keys": chart.profile_keys,
        "reads": chart.reads,
        "schema": chart.schema,
        "template_env": chart.template_env,
        "traits": {name: value for name, value in traits.items() if value},
        **({"crds": chart.crds} if chart.crds else {}),
    }


def facts_at(content: Mapping[str, Mapping[str, Any]], version: str) -> dict[str, Any]:
    """What one file of the catalog says at one version, without sections that say nothing.

    Args:
        content: the parsed file.
        version: a version it was built from.
    """
    found = {section: at_version(entries, version) for section, entries in content.items()}
    return {section: entries for section, entries in found.items() if entries}
