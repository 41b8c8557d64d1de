from __future__ import annotations

import pytest

from istio_convert.catalog import resolve
from istio_convert.paths import parse


@pytest.mark.parametrize(
    ("version", "chart", "path", "value"),
    [
        ("1.22.0", "istiod", "telemetry.v2.prometheus.configOverride", {"a": 1}),
        ("1.30.3", "istiod", "telemetry.v2.prometheus.configOverride.gateway.metrics", "x"),
        ("1.30.3", "istiod", "telemetry.v2.prometheus.configOverride", {}),
        ("1.22.0", "istiod", "telemetry.v2.stackdriver.disableOutbound", False),
        ("1.24.0", "istiod", "global.tracer.stackdriver.debug", True),
        ("1.24.0", "istiod", "meshConfig.defaultConfig.tracing.stackdriver.debug", True),
        ("1.24.0", "istiod", "global.pilotCertProvider", "kubernetes"),
        ("1.25.3", "istiod", "global.logging", None),
        ("1.25.3", "istiod", "pilot.taint", None),
        ("1.25.3", "gateway", "labels", None),
        ("1.25.3", "istiod", "defaults.global.hub", "x"),
        ("1.25.3", "istiod", "profile", "default"),
        ("1.24.0", "istiod", "profile", "openshift"),
        ("1.25.3", "ztunnel", "global.platform", "aws"),
        ("1.25.3", "istiod", "platform", "aws"),
        ("1.25.3", "base", "compatibilityVersion", "1.20"),
        ("1.25.3", "base", "compatibilityVersion", 1.2),
    ],
)
def test_refused(version: str, chart: str, path: str, value: object) -> None:
    refusal = resolve(version).chart(chart).refusal(parse(path), value)
    assert refusal is not None
    assert refusal.reason
    assert refusal.instead


@pytest.mark.parametrize(
    ("version", "chart", "path", "value"),
    [
        ("1.30.3", "istiod", "telemetry.v2.prometheus.configOverride", None),
        ("1.30.3", "istiod", "telemetry.v2.stackdriver.disableOutbound", ""),
        ("1.30.3", "istiod", "telemetry.v2.prometheus.enabled", True),
        ("1.22.0", "istiod", "global.tracer.stackdriver.debug", True),
        ("1.23.6", "istiod", "global.pilotCertProvider", "kubernetes"),
        ("1.24.0", "istiod", "global.pilotCertProvider", "istiod"),
        ("1.24.0", "istiod", "global.logging.level", None),
        ("1.23.6", "istiod", "profile", "openshift"),
        ("1.23.6", "istiod", "global.platform", "aws"),
        ("1.24.0", "istiod", "global.platform", "openshift"),
        ("1.25.3", "istiod", "compatibilityVersion", "1.24"),
        ("1.25.3", "istiod", "compatibilityVersion", 1.24),
        ("1.25.3", "istiod", "profile", ""),
        ("1.25.3", "gateway", "nodeSelector", None),
    ],
)
def test_accepted(version: str, chart: str, path: str, value: object) -> None:
    assert resolve(version).chart(chart).refusal(parse(path), value) is None


def test_dead_values_name_the_live_place() -> None:
    istiod = resolve("1.30.3").chart("istiod")
    assert istiod.dead(("global", "proxy", "accessLogFile")) == "meshConfig.accessLogFile"
    assert istiod.dead(("global", "outboundTrafficPolicy", "mode")) == "meshConfig.outboundTrafficPolicy"
    assert istiod.dead(("pilot", "ingress", "ingressService")) is not None
    assert istiod.dead(("global", "hub")) is None


def test_a_deprecated_value_that_still_works_is_not_dead() -> None:
    istiod = resolve("1.30.3").chart("istiod")
    for path in ("global.tracer.zipkin.address", "global.proxy.holdApplicationUntilProxyStarts"):
        assert istiod.reads(parse(path))
        assert istiod.dead(parse(path)) is None
