"""What injection templates read: a pod as Go's structs, with the configuration around it.

Maps stand for structs, by Go's names of their fields; a field that is not set has Go's zero, so that templates may
compare it. Each keeps its JSON, for the functions that write a struct down.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from istio_convert.verify.injection.annotations import BOOLEANS
from istio_convert.verify.injection.config import InjectorConfig, Namespace
from istio_convert.verify.injection.facts import pod_types
from istio_convert.verify.injection.functions import JSON, OTEL
from istio_convert.verify.injection.mesh import go_mesh_config, go_proxy_config, go_text
from istio_convert.verify.injection.typed import POD_SPEC
from istio_convert.verify.manifests import Object

_PROXY_ID = 1337
_UID_RANGE = "openshift.io/sa.scc.uid-range"
_GROUPS = "openshift.io/sa.scc.supplemental-groups"
_IMAGE_TYPES = ("distroless", "debug")
_OTEL_PREFIX = "resource.opentelemetry.io/"


def template_data(
    pod: Object,
    owner: Object,
    proxy: Mapping[str, Any],
    injector: InjectorConfig,
    namespace: Namespace,
    *,
    native_sidecars: bool = False,
) -> Object:
    """What a template is run with.

    Args:
        pod: the pod as it arrives.
        owner: the workload that it belongs to: ``apiVersion``, ``kind``, ``metadata``; or the pod itself.
        proxy: its proxy config.
        injector: the injector.
        namespace: where the pod is created.
        native_sidecars: whether istiod makes the proxy an init container.
    """
    metadata = pod["metadata"]
    texts = {key: dict(metadata.get(key) or {}) for key in ("labels", "annotations")}
    owned = owner.get("metadata") or {}
    uid, gid = proxy_ids(namespace) if injector.openshift else (_PROXY_ID, _PROXY_ID)
    mesh = go_mesh_config(injector.mesh, injector.version)
    mesh[OTEL] = _otel(injector.mesh, texts, str(owned.get("namespace") or namespace.name), pod)
    image = proxy.get("image")
    return {
        "TypeMeta": {"APIVersion": owner.get("apiVersion") or "", "Kind": owner.get("kind") or ""},
        "DeploymentMeta": {
            "Name": owned.get("name") or "",
            "Namespace": owned.get("namespace") or namespace.name,
        },
        "ObjectMeta": {
            "Name": metadata.get("name") or "",
            "GenerateName": metadata.get("generateName") or "",
            "Namespace": metadata.get("namespace") or namespace.name,
            "Labels": texts["labels"],
            "Annotations": texts["annotations"],
            JSON: _json(metadata),
        },
        "Spec": _go(pod["spec"], POD_SPEC),
        "ProxyConfig": go_proxy_config(proxy, injector.version),
        "MeshConfig": mesh,
        "Values": injector.values,
        "Revision": injector.revision or "default",
        "ProxyImage": proxy_image(injector, image if isinstance(image, Mapping) else None, texts["annotations"]),
        "ProxyInitImage": proxy_image(injector, None, texts["annotations"], key="proxy_init"),
        # as texts: Helm hands numbers on as floats, and prints large ones with an exponent
        "ProxyUID": str(uid),
        "ProxyGID": str(gid),
        "InboundTrafficPolicyMode": _inbound_mode(injector.mesh),
        "CompliancePolicy": injector.environment.get("COMPLIANCE_POLICY", ""),
        "NativeSidecars": native_sidecars,
    }


def _go(value: Any, type_name: str) -> Any:
    """A value of the Kubernetes API by Go's names, what is not set at Go's zero."""
    if type_name.startswith("[]"):
        return [_go(item, type_name[2:]) for item in value or []]
    if type_name.startswith("{}"):
        return {str(key): _go(item, type_name[2:]) for key, item in (value or {}).items()}
    if type_name not in pod_types():
        return {"string": "", "bool": False, "int": 0}.get(type_name) if value is None else value
    if value is None:
        value = {}
    view: dict[str, Any] = {}
    for key, field in pod_types()[type_name].items():
        if value.get(key) is None and field.pointer:
            view[field.go_name] = None
        elif value.get(key) is None and field.type in pod_types():
            view[field.go_name] = {}
        else:
            view[field.go_name] = _go(value.get(key), field.type)
    view[JSON] = _json(value)
    return view


def _json(value: Any) -> str:
    """JSON as Go writes it: without blanks, with what HTML minds escaped."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return re.sub("[<>&]", lambda found: f"\\u{ord(found[0]):04x}", text)


