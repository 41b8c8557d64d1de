"""Argo CD: one Application per release, as separate files, below one parent, or from an ApplicationSet.

Argo CD has no post-renderer. A release without patches is a Helm source; one with patches is a Kustomize source that
inflates the chart and patches it, and then the Application points to the Git repository that holds this output.
No Application carries a finalizer: deleting one must not delete the mesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from istio_convert.emit import webhooks
from istio_convert.emit.base import Capability, EmitOptions, Files, Unit, control_namespace, units
from istio_convert.emit.crds import CrdHandling, crd_handling
from istio_convert.emit.guides.argocd import guide as argocd_guide
from istio_convert.emit.kustomize import API_VERSION as KUSTOMIZE_API
from istio_convert.emit.kustomize import commented, inline_patches
from istio_convert.emit.layout import compact
from istio_convert.emit.readme import readme, with_patches
from istio_convert.emit.schema_note import schema_note
from istio_convert.release import Release
from istio_convert.source.writer import Flow, Literal, dump

UNKNOWN_REPOSITORY = "https://git.example.com/CHANGE/ME.git"
_API = "argoproj.io/v1alpha1"
_CLUSTER = "https://kubernetes.default.svc"
_NAME = "istio"
_WAVES = {"base": 0, "istiod": 1, "istiod-remote": 1, "cni": 2, "ztunnel": 2, "gateway": 3}
_WAVE_LABEL = "istio-convert/wave"
_CAREFUL = {"prune": False, "selfHeal": False}
_COMPARE = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
# Rendered by Go's text/template for each element; toJson keeps every value as it is.
_TEMPLATE_PATCH = """\
spec:
  source: {{ toJson .source }}
  ignoreDifferences: {{ toJson .ignoreDifferences }}
