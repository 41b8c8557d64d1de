"""A name that is no field: which name it is, said once, and what was meant."""

from __future__ import annotations

import json
from typing import Any

import pytest

from istio_convert import Conversion, convert
from istio_convert.report import render
from tests.cli.running import HEAD


def converted(spec: dict[str, Any], **beside: Any) -> Conversion:
    rest = "".join(f"{name}: {json.dumps(value)}\n" for name, value in beside.items())
    return convert(f"{HEAD}spec: {json.dumps(spec)}\n{rest}", to="1.25.3")


@pytest.mark.parametrize(
    ("spec", "key", "action"),
    [
        (
            {"components": {"pilot": {"resources": {"requests": {"cpu": "1"}}}}},
            "spec.components.pilot.resources",
            "did you mean spec.components.pilot.k8s.resources?",
        ),
        (
            {"components": {"ingressGateways": [{"name": "a", "enabled": True, "service": {"type": "NodePort"}}]}},
            "spec.components.ingressGateways[0].service",
            "did you mean spec.components.ingressGateways[0].k8s.service?",
        ),
        (
            {"components": {"ingressGateways": [{"name": "a", "enabled": True, "k8s": {"label": {"a": "b"}}}]}},
            "spec.components.ingressGateways[0].k8s.label",
            "did you mean spec.components.ingressGateways[0].label?",
        ),
        (
            {"components": {"meshConfig": {"accessLogFile": "/dev/stdout"}}},
            "spec.components.meshConfig",
            "did you mean spec.meshConfig?",
        ),
        (
            {"components": {"pilot": {"cni": {"enabled": True}}}},
            "spec.components.pilot.cni",
            "did you mean spec.components.cni?",
        ),
        ({"pilot": {"enabled": True}}, "spec.pilot", "did you mean spec.components.pilot?"),
        ({"global": {"logAsJson": True}}, "spec.global", "did you mean spec.values.global?"),
        (
            {"components": {"ingressGateway": [{"name": "a"}]}},
            "spec.components.ingressGateway",
            "did you mean spec.components.ingressGateways?",
        ),
        ({"meshconfig": {"a": 1}}, "spec.meshconfig", "did you mean spec.meshConfig?"),
        ({"components": {"pilot": {"k8s": {"zzz": 1}}}}, "spec.components.pilot.k8s.zzz", "remove it"),
    ],
)
def test_what_was_meant(spec: dict[str, Any], key: str, action: str) -> None:
    (entry,) = (entry for entry in converted(spec).ledger.entries if entry.rule == "unknown")
    assert (entry.reason, entry.action) == (f"{key} is no field of IstioOperator, istioctl refuses it", action)


@pytest.mark.parametrize(
    ("name", "action"),
    [("components", "did you mean spec.components?"), ("sepc", "did you mean spec?"), ("status", ""), ("other", "")],
)
def test_a_field_beside_spec(name: str, action: str) -> None:
    conversion = converted({"profile": "default"}, **{name: {"x": 1}})
    (entry,) = (entry for entry in conversion.ledger.entries if entry.leaf.path[0] == name)
    assert entry.action == action


def test_a_profile_that_is_spelled_wrong() -> None:
    (entry,) = (entry for entry in converted({"profile": "defualt"}).ledger.entries if entry.rule == "profile")
    assert entry.action.startswith("did you mean default?")
    (entry,) = (entry for entry in converted({"profile": "acme-corp"}).ledger.entries if entry.rule == "profile")
    assert "did you mean" not in entry.action


def test_one_wrong_key_is_one_finding_for_people() -> None:
    gateways = [{"name": name, "enabled": True, "k8s": {"replicaCount": 2}, "label": {"a.b": 1}} for name in "ab"]
    conversion = converted({"components": {"ingressGateway": gateways}})
    report = conversion.report
    for form in ("text", "markdown", "github"):
        page = render(report, form).partition("<details>")[0]
        (line,) = (line for line in page.splitlines() if "spec.components.ingressGateway" in line)
        assert "(8 fields)" in line
    assert sum(entry.rule == "unknown" for entry in report.entries) == 8
    assert render(report, "text").endswith("; 8 fields need you\n")
    todo = conversion.files()["README.md"].partition("## What still needs a person")[2]
    assert len([line for line in todo.splitlines() if "ingressGateway" in line]) == 1


def test_keys_with_dots_stay_whole() -> None:
    conversion = converted({"meshconfig": {"a.b": {"x.y": 1, "x.z": 2}}})
    assert " spec.meshconfig.a\\.b (2 fields): " in render(conversion.report, "text")
