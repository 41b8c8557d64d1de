"""Texts of the input that a template, a terminal or a log would take for something else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from istio_convert import IstioConvertError, NotIstioOperatorError, convert
from istio_convert.errors import InputError, Issue
from istio_convert.report import FORMATS, build, render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"
ENV = [
    ("PLAIN", "a b:c, {x} 'y' #z", True),
    ("EMPTY", "", True),
    ("JSON", '{"a": 1}', False),
    ("BACKSLASH", "a\\b", False),
    ("LINES", "a\nb", False),
    ("%REQ(:PATH)%", "x", False),
    ("on", "x", False),
    ("null", "x", False),
    ("1A", "x", False),
]


def env(component: str, name: str, value: str) -> tuple[dict[str, Any], str]:
    """The values of the component's release, and the outcome of the variable."""
    kind = "ingressGateways" if component == "gateway" else component
    settings: dict[str, Any] = {"enabled": True, "k8s": {"env": [{"name": name, "value": value}]}}
    spec = {"components": {kind: [{"name": "edge", **settings}] if component == "gateway" else settings}}
    conversion = convert(HEAD + "spec: " + json.dumps(spec), to="1.25.3")
    release = next(one for one in conversion.releases if one.component == kind)
    (entry,) = (entry for entry in conversion.ledger.entries if entry.leaf.path[-2:] == (0, "value"))
    return release.values_data(), entry.outcome.value


@pytest.mark.parametrize(("name", "value", "printable"), ENV)
def test_a_variable_is_a_value_only_where_the_chart_can_print_it(name: str, value: str, printable: bool) -> None:
    values, outcome = env("pilot", name, value)
    assert outcome == ("value" if printable else "patch")
    assert values.get("pilot", {}).get("env", {}) == ({name: value} if printable else {})
    values, outcome = env("ztunnel", name, value)
    assert outcome == ("value" if printable else "patch")
    # the gateway chart quotes values, so there only names matter
    values, outcome = env("gateway", name, value)
    assert outcome == ("value" if printable or (name.isupper() and name.isalpha()) else "patch")


def test_errors_are_one_line_and_steer_no_terminal() -> None:
    with pytest.raises(NotIstioOperatorError) as caught:
        convert('kind: "a\\nb\\e[31m"\n', to="1.25.3")
    assert caught.value.message == "no IstioOperator in the input: its kind is a b\\x1b[31m"
    assert str(IstioConvertError("a\nb", hint="c\td\x07")) == "a b (c d\\x07)"
    assert str(Issue("a\r\nb", None, "c\nd")) == "a b (c d)"


@pytest.mark.parametrize("form", FORMATS)
def test_reports_hold_no_control_characters(form: str) -> None:
    overlay = '{kind: "K\\a", name: "n\\ao", patches: [{path: a, value: 1}]}'
    spec = '{"x\\ny\\e[31m": 1, components: {pilot: {k8s: {overlays: [' + overlay + "]}}}}"
    text = render(build(convert(f"{HEAD}spec: {spec}\n", to="1.25.3")), form)
    assert not [char for char in text if ord(char) < 32 and char not in "\n\t"]


@pytest.mark.parametrize("order", [("tag", "variant"), ("variant", "tag")])
def test_a_variant_of_its_own_stays_beside_that_of_a_tag(order: tuple[str, str]) -> None:
    settings = {"tag": "1.23.2-distroless", "variant": "debug"}
    text = json.dumps({key: settings[key] for key in order})
    conversion = convert(f"{HEAD}spec: {{values: {{global: {text}}}}}\n", to="1.25.3")
    outcomes = {str(entry.leaf.path[-1]): entry.outcome.value for entry in conversion.ledger.entries}
    assert (outcomes["variant"], outcomes["tag"]) == ("value", "manual")  # istioctl writes both into the image
    assert (
        next(one for one in conversion.releases if one.chart == "istiod").values_data()["global"]["variant"] == "debug"
    )


