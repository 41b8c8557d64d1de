"""From operator files, flags and profiles to the one merged operator that istioctl renders.

Source of the facts: operator/pkg/render/manifest.go of Istio's release tags, TranslateHelmValues in
operator/pkg/translate/translate.go up to 1.23.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from istio_convert.errors import NotIstioOperatorError, RenderError
from istio_convert.verify.charts import ReleaseCharts
from istio_convert.verify.manifests import parse_document, split_documents
from istio_convert.verify.reference.refused import RefusedError
from istio_convert.verify.reference.semantics import Semantics
from istio_convert.verify.reference.tree import (
    Tree,
    get_map,
    get_path,
    get_text,
    go_text,
    merge_from,
    set_path,
    set_paths,
)

DEFAULT_NAMESPACE = "istio-system"

#: Fields of the spec that become values. meshConfig is a map and is merged instead.
_TRANSLATIONS = {
    "hub": "global.hub",
    "tag": "global.tag",
    "revision": "revision",
    "compatibilityVersion": "compatibilityVersion",
    "meshConfig": "meshConfig",
}


def read_operators(files: Sequence[tuple[str, str]]) -> list[Tree]:
    """The IstioOperator documents of files, in order.

    A ``List``, as ``kubectl get -o yaml`` gives it, stands for its items; other kinds are passed over. A document
    without apiVersion and kind counts as an operator, as with istioctl.

    Args:
        files: (name, text) of each file.

    Raises:
        NotIstioOperatorError: there is none.
        RenderError: a document is no YAML map.
    """
    found: list[Tree] = []
    for name, text in files:
        for document in split_documents(text):
            try:
                parsed = parse_document(document)
            except RenderError as error:
                raise RenderError(f"{name}: {error.message}", hint=error.hint) from error
            if not isinstance(parsed, dict):
                continue
            items = parsed.get("items") if str(parsed.get("kind", "")).endswith("List") else None
            for item in items if isinstance(items, list) else [parsed]:
                if isinstance(item, dict) and item.get("kind", "IstioOperator") == "IstioOperator":
                    found.append(item)  # noqa: PERF401 (clearer than a nested comprehension)
    if not found:
        raise NotIstioOperatorError("no IstioOperator in the input")
    return found


def group_operators(operators: Sequence[Tree]) -> list[list[Tree]]:
    """Which documents are laid over one another, as with several ``-f``, and which are operators of their own.

    A document whose name was seen before, or that has none, is laid over; another name is another operator. A first
    document without a name is the base of the one that follows.
    """
    groups: list[list[Tree]] = []
    known: dict[tuple[str, str], int] = {}
    for operator in operators:
        name = get_text(operator, "metadata", "name")
        identity = (get_text(operator, "metadata", "namespace"), name)
        if name and identity in known:
            groups[known[identity]].append(operator)
            continue
        if groups and (not name or not known):
            groups[-1].append(operator)
        else:
            groups.append([operator])
        if name:
            known[identity] = len(groups) - 1
    return groups


def merge_inputs(operators: Sequence[Tree], sets: Sequence[str], charts: ReleaseCharts, semantics: Semantics) -> Tree:
    """The merged operator: default profile < named profile < documents in order < flags, translated to values.

    Args:
        operators: documents that are laid over one another; not changed.
        sets: the texts of ``--set``, without their leading ``spec.``.
        charts: whose profiles are used, hub and tag as in the release.
        semantics: of the istioctl.

    Raises:
        RenderError: no such profile, or a flag that cannot be applied.
    """
    user: Tree = {"apiVersion": "install.istio.io/v1alpha1", "kind": "IstioOperator", "metadata": {}, "spec": {}}
    for operator in operators:
        merge_from(
            user, {key: value for key, value in copy.deepcopy(operator).items() if key != "spec" or value is not None}
        )
    for flag in sets:
        set_paths(user, f"spec.{flag.removeprefix('spec.')}", all_equals=semantics.set_all_equals)
    if not isinstance(user.get("spec"), dict):
        raise RenderError("istioctl refuses the input: spec is no map")
    profile = get_text(user, "spec", "profile") or "default"
    own_values = get_map(user, "spec", "values")
    if semantics.values_win:
        own_values = copy.deepcopy(own_values)  # before the merge makes these very maps part of the base
    base = read_profile(profile, charts)
    merge_from(base, user)
    _translate(base, semantics)
    if own_values is not None:
        merge_from(base, {"spec": {"values": copy.deepcopy(own_values)}})
    unvalidated = get_map(base, "spec", "unvalidatedValues")
    if unvalidated is not None:
        merge_from(base, {"spec": {"values": copy.deepcopy(unvalidated)}})
    return base


def assumed_plane(merged: Tree, charts: ReleaseCharts, semantics: Semantics) -> Tree:
    """The control plane of gateways whose operator has none: without settings, and where that operator expects it.

    Which control plane it is (namespace, revision), on which platform, and the profile are the gateways' own business:
    the conversion carries them into the gateways' releases.

    Args:
        merged: the merged operator of the gateways; not changed.
        charts: whose profiles are used.
        semantics: of the istioctl.
    """
    plane: Tree = {"spec": {"profile": get_text(merged, "spec", "profile"), "values": {}}}
    for steps in (("revision",), ("global", "istioNamespace"), ("global", "platform")):
        if (value := get_path(merged, "spec", "values", *steps)) is not None:
            set_path(plane, ".".join(("spec", "values", *steps)), value)
    return merge_inputs([plane], (), charts, semantics)


def read_profile(name: str, charts: ReleaseCharts) -> Tree:
    """A profile merged over the default one.

    Raises:
        RefusedError: there is no such profile.
    """
    base = _profile(charts.profile("default"))
    if name != "default":
        try:
            merge_from(base, _profile(charts.profile(name)))
        except RenderError as error:
            raise RefusedError(error.message, "profile", name, hint=error.hint) from error
    return base


def _profile(text: str) -> Tree:
    parsed: Tree = parse_document(text)
    return parsed


def _translate(base: Tree, semantics: Semantics) -> None:
    """Turn fields of the spec into values, and tell the charts which components there are."""
    spec: Tree = base["spec"]
    for field, target in _TRANSLATIONS.items():
        if field not in spec:
            continue
        value = spec[field]
        if isinstance(value, dict):
            merge_from(base, {"spec": {"values": {"meshConfig": copy.deepcopy(value)}}})
        else:
            set_paths(base, f"spec.values.{target}={go_text(value)}", all_equals=semantics.set_all_equals)
    set_path(base, "spec.values.pilot.enabled", _true(base, "spec", "components", "pilot", "enabled"))
    cni = _true(base, "spec", "components", "cni", "enabled")
    set_path(base, f"spec.values.{'istio_cni' if semantics.old_component_state else 'pilot.cni'}.enabled", cni)
    if semantics.old_component_state:
        namespace = get_text(base, "spec", "components", "base", "namespace")
        namespace = namespace or get_text(base, "spec", "values", "global", "istioNamespace")
        set_path(base, "spec.values.global.enabled", _true(base, "spec", "components", "base", "enabled"))
        set_path(base, "spec.values.global.namespace", namespace or DEFAULT_NAMESPACE)
    if namespace := get_text(base, "spec", "values", "global", "istioNamespace"):
        set_path(base, "metadata.namespace", namespace)


def _true(tree: Any, *steps: str) -> bool:
    return get_path(tree, *steps) is True
