"""The built-in reference against the goldens of Istio's own manifest-generate tests, object by object.

They are not part of this project. Unpack the source of an Istio release and name it (or several, separated as in PATH)
in ISTIO_CONVERT_ISTIO_SOURCE; a folder that is named after its version is taken as that version.
"""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from istio_convert.verify import reference
from istio_convert.verify.charts.layout import ReleaseCharts, find_charts
from istio_convert.verify.compare import compare
from istio_convert.verify.manifests import Object, Rendered, object_id, parse_objects

SOURCES = [Path(part) for part in os.environ.get("ISTIO_CONVERT_ISTIO_SOURCE", "").split(os.pathsep) if part]
TESTS = Path("operator/cmd/mesh/manifest-generate_test.go")
DATA = Path("operator/cmd/mesh/testdata/manifest-generate")
#: Goldens that no entry of Istio's test tables names are left over from older tests, which rendered some templates
#: only: their objects must still be ours but for labels, and there may be more. The flags that they were made with:
LEFT_OVER_FLAGS = {"flag_output_set_values": ["values.global.proxy.image=mynewproxy"]}
#: Left over, and from another chart than the snapshot beside it: nobody regenerates it.
STALE = {
    ("1.30.3", "flag_output"): "lacks the names of istiod's ports and has an older list of variables",
    ("1.31.0-rc.0", "flag_output"): "lacks the names of istiod's ports and has an older list of variables",
}


@dataclass(frozen=True)
class Golden:
    source: Path
    name: str
    path: Path
    select: tuple[str, ...]
    flags: tuple[str, ...]
    files: tuple[Path, ...]
    live: bool
    in_use: bool


def _goldens() -> list[Golden]:
    found = []
    for source in SOURCES:
        text = (source / TESTS).read_text(encoding="utf-8")
        for path in sorted((source / DATA / "output").iterdir()):
            name = path.name.split(".golden", 1)[0]
            block = _block(text, name)
            chosen = re.search(r'diffSelect:\s*"([^"]*)"', block)
            flags = re.search(r'flags:\s*"([^"]*)"', block)
            file = source / DATA / "input" / f"{name}.yaml"
            found.append(
                Golden(
                    source,
                    name,
                    path,
                    tuple(part.strip() for part in chosen.group(1).split(",")) if chosen else (),
                    tuple(re.findall(r"(?:--set|-s)[ =](\S+)", flags.group(1))) if flags else (),
                    (file,) if file.exists() and "noInput" not in block else (),
                    "chartSource: liveCharts" in re.sub(r"\s+", " ", block),
                    bool(block),
                )
            )
    return found


def _block(text: str, name: str) -> str:
    match = re.search(rf'\{{[^{{}}]*desc:\s*"{re.escape(name)}",(?:[^{{}}]|\{{[^{{}}]*\}})*\}}', text)
    return match.group(0) if match else ""


@lru_cache(maxsize=8)
def _charts(source: Path, live: bool, scratch: Path) -> ReleaseCharts:
    if live:
        manifests = source / "manifests"
    else:
        folder = scratch / source.name
        with tarfile.open(source / DATA / "data-snapshot.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        manifests = folder / "manifests"
    version = source.name if re.fullmatch(r"\d+\.\d+\.\d+(-.*)?", source.name) else "1.25.0"
    return ReleaseCharts(version, dict(find_charts(manifests / "charts")), manifests / "profiles", released=False)


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("snapshot")


def _selected(obj: Object, select: tuple[str, ...]) -> bool:
    if not select:
        return True
    identity = object_id(obj)
    text = f"{identity.kind}:{(obj.get('metadata') or {}).get('namespace', '')}:{identity.name}"
    patterns = [":".join(part if part not in ("", "*") else ".*" for part in entry.split(":")) for entry in select]
    return any(re.search(pattern, text) for pattern in patterns)


def _cases() -> Iterator[Any]:
    for golden in _goldens():
        reason = STALE.get((golden.source.name, golden.name))
        marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
        yield pytest.param(golden, id=f"{golden.source.name}-{golden.name}", marks=marks)


if not SOURCES:

    @pytest.mark.render
    @pytest.mark.skip(
        reason="no Istio source here: ISTIO_CONVERT_ISTIO_SOURCE=/path/to/istio-1.25.3 pytest tests/verify"
    )
    def test_goldens() -> None:
        """Stands for one test per golden."""

else:

    @pytest.mark.render
    @pytest.mark.parametrize("golden", list(_cases()))
    def test_golden(golden: Golden, scratch: Path) -> None:
        charts = _charts(golden.source, golden.live, scratch)
        files = [(file.name, file.read_text(encoding="utf-8")) for file in golden.files]
        files = files or [("empty", "kind: IstioOperator\nspec: {}\n")]
        sets = [flag for flag in golden.flags if not flag.startswith("installPackagePath=")]
        rendered = reference.generate(files, charts, sets=sets or LEFT_OVER_FLAGS.get(golden.name, []))
        ours = {object_id(r.object): r.object for r in rendered if _selected(r.object, golden.select)}
        expected = {object_id(obj): obj for obj in parse_objects(golden.path.read_text(encoding="utf-8"))}
        if golden.in_use:
            assert sorted(map(str, expected)) == sorted(map(str, ours))
            for identity, obj in expected.items():
                assert ours[identity] == obj, str(identity)
            return
        for identity, obj in expected.items():
            (compared,) = compare([Rendered("", "", obj)], [Rendered("", "", ours[identity])])
            assert [d.path for d in compared.unexplained] == [], str(identity)
