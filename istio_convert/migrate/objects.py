"""Objects as the plan sees them: identity, what kubectl calls their kind, who owns them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from istio_convert.migrate.options import label, object_name
from istio_convert.source import read
from istio_convert.source.nodes import to_data
from istio_convert.verify.manifests import ObjectId, object_id

#: Labels by which the operator finds what it may prune.
OWNER_LABELS = (
    "install.operator.istio.io/owning-resource",
    "install.operator.istio.io/owning-resource-namespace",
    "operator.istio.io/component",
    "operator.istio.io/managed",
    "operator.istio.io/version",
)
OWNER, OWNER_NAMESPACE = OWNER_LABELS[:2]

#: In which order the last step deletes: what serves, what protects it, who it is, what it may, what calls it.
_DELETION_ORDER = (
    "Deployment",
    "DaemonSet",
    "Service",
    "HorizontalPodAutoscaler",
    "PodDisruptionBudget",
    "NetworkPolicy",
    "EnvoyFilter",
    "ConfigMap",
    "ServiceAccount",
    "RoleBinding",
    "Role",
    "ClusterRoleBinding",
    "ClusterRole",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
)
#: Never in a list of deletions: they hold other people's objects, or there is one for all revisions.
KEPT_KINDS = frozenset({"Namespace", "CustomResourceDefinition", "IstioOperator", "Secret", "PersistentVolumeClaim"})


@dataclass(frozen=True, slots=True)
class Known:
    """One object, rendered or live.

    Attributes:
        id: its identity.
        data: the object.
        release: the Helm release, for rendered ones.
        release_namespace: that release's namespace.
    """

    id: ObjectId
    data: Mapping[str, Any]
    release: str = ""
    release_namespace: str = ""

    @property
    def resource(self) -> str:
        """What kubectl calls its kind, unambiguously: ``deployment.apps``, ``service``."""
        return resource_of(self.id)

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        return text_map(self.data, "metadata", "labels")

    @property
    def annotations(self) -> Mapping[str, str]:
        """Its annotations."""
        return text_map(self.data, "metadata", "annotations")

    def get(self, *path: str) -> Any:
        """What stands at a path of map keys, or None."""
        return look_up(self.data, *path)


def look_up(data: Any, *path: str) -> Any:
    """What stands at a path of map keys, or None."""
    for key in path:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


def text_map(data: Any, *path: str) -> dict[str, str]:
    """The map of texts at a path; empty when there is none."""
    found = look_up(data, *path)
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, Mapping) else {}


def resource_of(identity: ObjectId) -> str:
    """``deployment.apps`` for a Deployment of ``apps/v1``."""
    return f"{identity.kind.lower()}.{identity.group}" if identity.group else identity.kind.lower()


def known(objects: Iterable[Any], *, release: str = "", namespace: str = "") -> list[Known]:
    """Objects with their identity.

    Raises:
        InvalidNameError: an object has a name, namespace or kind that no cluster would have.
    """
    found = []
    for data in objects:
        identity = object_id(data, namespace)
        if not identity.name:
            continue
        object_name(identity.name, f"an object of kind {identity.kind if identity.kind.isalnum() else '?'}")
        object_name(identity.kind, "a kind")
        if identity.namespace:
            label(identity.namespace, "the namespace of an object")
        if identity.group:
            object_name(identity.group, "an API group")
        found.append(Known(identity, data, release, namespace))
    return found


def read_objects(text: str | bytes, name: str) -> list[dict[str, Any]]:
    """The objects in a dump: documents, each one object or a ``List``.

    Raises:
        YamlError: the text is no YAML.
    """
    found: list[dict[str, Any]] = []
    for document in read(text, name):
        data = to_data(document.root)
        if not isinstance(data, dict):
            continue
        if str(data.get("kind", "")).endswith("List") and isinstance(data.get("items"), list):
            found += [item for item in data["items"] if isinstance(item, dict)]
        elif "kind" in data:
            found.append(data)
    return found


def index(objects: Iterable[Known]) -> dict[ObjectId, Known]:
    """By identity; the first of two alike stays."""
    found: dict[ObjectId, Known] = {}
    for item in objects:
        found.setdefault(item.id, item)
    return found


def deletion_order(objects: Sequence[Known]) -> list[Known]:
    """In the order in which they are deleted."""
    rank = {kind: number for number, kind in enumerate(_DELETION_ORDER)}
    return sorted(
        objects, key=lambda item: (rank.get(item.id.kind, len(rank)), item.id.kind, item.id.namespace, item.id.name)
    )


def pod_labels(workload: Known) -> dict[str, str]:
    """The labels of a workload's pods."""
    return text_map(workload.data, "spec", "template", "metadata", "labels")


def selects(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    """Whether a non-empty equality selector matches labels."""
    return bool(selector) and all(labels.get(key) == value for key, value in selector.items())
