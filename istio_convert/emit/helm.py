"""Plain Helm: values files, an idempotent script, and the patches as a post-renderer for Helm 3 and Helm 4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from istio_convert.emit.base import Capability, EmitOptions, Files, Unit, units
from istio_convert.emit.guides.helm import guide as helm_guide
from istio_convert.emit.helm_scripts import PLUGIN, install_script, post_render_script
from istio_convert.emit.kustomize import kustomization_text
from istio_convert.emit.layout import compact
from istio_convert.emit.readme import readme, with_patches
from istio_convert.release import Release
from istio_convert.source.writer import dump

_FOLDER = f"plugins/{PLUGIN}"
_PLUGIN: dict[str, Any] = {
    "apiVersion": "v1",
    "type": "postrenderer/v1",
    "name": PLUGIN,
    "version": "1.0.0",
    "runtime": "subprocess",
    "runtimeConfig": {"platformCommand": [{"command": "${HELM_PLUGIN_DIR}/post-render.sh"}]},
}


class Helm:
    """The emitter for plain Helm."""

    name = "helm"
    capabilities = frozenset(Capability) - {Capability.DRIFT_DETECTION}

    def files(self, releases: Sequence[Release], options: EmitOptions) -> Files:
        """``install.sh``, ``values/``, the post-renderer below ``plugins/`` when there are patches, ``README.md``."""
        plan = units(releases)
        patched = [unit for unit in plan if unit.release.patches]
        files = {"install.sh": install_script(plan, options)}
        files |= {f"values/{unit.slug}.yaml": dump(compact(unit.release.values_data())) for unit in plan}
        if patched:
            files[f"{_FOLDER}/plugin.yaml"] = dump(_PLUGIN)
            files[f"{_FOLDER}/post-render.sh"] = post_render_script()
            files |= {
                f"{_FOLDER}/releases/{unit.slug}/kustomization.yaml": kustomization_text(unit.release.patches)
                for unit in patched
            }
        return {**files, "README.md": _readme(plan, files, options)}


def _readme(plan: Sequence[Unit], files: Files, options: EmitOptions) -> str:
    described = {
        "install.sh": "installs or upgrades all releases in order",
        f"{_FOLDER}/plugin.yaml": "makes the post-renderer a plugin, as Helm 4 wants it",
        f"{_FOLDER}/post-render.sh": "the post-renderer: applies the patches of a release with Kustomize",
    }
    for unit in plan:
        described[f"values/{unit.slug}.yaml"] = f"the values of {unit.slug}"
        described[f"{_FOLDER}/releases/{unit.slug}/kustomization.yaml"] = with_patches(unit.slug, unit)
    guide = helm_guide(plan, options, [(path, described[path]) for path in files])
    return readme(guide, plan, options)
