"""The output for Terraform and OpenTofu, read by a real parser of HCL."""

from __future__ import annotations

import shutil
from pathlib import Path

import jsonschema
import pytest

from istio_convert.emit import EmitOptions, emit
from istio_convert.emit.hcl import Block, quoted
from istio_convert.emit.hcl import dump as dump_hcl
from istio_convert.emit.writer import write
from istio_convert.errors import OutputError
from istio_convert.release import Release

from .programs import run
from .releases import base, gateway, istiod, load, mapping, removal, tolerations
from .schemas_terraform import RELEASE
from .terraform_hcl import file_of, parse, post_render, releases

VALUES = {"pilot": {"autoscaleMin": 2}}


def mesh(version: str = "1.25.3") -> list[Release]:
    control = istiod(version, values=mapping(VALUES), patches=[tolerations(), removal()])
    return [base(version), control, gateway(version=version)]


def test_the_files() -> None:
    files = emit(mesh(), "terraform")
    assert list(files) == [
        "main.tf",
        "versions.tf",
        "values/istio-base.yaml",
        "values/istiod.yaml",
        "values/istio-ingressgateway.yaml",
        "post-render/post-render.sh",
        "post-render/releases/istiod/kustomization.yaml",
        "README.md",
    ]
    assert files["values/istiod.yaml"] == "pilot:\n  autoscaleMin: 2\n"
    kustomization = load(files["post-render/releases/istiod/kustomization.yaml"])
    assert [set(patch) for patch in kustomization["patches"]] == [{"target", "patch"}, {"target", "patch"}]
    assert all(f"- `{path}`: " in files["README.md"] for path in files if path != "README.md")


@pytest.mark.parametrize("provider", [2, 3])
@pytest.mark.parametrize("source", ["oci", "https://charts.example.com/istio"])
def test_each_release_is_a_resource_that_the_provider_takes(provider: int, source: str) -> None:
    options = EmitOptions(terraform_provider=provider, chart_source=source)
    files = emit(mesh(), "terraform", options)
    found = releases(files["main.tf"])
    assert list(found) == ["istio-base", "istiod", "istio-ingressgateway"]
    for name, resource in found.items():
        jsonschema.Draft202012Validator(RELEASE[provider]).validate(resource)
        assert resource["repository"] == options.chart_url
        assert [file_of(value) for value in resource["values"]] == [f"values/{name}.yaml"]
        assert resource["lifecycle"] == [{"prevent_destroy": True}]
        assert resource["create_namespace"] is resource["reset_values"] is True
        assert not {"atomic", "cleanup_on_fail", "force_update", "replace"} & set(resource)
    assert "depends_on" not in found["istio-base"]
    assert found["istiod"]["depends_on"] == ["helm_release.istio-base"]
    assert found["istio-ingressgateway"]["depends_on"] == ["helm_release.istiod"]
    assert post_render(found["istio-base"]) is None
    renderer = post_render(found["istiod"])
    assert renderer is not None
    assert renderer["binary_path"] == "${path.module}/post-render/post-render.sh"
    name, digest = renderer["args"]
    assert (name, file_of(digest)) == ("istiod", "post-render/releases/istiod/kustomization.yaml")


def test_only_provider_3_takes_objects_over() -> None:
    def taking(**options: object) -> set[object]:
        text = emit(mesh(), "terraform", EmitOptions(**options))["main.tf"]  # type: ignore[arg-type]
        return {resource.get("take_ownership") for resource in releases(text).values()}

    assert taking() == {True}
    assert taking(disable_take_ownership=True) == {None}
    assert taking(terraform_provider=2) == {None}
    assert "Provider 2 cannot take over" in emit(mesh(), "terraform", EmitOptions(terraform_provider=2))["README.md"]


def test_a_chart_that_a_newer_helm_refuses_bounds_the_provider() -> None:
    def version(release: Release, provider: int = 3) -> str:
        text = emit([release], "terraform", EmitOptions(terraform_provider=provider))["versions.tf"]
        wanted: str = parse(text)["terraform"][0]["required_providers"][0]["helm"]["version"]
        return wanted

    assert version(gateway(skip_schema=True, depends_on=[])) == ">= 3.1.0, < 3.1.2"
    assert version(gateway(depends_on=[])) == ">= 3.1.0, < 4.0.0"
    assert version(gateway(skip_schema=True, depends_on=[]), 2) == ">= 2.9.0, < 3.0.0"


def test_releases_that_helm_knows_are_imported_when_asked() -> None:
    assert "imports.tf" not in emit(mesh(), "terraform")
    found = parse(emit(mesh(), "terraform", EmitOptions(terraform_import=True))["imports.tf"])["import"]
    assert found == [
        {"to": f"helm_release.{name}", "id": f"istio-system/{name}"}
        for name in ("istio-base", "istiod", "istio-ingressgateway")
    ]


def test_definitions_that_helm_never_updates_are_left_to_a_person() -> None:
    assert "helm show crds base --repo https://" in emit(mesh("1.23.6"), "terraform")["README.md"]
    assert "helm show crds" not in emit(mesh(), "terraform")["README.md"]


def test_a_name_that_begins_with_a_digit() -> None:
    text = emit([gateway("1st-gateway", depends_on=[])], "terraform")["main.tf"]
    assert list(releases(text)) == ["_1st-gateway"]


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(OutputError, match="unknown provider"):
        emit(mesh(), "terraform", EmitOptions(terraform_provider=4))


def test_a_text_is_no_template() -> None:
    assert quoted('a"${b}%{c}\n') == '"a\\"$${b}%%{c}\\n"'
    assert parse(dump_hcl([Block(("locals",), [[("a", "x"), ("long", ["y", 1, True])]])])) == {
        "locals": [{"a": "x", "long": ["y", 1, True]}]
    }


@pytest.mark.parametrize("provider", [2, 3])
def test_it_is_laid_out_as_the_tools_lay_it_out(provider: int, tmp_path: Path) -> None:
    program = shutil.which("tofu") or shutil.which("terraform")
    if program is None:
        pytest.skip("neither tofu nor terraform is installed")
    options = EmitOptions(terraform_provider=provider, terraform_import=True)
    write(tmp_path / "out", emit([*mesh(), gateway("edge", skip_schema=True)], "terraform", options))
    run([program, "fmt", "-check", "-diff", tmp_path / "out"])