def proxy_image(
    injector: InjectorConfig, image: Mapping[str, Any] | None, annotations: Mapping[str, str], *, key: str = "proxy"
) -> str:
    """The proxy's image: hub, name and tag of istiod's values, with the variant that is asked for."""
    variant = go_text(injector.value("global", "variant"))
    if image is not None and image.get("imageType"):
        variant = str(image["imageType"])
    variant = str(annotations.get("sidecar.istio.io/proxyImageType", variant))
    name = go_text(injector.value("global", key, "image")) or "proxyv2"
    tag = go_text(injector.value("global", "tag"))
    if variant:
        known = next((f"-{kind}" for kind in _IMAGE_TYPES if tag.endswith(f"-{kind}")), "")
        tag = tag.removesuffix(known) + ("" if variant == "default" else f"-{variant}")
    return f"{go_text(injector.value('global', 'hub'))}/{name}:{tag}"


def proxy_ids(namespace: Namespace) -> tuple[int, int]:
    """User and group of the proxy in a namespace of OpenShift: the last of the ranges that are set aside for it."""
    uid = _last(namespace.annotations.get(_UID_RANGE, ""))
    groups = namespace.annotations.get(_GROUPS) or namespace.annotations.get(_UID_RANGE) or ""
    gid = _last(groups.partition(",")[0])
    return uid or _PROXY_ID, gid or _PROXY_ID


def _last(block: str) -> int:
    """The last number of ``1000650000/10000`` or ``1000-2000``; 0 when the text is neither."""
    if found := re.match(r"(\d+)/(\d+)", block):
        return int(found[1]) + int(found[2]) - 1
    found = re.match(r"\d+-(\d+)", block)
    return int(found[1]) if found else 0


def _inbound_mode(mesh: Mapping[str, Any]) -> str:
    policy = mesh.get("inboundTrafficPolicy")
    mode = policy.get("mode") if isinstance(policy, Mapping) else ""
    return "localhost" if mode == "LOCALHOST" else "passthrough"


def _otel(mesh: Mapping[str, Any], texts: Mapping[str, Mapping[str, str]], namespace: str, pod: Object) -> str:
    """Resource attributes for OpenTelemetry, when a provider of the mesh asks for its conventions."""
    asked = any(
        (provider.get("opentelemetry") or {}).get("serviceAttributeEnrichment") == "OTEL_SEMANTIC_CONVENTIONS"
        for provider in mesh.get("extensionProviders") or []
        if isinstance(provider, Mapping)
    )
    if not asked:
        return ""
    annotations, labels = texts["annotations"], texts["labels"]
    every = pod["spec"].get("containers") or []
    version = labels.get("app.kubernetes.io/version") or (_image_version(every[0]) if len(every) == 1 else "")
    instance = f"{namespace}.$(POD_NAME).{every[0].get('name', '')}" if every else ""
    found = {"service.namespace": namespace, "service.version": version, "service.instance.id": instance}
    chosen = {key: annotations.get(f"{_OTEL_PREFIX}{key}") or value for key, value in found.items()}
    return ",".join(f"{key}={value}" for key, value in chosen.items() if value)


def _image_version(container: Mapping[str, Any]) -> str:
    image, _, digest = str(container.get("image", "")).partition("@")
    tag = image.rpartition("/")[2].partition(":")[2]
    return "@".join(part for part in (tag, digest) if part)


def is_true(text: Any) -> bool | None:
    """A boolean as Go reads it from a text; None when it is none."""
    return BOOLEANS.get(str(text))
