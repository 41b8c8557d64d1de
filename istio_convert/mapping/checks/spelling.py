"""Names inside meshConfig, Kubernetes settings and overlays that nobody knows: a warning, since nobody refuses them.

They are carried as they are, as istioctl carries them, so no outcome changes. Names are shown, values never.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from istio_convert.catalog import Catalog, versions
from istio_convert.catalog.names import (
    QUANTITY,
    MeshNames,
    Names,
    Odd,
    closest_word,
    kubernetes_names,
    meant,
    mesh_names,
    odd,
)
from istio_convert.errors import Issue, Origin
from istio_convert.mapping.overlays import path as overlaypath
from istio_convert.mapping.overlays.path import Step, overlay_value, scalar_text
from istio_convert.operator.components import GATEWAYS
from istio_convert.paths import Path, render
from istio_convert.source.nodes import Mapping, Node, Scalar, Sequence, get, leaves

#: where an operator holds what istiod reads, and its type
MESH: tuple[tuple[Path, str], ...] = (
    (("meshConfig",), "MeshConfig"),
    (("values", "meshConfig"), "MeshConfig"),
    (("unvalidatedValues", "meshConfig"), "MeshConfig"),
    (("values", "global", "meshNetworks"), "*Network"),
)
#: settings of a component whose content is of Kubernetes, and its type
SETTINGS = {
    "affinity": "Affinity",
    "env": "EnvVar",
    "hpaSpec": "HorizontalPodAutoscalerSpec",
    "imagePullPolicy": "PullPolicy",
    "podDisruptionBudget": "PodDisruptionBudgetSpec",
    "readinessProbe": "Probe",
    "resources": "ResourceRequirements",
    "securityContext": "PodSecurityContext",
    "service": "ServiceSpec",
    "strategy": "DeploymentStrategy",
    "tolerations": "Toleration",
    "volumeMounts": "VolumeMount",
    "volumes": "Volume",
}
#: parts of ``values`` that hold settings of a pod or a container (``*``: each of them), and which of them these are
VALUES: tuple[Path, ...] = (
    ("cni",),
    ("gateways", "*"),
    ("global", "proxy"),
    ("global", "proxy_init"),
    ("global", "waypoint"),
    ("pilot",),
    ("ztunnel",),
)
VALUE_SETTINGS = {
    "affinity": "Affinity",
    "lifecycle": "Lifecycle",
    "resources": "ResourceRequirements",
    "seccompProfile": "SeccompProfile",
    "tolerations": "Toleration",
    "topologySpreadConstraints": "TopologySpreadConstraint",
    "volumeMounts": "VolumeMount",
    "volumes": "Volume",
}
_CORRECT = "correct it, or remove it"
_MOST = 8


def misspelt(spec: Mapping, catalog: Catalog) -> Iterator[Issue]:
    """One warning for each name, and each word of a closed list, that nobody knows.

    Args:
        spec: the spec as the user wrote it, without the profile.
        catalog: facts about the target release.
    """
    for place, kind in MESH:
        if (node := get(spec, place)) is not None:
            names = mesh_names(catalog.version)
            for one in odd(names, kind, node, ("spec", *place)):
                yield _mesh_issue(names, one)
    if isinstance(values := spec.items.get("values"), Mapping):
        for place in VALUES:
            yield from _values(values, place, ("spec", "values"))
    components = spec.items.get("components")
    for kind, node in components.items.items() if isinstance(components, Mapping) else ():
        workload = catalog.workloads.get(kind)
        is_daemon = workload is not None and workload.kind == "DaemonSet"
        if kind in GATEWAYS and isinstance(node, Sequence):
            for index, item in enumerate(node.items):
                yield from _component(item, ("spec", "components", kind, index), is_daemon=is_daemon)
        else:
            yield from _component(node, ("spec", "components", kind), is_daemon=is_daemon)


def _values(node: Node | None, place: Path, path: Path) -> Iterator[Issue]:
    """Settings of pods and containers in a part of the values."""
    if not isinstance(node, Mapping):
        return
    if place:
        for key in node.items if place[0] == "*" else (str(place[0]),):
            yield from _values(node.items.get(key), place[1:], (*path, key))
        return
    for name, child in node.items.items():
        if kind := VALUE_SETTINGS.get(name):
            names = kubernetes_names()
            for one in odd(names, kind, child, (*path, name)):
                yield _kubernetes_issue(names, one, strict=False)


def unknown(steps: tuple[str, ...], catalog: Catalog) -> Issue | None:
    """What there is to say about one path below ``spec``, without list positions; None when its names are known."""
    tree: Node = Scalar(None)
    for step in reversed(steps):
        tree = Mapping({step: tree})
    return next(misspelt(tree, catalog), None) if isinstance(tree, Mapping) else None


def _component(component: Node, path: Path, *, is_daemon: bool) -> Iterator[Issue]:
    """The settings and overlays of a component, unless it is off."""
    settings = get(component, ("k8s",))
    enabled = get(component, ("enabled",))
    if not isinstance(settings, Mapping) or (isinstance(enabled, Scalar) and enabled.value is False):
        return
    for name, node in settings.items.items():
        if kind := SETTINGS.get(name):
            if name == "strategy" and is_daemon:
                continue  # a DaemonSet has none: that is an outcome
            names = kubernetes_names()
            for one in odd(names, kind, node, (*path, "k8s", name)):
                yield _kubernetes_issue(names, one)
        elif name == "overlays" and isinstance(node, Sequence):
            for index, overlay in enumerate(node.items):
                if isinstance(overlay, Mapping):
                    yield from _overlay(overlay, (*path, "k8s", name, index))


def _overlay(overlay: Mapping, path: Path) -> Iterator[Issue]:
    """The paths of the patches of one object, and what they put there."""
    names, kind = kubernetes_names(), scalar_text(overlay, "kind")
    patches = overlay.items.get("patches")
    if not names.is_object(kind) or not isinstance(patches, Sequence):
        return
    for index, patch in enumerate(patches.items):
        where = get(patch, ("path",))
        if not isinstance(where, Scalar) or not isinstance(where.value, str):
            continue
        below, place = _walk(where.value, kind)
        if place:
            words = f"{kind} has no field {overlaypath.render(place)} in Kubernetes: the API server drops or refuses it"
            yield Issue(words, _origin(where), _did_you_mean(names, below, place))
        elif below and (value := get(patch, ("value",))) is not None:
            node = overlay_value(value)
            for one in odd(names, below, node, (*path, "patches", index, "value")) if node is not None else ():
                yield _kubernetes_issue(names, one, strict=False)


@lru_cache(maxsize=512)
def _walk(text: str, kind: str) -> tuple[str, tuple[Step, ...]]:
    """Follow an overlay path through the types.

    Returns:
        The type where the path ends, empty when that can be anything, and nothing more. Or, where a name is not
        known: the message that lacks it, and the path up to it.
    """
    names = kubernetes_names()
    steps = overlaypath.parse(text)
    for position, step in enumerate(steps):
        if not isinstance(step, str):
            continue  # an element of a list is of the type of the list
        if kind[0] == "*":
            kind = kind[1:]
            continue
        known = names.known(kind)
        if not isinstance(known, dict) or step.startswith("["):
            return "", ()
        if step not in known:
            return kind, steps[: position + 1]
        kind = known[step]
        if not kind:
            return "", ()
    return kind, ()


def _mesh_issue(names: MeshNames, one: Odd) -> Issue:
    path = render(one.path)
    if one.is_value:
        words = f"{path} is none of the words that istiod {names.version} knows there: istioctl and istiod refuse it"
        return Issue(words, _origin(one.node), _known_words(names, one))
    if elsewhere := names.elsewhere(one.kind, str(one.path[-1])):
        words = f"istiod {names.version} knows no field {path} and ignores it; {_releases(elsewhere)}"
        return Issue(words, _origin(one.node), _CORRECT)
    words = f"no release of istiod from {versions()[0].version} on knows the field {path}: it is ignored"
    close = meant(names, one.kind, one.above, one.path)
    return Issue(words, _origin(one.node), f"did you mean {render(close)}?" if close else _CORRECT)


def _releases(ranges: str) -> str:
    first, dots, last = ranges.partition("..")
    if dots and " " not in ranges and (not first or not last):
        return f"{first} and later know it" if first else f"releases up to {last} know it"
    return f"known at {ranges}"


def _kubernetes_issue(names: Names, one: Odd, *, strict: bool = True) -> Issue:
    """A warning about what is of Kubernetes.

    Args:
        names: what is known.
        one: what is not.
        strict: whether istioctl reads it into Go's types, where upper and lower case are the same.
    """
    path = render(one.path)
    if one.is_value and one.kind == QUANTITY:
        refused = "istioctl and the API server refuse it" if strict else "the API server refuses it"
        words = f"{path} is no quantity that Kubernetes can read: {refused}"
        return Issue(words, _origin(one.node), "such as 500m, 2 or 1Gi")
    if one.is_value:
        words = f"{path} is none of the words that Kubernetes knows there: the API server refuses it"
        return Issue(words, _origin(one.node), _known_words(names, one))
    known = names.known(one.kind)
    other_case = isinstance(known, dict) and str(one.path[-1]).lower() in (name.lower() for name in known)
    refused = "" if not strict or other_case else "istioctl refuses it, "
    words = f"Kubernetes has no field {path}: {refused}the API server drops or refuses it"
    close = meant(names, one.kind, one.above, one.path)
    return Issue(words, _origin(one.node), f"did you mean {render(close)}?" if close else _CORRECT)


def _did_you_mean(names: Names, kind: str, place: tuple[Step, ...]) -> str:
    """For an overlay path: only the last name can be another, or stand one level below."""
    close = meant(names, kind, "", tuple(step for step in place if isinstance(step, str)))
    if close is None:
        return _CORRECT
    added = close[len([step for step in place[:-1] if isinstance(step, str)]) :]
    return f"did you mean {overlaypath.render((*place[:-1], *added))}?"


def _known_words(names: Names, one: Odd) -> str:
    known = names.known(one.kind)
    words = known if isinstance(known, frozenset) else frozenset[str]()
    close = closest_word(str(one.node.value), words) if isinstance(one.node, Scalar) else ""
    if close:
        return f"did you mean {close}?"
    listed = sorted(words)
    return f"one of {', '.join(listed)}" if len(listed) <= _MOST else _CORRECT


def _origin(node: Node) -> Origin | None:
    """Where a node stands; for one without a place of its own, where its first leaf stands."""
    return node.origin or next((leaf.origin for leaf in leaves(node)), None)
