"""What every target has in common: its options, its protocol, and the checks before anything is written.

Names, namespaces, chart names and versions end up in paths, in manifests and in shell scripts. They are checked here,
once, against the narrowest grammar that Kubernetes and Helm accept, so that no target has to defend itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias

from istio_convert.errors import InternalError, InvalidNameError, OutputError
from istio_convert.release import Release

OFFICIAL_REPOSITORY = "https://istio-release.storage.googleapis.com/charts"
OFFICIAL_REGISTRY = "oci://gcr.io/istio-release/charts"
ARGOCD_LAYOUTS = ("applications", "applicationset", "app-of-apps")
TERRAFORM_PROVIDERS = (2, 3)
CHARTS = ("base", "istiod", "istiod-remote", "cni", "ztunnel", "gateway")

Files: TypeAlias = dict[str, str]
"""Relative POSIX path -> text. A text that starts with ``#!`` is written as an executable."""

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?\Z")
_VERSION = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?\Z")
_URL = re.compile(r"(https?|oci)://[A-Za-z0-9._~:/?@%=&+,-]+\Z")
_DURATION = re.compile(r"([0-9]+(\.[0-9]+)?(ms|s|m|h))+\Z")
_GIT = re.compile(r"(https?|ssh|git)://[A-Za-z0-9._~:/?@%=&+,-]+\Z|[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[A-Za-z0-9._~/-]+\Z")
_GIT_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]*\Z")
_RELEASE_LIMIT = 53
_LABEL_LIMIT = 63


class Capability(str, Enum):
    """What only some targets can do. All of them express every value and every patch."""

    OWNERSHIP_SWITCH = "refusing objects that another tool made"
    DRIFT_DETECTION = "drift detection as an option"


@dataclass(frozen=True, slots=True)
class EmitOptions:
    """How the output is to look. Every default is safe for a migration in place.

    Attributes:
        chart_source: ``https://…`` of a Helm repository, ``oci://…`` of a registry folder; ``oci``: the official one.
        interval: how often a GitOps controller compares, as Go writes durations (``10m``).
        flux_namespace: namespace of the Flux objects; None is the control plane's.
        flux_chart_ref: True: one OCIRepository per chart (``chartRef``); False: a HelmRepository; None: by the source.
        drift_detection: Flux corrects what others change, but for what istiod itself changes.
        disable_take_ownership: a release stops at objects of others; for the time after the migration.
        argocd_layout: one of :data:`ARGOCD_LAYOUTS`.
        argocd_namespace: where Argo CD runs.
        argocd_project: the AppProject.
        argocd_repository: URL of the Git repository that the output is committed to; empty when not known yet.
        argocd_path: the output's folder in that repository.
        argocd_revision: branch, tag or commit of it.
        terraform_provider: major version of Terraform's Helm provider, 2 or 3.
        terraform_import: take over the releases that Helm knows already, by import blocks.
        charts: a folder of charts for what is rendered here; None for those of the chart cache.
        todo: what still needs a person, one line each, for the README.
        upgrade: that applying the output is an upgrade, too, for the README; empty when it is none.
        proven: whether the folder has the page of a proof, for the README.
        plan_root: path from the output's folder to the migration plan that it is a part of; empty when it is not.
    """

    chart_source: str = OFFICIAL_REPOSITORY
    interval: str = "10m"
    flux_namespace: str | None = None
    flux_chart_ref: bool | None = None
    drift_detection: bool = False
    disable_take_ownership: bool = False
    argocd_layout: str = "applications"
    argocd_namespace: str = "argocd"
    argocd_project: str = "default"
    argocd_repository: str = ""
    argocd_path: str = "."
    argocd_revision: str = "HEAD"
    terraform_provider: int = 3
    terraform_import: bool = False
    charts: str | None = None
    todo: tuple[str, ...] = ()
    upgrade: str = ""
    proven: bool = False
    plan_root: str = ""

    @property
    def chart_url(self) -> str:
        """The chart source as a URL without a slash at its end."""
        return OFFICIAL_REGISTRY if self.chart_source == "oci" else self.chart_source.rstrip("/")

    @property
    def is_oci(self) -> bool:
        """Whether the charts come from an OCI registry."""
        return self.chart_url.startswith("oci://")


@dataclass(frozen=True, slots=True)
class Unit:
    """A release with a name that is unique in the whole output, for files and for objects in one namespace.

    Attributes:
        release: the release.
        slug: its name, or ``<name>-<namespace>`` when another namespace has a release of that name.
        needs: the releases that must be ready before, in their order.
    """

    release: Release
    slug: str
    needs: tuple[Unit, ...]


