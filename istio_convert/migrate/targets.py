"""What each tool needs to take a release over, to let go of it, and to remove it: commands, one function per tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from istio_convert.emit.base import EmitOptions, Unit, control_namespace
from istio_convert.emit.crds import CrdHandling, crd_handling
from istio_convert.migrate.model import Command, Stage
from istio_convert.migrate.shell import TIMEOUT, Raw, command, line, present


class Adopting(str, Enum):
    """Who gives live objects to a release."""

    LABELS = "labels"  # the adopt script, object by object
    SELF = "self"  # the tool, by its first apply
    TRACKING = "tracking"  # there are no Helm releases


@dataclass(frozen=True, slots=True)
class Place:
    """One release of a stage, with what its commands need.

    Attributes:
        stage: the stage.
        unit: the release and its unique name.
        home: namespace of the GitOps objects.
        options: those of the output.
        source_file: the shared file that a GitOps tool needs first; empty when there is none.
    """

    stage: Stage
    unit: Unit
    home: str
    options: EmitOptions
    source_file: str = ""

    @property
    def folder(self) -> str:
        """The stage's folder."""
        return f"releases/{self.stage.name}"

    @property
    def archive(self) -> str:
        """File name of the chart's archive."""
        return f"{self.unit.release.chart}-{self.unit.release.version}.tgz"


def flux_apply(place: Place) -> list[Command]:
    """Apply the HelmRelease and let it run."""
    commands = []
    if place.source_file:
        commands.append(command("apply", place.source_file, why="where Flux gets the charts from"))
    commands += [
        command("apply", f"{place.folder}/flux/{place.unit.slug}.yaml", why="helm-controller adopts what is live"),
        command(
            *_patch("helmrelease.helm.toolkit.fluxcd.io", place.unit.slug, place.home, {"spec": {"suspend": False}}),
            why="a rollback suspends it",
            guard=present("helmrelease.helm.toolkit.fluxcd.io", place.unit.slug, place.home),
        ),
    ]
    return commands


def flux_wait(place: Place) -> list[Command]:
    """Wait until Flux says Ready."""
    name = f"helmrelease.helm.toolkit.fluxcd.io/{place.unit.slug}"
    return [
        command(
            "wait_for", "kubectl", "wait", name, "--namespace", place.home, "--for=condition=Ready", TIMEOUT,
            why="Flux has applied it",
        )
    ]  # fmt: skip


def flux_release(place: Place) -> list[Command]:
    """Suspend it: Flux stops, and a later deletion uninstalls nothing."""
    resource, name = "helmrelease.helm.toolkit.fluxcd.io", place.unit.slug
    return [
        command(
            *_patch(resource, name, place.home, {"spec": {"suspend": True}}),
            why="a suspended HelmRelease changes nothing, and uninstalls nothing when it is deleted",
            guard=present(resource, name, place.home),
        )
    ]


def flux_idle(place: Place) -> Command:
    """The HelmRelease is gone or suspended."""
    return command("helmrelease_idle", place.home, place.unit.slug)


def flux_there(place: Place) -> Command:
    """The HelmRelease has been applied."""
    return command("exists", "helmrelease.helm.toolkit.fluxcd.io", place.unit.slug, "--namespace", place.home)


def flux_uninstall(place: Place) -> list[Command]:
    """Delete the HelmRelease: Flux uninstalls."""
    resource, name = "helmrelease.helm.toolkit.fluxcd.io", place.unit.slug
    return [
        command(
            "kubectl", "delete", resource, name, "--namespace", place.home, "--ignore-not-found",
            why="take it out of Git too: Flux uninstalls what only this release has",
        )
    ]  # fmt: skip


def argocd_apply(place: Place) -> list[Command]:
    """Apply the Application and sync it."""
    name, home = place.unit.slug, place.options.argocd_namespace
    return [
        command("apply", f"{place.folder}/argocd/applications/{name}.yaml", why="without automated sync, no finalizer"),
        command("argocd_sync", home, name, why="one sync, which adds Argo CD's tracking to what is live"),
    ]


def argocd_wait(place: Place) -> list[Command]:
    """Wait until it is healthy."""
    name = f"application.argoproj.io/{place.unit.slug}"
    return [
        command(
            "wait_for", "kubectl", "wait", name, "--namespace", place.options.argocd_namespace,
            "--for=jsonpath={.status.health.status}=Healthy", TIMEOUT, why="its objects are ready",
        )
    ]  # fmt: skip


def argocd_release(place: Place) -> list[Command]:
    """Nothing syncs by itself: that is kept so."""
    resource, name, home = "application.argoproj.io", place.unit.slug, place.options.argocd_namespace
    return [
        command(
            *_patch(resource, name, home, {"operation": None, "spec": {"syncPolicy": {"automated": None}}}),
            why="Argo CD shows the difference from now on, and changes nothing",
            guard=present(resource, name, home),
        )
    ]


def argocd_idle(place: Place) -> Command:
    """The Application is gone, or nothing syncs it."""
    return command("application_idle", place.options.argocd_namespace, place.unit.slug)


def argocd_there(place: Place) -> Command:
    """The Application has been applied."""
    namespace = place.options.argocd_namespace
    return command("exists", "application.argoproj.io", place.unit.slug, "--namespace", namespace)


def argocd_uninstall(place: Place) -> list[Command]:
    """Delete the Application with what it applied."""
    resource, name, home = "application.argoproj.io", place.unit.slug, place.options.argocd_namespace
    finalizer = {"metadata": {"finalizers": ["resources-finalizer.argocd.argoproj.io"]}}
    return [
        command(
            *_patch(resource, name, home, finalizer),
            why="only for this deletion: with the finalizer Argo CD deletes what the Application tracks",
            guard=present(resource, name, home),
        ),
        command("kubectl", "delete", resource, name, "--namespace", home, "--ignore-not-found"),
    ]


