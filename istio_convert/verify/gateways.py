"""Gateway pods: what the injector provides on Helm's side, istioctl's chart writes out itself.

The gateway chart leaves the proxy container to injection (``image: auto``). Here, whatever istioctl's chart renders for
a gateway that nobody customised, and injection provides too, is set aside. What an operator asked for is not: it
differs from the plain rendering, so it stays and must be there on the other side.

Source of the facts: ``templates/deployment.yaml`` of gateways/istio-ingress, and of istiod's chart
``files/gateway-injection-template.yaml``.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from istio_convert.verify.findings import ABSENT, Difference, Kind
from istio_convert.verify.manifests import Object
from istio_convert.verify.normal import REPLACED, derived_pull_policy

PROXY = "[istio-proxy]"
POD = ("spec", "template", "spec")
#: Volumes of istioctl's gateway chart that injection provides: the same by name, or under another name at the same path
#: (podinfo), or in another form (config-volume: the proxy gets its configuration as PROXY_CONFIG).
VOLUMES = (
    "config-volume",
    "credential-socket",
    "gke-workload-certificate",
    "istio-certs",
    "istio-data",
    "istio-envoy",
    "istio-token",
    "istiod-ca-cert",
    "podinfo",
    "workload-certs",
    "workload-socket",
)
#: Variables of istioctl's gateway chart, for when there is no plain rendering to tell them by.
VARIABLES = (
    "CA_ADDR",
    "HOST_IP",
    "INSTANCE_IP",
    "ISTIO_CPU_LIMIT",
    "ISTIO_META_CLUSTER_ID",
    "ISTIO_META_MESH_ID",
    "ISTIO_META_NODE_NAME",
    "ISTIO_META_OWNER",
    "ISTIO_META_UNPRIVILEGED_POD",
    "ISTIO_META_WORKLOAD_NAME",
    "NODE_NAME",
    "PILOT_CERT_PROVIDER",
    "POD_NAME",
    "POD_NAMESPACE",
    "SERVICE_ACCOUNT",
    "TRUST_DOMAIN",
)
_INJECT = "sidecar.istio.io/inject"
_TEMPLATES = "inject.istio.io/templates"
_TELEMETRY_LABELS = ("service.istio.io/canonical-name", "service.istio.io/canonical-revision")
#: Pod-level security settings that are the containers' where these say nothing.
_INHERITED = ("runAsUser", "runAsGroup", "runAsNonRoot", "seLinuxOptions", "seccompProfile", "appArmorProfile")
_LOW_PORTS = {"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}
_PROXY_ID = 1337
_WHY = "the injector writes it into the pod"


def is_injected(candidate: Object) -> bool:
    """Whether a workload (normal form) leaves its proxy container to injection."""
    template = _get(candidate, "spec", "template")
    if _get(template, "spec", "containers", PROXY) is None:
        return False
    annotations = _get(template, "metadata", "annotations") or {}
    return _TEMPLATES in annotations or _get(template, "spec", "containers", PROXY, "image") == "auto"


def set_aside(
    reference: Object, candidate: Object, plain: Object | None, metadata: Mapping[str, Any]
) -> tuple[Object, Object, list[Difference]]:
    """Both workloads without what injection provides, and the list of that.

    Args:
        reference: istioctl's workload, normal form; not changed.
        candidate: Helm's, normal form; not changed.
        plain: istioctl's, uncustomised, normal form. Without it, what counts as uncustomised is told by names.
        metadata: the mesh's ``proxyMetadata``, which becomes variables; used when there is no plain rendering.
    """
    view = _View(copy.deepcopy(reference), copy.deepcopy(candidate), plain, metadata)
    view.metadata()
    view.proxy()
    view.volumes()
    view.security()
    return view.reference, view.candidate, view.found


def _get(node: Any, *steps: str) -> Any:
    for step in steps:
        if not isinstance(node, dict):
            return None
        node = node.get(step)
    return node


class _View:
    def __init__(self, reference: Object, candidate: Object, plain: Object | None, metadata: Mapping[str, Any]) -> None:
        self.reference, self.candidate, self.plain = reference, candidate, plain
        self._mesh = metadata
        self.found: list[Difference] = []

    def _of(self, *steps: str) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]:
        """The maps at a path of both sides and of the plain rendering (None: all counts as plain)."""
        plain = None if self.plain is None else (_get(self.plain, *steps) or {})
        return _get(self.reference, *steps) or {}, _get(self.candidate, *steps) or {}, plain

    def _provided(
        self, path: str, key: str, places: tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]
    ) -> None:
        """Set a key aside that only istioctl's side has, when it is as the chart renders it unasked."""
        reference, candidate, plain = places
        if key in reference and key not in candidate and (plain is None or plain.get(key, ABSENT) == reference[key]):
            self._note(f"{path}{key}" if key.startswith("[") else f"{path}.{key}", reference.pop(key))

    def _note(self, path: str, before: Any = ABSENT, after: Any = ABSENT, why: str = _WHY) -> None:
        self.found.append(Difference(Kind.INJECTION, path, before, after, why))

    def _broken(self, key: str, after: Any, problem: str) -> None:
        why = f"the proxy is left to injection, but {problem}"
        self.found.append(Difference(Kind.UNEXPLAINED, f"spec.template.metadata.{key}", ABSENT, after, why))

    def metadata(self) -> None:
        """Injection switches, the revision and the telemetry labels."""
        labels = self._of("spec", "template", "metadata", "labels")
        annotations = self._of("spec", "template", "metadata", "annotations")
        switches = {places[1].get(_INJECT) for places in (labels, annotations)} - {None}
        template = annotations[1].get(_TEMPLATES, ABSENT)
        wanted = annotations[0].get(_TEMPLATES, "gateway")
        if switches != {"true"}:
            self._broken(f"labels.{_INJECT}", labels[1].get(_INJECT, ABSENT), "the pod does not ask to be injected")
        elif template != wanted:
            self._broken(f"annotations.{_TEMPLATES}", template, "a gateway would get the proxy of a sidecar")
        for name, places in (("labels", labels), ("annotations", annotations)):
            for key in (_INJECT, _TEMPLATES):
                before, after = places[0].pop(key, ABSENT), places[1].pop(key, ABSENT)
                if before != after:
                    path = f"spec.template.metadata.{name}.{key}"
                    self._note(path, before, after, "istioctl's gateways bring their proxy, Helm's are injected")
        for key in _TELEMETRY_LABELS:
            self._provided("spec.template.metadata.labels", key, labels)
        self._provided("spec.template.metadata.annotations", "istio.io/rev", annotations)
        if labels[0].get("istio.io/rev") == "default":
            self._provided("spec.template.metadata.labels", "istio.io/rev", labels)

    def proxy(self) -> None:
        """The proxy container."""
        path = f"spec.template.spec.containers{PROXY}"
        steps = ("spec", "template", "spec", "containers", PROXY)
        places = self._of(*steps)
        reference, candidate, plain = places
        image = reference.get("image", ABSENT)
        derived = derived_pull_policy(str(image)).get("imagePullPolicy")
        if "imagePullPolicy" not in reference and candidate.get("imagePullPolicy") == derived:
            # written out on Helm's side: what the API server derives from the image on istioctl's
            candidate.pop("imagePullPolicy", None)
        if image != "auto" and candidate.get("image") == "auto" and (plain is None or plain.get("image") == image):
            reference.pop("image", None)
            self._note(f"{path}.image", image, candidate.pop("image"))
        for key in ("args", "readinessProbe"):
            self._provided(path, key, places)
        self._references(*places)
        for part in ("env", "ports", "volumeMounts"):
            inner = self._of(*steps, part)
            for key in list(inner[0]):
                if part == "volumeMounts" and _get(inner[0], key, "name") not in VOLUMES:
                    continue
                if part == "env" and plain is None and not self._by_name(key.strip("[]"), inner[0][key]):
                    continue
                self._provided(f"{path}.{part}", key, inner)
            if part == "ports":
                _drop_doubles(*inner)
            for side in (reference, candidate):
                if not side.get(part, True):
                    del side[part]

    @staticmethod
    def _references(reference: dict[str, Any], candidate: dict[str, Any], plain: dict[str, Any] | None) -> None:
        """What Helm's side refers to and injection provides is replaced: the injector puts its own in front."""
        own = candidate.get("env") or {}
        given = {*(f"[{name}]" for name in VARIABLES), *((plain or {}).get("env") or {})} & set(
            reference.get("env") or {}
        ) - set(own)
        for variable in own.values():
            for name in [key[2:-1] for key in variable if key.startswith("$(")] if isinstance(variable, dict) else ():
                if f"[{name}]" in given:
                    variable[f"$({name})"] = REPLACED

    def _by_name(self, variable: str, value: Any) -> bool:
        """Whether a variable is one of istioctl's chart, or one that the mesh gives to every proxy."""
        return variable in VARIABLES or (variable in self._mesh and value == {"value": str(self._mesh[variable])})

    def volumes(self) -> None:
        """The pod's volumes."""
        places = self._of("spec", "template", "spec", "volumes")
        for name in VOLUMES:
            self._provided("spec.template.spec.volumes", f"[{name}]", places)
        for side in (self.reference, self.candidate):
            pod = _get(side, "spec", "template", "spec")
            if not pod.get("volumes", True):
                del pod["volumes"]

    def security(self) -> None:
        """Security settings as each container ends up with them."""
        before, after, _ = self._of("spec", "template", "spec")
        for pod, other in ((before, after), (after, before)):
            context = pod.get("securityContext") or {}
            sysctls = context.get("sysctls") or []
            theirs = (other.get("securityContext") or {}).get("sysctls") or []
            if _LOW_PORTS in sysctls and _LOW_PORTS not in theirs:
                context["sysctls"] = [item for item in sysctls if item != _LOW_PORTS]
                values = (_LOW_PORTS, ABSENT) if pod is before else (ABSENT, _LOW_PORTS)
                self._note("spec.template.spec.securityContext.sysctls", *values)
        for pod in (before, after):
            _push_down(pod)
        mine = _get(before, "containers", PROXY, "securityContext") or {}
        injected = _get(after, "containers", PROXY)
        if isinstance(injected, dict):
            context = injected.setdefault("securityContext", {})
            for key in ("runAsUser", "runAsGroup"):
                path = f"spec.template.spec.containers{PROXY}.securityContext.{key}"
                if key not in context and mine.get(key) == _PROXY_ID:
                    context[key] = _PROXY_ID
                    self._note(path, _PROXY_ID, ABSENT)
                elif key not in mine and context.get(key) == 0:
                    del context[key]
                    self._note(path, ABSENT, 0, "root is the proxy image's own user, which injection would replace")


def _drop_doubles(reference: dict[str, Any], candidate: dict[str, Any], plain: dict[str, Any] | None) -> None:
    """A port that istioctl's chart lists twice, for the service and for metrics, is one port."""
    for key, value in reference.items():
        if isinstance(value, list) and candidate.get(key) in value and (plain is None or plain.get(key) == value):
            reference[key] = candidate[key]


def _push_down(pod: dict[str, Any]) -> None:
    """Move pod-level security settings to the containers that do not set their own."""
    context = dict(pod.get("securityContext") or {})
    inherited = {key: context.pop(key) for key in _INHERITED if key in context}
    for group in ("containers", "initContainers"):
        for container in (pod.get(group) or {}).values():
            if isinstance(container, dict):
                own = {**inherited, **(container.get("securityContext") or {})}
                if own.get("runAsNonRoot") is False:
                    del own["runAsNonRoot"]
                container["securityContext"] = own
    context = {key: value for key, value in context.items() if value not in ({}, [])}
    if context:
        pod["securityContext"] = context
    else:
        pod.pop("securityContext", None)