"""


class ArgoCd:
    """The emitter for Argo CD."""

    name = "argocd"
    capabilities: frozenset[Capability] = frozenset()

    def files(self, releases: Sequence[Release], options: EmitOptions) -> Files:
        """The objects of the chosen layout, a ``kustomize/`` folder per release with patches, ``README.md``."""
        plan = units(releases)
        waves = _waves(plan)
        if options.argocd_layout == "applicationset":
            objects = {"applicationset.yaml": _application_set(plan, waves, control_namespace(releases), options)}
            entry = list(objects)
        else:
            objects = {f"applications/{unit.slug}.yaml": _application(unit, waves, options) for unit in plan}
            entry = list(objects)
            if options.argocd_layout == "app-of-apps":
                parent = {"app-of-apps.yaml": _parent(options)}
                objects, entry = {**parent, **objects}, list(parent)
        kustomization = {"apiVersion": KUSTOMIZE_API, "kind": "Kustomization", "resources": entry}
        files = {"kustomization.yaml": dump(kustomization)}
        files |= {path: dump(document) for path, document in objects.items()}
        for unit in plan:
            if unit.release.patches:
                files |= _patched_folder(unit, options)
        return {**files, "README.md": self._readme(plan, files, options)}

    @staticmethod
    def _readme(plan: Sequence[Unit], files: Files, options: EmitOptions) -> str:
        described = {
            "kustomization.yaml": "what `kubectl apply -k .` applies",
            "app-of-apps.yaml": "the parent Application of those in `applications/`",
            "applicationset.yaml": "makes one Application per release",
        }
        for unit in plan:
            described[f"applications/{unit.slug}.yaml"] = f"the Application of release {unit.slug}"
            described[_folder(unit) + "/kustomization.yaml"] = with_patches(f"the chart of {unit.slug}", unit)
            described[_folder(unit) + "/values.yaml"] = f"the values of {unit.slug}"
        todo = []
        if not options.argocd_repository and _needs_repository(plan, options):
            todo.append(
                f"The Git repository of this folder is not known: replace {UNKNOWN_REPOSITORY}, and path and "
                "targetRevision beside it, in every file that holds it.",
            )
        guide = argocd_guide(plan, options, [(path, described[path]) for path in files])
        return readme(guide, plan, options, todo)


def _waves(plan: Sequence[Unit]) -> dict[str, int]:
    """Slug -> wave: by chart, and behind everything that the release needs."""
    waves: dict[str, int] = {}
    for unit in plan:
        after = [waves[need.slug] + 1 for need in unit.needs]
        waves[unit.slug] = max([_WAVES[unit.release.chart], *after])
    return waves


def _needs_repository(plan: Sequence[Unit], options: EmitOptions) -> bool:
    return options.argocd_layout == "app-of-apps" or any(unit.release.patches for unit in plan)


def _folder(unit: Unit) -> str:
    return f"kustomize/{unit.slug}"


def _application(unit: Unit, waves: dict[str, int], options: EmitOptions) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "project": options.argocd_project,
        "destination": {"server": _CLUSTER, "namespace": unit.release.namespace},
        "source": _source(unit, options),
        "syncPolicy": _sync_policy(options),
    }
    if ignored := _ignore_differences(unit.release):
        spec["ignoreDifferences"] = commented(ignored, webhooks.WHY)
    annotations = {"argocd.argoproj.io/sync-wave": str(waves[unit.slug]), **_COMPARE}
    metadata = {"name": unit.slug, "namespace": options.argocd_namespace, "annotations": annotations}
    return {"apiVersion": _API, "kind": "Application", "metadata": metadata, "spec": spec}


def _sync_policy(options: EmitOptions) -> dict[str, Any]:
    """Only under a parent do Applications sync by themselves, for only a parent keeps the order."""
    why = "no pruning and no healing before the old installation is gone: two would fight over the same objects"
    automatic = {"automated": commented(dict(_CAREFUL), why)} if options.argocd_layout == "app-of-apps" else {}
    return {
        **automatic,
        "syncOptions": ["CreateNamespace=true", "ServerSideApply=true", "RespectIgnoreDifferences=true"],
        "retry": {"limit": 10, "backoff": {"duration": "10s", "factor": 2, "maxDuration": "5m"}},
    }


def _git_source(path: str, options: EmitOptions) -> dict[str, Any]:
    inside = path if options.argocd_path == "." else f"{options.argocd_path}/{path}"
    repository: Any = options.argocd_repository or commented(
        UNKNOWN_REPOSITORY, "the repository that holds this output"
    )
    return {"repoURL": repository, "targetRevision": options.argocd_revision, "path": inside}


def _source(unit: Unit, options: EmitOptions) -> dict[str, Any]:
    release = unit.release
    if release.patches:
        return _git_source(_folder(unit), options)
    helm: dict[str, Any] = {"releaseName": release.name}
    if crd_handling(release) is CrdHandling.SKIP:
        helm["skipCrds"] = True
    if release.skip_schema:
        helm["skipSchemaValidation"] = commented(True, schema_note(release))
    if values := release.values_data():
        helm["valuesObject"] = compact(values)
    # Argo CD names a registry without its scheme
    url = options.chart_url.removeprefix("oci://")
    return {"repoURL": url, "chart": release.chart, "targetRevision": release.version, "helm": helm}


def _ignore_differences(release: Release) -> list[dict[str, Any]]:
    return [
        {
            "group": webhooks.GROUP,
            "kind": hook.kind,
            "name": hook.name,
            "jqPathExpressions": list(webhooks.JQ_PATHS),
        }
        for hook in webhooks.webhooks(release)
    ]


def _parent(options: EmitOptions) -> dict[str, Any]:
    spec = {
        "project": options.argocd_project,
        "destination": {"server": _CLUSTER, "namespace": options.argocd_namespace},
        "source": _git_source("applications", options),
        "syncPolicy": {"syncOptions": ["ServerSideApply=true"]},
    }
    metadata = {"name": _NAME, "namespace": options.argocd_namespace}
    return {"apiVersion": _API, "kind": "Application", "metadata": metadata, "spec": spec}


def _application_set(plan: Sequence[Unit], waves: dict[str, int], home: str, options: EmitOptions) -> dict[str, Any]:
    elements = [
        {
            "name": unit.slug,
            "namespace": unit.release.namespace,
            "wave": str(waves[unit.slug]),
            "source": _plain_source(unit, options),
            "ignoreDifferences": _ignore_differences(unit.release),
        }
        for unit in plan
    ]
    steps = [
        {"matchExpressions": [Flow({"key": _WAVE_LABEL, "operator": "In", "values": [str(wave)]})]}
        for wave in sorted(set(waves.values()))
    ]
    template = {
        "metadata": {
            "name": "{{ .name }}",
            "labels": {_WAVE_LABEL: "{{ .wave }}"},
            "annotations": dict(_COMPARE),
        },
        "spec": {
            "project": options.argocd_project,
            "destination": {"server": _CLUSTER, "namespace": "{{ .namespace }}"},
            "syncPolicy": _sync_policy(options),
        },
    }
    spec = {
        "goTemplate": True,
        "goTemplateOptions": ["missingkey=error"],
        "generators": [{"list": {"elements": elements}}],
        "strategy": {"type": "RollingSync", "rollingSync": {"steps": steps}},
        "syncPolicy": {"applicationsSync": "create-update", "preserveResourcesOnDeletion": True},
        "template": template,
        "templatePatch": Literal(_TEMPLATE_PATCH),
    }
    # one set per control plane, so that those of two meshes do not take each other's name
    name = _NAME if home == "istio-system" else f"{_NAME}-{home}"
    metadata = {"name": name[:63].rstrip("-"), "namespace": options.argocd_namespace}
    return {"apiVersion": _API, "kind": "ApplicationSet", "metadata": metadata, "spec": spec}


def _plain_source(unit: Unit, options: EmitOptions) -> dict[str, Any]:
    """The source for an element of an ApplicationSet.

    Its template patch is a strategic merge, which would drop a null and obey a ``$patch`` in the values; such values
    travel as text.
    """
    source = _source(unit, options)
    values = unit.release.values_data()
    if "helm" in source and values and _would_be_merged(values):
        source["helm"].pop("valuesObject")
        source["helm"]["values"] = commented(Literal(dump(values)), "as text: a template patch would drop the nulls")
    return source


def _would_be_merged(data: Any) -> bool:
    if isinstance(data, dict):
        return any(key.startswith("$") or value is None or _would_be_merged(value) for key, value in data.items())
    return isinstance(data, list) and any(item is None or _would_be_merged(item) for item in data)


def _patched_folder(unit: Unit, options: EmitOptions) -> Files:
    release = unit.release
    chart: dict[str, Any] = {
        "name": release.chart,
        "repo": options.chart_url,
        "version": release.version,
        "releaseName": release.name,
        "namespace": release.namespace,
        # without a values file Kustomize passes the chart's own as if it were ours
        "valuesFile": "values.yaml",
    }
    if release.skip_schema:
        # Kustomize writes releaseName where Helm's template command takes a name or a flag
        why = f"{schema_note(release)}. Kustomize has no field for Helm's flag: it goes in the place of the name"
        chart["releaseName"] = commented("--skip-schema-validation", why)
        chart["nameTemplate"] = release.name
    if crd_handling(release) is CrdHandling.APPLY:
        chart["includeCRDs"] = True
    kustomization = {
        "apiVersion": KUSTOMIZE_API,
        "kind": "Kustomization",
        "helmCharts": [chart],
        "patches": inline_patches(release.patches),
    }
    folder = _folder(unit)
    return {
        f"{folder}/kustomization.yaml": dump(kustomization),
        f"{folder}/values.yaml": dump(compact(release.values_data())),
    }