def test_entries_stand_in_the_order_of_the_input() -> None:
    text = f"{HEAD}metadata: {{name: a}}\n---\nkind: ConfigMap\ndata: {{x: 1}}\n---\n{HEAD}metadata: {{name: b}}\n"
    entries = convert(text, to="1.25.3").ledger.entries
    assert [entry.leaf.origin.line for entry in entries] == sorted(entry.leaf.origin.line for entry in entries)
    assert [entry.rule for entry in entries].count("foreign") == 2


@pytest.mark.parametrize("revision", ["[a]", "{a: b}", "1", "true", "''"])
def test_a_revision_that_is_no_text_does_not_stop_the_conversion(revision: str) -> None:
    try:
        conversion = convert(f"{HEAD}spec: {{values: {{revision: {revision}}}}}\n", to="1.25.3")
    except InputError as error:
        assert error.message
    else:
        assert conversion.releases[0].name == "istio-base"


def template_warnings(spec: str) -> list[str]:
    conversion = convert(f"{HEAD}spec:\n{spec}", to="1.25.3")
    return [str(warning) for warning in conversion.warnings if "not rendered" in warning.message]


HINT = "render it first, for example by helm template, and convert the result; leave it where the text is meant so"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ('  hub: "{{ .Values.hub }}"\n', "4:8: spec.hub holds a template ({{ … }}) that is not rendered"),
        ("  hub: acme/{{ hub }}\n", "4:8: spec.hub holds a template ({{ … }}) that is not rendered"),
        (
            "  hub: '{% if x %}a{% endif %}'\n",
            "4:8: spec.hub holds a Jinja template ({% … %}) that is not rendered",
        ),
        ("  hub: '<%= hub %>'\n", "4:8: spec.hub holds an ERB template (<% … %>) that is not rendered"),
        (
            "  components:\n    pilot: {k8s: {podAnnotations: {'{{ key }}': x}}}\n",
            "5:49: spec.components.pilot.k8s.podAnnotations.{{ key }} holds a template ({{ … }}) that is not rendered",
        ),
        (
            "  meshConfig:\n    accessLogFormat: |\n      {{ .Values.format }}\n      %PATH%\n",
            "5:22: spec.meshConfig.accessLogFormat holds a template ({{ … }}) that is not rendered",
        ),
    ],
    ids=["helm", "plain", "jinja", "erb", "key", "lines"],
)
def test_a_template_in_a_text_is_a_warning_at_its_place(spec: str, said: str) -> None:
    assert template_warnings(spec) == [f"operator.yaml:{said} ({HINT})"]


@pytest.mark.parametrize(
    "spec",
    [
        "  values:\n    sidecarInjectorWebhook: {templates: {own: '{{ .Values.global.hub }}'}}\n",
        (
            "  components:\n    pilot:\n      k8s:\n        podAnnotations:\n          agent-inject-template-x: |\n"
            '            {{- with secret "a" -}}\n            {{ .Data.b }}\n            {{- end }}\n'
        ),
        "  values: {global: {podDNSSearchNamespaces: ['{{ .DeploymentMeta.Namespace }}.global']}}\n",
        "  hub: acme  # {{ .Values.hub }}\n",
        '  meshConfig: {accessLogFormat: \'{"a": {"b": "%PATH%"}}\'}\n',
    ],
    ids=["injection", "another program's", "search domains", "comment", "json"],
)
def test_a_text_that_is_meant_so_is_none(spec: str) -> None:
    assert template_warnings(spec) == []


def test_the_copy_that_kubectl_keeps_of_an_operator_is_not_looked_at() -> None:
    kept = "metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: '{{ x }}'}}\n"
    conversion = convert((HEAD + kept + "spec: {hub: '{{ x }}'}\n").encode(), to="1.25.3")
    assert [warning.origin.line for warning in conversion.warnings if warning.origin] == [4]
