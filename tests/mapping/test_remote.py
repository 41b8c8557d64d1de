"""The address of a remote control plane: which objects it makes, and how often."""

from __future__ import annotations

import pytest

from istio_convert import Conversion, convert
from istio_convert.paths import render

HEAD = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\n"
ADDRESS = "values: {global: {remotePilotAddress: istiod.example.com}}"


def outcome(conversion: Conversion, path: str) -> tuple[str, str]:
    return next((e.outcome.value, e.reason) for e in conversion.ledger.entries if render(e.leaf.path) == path)


@pytest.mark.parametrize(
    ("version", "expected"), [("1.24.6", "value"), ("1.25.0", "manual"), ("1.26.8", "manual"), ("1.27.0", "value")]
)
def test_beside_a_local_istiod_two_releases_render_its_service_twice(version: str, expected: str) -> None:
    conversion = convert(f"{HEAD}spec: {{revision: blue, {ADDRESS}}}\n", to=version)
    istiod = next(r for r in conversion.releases if r.chart == "istiod")
    assert ("remotePilotAddress" in istiod.values_data().get("global", {})) == (expected == "value")
    found, reason = outcome(conversion, "spec.values.global.remotePilotAddress")
    assert found == expected
    assert ("Service istiod-blue twice" in reason) == (expected == "manual")


def test_without_a_local_istiod_it_is_a_value() -> None:
    conversion = convert(f"{HEAD}spec: {{profile: remote, {ADDRESS}}}\n", to="1.25.3")
    assert outcome(conversion, "spec.values.global.remotePilotAddress")[0] == "value"


@pytest.mark.parametrize(
    ("address", "kinds"), [("istiod.example.com", {"Service"}), ("192.0.2.7", {"Service", "Endpoints"})]
)
def test_base_brings_the_objects_that_istiod_remote_would_bring_again(address: str, kinds: set[str]) -> None:
    text = (
        f"{HEAD}spec: {{profile: remote, components: {{base: {{enabled: true}}}}, revision: blue, "
        f"values: {{global: {{remotePilotAddress: {address}}}}}}}\n"
    )
    release = next(r for r in convert(text, to="1.23.6").releases if r.chart == "istiod-remote")
    assert all(patch.body == {"$patch": "delete"} for patch in release.patches)
    found = {(patch.target.kind, patch.target.name) for patch in release.patches}
    assert found == {("ServiceAccount", "istio-reader-service-account"), *((kind, "istiod-blue") for kind in kinds)}
