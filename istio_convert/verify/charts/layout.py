"""Where the charts of one release lie, and how they read once the release build has been applied to them.

The charts in Istio's source repository carry a testing hub, ``tag: latest`` and version 1.0.0; the release build writes
the official hub and the release into them. Charts from source are read here as if they had been released, so that both
sides of the proof see what users get.
"""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from istio_convert.errors import RenderError, VerifyError

#: The charts that users install with Helm. istioctl needs more: its own gateway charts, and the profiles.
HELM_CHARTS = ("base", "istiod", "cni", "ztunnel", "gateway")
ISTIOCTL_CHARTS = ("istio-ingress", "istio-egress")
#: Helm charts that older releases have and newer ones lack.
ENDED_CHARTS = ("istiod-remote",)

#: The hub that release builds write, by the first release that has it (newest first).
RELEASE_HUBS: tuple[tuple[tuple[int, int], str], ...] = (
    ((1, 30), "registry.istio.io/release"),
    ((0, 0), "docker.io/istio"),
)
_TESTING_HUB = re.compile(
    r"""(?m)^(\s*hub:\s*)["']?(?:gcr\.io/istio-testing|registry\.istio\.io/testing)["']?[ \t]*$"""
)
_TESTING_TAG = re.compile(r"""(?m)^(\s*tag:\s*)["']?latest["']?[ \t]*$""")
_SOURCE_VERSION = re.compile(r"""(?m)^(version|appVersion):[ \t]*["']?1\.0\.0["']?[ \t]*$""")
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?\Z")
_NORMALISED_FILES = {"Chart.yaml", "values.yaml"}


def version_key(version: str) -> tuple[int, int, int, int, str]:
    """A sort key for release versions; a pre-release comes before its final release.

    Raises:
        VerifyError: the text is no version such as ``1.25.3`` or ``1.31.0-rc.0``.
    """
    match = _VERSION.match(version)
    if match is None:
        raise VerifyError(f"{version!r} is no release version", hint="write it as 1.25.3")
    major, minor, patch, pre = match.groups()
    return int(major), int(minor), int(patch), 0 if pre else 1, pre or ""


def is_version(text: str) -> bool:
    """Whether a text is a release version."""
    return _VERSION.match(text) is not None


def final_version(version: str) -> str:
    """The final release that a pre-release leads to: ``1.31.0-rc.0`` gives ``1.31.0``."""
    return version.split("-", 1)[0]


def release_hub(version: str) -> str:
    """The hub in the charts of a release."""
    key = version_key(version)[:2]
    return next(hub for since, hub in RELEASE_HUBS if key >= since)


def as_released(text: str, version: str, *, stored_as: str = "", chart_file: bool = False) -> str:
    """A values, profile or ``Chart.yaml`` text with what the release build writes into it.

    Args:
        text: the file's text.
        version: the release.
        stored_as: the release candidate that the text comes from, when it stands in for the release.
        chart_file: true for ``Chart.yaml``, whose placeholder version becomes the release.
    """
    if stored_as and stored_as != version:
        text = re.sub(
            rf"(?m)^(\s*(?:tag|version|appVersion):[ \t]*[\"']?){re.escape(stored_as)}\b", rf"\g<1>{version}", text
        )
    if chart_file:
        return _SOURCE_VERSION.sub(rf"\g<1>: {version}", text)
    text = _TESTING_HUB.sub(rf"\g<1>{release_hub(version)}", text)
    return _TESTING_TAG.sub(rf"\g<1>{version}", text)


