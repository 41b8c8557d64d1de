"""What a conversion is to do, as one value that a worker process can take."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from istio_convert.cli.command import Function

if TYPE_CHECKING:
    from istio_convert.emit import EmitOptions

TARGETS = ("flux", "argocd", "helmfile", "helm", "terraform", "manifests")
#: those whose output is rendered from the charts
RENDERED = ("manifests",)
#: those that ``plan`` writes a migration for
PLANNED = ("flux", "argocd", "helmfile", "helm")
_LAYOUTS = ("applications", "applicationset", "app-of-apps")


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of one conversion.

    Attributes:
        to, sets, allow_unknown_version: as for :func:`istio_convert.convert`.
        to_from: the configuration that ``to`` comes from; None when the command line or the environment says it.
        target: output format.
        emit: keyword arguments of :class:`istio_convert.emit.EmitOptions`.
        show_values: whether reports show values of the input.
        force: whether to overwrite edited files.
    """

    to: str | None = None
    sets: tuple[str, ...] = ()
    allow_unknown_version: bool = False
    target: str = "flux"
    emit: dict[str, Any] = field(default_factory=dict)
    show_values: bool = False
    force: bool = False
    to_from: Path | None = None

    def emit_options(self) -> EmitOptions:
        """The options for the emitter."""
        from istio_convert.emit import EmitOptions  # noqa: PLC0415 - lazy: --help needs no emitter

        return EmitOptions(**self.emit)


_FLUX = frozenset({"flux"})
_ARGOCD = frozenset({"argocd"})
_TERRAFORM = frozenset({"terraform"})
#: option -> field of EmitOptions, how click shall read it, and the targets that it is for
_EMIT: dict[str, tuple[str, dict[str, Any], frozenset[str]]] = {
    "--chart-source": (
        "chart_source",
        {"metavar": "oci|URL", "help": "Where charts come from; oci: the official registry."},
        frozenset(TARGETS) - {"manifests"},
    ),
    "--flux-namespace": ("flux_namespace", {"metavar": "NS", "help": "Flux: namespace of its objects."}, _FLUX),
    "--flux-chart-ref/--no-flux-chart-ref": (
        "flux_chart_ref",
        {"default": None, "help": "Flux: one OCIRepository per chart. Default: for charts from a registry."},
        _FLUX,
    ),
    "--interval": ("interval", {"metavar": "10m", "help": "Flux: how often it compares."}, _FLUX),
    "--drift-detection": ("drift_detection", {"is_flag": True, "help": "Flux: correct what others change."}, _FLUX),
    "--disable-take-ownership": (
        "disable_take_ownership",
        {
            "is_flag": True,
            "help": "Stop at objects of others, for the time after the migration; not for Argo CD, manifests.",
        },
        frozenset(TARGETS) - _ARGOCD - {"manifests"},
    ),
    "--argocd-layout": (
        "argocd_layout",
        {"type": click.Choice(_LAYOUTS), "help": "Argo CD: how it is arranged."},
        _ARGOCD,
    ),
    "--argocd-namespace": ("argocd_namespace", {"metavar": "NS", "help": "Argo CD: where it runs."}, _ARGOCD),
    "--argocd-project": ("argocd_project", {"metavar": "NAME", "help": "Argo CD: the AppProject."}, _ARGOCD),
    "--argocd-repository": (
        "argocd_repository",
        {"metavar": "URL", "help": "Argo CD: the Git repository that the output is committed to."},
        _ARGOCD,
    ),
    "--argocd-path": (
        "argocd_path",
        {"metavar": "PATH", "help": "Argo CD: the folder in that repository."},
        _ARGOCD,
    ),
    "--argocd-revision": (
        "argocd_revision",
        {"metavar": "REF", "help": "Argo CD: branch, tag or commit of it."},
        _ARGOCD,
    ),
    "--terraform-provider": (
        "terraform_provider",
        {"type": click.Choice(("2", "3")), "help": "Terraform: major version of the Helm provider. Default: 3."},
        _TERRAFORM,
    ),
    "--terraform-import": (
        "terraform_import",
        {"is_flag": True, "help": "Terraform: take over the releases that Helm knows already."},
        _TERRAFORM,
    ),
}
EMIT_FIELDS = tuple(name for name, _, _ in _EMIT.values())


def emit_options(function: Function) -> Function:
    """Add the options about the output's form, and ``--target``."""
    return _with_options(function, TARGETS)


def plan_options(function: Function) -> Function:
    """The same for the targets that a migration can be planned for."""
    return _with_options(function, PLANNED)


def _with_options(function: Function, targets: tuple[str, ...]) -> Function:
    for flag, (name, how, able) in reversed(_EMIT.items()):
        if able & set(targets):
            function = click.option(flag, name, **how)(function)
    return click.option(
        "--target", type=click.Choice(targets), default=targets[0], show_default=True, help="The tool that applies it."
    )(function)


def refuse_options_of_others(ctx: click.Context) -> None:
    """Refuse options on the command line that the target does not read; the environment may hold those of all.

    Raises:
        UsageError: there is one.
    """
    target = ctx.params["target"]
    for flag, (name, _, targets) in _EMIT.items():
        if target not in targets and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            able = ", ".join(other for other in TARGETS if other in targets)
            raise click.UsageError(f"{flag.partition('/')[0]} is for --target {able}; the target is {target}")


def settings_from(params: dict[str, Any]) -> Settings:
    """Settings from the parameters of a command; options that were not given keep their defaults."""
    given = {name: params[name] for name in EMIT_FIELDS if params.get(name) not in (None, False)}
    if params.get("flux_chart_ref") is False:
        given["flux_chart_ref"] = False
    if params.get("charts"):
        given["charts"] = params["charts"]
    if "terraform_provider" in given:
        given["terraform_provider"] = int(given["terraform_provider"])
    return Settings(
        to=params.get("to"),
        sets=tuple(params.get("sets") or ()),
        allow_unknown_version=bool(params.get("allow_unknown_version")),
        target=params.get("target") or TARGETS[0],
        emit=given,
        show_values=bool(params.get("show_values")),
        force=bool(params.get("force")),
        to_from=params.get("to_from"),
    )
