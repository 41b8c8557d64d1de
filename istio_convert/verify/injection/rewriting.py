"""Injection templates rewritten so that Helm's engine runs them.

Injection templates are Go templates with functions of the injector's own, over Go structs. Helm runs Go templates with
other functions, over maps. Each call of an injector's function becomes a call of one that Helm has, or of a named
template (see :mod:`.functions`); a method of a struct becomes the field that it reads. Only the syntax is read here,
never what a template says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from istio_convert.verify.injection.functions import AS_TEXT, AS_VALUE, NOT_IN_INJECTOR, RENAMED

_ACTION = re.compile(
    r"\{\{(-(?=\s))?(?P<body>\s*/\*.*?\*/\s*|(?:\"(?:\\.|[^\"\\])*\"|`[^`]*`|'(?:\\.|[^'\\])*'|[^\"`'])*?)"
    r"((?<=\s)-)?\}\}",
    re.DOTALL,
)
_TOKEN = re.compile(
    r"""\s+|"(?:\\.|[^"\\])*"|`[^`]*`|'(?:\\.|[^'\\])*'|:=|[()|,=]|\$?\w*(?:\.\w+)+|\$\w*|-?\d[\w.+-]*|\w+|\.|.""",
    re.DOTALL,
)
_KEYWORDS = frozenset({"if", "else", "range", "with", "end", "template", "block", "define", "break", "continue"})
#: Maps of texts: what they do not hold reads as an empty text.
_TEXT_MAPS = ("Annotations", "Labels", "ProxyMetadata", "NodeSelector", "MatchLabels")


class TemplateRefusedError(ValueError):
    """A template that the injector would not read, or that cannot be run here; the message says why."""


@lru_cache(maxsize=64)
def rewritten(text: str, environment: tuple[tuple[str, str], ...] = ()) -> str:
    """An injection template as Helm runs it.

    Args:
        text: the template.
        environment: istiod's variables, which ``env`` reads.

    Raises:
        TemplateRefusedError: the template calls what the injector has not, or what cannot be rewritten.
    """
    rewriter = _Rewriter(dict(environment))

    def action(found: re.Match[str]) -> str:
        body = found["body"]
        if body.strip().startswith("/*"):
            return found[0]
        left, right = ("- " if found[1] else ""), (" -" if found[3] else "")
        return "{{" + left + rewriter.action(body.strip()) + right + "}}"

    return _ACTION.sub(action, text)


