"""Why a difference is harmless: labels of the release, records that nothing reads, objects that come another way."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from istio_convert.errors import RenderError
from istio_convert.verify.findings import ABSENT, Kind
from istio_convert.verify.manifests import Object, ObjectId, parse_document

Path = tuple[str, ...]

#: Labels that name the release, the chart or the tool that installed.
RELEASE_LABELS = frozenset(
    {
        "app.kubernetes.io/instance",
        "app.kubernetes.io/managed-by",
        "app.kubernetes.io/name",
        "app.kubernetes.io/part-of",
        "app.kubernetes.io/version",
        "chart",
        "helm.sh/chart",
        "heritage",
        "install.operator.istio.io/owning-resource",
        "install.operator.istio.io/owning-resource-namespace",
        "operator.istio.io/component",
        "operator.istio.io/managed",
        "operator.istio.io/version",
        "release",
    }
)
#: Labels of gateway objects that say no more than "default".
_GATEWAY_LABELS = {"istio.io/dataplane-mode": "none"}
#: Kinds of gateway objects whose labels nothing goes by, so that what each gateway chart writes there is of no matter.
_UNSELECTED = {
    "NetworkPolicy": "nothing selects policies by their labels",
    "Role": "labels of a role select nothing",
    "RoleBinding": "labels of a role select nothing",
}
#: Names of labels that either gateway chart writes there itself, whatever they say.
_WRITTEN_BY_CHARTS = frozenset({"app", "istio"})
#: Fields of a Service that the API server takes for type LoadBalancer only; the gateway chart writes them only there.
_OF_LOAD_BALANCERS = frozenset({"allocateLoadBalancerNodePorts", "loadBalancerClass"})
_RELEASE_ANNOTATIONS = ("meta.helm.sh/", "helm.sh/", "helm.toolkit.fluxcd.io/", "argocd.argoproj.io/")
LABEL_PLACES = (("metadata", "labels"), ("spec", "template", "metadata", "labels"))

#: Values of the injector's ConfigMap that istiod reads itself, outside the templates.
_READ_BY_ISTIOD = (
    ("global", "hub"),
    ("global", "imagePullSecrets"),
    ("global", "istioNamespace"),
    ("global", "multiCluster"),
    ("global", "network"),
    ("global", "proxy", "holdApplicationUntilProxyStarts"),
    ("global", "proxy", "image"),
    ("global", "proxy_init"),
    ("global", "tag"),
    ("global", "variant"),
    ("revision",),
    ("sidecarInjectorWebhook",),
)
_REFERENCE = re.compile(r"\.Values((?:\)*\.[A-Za-z_]\w*)+)")
_INDEXED = re.compile(r"index \$?\.Values((?:\s+[\"`][\w-]+[\"`])+)")

#: Maps whose values Kubernetes takes as texts only.
_TEXT_MAPS = frozenset({"annotations", "labels", "matchLabels", "nodeSelector", "selector"})
_PLAIN_TEXT = re.compile(r"[\w.+-]+\Z")

#: Objects on one side only, by kind and name, that are as they should be.
_ONLY_WITH_HELM: tuple[tuple[str, str, str], ...] = (
    (
        "ValidatingWebhookConfiguration",
        r"istiod-default-validator",
        "istioctl install creates it too, after the manifests, where no other revision is the default",
    ),
    (
        "MutatingWebhookConfiguration",
        r"istio-revision-tag-default",
        "istioctl install creates it too, after the manifests, where no other revision is the default",
    ),
    (
        "ValidatingAdmissionPolicy(Binding)?",
        r"stable-channel-default-policy(-binding)?\.istio\.io",
        "the base chart renders it for the default revision, istioctl does not: what has no revision label is checked",
    ),
)


def explain(
    identity: ObjectId,
    path: Path,
    before: Any,
    after: Any,
    objects: tuple[Object, Object],
    own: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[Kind, str]:
    """The class of a difference, and why.

    Args:
        identity: the object's identity on istioctl's side.
        path: steps of the path in the normal form.
        before: the value on istioctl's side.
        after: the value on Helm's side.
        objects: both objects in normal form, before anything was set aside.
        own: labels of the workloads of the release that brings the object on Helm's side.
    """
    for place in LABEL_PLACES:
        if path[: len(place)] == place and len(path) == len(place) + 1 and not _selects(path[-1], objects):
            if path[-1] in RELEASE_LABELS:
                return Kind.RELEASE_LABEL, "names the release, the chart or the installer"
            if _says_default(path, (before, after), objects):
                return Kind.RELEASE_LABEL, "says no more than the default"
    if path[:2] == ("metadata", "annotations") and len(path) == 3 and path[2].startswith(_RELEASE_ANNOTATIONS):
        return Kind.RELEASE_LABEL, "belongs to the installer"
    if _wants_text(path) and _is_text_of(after, before):
        return Kind.REFUSED, "the API server refuses what istioctl renders here, since it is no text"
    if identity.kind in _UNSELECTED and _by_gateway_charts(path, before, after, objects, own):
        return Kind.RELEASE_LABEL, f"{_UNSELECTED[identity.kind]}: each gateway chart writes its own"
    if identity.kind == "Service" and _is_of_load_balancers(path, after, objects):
        return Kind.REFUSED, "the API server refuses what istioctl renders here: only a LoadBalancer may have it"
    if path[:-1] == LABEL_PLACES[1] and _selector(objects[0]).get(path[-1]) == after:
        return Kind.REFUSED, "the API server refuses what istioctl renders here: its own selector wants another label"
    if identity.kind == "ConfigMap" and path[:1] == ("data",):
        return _in_config_map(identity, path, objects)
    return Kind.UNEXPLAINED, ""


def _is_of_load_balancers(path: Path, after: Any, objects: tuple[Object, Object]) -> bool:
    """Whether only istioctl's side has a field that its own type of Service forbids."""
    if len(path) != 2 or path[0] != "spec" or path[1] not in _OF_LOAD_BALANCERS or after != ABSENT:
        return False
    return all((obj.get("spec") or {}).get("type") != "LoadBalancer" for obj in objects)