class Emitter(Protocol):
    """One target."""

    name: str
    capabilities: frozenset[Capability]

    def files(self, releases: Sequence[Release], options: EmitOptions) -> Files:
        """The whole output folder. Pure; the releases are in the order in which they are applied."""
        ...


def units(releases: Sequence[Release]) -> list[Unit]:
    """Give each release its unique name and look up its dependencies.

    A dependency is the release of that name in the same namespace; without one, every release of that name.

    Raises:
        InternalError: a release needs one that comes later or not at all.
    """
    named = Counter(release.name for release in releases)
    done: list[Unit] = []
    for release in releases:
        slug = release.name if named[release.name] == 1 else f"{release.name}-{release.namespace}"
        needs: list[Unit] = []
        for name in release.depends_on:
            found = [unit for unit in done if unit.release.name == name]
            near = [unit for unit in found if unit.release.namespace == release.namespace]
            if not found:
                raise InternalError(f"a release of chart {release.chart} needs one that is not before it")
            needs.extend(unit for unit in near or found if unit not in needs)
        done.append(Unit(release, slug, tuple(needs)))
    return done


def control_namespace(releases: Sequence[Release]) -> str:
    """The namespace of istiod; without one, of base; without that, of the first release."""
    for chart in ("istiod", "base"):
        for release in releases:
            if release.chart == chart:
                return release.namespace
    return releases[0].namespace


def check(releases: Sequence[Release], options: EmitOptions) -> None:
    """Refuse everything that must not reach a path, an object name or a script.

    Raises:
        InvalidNameError: a name, namespace, version, URL or path has another form than it may have.
        OutputError: there is nothing to write, or options contradict each other.
    """
    if not releases:
        raise OutputError("there is nothing to write: no component is enabled")
    for number, release in enumerate(releases, start=1):
        where = f"release {number} ({release.chart if release.chart in CHARTS else 'unknown chart'})"
        _label(release.name, f"the name of {where}", _RELEASE_LIMIT)
        _label(release.namespace, f"the namespace of {where}")
        if release.chart not in CHARTS:
            raise InvalidNameError(f"{where} uses a chart that Istio does not publish")
        if not _VERSION.match(release.version):
            raise InvalidNameError(f"{where} has a chart version that is no version")
    pairs = Counter((release.namespace, release.name) for release in releases)
    if max(pairs.values()) > 1:
        raise InvalidNameError("two releases have the same name in the same namespace", hint="rename one of them")
    slugs = Counter(unit.slug for unit in units(releases))
    if max(slugs.values()) > 1:
        raise InvalidNameError("two releases would get the same file name", hint="rename one of them")
    _check_options(options)


def _check_options(options: EmitOptions) -> None:
    if not _URL.match(options.chart_url):
        raise InvalidNameError("the chart source is no URL", hint="https://…, oci://… or the word oci")
    if not _DURATION.match(options.interval):
        raise InvalidNameError("the interval is no duration", hint="such as 10m or 1h30m")
    if options.flux_namespace is not None:
        _label(options.flux_namespace, "the namespace for Flux")
    _label(options.argocd_namespace, "the namespace of Argo CD")
    _label(options.argocd_project, "the project of Argo CD")
    if options.argocd_layout not in ARGOCD_LAYOUTS:
        raise OutputError("an unknown layout for Argo CD", hint=f"one of {', '.join(ARGOCD_LAYOUTS)}")
    if options.argocd_repository and not _GIT.match(options.argocd_repository):
        raise InvalidNameError("the repository for Argo CD is no Git URL")
    if not _GIT_REF.match(options.argocd_revision):
        raise InvalidNameError("the revision for Argo CD is no Git reference")
    check_path(options.argocd_path, "the path for Argo CD")
    if options.terraform_provider not in TERRAFORM_PROVIDERS:
        raise OutputError("an unknown provider for Terraform", hint="2 or 3")
    if options.flux_chart_ref and not options.is_oci:
        raise OutputError(
            "an OCIRepository needs charts from a registry", hint="add the chart source oci, or oci:// of your own"
        )


def _label(text: str, what: str, limit: int = _LABEL_LIMIT) -> None:
    if not _LABEL.match(text):
        raise InvalidNameError(
            f"{what} is no DNS-1123 label",
            hint="lower-case letters, digits and '-', not at the ends; quotes are refused",
        )
    if len(text) > limit:
        raise InvalidNameError(f"{what} is longer than {limit} characters", hint="give it a shorter name")


_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*\Z")


def check_path(path: str, what: str) -> None:
    """Refuse a relative path that leaves its folder or that a shell or a file system could read otherwise.

    Raises:
        InvalidNameError: it does.
    """
    if path == ".":
        return
    if not all(_SEGMENT.match(segment) for segment in path.split("/")):
        raise InvalidNameError(f"{what} is no plain relative path")
