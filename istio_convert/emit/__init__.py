"""Writing the result for the tool that applies it: Flux, Argo CD, helmfile, plain Helm, Terraform, or kubectl.

:func:`emit` returns texts, and is pure but for the charts that plain manifests are rendered from;
:mod:`istio_convert.emit.writer` puts them on disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from istio_convert.emit.argocd import ArgoCd
from istio_convert.emit.base import (
    ARGOCD_LAYOUTS,
    OFFICIAL_REGISTRY,
    OFFICIAL_REPOSITORY,
    Capability,
    EmitOptions,
    Emitter,
    Files,
    check,
)
from istio_convert.emit.flux import Flux
from istio_convert.emit.helm import Helm
from istio_convert.emit.helmfile import Helmfile
from istio_convert.emit.manifests import Manifests
from istio_convert.emit.terraform import Terraform
from istio_convert.emit.writer import Changes, diff, plan_changes, write
from istio_convert.errors import OutputError
from istio_convert.release import Release

EMITTERS: Mapping[str, Emitter] = MappingProxyType(
    {emitter.name: emitter for emitter in (Flux(), ArgoCd(), Helmfile(), Helm(), Terraform(), Manifests())}
)
"""Every target by its name, the default first."""


def emit(releases: Sequence[Release], target: str = "flux", options: EmitOptions | None = None) -> Files:
    """The output folder of a target.

    Args:
        releases: in the order in which they are applied.
        target: a key of :data:`EMITTERS`.
        options: None for the defaults.

    Returns:
        Relative POSIX path -> text, in a fixed order; a text that starts with ``#!`` is meant to be executable.

    Raises:
        InvalidNameError: a name must not reach a path, an object or a script.
        OutputError: an unknown target, options that contradict each other or the target, or nothing to write.
    """
    chosen = options or EmitOptions()
    emitter = emitter_for(target)
    check(releases, chosen)
    for wanted, capability in (
        (chosen.disable_take_ownership, Capability.OWNERSHIP_SWITCH),
        (chosen.drift_detection, Capability.DRIFT_DETECTION),
    ):
        if wanted and capability not in emitter.capabilities:
            able = [other.name for other in EMITTERS.values() if capability in other.capabilities]
            raise OutputError(f"the target {target} has no {capability.value}", hint=f"it is for {', '.join(able)}")
    return emitter.files(releases, chosen)


def emitter_for(target: str) -> Emitter:
    """The emitter of a target.

    Raises:
        OutputError: an unknown target.
    """
    if target not in EMITTERS:
        raise OutputError("an unknown target", hint=f"one of {', '.join(EMITTERS)}")
    return EMITTERS[target]


__all__ = [
    "ARGOCD_LAYOUTS",
    "EMITTERS",
    "OFFICIAL_REGISTRY",
    "OFFICIAL_REPOSITORY",
    "Capability",
    "Changes",
    "EmitOptions",
    "Emitter",
    "Files",
    "check",
    "diff",
    "emit",
    "emitter_for",
    "plan_changes",
    "write",
]