def _wants_text(path: Path) -> bool:
    """Whether a place takes a text: an entry of a map of texts, the value of an environment variable."""
    if len(path) < 2 or path[0] == "data":
        return len(path) == 2
    return path[-2] in _TEXT_MAPS or (path[-1] == "value" and len(path) > 2 and path[-3] == "env")


def _is_text_of(text: Any, value: Any) -> bool:
    """Whether a text is how a number, true or false is written."""
    if not isinstance(text, str) or not isinstance(value, bool | int | float) or not _PLAIN_TEXT.match(text):
        return False
    try:
        read = parse_document(f"value: {text}")["value"]
    except RenderError:
        return False
    return isinstance(read, bool) == isinstance(value, bool) and bool(read == value)


def _selects(label: str, objects: tuple[Object, Object]) -> bool:
    """Whether a label is part of either side's own selector."""
    return any(label in _selector(obj) for obj in objects)


def _selector(obj: Object) -> Mapping[str, Any]:
    """The labels that a workload selects its pods by."""
    selector = (obj.get("spec") or {}).get("selector") or {}
    return selector.get("matchLabels") or {}


def _is_of_gateway(objects: tuple[Object, Object]) -> bool:
    """Whether it is a gateway's object."""
    return any(
        ((obj.get("metadata") or {}).get("labels") or {}).get("operator.istio.io/component")
        in ("IngressGateways", "EgressGateways")
        for obj in objects
    )


def _by_gateway_charts(
    path: Path, before: Any, after: Any, objects: tuple[Object, Object], own: Mapping[str, Any]
) -> bool:
    """Whether a label of a gateway's object is one that the charts write by themselves.

    The gateway chart writes the gateway's own labels on every object, istioctl's charts do not.
    """
    if path[:-1] != LABEL_PLACES[0] or not _is_of_gateway(objects):
        return False
    return path[-1] in _WRITTEN_BY_CHARTS or (before == ABSENT and own.get(path[-1]) == after)


def _says_default(path: Path, values: tuple[Any, Any], objects: tuple[Object, Object]) -> bool:
    if not _is_of_gateway(objects):
        return False
    on_pods = path[0] != "metadata"
    if path[-1] in _GATEWAY_LABELS:
        said = _GATEWAY_LABELS[path[-1]]
        return values == (ABSENT, said) or (not on_pods and values == (said, ABSENT))
    # on the object itself the revision is a remark; on pods it chooses the injector
    return path[-1] == "istio.io/rev" and (not on_pods or set(values) == {"default", ABSENT})


def _in_config_map(identity: ObjectId, path: Path, objects: tuple[Object, Object]) -> tuple[Kind, str]:
    if re.fullmatch(r"values(-.+)?", identity.name) and path[1:2] in (("original-values",), ("merged-values",)):
        return Kind.UNREAD, "a record of the values that were given, for people"
    if identity.name.startswith("istio-sidecar-injector") and path[1:2] == ("values",) and len(path) > 2:
        place = path[2:]
        if not any(_touches(place, reference) for reference in (*_READ_BY_ISTIOD, *_template_references(objects))):
            return Kind.UNREAD, "no injection template reads this value"
    return Kind.UNEXPLAINED, ""


def _touches(place: Path, reference: Path) -> bool:
    shared = min(len(place), len(reference))
    return place[:shared] == reference[:shared]


def _template_references(objects: tuple[Object, Object]) -> set[Path]:
    """Every value that the injection templates of either side refer to."""
    found: set[Path] = set()
    for obj in objects:
        config = (obj.get("data") or {}).get("config")
        for text in _texts(config):
            for match in _REFERENCE.findall(text):
                found.add(tuple(step for step in match.replace(")", "").split(".") if step))
            for match in _INDEXED.findall(text):
                found.add(tuple(re.findall(r"[\w-]+", match)))
    return found


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for child in value.values() for text in _texts(child)]
    return []


def is_nameless(identity: ObjectId) -> bool:
    """Whether an object comes of a gateway without a name, which istioctl renders but no cluster accepts."""
    return not identity.name or identity.name in ("-sds", "-service-account")


def only_with_helm(identity: ObjectId, nameless: Collection[str] = ()) -> tuple[Kind, str]:
    """The class of an object that only Helm's side has.

    Args:
        identity: the object's identity.
        nameless: kinds of which istioctl's side has an object without a name.
    """
    for kind, name, why in _ONLY_WITH_HELM:
        if re.fullmatch(kind, identity.kind) and re.fullmatch(name, identity.name):
            return Kind.NEW, why
    if identity.kind in nameless:
        return Kind.NEW, "has the name that the operator leaves out, and that istioctl does not fill in"
    return Kind.UNEXPLAINED, "istioctl's side has no such object"


def only_with_istioctl(identity: ObjectId) -> tuple[Kind, str]:
    """The class of an object that only istioctl's side has."""
    if is_nameless(identity):
        return Kind.ORPHAN, "has no name, since the gateway has none: no cluster accepts it"
    return Kind.UNEXPLAINED, f"no release brings this {identity.kind}"
