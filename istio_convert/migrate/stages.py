"""The sets of releases: in place there is one; a canary has one beside the old control plane, and then the final one.

What exists once per cluster (base, CNI node agent, ztunnel) is taken over in place by both strategies. istiod and the
gateways get a second copy in a canary: istiod by its revision, gateways by another name, so that neither the old
Service nor the new one selects the pods of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from istio_convert.errors import OutputError
from istio_convert.migrate.model import Converted, Stage, Strategy
from istio_convert.migrate.options import Options, revision_of
from istio_convert.release import Patch, Release, Target
from istio_convert.source.nodes import Mapping, clone, from_data, get, put

#: In which order releases are applied.
_ORDER = {"base": 0, "istiod-remote": 1, "cni": 1, "istiod": 2, "ztunnel": 3, "gateway": 4}
#: Charts of what there is once per cluster: a canary takes it over in place, and must not uninstall it on the way back.
SHARED = frozenset({"base", "cni", "ztunnel"})
#: What a second Service must not share with the first.
_UNIQUE_SERVICE_FIELDS = ("clusterIP", "clusterIPs", "loadBalancerIP", "healthCheckNodePort")


def build(conversion: Converted, options: Options, beside: Converted | None = None) -> tuple[Stage, ...]:
    """The stages of a migration.

    Args:
        conversion: the operators as they are.
        options: how to go over.
        beside: for a canary: the same operators with the new revision.

    Raises:
        OutputError: a canary without its conversion, or with the revision that runs already.
    """
    if options.strategy is Strategy.IN_PLACE:
        return (Stage("final", tuple(_ordered(conversion.releases))),)
    if beside is None:
        raise OutputError("a canary needs the conversion with the new revision")
    revision = revision_of(options, conversion.version)
    if revision in old_revisions(conversion):
        raise OutputError(
            "the second control plane would have the revision that runs already", hint="--revision with another name"
        )
    shared = [release for release in conversion.releases if release.chart in SHARED]
    istiods = [_with_tags(release, options) for release in beside.releases if release.chart == "istiod"]
    names = {release.name for release in istiods}
    old = {release.name for release in conversion.releases if release.chart == "istiod"}
    shared = [_needing(release, old, names) for release in shared]
    gateways = [_second_gateway(r, options, names) for r in beside.releases if r.chart == "gateway"]
    before = _ordered([*shared, *istiods, *gateways])
    after = _ordered(
        [
            *(_new_default(r, revision) for r in shared),
            *(_default_tag(r, options, conversion) for r in istiods),
            *(_own_account(r, beside.releases) for r in gateways),
        ]
    )
    return Stage("beside", tuple(before)), Stage("final", tuple(after))


def old_revisions(conversion: Converted) -> tuple[str, ...]:
    """The revisions that run now; ``default`` stands for none."""
    found = [str(operator.value("revision") or "default") for operator in conversion.operators]
    return tuple(dict.fromkeys(found))


def _needing(release: Release, old: set[str], new: set[str]) -> Release:
    """A release that needs an istiod needs the new one."""
    needs = [name for name in release.depends_on if name not in old]
    if needs != release.depends_on:
        needs += sorted(new)
    return replace(release, depends_on=needs)


def gateway_labels(release: Release) -> dict[str, str]:
    """What the gateway's Service selects."""
    labels = release.values_data().get("labels")
    return {str(k): str(v) for k, v in labels.items()} if isinstance(labels, dict) else {}


def object_of(release: Release) -> str:
    """The name of the main object of a release."""
    values = release.values_data()
    if release.chart == "istiod":
        revision = values.get("revision") or _dict(values, "pilot").get("revision")
        return f"istiod-{revision}" if revision else "istiod"
    if release.chart == "cni":
        return "istio-cni-node"
    if release.chart == "ztunnel":
        return str(values.get("resourceName") or "ztunnel")
    return str(values.get("name") or release.name)


