"""The audit view: one self-contained page with the operator at the left and what became of it at the right.

It is loaded on request only; the other reports do without it.
"""

from __future__ import annotations

from istio_convert.report.html.page import render

__all__ = ["render"]
