from __future__ import annotations

import json

import pytest

from istio_convert.cli.lookup import find, patterns
from istio_convert.mapping.rules.table import rules
from tests.cli.running import run


def close(path: str) -> list[str]:
    return [match.rule.id for match in find(path) if match.closeness]


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("components.pilot.k8s.affinity", "k8s.affinity"),
        ("spec.components.pilot.k8s.affinity.nodeAffinity", "k8s.affinity"),
        ("spec.components.ingressGateways[0].k8s.affinity", "gateway.affinity"),
        ("components.egressGateways[name:x].k8s.service.ports[0].port", "gateway.service.ports"),
        ("values.gateways.istio-ingressgateway.autoscaleMin", "gateway.hpa.minReplicas"),
        ("components.cni.k8s.volumeMounts", "k8s.volumes"),
        ("components.pilot.k8s.hpaSpec.minReplicas", "k8s.hpaSpec.minReplicas"),
        ("spec.template.spec.containers.lifecycle", "gateway.lifecycle"),
        ("spec.template.spec.dnsConfig", "overlay.dnsConfig"),
        ("addonComponents.kiali.enabled", "addon.kiali"),
        ("profile", "profile"),
        ("values.defaultRevision", "values.defaultRevision"),
        ("spec.revision", "values"),
        ("autoscaling.minReplicas", "gateway.hpa.minReplicas"),
    ],
)
def test_the_closest_rule_comes_first(path: str, first: str) -> None:
    assert close(path)[0] == first


@pytest.mark.parametrize(
    "rule", [rule for rule in rules() if rule.source != "other documents"], ids=lambda rule: rule.id
)
def test_every_rule_is_found_by_its_own_source(rule) -> None:
    """The words of a rule's source are patterns that this module understands."""
    from_source = [".".join(step.replace("*Gateways", "ingressGateways") for step in p) for p in patterns(rule)]
    found = {match.rule.id for path in from_source for match in find(path.replace("*", "x"))}
    from_manifest = "components.*.k8s.overlays" in rule.source or rule.source == "overlays"
    assert rule.id in found or from_manifest


def test_components_that_exist_once_and_gateways_are_told_apart() -> None:
    assert not any(rule.startswith("gateway.") for rule in close("components.pilot.k8s.affinity"))
    assert "k8s.affinity" not in close("components.ingressGateways.k8s.affinity")


def test_a_whole_block_lists_its_parts() -> None:
    assert {"k8s.affinity", "k8s.resources", "k8s.service"} <= set(close("components.pilot.k8s"))


@pytest.mark.parametrize(("version", "outcome"), [("1.25.3", "patch: "), ("1.28.10", "value: ")])
def test_the_answer_depends_on_the_version(version: str, outcome: str) -> None:
    ran = run(["explain", "gateway.lifecycle", "--to", version, "--format", "json"])
    assert (ran.code, ran.stderr) == (0, "")
    (answer,) = json.loads(ran.stdout)["rules"]
    assert answer["why"]
    assert {result.startswith(outcome) for result in answer["result"]} == {True}


def test_text_has_field_places_why_example_and_result() -> None:
    ran = run(["explain", "components.pilot.k8s.affinity", "--to", "1.25.3"])
    words = [line.split()[0] for line in ran.stdout.splitlines() if line.startswith("  ")]
    assert words[:7] == ["field", "value", "manifest", "why", "code", "example", "becomes"]


def test_values_are_looked_up_in_the_charts() -> None:
    ran = run(["explain", "values.global.proxy.privileged", "--to", "1.25.3"])
    assert "  chart istiod: reads it, default false\n" in ran.stdout
    assert "no chart reads it\n" in run(["explain", "values.kiali.enabled"]).stdout
    misspelled = run(["explain", "values.pilot.autoScaleEnabled", "--to", "1.25.3"]).stdout
    assert "no chart reads it; did you mean values.pilot.autoscaleEnabled?\n" in misspelled


def test_charts_that_have_ended_are_among_them_at_their_releases() -> None:
    asked = ["explain", "values.global.remotePilotAddress", "--to"]
    assert "  chart istiod-remote: reads it" in run([*asked, "1.23.6"]).stdout
    assert "istiod-remote" not in run([*asked, "1.25.3"]).stdout


def test_a_value_that_was_read_once_says_when() -> None:
    said = run(["explain", "values.istio_cni.chained", "--to", "1.25.3"]).stdout
    assert "no chart reads it, the last that did was of 1.23" in said


def test_a_path_of_a_charts_values_is_one_below_values() -> None:
    ran = run(["explain", "defaultRevision", "--to", "1.25.3"])
    assert ran.stdout.startswith('defaultRevision at Istio 1.25.3\n  chart base: reads it, default "default"\n')
    assert "\nvalues.defaultRevision\n" in ran.stdout
    assert "chart istiod: reads it, default 1\n" in run(["explain", "autoscaleMin", "--to", "1.25.3"]).stdout
    assert run(["explain", "nothingOfTheKind"]).code == 1