def helm_apply(place: Place) -> list[Command]:
    """``helm upgrade --install`` of this one release."""
    release, archive = place.unit.release, place.archive
    commands = []
    handling = crd_handling(release)
    if handling is CrdHandling.APPLY:
        apply = ("kubectl", "apply", "--server-side", "--force-conflicts", "--field-manager=helm", "--filename", "-")
        commands.append(
            Command(
                f"{line('helm', 'show', 'crds', chart(archive))} | {line(*apply)}",
                "Helm installs the definitions of this chart version once and never updates them",
            )
        )
    words = [
        "helm", "upgrade", release.name, chart(archive), "--install", "--namespace", release.namespace,
        "--values", f"{place.folder}/helm/values/{place.unit.slug}.yaml",
    ]  # fmt: skip
    words += flags(place)
    if handling is CrdHandling.SKIP:
        words.append("--skip-crds")
    if release.patches:
        commands.append(command("post_renderer", place.stage.name, why="a program for Helm 3, a plugin for Helm 4"))
        words += ["--post-renderer", Raw('"$POST_RENDERER"'), "--post-renderer-args", place.unit.slug]
    commands.append(command(*words, why="lib.sh adds the context, waiting, and server-side apply under Helm 4"))
    return commands


def helm_wait(place: Place) -> list[Command]:
    """Helm has waited; what Helm says of it."""
    release = place.unit.release
    return [command("helm", "status", release.name, "--namespace", release.namespace, "--output", "table")]


def helm_release(place: Place) -> list[Command]:
    """Forget the release: its objects stay as they are."""
    release = place.unit.release
    return [command("forget_release", release.name, release.namespace, why="no object is touched, only Helm's records")]


def helm_idle(place: Place) -> Command:
    """Helm knows no such release."""
    return command("release_idle", place.unit.release.namespace, place.unit.release.name)


def helm_there(place: Place) -> Command:
    """Helm has deployed the release; the adopt script alone sets its marks too."""
    release = place.unit.release
    selector = f"owner=helm,status=deployed,name={release.name}"
    return command("exists", "secrets", "--namespace", release.namespace, "--selector", selector)


def helm_uninstall(place: Place) -> list[Command]:
    """Uninstall a release that took nothing over."""
    release = place.unit.release
    return [command("helm", "uninstall", release.name, "--namespace", release.namespace, why="it took nothing over")]


def helmfile_apply(place: Place) -> list[Command]:
    """Sync this one release."""
    return [Command(_helmfile(place, "sync"), "helm upgrade --install of this one release")]


def helmfile_uninstall(place: Place) -> list[Command]:
    """Destroy this one release, which took nothing over."""
    return [Command(_helmfile(place, "destroy"), "it took nothing over")]


def chart(archive: str) -> Raw:
    """The chart's archive as a word."""
    return Raw(f'"$CHARTS"/{line(archive)}')


def flags(place: Place) -> list[str]:
    """Flags that every Helm command with the chart needs."""
    return ["--skip-schema-validation"] if place.unit.release.skip_schema else []


def home_of(stage: Stage, options: EmitOptions) -> str:
    """The namespace of Flux's objects."""
    return options.flux_namespace or control_namespace(stage.releases)


def _helmfile(place: Place, verb: str) -> str:
    release = place.unit.release
    selector = f"name={release.name},namespace={release.namespace}"
    return line("helmfile", "--file", f"{place.folder}/helmfile/helmfile.yaml", "--selector", selector, verb)


def _patch(resource: str, name: str, namespace: str, patch: Mapping[str, object]) -> tuple[str, ...]:
    text = json.dumps(patch, separators=(",", ":"))
    return ("kubectl", "patch", resource, name, "--namespace", namespace, "--type=merge", "--patch", text)


Commands = Callable[[Place], list[Command]]


@dataclass(frozen=True, slots=True)
class Target:
    """What a tool needs.

    Attributes:
        adopting: who gives live objects to its releases.
        apply, wait, release, uninstall: take over, wait until that is done, let go, remove.
        idle: finds a blocker while the release still writes its objects.
        there: stops when the release has not been made.
        programs: what must be on PATH.
        definitions: what must be in the cluster.
        helm: the oldest Helm that will do, and why; empty when none is run.
    """

    adopting: Adopting
    apply: Commands
    wait: Commands
    release: Commands
    uninstall: Commands
    idle: Callable[[Place], Command]
    there: Callable[[Place], Command]
    programs: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    helm: tuple[str, str] | tuple[()] = ()


TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        "flux": Target(
            Adopting.SELF, flux_apply, flux_wait, flux_release, flux_uninstall, flux_idle, flux_there,
            definitions=("helmreleases.helm.toolkit.fluxcd.io", "helmrepositories.source.toolkit.fluxcd.io"),
        ),
        "argocd": Target(
            Adopting.TRACKING, argocd_apply, argocd_wait, argocd_release, argocd_uninstall, argocd_idle,
            argocd_there,
            definitions=("applications.argoproj.io",),
        ),
        "helmfile": Target(
            Adopting.LABELS, helmfile_apply, helm_wait, helm_release, helmfile_uninstall, helm_idle,
            helm_there,
            programs=("helm", "helmfile"),
            helm=("3.17.0", "for takeOwnership in helmfile.yaml"),
        ),
        "helm": Target(
            Adopting.LABELS, helm_apply, helm_wait, helm_release, helm_uninstall, helm_idle, helm_there,
            programs=("helm",),
            helm=("3.16.0", "for --skip-schema-validation"),
        ),
    }
)  # fmt: skip
"""Every target by its name."""
