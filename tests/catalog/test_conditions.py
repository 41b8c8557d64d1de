"""What templates test around whole objects, and what trying that tells."""

from __future__ import annotations

from typing import Any

from istio_convert.catalog.build.conditions import conditions_of
from istio_convert.catalog.build.reads import defines_of
from istio_convert.catalog.build.switches import ELEMENT, Switches
from istio_convert.catalog.build.template import parse
from istio_convert.errors import RenderError

TEMPLATE = """
{{- $gateway := index .Values "gateways" "one" }}
{{- if and $gateway.on (or (eq .Values.scope "all") (eq .Values.scope "some")) }}
apiVersion: v1
kind: ConfigMap
{{- with .Values.inside }}
data: {{ . }}
{{- end }}
{{- end }}
---
{{- if .Values.unrelated }}
# nothing
{{- else if .Values.other }}
kind: Secret
{{- end }}
"""


def test_what_is_tested_around_an_object_is_found() -> None:
    nodes = parse(TEMPLATE)
    found = conditions_of([nodes], defines_of([nodes]))
    assert found == [
        {("gateways", "one", "on"): set(), ("scope",): {"all", "some"}},
        {("unrelated",): set(), ("other",): set()},
    ]


def _rendered(values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """A chart in a few lines."""
    if isinstance(values.get("tags"), (bool, str)):
        raise RenderError("range over what is no list")
    found = {"Deployment d"} if values.get("mode", "all") != "none" else set()
    found |= {f"Tag {tag}" for tag in values.get("tags", [])}
    found |= {"Budget b"} if values.get("least", 1) >= 2 else set()
    found |= {"Slice s"} if values.get("remote") and values.get("address") else set()
    if values.get("remote") and not values.get("address"):
        found -= {"Deployment d"}
    return {name: {} for name in found}


def test_trying_conditions_tells_what_brings_and_what_takes() -> None:
    conditions: list[dict[tuple[str, ...], set[str]]] = [
        {("mode",): {"all", "none"}},
        {("tags",): set()},
        {("least",): set()},
        {("remote",): set(), ("address",): set()},
    ]
    found = Switches(_rendered, conditions, {"mode": "all", "least": 1})
    both = {"address": True, "remote": True}
    assert found.brings == {
        f"Tag {ELEMENT}": [{"tags": True}],
        "Budget b": [{"least": 2}],
        "Slice s": [both],
        "Deployment d": [both],
    }
    assert found.takes == {"Deployment d": [{"mode": "none"}, {"remote": True}]}
    assert found.values["Budget b"] == {"least": 2}
