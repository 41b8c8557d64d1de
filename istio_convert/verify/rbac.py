"""The gateways' roles: istioctl calls them ``<gateway>-sds``, the gateway chart after the service account.

They are the same when they grant the same rules to the same service account.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from istio_convert.verify.manifests import Object, ObjectId


def pair_roles(reference: Mapping[ObjectId, Object], candidate: Mapping[ObjectId, Object]) -> dict[ObjectId, ObjectId]:
    """Roles and bindings of istioctl's side with the ones that take their place.

    Args:
        reference: objects that only istioctl's side has, in normal form.
        candidate: objects that only Helm's side has, in normal form.

    Returns:
        Identity on istioctl's side to identity on Helm's side.
    """
    pairs: dict[ObjectId, ObjectId] = {}
    for identity, binding in sorted(reference.items()):
        if identity.kind != "RoleBinding" or not identity.name.endswith("-sds"):
            continue
        role = _role(identity, binding)
        for other, their in sorted(candidate.items()):
            their_role = _role(other, their)
            if (
                other.kind == "RoleBinding"
                and other.namespace == identity.namespace
                and other not in pairs.values()
                and their.get("subjects") == binding.get("subjects")
                and role in reference
                and their_role in candidate
            ):
                pairs[identity] = other
                pairs[role] = their_role
                break
    return pairs


def _role(identity: ObjectId, binding: Object) -> ObjectId:
    reference = binding.get("roleRef") or {}
    return ObjectId(identity.group, "Role", identity.namespace, str(reference.get("name", "")))


def under_other_name(obj: Object, name: str) -> Object:
    """A copy of a role or binding that carries, and refers to, another name."""
    result = copy.deepcopy(obj)
    metadata: dict[str, Any] = result.setdefault("metadata", {})
    metadata["name"] = name
    if isinstance(result.get("roleRef"), dict):
        result["roleRef"]["name"] = name
    return result
