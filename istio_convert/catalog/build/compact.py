"""Between facts per release and the files of the catalog, where each fact stands once with the versions it holds for.

Facts have three levels: file, section, key. A section is either a set of keys, or gives each key a value. In the file
a key of a set carries its range of versions; a key with values carries pairs of range and value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from istio_convert.catalog.ranges import contains, encode

Section: TypeAlias = "set[str] | dict[str, Any]"
Facts: TypeAlias = "dict[str, dict[str, Section]]"


def compacted(facts: Mapping[str, Facts], order: Sequence[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """The content of all files from the facts of all releases.

    Args:
        facts: by version.
        order: the versions, oldest first.
    """
    gathered: dict[str, dict[str, dict[str, dict[str, list[str]]]]] = {}
    for version in order:
        for file, sections in facts[version].items():
            for section, content in sections.items():
                into = gathered.setdefault(file, {}).setdefault(section, {})
                for key in content:
                    value = json.dumps(content[key], sort_keys=True) if isinstance(content, dict) else ""
                    into.setdefault(key, {}).setdefault(value, []).append(version)
    return {
        file: {
            section: {key: _ranged(values, order) for key, values in keys.items()} for section, keys in sections.items()
        }
        for file, sections in gathered.items()
    }


def _ranged(values: Mapping[str, list[str]], order: Sequence[str]) -> Any:
    if "" in values:
        return encode(values[""], order)
    pairs = sorted(values.items(), key=lambda item: order.index(item[1][0]))
    return [[encode(versions, order), json.loads(value)] for value, versions in pairs]


def at_version(section: Mapping[str, Any], version: str) -> Section:
    """What one section of a file says at one version; the inverse of :func:`compacted`."""
    if all(isinstance(entry, str) for entry in section.values()):
        return {key for key, entry in section.items() if contains(entry, version)}
    found = {}
    for key, pairs in section.items():
        for text, value in pairs:
            if contains(text, version):
                found[key] = value
                break
    return found


def to_text(data: Mapping[str, Mapping[str, Any]]) -> str:
    """A catalog file: sorted, one entry a line, so that a change shows as the lines it touches."""
    sections = []
    for section in sorted(data):
        entries = [
            f"    {json.dumps(key)}: {json.dumps(data[section][key], sort_keys=True, ensure_ascii=False)}"
            for key in sorted(data[section])
        ]
        body = ",\n".join(entries)
        sections.append(f"  {json.dumps(section)}: {{\n{body}\n  }}" if entries else f"  {json.dumps(section)}: {{}}")
    return "{\n" + ",\n".join(sections) + "\n}\n"
