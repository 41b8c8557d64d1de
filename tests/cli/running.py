"""Running the program in this process, and small operators to run it on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from click.testing import CliRunner

from istio_convert.cli.main import cli

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"
CLEAN = HEAD + "spec:\n  meshConfig:\n    accessLogFile: /dev/stdout\n"
INERT = HEAD + "spec:\n  values:\n    kiali:\n      enabled: true\n"
MANUAL = HEAD + "spec:\n  addonComponents:\n    kiali:\n      enabled: true\n"
BROKEN = HEAD + "spec:\n  components: [\n"
PATCHED = HEAD + "spec:\n  components:\n    pilot:\n      k8s:\n        priorityClassName: high\n"


@dataclass(frozen=True)
class Ran:
    """What a run gave."""

    code: int
    stdout: str
    stderr: str


def run(args: Sequence[str], stdin: str | bytes | None = None, env: dict[str, str] | None = None) -> Ran:
    """Run the program; an exception that escapes is one of the test."""
    result = CliRunner(env=env).invoke(cli, list(args), input=stdin, prog_name="istio-convert")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def matches(text: str, patterns: Sequence[str]) -> None:
    """Check a text line by line against regular expressions; ``...`` stands for any lines."""
    lines = text.splitlines()
    expression = ""
    for pattern in patterns:
        expression += r"(?:.*\n)*" if pattern == "..." else f"(?:{pattern})\n"
    found = re.fullmatch(expression, "".join(f"{line}\n" for line in lines))
    assert found, f"{text}\n-- does not match --\n" + "\n".join(patterns)
