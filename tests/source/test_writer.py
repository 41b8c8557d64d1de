"""Writing: the fixed style, quoting, literals, comments, flow; and that every reader gets the data back."""

from __future__ import annotations

import io
import random
from enum import Enum
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from istio_convert.errors import OutputError, YamlError
from istio_convert.source import Commented, Flow, Literal, compose, dump, read, to_data

from .samples import OPERATOR, TREES, as_json, decorate


def back(text: str) -> Any:
    (document,) = read(text, "f")
    return to_data(document.root)


def test_the_style_of_a_helm_release() -> None:
    release = {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "spec": {
            "interval": "10m",
            "dependsOn": [{"name": "istiod"}],
            "chart": {"spec": {"version": "1.25.3", "sourceRef": Flow({"kind": "HelmRepository", "name": "istio"})}},
            "install": {"disableSchemaValidation": Commented(True, "refused by Helm >= 3.18.5")},
            "values": {
                "resources": {"requests": {"cpu": "2", "memory": "3Gi"}},
                "env": {"A": "true", "B": "", "C": "1.20"},
                "tolerations": [],
                "nodeSelector": {},
                "service": None,
                "maxSurge": "100%",
                "replicaCount": 2,
                "certificate": "-----BEGIN X-----\nabc\n-----END X-----\n",
            },
            "postRenderers": [
                {
                    "kustomize": {
                        "patches": [
                            Commented(
                                {
                                    "target": Flow({"kind": "Service", "name": "on", "args": ["a", "b,c", 1, None]}),
                                    "patch": Literal("kind: Service\nspec:\n  type: NodePort\n"),
                                },
                                ("first line", "second line"),
                            )
                        ]
                    }
                }
            ],
        },
    }
    text = dump(release, comments="Written by istio-convert")
    assert text == (
        """\
# Written by istio-convert
apiVersion: helm.toolkit.fluxcd.io/v2
spec:
  interval: 10m
  dependsOn:
    - name: istiod
  chart:
    spec:
      version: 1.25.3
      sourceRef: {kind: HelmRepository, name: istio}
  install:
    # refused by Helm >= 3.18.5
    disableSchemaValidation: true
  values:
    resources:
      requests:
        cpu: "2"
        memory: 3Gi
    env:
      A: "true"
      B: ""
      C: "1.20"
    tolerations: []
    nodeSelector: {}
    service: null
    maxSurge: 100%
    replicaCount: 2
    certificate: |
      -----BEGIN X-----
      abc
      -----END X-----
  postRenderers:
    - kustomize:
        patches:
          # first line
          # second line
          - target: {kind: Service, name: "on", args: [a, "b,c", 1, null]}
            patch: |
              kind: Service
              spec:
                type: NodePort
"""
    )


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"a": "x"}, "a: x\n"),
        ({"a": "x\n"}, "a: |\n  x\n"),
        ({"a": "x\ny"}, "a: |-\n  x\n  y\n"),
        ({"a": "x\n\n\n", "b": 1}, "a: |+\n  x\n\n\nb: 1\n"),
        ({"a": "x\n\n  y\n"}, "a: |\n  x\n\n    y\n"),
        ({"a": "x\ty\nz\n"}, "a: |\n  x\ty\n  z\n"),
        ({"a": Literal("x")}, "a: |-\n  x\n"),
        # not as a literal: it would be altered, or an editor would alter it
        ({"a": "x \ny"}, 'a: "x \\ny"\n'),
        ({"a": "\nx\n"}, 'a: "\\nx\\n"\n'),
        ({"a": " x\n"}, 'a: " x\\n"\n'),
        ({"a": "x\n\ty\n"}, 'a: "x\\n\\ty\\n"\n'),
        ({"a": "x\r\ny\r\n"}, 'a: "x\\r\\ny\\r\\n"\n'),
        ({"a": Literal("")}, 'a: ""\n'),
        ({"a": Literal("x \n")}, 'a: "x \\n"\n'),
        # escapes
        ({"a": 'say "\\" \t'}, 'a: "say \\"\\\\\\" \\t"\n'),
        ({"a": "\x00\x85\xa0\u2028\ufeff"}, 'a: "\\x00\\x85\\xa0\\u2028\\ufeff"\n'),
        ({"a": "C:\\dir"}, "a: C:\\dir\n"),
        ({"a": "😀 é"}, "a: 😀 é\n"),
        ({"a": "${X}", "b": "{{ x }}", "c": "%REQ(X)%"}, 'a: ${X}\nb: "{{ x }}"\nc: "%REQ(X)%"\n'),
        # keys
        ({"on": 1, "": 2, "a: b": 3, "<<": 4, "x\ny": 5}, '"on": 1\n"": 2\n"a: b": 3\n"<<": 4\n"x\\ny": 5\n'),
        ({"k" * 1001: {"a": 1}}, f"? {'k' * 1001}\n:\n  a: 1\n"),
        ({"k" * 1001: 1}, f"? {'k' * 1001}\n: 1\n"),
        # lists in lists, maps in lists
        ([[1, [2, 3]], {"a": [4], "b": 5}], "- - 1\n  - - 2\n    - 3\n- a:\n    - 4\n  b: 5\n"),
        ({"a": ["x\ny\n", (1, 2)]}, "a:\n  - |\n    x\n    y\n  - - 1\n    - 2\n"),
        # documents that are no map
        ([], "[]\n"),
        ({}, "{}\n"),
        (None, "null\n"),
        ("x\ny\n", "|\n  x\n  y\n"),
        (False, "false\n"),
        (1e21, "1.0e+21\n"),
        (5.0, "5\n"),
        # comments
        (Commented({"a": 1}, "top"), "# top\na: 1\n"),
        ({"a": Commented({"b": 1}, "one\n\ntwo  ")}, "# one\n#\n# two\na:\n  b: 1\n"),
        ({"a": Commented(1, ())}, "a: 1\n"),
        ([{"a": Commented(1, "c"), "b": 2}], "-\n  # c\n  a: 1\n  b: 2\n"),
        ([[Commented(1, "c")]], "-\n  # c\n  - 1\n"),
        ({"a": Commented(1, "x\x85y\u2028z \x1b[0m")}, "# x\n# y\n# z \\x1b[0m\na: 1\n"),
        ({"a": Commented(Literal("x\n"), "c")}, "# c\na: |\n  x\n"),
        # flow
        ({"a": Flow({})}, "a: {}\n"),
        ({"a": Flow([Flow({"b": "x: y"}), "c:d", "e?f", "g\nh\n"])}, 'a: [{b: "x: y"}, "c:d", "e?f", "g\\nh\\n"]\n'),
        ({"a": Flow([Commented(1, "c")])}, "a:\n  # c\n  - 1\n"),
    ],
)
def test_bytes(data: Any, text: str) -> None:
    assert dump(data) == text


