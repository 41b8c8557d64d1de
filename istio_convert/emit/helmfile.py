"""helmfile: one ``helmfile.yaml``, values files, and patches that helmfile hands to Kustomize.

helmfile applies ``jsonPatches`` before ``strategicMergePatches``, and some of its releases drop one of the two, so a
release uses one kind only. One that needs both, in an order that matters, uses ``transformers``, where Kustomize's own
PatchTransformer takes either. Everything of the user stands in files that helmfile does not treat as templates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from istio_convert.emit.base import Capability, EmitOptions, Files, Unit, units
from istio_convert.emit.crds import CrdHandling, crd_handling
from istio_convert.emit.guides.helmfile import guide as helmfile_guide
from istio_convert.emit.kustomize import comment_lines, commented, is_strategic, patch_object, patch_text, target_object
from istio_convert.emit.layout import compact
from istio_convert.emit.readme import readme
from istio_convert.emit.schema_note import schema_note
from istio_convert.release import Patch, Release
from istio_convert.source.writer import Flow, Literal, dump

_REPOSITORY = "istio"
_TIMEOUT = 600  # seconds; the default of 300 is short for a rolling update of many gateways
_HELM_4 = ("under Helm 4 also:", 'serverSide: "true"', "forceConflicts: true")


class Helmfile:
    """The emitter for helmfile."""

    name = "helmfile"
    capabilities = frozenset(Capability) - {Capability.DRIFT_DETECTION}

    def files(self, releases: Sequence[Release], options: EmitOptions) -> Files:
        """``helmfile.yaml``, ``values/``, one file per patch below ``patches/``, ``README.md``."""
        plan = units(releases)
        skip = any(crd_handling(release) is CrdHandling.SKIP for release in releases)
        document = {
            "repositories": [_repository(options)],
            "helmDefaults": {
                "wait": True,
                "timeout": _TIMEOUT,
                "createNamespace": True,
                **({} if options.disable_take_ownership else {"takeOwnership": commented(True, *_HELM_4)}),
                **({"skipCRDs": True} if skip else {}),
            },
            "releases": [_release(unit, options) for unit in plan],
        }
        files = {"helmfile.yaml": dump(document)}
        described = {"helmfile.yaml": "the releases, their order and their patches"}
        for unit in plan:
            path = _values_file(unit)
            files[path] = dump(compact(unit.release.values_data()))
            described[path] = f"the values of {unit.slug}"
        for unit in plan:
            for number, (path, patch) in enumerate(zip(_patch_files(unit), unit.release.patches, strict=True), start=1):
                files[path] = _patch_document(unit, number, patch)
                described[path] = f"a patch for {unit.slug}"
        guide = helmfile_guide(plan, options, [(path, described[path]) for path in files])
        return {**files, "README.md": readme(guide, plan, options)}


def _repository(options: EmitOptions) -> dict[str, Any]:
    if options.is_oci:
        return {"name": _REPOSITORY, "url": options.chart_url.removeprefix("oci://"), "oci": True}
    return {"name": _REPOSITORY, "url": options.chart_url}


def _values_file(unit: Unit) -> str:
    return f"values/{unit.slug}.yaml"


def _patch_files(unit: Unit) -> list[str]:
    return [f"patches/{unit.slug}/{number:02}.yaml" for number in range(1, len(unit.release.patches) + 1)]


def _release(unit: Unit, options: EmitOptions) -> dict[str, Any]:
    release = unit.release
    entry: dict[str, Any] = {
        "name": release.name,
        "namespace": release.namespace,
        "chart": f"{_REPOSITORY}/{release.chart}",
        "version": release.version,
    }
    if unit.needs:
        entry["needs"] = [f"{need.release.namespace}/{need.release.name}" for need in unit.needs]
    if release.skip_schema:
        entry["skipSchemaValidation"] = commented(True, schema_note(release))
    if crd_handling(release) is CrdHandling.APPLY:
        entry["hooks"] = [_definitions_hook(release, options)]
    entry["values"] = [_values_file(unit)]
    if release.patches:
        entry[_patch_field(release)] = _patch_files(unit)
    return entry


def _definitions_hook(release: Release, options: EmitOptions) -> dict[str, Any]:
    """Helm installs the definitions of this chart version once and never updates them."""
    chart = f"{options.chart_url}/{release.chart}" if options.is_oci else f"{_REPOSITORY}/{release.chart}"
    apply = "kubectl apply --server-side --force-conflicts --field-manager=helm --filename -"
    command = f"helm show crds '{chart}' --version '{release.version}' | {apply}"
    return {"events": Flow(["presync"]), "showlogs": True, "command": "sh", "args": ["-c", command]}


def _patch_field(release: Release) -> str:
    kinds = {is_strategic(patch) for patch in release.patches}
    if kinds == {True}:
        return "strategicMergePatches"
    if kinds == {False}:
        return "jsonPatches"
    return "transformers"


def _patch_document(unit: Unit, number: int, patch: Patch) -> str:
    field = _patch_field(unit.release)
    if field == "strategicMergePatches":
        document: Any = patch_object(patch)
    elif field == "jsonPatches":
        document = {"target": target_object(patch), "patch": patch_object(patch)}
    else:
        document = {
            "apiVersion": "builtin",
            "kind": "PatchTransformer",
            "metadata": {"name": f"{unit.slug}-{number}"},
            "target": target_object(patch),
            "patch": Literal(patch_text(patch)),
        }
    return dump(document, comments=comment_lines(patch.why))
