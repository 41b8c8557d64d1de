"""The configuration: ``istio-convert.toml``, or ``[tool.istio-convert]`` in ``pyproject.toml``.

``to`` is for every command that converts, the rest is for ``check``.

to = "1.25.3"
fail-on = "manual"

[[allow]]
rule = "addon.kiali"
path = "spec.addonComponents.kiali.*"
reason = "Kiali is installed by its own chart"
expires = 2027-01-31
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any

from istio_convert.cli.command import SEVERITY
from istio_convert.errors import InputError, Origin

FILE = "istio-convert.toml"
_PYPROJECT = "pyproject.toml"
_TOOL = "istio-convert"
_KEYS = ("to", "fail-on", "baseline", "allow")
_ALLOWANCE_KEYS = ("rule", "path", "file", "reason", "expires")
_REQUIRED = ("rule", "path", "reason", "expires")


@dataclass(frozen=True, slots=True)
class Allowance:
    """A finding that is tolerated until a day.

    Attributes:
        rule: id of the rule, with ``*`` for any text.
        path: path of the field; ``*`` stands for anything within a step, ``**`` for anything, ``[]`` for any position.
        file: name of the input, with ``*`` for any text.
        reason: why it is tolerated.
        expires: the last day on which it is.
    """

    rule: str
    path: str
    reason: str
    expires: date
    file: str = "*"

    def matches(self, rule: str, path: str, file: str) -> bool:
        """Whether it is about a finding."""
        return (
            _pattern(self.rule, ".*").fullmatch(rule) is not None
            and _pattern(self.path, r"[^.\[]*").fullmatch(path) is not None
            and _pattern(self.file, ".*").fullmatch(file) is not None
        )

    def is_about(self, files: Iterable[str]) -> bool:
        """Whether it can be about one of these inputs."""
        return any(_pattern(self.file, ".*").fullmatch(file) for file in files)

    def is_over(self, today: date) -> bool:
        """Whether its last day has passed."""
        return self.expires < today


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a file.

    Attributes:
        file: where they come from; None when there is no file.
        to: target version, of every command that converts.
        fail_on: outcome from which ``check`` fails.
        baseline: name of the baseline file, from the folder of this file.
        allow: findings that are tolerated.
    """

    file: Path | None = None
    to: str | None = None
    fail_on: str | None = None
    baseline: str | None = None
    allow: tuple[Allowance, ...] = field(default=())


def today() -> date:
    """The day, the same everywhere."""
    return datetime.now(tz=timezone.utc).date()


def find(start: Path) -> Config:
    """The configuration of a folder: the nearest file upwards, but not beyond the repository.

    Raises:
        InputError: a file is wrong.
    """
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            return load(folder / FILE)
        if (folder / _PYPROJECT).is_file() and _TOOL in _parse(folder / _PYPROJECT).get("tool", {}):
            return load(folder / _PYPROJECT)
        if (folder / ".git").exists():
            break
    return Config()


def load(file: Path) -> Config:
    """Read one file.

    Raises:
        InputError: it cannot be read, or says something that has no meaning.
    """
    data = _parse(file)
    if file.name == _PYPROJECT:
        data = data.get("tool", {}).get(_TOOL, {})
    _known(data, _KEYS, file)
    for key in ("to", "fail-on", "baseline"):
        if key in data and not isinstance(data[key], str):
            raise _wrong(file, f"{key} must be a text")
    fail_on = data.get("fail-on")
    if fail_on is not None and fail_on not in SEVERITY:
        raise _wrong(file, "fail-on has an unknown value", f"one of {', '.join(SEVERITY)}")
    allow = data.get("allow", [])
    if not isinstance(allow, list):
        raise _wrong(file, "allow must be a list of tables", "[[allow]]")
    baseline = data.get("baseline")
    return Config(
        file,
        data.get("to"),
        fail_on,
        str(file.parent / baseline) if baseline else None,
        tuple(_allowance(item, number, file) for number, item in enumerate(allow, start=1)),
    )


def _parse(file: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):  # lazy: most runs have no configuration
        import tomllib  # noqa: PLC0415
    else:
        import tomli as tomllib  # noqa: PLC0415

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", origin=Origin(str(file))) from error
    except UnicodeDecodeError as error:
        raise InputError("is no UTF-8 text", origin=Origin(str(file))) from error
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+), column (\d+)", str(error))
        line, column = (int(found[1]), int(found[2])) if found else (0, 0)
        words = str(error).partition(" (at ")[0]
        raise InputError(f"no TOML: {words}", origin=Origin(str(file), line, column)) from error


def _allowance(item: Any, number: int, file: Path) -> Allowance:
    what = f"allowance {number}"
    if not isinstance(item, dict):
        raise _wrong(file, f"{what} is no table")
    _known(item, _ALLOWANCE_KEYS, file, what)
    for key in _REQUIRED:
        if key not in item:
            raise _wrong(file, f"{what} has no {key}", "it needs rule, path, reason and expires")
    for key in ("rule", "path", "reason", "file"):
        if key in item and (not isinstance(item[key], str) or not item[key].strip()):
            raise _wrong(file, f"{what}: {key} must be a text")
    expires = item["expires"]
    if isinstance(expires, str):
        try:
            expires = date.fromisoformat(expires)
        except ValueError as error:
            raise _wrong(file, f"{what}: expires is no date", "such as 2027-01-31") from error
    if isinstance(expires, datetime):
        expires = expires.date()
    if not isinstance(expires, date):
        raise _wrong(file, f"{what}: expires is no date", "such as 2027-01-31")
    return Allowance(item["rule"], item["path"], item["reason"], expires, item.get("file", "*"))


def _known(data: dict[str, Any], keys: Iterable[str], file: Path, what: str = "") -> None:
    for key in data:
        if key not in keys:
            close = difflib.get_close_matches(key, list(keys), n=1)
            hint = f"did you mean {close[0]}?" if close else f"one of {', '.join(keys)}"
            raise _wrong(file, f"{what}: unknown key {key}" if what else f"unknown key {key}", hint)


def _wrong(file: Path, message: str, hint: str | None = None) -> InputError:
    return InputError(message, origin=Origin(str(file)), hint=hint)


@lru_cache(maxsize=512)
def _pattern(text: str, star: str) -> re.Pattern[str]:
    escaped = re.escape(text).replace(r"\*\*", "\0").replace(r"\*", star).replace(r"\[\]", r"\[\d+\]")
    return re.compile(escaped.replace("\0", ".*"), re.DOTALL)
