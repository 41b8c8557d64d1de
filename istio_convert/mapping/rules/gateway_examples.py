"""Operators of examples for the gateway table: one ingress gateway with one setting."""

from __future__ import annotations

GATEWAY = "istio-ingressgateway"


def k8s(text: str) -> str:
    """An operator with ``k8s`` settings."""
    return f"components: {{ingressGateways: [{{name: istio-ingressgateway, enabled: true, k8s: {text}}}]}}"


def overlay(kind: str, path: str, value: str) -> str:
    """An operator with one overlay patch."""
    return k8s(
        f"{{overlays: [{{kind: {kind}, name: istio-ingressgateway, patches: [{{path: '{path}', value: {value}}}]}}]}}"
    )


def values(text: str) -> str:
    """An operator with values for the gateway."""
    return f"values: {{gateways: {{istio-ingressgateway: {text}}}}}"
