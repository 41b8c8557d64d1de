"""The proof: renders what istioctl would apply and what Helm and Kustomize would, and compares the objects."""

from __future__ import annotations

from istio_convert.verify.findings import Compared, Difference, Kind, Verification
from istio_convert.verify.proof import verify
from istio_convert.verify.show import to_data, to_json, to_markdown, to_text

__all__ = ["Compared", "Difference", "Kind", "Verification", "to_data", "to_json", "to_markdown", "to_text", "verify"]
