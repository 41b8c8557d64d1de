"""Kubernetes objects as plain data: reading rendered YAML with Go's rules, identity, scope.

Objects that come out of here may be shared between callers: copy before changing one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from istio_convert.errors import RenderError
from istio_convert.paths import render
from istio_convert.verify.repeated import repeated_key

#: A Kubernetes object.
Object: TypeAlias = dict[str, Any]

_SEPARATOR = re.compile(r"(?m)^---(?:[ \t]+#.*|[ \t]*)$")
_CONTENT = re.compile(r"(?m)^[ \t]*[^#\s]")
_CRD = re.compile(r"(?m)^kind: CustomResourceDefinition$")

#: what JSON may hold as it is and YAML may not; an emoji is above, and YAML wants it as it is
_NOT_IN_YAML = re.compile("[\x7f-\uffff]")

#: istioctl's log goes to the same stream as its manifests: a stamped line, and what follows up to the next object.
_LOG = re.compile(r"(?m)^\d{4}-\d\d-\d\dT[\d:.]+Z\t(?:.*\n)(?:(?!apiVersion:|kind:|---|\{).*\n)*")

#: The kinds in Istio's charts that live outside namespaces.
CLUSTER_SCOPED = frozenset(
    {
        "APIService",
        "ClusterRole",
        "ClusterRoleBinding",
        "CustomResourceDefinition",
        "GatewayClass",
        "MutatingWebhookConfiguration",
        "Namespace",
        "PriorityClass",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    }
)


class ObjectId(NamedTuple):
    """What identifies an object in a cluster; the API version does not."""

    group: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {where}{self.name}"


@dataclass(frozen=True, slots=True)
class Rendered:
    """An object of one side of the proof.

    Attributes:
        release: the Helm release, or istioctl's component, that it comes from.
        namespace: the namespace of that release or component.
        object: the object.
        plain: of a gateway on istioctl's side: the same object as its chart renders it under the control plane's own
            settings, without anything that the operator says about this gateway. What equals it, nobody asked for.
    """

    release: str
    namespace: str
    object: Object
    plain: Object | None = None

    @property
    def id(self) -> ObjectId:
        """Its identity, the namespace filled in as the cluster would."""
        return object_id(self.object, self.namespace)


def api_group(api_version: str) -> str:
    """``apps`` of ``apps/v1``; empty for ``v1``."""
    return api_version.rpartition("/")[0]


def object_id(obj: Object, default_namespace: str = "") -> ObjectId:
    """The identity of an object."""
    metadata = obj.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    kind = str(obj.get("kind", ""))
    namespace = "" if kind in CLUSTER_SCOPED else str(metadata.get("namespace") or default_namespace)
    return ObjectId(api_group(str(obj.get("apiVersion", ""))), kind, namespace, str(metadata.get("name") or ""))


def parse_document(text: str) -> Any:
    """One YAML document that holds a map, read as Go reads it.

    Raises:
        RenderError: the Helm SDK is missing, or the text is no YAML map.
    """
    try:
        import helm_python  # noqa: PLC0415 (an optional dependency)
    except ImportError as error:
        raise RenderError("rendering needs the Helm SDK", hint="pip install 'istio-convert[render]'") from error
    try:
        return helm_python.values_from_yaml(text)
    except helm_python.HelmError as error:
        raise RenderError("a rendered document is no YAML map") from error


@lru_cache(maxsize=48)
def _parse_shared(text: str) -> Any:
    """CRDs make up most of the text, and both sides hold the same."""
    return parse_document(text)


def split_documents(text: str) -> Iterator[str]:
    """The documents of a stream that hold more than comments."""
    for document in _SEPARATOR.split(text):
        if _CONTENT.search(document):
            yield document


def without_log(text: str) -> str:
    """Output of istioctl without the lines of its log."""
    return _LOG.sub("", text)


def parse_objects(text: str, where: str = "", *, for_kustomize: bool = False) -> Iterator[Object]:
    """The objects of a YAML stream; a ``List`` gives its items.

    Args:
        text: the stream.
        where: named in errors.
        for_kustomize: Kustomize is to read the text, too; it takes no key twice, which Go's reader does.

    Raises:
        RenderError: a document is no object, or Kustomize would refuse it.
    """
    for document in split_documents(text):
        try:
            obj = _parse_shared(document) if _CRD.search(document) else parse_document(document)
        except RenderError as error:
            raise RenderError(f"{where}: {error.message}" if where else error.message, hint=error.hint) from error
        if not obj:
            continue
        if for_kustomize and (key := repeated_key(document)) is not None:
            message = f"{object_id(obj)} has {render(key)} twice, which Kustomize refuses"
            raise RenderError(f"{where}: {message}" if where else message)
        if str(obj.get("kind", "")).endswith("List") and isinstance(obj.get("items"), list):
            yield from obj["items"]
        elif "kind" in obj and "apiVersion" in obj:
            yield obj
        else:
            raise RenderError(
                f"{where}: a document without apiVersion and kind" if where else "not a Kubernetes object"
            )


def as_yaml(data: Any) -> str:
    """Data as JSON that is YAML, too.

    Go's YAML reader refuses the pairs of escapes that JSON has for an emoji, and takes some other characters for the
    end of a line when they are not escaped.
    """
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(data, ensure_ascii=False))
