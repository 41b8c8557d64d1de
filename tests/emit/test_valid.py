"""Values are checked against the schema of their chart, mostly by a quick look that agrees with jsonschema."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from istio_convert import Source, convert
from istio_convert.catalog import HELM_CHARTS, resolve
from istio_convert.catalog.trees import from_leaf_table
from istio_convert.emit.valid import check_values
from istio_convert.errors import SchemaViolationError
from istio_convert.plain import PlainCheck
from istio_convert.release import Release
from istio_convert.source.nodes import from_data

GOLDENS = sorted(path for path in Path("fixtures").glob("*/input.yaml"))
CHARTS = [(chart, version) for version in ("1.22.8", "1.25.3", "1.28.10", "1.31.0-rc.0") for chart in HELM_CHARTS]
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, 1.0, 1.5, "", "text", "IfNotPresent", [], ["text"], [1], [{}], [{"name": "x"}],
    [{"name": "x", "port": 80, "targetPort": 8080}], {}, {"x": "y"}, {"x": 1}, {"enabled": "yes"},
)  # fmt: skip


@pytest.mark.parametrize(("chart", "version"), CHARTS)
def test_verdicts_on_every_path_of_a_chart_are_those_of_jsonschema(chart: str, version: str) -> None:
    facts = resolve(version).chart(chart)
    schema = facts.values_schema()
    judge = Draft202012Validator(schema)
    verdicts = set()
    for path in [*facts.schema_nodes, *facts.read_paths, "nonsense"]:
        if "{}" in path or "[]" in path or not path:
            continue
        for value in VALUES:
            values = from_leaf_table({path: copy.deepcopy(value)})
            verdict = judge.is_valid(values)
            verdicts.add(verdict)
            if PlainCheck(schema).accepts(values):
                assert verdict, (path, value)
            elif verdict:
                assert isinstance(value, float), f"{path} = {value}: jsonschema is asked without need"
    assert verdicts == {True, False}


@pytest.mark.parametrize("operator", GOLDENS, ids=lambda path: path.parent.name)
def test_no_conversion_of_a_fixture_needs_jsonschema(operator: Path) -> None:
    for release in convert(Source(operator.name, operator.read_text())).releases:
        schema = resolve(release.version).chart(release.chart).values_schema()
        assert PlainCheck(schema).accepts(release.values_data()), release.name


def test_refused_values_are_named_by_path() -> None:
    gateway = Release("shop", "gateway", "1.25.3", "istio-ingress", "ingressGateways")
    gateway.values = from_data({"service": {"type": 7}})
    with pytest.raises(SchemaViolationError, match=r"service\.type of release shop: .*type string"):
        check_values([gateway])
