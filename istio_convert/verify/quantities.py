"""Kubernetes quantities: ``1``, ``1000m``, ``1Gi``."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d+))?\Z")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}


def amount(quantity: Any) -> Decimal | None:
    """The number that a quantity stands for; None when it is none."""
    if isinstance(quantity, bool) or not isinstance(quantity, str | int | float):
        return None
    match = _QUANTITY.match(str(quantity).strip())
    if match is None:
        return None
    number, suffix, exponent = match.groups()
    if suffix in _BINARY:
        return Decimal(number) * Decimal(1024) ** _BINARY[suffix]
    return Decimal(number).scaleb(int(exponent) if exponent else _DECIMAL[suffix or ""])


def canonical(quantity: Any) -> str:
    """A decimal quantity the way Kubernetes prints it: the largest suffix that leaves no fraction.

    ``1000m`` gives ``1``, ``0.5`` gives ``500m``; what is no quantity comes back as text.
    """
    value = amount(quantity)
    if value is None:
        return str(quantity)
    if value == 0:
        return "0"
    for suffix, power in sorted(_DECIMAL.items(), key=lambda item: -item[1]):
        scaled = value.scaleb(-power)
        if scaled == scaled.to_integral_value():
            return f"{int(scaled)}{suffix}"
    return f"{int(value.scaleb(9).to_integral_value(rounding='ROUND_UP'))}n"


def as_stored(quantity: Any) -> str:
    """A quantity the way the API server stores it: ``2000m`` is ``2``, ``1024Mi`` is ``1Gi``, ``1.5Gi`` is ``1536Mi``.

    What is no quantity comes back as text.
    """
    text = str(quantity).strip()
    value = amount(text)
    if value is None or not text.endswith(tuple(_BINARY)) or abs(value) < 1024:
        return canonical(text)
    for suffix, power in sorted(_BINARY.items(), key=lambda item: -item[1]):
        scaled = value / Decimal(1024) ** power
        if scaled == scaled.to_integral_value():
            return f"{int(scaled)}{suffix}"
    return str(int(value.to_integral_value(rounding="ROUND_UP")))
