"""What all commands share: their options, and how errors become messages and exit codes."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from istio_convert.cli import terminal
from istio_convert.cli.exits import Exit, code_of
from istio_convert.errors import IstioConvertError

ENVIRONMENT = "ISTIO_CONVERT_"
#: options that are no environment variable: ISTIO_CONVERT_CHARTS is the cache itself, not what to use instead
_WITHOUT_VARIABLE = frozenset({"--charts"})
#: metavars of what is the name of a file or folder
_NAMES = frozenset({"FILE", "FILE|-", "DIR", "DUMP", "OPERATOR..."})
SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
}

Function = TypeVar("Function", bound=Callable[..., Any])


class Command(click.Command):
    """A command whose function returns its exit code and may raise the errors of the package."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["context_settings"] = {**SETTINGS, **(kwargs.get("context_settings") or {})}
        super().__init__(*args, **kwargs)
        for param in self.params:
            if isinstance(param, click.Option) and param.envvar is None:
                param.envvar = variable_of(param)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; an empty name, as of a variable that is not set, must not pass for none or for ``.``.

        Raises:
            BadParameter: a file or folder has an empty name.
        """
        rest = super().parse_args(ctx, args)
        for param in self.params:
            value = ctx.params.get(param.name or "")
            if (
                param.metavar in _NAMES
                and not ctx.resilient_parsing
                and "" in (value if isinstance(value, tuple) else (value,))
            ):
                raise click.BadParameter("the name is empty; is a variable not set?", ctx, param)
        return rest

    def invoke(self, ctx: click.Context) -> int:
        """Run the function; turn errors of the package into a message and a code.

        Returns:
            The exit code.
        """
        colour = ctx.params.get("color", "auto")
        try:
            return int(super().invoke(ctx) or Exit.DONE)
        except IstioConvertError as error:
            terminal.show_error(error, colour)
            code = code_of(error)
            if code is Exit.BUG:
                terminal.say("hint: this is a bug of istio-convert, please report it\n")
            if ctx.params.get("debug"):
                terminal.say(traceback.format_exc())
            return code
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever else there is, is our bug and must not look like output
            terminal.show_message(f"internal error: {describe(error)}", colour=colour)
            terminal.say("hint: this is a bug of istio-convert, please report it; --debug shows more\n")
            if ctx.params.get("debug"):
                terminal.say(traceback.format_exc())
            return Exit.BUG


def variable_of(option: click.Option) -> str | None:
    """The environment variable of an option: ``--fail-on`` is ``ISTIO_CONVERT_FAIL_ON``."""
    name = max(option.opts, key=len)
    return None if name in _WITHOUT_VARIABLE else ENVIRONMENT + name.lstrip("-").replace("-", "_").upper()


def describe(error: BaseException) -> str:
    """What an unexpected exception is and where it happened, without its text, which may hold values of the input."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "istio_convert" in frame.filename]
    where = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"


def common(function: Function) -> Function:
    """Add the options that every command has."""
    for option in (
        click.option("--debug", is_flag=True, help="Show where an internal error happened."),
        click.option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            help="Colours; auto: on a terminal, unless NO_COLOR is set.",
        ),
    ):
        function = option(function)
    return function


def version_options(function: Function) -> Function:
    """Add the options about the target version and the operator."""
    for option in (
        click.option(
            "--allow-unknown-version", is_flag=True, help="For a release not known here, use the nearest older one."
        ),
        click.option(
            "--set", "sets", multiple=True, metavar="PATH=VALUE", help="Override a field of spec, as istioctl's --set."
        ),
        click.option(
            "--to",
            metavar="VERSION",
            help="Version of the charts, such as 1.25.3 or 1.25. Default: that of istio-convert.toml or "
            "[tool.istio-convert] in pyproject.toml, else the release that the operator's tag names, else the newest.",
        ),
    ):
        function = option(function)
    return function


def report_options(default_fail_on: str) -> Callable[[Function], Function]:
    """Add the options about the report and the findings that fail."""

    def add(function: Function) -> Function:
        for option in (
            click.option("-v", "--verbose", is_flag=True, help="Show every field, not only what needs attention."),
            click.option("-q", "--quiet", is_flag=True, help="Show errors only."),
            click.option("--show-values", is_flag=True, help="Show values of the input, which may be secrets."),
            click.option(
                "--report-format",
                type=click.Choice(["text", "json", "markdown", "sarif", "junit", "github", "summary"]),
                help="Default: by the name of the report file, else text.",
            ),
            click.option("--report", metavar="FILE|-", help="Write the report to a file, or to stdout."),
            click.option("--strict", is_flag=True, help="Fail on inert fields, too."),
            click.option(
                "--fail-on",
                type=click.Choice(["never", "lost", "manual", "inert"]),
                default=default_fail_on,
                show_default=True,
                help="Exit with 3 when a field has this outcome or a worse one.",
            ),
        ):
            function = option(function)
        return function

    return add


SEVERITY = {"never": 0, "inert": 1, "manual": 2, "lost": 3}


def threshold(fail_on: str, *, strict: bool) -> int:
    """The severity from which a finding fails; 0 for never."""
    return SEVERITY["inert"] if strict else SEVERITY[fail_on]


def is_failing(severity: int, fail_at: int) -> bool:
    """Whether findings up to that severity fail."""
    return 0 < fail_at <= severity
