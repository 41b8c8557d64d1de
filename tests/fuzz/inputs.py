"""Inputs for the fuzzer. An input depends on the seed and its number only, so each can be made again alone."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from istio_convert.catalog import ENDED_CHARTS, HELM_CHARTS, MISSING, resolve
from istio_convert.errors import YamlError
from istio_convert.mapping.rules.table import rules
from istio_convert.paths import parse
from istio_convert.source import dump
from tests.corpus.operators import VERSIONS, operators
from tests.properties.operators import OPERATORS

KINDS = ("bytes", "trees", "operators")
TARGETS = ("flux", "argocd", "helmfile", "helm")
HEAD = {"apiVersion": "install.istio.io/v1alpha1", "kind": "IstioOperator"}
_FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
_LARGEST_SEED = 24_000
_CHUNK = 50

_FRAGMENTS = (
    b'null|{}|[]|~|"\\0"|0x1f|.inf|.nan|-1|1e400|true|{{ x }}|&a|*a|<<: *a|!!binary aGk=|!!python/object:os.system|? '
    b"|>-\n|---\n|...\n|\t|\xff\xfe|\x00|\xe2\x80\xa8|\xef\xbb\xbf|%YAML 1.1\n|%TAG ! x\n|#|'|\"|[[[[[[|{{{{|: |- |\r|"
    b'99999999999999999999999999|2024-13-45|[1:x]|../..|${X}|"a\\nb"|$(id)|!!map|!!str|!<x>|\x1b[31m|\xed\xa0\x80|'
    b"<<<<<<< HEAD\n|{{- if .Values.x }}\n|a: &b [*b, *b]\n|@|`|%|,|]|}"
).split(b"|")
_WORDS = tuple(
    """
    apiVersion kind spec metadata components values pilot cni ztunnel base ingressGateways egressGateways k8s overlays
    patches path value name namespace label enabled service ports env global meshConfig profile hub tag revision
    install.istio.io/v1alpha1 IstioOperator List items status istiod Deployment istio-ingressgateway
    unvalidatedValues resources hpaSpec securityContext affinity gateways istio-egressgateway labels
    """.split()  # noqa: SIM905 - readable
)
_ODD: tuple[Any, ...] = (
    None, {}, [], "", 0, -1, 1.5, True, False, "x", "a.b", [None], [[]], {"a": None}, {"": ""}, [{"name": None}],
    {"x": {"y": [1, "2", {}]}}, "${X}", 10**30, float("inf"), float("nan"), "\x07", "spec: {a: b}", "[1,2", {"1": 2},
    {"name": "istio-proxy"}, ["a", "b"], "1.25.3", "latest", "a/b", "A_B" * 90, "../x", "/etc/passwd", "a\nb", "$(id)",
    "0644", "yes", "12:30", "1e3", "\u2028", "\U0001f600", "{{ x }}", "'", '"', "# x", "- x", "x: y", "%", "@sha256:x",
    "spec.template.spec.containers.[name:istio-proxy].args.[-1]", "spec..x", "[name:", "a.[0].[1]", "\\.", ".", "..",
    [[1]], [{"a": 1}, "b"], {"matchLabels": "x"}, {"labels": []}, 65536, -(2**63), 2**64, 1e-400, "x" * 5000,
)  # fmt: skip


@dataclass(frozen=True)
class Input:
    """One input, and how it is converted.

    Attributes:
        kind: one of :data:`KINDS`.
        number: its number in the run.
        data: the text.
        version: the target version.
        target: the form of the output.
        dice: a number below 1, by which a run chooses those that it looks at more closely.
    """

    kind: str
    number: int
    data: bytes
    version: str
    target: str
    dice: float


def make(seed: int, number: int, kinds: tuple[str, ...] = KINDS) -> Input:
    """The input with this number; the kinds take turns."""
    kind = kinds[number % len(kinds)]
    rng = random.Random(f"{seed}/{number}")
    data = {"bytes": _bytes, "trees": _trees, "operators": _operators}[kind](rng, seed, number // len(kinds))
    return Input(kind, number, data, rng.choice(VERSIONS), rng.choice(TARGETS), rng.random())


# -- what they are made of ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def texts() -> tuple[bytes, ...]:
    """Whole operators: those of the fixtures, of the rules' examples, and of a corpus where there is one."""
    paths = [*sorted(_FIXTURES.glob("**/input*.yaml")), *sorted(_FIXTURES.glob("**/operator*.yaml")), *operators()]
    found = [data for path in paths if len(data := path.read_bytes()) < _LARGEST_SEED]
    found += [dump({**HEAD, "spec": spec}).encode() for spec in _examples()]
    return tuple(found)


