"""Values that charts may refuse or ignore, to be tried at every release, with what to say about them.

Which of them a release refuses, or warns about, is measured; this table only says what to try.
"""

from __future__ import annotations

from dataclasses import dataclass

_TELEMETRY = "a Telemetry resource with metric and tag overrides"
_TRACING = "a tracer that Istio still supports, under meshConfig.extensionProviders"
_REMOVED = "the chart has removed this value and fails when it is set"

Scalar = str | int | bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value to try.

    Attributes:
        path: the values path.
        reason: why a chart that refuses it does so.
        instead: what to use instead.
        values: the refused values; empty when any value is refused.
    """

    path: str
    reason: str
    instead: str
    values: tuple[Scalar, ...] = ()


REFUSED: dict[str, tuple[Candidate, ...]] = {
    "istiod": (
        Candidate("telemetry.v2.prometheus.configOverride", _REMOVED, _TELEMETRY),
        Candidate("telemetry.v2.stackdriver.configOverride", _REMOVED, _TELEMETRY),
        Candidate("telemetry.v2.stackdriver.disableOutbound", _REMOVED, _TELEMETRY),
        Candidate("telemetry.v2.stackdriver.outboundAccessLogging", _REMOVED, _TELEMETRY),
        *(
            Candidate(f"{tracing}.stackdriver.{setting}", _REMOVED, _TRACING)
            for tracing in ("global.tracer", "meshConfig.defaultConfig.tracing")
            for setting in ("debug", "maxNumberOfAttributes", "maxNumberOfAnnotations", "maxNumberOfMessageEvents")
        ),
        Candidate(
            "global.pilotCertProvider",
            "Kubernetes no longer signs certificates for istiod",
            "leave it out: istiod signs its own certificate",
            ("kubernetes",),
        ),
    ),
}

EVERY_CHART = (
    Candidate("defaults", "the chart takes values without this key around them", "move the values one level up"),
)

DEAD: dict[str, dict[str, str]] = {
    "istiod": {
        "global.certificates": "meshConfig.certificates",
        "global.enableTracing": "meshConfig.enableTracing",
        "global.localityLbSetting": "meshConfig.localityLbSetting",
        "global.meshExpansion.enabled": "Gateway and VirtualService resources for the east-west gateway",
        "global.mtls.auto": "meshConfig.enableAutoMtls",
        "global.mtls.enabled": "a PeerAuthentication resource",
        "global.outboundTrafficPolicy": "meshConfig.outboundTrafficPolicy",
        "global.policyCheckFailOpen": "nothing: Mixer is gone",
        "global.proxy.accessLogFile": "meshConfig.accessLogFile",
        "global.proxy.accessLogFormat": "meshConfig.accessLogFormat",
        "global.proxy.concurrency": "meshConfig.defaultConfig.concurrency",
        "global.proxy.envoyAccessLogService": "meshConfig.defaultConfig.envoyAccessLogService",
        "global.proxy.envoyMetricsService": "meshConfig.defaultConfig.envoyMetricsService",
        "global.proxy.holdApplicationUntilProxyStarts": "meshConfig.defaultConfig.holdApplicationUntilProxyStarts",
        "global.proxy.protocolDetectionTimeout": "meshConfig.protocolDetectionTimeout",
        "global.tracer.datadog.address": "meshConfig.defaultConfig.tracing.datadog.address",
        "global.tracer.lightstep.accessToken": "meshConfig.defaultConfig.tracing.lightstep.accessToken",
        "global.tracer.lightstep.address": "meshConfig.defaultConfig.tracing.lightstep.address",
        "global.tracer.zipkin.address": "meshConfig.defaultConfig.tracing.zipkin.address",
        "istiocoredns.enabled": "DNS capture in the proxies: ISTIO_META_DNS_CAPTURE in their proxyMetadata",
        "pilot.ingress": "meshConfig.ingressService, meshConfig.ingressControllerMode and meshConfig.ingressClass",
    },
}
