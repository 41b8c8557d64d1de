"""The likely cause of what the YAML parser says, in words, at the line to look at.

Loaded only when a text is refused. The messages quote nothing of the input, since values may be secrets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from istio_convert.errors import Origin, YamlError
from istio_convert.source.refusals import TEMPLATE_CAUSE, TEMPLATE_HINT

# Larger texts are attacks or accidents: looking for the cause in them would take longer than it is worth.
_MAX_SEARCHED = 2**20
_QUOTED_OR_COMMENT = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|(?:^|(?<=\s))#.*""")


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """What the YAML parser said. Lines and columns count from 0, as it counts them.

    Attributes:
        problem: the parser's words.
        line, column: where it stopped.
        start_line, start_column: where the construct begins that it was reading.
    """

    problem: str
    line: int
    column: int
    start_line: int
    start_column: int


class _Cause(NamedTuple):
    """How a cause shows, in a line of the text or in the parser's words, and what to say of it."""

    pattern: re.Pattern[str]
    cause: str
    hint: str
    at_start: bool = False
    """Whether the line to look at is where the construct begins, not where the parser stopped."""


# text of another language that breaks YAML, as it shows in a line
_LEFTOVERS = (
    _Cause(re.compile(r"\{\{"), TEMPLATE_CAUSE, TEMPLATE_HINT),
    _Cause(
        re.compile(r"\{[%#]|^\s*%\s*(?:if|for|endif|endfor)\b"),
        "a Jinja template ({% … %}) that is not rendered",
        "render it first (for example with Ansible), then convert the result",
    ),
    _Cause(
        re.compile(r"<%"), "an ERB template (<% … %>) that is not rendered", "render it first, then convert the result"
    ),
    _Cause(
        re.compile(r"^(?:<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)(?: |$)"),
        "a merge conflict of git that is not resolved",
        "resolve it, then convert the result",
    ),
    _Cause(
        re.compile(r"[%$]\{"),
        "a shell or Terraform template (${ … }) that is not rendered",
        "render it first (envsubst, terraform), then convert the result",
    ),
    _Cause(
        re.compile(r"<<-?\s*['\"]?\w+['\"]?\s*$|^\s*(?:EOF|EOT|EOL|END|YAML)\s*$"),
        "a line of a shell or Terraform here-document",
        "give the YAML alone, without the script around it",
    ),
    _Cause(re.compile(r"^\s*```"), "a code fence of Markdown", "give the YAML alone, without the page around it"),
    _Cause(re.compile(r"^ *\t"), "a tab in the indentation", "indent with spaces"),
)
# These break the YAML far away from where the parser stops, but only where they begin a line.
_DISTANT = re.compile(r"^\s*(?:-\s+)?(?:\{\{|\{%)|^(?:<<<<<<<|=======|>>>>>>>)(?: |$)")
_BLOCK_SCALAR = re.compile(r"(?:^|[\s:-])[|>][-+0-9]*\s*(?:#.*)?$")


# what the parser says, libyaml or the pure one
_CAUSES = (
    _Cause(
        re.compile("mapping values are not allowed"),
        "a colon where no key can stand",
        "check the indentation, and quote a value that holds ': '",
    ),
    _Cause(
        re.compile(r"could not find expected ':'"),
        "a line that is neither a key with a colon nor part of a value",
        "check the indentation and the colon",
        at_start=True,
    ),
    _Cause(
        re.compile(r"did not find expected key|expected <block end>|expected '-' indicator"),
        "a line that does not fit the block that it stands in",
        "check the indentation, and that keys and list items are not mixed",
    ),
    _Cause(
        re.compile(r"cannot start any token"),
        "a character that cannot start a value",
        "quote the value; a tab, @, % and ` cannot stand first",
    ),
    _Cause(re.compile("unexpected end of stream"), "a quote that is never closed", "close it", at_start=True),
    _Cause(
        re.compile(r"expected ',' or"),
        "a { or [ that is not closed, or that lacks a comma",
        "close it, or quote the value",
        at_start=True,
    ),
    _Cause(re.compile(r"found unexpected ':'"), "a colon in a value between { } or [ ]", "quote the value"),
    _Cause(
        re.compile("sequence entries are not allowed"),
        "a list item where none can stand",
        "put the list below its key, one '- ' a line",
    ),
    _Cause(
        re.compile(r"escape (?:character|code)|hexadecimal|expected escape sequence"),
        "an escape sequence that YAML does not know",
        "double the backslash, or use single quotes",
    ),
    _Cause(
        re.compile(r"expected '?<document start>"),
        "text after the end of the document",
        "check the indentation, or separate documents by ---",
    ),
    _Cause(re.compile(r"tag URI|undefined tag|scanning a tag"), "a tag that cannot be read", "quote the value"),
    _Cause(re.compile(r"\btab\b"), "a tab in the indentation", "indent with spaces"),
)