@lru_cache(maxsize=1)
def _documents() -> tuple[str, ...]:
    """The same, as JSON of their trees; JSON, since copying by it is cheap and leaves nothing shared."""
    found = []
    for data in texts():
        try:
            trees = list(YAML(typ="safe").load_all(data))
        except YAMLError:
            continue
        found += [json.dumps(tree, default=str) for tree in trees if isinstance(tree, dict)]
    return tuple(found)


@lru_cache(maxsize=1)
def _examples() -> tuple[Any, ...]:
    """The specs of the rules' examples: between them every rule applies."""
    return tuple(YAML(typ="safe").load(rule.example.spec) for rule in rules() if rule.example is not None)


@cache
def _values(version: str) -> tuple[tuple[tuple[str, ...], Any], ...]:
    """Every values path that a chart reads at a version, with a value of the type of its default."""
    catalog = resolve(version)
    found: dict[tuple[str, ...], Any] = {}
    for name in (*HELM_CHARTS, *(name for name in ENDED_CHARTS if catalog.has_chart(name))):
        chart = catalog.chart(name)
        for text in sorted(chart.read_paths):
            path = tuple(str(step) for step in parse(text))
            default = chart.default(path)
            found.setdefault(path, "x" if default is MISSING else default)
    return tuple(found.items())


# -- bytes -------------------------------------------------------------------------------------------------------------


def _bytes(rng: random.Random, seed: int, number: int) -> bytes:
    """Operators with bytes changed; now and then bytes or words that never were an operator."""
    shape = rng.random()
    if shape < 0.1:
        return rng.randbytes(rng.randrange(300))
    if shape < 0.25:
        parts = [
            *(word.encode() for word in _WORDS),
            *_FRAGMENTS,
            b"|\n",
            b"key: |2-\n",
            b"\n",
            b"\n  ",
            b"\n- ",
            b": ",
            b" ",
        ]
        return b"".join(rng.choice(parts) for _ in range(rng.randrange(120)))
    data = bytearray(rng.choice(texts()))
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        _change_bytes(rng, data)
    return bytes(data)


def _change_bytes(rng: random.Random, data: bytearray) -> None:
    if not data:
        return
    at, how = rng.randrange(len(data)), rng.random()
    if how < 0.3:
        data[at:at] = rng.choice(_FRAGMENTS)
    elif how < 0.5:
        del data[at : at + rng.randint(1, 30)]
    elif how < 0.7:
        data[at] = rng.randrange(32, 127) if rng.random() < 0.8 else rng.randrange(256)
    elif how < 0.85:
        start = rng.randrange(len(data))
        data[at:at] = data[start : start + rng.randint(1, 200)]
    else:
        lines = bytes(data).split(b"\n")
        line = rng.randrange(len(lines))
        lines[line] = b" " * rng.randint(0, 4) + lines[line]
        data[:] = b"\n".join(lines)


# -- trees -------------------------------------------------------------------------------------------------------------


def _trees(rng: random.Random, seed: int, number: int) -> bytes:
    """Operators with nodes changed; now and then a tree of an operator's words in no order."""
    if rng.random() < 0.15:
        return _write(rng, [{**HEAD, "spec": _tree(rng, 5)}])
    documents = [json.loads(rng.choice(_documents())) for _ in range(1 if rng.random() < 0.9 else 2)]
    for _ in range(rng.randint(1, 6)):
        _change_tree(rng, rng.choice(documents))
    return _write(rng, documents)


def _tree(rng: random.Random, depth: int) -> Any:
    how = rng.random()
    if depth == 0 or how < 0.2:
        return _odd(rng)
    if how < 0.8:
        return {rng.choice(_WORDS): _tree(rng, depth - 1) for _ in range(rng.randrange(5))}
    return [_tree(rng, depth - 1) for _ in range(rng.randrange(4))]


def _odd(rng: random.Random) -> Any:
    return json.loads(json.dumps(rng.choice(_ODD)))  # a copy: trees are changed in place


