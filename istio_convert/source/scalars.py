"""What Go makes of a YAML scalar.

istioctl, Helm and Flux read YAML through sigs.k8s.io/yaml: go-yaml v2 resolves the scalar, the value is written as JSON
and read back, so every number ends as a float64. No Python loader resolves scalars the same way, hence this module.
Source: measurements with the Helm SDK (the table in tests/source/test_scalars.py).
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
from decimal import Decimal

from istio_convert.errors import YamlError
from istio_convert.source.nodes import Leaf, ScalarValue

TAG_PREFIX = "tag:yaml.org,2002:"

WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
NUMERIC_START = frozenset("0123456789+-.")
"""A scalar without quotes that starts otherwise and is none of :data:`WORDS` is text: most are."""

# What strconv.ParseInt takes with base 0, once go-yaml has removed the underscores.
_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|0[oO]?(?P<oct>[0-7]+)|(?P<dec>0|[1-9][0-9]*))",
    re.ASCII,
)
_BASES = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
# A scalar that starts with a dot goes to strconv.ParseFloat as it is: underscores only between digits.
_DOT_FLOAT = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?", re.ASCII)
_LEGACY_BINARY = re.compile(r"0b[-+][01]+", re.ASCII)
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt][0-9:.]+(?:Z|[-+][0-9]{2}:[0-9]{2}))|(?: [0-9:.]+))?", re.ASCII
)
_INT64 = range(-(2**63), 2**63)
_UINT64_END = 2**64

# Numbers, times and specials of readers that follow YAML 1.1 (PyYAML, Ruby, old tools) or 1.2 to the letter.
_OTHER_READERS = re.compile(
    r"""
    [-+]?[0-9_]+ | [-+]?0b[01_]+ | [-+]?0o?[0-7_]+ | [-+]?0x[0-9a-fA-F_]+
    | [-+]?[0-9_]+(?::[0-9]+)+(?:\.[0-9_]*)?                      # base 60: 12:30
    | [-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9_]+)(?:[eE][-+]?[0-9]+)?
    | [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN)
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\ ].*)?
    | = | <<
    """,
    re.VERBOSE | re.ASCII,
)
# Control characters, invisible blanks, marks that turn the direction of text, and code points that are no characters.
# A fixed list, so that the output does not depend on the Unicode tables of the Python that runs.
UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u206f\ufeff\ufff0-\uffff\ud800-\udfff]"
)
_INDICATORS = frozenset(",[]{}#&*!|>'\"%@`?:")


def resolve(text: str, plain: bool = True, tag: str | None = None) -> ScalarValue:  # noqa: FBT001, FBT002
    """The value that Go reads.

    Args:
        text: the scalar without quotes and escapes.
        plain: whether it is written without quotes (and is no block scalar).
        tag: an explicit tag (``!!int``, or written out), else None.

    Returns:
        What the JSON that Go makes of it holds: whole numbers below 1e21 are int, however they are written.

    Raises:
        YamlError: Go refuses it: ``.inf``, ``.nan``, an unknown tag, a text that does not fit its tag. Has no origin.
    """
    if tag is None:
        if not plain:
            return text
        value = _plain(text)
        if value is text:
            return text
    else:
        value = _tagged(text, tag)
    if isinstance(value, float) or (type(value) is int and not -(2**53) <= value <= 2**53):
        return _json_number(float(value))
    return value


def resolve_key(text: str, plain: bool = True, tag: str | None = None) -> str:  # noqa: FBT001, FBT002
    """The JSON key that Go makes of a scalar key: ``on`` becomes ``true``, ``1`` becomes ``1``.

    Args:
        text: see :func:`resolve`.
        plain: see :func:`resolve`.
        tag: see :func:`resolve`.

    Raises:
        YamlError: Go refuses it, also as a key only: null, or an integer beyond 64 bits with sign. Has no origin.
    """
    if tag is None:
        if not plain:
            return text
        value = _plain(text)
    else:
        value = _tagged(text, tag)
    if type(value) is str:
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _short_float(value)
    if value is None:
        raise YamlError("null as a key", hint="quote the key, or remove the line")
    if value not in _INT64:
        raise YamlError("a number beyond 64 bits as a key", hint="quote the key")
    return str(value)


def needs_quotes(text: str) -> bool:
    """Whether a string must be quoted in block style, so that Go and any YAML 1.1 or 1.2 reader keep it."""
    if not text or text[0] in _INDICATORS or text[0] == " " or text[-1] in " :":
        return True
    if (
        text.startswith(("- ", "---", "..."))
        or text == "-"
        or ": " in text
        or " #" in text
        or "{{" in text
        or "{%" in text
    ):
        return True
    if UNPRINTABLE.search(text) is not None:
        return True
    return text in WORDS or (
        text[0] in "0123456789+-.<=" and (_plain(text) is not text or _OTHER_READERS.fullmatch(text) is not None)
    )


def go_text_differs(leaf: Leaf) -> bool:
    """Whether the value has lost its text: ``1.20`` is 1.2 to Go, ``0644`` is 420, ``yes`` is true.

    Other spellings of ``true``, ``false`` and null that differ in case only do not count.
    """
    value = leaf.value
    if isinstance(value, bool):
        return leaf.text.lower() != ("true" if value else "false")
    return isinstance(value, int | float) and number_text(value) != leaf.text


def number_text(value: float) -> str:
    """A finite number as Go's JSON writes it, except that an exponent has the dot and sign that YAML 1.1 asks for."""
    if isinstance(value, int):
        return str(value)
    number = _json_number(value)
    if isinstance(number, int):
        return str(number)
    mantissa, mark, exponent = repr(number).partition("e")
    if not mark:
        return mantissa
    power = int(exponent)
    if -6 <= power < 0:  # Go writes small numbers out down to 1e-6, Python down to 1e-4
        return format(Decimal(repr(number)), "f")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{power:+d}"


