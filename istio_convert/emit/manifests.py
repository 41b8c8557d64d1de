"""Plain manifests: one file per release, the scripts that apply and prune them, and a Kustomization that lists them."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.emit.base import Capability, EmitOptions, Files, units
from istio_convert.emit.guides.manifests import guide as manifests_guide
from istio_convert.emit.kustomize import API_VERSION as KUSTOMIZE_API
from istio_convert.emit.manifest_scripts import apply_script, prune_script
from istio_convert.emit.readme import readme
from istio_convert.emit.rendering import LABEL, Part, listing, namespaces, part_files, parts
from istio_convert.release import Release
from istio_convert.source.writer import dump

_NAMESPACES = "00-namespaces.yaml"
_LISTING = "objects.txt"


class Manifests:
    """The emitter for plain manifests."""

    name = "manifests"
    capabilities: frozenset[Capability] = frozenset()

    def files(self, releases: Sequence[Release], options: EmitOptions) -> Files:
        """The objects of each release, ``kustomization.yaml``, the scripts that apply and prune, ``README.md``.

        Raises:
            ChartsMissingError: the charts of the version are not on this machine.
            RenderError: a chart does not render, or a patch does not apply.
        """
        plan = units(releases)
        found = parts(plan, options.charts)
        files = {_NAMESPACES: namespaces(releases)}
        for part in found:
            files |= part_files(part)
        kustomization = {"apiVersion": KUSTOMIZE_API, "kind": "Kustomization", "resources": list(files)}
        files = {"kustomization.yaml": dump(kustomization), **files}
        files["apply.sh"] = apply_script(found, _NAMESPACES)
        files["prune.sh"] = prune_script(LABEL)
        files[_LISTING] = listing(found)
        return {**files, "README.md": readme(manifests_guide(_contents(found, files)), plan, options)}


def _contents(found: Sequence[Part], files: Files) -> list[tuple[str, str]]:
    described = {
        "kustomization.yaml": "lists the files in order, for `kubectl apply -k .` and for GitOps tools",
        _NAMESPACES: "the namespaces; never pruned",
        "apply.sh": "applies the files in order and waits for each release",
        "prune.sh": "shows, and on request deletes, what an earlier state of this folder made",
        _LISTING: "the objects of this folder, for prune.sh",
    }
    for part in found:
        described[part.path] = f"the objects of {part.unit.slug}, patched"
        described[part.definitions_path] = f"the definitions that {part.unit.slug} brings; never pruned"
    return [(path, described[path]) for path in files]
