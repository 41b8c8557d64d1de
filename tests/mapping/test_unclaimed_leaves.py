"""Values that istiod only copies into a ConfigMap that nobody reads there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from istio_convert import Conversion, convert
from tests.corpus.operators import VERSIONS

KEPT = "the value is kept, so that the injector's ConfigMap, which holds a copy, stays the same"
HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"


def converted(values: dict[str, Any], to: str = "1.25.3") -> Conversion:
    return convert(f"{HEAD}spec: {json.dumps({'values': values})}\n", to=to)


def outcome(conversion: Conversion, key: str) -> tuple[str, str]:
    (entry,) = (entry for entry in conversion.ledger.entries if key in entry.leaf.path)
    return entry.outcome.value, entry.reason


def istiod(conversion: Conversion) -> dict[str, Any]:
    return next(one for one in conversion.releases if one.chart == "istiod").values_data()


def copied(version: str) -> str:
    return f"nothing reads it at {version}; {KEPT}"


@pytest.mark.parametrize("version", VERSIONS)
def test_they_stay_so_that_the_copy_stays_the_same_and_the_ledger_says_so(version: str) -> None:
    given = {"global": {"useMCP": False, "sds": {"enabled": True}, "network": "n"}}
    conversion = converted(given, version)
    assert outcome(conversion, "useMCP") == ("inert", copied(version))
    assert outcome(conversion, "sds") == ("inert", copied(version))
    assert outcome(conversion, "network") == ("value", "")
    assert istiod(conversion)["global"].items() >= given["global"].items()


def test_one_with_a_successor_names_it() -> None:
    conversion = converted({"global": {"mtls": {"enabled": True}}})
    said = f"nothing reads it at 1.25.3, its place is a PeerAuthentication resource now; {KEPT}"
    assert outcome(conversion, "mtls") == ("inert", said)
    assert istiod(conversion)["global"]["mtls"] == {"enabled": True}


def test_templates_of_ones_own_may_read_anything() -> None:
    templates = {"sidecarInjectorWebhook": {"templates": {"own": "spec: x"}}}
    conversion = converted({"global": {"mine": "x"}, **templates})
    said = "istiod copies it into the injector's ConfigMap; no template that is shipped reads it"
    assert outcome(conversion, "mine") == ("value", said)


def test_one_that_another_chart_reads_lives_on_there() -> None:
    spec = {"components": {"cni": {"enabled": True}}, "values": {"cni": {"excludeNamespaces": ["a"]}}}
    conversion = convert(f"{HEAD}spec: {json.dumps(spec)}\n", to="1.26.8")
    (entry,) = (entry for entry in conversion.ledger.entries if "excludeNamespaces" in entry.leaf.path)
    assert [str(place) for place in entry.places] == ["istio-cni: cni.excludeNamespaces[0]"]
    assert entry.reason == ""
    assert istiod(conversion)["cni"] == {"excludeNamespaces": ["a"]}


@pytest.mark.parametrize(
    ("values", "meant", "reason"),
    [
        ({"pilot": {"autoScaleEnabled": False}}, "pilot.autoscaleEnabled", "no chart of 1.25.3 reads it"),
        ({"global": {"proxy": {"privilegd": True}}}, "global.proxy.privileged", copied("1.25.3")),
        (
            {"gateways": {"istio-ingressgateway": {"autoscaleMinn": 3}}},
            "gateways.istio-ingressgateway.autoscaleMin",
            "no gateway of istioctl 1.25.3 depends on it",
        ),
    ],
    ids=lambda case: case if isinstance(case, str) and "." in case else "",
)
def test_a_misspelled_one_names_what_it_may_have_meant(values: dict[str, Any], meant: str, reason: str) -> None:
    (entry,) = (entry for entry in converted(values).ledger.entries if "values" in entry.leaf.path)
    assert (entry.outcome.value, entry.reason) == ("inert", reason)
    assert entry.action == f"did you mean values.{meant}?"


def test_one_with_a_successor_or_a_reader_elsewhere_asks_nothing() -> None:
    given = {"global": {"mtls": {"enabled": True}, "useMCP": False}, "cni": {"cniBinDir": "/x"}}
    assert {entry.action for entry in converted(given).ledger.entries} == {""}


def test_a_value_that_was_read_once_says_when() -> None:
    conversion = converted({"istio_cni": {"chained": True}, "kiali": {"x": 1}})
    reason = "no chart of 1.25.3 reads it, the last that did was of 1.23; its place is pilot.cni now"
    assert outcome(conversion, "chained") == ("inert", reason)
    assert outcome(conversion, "kiali") == ("inert", "no chart of 1.25.3 reads it")
