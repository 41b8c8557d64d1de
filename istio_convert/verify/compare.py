"""The comparison of both sides, object by object."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from istio_convert.shapes import APART, shaped
from istio_convert.verify import gateways
from istio_convert.verify.explain import LABEL_PLACES, Path, explain, is_nameless, only_with_helm, only_with_istioctl
from istio_convert.verify.findings import ABSENT, Compared, Difference, Kind
from istio_convert.verify.live import is_live, set_aside
from istio_convert.verify.manifests import Object, ObjectId, Rendered
from istio_convert.verify.normal import normal_form
from istio_convert.verify.rbac import pair_roles, under_other_name
from istio_convert.verify.tags import join_variant, read_as_release, without_image_type
from istio_convert.verify.texts import read_text


def compare(
    reference: Sequence[Rendered], candidate: Sequence[Rendered], *, tags: Mapping[str, str] | None = None
) -> list[Compared]:
    """Compare istioctl's side with Helm's.

    Args:
        reference: istioctl's objects, or those of a cluster.
        candidate: Helm's objects.
        tags: pinned tags that the conversion leaves to the chart, with what takes their place; applied to istioctl's
            side.

    Returns:
        Every object of either side, ordered by kind, namespace and name.
    """
    return _Comparison(reference, candidate, tags or {}).run()


_WORKLOADS = ("Deployment", "DaemonSet")


class _Comparison:
    def __init__(self, reference: Sequence[Rendered], candidate: Sequence[Rendered], tags: Mapping[str, str]) -> None:
        self._tags = tags
        self._before = {item.id: _shaped(item) for item in reference}
        self._times = Counter(item.id for item in reference)
        self._after: dict[ObjectId, Rendered] = {}
        self._owners: dict[ObjectId, list[str]] = defaultdict(list)
        for item in candidate:
            self._after[item.id] = _shaped(item)
            self._owners[item.id].append(item.release)
        self._autoscaled = {
            (identity.namespace, str((_at(item.object, ("spec", "scaleTargetRef"))).get("name")))
            for identity, item in self._after.items()
            if identity.kind == "HorizontalPodAutoscaler"
        }

    @cached_property
    def _proxy_metadata(self) -> dict[str, Any]:
        """What the meshes of Helm's side give to every proxy."""
        found: dict[str, Any] = {}
        for identity, item in self._after.items():
            if identity.kind == "ConfigMap" and (identity.name == "istio" or identity.name.startswith("istio-")):
                mesh = read_text((item.object.get("data") or {}).get("mesh"))
                found |= _at(mesh, ("defaultConfig", "proxyMetadata"))
        return found

    @cached_property
    def _labels(self) -> dict[str, dict[str, Any]]:
        """The labels of the workloads of Helm's side, by release."""
        found: dict[str, dict[str, Any]] = {}
        for identity, item in self._after.items():
            if identity.kind in _WORKLOADS:
                found.setdefault(item.release, {}).update(_at(item.object, LABEL_PLACES[0]))
        return found

    def run(self) -> list[Compared]:
        both = [identity for identity in self._before if identity in self._after]
        mine = {i: self._reference_form(i, None) for i in self._before if i not in self._after and _is_role(i)}
        theirs = {i: normal_form(self._after[i].object) for i in self._after if i not in self._before and _is_role(i)}
        roles = pair_roles(mine, theirs)
        result = [self._pair(identity, identity) for identity in both]
        result += [self._pair(identity, other) for identity, other in roles.items()]
        nameless = {identity.kind for identity in self._before if is_nameless(identity)}
        for identity, item in self._before.items():
            if identity not in self._after and identity not in roles:
                kind, why = only_with_istioctl(identity)
                result.append(Compared(identity, item.release, "", (Difference(kind, "", why=why),)))
        for identity, item in self._after.items():
            if identity not in self._before and identity not in roles.values():
                kind, why = only_with_helm(identity, nameless)
                result.append(Compared(identity, "", item.release, (Difference(kind, "", why=why),)))
        return sorted(result, key=lambda compared: (compared.id.kind, compared.id.namespace, compared.id.name))

    def _pair(self, identity: ObjectId, other: ObjectId) -> Compared:
        before, after = self._before[identity], self._after[other]
        differences: list[Difference] = []
        owners = self._owners[other]
        if len(set(owners)) > 1:
            why = f"several releases bring it: {', '.join(owners)}"
            differences.append(Difference(Kind.UNEXPLAINED, "", why=why))
        elif len(owners) > max(1, self._times[identity]):
            # the same chart may well render one object twice, then it does so on both sides
            why = f"its release renders it {len(owners)} times, istioctl {self._times[identity]}"
            differences.append(Difference(Kind.UNEXPLAINED, "", why=why))
        if before.object != after.object:
            equal = _equal_parts(before.object, after.object)
            mine = self._reference_form(identity, after.object, equal)
            theirs = self._candidate_form(other, equal)
            if identity != other:
                theirs = under_other_name(theirs, identity.name)
            differences += self._differences(identity, mine, theirs, before, after.release)
        if identity != other:
            why = f"{other} takes its place; delete this one once the gateway runs under Helm"
            differences.append(Difference(Kind.ORPHAN, "metadata.name", identity.name, other.name, why))
        paired = other if identity != other else None
        return Compared(identity, before.release, after.release, tuple(differences), paired)

    def _reference_form(self, identity: ObjectId, other: Object | None, skip: Iterable[str] = ()) -> Object:
        item = self._before[identity]
        obj = _with_namespace(item, skip)
        if is_live(obj):
            obj = set_aside(obj, other, autoscaled=(identity.namespace, identity.name) in self._autoscaled)
        return self._config_form(identity, read_as_release(normal_form(obj), self._tags))

    def _candidate_form(self, identity: ObjectId, skip: Iterable[str]) -> Object:
        return self._config_form(identity, normal_form(_with_namespace(self._after[identity], skip)))

    def _config_form(self, identity: ObjectId, form: Object) -> Object:
        """Configuration with what has two spellings written in one."""
        data = form.get("data")
        if identity.kind != "ConfigMap" or not isinstance(data, dict):
            return form
        if not identity.name.startswith("istio-sidecar-injector"):
            return without_image_type(form, self._tags)
        values = data.get("values")
        if isinstance(values, dict):
            values = copy.deepcopy(values)
            join_variant(values)
            _join_cni(values)
            form = {**form, "data": {**data, "values": values}}
        return form

    def _differences(
        self, identity: ObjectId, mine: Object, theirs: Object, item: Rendered, release: str
    ) -> list[Difference]:
        whole = (mine, theirs)
        found: list[Difference] = []
        if identity.kind in _WORKLOADS and gateways.is_injected(theirs) and _at(mine, gateways.POD):
            plain = read_as_release(normal_form(item.plain), self._tags) if item.plain is not None else None
            mine, theirs = self._with_pull_secrets(identity, mine, theirs, found)
            mine, theirs, provided = gateways.set_aside(mine, theirs, plain, self._proxy_metadata)
            found += provided
        elif identity.kind == "ServiceAccount":
            # the pods that use the account are compared with the secrets that they end up with
            mine, theirs = ({k: v for k, v in side.items() if k != "imagePullSecrets"} for side in whole)
        elif identity.kind == "Service":
            theirs = _with_ports_as_in(mine, theirs)
        for path, before, after in _all_differences(mine, theirs):
            kind, why = explain(identity, path, before, after, whole, self._labels.get(release, {}))
            found.append(Difference(kind, path_text(path), before, after, why, path))
        return sorted(found, key=lambda difference: difference.path)

    def _with_pull_secrets(
        self, identity: ObjectId, mine: Object, theirs: Object, found: list[Difference]
    ) -> tuple[Object, Object]:
        """Both workloads with the pull secrets that their pods end up with: their own, else their account's."""
        sides = []
        for form, objects in ((mine, self._before), (theirs, self._after)):
            pod = dict(form["spec"]["template"]["spec"])
            if not pod.get("imagePullSecrets"):
                account = ObjectId("", "ServiceAccount", identity.namespace, str(pod.get("serviceAccountName", "")))
                owner = objects.get(account)
                secrets = normal_form(owner.object).get("imagePullSecrets") if owner is not None else None
                if secrets:
                    pod["imagePullSecrets"] = secrets
            template = {**form["spec"]["template"], "spec": pod}
            sides.append({**form, "spec": {**form["spec"], "template": template}})
        before, after = (side["spec"]["template"]["spec"] for side in sides)
        item = self._before[identity]
        if "imagePullSecrets" in before and "imagePullSecrets" not in after and item.plain is not None:
            account = ObjectId("", "ServiceAccount", identity.namespace, str(before.get("serviceAccountName", "")))
            owner = self._before.get(account)
            plain = normal_form(owner.plain) if owner is not None and owner.plain is not None else {}
            if plain.get("imagePullSecrets") == before["imagePullSecrets"]:
                secrets = before.pop("imagePullSecrets")
                path = "spec.template.spec.imagePullSecrets"
                found.append(Difference(Kind.INJECTION, path, secrets, ABSENT, "the injector writes it into the pod"))
        return sides[0], sides[1]


