"""``istio-convert completion``: the script for a shell."""

from __future__ import annotations

import click

from istio_convert.cli import terminal
from istio_convert.cli.command import Command, common

_WHERE = {
    "bash": "istio-convert completion bash > ~/.local/share/bash-completion/completions/istio-convert",
    "zsh": "istio-convert completion zsh > ~/.zfunc/_istio-convert    # with fpath+=~/.zfunc before compinit",
    "fish": "istio-convert completion fish > ~/.config/fish/completions/istio-convert.fish",
}
_HELP = "Print the script for shell completion.\n\n\b\n" + "\n".join(f"  {line}" for line in _WHERE.values())


@click.command("completion", cls=Command, help=_HELP)
@click.argument("shell", type=click.Choice(sorted(_WHERE)))
@common
def command(shell: str, **_: object) -> None:
    """Print the script; the shell's own version is not checked, since it need not be the one that runs this."""
    from click import shell_completion  # noqa: PLC0415 - lazy: only this command needs it

    from istio_convert.cli.main import cli  # noqa: PLC0415 - the program imports this module

    kinds: dict[str, type[shell_completion.ShellComplete]] = {
        "bash": shell_completion.BashComplete,
        "zsh": shell_completion.ZshComplete,
        "fish": shell_completion.FishComplete,
    }
    script = kinds[shell](cli, {}, "istio-convert", "_ISTIO_CONVERT_COMPLETE")
    terminal.product(script.source_template % script.source_vars() + "\n")
