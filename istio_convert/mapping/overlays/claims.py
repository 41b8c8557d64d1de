"""What the overlays of gateways and of the control plane have in common: their patches, and who shares whose fate."""

from __future__ import annotations

from istio_convert.ledger import Outcome
from istio_convert.mapping.draft.claims import Claim, Claims
from istio_convert.source.nodes import Mapping, Sequence, leaves

RULE = "overlay"


def patches_of(overlay: Mapping, claims: Claims) -> list[Mapping]:
    """The patches of one overlay; its kind, name and apiVersion share the fate of one that lives on."""
    patches = overlay.items.get("patches")
    items = [p for p in patches.items if isinstance(p, Mapping)] if isinstance(patches, Sequence) else []
    principals = tuple(first for patch in items if (first := next(leaves(patch), None)) is not None)
    nothing = Claim(Outcome.INERT, RULE, None, "the overlay has no patches")
    for key in ("kind", "name", "apiVersion"):
        for leaf in leaves(overlay.items.get(key, Mapping())):
            if principals:
                claims.shared[leaf] = principals
            else:
                claims.add(leaf, nothing)
    if not items and patches is not None:
        for leaf in leaves(patches):
            claims.add(leaf, nothing)
    return items


def claim_patches(claims: Claims, patches: list[Mapping], outcome: Outcome, reason: str, action: str = "") -> None:
    """The same finding about every leaf of patches."""
    for patch in patches:
        for leaf in leaves(patch):
            claims.add(leaf, Claim(outcome, RULE, None, reason, action))