def _shaped(item: Rendered) -> Rendered:
    """An object with what has no shape of the API set apart."""
    plain = shaped(item.plain) if item.plain is not None else None
    return Rendered(item.release, item.namespace, shaped(item.object), plain)


def _is_role(identity: ObjectId) -> bool:
    return identity.kind in ("Role", "RoleBinding")


def _equal_parts(before: Object, after: Object) -> list[str]:
    """Top-level parts that are the same on both sides as they are, and need no closer look."""
    if before.get("kind") in _WORKLOADS:
        return []
    kept = ("apiVersion", "kind", "metadata")
    return [key for key, value in before.items() if key not in kept and key in after and after[key] == value]


def _with_namespace(item: Rendered, skip: Iterable[str] = ()) -> Object:
    """The object with the namespace that it will land in, without some of its top-level parts."""
    metadata = item.object.get("metadata") or {}
    if item.id.namespace and not metadata.get("namespace"):
        metadata = {**metadata, "namespace": item.id.namespace}
    rest = {key: value for key, value in item.object.items() if key not in skip}
    return {**rest, "metadata": metadata}


def _with_ports_as_in(mine: Object, theirs: Object) -> Object:
    """Helm's Service (normal form) with its ports in istioctl's order where they are the same ports.

    The API server keeps ports by number and protocol. Their order counts for a load balancer only: some clouds probe
    the first port.
    """
    ports, others = (_at(side, ("spec",)).get("ports") or [] for side in (mine, theirs))
    keys = {(port.get("port"), port.get("protocol", "TCP")) for port in ports}
    balanced = any(_at(side, ("spec",)).get("type") == "LoadBalancer" for side in (mine, theirs))
    if balanced or len(keys) < len(ports) or len(ports) != len(others) or any(port not in others for port in ports):
        return theirs
    return {**theirs, "spec": {**theirs["spec"], "ports": ports}} if ports else theirs


