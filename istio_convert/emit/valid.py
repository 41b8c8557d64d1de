"""Checks the values of every release against the schema of its chart, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from istio_convert.catalog import resolve
from istio_convert.errors import SchemaViolationError
from istio_convert.paths import render
from istio_convert.plain import PlainCheck
from istio_convert.release import Release


def check_values(releases: Sequence[Release]) -> None:
    """Refuse values that the chart's schema refuses. Values are not shown, they may be secrets.

    Raises:
        SchemaViolationError: names the release, the values path and what the schema asks for.
    """
    for release in releases:
        values = release.values_data()
        if not _plain_check(release.chart, release.version).accepts(values):
            _judge(release, _schema(release.chart, release.version), values)


def _schema(chart: str, version: str) -> dict[str, Any]:
    return resolve(version).chart(chart).values_schema()


@lru_cache(maxsize=16)
def _plain_check(chart: str, version: str) -> PlainCheck:
    return PlainCheck(_schema(chart, version))


def _judge(release: Release, schema: dict[str, Any], values: Any) -> None:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to import, and only what is not plainly valid needs it

    for error in Draft202012Validator(schema).iter_errors(values):
        place = render(tuple(error.absolute_path)) or "the values"
        wanted = error.validator_value if error.validator in ("type", "enum") else error.validator
        raise SchemaViolationError(
            f"the {release.chart} chart {release.version} refuses {place} of release {release.name}: "
            f"its schema asks for {error.validator} {wanted}",
            hint="correct the field in the operator; explain says where it comes from",
        )
