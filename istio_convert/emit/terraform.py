"""Terraform and OpenTofu: one ``helm_release`` per release, patches by the provider's ``postrender``.

Values stand in files of their own, so nothing of the user is read as HCL. What is deliberately absent: ``atomic``
(a failed installation that it undoes uninstalls what was adopted) and ``force_update`` (it replaces live objects).
"""

from __future__ import annotations

from collections.abc import Sequence

from istio_convert.emit.base import Capability, EmitOptions, Files, Unit, units
from istio_convert.emit.crds import CrdHandling, crd_handling
from istio_convert.emit.guides.terraform import definitions_todo
from istio_convert.emit.guides.terraform import guide as terraform_guide
from istio_convert.emit.hcl import Attribute, Block, Comment, Expression, Item, quoted
from istio_convert.emit.hcl import dump as dump_hcl
from istio_convert.emit.helm_scripts import post_render_script
from istio_convert.emit.kustomize import kustomization_text
from istio_convert.emit.layout import compact
from istio_convert.emit.readme import readme, with_patches
from istio_convert.emit.schema_note import schema_note
from istio_convert.release import Release
from istio_convert.source.writer import dump

_TIMEOUT = 600  # seconds; the default of 300 is short for a rolling update of many gateways
_FOLDER = "post-render"
_SCRIPT = f"{_FOLDER}/post-render.sh"
#: provider -> its versions; 3.1.0 is the first that can adopt objects
VERSIONS = {2: ">= 2.9.0, < 3.0.0", 3: ">= 3.1.0, < 4.0.0"}
#: the last versions whose Helm is older than the one that refuses the broken schemas
_LENIENT = {2: VERSIONS[2], 3: ">= 3.1.0, < 3.1.2"}
_TERRAFORM = ">= 1.5.0"  # the first with import blocks


class Terraform:
    """The emitter for Terraform and OpenTofu."""

    name = "terraform"
    capabilities = frozenset({Capability.OWNERSHIP_SWITCH})

    def files(self, releases: Sequence[Release], options: EmitOptions) -> Files:
        """``main.tf``, ``versions.tf``, ``values/``, the post-renderer when there are patches, ``README.md``."""
        plan = units(releases)
        patched = [unit for unit in plan if unit.release.patches]
        files = {
            "main.tf": dump_hcl([_resource(unit, options) for unit in plan]),
            "versions.tf": dump_hcl([_versions(plan, options)]),
        }
        if options.terraform_import:
            files["imports.tf"] = dump_hcl([_import(unit) for unit in plan])
        files |= {f"values/{unit.slug}.yaml": dump(compact(unit.release.values_data())) for unit in plan}
        if patched:
            files[_SCRIPT] = post_render_script()
            files |= {_kustomization(unit): kustomization_text(unit.release.patches) for unit in patched}
        return {**files, "README.md": _readme(plan, files, options)}


def _address(unit: Unit) -> str:
    """The name of a resource; HCL's names do not begin with a digit."""
    return f"_{unit.slug}" if unit.slug[0].isdigit() else unit.slug


def _kustomization(unit: Unit) -> str:
    return f"{_FOLDER}/releases/{unit.slug}/kustomization.yaml"


def _here(path: str) -> str:
    """A file of this folder, from wherever the module is used."""
    return f'"${{path.module}}/{path}"'


def _resource(unit: Unit, options: EmitOptions) -> Block:
    release = unit.release
    settings: list[Item] = [
        ("name", release.name),
        ("namespace", release.namespace),
        ("repository", options.chart_url),
        ("chart", release.chart),
        ("version", release.version),
        ("values", [Expression(f"file({_here(f'values/{unit.slug}.yaml')})")]),
        # without it Helm keeps the old values when the file becomes empty
        ("reset_values", True),
        ("create_namespace", True),
        ("timeout", _TIMEOUT),
    ]
    if options.terraform_provider > 2 and not options.disable_take_ownership:
        settings.append(("take_ownership", True))
    if crd_handling(release) is CrdHandling.SKIP:
        settings.append(("skip_crds", True))
    body: list[list[Item]] = [settings]
    if release.patches:
        body.append(_post_render(unit, options))
    if unit.needs:
        body.append([("depends_on", [Expression(f"helm_release.{_address(need)}") for need in unit.needs])])
    body.append([Comment(("destroying it would take the live objects with it",)), Block(("lifecycle",), [[_KEEP]])])
    return Block(("resource", "helm_release", _address(unit)), body)


_KEEP: Attribute = ("prevent_destroy", True)


def _post_render(unit: Unit, options: EmitOptions) -> list[Item]:
    """The provider runs the script again when its arguments change, so the patches are one by their hash."""
    digest = Expression(f"filesha256({_here(_kustomization(unit))})")
    settings: list[Attribute] = [
        ("binary_path", Expression(_here(_SCRIPT))),
        ("args", [Expression(quoted(unit.slug)), digest]),
    ]
    if options.terraform_provider == 2:
        return [Block(("postrender",), [settings])]
    return [("postrender", dict(settings))]


def _versions(plan: Sequence[Unit], options: EmitOptions) -> Block:
    broken = [unit.release for unit in plan if unit.release.skip_schema]
    wanted = (_LENIENT if broken else VERSIONS)[options.terraform_provider]
    group: list[Item] = []
    if broken:
        group.append(Comment((schema_note(broken[0]), "provider 3.1.2 and newer bring such a Helm")))
    helm: list[Item] = [*group, ("helm", {"source": "hashicorp/helm", "version": wanted})]
    return Block(("terraform",), [[("required_version", _TERRAFORM)], [Block(("required_providers",), [helm])]])


def _import(unit: Unit) -> Block:
    release = unit.release
    return Block(
        ("import",),
        [
            [
                ("to", Expression(f"helm_release.{_address(unit)}")),
                ("id", f"{release.namespace}/{release.name}"),
            ]
        ],
    )


def _readme(plan: Sequence[Unit], files: Files, options: EmitOptions) -> str:
    described = {
        "main.tf": "the releases and their order",
        "versions.tf": "the versions of the tool and of its provider",
        "imports.tf": "takes over the releases that Helm knows already",
        _SCRIPT: "the post-renderer: applies the patches of a release with Kustomize",
    }
    for unit in plan:
        described[f"values/{unit.slug}.yaml"] = f"the values of {unit.slug}"
        described[_kustomization(unit)] = with_patches(unit.slug, unit)
    guide = terraform_guide(plan, options, [(path, described[path]) for path in files])
    return readme(guide, plan, options, definitions_todo(plan, options))