def main_workload(release: Release) -> tuple[str, str] | None:
    """The workload of a release as (resource, name); base has none."""
    if release.chart == "base":
        return None
    is_daemon = release.chart in {"cni", "ztunnel"} or release.values_data().get("kind") == "DaemonSet"
    return ("daemonset.apps" if is_daemon else "deployment.apps"), object_of(release)


def _ordered(releases: Sequence[Release]) -> list[Release]:
    return sorted(releases, key=lambda release: _ORDER[release.chart])


def _edited(release: Release, edits: dict[tuple[str, ...], Any]) -> Release:
    """A copy with other values; None takes a value away."""
    values = clone(release.values)
    for path, value in edits.items():
        if value is None:
            parent = get(values, path[:-1])
            if isinstance(parent, Mapping):
                parent.items.pop(path[-1], None)
        else:
            put(values, path, from_data(value))
    return replace(release, values=values, notes=list(release.notes))


def _new_default(release: Release, revision: str) -> Release:
    if release.chart != "base" or release.values_data().get("defaultRevision") == "":
        return release
    return _edited(release, {("defaultRevision",): revision})


def _with_tags(release: Release, options: Options) -> Release:
    return _edited(release, {("revisionTags",): [options.tag]}) if options.tag else release


def _default_tag(release: Release, options: Options, conversion: Converted) -> Release:
    """The tag ``default``, for pods that ask for injection without naming a revision."""
    tags = [options.tag] if options.tag else []
    if "default" in old_revisions(conversion) and options.tag != "default":
        tags.append("default")
    return _edited(release, {("revisionTags",): tags}) if tags else release


def second_name(name: str, options: Options) -> str:
    """The second gateway's name."""
    return f"{name}-{options.gateway_suffix}"


def _second_gateway(release: Release, options: Options, istiods: set[str]) -> Release:
    """The gateway under another name, with a Service of its own or none, and the old ServiceAccount."""
    old, values = object_of(release), release.values_data()
    new = second_name(old, options)
    edits: dict[tuple[str, ...], Any] = {
        ("labels", "app"): new,
        ("serviceAccount", "create"): False,
        ("name",): new if "name" in values else None,
    }
    service = _dict(values, "service")
    for key in _UNIQUE_SERVICE_FIELDS:
        if key in service:
            edits[("service", key)] = None
    if isinstance(service.get("ports"), list):
        edits[("service", "ports")] = [_without_node_port(port) for port in service["ports"]]
    if options.traffic == "selector":
        edits[("service", "type")] = "None"
    moved = _edited(release, edits)
    moved.name = second_name(release.name, options)
    moved.patches = [
        replace(patch, target=_renamed(patch.target, old, new))
        for patch in release.patches
        if not _is_account(patch)  # the old gateway's account stays as it is
        and not (options.traffic == "selector" and patch.target.kind == "Service")
    ]
    moved.depends_on = [name for name in release.depends_on if name in istiods or not istiods]
    return moved


def _own_account(release: Release, originals: Sequence[Release]) -> Release:
    """In the end the release owns the ServiceAccount, whose name the principals of policies contain."""
    account = _dict(release.values_data(), "serviceAccount").get("name")
    own = _edited(release, {("serviceAccount", "create"): None})
    patches = [patch for original in originals if original.chart == "gateway" for patch in original.patches]
    of_account = [
        p for p in patches if _is_account(p) and p.target.name == account and p.target.namespace == own.namespace
    ]
    own.patches = [*own.patches, *of_account]
    return own


def _is_account(patch: Patch) -> bool:
    return patch.target.kind == "ServiceAccount"


def _renamed(target: Target, old: str, new: str) -> Target:
    return target._replace(name=new) if target.name == old else target


def _without_node_port(port: Any) -> Any:
    return {key: value for key, value in port.items() if key != "nodePort"} if isinstance(port, dict) else port


def _dict(values: dict[str, Any], key: str) -> dict[str, Any]:
    found = values.get(key)
    return found if isinstance(found, dict) else {}
