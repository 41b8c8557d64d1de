"""The values that decide how long the lists of istiod are: the table names all that stand in conditions of a chart."""

from __future__ import annotations

import re

import pytest

from istio_convert.mapping.rules.places import COUNTED
from istio_convert.verify.charts import ReleaseCharts

#: where a list of the template ends
ENDS = {"args": "ports:", "volumeMounts": "volumes:", "volumes": None}
CONDITION = re.compile(
    r"^\s*\{\{-?\s*(?:if|with|range)\s([^}]*)\}\}", re.MULTILINE
)  # those inside a line are about a text
VALUE = re.compile(r"\.Values\)?\.?([\w.]+)")
#: chooses between two forms of one element
SAME_LENGTH = {"env"}


@pytest.mark.parametrize("field", ENDS)
def test_every_condition_is_in_the_table(official: ReleaseCharts, field: str) -> None:
    template = official.files("istiod")["templates/deployment.yaml"].decode()
    start = template.index(f"\n{field}:" if f"\n{field}:" in template else f" {field}:")
    end = template.find(f" {ENDS[field]}", start) if ENDS[field] else -1
    section = template[start : end if end > 0 else None]
    conditions = CONDITION.findall(section)
    read = {name.removeprefix("pilot.") for text in conditions for name in VALUE.findall(text)}
    assert read, "the template has no such list"
    known = {".".join(step for step in value if step != "pilot") for value in COUNTED["pilot"][field]}
    assert {name for name in read if not any(f"{name}.".startswith(f"{one}.") for one in known)} <= SAME_LENGTH
