"""What ``helm_release`` of the provider hashicorp/helm takes, as far as the output uses it: facts, from its schema.

Versions 2.17.0 and 3.1.2; ``postrender`` is a block in provider 2 and an attribute in provider 3.
"""

from __future__ import annotations

_STRING = {"type": "string"}
_BOOLEAN = {"type": "boolean"}
_STRINGS = {"type": "array", "items": _STRING}
_POST_RENDER = {
    "type": "object",
    "properties": {"binary_path": _STRING, "args": _STRINGS},
    "required": ["binary_path"],
    "additionalProperties": False,
}


def _release(post_render: object, **more: object) -> dict[str, object]:
    properties = {
        **dict.fromkeys(("name", "namespace", "repository", "chart", "version", "description"), _STRING),
        **dict.fromkeys(
            (
                *("atomic", "cleanup_on_fail", "create_namespace", "force_update", "replace", "reset_values"),
                *("reuse_values", "skip_crds", "upgrade_install", "wait", "wait_for_jobs"),
            ),
            _BOOLEAN,
        ),
        "values": _STRINGS,
        "timeout": {"type": "integer"},
        "postrender": post_render,
        # of Terraform itself
        "depends_on": _STRINGS,
        "lifecycle": {"type": "array", "maxItems": 1},
        **more,
    }
    return {
        "type": "object",
        "properties": properties,
        "required": ["name", "chart"],
        "additionalProperties": False,
    }


#: major version of the provider -> schema of a resource
RELEASE = {
    2: _release({"type": "array", "items": _POST_RENDER, "maxItems": 1}),
    3: _release(_POST_RENDER, take_ownership=_BOOLEAN),
}
