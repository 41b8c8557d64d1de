"""The program: a group of commands, of which ``convert`` may be left out.

Only click and the errors are imported here; a command's module is imported when it runs, so that ``--help`` is quick.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import click

from istio_convert.cli import streams
from istio_convert.cli.command import SETTINGS
from istio_convert.cli.exits import MEANINGS, Exit
from istio_convert.errors import OutputError

DEFAULT = "convert"

#: command -> module with a click command named ``command``, line of help, whether help lists it
COMMANDS: dict[str, tuple[str, str, bool]] = {
    "convert": ("istio_convert.cli.convert", "Convert operators into Helm releases (the default command).", True),
    "check": ("istio_convert.cli.check", "Fail when a field has no place in the target version.", True),
    "verify": ("istio_convert.cli.verify", "Render both sides and compare the objects.", True),
    "plan": ("istio_convert.cli.plan", "Write the steps of the migration of a running mesh.", True),
    "cluster": ("istio_convert.cli.cluster", "Show what of Istio is in a cluster; only reads.", True),
    "explain": ("istio_convert.cli.explain", "Say what becomes of a field, and why.", True),
    "rules": ("istio_convert.cli.rules", "List the mapping rules.", True),
    "schema": (
        "istio_convert.cli.schema",
        "Print the JSON Schema of the report, the operator or a chart's values.",
        True,
    ),
    "charts": ("istio_convert.cli.charts", "Bring charts to this machine, for verify.", True),
    "versions": ("istio_convert.cli.versions", "List the Istio releases that are known here.", True),
    "completion": ("istio_convert.cli.completion", "Print the script for shell completion.", True),
    "catalog": ("istio_convert.cli.catalog", "Build the data about Istio releases.", False),
}

_HELP = """Turn an IstioOperator into Helm values, Kustomize patches and a report that accounts for every field.

\b
  istio-convert operator.yaml -o helmrelease/    convert (the word "convert" may be left out)
  istio-convert check operator.yaml              for CI: fail when something has no place
  istio-convert verify operator.yaml             render both sides and compare

"istio-convert convert --help" lists the options of a conversion.
"""
_EPILOG = (
    "Every option is an environment variable, too: --fail-on is ISTIO_CONVERT_FAIL_ON.\n\n\b\nExit codes:\n"
    + "\n".join(f"  {int(code):<3} {meaning}" for code, meaning in MEANINGS.items())
)


class Program(click.Group):
    """The group. Commands come from :data:`COMMANDS`; what is no command is an operator to convert."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The commands that are installed, in the order of the table."""
        return [name for name, (module, _, _) in COMMANDS.items() if importlib.util.find_spec(module)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands for help, without importing them."""
        rows = [(name, COMMANDS[name][1]) for name in self.list_commands(ctx) if COMMANDS[name][2]]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default command in front of arguments that name none."""
        own = {name for param in self.get_params(ctx) for name in (*param.opts, *param.secondary_opts)}
        if args and args[0] not in COMMANDS and args[0] not in own:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments; ``--help`` and ``--version`` write here."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except BrokenPipeError:
            streams.abandon("stdout")
            raise click.exceptions.Exit(Exit.BROKEN_PIPE) from None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Commands, and files, since the default command takes files."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - lazy: only a shell asks for it

        rows = [name for name in self.list_commands(ctx) if COMMANDS[name][2] and name.startswith(incomplete)]
        commands = [CompletionItem(name, help=COMMANDS[name][1]) for name in rows]
        return commands or [CompletionItem(incomplete, type="file")]

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; say nothing when the reader of stdout goes away."""
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            streams.abandon("stdout")
            return Exit.BROKEN_PIPE
        return code

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the program and leave with its exit code (with ``standalone_mode``), or return it."""
        streams.open_closed()
        try:
            code = super().main(
                args,
                prog_name,
                complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
        except click.ClickException as error:
            _tell(error.show)
            code = error.exit_code
        except (click.Abort, KeyboardInterrupt):
            _tell(lambda: click.echo("interrupted; nothing is half-written", err=True))
            code = Exit.INTERRUPTED
        except BrokenPipeError:
            streams.abandon("stdout")
            code = Exit.BROKEN_PIPE
        except OutputError:  # stderr could not be written, so there is no place for a message
            code = Exit.BAD
        except OSError as error:
            if error.filename is not None:  # no stream: those have no name
                raise
            streams.abandon("stdout")
            reason = error.strerror or type(error).__name__
            _tell(lambda: click.echo(f"error: stdout cannot be written: {reason}", err=True))
            code = Exit.BAD
        return sys.exit(int(code or 0)) if standalone_mode else int(code or 0)


def _tell(show: Callable[[], object]) -> None:
    """Write to stderr while the program ends; when that fails, too, only the exit code is left to tell it."""
    try:
        show()
    except OSError:
        streams.abandon("stderr")


def _show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from istio_convert import __version__  # noqa: PLC0415 - lazy: the package imports everything

    click.echo(f"istio-convert {__version__}")
    ctx.exit()


#: objects made until Python looks for cycles: a run leaves few, and looking for them costs a twentieth of a short one
_COLLECT_AFTER = 50_000

cli = Program(
    "istio-convert",
    help=_HELP,
    epilog=_EPILOG,
    context_settings=SETTINGS,
    subcommand_metavar="[convert] OPERATOR... | COMMAND ...",
    options_metavar="",
    no_args_is_help=True,
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_show_version,
            help="Show the version.",
        )
    ],
)


def main() -> NoReturn:
    """Entry point."""
    gc.set_threshold(_COLLECT_AFTER)
    sys.exit(cli.main(prog_name="istio-convert", standalone_mode=False))
