"""How to use the output for Terraform and OpenTofu."""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.emit.base import EmitOptions, Unit
from istio_convert.emit.crds import CrdHandling, crd_handling
from istio_convert.emit.readme import Guide

_NEEDS = """
Terraform or OpenTofu, and the provider `hashicorp/helm` in the version that `versions.tf` names. The provider itself is
configured where this folder is used, or by `KUBE_CONFIG_PATH` and `KUBE_CTX`.
"""
_ADOPTS = """
`take_ownership` takes over the objects that istioctl or the operator made; the provider has it from 3.1.0 on.
"""
_LATER = """
`take_ownership` is left out: a release stops at an object that is not its own. That is for the time after the
migration.
"""
_OLD_PROVIDER = """
Provider 2 cannot take over objects that istioctl or the operator made: give them Helm's marks first (`istio-convert
plan --target helm` writes the step), or let Helm install the releases and add `--terraform-import`.
"""
_IMPORT = """
`imports.tf` takes releases that Helm knows already into the state. It fails for one that is not there: write the folder
without `--terraform-import` when istioctl's objects have no release yet. Import blocks act in the root module only.
"""
_PATCHES = """
bash, and `kustomize` or `kubectl`, where the plan is applied: patches go through a post-renderer.
"""


def guide(plan: Sequence[Unit], options: EmitOptions, contents: Sequence[tuple[str, str]]) -> Guide:
    """The guide for a Terraform folder.

    Args:
        plan: the releases.
        options: as for the emitter.
        contents: pairs of path and what it is.
    """
    needs = _NEEDS
    if options.terraform_provider == 2:
        needs += _OLD_PROVIDER
    else:
        needs += _LATER if options.disable_take_ownership else _ADOPTS
    needs += _IMPORT if options.terraform_import else ""
    needs += _PATCHES if any(unit.release.patches for unit in plan) else ""
    return Guide(
        title="Istio by Terraform or OpenTofu",
        contents=contents,
        needs=needs,
        apply="""
Use the folder as a module, or as it is: `terraform init`, then read `terraform plan`.

Install: `terraform apply`. `depends_on` keeps the order; each release is waited for before the next.

Commit this folder; to change something, change it here and apply again.
""",
        back="""
To an earlier state of this folder: check it out and apply it.

To istioctl: `terraform state rm` each `helm_release` of this folder, then `istioctl install -f` the old operator file
with the istioctl of the old release; it takes the objects back in place. Then forget the releases without touching
their objects: delete the Secrets `sh.helm.release.v1.<release>.v<n>` in the namespace of each release.
""",
        never="""
`terraform destroy`, or removing a resource from the folder: they delete the objects that were adopted.
`prevent_destroy` stops the first, not the second.

`atomic = true` or `cleanup_on_fail = true` for the first run: when it fails it uninstalls what it adopted.

`force_update = true`: it recreates live objects.
""",
    )


def definitions_todo(plan: Sequence[Unit], options: EmitOptions) -> list[str]:
    """What a person must do because the provider never updates the definitions in a chart's ``crds/``."""
    found = []
    for unit in plan:
        release = unit.release
        if crd_handling(release) is not CrdHandling.APPLY:
            continue
        where = f"{options.chart_url}/base" if options.is_oci else f"base --repo {options.chart_url}"
        apply = "kubectl apply --server-side --force-conflicts --field-manager=helm --filename -"
        found.append(
            f"Before each apply: `helm show crds {where} --version {release.version} | {apply}`. The chart keeps its "
            "definitions where Helm installs them once and never updates them, and the provider has no way to do it."
        )
    return found
