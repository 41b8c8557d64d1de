"""Flux: one source, one HelmRelease per release, and a Kustomization that lists them in order.

What is deliberately absent: remediation (a failed install that remediates uninstalls what it adopted), ``force`` (it
replaces live objects), and a ``rollback`` (it would return to a state without the patches).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from istio_convert.emit import webhooks
from istio_convert.emit.base import Capability, EmitOptions, Files, Unit, control_namespace, units
from istio_convert.emit.crds import CrdHandling, crd_handling
from istio_convert.emit.guides.flux import guide as flux_guide
from istio_convert.emit.kustomize import API_VERSION as KUSTOMIZE_API
from istio_convert.emit.kustomize import commented, inline_patches
from istio_convert.emit.layout import compact
from istio_convert.emit.readme import readme, with_patches
from istio_convert.emit.schema_note import schema_note
from istio_convert.release import Release
from istio_convert.source.writer import Flow, dump

_SOURCE_API = "source.toolkit.fluxcd.io/v1"
_SOURCE_INTERVAL = "1h"  # a pinned chart does not change
_REPOSITORY = "istio"
_TAKEN = frozenset({"kustomization", "source"})  # names of files that are no release
_CHART_LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
_CRD_POLICY = {CrdHandling.APPLY: "CreateReplace", CrdHandling.SKIP: "Skip"}
_NO_SUBSTITUTION = {"kustomize.toolkit.fluxcd.io/substitute": "disabled"}


class Flux:
    """The emitter for Flux."""

    name = "flux"
    capabilities = frozenset(Capability)

    def files(self, releases: Sequence[Release], options: EmitOptions) -> Files:
        """``kustomization.yaml``, ``source.yaml``, one file per release in order, ``README.md``."""
        plan = units(releases)
        home = options.flux_namespace or control_namespace(releases)
        named = {_file(unit): dump(_helm_release(unit, plan, home, options)) for unit in plan}
        sources = "---\n".join(dump(source) for source in _sources(plan, home, options))
        kustomization = {
            "apiVersion": KUSTOMIZE_API,
            "kind": "Kustomization",
            "resources": ["source.yaml", *named],
        }
        return {
            "kustomization.yaml": dump(kustomization),
            "source.yaml": sources,
            **named,
            "README.md": _readme(plan, home, options),
        }


def _file(unit: Unit) -> str:
    stem = f"{unit.slug}-release" if unit.slug in _TAKEN else unit.slug
    return f"{stem}.yaml"


def _uses_chart_ref(options: EmitOptions) -> bool:
    return options.is_oci if options.flux_chart_ref is None else options.flux_chart_ref


def _sources(plan: Sequence[Unit], home: str, options: EmitOptions) -> list[dict[str, Any]]:
    if not _uses_chart_ref(options):
        kind: dict[str, Any] = {"type": "oci"} if options.is_oci else {}
        spec = {**kind, "interval": _SOURCE_INTERVAL, "url": options.chart_url}
        return [_object(_SOURCE_API, "HelmRepository", _REPOSITORY, home, spec)]
    found: dict[str, dict[str, Any]] = {}
    for unit in plan:
        name = _oci_name(unit, plan)
        spec = {
            "interval": _SOURCE_INTERVAL,
            "url": f"{options.chart_url}/{unit.release.chart}",
            "layerSelector": {"mediaType": _CHART_LAYER, "operation": "copy"},
            "ref": {"tag": unit.release.version},
        }
        found.setdefault(name, _object(_SOURCE_API, "OCIRepository", name, home, spec))
    return list(found.values())


def _oci_name(unit: Unit, plan: Sequence[Unit]) -> str:
    """``istio-<chart>``; with the version when the releases use several versions of the chart."""
    chart = unit.release.chart
    versions = {other.release.version for other in plan if other.release.chart == chart}
    if len(versions) == 1:
        return f"{_REPOSITORY}-{chart}"
    return f"{_REPOSITORY}-{chart}-{unit.release.version.lower().replace('.', '-').replace('+', '-')}"


def _object(api: str, kind: str, name: str, namespace: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def _helm_release(unit: Unit, plan: Sequence[Unit], home: str, options: EmitOptions) -> dict[str, Any]:
    release = unit.release
    values = release.values_data()
    spec: dict[str, Any] = {"interval": options.interval, "releaseName": release.name}
    spec["targetNamespace"] = release.namespace
    if release.namespace != home:
        # otherwise Helm's own record of the release would lie in the namespace of the HelmRelease
        spec["storageNamespace"] = release.namespace
    if unit.needs:
        spec["dependsOn"] = [{"name": need.slug} for need in unit.needs]
    if _uses_chart_ref(options):
        spec["chartRef"] = Flow({"kind": "OCIRepository", "name": _oci_name(unit, plan)})
    else:
        source = Flow({"kind": "HelmRepository", "name": _REPOSITORY})
        spec["chart"] = {"spec": {"chart": release.chart, "version": release.version, "sourceRef": source}}
    spec["install"] = _action(release, options, create_namespace=release.namespace != home)
    spec["upgrade"] = _action(release, options, create_namespace=False)
    if options.drift_detection:
        spec["driftDetection"] = _drift_detection(release)
    if values:
        spec["values"] = compact(values)
    if release.patches:
        spec["postRenderers"] = [{"kustomize": {"patches": inline_patches(release.patches)}}]
    document = _object("helm.toolkit.fluxcd.io/v2", "HelmRelease", unit.slug, home, spec)
    if _would_be_substituted(release, values):
        why = "values or patches hold '${…}' or '$$', which Flux's post-build substitution would rewrite"
        document["metadata"]["annotations"] = commented(_NO_SUBSTITUTION, why)
    return document


def _action(release: Release, options: EmitOptions, *, create_namespace: bool) -> dict[str, Any]:
    """The settings of install or upgrade."""
    action: dict[str, Any] = {}
    if create_namespace:
        action["createNamespace"] = True
    if policy := _CRD_POLICY.get(crd_handling(release)):
        action["crds"] = policy
    if release.skip_schema:
        action["disableSchemaValidation"] = commented(True, schema_note(release))
    if options.disable_take_ownership:
        action["disableTakeOwnership"] = True
    action["strategy"] = Flow({"name": "RetryOnFailure"})
    return action


def _drift_detection(release: Release) -> dict[str, Any]:
    ignore: list[Any] = [
        commented(
            {"paths": hook.pointers(), "target": Flow({"group": webhooks.GROUP, "kind": hook.kind, "name": hook.name})},
            webhooks.WHY,
        )
        for hook in webhooks.webhooks(release)
    ]
    if release.chart in ("istiod", "gateway"):
        target = Flow({"group": "apps", "kind": "Deployment"})
        ignore.append(commented({"paths": Flow(["/spec/replicas"]), "target": target}, "belongs to the autoscaler"))
    return {"mode": "enabled", "ignore": ignore} if ignore else {"mode": "enabled"}


def _would_be_substituted(release: Release, values: dict[str, Any]) -> bool:
    text = json.dumps([values, *(patch.body for patch in release.patches)], ensure_ascii=False)
    return "${" in text or "$$" in text


def _readme(plan: Sequence[Unit], home: str, options: EmitOptions) -> str:
    contents = [
        ("kustomization.yaml", "lists the objects in order; the other files of this folder are not applied"),
        ("source.yaml", "where the charts come from"),
        *((_file(unit), with_patches(f"release {unit.slug}, its values", unit)) for unit in plan),
    ]
    guide = flux_guide(plan, home, options, contents=contents, from_registry=_uses_chart_ref(options))
    return readme(guide, plan, options)
