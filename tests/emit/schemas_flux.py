"""What Flux's definitions say about the fields that we use; every other field is refused.

Written from the definitions of helm-controller 1.6 and source-controller 1.9. A field that is not in here is not in the
output, so that a new one has to be looked up first.
"""

from __future__ import annotations

from typing import Any

TEXT = {"type": "string", "minLength": 1}
NAME = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 253}
NAMESPACE = {**NAME, "maxLength": 63}
DURATION = {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"}
BOOLEAN = {"type": "boolean"}
STRINGS = {"type": "object", "additionalProperties": {"type": "string"}}


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def listed(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": 1}


METADATA = closed({"name": NAME, "namespace": NAMESPACE, "annotations": STRINGS}, "name", "namespace")
SELECTOR = closed(dict.fromkeys(("group", "version", "kind", "name", "namespace"), TEXT), "kind")
STRATEGY = closed({"name": {"const": "RetryOnFailure"}}, "name")
ACTION = {
    "crds": {"enum": ["Skip", "Create", "CreateReplace"]},
    "disableSchemaValidation": BOOLEAN,
    "disableTakeOwnership": BOOLEAN,
    "strategy": STRATEGY,
}


def resource(api: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    fields = {"apiVersion": {"const": api}, "kind": {"const": kind}, "metadata": METADATA, "spec": spec}
    return closed(fields, *fields)


HELM_RELEASE = resource(
    "helm.toolkit.fluxcd.io/v2",
    "HelmRelease",
    {
        **closed(
            {
                "interval": DURATION,
                "releaseName": {**NAME, "maxLength": 53},
                "targetNamespace": NAMESPACE,
                "storageNamespace": NAMESPACE,
                "dependsOn": listed(closed({"name": NAME, "namespace": NAMESPACE}, "name")),
                "chart": closed(
                    {
                        "spec": closed(
                            {
                                "chart": TEXT,
                                "version": TEXT,
                                "sourceRef": closed(
                                    {"kind": {"const": "HelmRepository"}, "name": NAME}, "kind", "name"
                                ),
                            },
                            "chart",
                            "sourceRef",
                        )
                    },
                    "spec",
                ),
                "chartRef": closed({"kind": {"const": "OCIRepository"}, "name": NAME}, "kind", "name"),
                "install": closed({**ACTION, "createNamespace": BOOLEAN}),
                "upgrade": closed(ACTION),
                "driftDetection": closed(
                    {
                        "mode": {"enum": ["enabled", "warn", "disabled"]},
                        "ignore": listed(closed({"paths": listed(TEXT), "target": SELECTOR}, "paths")),
                    }
                ),
                "values": {"type": "object"},
                "postRenderers": listed(
                    closed(
                        {
                            "kustomize": closed(
                                {"patches": listed(closed({"patch": TEXT, "target": SELECTOR}, "patch", "target"))}
                            )
                        }
                    )
                ),
            },
            "interval",
            "releaseName",
            "targetNamespace",
        ),
        "oneOf": [{"required": ["chart"]}, {"required": ["chartRef"]}],
    },
)
HELM_REPOSITORY = resource(
    "source.toolkit.fluxcd.io/v1",
    "HelmRepository",
    closed(
        {"type": {"enum": ["default", "oci"]}, "interval": DURATION, "url": {"pattern": "^(http|https|oci)://.*$"}},
        "url",
    ),
)
OCI_REPOSITORY = resource(
    "source.toolkit.fluxcd.io/v1",
    "OCIRepository",
    closed(
        {
            "interval": DURATION,
            "url": {"type": "string", "pattern": "^oci://.*$"},
            "layerSelector": closed({"mediaType": TEXT, "operation": {"enum": ["extract", "copy"]}}),
            "ref": closed({"tag": TEXT}),
        },
        "interval",
        "url",
    ),
)
BY_KIND = {"HelmRelease": HELM_RELEASE, "HelmRepository": HELM_REPOSITORY, "OCIRepository": OCI_REPOSITORY}