def problem_of(error: Exception) -> SyntaxProblem:
    """What an error of the parser says."""
    mark = getattr(error, "problem_mark", None)
    start = getattr(error, "context_mark", None) or mark
    return SyntaxProblem(
        problem=f"{getattr(error, 'context', None) or ''}: {getattr(error, 'problem', None) or ''}",
        line=mark.line if mark else 0,
        column=mark.column if mark else 0,
        start_line=start.line if start else 0,
        start_column=start.column if start else 0,
    )


def diagnose(problem: SyntaxProblem, text: str, file: str) -> YamlError:
    """The error for a text that the parser refuses: its likely cause in words, at the line to look at."""
    if len(text) > _MAX_SEARCHED:
        return _cause(problem, file)
    lines = re.split(r"\r\n|[\r\n\x85\u2028\u2029]", text)  # as the parser counts them
    return _leftover(problem, lines, file) or _text_behind_a_value(problem, lines, file) or _cause(problem, file)


def _leftover(problem: SyntaxProblem, lines: list[str], file: str) -> YamlError | None:
    """The error that names another language in the lines at fault, or before them."""
    near = dict.fromkeys((problem.line, problem.start_line, _line_before(lines, problem.line)))
    for number in (*near, _distant(lines[: problem.line + 1])):
        if not 0 <= number < len(lines):
            continue
        line = _QUOTED_OR_COMMENT.sub(lambda match: "\x01" * len(match[0]), lines[number])
        for leftover in _LEFTOVERS:
            if match := leftover.pattern.search(line):
                column = match.end() if match[0].endswith("\t") else match.start() + 1
                return YamlError(leftover.cause, origin=Origin(file, number + 1, column), hint=leftover.hint)
    return None


def _line_before(lines: list[str], number: int) -> int:
    """The last line before one that is not blank; -1 when there is none."""
    number = min(number, len(lines)) - 1
    while number >= 0 and not lines[number].strip():
        number -= 1
    return number


def _distant(lines: list[str]) -> int:
    """The first line that begins with another language and is not part of a block scalar; -1 when there is none."""
    inside: int | None = None  # the indentation of the key whose block scalar we are in
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        if inside is not None and (not line.strip() or indent > inside):
            continue
        inside = indent if _BLOCK_SCALAR.search(line) else None
        if _DISTANT.search(line):
            return number
    return -1


def _text_behind_a_value(problem: SyntaxProblem, lines: list[str], file: str) -> YamlError | None:
    """The error for ``{NAME}-gateway`` and ``"a" b``, where the parser misses the next key."""
    line = lines[problem.line] if problem.line < len(lines) else ""
    if not re.search("expected (?:key|<block end>)", problem.problem) or not line[: problem.column].rstrip(
        " "
    ).endswith(("}", "]", '"', "'")):
        return None
    return YamlError(
        "text behind a closing bracket or quote",
        origin=Origin(file, problem.line + 1, problem.column + 1),
        hint="put the whole value in quotes; fill in a placeholder first",
    )


def _cause(problem: SyntaxProblem, file: str) -> YamlError:
    for pattern, cause, hint, at_start in _CAUSES:
        if pattern.search(problem.problem):
            line, column = (problem.start_line, problem.start_column) if at_start else (problem.line, problem.column)
            return YamlError(cause, origin=Origin(file, line + 1, column + 1), hint=hint)
    return YamlError(
        "text that YAML does not allow here",
        origin=Origin(file, problem.line + 1, problem.column + 1),
        hint="check quotes, brackets and indentation",
    )
