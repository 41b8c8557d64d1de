"""Values that istiod only copies into a ConfigMap that nobody reads there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from istio_convert import Conversion, convert
from tests.corpus.operators import VERSIONS

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"


def converted(values: dict[str, Any], to: str = "1.25.3") -> Conversion:
    return convert(f"{HEAD}spec: {json.dumps({'values': values})}\n", to=to)


def outcome(conversion: Conversion, key: str) -> tuple[str, str]:
    (entry,) = (entry for entry in conversion.ledger.entries if key in entry.leaf.path)
    return entry.outcome.value, entry.reason


def istiod(conversion: Conversion) -> dict[str, Any]:
    return next(one for one in conversion.releases if one.chart == "istiod").values_data()


@pytest.mark.parametrize("version", VERSIONS)
def test_they_are_inert_and_left_out(version: str) -> None:
    conversion = converted({"global": {"useMCP": False, "sds": {"enabled": True}, "network": "n"}}, version)
    assert outcome(conversion, "useMCP") == ("inert", f"no chart of {version} reads it")
    assert outcome(conversion, "sds") == ("inert", f"no chart of {version} reads it")
    assert outcome(conversion, "network")[0] == "value"
    assert istiod(conversion)["global"] == {"network": "n"}


def test_one_with_a_successor_names_it() -> None:
    conversion = converted({"global": {"mtls": {"enabled": True}}})
    said = "nothing reads it at 1.25.3; its place is a PeerAuthentication resource now"
    assert outcome(conversion, "mtls") == ("inert", said)


def test_templates_of_ones_own_may_read_anything() -> None:
    templates = {"sidecarInjectorWebhook": {"templates": {"own": "spec: x"}}}
    conversion = converted({"global": {"mine": "x"}, **templates})
    assert outcome(conversion, "mine")[0] == "value"
    assert istiod(conversion)["global"] == {"mine": "x"}


def test_one_that_another_chart_reads_goes_there_only() -> None:
    spec = {"components": {"cni": {"enabled": True}}, "values": {"cni": {"excludeNamespaces": ["a"]}}}
    conversion = convert(f"{HEAD}spec: {json.dumps(spec)}\n", to="1.26.8")
    (entry,) = (entry for entry in conversion.ledger.entries if "excludeNamespaces" in entry.leaf.path)
    assert [str(place) for place in entry.places] == ["istio-cni: cni.excludeNamespaces[0]"]
