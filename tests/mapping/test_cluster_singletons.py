"""Several control planes in one run: what exists once per cluster belongs to one release."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert import Conversion, MergeConflictError, convert
from istio_convert.catalog import resolve
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"


def operator(name: str, spec: str = "", values: str = "") -> str:
    return (
        f"{HEAD}metadata: {{name: {name}, namespace: mesh-{name}}}\n"
        f"spec: {{profile: minimal, revision: {name}, {spec}"
        f"values: {{{values}global: {{istioNamespace: mesh-{name}}}}}}}\n"
    )


def converted(*operators: str, to: str = "1.25.3") -> Conversion:
    return convert("---\n".join(operators), to=to)


def bases(conversion: Conversion) -> dict[str, dict[str, Any]]:
    return {r.namespace: r.values_data() for r in conversion.releases if r.chart == "base"}


def entries(conversion: Conversion, path: str) -> list[tuple[str, str, str]]:
    found = [e for e in conversion.ledger.entries if render(e.leaf.path) == f"spec.{path}"]
    return [(e.outcome.value, e.rule, e.reason) for e in found]


@pytest.mark.parametrize("version", ["1.24.6", "1.25.3", "1.30.3"])
def test_the_first_control_plane_brings_definitions_and_validator(version: str) -> None:
    conversion = converted(operator("a"), operator("b"), operator("c"), to=version)
    values = bases(conversion)
    assert values["mesh-a"] == {"defaultRevision": "a", "global": {"istioNamespace": "mesh-a"}}
    for other in ("mesh-b", "mesh-c"):
        assert values[other]["defaultRevision"] == ""
        assert set(values[other]["base"]["excludedCRDs"]) == resolve(version).chart("base").crds


def test_the_one_that_brings_them_comes_first_and_says_so() -> None:
    conversion = converted(operator("a"), operator("b"))
    first, second = (release for release in conversion.releases if release.chart == "base")
    assert (first.namespace, second.namespace) == ("mesh-a", "mesh-b")
    assert second.depends_on == ["istio-base"]
    assert not first.depends_on
    assert "never uninstall it while another control plane runs" in first.notes[0]
    assert "release istio-base in mesh-a brings it" in second.notes[0]


def test_one_control_plane_is_as_ever() -> None:
    [release] = [r for r in converted(operator("a")).releases if r.chart == "base"]
    assert release.values_data() == {"defaultRevision": "a", "global": {"istioNamespace": "mesh-a"}}
    assert not release.notes


def test_the_operator_that_names_the_default_brings_the_validator() -> None:
    conversion = converted(operator("a"), operator("b", values="defaultRevision: b, "))
    values = bases(conversion)
    assert list(values) == ["mesh-b", "mesh-a"]
    assert values["mesh-b"]["defaultRevision"] == "b"
    assert values["mesh-a"]["defaultRevision"] == ""
    assert entries(conversion, "values.defaultRevision")[0][0] == "value"


def test_two_operators_that_both_name_the_default_are_for_a_person() -> None:
    both = [operator(name, values=f"defaultRevision: {name}, ") for name in ("a", "b")]
    conversion = converted(*both)
    assert bases(conversion)["mesh-b"]["defaultRevision"] == ""
    first, second = entries(conversion, "values.defaultRevision")
    assert first[0] == "value"
    assert second[:2] == ("manual", "base.once")


def test_definitions_that_one_operator_leaves_out_come_by_the_other() -> None:
    name = "gateways.networking.istio.io"
    conversion = converted(operator("a", values=f"base: {{excludedCRDs: [{name}]}}, "), operator("b"))
    values = bases(conversion)
    assert not values["mesh-a"].get("base", {}).get("excludedCRDs")
    assert name in values["mesh-b"]["base"]["excludedCRDs"]
    assert entries(conversion, "values.base.excludedCRDs[0]")[0][:2] == ("overridden", "base.once")


def test_definitions_that_all_leave_out_stay_out() -> None:
    name = "gateways.networking.istio.io"
    both = [operator(o, values=f"base: {{excludedCRDs: [{name}]}}, ") for o in ("a", "b")]
    values = bases(converted(*both))
    assert values["mesh-a"]["base"]["excludedCRDs"] == [name]
    assert sorted(values["mesh-b"]["base"]["excludedCRDs"]) == sorted(resolve("1.25.3").chart("base").crds)


def test_until_1_23_helm_installs_definitions_once_by_itself() -> None:
    values = bases(converted(operator("a"), operator("b"), to="1.23.6"))
    assert "base" not in values["mesh-b"]
    assert values["mesh-b"]["defaultRevision"] == ""


@pytest.mark.parametrize(("version", "switch"), [("1.23.6", "true"), ("1.25.3", "false")])
def test_definitions_that_cannot_be_left_out_are_for_a_person(version: str, switch: str) -> None:
    both = [operator(o, values=f"base: {{enableCRDTemplates: {switch}}}, ") for o in ("a", "b")]
    first, second = entries(converted(*both, to=version), "values.base.enableCRDTemplates")
    assert first[0] == "value"
    assert second[:2] == ("manual", "base.once")


def test_two_node_agents_are_for_a_person() -> None:
    both = [operator(o, spec="components: {cni: {enabled: true}}, ") for o in ("a", "b")]
    conversion = converted(*both)
    first, second = entries(conversion, "components.cni.enabled")
    assert first[0] == "value"
    assert second[:2] == ("manual", "cluster.once")
    assert "ClusterRole istio-cni" in second[2]


def test_two_revisions_in_one_namespace_share_base() -> None:
    text = HEAD + "metadata: {{name: {0}}}\nspec: {{profile: minimal, revision: {0}}}\n"
    conversion = converted(*(text.format(name) for name in ("a", "b")))
    [release] = [r for r in conversion.releases if r.chart == "base"]
    assert release.values_data() == {"defaultRevision": "a"}
    assert not release.notes


def beside(name: str, spec: str = "", values: str = "") -> str:
    """A control plane in the same namespace as the others."""
    return f"{HEAD}metadata: {{name: {name}}}\nspec: {{revision: {name}, {spec}values: {{{values}}}}}\n"


GATEWAYLESS = "components: {ingressGateways: [], egressGateways: []}, "


@pytest.mark.parametrize("version", ["1.22.8", "1.23.6", "1.25.3", "1.31.0"])
def test_planes_of_one_namespace_share_a_base_that_renders_the_same(version: str) -> None:
    one, two = beside("a", f"profile: minimal, {GATEWAYLESS}"), beside("b", f"profile: demo, {GATEWAYLESS}")
    conversion = converted(one, two, to=version)
    assert [r.name for r in conversion.releases] == ["istio-base", "istiod-a", "istiod-b"]
    places = {str(e.leaf.value): [p.release for p in e.places] for e in conversion.ledger.entries}
    assert "istio-base" not in places["b"]
    assert places["b"] == ["istiod-b"]


def test_a_profile_that_the_base_chart_reads_settings_of_is_another_base() -> None:
    one, two = beside("a", f"profile: minimal, {GATEWAYLESS}"), beside("b", f"profile: stable, {GATEWAYLESS}")
    with pytest.raises(MergeConflictError, match="render the release istio-base differently"):
        converted(one, two)


def test_a_contradiction_names_both_fields() -> None:
    first, second = (beside(name, GATEWAYLESS, f"global: {{imagePullSecrets: [{name}]}}") for name in "ab")
    with pytest.raises(MergeConflictError) as caught:
        converted(first, second)
    assert "istio-base differently: global.imagePullSecrets (operator.yaml:4:" in str(caught.value)
    assert " and operator.yaml:9:" in str(caught.value)


def test_a_revision_names_a_service_of_the_base_beside_a_remote_address() -> None:
    remote = "global: {remotePilotAddress: 10.0.0.1}"
    with pytest.raises(MergeConflictError, match="differently: revision"):
        converted(beside("a", GATEWAYLESS, remote), beside("b", GATEWAYLESS, remote), to="1.22.8")
