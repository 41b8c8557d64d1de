"""Closing the loop: what the rules cannot place, rendering does."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from istio_convert import Conversion, Outcome, convert, proving
from istio_convert.proving import Proof, prove
from istio_convert.release import Release
from istio_convert.source.nodes import Scalar, put
from istio_convert.verify.charts import ReleaseCharts
from tests.verify.conftest import official_charts
from tests.verify.test_proof import GATEWAYS
from tests.verify.test_proof import OPERATOR as MESH

pytestmark = [pytest.mark.charts, pytest.mark.render]
pytest.importorskip("helm_python")

OPERATOR = """\
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata:
  name: mesh
spec:
  components:
    pilot:
      k8s:
        overlays:
        - kind: Deployment
          name: istiod
          patches:
          - path: spec.template.spec.containers.[name:discovery].args.[--domain]
            value: --domain=cluster.example
          - path: spec.template.spec.containers.[name:discovery].args.[nothing-of-the-kind]
            value: x
"""
UNRESOLVED = ("spec", "components", "pilot", "k8s", "overlays", 0)


def outcomes(conversion: Conversion) -> dict[tuple[str | int, ...], Outcome]:
    return {entry.leaf.path: entry.outcome for entry in conversion.ledger.entries}


def derived(proof: Proof) -> list[str]:
    return [f"{repair.release[1]}: {repair.place}" for repair in proof.derived]


@pytest.fixture
def charts() -> ReleaseCharts:
    return official_charts("1.25.3")


@pytest.mark.parametrize(
    ("version", "second", "place"),
    [("1.22.8", "discovery", 0), ("1.25.3", "nothing-of-the-kind", 3), ("1.31.0", "nothing-of-the-kind", 3)],
)
def test_an_overlay_that_only_rendering_resolves(version: str, second: str, place: int) -> None:
    official = official_charts(version)
    conversion = convert(OPERATOR.replace("nothing-of-the-kind", second), to=version)
    before = outcomes(conversion)
    manual = [path for path, outcome in before.items() if outcome is Outcome.MANUAL]
    assert (*UNRESOLVED, "patches", 0, "value") in manual
    proof = prove(conversion, charts=official)
    assert proof.verification.proven
    assert proof.rounds == 2
    assert derived(proof) == [f"istiod: Deployment istiod: spec.template.spec.containers[discovery].args[{place}]"]
    assert outcomes(conversion) == before, "the conversion that was given stays as it is"
    assert not [patch for release in conversion.releases for patch in release.patches if "found by" in str(patch.why)]
    for entry in proof.conversion.ledger.entries:
        if entry.leaf.path in manual:
            assert (entry.outcome, entry.derived) == (Outcome.PATCH, True), entry.leaf.path
            assert {place.release for place in entry.places} == {"istiod"}
        else:
            assert not entry.derived
    (patch,) = [p for release in proof.conversion.releases for p in release.patches if "found by" in str(p.why)]
    assert "found by the proof" in proof.conversion.files()["REPORT.md"]
    assert patch.target.name == "istiod"
    again = prove(proof.conversion, charts=official)
    assert (again.rounds, again.derived) == (1, ())


def test_nothing_to_find(charts: ReleaseCharts) -> None:
    conversion = convert(MESH, to="1.25.3")
    proof = prove(conversion, charts=charts)
    assert proof.conversion.files()["PROOF.md"].startswith(f"# Proof for Istio {conversion.version}\n")
    assert "PROOF.md" not in conversion.files()
    page = proof.conversion.files()["README.md"]
    assert "- `PROOF.md`: " in page
    todo = page.partition("## What still needs a person")[2]
    assert re.search(r"^- Role \S+-sds: .* takes its place; delete this one once the gateway runs", todo, re.MULTILINE)
    assert (proof.verification.proven, proof.rounds, proof.derived) == (True, 1, ())
    assert proof.conversion.ledger == conversion.ledger
    assert proof.conversion.warnings == conversion.warnings


def without(conversion: Conversion, release: str, number: int) -> Conversion:
    """A conversion that forgot one patch."""
    releases = [
        replace(r, patches=[p for i, p in enumerate(r.patches) if i != number]) if r.name == release else r
        for r in conversion.releases
    ]
    return replace(conversion, releases=releases)


def test_every_patch_that_is_missing_is_found(charts: ReleaseCharts) -> None:
    conversion = convert(MESH, to="1.25.3")
    places = [(release.name, number) for release in conversion.releases for number in range(len(release.patches))]
    assert len(places) >= 3
    for release, number in places:
        proof = prove(without(conversion, release, number), charts=charts)
        assert proof.derived, (release, number)
        assert proof.verification.proven, proof.verification.unexplained


def wrong_value(conversion: Conversion, path: tuple[str, ...], value: str) -> Conversion:
    releases: list[Release] = copy.deepcopy(conversion.releases)
    istiod = next(release for release in releases if release.chart == "istiod")
    put(istiod.values, path, Scalar(value))
    return replace(conversion, releases=releases)


def test_a_wrong_value_is_put_right(charts: ReleaseCharts) -> None:
    conversion = wrong_value(convert(MESH, to="1.25.3"), ("meshConfig", "accessLogFile"), "/dev/null")
    proof = prove(conversion, charts=charts)
    assert proof.verification.proven
    assert derived(proof) == ["istiod: ConfigMap istio: data.mesh.accessLogFile"]


def test_what_no_patch_expresses_is_lost_or_a_warning(charts: ReleaseCharts, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object) -> Sequence[object]:
        return []

    monkeypatch.setattr(proving, "repairs", nothing)
    proof = prove(convert(OPERATOR, to="1.25.3"), charts=charts)
    lost = [entry for entry in proof.conversion.ledger.entries if entry.outcome is Outcome.LOST]
    assert {entry.leaf.path[: len(UNRESOLVED)] for entry in lost} == {UNRESOLVED}
    place = "spec.template.spec.containers[discovery].args[3] of istioctl's Deployment istio-system/istiod"
    reason = f"the proof finds that {place} is not that of Deployment istio-system/istiod in release istiod"
    assert {entry.reason for entry in lost} == {reason}
    assert all(entry.action and entry.derived for entry in lost)
    assert not proof.conversion.warnings

    mesh = convert(MESH, to="1.25.3")
    number = next(r for r in mesh.releases if r.name == "istiod").patches
    forgotten = without(mesh, "istiod", len(number) - 1)
    proof = prove(wrong_value(forgotten, ("meshConfig", "accessLogFile"), "hunter2"), charts=charts)
    lost = [entry for entry in proof.conversion.ledger.entries if entry.outcome is Outcome.LOST]
    assert any(entry.leaf.path[-1] == "value" and "dnsPolicy" in entry.reason for entry in lost)
    (warning,) = proof.conversion.warnings
    assert "data.mesh.accessLogFile of istioctl's ConfigMap istio-system/istio is not that of" in warning.message
    assert "hunter2" not in f"{warning}{lost}"


def test_what_an_absent_control_plane_decides_is_neither_patched_nor_lost(charts: ReleaseCharts) -> None:
    conversion = convert(GATEWAYS, to="1.25.3")
    proof = prove(conversion, charts=charts)
    assert proof.verification.proven
    assert derived(proof) == []
    assert outcomes(proof.conversion) == outcomes(conversion)
    assert outcomes(conversion)["spec", "hub"] is Outcome.MANUAL


def test_what_istioctl_refuses_is_left_out(charts: ReleaseCharts) -> None:
    text = MESH + "  values: {telemetry: {v2: {prometheus: {configOverride: {a: b}}}}}\n"
    conversion = convert(text, to="1.25.3")
    assert Outcome.MANUAL in outcomes(conversion).values()
    proof = prove(conversion, charts=charts)
    assert proof.verification.proven
    assert proof.conversion.ledger == conversion.ledger
