"""The plain Helm output: scripts that are safe to run, and what they run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from istio_convert.emit import EmitOptions, emit
from istio_convert.emit.base import Unit
from istio_convert.emit.helm_scripts import install_script
from istio_convert.emit.writer import write
from istio_convert.errors import InvalidNameError
from istio_convert.release import Release

from .programs import need, run
from .releases import base, gateway, istiod, load, mapping, removal, tolerations

VALUES = {"pilot": {"autoscaleMin": 2}, "service": {"ports": [{"port": 80, "targetPort": 8080, "name": "http2"}]}}
REPO = "--repo 'https://istio-release.storage.googleapis.com/charts'"


def mesh(version: str = "1.25.3") -> list[Release]:
    control = istiod(version, values=mapping(VALUES), patches=[tolerations(), removal()])
    return [base(version), control, gateway(version=version, skip_schema=True)]


def calls(script: str) -> list[str]:
    """The calls of the script's own functions, one a line."""
    joined = script.replace(" \\\n  ", " ")
    return [line for line in joined.splitlines() if re.match(r"(release|definitions) '", line)]


def test_the_files() -> None:
    files = emit(mesh(), "helm")
    assert list(files) == [
        "install.sh",
        "values/istio-base.yaml",
        "values/istiod.yaml",
        "values/istio-ingressgateway.yaml",
        "plugins/istio-convert/plugin.yaml",
        "plugins/istio-convert/post-render.sh",
        "plugins/istio-convert/releases/istiod/kustomization.yaml",
        "README.md",
    ]
    assert files["values/istio-base.yaml"] == "{}\n"
    assert files["values/istiod.yaml"] == (
        "pilot:\n  autoscaleMin: 2\nservice:\n  ports:\n    - {port: 80, targetPort: 8080, name: http2}\n"
    )
    kustomization = load(files["plugins/istio-convert/releases/istiod/kustomization.yaml"])
    assert kustomization["resources"] == ["all.yaml"]
    assert [set(patch) for patch in kustomization["patches"]] == [{"target", "patch"}, {"target", "patch"}]
    assert all(f"- `{path}`: " in files["README.md"] for path in files if path != "README.md")


def test_without_patches_there_is_no_plugin() -> None:
    files = emit([base()], "helm")
    assert list(files) == ["install.sh", "values/istio-base.yaml", "README.md"]
    assert "plugins" not in "".join(files.values())


def test_what_the_script_runs() -> None:
    base_call, istiod_call, gateway_call = calls(emit(mesh(), "helm")["install.sh"])
    assert base_call == f"release 'istio-base' 'istio-system' '1.25.3' 'base' {REPO} {values_flag('istio-base')}"
    post = "--post-renderer \"$post_renderer\" --post-renderer-args 'istiod'"
    assert istiod_call == f"release 'istiod' 'istio-system' '1.25.3' 'istiod' {REPO} {values_flag('istiod')} {post}"
    name = "istio-ingressgateway"
    expected = f"release '{name}' 'istio-system' '1.25.3' 'gateway' {REPO} {values_flag(name)} --skip-schema-validation"
    assert gateway_call == expected


def values_flag(name: str) -> str:
    return f'--values "$here/values/{name}.yaml"'


def test_charts_from_a_registry() -> None:
    chart = "'oci://gcr.io/istio-release/charts/base'"
    assert calls(emit([base("1.23.6")], "helm", EmitOptions(chart_source="oci"))["install.sh"]) == [
        f"definitions '1.23.6' {chart}",
        f"release 'istio-base' 'istio-system' '1.23.6' {chart} {values_flag('istio-base')}",
    ]


def test_definitions() -> None:
    templated = base("1.23.6", values=mapping({"base": {"enableCRDTemplates": True}}))
    for release, first, flag in (
        (base("1.23.6"), "definitions", False),
        (templated, "release", True),
        (base(), "release", False),
    ):
        script = emit([release], "helm")["install.sh"]
        assert calls(script)[0].split()[0] == first
        assert ("--skip-crds" in script) == flag
        assert ("definitions()" in script) == (first == "definitions")


def test_ownership() -> None:
    assert "--take-ownership" in emit(mesh(), "helm")["install.sh"]
    after = emit(mesh(), "helm", EmitOptions(disable_take_ownership=True))
    assert "--take-ownership" not in after["install.sh"]
    assert "`--take-ownership` is left out" in after["README.md"]


@pytest.mark.parametrize("options", [EmitOptions(), EmitOptions(chart_source="oci", disable_take_ownership=True)])
@pytest.mark.parametrize("version", ["1.23.6", "1.25.3"])
@pytest.mark.parametrize("patched", [True, False])
def test_the_scripts_are_clean(tmp_path: Path, options: EmitOptions, version: str, patched: bool) -> None:
    write(tmp_path / "out", emit(mesh(version) if patched else [base(version)], "helm", options))
    scripts = sorted((tmp_path / "out").rglob("*.sh"))
    assert len(scripts) == (2 if patched else 1)
    for script in scripts:
        run([need("bash"), "-n", script])
        assert "set -euo pipefail\n" in script.read_text()
        assert script.stat().st_mode & 0o100
    run([need("shellcheck"), "--enable=all", "--exclude=SC2250,SC2310,SC2312,SC2249", *scripts])


def test_a_name_that_was_not_checked_still_reaches_no_script() -> None:
    for name in ("a'; rm -rf ~; '", "a b", "$(id)", ""):
        release = gateway(name, depends_on=[])
        with pytest.raises(InvalidNameError):
            install_script([Unit(release, name, ())], EmitOptions())
