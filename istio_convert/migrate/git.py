"""What Argo CD reads from Git: the folders of releases with patches, which must be there before their Applications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from istio_convert.emit.argocd import UNKNOWN_REPOSITORY
from istio_convert.emit.base import EmitOptions
from istio_convert.migrate.model import Command, Finding, Level, Stage
from istio_convert.migrate.shell import command
from istio_convert.migrate.targets import Place
from istio_convert.release import Release

_FINAL = "final"


def stage_options(stage: Stage, options: EmitOptions) -> EmitOptions:
    """How the releases of a stage are written: those beside the old plane have a folder of their own in Git.

    Both stages hold the same files with other content; with one folder for both, Git could hold only one of them.
    """
    if stage.name == _FINAL:
        return options
    path = stage.name if options.argocd_path == "." else f"{options.argocd_path}/{stage.name}"
    return replace(options, argocd_path=path)


def findings(stages: Sequence[Stage], target: str, options: EmitOptions) -> list[Finding]:
    """Applications of a repository that is not known."""
    names = _patched(stages)
    if target != "argocd" or not names or options.argocd_repository:
        return []
    return [
        Finding(
            "argocd-repository",
            Level.BLOCKER,
            f"Releases with patches come from Git, and the repository is not known: their Applications would name "
            f"{UNKNOWN_REPOSITORY}.",
            "Plan again with --argocd-repository URL, and --argocd-path and --argocd-revision if it is not the root of "
            "the default branch.",
            tuple(f"Application {name}" for name in names),
        )
    ]


def preflight(stages: Sequence[Stage], target: str, options: EmitOptions) -> list[Command]:
    """Whether Argo CD renders charts inside a Kustomization."""
    if target != "argocd" or not _patched(stages):
        return []
    return [
        command("argocd_builds_charts", options.argocd_namespace, why="Kustomize calls Helm for releases with patches")
    ]


def committed(places: Sequence[Place], target: str) -> tuple[list[str], list[Command]]:
    """What must be in Git before these Applications are applied: for people, and for the script."""
    patched = [place for place in places if is_read(place.unit.release, target)]
    if not patched:
        return [], []
    stage = patched[0].stage
    options = stage_options(stage, patched[0].options)
    repository = options.argocd_repository or UNKNOWN_REPOSITORY
    folders = [f"kustomize/{place.unit.slug}" for place in patched]
    prefix = "" if options.argocd_path == "." else f"{options.argocd_path}/"
    text = (
        f"**Commit and push first**: Argo CD reads {', '.join(f'`{prefix}{folder}`' for folder in folders)} at "
        f"`{options.argocd_revision}` from {repository}; the content is that of `releases/{stage.name}/argocd`."
    )
    if stage.name != _FINAL:
        text += " Leave it there until the migration is over: the way back of the later steps reads it again."
    return [text], [
        command(
            "needs_in_git", f"releases/{stage.name}/argocd/{folder}", f"{prefix}{folder}", options.argocd_revision,
            repository, why="Argo CD reads it from Git; nothing here can see whether it is there" if not number else "",
        )
        for number, folder in enumerate(folders)
    ]  # fmt: skip


def is_read(release: Release, target: str) -> bool:
    """Whether Argo CD reads the release from Git, so that its Application differs between the stages."""
    return target == "argocd" and bool(release.patches)


def hand_over(stages: Sequence[Stage], target: str, options: EmitOptions) -> list[str]:
    """What leaves Git in the end."""
    if target != "argocd" or len(stages) < 2 or not _patched(stages[:1]):
        return []
    path = stage_options(stages[0], options).argocd_path
    return [f"When there is no way back any more, take `{path}` out of Git: no Application reads it."]


def _patched(stages: Sequence[Stage]) -> list[str]:
    return sorted({release.name for stage in stages for release in stage.releases if release.patches})
