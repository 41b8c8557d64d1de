"""What Argo CD's definitions say about the fields that we use; every other field is refused.

Written from the definitions of Argo CD 3.5. A field that is not in here is not in the output.
"""

from __future__ import annotations

from typing import Any

from .schemas_flux import BOOLEAN, NAME, NAMESPACE, STRINGS, TEXT, closed, listed

API = {"const": "argoproj.io/v1alpha1"}
HELM = closed(
    {
        "releaseName": {**NAME, "maxLength": 53},
        "skipCrds": BOOLEAN,
        "skipSchemaValidation": BOOLEAN,
        "valuesObject": {"type": "object"},
        "values": TEXT,
    },
    "releaseName",
)
HELM_SOURCE = closed(
    {"repoURL": TEXT, "chart": NAME, "targetRevision": TEXT, "helm": HELM}, "repoURL", "chart", "targetRevision", "helm"
)
GIT_SOURCE = closed({"repoURL": TEXT, "path": TEXT, "targetRevision": TEXT}, "repoURL", "path", "targetRevision")
SOURCE = {"oneOf": [HELM_SOURCE, GIT_SOURCE]}
IGNORED = closed(
    {
        "group": {"const": "admissionregistration.k8s.io"},
        "kind": TEXT,
        "name": TEXT,
        "jqPathExpressions": listed(TEXT),
    },
    "group",
    "kind",
    "name",
    "jqPathExpressions",
)
SYNC_POLICY = closed(
    {
        "automated": closed({"prune": {"const": False}, "selfHeal": {"const": False}}, "prune", "selfHeal"),
        "syncOptions": listed(
            {"enum": ["CreateNamespace=true", "ServerSideApply=true", "RespectIgnoreDifferences=true"]}
        ),
        "retry": closed(
            {
                "limit": {"type": "integer"},
                "backoff": closed({"duration": TEXT, "factor": {"type": "integer"}, "maxDuration": TEXT}),
            }
        ),
    },
    "syncOptions",
)


def metadata(name: Any) -> dict[str, Any]:
    # no finalizers: deleting an Application must not delete the mesh
    return closed({"name": name, "namespace": NAMESPACE, "labels": STRINGS, "annotations": STRINGS}, "name")


def application_spec(namespace: Any) -> dict[str, Any]:
    fields = {
        "project": TEXT,
        "destination": closed({"server": TEXT, "namespace": namespace}, "server", "namespace"),
        "source": SOURCE,
        "syncPolicy": SYNC_POLICY,
        "ignoreDifferences": {"type": "array", "items": IGNORED},
    }
    return closed(fields, "project", "destination", "syncPolicy")


APPLICATION = closed(
    {
        "apiVersion": API,
        "kind": {"const": "Application"},
        "metadata": metadata(NAME),
        "spec": {**application_spec(NAMESPACE), "required": ["project", "destination", "source", "syncPolicy"]},
    },
    "apiVersion",
    "kind",
    "metadata",
    "spec",
)
APPLICATION_SET = closed(
    {
        "apiVersion": API,
        "kind": {"const": "ApplicationSet"},
        "metadata": metadata(NAME),
        "spec": closed(
            {
                "goTemplate": {"const": True},
                "goTemplateOptions": listed(TEXT),
                "generators": listed(closed({"list": closed({"elements": listed({"type": "object"})})})),
                "strategy": closed(
                    {
                        "type": {"enum": ["AllAtOnce", "RollingSync"]},
                        "rollingSync": closed(
                            {
                                "steps": listed(
                                    closed(
                                        {
                                            "matchExpressions": listed(
                                                closed(
                                                    {"key": TEXT, "operator": {"const": "In"}, "values": listed(TEXT)}
                                                )
                                            )
                                        }
                                    )
                                )
                            }
                        ),
                    }
                ),
                "syncPolicy": closed(
                    {
                        "applicationsSync": {"enum": ["create-only", "create-update", "create-delete", "sync"]},
                        "preserveResourcesOnDeletion": {"const": True},
                    }
                ),
                "template": closed({"metadata": metadata(TEXT), "spec": application_spec(TEXT)}, "metadata", "spec"),
                "templatePatch": TEXT,
            },
            "generators",
            "template",
        ),
    },
    "apiVersion",
    "kind",
    "metadata",
    "spec",
)
BY_KIND = {"Application": APPLICATION, "ApplicationSet": APPLICATION_SET}
