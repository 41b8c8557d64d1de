"""``explain`` of names that nobody knows."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import run

GONE = "no release of istiod from 1.22.0 on knows the field spec.{}: it is ignored"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("meshConfig.foo", f"{GONE.format('meshConfig.foo')} (correct it, or remove it)"),
        (
            "spec.values.meshConfig.accesslogFile",
            f"{GONE.format('values.meshConfig.accesslogFile')} (did you mean spec.values.meshConfig.accessLogFile?)",
        ),
        (
            "meshConfig.zoneAwareLbSetting.enabled",
            (
                "istiod 1.25.3 knows no field spec.meshConfig.zoneAwareLbSetting and ignores it; 1.31.0 and later "
                "know it (correct it, or remove it)"
            ),
        ),
        (
            "components.ingressGateways[0].k8s.service.externalTrafficPolcy",
            (
                "Kubernetes has no field spec.components.ingressGateways.k8s.service.externalTrafficPolcy: istioctl "
                "refuses it, the API server drops or refuses it (did you mean "
                "spec.components.ingressGateways.k8s.service.externalTrafficPolicy?)"
            ),
        ),
    ],
)
def test_explain_says_that_nobody_knows_a_name(path: str, said: str) -> None:
    ran = run(["explain", path, "--to", "1.25.3"])
    assert ran.code == 0, ran.stderr
    assert ran.stdout.splitlines()[1] == f"  {said}"
    assert "reads it" not in ran.stdout
    assert json.loads(run(["explain", path, "--to", "1.25.3", "--format", "json"]).stdout)["charts"] == [said]


@pytest.mark.parametrize("path", ["meshConfig.accessLogFile", "meshConfig.defaultConfig.proxyMetadata.ANY"])
def test_explain_of_a_known_name_says_who_reads_it(path: str) -> None:
    assert run(["explain", path, "--to", "1.25.3"]).stdout.splitlines()[1] == "  chart istiod: reads it"
