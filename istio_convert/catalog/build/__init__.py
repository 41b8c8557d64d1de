"""Builds the data of the catalog from unpacked releases.

The rest of the program never imports this: it reads what was built. Only facts are taken over, no text.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from istio_convert.catalog.build.compact import Facts, at_version, compacted, to_text
from istio_convert.catalog.build.extract import ChartSource, read_release
from istio_convert.catalog.build.measure import Measurer
from istio_convert.catalog.ranges import version_key
from istio_convert.catalog.trees import leaf_table

__all__ = ["Measurer", "build", "facts_at", "facts_of"]


def build(releases: Mapping[str, FilePath]) -> dict[str, str]:
    """Build the catalog.

    Args:
        releases: version -> folder of the unpacked release, which holds ``manifests``. A candidate (``1.31.0-rc.0``)
            stands in for its final release as long as that is not given.

    Returns:
        File name -> text, for the folder ``schemas/catalog``.

    Raises:
        FileNotFoundError: a folder is no release.
        ValueError: a release says something that the tool does not understand.
        RenderError: the Helm SDK is missing.
    """
    chosen: dict[str, str] = {}
    for release in sorted(releases, key=version_key):
        chosen[release.partition("-")[0]] = release
    order = sorted(chosen, key=version_key)
    measurer = Measurer()
    facts = {
        version: facts_of(releases[release] / "manifests", release, measurer) for version, release in chosen.items()
    }
    content: dict[str, dict[str, dict[str, Any]]] = compacted(facts, order)
    content["releases.json"] = {
        "releases": {version: {} if chosen[version] == version else {"candidate": chosen[version]} for version in order}
    }
    return {name: to_text(content[name]) for name in sorted(content)}


def facts_of(manifests: FilePath, release: str, measurer: Measurer | None = None) -> Facts:
    """The facts of one release in the three levels of the files: file, section, key.

    Args:
        manifests: folder that holds ``charts`` and ``profiles``.
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
    return facts


def _profile_sections(profiles: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    sections: dict[str, Any] = {"names": set(profiles)}
    for name, values in profiles.items():
        sections[f"profile-{name}"] = leaf_table(values) if values else {}
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
