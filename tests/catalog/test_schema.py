"""Our values schemas accept what the charts accept, and, where a chart ships a schema, refuse what it refuses."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from istio_convert.catalog import ENDED_CHARTS, HELM_CHARTS, Catalog, resolve, versions
from istio_convert.catalog.build.publish import published_schemas
from istio_convert.catalog.data import load, read_text
from istio_convert.catalog.trees import from_leaf_table

from .releases_at_hand import releases_at_hand

NEWEST_OF_MINOR = list({release.minor: release.version for release in versions()}.values())
VALUES: tuple[Any, ...] = (None, True, 1, 1.5, "text", "", [], ["text"], [{"name": "x"}], {}, {"x": "y"}, {"x": 1})


def _layers(catalog: Catalog) -> Iterator[dict[str, Any]]:
    yield from (catalog.helm_profile(name) for name in catalog.helm_profiles)
    yield from (catalog.platform(name) for name in catalog.platforms)
    yield from (catalog.compatibility(name) for name in catalog.compatibility_versions)


def _without_null(values: Any) -> Any:
    """Values as Helm checks them: where a default is null there is nothing to check."""
    if isinstance(values, dict):
        return {key: _without_null(value) for key, value in values.items() if value is not None}
    return values


@pytest.mark.parametrize("version", ["1.22.0", "1.25.4", *NEWEST_OF_MINOR])
def test_the_schema_accepts_the_charts_own_values(version: str) -> None:
    catalog = resolve(version)
    for name in HELM_CHARTS:
        chart = catalog.chart(name)
        schema = chart.values_schema()
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        assert not list(validator.iter_errors({}))
        assert not list(validator.iter_errors(_without_null(chart.defaults))), name
        if name != "gateway":  # profiles are not checked by Helm, and name keys that the gateway's schema lacks
            for layer in _layers(catalog):
                assert not list(validator.iter_errors(layer)), name


@pytest.mark.parametrize(
    ("chart", "values"),
    [
        ("gateway", {"nonsense": 1}),
        ("gateway", {"service": {"ports": {"http": 80}}}),
        ("gateway", {"service": {"ports": [{"name": "http", "port": "80"}]}}),
        ("gateway", {"imagePullPolicy": "Sometimes"}),
        ("gateway", {"_internal_defaults_do_not_set": {}}),
        ("istiod", {"pilot": {"env": [{"name": "A", "value": "b"}]}}),
        ("istiod", {"env": "A=b"}),
        ("istiod", {"tolerations": {"key": "x"}}),
        ("istiod", {"pilot": {"autoscaleMin": [1]}}),
        ("ztunnel", {"resources": "big"}),
    ],
)
@pytest.mark.parametrize("version", ["1.25.5", "1.28.10", "1.30.3"])
def test_wrong_shapes_are_refused(version: str, chart: str, values: dict[str, Any]) -> None:
    assert list(Draft202012Validator(resolve(version).chart(chart).values_schema()).iter_errors(values))


@pytest.mark.parametrize(
    ("chart", "values"),
    [
        ("gateway", {"service": {"ports": [{"name": "http", "port": 80, "targetPort": 8080, "nodePort": 3}]}}),
        ("gateway", {"securityContext": None, "global": {"anything": 1}}),
        ("istiod", {"pilot": {"env": {"A": 1}, "unknown": {"deep": []}}, "global": {"tag": 1.2}}),
        ("istiod", {"resources": None, "autoscaleMin": "2"}),
        ("cni", {"cni": {"excludeNamespaces": ["a"]}, "excludeNamespaces": None}),
    ],
)
def test_what_charts_take_is_accepted(chart: str, values: dict[str, Any]) -> None:
    assert not list(Draft202012Validator(resolve("1.28.10").chart(chart).values_schema()).iter_errors(values))


def test_a_broken_schema_is_switched_off_so_ours_allows_what_the_chart_reads() -> None:
    validator = Draft202012Validator(resolve("1.24.0").chart("gateway").values_schema())
    assert not list(validator.iter_errors({"platform": "openshift", "profile": "demo"}))
    assert list(validator.iter_errors({"nonsense": 1}))


@pytest.mark.charts
@pytest.mark.parametrize(("release", "folder"), releases_at_hand().items(), ids=list(releases_at_hand()))
def test_verdicts_are_those_of_the_gateway_charts_own_schema(release: str, folder: Path) -> None:
    chart = resolve(release).chart("gateway")
    if chart.schema_broken:
        assert chart.fixed_in
        return
    shipped = json.loads((folder / "manifests/charts/gateway/values.schema.json").read_text(encoding="utf-8"))
    theirs, ours = Draft7Validator(_as_draft7(shipped)), Draft202012Validator(chart.values_schema())
    for path in chart.schema_nodes:
        if "{}" in path or "[]" in path or not path:
            continue
        for value in VALUES:
            values = from_leaf_table({path: copy.deepcopy(value)})
            assert ours.is_valid(values) == theirs.is_valid(values), (path, value)


def _as_draft7(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in a dialect that jsonschema knows; ``$defs`` works there by reference all the same."""
    return {**schema, "$schema": "http://json-schema.org/draft-07/schema#"}


def test_the_published_schemas_are_those_of_the_newest_release_that_has_the_chart() -> None:
    charts = (*HELM_CHARTS, *ENDED_CHARTS)
    content = {name: load(name) for name in ("releases.json", *(f"{chart}.json" for chart in charts))}
    found = published_schemas(content)
    assert set(found) == {f"{chart}.json" for chart in charts}
    for name, text in found.items():
        assert read_text("values", name) == text