class _Rewriter:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def action(self, body: str) -> str:
        tokens = _TOKEN.findall(body)
        head: list[str] = []
        while tokens and (tokens[0] in _KEYWORDS or tokens[0].isspace()):
            keyword = tokens.pop(0)
            head.append(keyword)
            if keyword in ("template", "block", "define"):
                while tokens and (tokens[0].isspace() or tokens[0][0] in '"`'):
                    head.append(tokens.pop(0))
                break
        rest, left = self._pipeline(tokens, 0)
        if left != len(tokens):
            raise TemplateRefusedError("a template has a parenthesis too much")
        lead = "".join(head)
        return f"{lead.rstrip()} {rest}".strip() if lead else rest

    def _pipeline(self, tokens: list[str], at: int) -> tuple[str, int]:
        """A pipeline from ``at`` on, and where it ends."""
        declared = ""
        commands: list[list[str]] = [[]]
        glued = False  # whether the next word touches an operand
        while at < len(tokens):
            word = tokens[at]
            if word == ")":
                break
            at += 1
            if word.isspace():
                glued = False
            elif word == "|":
                commands.append([])
                glued = False
            elif word in (":=", "="):
                declared, commands, glued = f"{' '.join(commands[-1])} {word} ", [[]], False
            elif word == ",":
                commands[-1][-1] += ","
            elif word == "(":
                inner, at = self._pipeline(tokens, at)
                if at >= len(tokens):
                    raise TemplateRefusedError("a template lacks a parenthesis")
                at += 1
                commands[-1].append(f"({inner})")
                glued = True
            elif glued and word.startswith("."):
                commands[-1][-1] += word
            else:
                commands[-1].append(word)
                glued = True
        written = [self._command(command, first=index == 0) for index, command in enumerate(commands)]
        return declared + " | ".join(written), at

    def _command(self, operands: list[str], *, first: bool) -> str:
        if not operands:
            return ""
        name, *rest = operands
        arguments = [_operand(operand) for operand in rest]
        if not re.fullmatch(r"\w+", name) or name[0].isdigit():
            return " ".join([_operand(name), *arguments])
        if name in NOT_IN_INJECTOR:
            raise TemplateRefusedError(f'a template calls "{name}", a function that the injector does not have')
        if name == "env":
            return self._env(arguments)
        if name == "index" and len(arguments) == 2 and arguments[0].rpartition(".")[2] in _TEXT_MAPS:
            return " ".join(["get", *arguments])
        special = _SPECIAL.get(name)
        if special is not None and first:
            return special(arguments)
        if name in RENAMED:
            return " ".join([RENAMED[name], *arguments])
        if name in AS_TEXT or name in AS_VALUE:
            given = " ".join(["list", *arguments])
            call = f"{given if first else f'append ({given})'} | include {json.dumps(f'istio.{name}')}"
            return f"{call} | mustFromJson" if name in AS_VALUE else call
        return " ".join([name, *arguments])

    def _env(self, arguments: list[str]) -> str:
        literals = [_literal(argument) for argument in arguments]
        if len(literals) != 2 or None in literals:
            raise TemplateRefusedError("a template reads a variable of istiod whose name it computes")
        name, default = literals
        return f"print {json.dumps(self._environment.get(str(name)) or default)}"


def _value_or_default(arguments: list[str]) -> str:
    """An empty text and nothing give way to the default; false and 0 do not."""
    if len(arguments) != 2:
        raise TemplateRefusedError("valueOrDefault takes two arguments")
    value, default = arguments
    return f'ternary {default} {value} (has {value} (list "" nil))'


_SPECIAL: Mapping[str, Callable[[list[str]], str]] = {"valueOrDefault": _value_or_default}


def _literal(operand: str) -> str | None:
    if operand.startswith("`"):
        return operand[1:-1]
    if operand.startswith('"'):
        try:
            return str(json.loads(operand))
        except ValueError:
            return None
    return None


def _operand(operand: str) -> str:
    """A chain of fields with methods read as fields: ``.A.GetB.GetC`` gives nothing when there is no B."""
    start, chain = _start_of_chain(operand)
    if not any(step == "String" or step.startswith("Get") for step in chain):
        return operand
    steps = list(chain)
    if steps[-1] == "String":
        steps.pop()
    at = next((index for index, step in enumerate(steps) if step.startswith("Get")), len(steps))
    if at < len(steps) and steps[at] == "GetValue":
        at = max(at - 1, 0)
    plain, read = steps[:at], [step.removeprefix("Get") for step in steps[at:] if step != "GetValue"]
    lead = start + "".join(f".{step}" for step in plain)
    if not read:
        return lead or "."
    wanted = " ".join(json.dumps(step) for step in read)
    return f'(dig {wanted} "" {lead or "."})'


def _start_of_chain(operand: str) -> tuple[str, list[str]]:
    found = re.fullmatch(r"(\(.*\)|\$\w*|)((?:\.\w+)+)", operand, re.DOTALL)
    if found is None:
        return operand, []
    return found[1], found[2].split(".")[1:]


def calls(text: str) -> Iterator[str]:
    """The names that a template uses outside texts: functions, fields and variables. For tests of coverage."""
    for found in _ACTION.finditer(text):
        if not found["body"].strip().startswith("/*"):
            yield from (word for word in _TOKEN.findall(found["body"]) if re.match(r"[\w.$]", word))
