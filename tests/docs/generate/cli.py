"""The command-line reference: every command with every option, from click."""

from __future__ import annotations

import inspect

import click

from istio_convert.cli.main import COMMANDS, cli
from tests.docs.generate.markdown import code, prose, sentence, table


def section(path: tuple[str, ...] = ()) -> str:
    """All commands, in the order in which help lists them."""
    return "\n\n".join(_command((name,), _get(cli, name)) for name in COMMANDS)


def _get(group: click.Group, name: str) -> click.Command:
    command = group.get_command(click.Context(group), name)
    assert command is not None, name
    return command


def _command(path: tuple[str, ...], command: click.Command) -> str:
    parts = [f"{'#' * (len(path) + 1)} {' '.join(path)}", *_text(command)]
    if isinstance(command, click.Group):
        parts += [_command((*path, name), inner) for name, inner in command.commands.items()]
        return "\n\n".join(parts)
    context = click.Context(command, info_name=" ".join(("istio-convert", *path)))
    usage = " ".join([context.info_name or "", *command.collect_usage_pieces(context)])
    parts.insert(1, f"```text\n{usage}\n```")
    rows = [_option(option, context) for option in command.params if isinstance(option, click.Option)]
    parts.append(table(("option", "what it does", "default"), rows))
    return "\n\n".join(parts)


def _text(command: click.Command) -> list[str]:
    """The paragraphs of the help; those that click leaves as they are become blocks of text."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    parts = []
    for paragraph in paragraphs:
        if paragraph.startswith("\b\n"):
            body = paragraph.removeprefix("\b\n")
            parts.append("```text\n" + inspect.cleandoc(body) + "\n```")
        elif paragraph.startswith("    "):
            parts.append("```text\n" + inspect.cleandoc(paragraph) + "\n```")
        else:
            parts.append(sentence(prose(" ".join(paragraph.split()))))
    return parts


def _option(option: click.Option, context: click.Context) -> tuple[str, str, str]:
    record = option.get_help_record(context)
    assert record is not None, option.name
    names = ", ".join(code(part) for part in record[0].split(", ")) if "|" not in record[0] else code(record[0])
    default = option.default
    shown = "" if option.is_flag or not isinstance(default, str | int) else code(str(default))
    return names, prose(option.help or ""), shown
