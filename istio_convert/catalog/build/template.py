"""A parser for Go templates, as far as reading charts needs it: actions become trees, text stays text.

The grammar is that of Go's text/template. Errors are raised, never guessed over: a template that cannot be parsed
would mean facts that are silently missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias


class TemplateSyntaxError(ValueError):
    """A template that this parser does not understand."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A string, number, boolean or nil."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Dot:
    """``.``, the current value."""


@dataclass(frozen=True, slots=True)
class Variable:
    """``$`` (named ``""``) or ``$name``."""

    name: str


@dataclass(frozen=True, slots=True)
class Field:
    """``of.a.b``."""

    of: Expression
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments; what is piped into it comes last."""

    function: str
    arguments: tuple[Expression, ...]


Expression: TypeAlias = Literal | Dot | Variable | Field | Call


@dataclass(frozen=True, slots=True)
class Text:
    """Text between actions."""

    text: str


@dataclass(frozen=True, slots=True)
class Action:
    """A pipeline, with the variables it declares or assigns."""

    pipeline: Expression
    variables: tuple[str, ...] = ()


@dataclass(slots=True)
class Block:
    """``if``, ``with`` or ``range``, with its two bodies."""

    keyword: str
    pipeline: Expression
    variables: tuple[str, ...]
    body: list[Node] = field(default_factory=list)
    otherwise: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Define:
    """A named template."""

    name: str
    body: list[Node] = field(default_factory=list)


Node: TypeAlias = Text | Action | Block | Define

_TOKEN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<string>"(?:\\.|[^"\\])*"|`[^`]*`|'(?:\\.|[^'\\])*')
    | (?P<number>[+-]?\d[\w.]*)
    | (?P<variable>\$\w*)
    | (?P<field>\.\w+)
    | (?P<dot>\.)
    | (?P<name>\w+)
    | (?P<symbol>:=|[=|(),])
    """,
    re.VERBOSE,
)
_COMMENT = re.compile(r"\{\{-?\s*/\*.*?\*/\s*-?\}\}", re.DOTALL)
_KEYWORDS = {"true": True, "false": False, "nil": None}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    glued: bool  # directly after the token before: `(x).y` is a field, `(x) .y` a second argument


def _tokens(text: str, start: int) -> tuple[list[_Token], int]:
    """The tokens of the action that begins behind ``{{`` at ``start``, and the position behind its ``}}``."""
    tokens: list[_Token] = []
    position, glued = start, False
    if text.startswith("-", position) and text[position + 1 : position + 2].isspace():
        position += 1
    while True:
        if text.startswith("}}", position):
            return tokens, position + 2
        if text.startswith("-}}", position):
            return tokens, position + 3
        match = _TOKEN.match(text, position)
        if not match:
            raise TemplateSyntaxError(f"unexpected {text[position : position + 20]!r}")
        position = match.end()
        kind = match.lastgroup or ""
        if kind == "space":
            glued = False
            continue
        tokens.append(_Token(kind, match.group(), glued))
        glued = True


def _unquote(text: str) -> str:
    if text[0] == "`":
        return text[1:-1]
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)), text[1:-1])


