"""A value whose place a setting or an overlay writes: the ledger says who wins, and the release does without it."""

from __future__ import annotations

from typing import Any

import pytest

from istio_convert import Conversion, convert
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n"


def converted(values: str, components: str, *, to: str = "1.25.3") -> Conversion:
    return convert(f"{HEAD}  values: {values}\n  components: {components}\n", to=to)


def outcome(conversion: Conversion, path: str) -> tuple[str, str]:
    return next((e.outcome.value, e.reason) for e in conversion.ledger.entries if render(e.leaf.path) == f"spec.{path}")


def values_of(conversion: Conversion, component: str = "pilot") -> dict[str, Any]:
    return next(r for r in conversion.releases if r.component == component).values_data()


def overlay(path: str, value: str = "", kind: str = "Deployment", name: str = "istiod") -> str:
    given = f", value: {value}" if value else ""
    return f"{{overlays: [{{kind: {kind}, name: {name}, patches: [{{path: '{path}'{given}}}]}}]}}"


IN_DISCOVERY = "spec.template.spec.containers.[name:discovery]"


@pytest.mark.parametrize(
    ("values", "path", "k8s"),
    [
        ("{traceSampling: 5}", "traceSampling", "{env: [{name: PILOT_TRACE_SAMPLING, value: '50'}]}"),
        ("{tolerations: [{key: a}]}", "tolerations[0].key", "{tolerations: [{key: b}]}"),
        ("{rollingMaxSurge: 3}", "rollingMaxSurge", "{strategy: {type: Recreate, rollingUpdate: null}}"),
        ("{cpu: {targetAverageUtilization: 9}}", "cpu.targetAverageUtilization", "{hpaSpec: {metrics: []}}"),
        ("{image: x}", "image", overlay(f"{IN_DISCOVERY}.image", "a/b:c")),
        ("{extraContainerArgs: [x]}", "extraContainerArgs[0]", overlay(f"{IN_DISCOVERY}.args", "[a]")),
        ("{seccompProfile: {type: Unconfined}}", "seccompProfile.type", overlay(f"{IN_DISCOVERY}.securityContext")),
        ("{deploymentLabels: {a: b}}", "deploymentLabels.a", overlay("metadata.labels.a", "c")),
        ("{nodeSelector: {a: b}}", "nodeSelector.a", overlay("spec.template.spec", "{hostNetwork: true}")),
        (
            "{serviceAccountAnnotations: {a: b}}",
            "serviceAccountAnnotations.a",
            overlay("metadata.annotations", "{c: d}", "ServiceAccount"),
        ),
        ("{taint: {namespace: x}}", "taint.namespace", overlay(f"{IN_DISCOVERY}.args", "[a]")),
    ],
)
def test_what_a_later_layer_writes_is_overruled(values: str, path: str, k8s: str) -> None:
    conversion = converted(f"{{pilot: {values}}}", f"{{pilot: {{k8s: {k8s}}}}}")
    found, reason = outcome(conversion, f"values.pilot.{path}")
    assert found == "overridden"
    assert "operator.yaml:5:" in reason
    assert path.split(".", maxsplit=1)[0].partition("[")[0] not in values_of(conversion).get("pilot", {})


@pytest.mark.parametrize(
    ("values", "path", "k8s"),
    [
        ("{traceSampling: 5}", "traceSampling", "{env: [{name: PILOT_OTHER, value: '50'}]}"),
        ("{rollingMaxSurge: 3}", "rollingMaxSurge", "{strategy: {type: RollingUpdate}}"),
        ("{deploymentLabels: {a: b}}", "deploymentLabels.a", overlay("metadata.labels.c", "d")),
        ("{seccompProfile: {type: Unconfined}}", "seccompProfile.type", "{securityContext: {runAsUser: 7}}"),
        ("{image: x}", "image", overlay("spec.template.spec.hostNetwork", "true")),
        ("{tolerations: [{key: a}]}", "tolerations[0].key", overlay("spec.type", "NodePort", "Service")),
    ],
)
def test_other_places_leave_it_alone(values: str, path: str, k8s: str) -> None:
    conversion = converted(f"{{pilot: {values}}}", f"{{pilot: {{k8s: {k8s}}}}}")
    assert outcome(conversion, f"values.pilot.{path}")[0] == "value"


def test_a_value_of_two_places_lives_on_in_the_other() -> None:
    env = "env: [{name: TERMINATION_GRACE_PERIOD_SECONDS, value: '9'}]"
    place = "spec.template.spec.terminationGracePeriodSeconds"
    both = overlay(place, "99", "DaemonSet", "ztunnel")[1:-1]
    values = "{ztunnel: {terminationGracePeriodSeconds: 40}}"
    path = "values.ztunnel.terminationGracePeriodSeconds"
    one = converted(values, f"{{ztunnel: {{enabled: true, k8s: {{{env}}}}}}}")
    assert outcome(one, path)[0] == "value"
    assert values_of(one, "ztunnel")["terminationGracePeriodSeconds"] == 40
    two = converted(values, f"{{ztunnel: {{enabled: true, k8s: {{{env}, {both}}}}}}}")
    assert outcome(two, path)[0] == "overridden"
    # the chart of 1.22 has no such variable
    old = converted(values, f"{{ztunnel: {{enabled: true, k8s: {{{both}}}}}}}", to="1.22.8")
    assert outcome(old, path)[0] == "overridden"


def test_what_the_injector_gets_too_is_not_overruled() -> None:
    env = "{env: [{name: A, value: '2'}]}"
    conversion = converted("{pilot: {env: {A: '1'}}}", f"{{pilot: {{k8s: {env}}}}}", to="1.28.10")
    assert outcome(conversion, "values.pilot.env.A")[0] == "value"


@pytest.mark.parametrize(
    ("component", "value", "path", "patch"),
    [
        ("cni", "daemonSetLabels: {a: b}", "daemonSetLabels.a", ("metadata.labels", "{c: d}")),
        (
            "cni",
            "seLinuxOptions: {level: s0}",
            "seLinuxOptions.level",
            ("spec.template.spec.containers.[name:install-cni].securityContext", "{privileged: true}"),
        ),
        ("cni", "cniNetnsDir: /x", "cniNetnsDir", ("spec.template.spec.volumes", "[]")),
        (
            "ztunnel",
            "seLinuxOptions: {level: s0}",
            "seLinuxOptions.level",
            ("spec.template.spec.containers.[name:istio-proxy].securityContext", "{privileged: true}"),
        ),
        ("ztunnel", "trustBundleName: x", "trustBundleName", ("spec.template.spec.volumes", "[]")),
        ("ztunnel", "network: x", "network", ("spec.template.spec.containers.[name:istio-proxy].env", "[]")),
    ],
)
def test_values_of_node_agents_are_overruled(component: str, value: str, path: str, patch: tuple[str, str]) -> None:
    name = {"cni": "istio-cni-node", "ztunnel": "ztunnel"}[component]
    k8s = overlay(*patch, "DaemonSet", name)
    values = f"{{{component}: {{{value}}}}}"
    conversion = converted(values, f"{{{component}: {{enabled: true, k8s: {k8s}}}}}", to="1.30.3")
    assert outcome(conversion, f"values.{component}.{path}")[0] == "overridden"