def read_chart_folder(path: Path) -> dict[str, bytes]:
    """The files of a chart folder by their path inside it."""
    return {
        str(PurePosixPath(*file.relative_to(path).parts)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }


def read_chart_archive(path: Path) -> dict[str, bytes]:
    """The files of a packaged chart by their path inside it.

    Raises:
        VerifyError: the file is no chart archive, or holds an entry that would leave its folder.
    """
    files: dict[str, bytes] = {}
    try:
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                parts = PurePosixPath(member.name).parts
                if member.isdir():
                    continue
                if not member.isfile() or len(parts) < 2 or ".." in parts or member.name.startswith("/"):
                    raise VerifyError(f"{path}: a chart archive with an unexpected entry")
                stream = archive.extractfile(member)
                files["/".join(parts[1:])] = stream.read() if stream else b""
    except (tarfile.TarError, EOFError, OSError) as error:
        raise VerifyError(f"{path}: not a readable chart archive") from error
    if "Chart.yaml" not in files:
        raise VerifyError(f"{path}: an archive without Chart.yaml is no chart")
    return files


def read_chart(path: Path) -> dict[str, bytes]:
    """The files of a chart, folder or archive."""
    return read_chart_folder(path) if path.is_dir() else read_chart_archive(path)


def chart_field(files: Mapping[str, bytes], name: str) -> str:
    """A top-level scalar of ``Chart.yaml``; empty when it is not there."""
    text = files.get("Chart.yaml", b"").decode("utf-8", "replace")
    match = re.search(rf"""(?m)^{name}:[ \t]*["']?([^"'\s#]+)""", text)
    return match.group(1) if match else ""


def find_charts(root: Path) -> Iterator[tuple[str, Path]]:
    """Every chart below a folder as (name from ``Chart.yaml``, folder or archive), not looking into charts."""
    if (root / "Chart.yaml").is_file():
        yield chart_field({"Chart.yaml": (root / "Chart.yaml").read_bytes()}, "name"), root
        return
    if root.is_file():
        if root.name.endswith((".tgz", ".tar.gz")):
            yield chart_field(read_chart_archive(root), "name"), root
        return
    for child in sorted(root.iterdir()):
        if child.is_dir() or child.name.endswith((".tgz", ".tar.gz")):
            yield from find_charts(child)


@dataclass(frozen=True)
class ReleaseCharts:
    """The charts of one release on this machine.

    Attributes:
        version: the release that they are read as.
        charts: chart name (as in ``Chart.yaml``) to its folder or archive.
        profiles: the folder of istioctl's profiles, when at hand.
        stored_as: the version they are stored under (a release candidate stands in for its final release).
        released: read them as the release build leaves them; false keeps them as they are.
    """

    version: str
    charts: Mapping[str, Path]
    profiles: Path | None = None
    stored_as: str = ""
    released: bool = True
    _files: dict[str, dict[str, bytes]] = field(default_factory=dict, repr=False, compare=False, hash=False)

    @cached_property
    def key(self) -> str:
        """Identifies the content's place, for caches."""
        places = "\n".join(f"{name}={path}" for name, path in sorted(self.charts.items()))
        return hashlib.sha256(f"{self.version}\n{self.released}\n{places}".encode()).hexdigest()

    @property
    def has_reference(self) -> bool:
        """Whether istioctl's side can be rendered: its own gateway charts and its profiles are there."""
        return self.profiles is not None and all(name in self.charts for name in ISTIOCTL_CHARTS)

    def files(self, chart: str) -> dict[str, bytes]:
        """The chart's files as the release has them.

        Raises:
            RenderError: the release has no such chart here.
        """
        if chart not in self._files:
            if chart not in self.charts:
                raise RenderError(
                    f"the charts of {self.version} here have no chart {chart!r}",
                    hint="the official chart archives lack istioctl's gateway charts; add an unpacked Istio release: "
                    "istio-convert charts add PATH",
                )
            self._files[chart] = {
                name: self._released(name, data) for name, data in read_chart(self.charts[chart]).items()
            }
        return self._files[chart]

    def _released(self, name: str, data: bytes) -> bytes:
        if not self.released or name not in _NORMALISED_FILES:
            return data
        text = data.decode("utf-8")
        return as_released(text, self.version, stored_as=self.stored_as, chart_file=name == "Chart.yaml").encode()

    def profile(self, name: str) -> str:
        """The text of one of istioctl's profiles, hub and tag as released.

        Raises:
            RenderError: no such profile, or no profiles at all.
        """
        if self.profiles is None:
            raise RenderError(
                f"the charts of {self.version} here came without istioctl's profiles",
                hint="add an unpacked Istio release: istio-convert charts add PATH",
            )
        path = self.profiles / f"{name}.yaml"
        if "/" in name or not path.is_file():
            known = ", ".join(sorted(file.stem for file in self.profiles.glob("*.yaml")))
            raise RenderError(f"istioctl {self.version} has no profile of that name", hint=f"it has {known}")
        text = path.read_text(encoding="utf-8")
        return as_released(text, self.version, stored_as=self.stored_as) if self.released else text


def pack(files: Mapping[str, bytes], name: str) -> bytes:
    """Files as a chart archive, byte for byte the same for the same files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1, format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(files.items()):
            info = tarfile.TarInfo(f"{name}/{path}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()