class _Outcome(str, Enum):
    VALUE = "value"


def test_strings_of_another_class_are_strings() -> None:
    assert dump({_Outcome.VALUE: _Outcome.VALUE}) == "value: value\n"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_does_not_have(value: float) -> None:
    with pytest.raises(YamlError):
        dump({"a": value})


def test_half_a_surrogate_pair() -> None:
    with pytest.raises(OutputError, match="surrogate"):
        dump({"a": "\ud800"})


@pytest.mark.parametrize("data", [{1: "a"}, {None: "a"}, {"a": b"x"}, {"a": {1, 2}}, Flow({1: 2})])
def test_data_that_is_not_json_is_a_bug_of_the_caller(data: Any) -> None:
    with pytest.raises(TypeError):
        dump(data)


def test_an_operator_survives_reading_and_writing() -> None:
    data = back(OPERATOR)
    assert back(dump(data)) == data
    assert dump(back(dump(data))) == dump(data)


@given(TREES, st.randoms(use_true_random=False))
@example({"a": {"b": ["x\n\n", {"c": "d\n"}]}}, random.Random(1))
def test_readers_get_the_data_back(data: dict[str, Any], chance: random.Random) -> None:
    for text in (dump(data), dump(decorate(data, chance), comments=("a", "b"))):
        assert text.endswith("\n")
        assert as_json(back(text)) == as_json(data)
        assert list(back(text)) == list(data)
        for version in ((1, 1), (1, 2)):
            reader = YAML(typ="safe", pure=True)
            reader.version = version
            assert as_json(reader.load(io.StringIO(text))) == as_json(data)


@given(TREES)
def test_the_pure_parser_gets_the_data_back(data: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compose, "CParser", None)
        assert as_json(back(dump(data))) == as_json(data)


@given(TREES)
def test_lines_have_no_blanks_at_their_end(data: dict[str, Any]) -> None:
    assert not any(line.endswith((" ", "\t")) for line in dump(data).split("\n"))