def _join_cni(values: dict[str, Any]) -> None:
    """Write ``istio_cni.enabled`` (up to 1.23) as ``pilot.cni.enabled``: the templates ask for either."""
    old = values.get("istio_cni")
    if not isinstance(old, dict):
        return
    pilot = values.setdefault("pilot", {})
    cni = pilot.setdefault("cni", {}) if isinstance(pilot, dict) else {}
    if isinstance(cni, dict):
        cni["enabled"] = bool(cni.get("enabled")) or bool(old.pop("enabled", False))


def _all_differences(mine: Object, theirs: Object) -> Iterator[tuple[Path, Any, Any]]:
    """Where two objects differ; labels first, as they differ almost always."""
    for place in LABEL_PLACES:
        labels = [_at(side, place) for side in (mine, theirs)]
        for key in sorted({*labels[0], *labels[1]}):
            before, after = labels[0].get(key, ABSENT), labels[1].get(key, ABSENT)
            if before != after:
                yield (*place, key), before, after
        mine, theirs = _without(mine, place), _without(theirs, place)
    if mine != theirs:
        yield from leaf_differences(mine, theirs)


def _at(node: Any, place: Path) -> dict[str, Any]:
    for step in place:
        node = node.get(step) if isinstance(node, dict) else None
    return node if isinstance(node, dict) else {}


def _without(node: Object, place: Path) -> Object:
    """A copy without what lies at a path; it shares the rest."""
    step, *rest = place
    if step not in node:
        return node
    if not rest:
        return {key: value for key, value in node.items() if key != step}
    child = node[step]
    return {**node, step: _without(child, tuple(rest))} if isinstance(child, dict) else node


def leaf_differences(before: Any, after: Any) -> Iterator[tuple[Path, Any, Any]]:
    """Where two normal forms differ, down to the leaves, as (path, before, after)."""
    # slow to import, and not needed where only labels differ
    from deepdiff import DeepDiff  # noqa: PLC0415
    from deepdiff.helper import notpresent  # noqa: PLC0415

    def shown(value: Any) -> Any:
        return ABSENT if value is notpresent else value

    found = DeepDiff(before, after, view="tree", ignore_numeric_type_changes=True, threshold_to_diff_deeper=0)
    for group in found.values():
        for change in group:
            path = tuple(str(step) for step in change.path(output_format="list"))
            yield from _leaves(path, shown(change.t1), shown(change.t2))


def _leaves(path: Path, before: Any, after: Any) -> Iterator[tuple[Path, Any, Any]]:
    """A map that only one side has, taken apart into its leaves."""
    for one, other in ((before, after), (after, before)):
        if other == ABSENT and isinstance(one, dict) and one:
            for key, child in one.items():
                pair = (child, ABSENT) if one is before else (ABSENT, child)
                yield from _leaves((*path, str(key)), *pair)
            return
    yield path, before, after


def path_text(path: Iterable[str]) -> str:
    """Steps as text: ``spec.containers[discovery].ports[0]``."""
    text = ""
    steps = iter(path)
    for step in steps:
        if step == APART:
            text = next(steps, APART)
        elif step.startswith("["):
            text += step
        elif step.isdigit():
            text += f"[{step}]"
        else:
            escaped = step.replace(".", "\\.")
            text += f".{escaped}" if text else escaped
    return text