def _plain(text: str) -> ScalarValue:
    """go-yaml's resolve() for a scalar without quotes and tag. Infinities and NaN come back as floats."""
    if text in WORDS:
        return WORDS[text]
    first = text[0]
    if first not in NUMERIC_START:
        return text
    if first == ".":
        number = float(text) if _DOT_FLOAT.fullmatch(text) else math.inf
    else:
        digits = text.replace("_", "")
        if (whole := _integer(digits)) is not None:
            return whole
        number = float(digits) if _FLOAT.fullmatch(digits) else math.inf
        if math.isinf(number) and _LEGACY_BINARY.fullmatch(digits):
            return int(digits[2:], 2)
    return text if math.isinf(number) else number


def _integer(digits: str) -> int | None:
    if len(digits) < 19 and digits.isascii() and digits.isdigit() and (digits[0] != "0" or len(digits) == 1):
        return int(digits)  # nearly all are like this
    match = _INTEGER.fullmatch(digits)
    if match is None:
        return None
    base = match.lastgroup or "dec"
    significant = match[base].lstrip("0") or "0"
    if len(significant) > 64:  # longer than 64 bits written in binary
        return None
    value = int(significant, _BASES[base])
    if match["sign"] == "-":
        value = -value
    if value in _INT64 or (not match["sign"] and value < _UINT64_END):
        return value
    return None


def _tagged(text: str, tag: str) -> ScalarValue:
    """go-yaml's resolve() for a scalar with a tag."""
    name = tag.removeprefix(TAG_PREFIX).removeprefix("!!")
    if name == "str":
        return text
    if name == "binary":
        return _binary(text)
    value = _plain(text)
    if name == "timestamp":
        fits = _TIMESTAMP.fullmatch(text) is not None
        value = text
    elif name == "float":
        fits = isinstance(value, float) or (type(value) is int and value in _INT64)
        value = float(value) if type(value) is int else value
    elif name in _TYPES:
        fits = type(value) is _TYPES[name]
    else:
        raise YamlError(
            "a tag that Kubernetes does not know", hint="remove the tag, or render the file with the tool that reads it"
        )
    if not fits:
        raise YamlError(f"a value that is no !!{name}", hint="remove the tag, or quote the value")
    return value


_TYPES: dict[str, type] = {"bool": bool, "int": int, "null": type(None)}


def _binary(text: str) -> str:
    try:
        return base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):  # UnicodeDecodeError is a ValueError: JSON has no place for other bytes
        raise YamlError("a !!binary value that is not the base64 form of UTF-8 text", hint="remove the tag") from None


def _json_number(value: float) -> int | float:
    """A float64 as Go's JSON writes it: without a fraction below 1e21, with the shortest digits that read back."""
    if not math.isfinite(value):
        raise YamlError("an infinite number or NaN, which JSON cannot express", hint="quote it, or write a number")
    if abs(value) >= 1e21 or not value.is_integer():
        return value
    return int(value) if abs(value) <= 2**53 else int(Decimal(repr(value)))


def _short_float(value: float) -> str:
    """strconv.FormatFloat(value, 'g', -1, 32), which sigs.k8s.io/yaml uses for keys."""
    if math.isnan(value):
        return ".nan"
    try:
        single = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    for precision in range(9):
        text = f"{single:.{precision}e}"
        if struct.pack("f", float(text)) == struct.pack("f", single):
            break
    mantissa, _, exponent = text.partition("e")
    if -4 <= int(exponent) < 6:
        return format(Decimal(text), "f")
    return f"{mantissa}e{int(exponent):+03d}"