def _change_tree(rng: random.Random, document: Any) -> None:
    deep = rng.random() < 0.9  # most changes where they do not undo the operator as a whole
    places = list(_places(document.get("spec") if deep else document))
    if not places:
        return
    (parent, key), how = rng.choice(places), rng.random()
    if how < 0.15:
        del parent[key]
    elif how < 0.65:
        parent[key] = _odd(rng)
    elif how < 0.8:
        other, there = rng.choice(places)
        parent[key] = json.loads(json.dumps(other[there]))
    elif isinstance(parent[key], dict):
        parent[key][rng.choice(_WORDS)] = _odd(rng)
    elif isinstance(parent[key], list):
        parent[key].append(_odd(rng))
    else:
        parent[key] = [parent[key]] if how < 0.9 else {rng.choice(_WORDS): parent[key]}


def _places(node: Any) -> Any:
    pairs = list(node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ())
    for key, child in pairs:
        yield node, key
        yield from _places(child)


def _write(rng: random.Random, documents: list[Any]) -> bytes:
    """As JSON, as block YAML of another writer than ours, or by ours."""
    how = rng.random()
    if how < 0.4:
        return b"\n---\n".join(_json(document) for document in documents)
    if how < 0.8:
        out = BytesIO()
        yaml = YAML(typ="safe")
        yaml.default_flow_style = False
        try:
            yaml.dump_all(documents, out)
        except YAMLError:
            return b"\n---\n".join(_json(document) for document in documents)
        return out.getvalue()
    try:
        return "".join("---\n" + dump(document) for document in documents).encode()
    except YamlError:  # what no YAML of Go's can say, such as an infinite number
        return b"\n---\n".join(_json(document) for document in documents)


def _json(document: Any) -> bytes:
    return json.dumps(document, indent=1, default=str).encode()


# -- operators ---------------------------------------------------------------------------------------------------------


def _operators(rng: random.Random, seed: int, number: int) -> bytes:
    """Valid operators: half of them drawn by the strategies of the property tests, half put together from tables."""
    if number % 2:
        chunk, place = divmod(number // 2, _CHUNK)
        drawn = _drawn(seed, chunk)
        return drawn[place % len(drawn)]
    version = rng.choice(VERSIONS)
    spec: Any = {}
    for example in rng.sample(_examples(), rng.randint(1, 7)):
        _lay_over(spec, json.loads(json.dumps(example)))
    for path, value in rng.sample(_values(version), rng.randint(0, 8)):
        values = spec.setdefault("values", {})
        for step in path[:-1]:
            values = values.setdefault(step, {}) if isinstance(values, dict) else {}
        if isinstance(values, dict):
            values[path[-1]] = _alike(rng, value)
    if rng.random() < 0.3:
        spec["profile"] = rng.choice(["default", "demo", "minimal", "ambient", "empty", "openshift", "remote"])
    if rng.random() < 0.2:
        spec["revision"] = rng.choice(["blue", "1-25-3"])
    return _write(rng, [{**HEAD, "metadata": {"name": "x", "namespace": "istio-system"}, "spec": spec}])


def _lay_over(under: Any, over: Any) -> None:
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(under.get(key), dict):
            _lay_over(under[key], value)
        elif isinstance(value, list) and isinstance(under.get(key), list):
            _add(under[key], value)
        else:
            under[key] = value


def _add(under: list[Any], over: list[Any]) -> None:
    """A list behind another one; elements of the same name, such as gateways, become one."""
    named = {element["name"]: element for element in under if isinstance(element, dict) and "name" in element}
    for element in over:
        if isinstance(element, dict) and element.get("name") in named:
            _lay_over(named[element["name"]], element)
        else:
            under.append(element)


def _alike(rng: random.Random, value: Any) -> Any:
    """A value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([0, 1, 2, 70, 15090])
    if isinstance(value, dict):
        return {**value, rng.choice(["a", "team", "cpu"]): "x"} if rng.random() < 0.7 else {}
    if isinstance(value, list):
        return [*value, "x"]
    return rng.choice(["x", "a.b:80", "", "1", "on"])


@lru_cache(maxsize=1)
def _drawn(seed: int, chunk: int) -> tuple[bytes, ...]:
    """A chunk of what hypothesis draws for a seed; in chunks, since it remembers all that it drew in one run."""
    found: list[bytes] = []

    @seeded(hash((seed, chunk)))
    @settings(
        max_examples=_CHUNK,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(OPERATORS)
    def draw(operator: dict[str, Any]) -> None:
        found.append(dump(operator).encode())

    draw()
    return tuple(found)
