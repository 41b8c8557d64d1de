"""Operators of a given size, for measuring."""

from __future__ import annotations

from pathlib import Path

SHOP = (Path(__file__).parent.parent.parent / "fixtures" / "web-shop" / "input.yaml").read_text(encoding="utf-8")
_GATEWAY = SHOP[SHOP.index("      - name: istio-ingressgateway") : SHOP.index("    egressGateways:")]


def operator(lines: int) -> str:
    """The web shop's operator with so many further gateways that it has about this many lines."""
    at = SHOP.index("    egressGateways:")
    count = max(0, (lines - SHOP.count("\n")) // _GATEWAY.count("\n"))
    more = "".join(_GATEWAY.replace("istio-ingressgateway", f"gateway-{number}") for number in range(count))
    return SHOP[:at] + more + SHOP[at:]


def distinct(number: int) -> str:
    """One of many operators of about 300 lines that differ from each other."""
    return operator(300).replace("maxReplicas: 12", f"maxReplicas: {12 + number}")
