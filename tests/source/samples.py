"""Texts, data and strategies that the tests of reading and writing share."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from istio_convert.source import Commented, Flow, Literal

# Scalars and what Helm makes of `a: <scalar>`, measured with the Helm 4.2.3 SDK. None is null; ERROR is a refusal.
ERROR = "refused"
PLAIN_SCALARS: dict[str, Any] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    "0644": 420,
    "+0644": 420,
    "-0644": -420,
    "0o644": 420,
    "0O17": 15,
    "0_7": 7,
    "00": 0,
    "08": 8,
    "09": 9,
    "-09": -9,
    "0o8": "0o8",
    "0x1F": 31,
    "0X1f": 31,
    "-0x1F": -31,
    "0x_1": 1,
    "0x": "0x",
    "0x1FFFFFFFFFFFFFFFFFF": "0x1FFFFFFFFFFFFFFFFFF",
    "0b11": 3,
    "-0b11": -3,
    "+0b11": 3,
    "0b-1": -1,
    "0b": "0b",
    "0b2": "0b2",
    "1_000": 1000,
    "1__0": 10,
    "1_": 1,
    "-_1": -1,
    "1_000.5": 1000.5,
    ".5_0": 0.5,
    "._1": "._1",
    ".1_": ".1_",
    "+1": 1,
    "-1": -1,
    "-0": 0,
    "0123456789": 123456789,
    "012345678901": 12345678901,
    "9007199254740992": 9007199254740992,
    "9007199254740993": 9007199254740992,
    "9223372036854775808": 9223372036854776000,
    "12345678901234567890": 12345678901234567000,
    "123456789012345678901234567890": 1.2345678901234568e29,
    "1e3": 1000,
    "1E3": 1000,
    "1.e3": 1000,
    "1e+3": 1000,
    "1e20": 100000000000000000000,
    "1e21": 1e21,
    "1e-7": 1e-7,
    "1e-400": 0,
    "1e999": "1e999",
    "1e": "1e",
    "1.e": "1.e",
    ".e5": ".e5",
    "0.1e1": 1,
    ".1e5": 10000,
    "1.10": 1.1,
    "1.20": 1.2,
    ".5": 0.5,
    "+.5": 0.5,
    "-.5": -0.5,
    "5.": 5,
    "0.": 0,
    "0.0": 0,
    "-0.0": 0,
    "1.0": 1,
    ".": ".",
    "+": "+",
    "12:30": "12:30",
    "1:30:45": "1:30:45",
    "190:20:30": "190:20:30",
    "2024-01-01": "2024-01-01",
    "2024-01-01T00:00:00Z": "2024-01-01T00:00:00Z",
    "1,000": "1,000",
    "=": "=",
    "NaN": "NaN",
    "inf": "inf",
    "Inf": "Inf",
    "-.nan": "-.nan",
    **dict.fromkeys((".inf", ".Inf", "+.INF", "-.inf", ".nan", ".NaN"), ERROR),
    "1-23-2": "1-23-2",
    "1.23.2": "1.23.2",
    "0.5.0": "0.5.0",
    "100%": "100%",
    "100m": "100m",
    "1Gi": "1Gi",
    "1.5Gi": "1.5Gi",
    "1d": "1d",
    "yEs": "yEs",
    "nULL": "nULL",
    "istiod": "istiod",
}

OPERATOR = """\
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata:
  name: control-plane
spec:
  # the tag is a number to istioctl
  tag: 1.20
  meshConfig:
    accessLogFormat: "[%START_TIME%] {{ not a template }}\\n"
    defaultConfig: &proxy
      holdApplicationUntilProxyStarts: yes
      proxyMetadata: {}
  components:
    ingressGateways:
    - name: edge
      k8s:
        strategy: {rollingUpdate: {maxSurge: 100%}}
        env: []
        serviceAnnotations:
          example.com/text: |
            first
            second
  values:
    global:
      proxy:
        <<: *proxy
        logLevel:
"""

_HARD_TEXTS = st.sampled_from(
    [
        *(text for text in PLAIN_SCALARS if text),
        *(
            "",
            " ",
            "  x",
            "x ",
            "x\n",
            "x\n\n",
            "\n",
            "\nx",
            "a\n b\n",
            "a\n\tb",
            "a \nb",
            "\ta",
            "a\tb",
            "a\r\nb",
            "a\n\n\nb",
        ),
        *(
            "- a",
            "-",
            "-a",
            "? a",
            "?",
            ":",
            ":a",
            "a:",
            "a: b",
            "a #b",
            "a#b",
            "#a",
            "a: #",
            "---",
            "--- a",
            "...",
            "<<",
        ),
        *(
            "${X}",
            "{{ x }}",
            "a {{ x }}",
            "{% x %}",
            "%REQ(X)%",
            "\\x",
            "C:\\a",
            '"',
            "'",
            'a"b',
            "it's",
            "*a",
            "&a",
            "!a",
        ),
        *(
            "|",
            ">",
            "@",
            "`",
            "%",
            "[a",
            "{a",
            "a,b",
            "a]b",
            "a}b",
            "a?b",
            "a:b",
            "http://x:80/y",
            "!!str a",
            "~",
            "~x",
        ),
        *(
            "-----BEGIN X-----\nabc=\n-----END X-----\n",
            "😀",
            "👩\u200d💻",
            "é",
            "\x85",
            "\xa0",
            "\u2028",
            "\ufeff",
            "\x00",
            "\x7f",
        ),
        "x" * 1100,
    ]
)
TEXTS = st.one_of(
    _HARD_TEXTS,
    st.text(max_size=12),
    st.text(alphabet=" \n\t-#:ab'\"\\{}[],&*!|>%@`?=<0123456789._eE~", max_size=10),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
TREES = st.dictionaries(
    TEXTS,
    st.recursive(
        SCALARS,
        lambda child: st.one_of(st.lists(child, max_size=4), st.dictionaries(TEXTS, child, max_size=4)),
        max_leaves=12,
    ),
    max_size=5,
)


def decorate(data: Any, chance: random.Random) -> Any:
    """The same data with comments, forced literals and flow style in places."""
    if isinstance(data, dict):
        data = {key: decorate(value, chance) for key, value in data.items()}
    elif isinstance(data, list):
        data = [decorate(value, chance) for value in data]
    elif isinstance(data, str) and chance.random() < 0.4:
        data = Literal(data)
    roll = chance.random()
    if roll < 0.15:
        return Commented(data, ("why", "two\n# lines: [\x85\u2028"))
    return Flow(data) if roll < 0.3 else data


def as_json(data: Any) -> Any:
    """Data with every number as the float64 that JSON readers make of it."""
    if isinstance(data, dict):
        return {key: as_json(value) for key, value in data.items()}
    if isinstance(data, list):
        return [as_json(value) for value in data]
    return float(data) if isinstance(data, int | float) and not isinstance(data, bool) else data