class _Pipeline:
    """Recursive descent over the tokens of one action."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.position = 0

    def peek(self) -> _Token | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def take(self) -> _Token:
        token = self.peek()
        if token is None:
            raise TemplateSyntaxError("unexpected end of an action")
        self.position += 1
        return token

    def is_symbol(self, text: str) -> bool:
        token = self.peek()
        return token is not None and token.kind == "symbol" and token.text == text

    def declared(self) -> tuple[str, ...]:
        """The variables before ``:=`` or ``=``; nothing is consumed when there is no such sign."""
        names: list[str] = []
        position = self.position
        while position < len(self.tokens) and self.tokens[position].kind == "variable":
            names.append(self.tokens[position].text[1:])
            position += 1
            sign = self.tokens[position].text if position < len(self.tokens) else ""
            if sign in (":=", "="):
                self.position = position + 1
                return tuple(names)
            if sign != ",":
                break
            position += 1
        return ()

    def pipeline(self) -> Expression:
        value = self.command(None)
        while self.is_symbol("|"):
            self.take()
            value = self.command(value)
        return value

    def command(self, piped: Expression | None) -> Expression:
        token = self.peek()
        if token is not None and token.kind == "name" and token.text not in _KEYWORDS:
            self.take()
            arguments: list[Expression] = []
            while (following := self.peek()) is not None and not (
                following.kind == "symbol" and following.text in "|)"
            ):
                arguments.append(self.operand())
            if piped is not None:
                arguments.append(piped)
            return self.fields(Call(token.text, tuple(arguments)))
        value = self.operand()
        extra: list[Expression] = []
        while (following := self.peek()) is not None and not (following.kind == "symbol" and following.text in "|)"):
            extra.append(self.operand())
        if piped is not None:
            extra.append(piped)
        # `.Files.Get "x"` is a method call: the method is the last name of a field
        return Call("call", (value, *extra)) if extra else value

    def operand(self) -> Expression:
        token = self.take()
        value: Expression
        if token.kind == "string":
            value = Literal(_unquote(token.text))
        elif token.kind == "number":
            value = Literal(int(token.text) if token.text.lstrip("+-").isdigit() else float(token.text))
        elif token.kind == "variable":
            value = Variable(token.text[1:])
        elif token.kind == "dot":
            value = Dot()
        elif token.kind == "field":
            value = Field(Dot(), (token.text[1:],))
        elif token.kind == "name":
            value = Literal(_KEYWORDS[token.text]) if token.text in _KEYWORDS else Call(token.text, ())
        elif token.text == "(":
            value = self.pipeline()
            if not self.is_symbol(")"):
                raise TemplateSyntaxError("a bracket is not closed")
            self.take()
        else:
            raise TemplateSyntaxError(f"unexpected {token.text!r}")
        return self.fields(value)

    def fields(self, value: Expression) -> Expression:
        names: list[str] = []
        while (token := self.peek()) is not None and token.kind == "field" and token.glued:
            names.append(self.take().text[1:])
        if not names:
            return value
        if isinstance(value, Field):
            return Field(value.of, (*value.names, *names))
        return Field(value, tuple(names))


def parse(text: str) -> list[Node]:
    """The nodes of a template file.

    Raises:
        TemplateSyntaxError: it cannot be understood.
    """
    # a comment inside a raw string does not occur in charts, so taking comments out first is safe
    text = _COMMENT.sub("", text)
    root: list[Node] = []
    stack: list[tuple[Block | Define | None, list[Node]]] = [(None, root)]
    position = 0
    while (start := text.find("{{", position)) >= 0:
        if start > position:
            stack[-1][1].append(Text(text[position:start]))
        tokens, position = _tokens(text, start + 2)
        _place(tokens, stack)
    if position < len(text):
        stack[-1][1].append(Text(text[position:]))
    if len(stack) != 1:
        raise TemplateSyntaxError("a block is not closed")
    return root


def _place(tokens: list[_Token], stack: list[tuple[Block | Define | None, list[Node]]]) -> None:
    """Put the action into the block that is open, or open or close one."""
    if not tokens:
        return
    word = tokens[0].text if tokens[0].kind == "name" else ""
    reader = _Pipeline(tokens)
    if word in ("if", "with", "range"):
        reader.take()
        stack.append(_opened(word, reader, stack[-1][1]))
    elif word in ("define", "block"):
        defined = Define(_unquote(tokens[1].text))
        stack[-1][1].append(defined)
        stack.append((defined, defined.body))
    elif word == "end":
        stack.pop()
        # `else if` opened a block of its own inside the branch, which ends with the outer one
        while isinstance(stack[-1][0], Block) and stack[-1][0].keyword == "else":
            stack.pop()
    elif word == "else":
        _otherwise(reader, stack)
    elif word in ("break", "continue"):
        pass
    else:
        variables = reader.declared()
        stack[-1][1].append(Action(reader.pipeline(), variables))


def _opened(word: str, reader: _Pipeline, into: list[Node]) -> tuple[Block, list[Node]]:
    variables = reader.declared()
    block = Block(word, reader.pipeline(), variables)
    into.append(block)
    return block, block.body


def _otherwise(reader: _Pipeline, stack: list[tuple[Block | Define | None, list[Node]]]) -> None:
    block, _ = stack.pop()
    if not isinstance(block, Block):
        raise TemplateSyntaxError("'else' outside of a block")
    reader.take()
    if reader.peek() is None:
        stack.append((block, block.otherwise))
        return
    word = reader.take().text
    holder = Block("else", Literal(None), ())
    stack.append((holder, block.otherwise))
    stack.append(_opened(word, reader, block.otherwise))
