"""Plain manifests: the objects of the proof, in order, and the scripts that apply and prune them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from istio_convert.emit import EmitOptions, emit
from istio_convert.emit.rendering import LABEL, label_value
from istio_convert.emit.writer import write
from istio_convert.errors import ChartsMissingError
from istio_convert.release import Release
from istio_convert.verify import candidate
from istio_convert.verify.charts import locate
from istio_convert.verify.manifests import object_id, parse_objects

from .charts import chart_files
from .clients import executable
from .programs import need, run
from .releases import base, gateway, istiod, mapping, removal, tolerations

pytestmark = pytest.mark.render
pytest.importorskip("helm_python")

VERSION = "1.23.6"
KUBECTL = """\
#!/bin/sh
printf '%s\\n' "$*" >>{log}
[ "$1" = get ] && cat {live}
exit 0
"""


def mesh() -> list[Release]:
    control = istiod(VERSION, values=mapping({"pilot": {"x": "${Y}"}}), patches=[tolerations(), removal()])
    return [base(VERSION), control, gateway("edge", "istio-edge", version=VERSION)]


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("release") / VERSION
    for name in ("base", "istiod", "gateway"):
        for path, data in chart_files(name, VERSION).items():
            file = folder / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    return str(folder.parent)


@pytest.fixture(scope="module")
def files(charts: str) -> dict[str, str]:
    return emit(mesh(), "manifests", EmitOptions(charts=charts))


def test_the_files(files: dict[str, str]) -> None:
    objects = [
        "00-namespaces.yaml",
        "01-istio-base-crds.yaml",
        "01-istio-base.yaml",
        "02-istiod.yaml",
        "03-edge.yaml",
    ]
    assert list(files) == ["kustomization.yaml", *objects, "apply.sh", "prune.sh", "objects.txt", "README.md"]
    (kustomization,) = parse_objects(files["kustomization.yaml"])
    assert kustomization["resources"] == objects
    assert all(f"- `{path}`: " in files["README.md"] for path in files if path != "README.md")
    names = [item["metadata"]["name"] for item in parse_objects(files["00-namespaces.yaml"])]
    assert names == ["istio-system", "istio-edge"]


def test_the_objects_are_those_of_the_proof(files: dict[str, str], charts: str) -> None:
    proven = {item.id: item.object for item in candidate.render(mesh(), locate(VERSION, charts))}
    written = {object_id(item): item for path in release_files(files) for item in parse_objects(files[path])}
    assert set(written) == set(proven)
    for name, item in written.items():
        labels = dict(item["metadata"].get("labels") or {})
        assert labels.pop(LABEL)
        assert {**item, "metadata": {**item["metadata"], "labels": labels}} == {
            **proven[name],
            "metadata": {**proven[name]["metadata"], "labels": proven[name]["metadata"].get("labels") or {}},
        }
    (deployment,) = [item for item in parse_objects(files["02-istiod.yaml"]) if item["kind"] == "Deployment"]
    assert deployment["spec"]["template"]["spec"]["tolerations"] == [{"key": "dedicated", "operator": "Exists"}]
    assert LABEL not in deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["metadata"]["labels"][LABEL] == "istiod"


def release_files(files: dict[str, str]) -> list[str]:
    return [path for path in files if path.endswith(".yaml") and path[:2].isdigit() and not path.startswith("00-")]


def test_kustomize_takes_the_folder(files: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path / "out", files)
    text = run([need("kubectl"), "kustomize", tmp_path / "out"])
    written = [item for path in ("00-namespaces.yaml", *release_files(files)) for item in parse_objects(files[path])]
    assert sorted(map(str, parse_objects(text))) == sorted(map(str, written))


def test_apply_goes_in_order_and_waits(files: dict[str, str], tmp_path: Path) -> None:
    calls = script(files, tmp_path, "apply.sh")
    steps = [re.sub(r"^apply .*/(\S+\.yaml)|^(\w+) .*", r"\1\2", call) for call in calls]
    assert steps == [
        "00-namespaces.yaml",
        *("01-istio-base-crds.yaml", "wait", "01-istio-base.yaml", "rollout"),
        *("02-istiod.yaml", "rollout"),
        *("03-edge.yaml", "rollout"),
    ]
    applies = [call for call in calls if call.startswith("apply")]
    assert all("--server-side --force-conflicts --field-manager=istio-convert" in call for call in applies)


def test_a_dry_run_waits_for_nothing(files: dict[str, str], tmp_path: Path) -> None:
    calls = script(files, tmp_path, "apply.sh", "--dry-run=server")
    assert all(call.startswith("apply") and call.endswith("--dry-run=server") for call in calls)
    assert len(calls) == 5


def test_prune_shows_before_it_deletes(files: dict[str, str], tmp_path: Path) -> None:
    live = files["objects.txt"] + "Service istio-edge/old\nClusterRole /old-role\n"
    write(tmp_path / "out", files)
    shown = run([tmp_path / "out" / "prune.sh"], env=environment(tmp_path, live))
    assert shown == "Service istio-edge/old\nClusterRole /old-role\n"
    assert [call.split(" ")[0] for call in log(tmp_path)] == ["get"]
    run([tmp_path / "out" / "prune.sh", "--delete"], env=environment(tmp_path, live))
    assert log(tmp_path)[-2:] == ["delete Service old --namespace istio-edge", "delete ClusterRole old-role"]


def test_nothing_to_prune(files: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path / "out", files)
    for live in ("", files["objects.txt"]):
        assert run([tmp_path / "out" / "prune.sh", "--delete"], env=environment(tmp_path, live)) == ""
    assert all(call.startswith("get ") for call in log(tmp_path))
    asked = log(tmp_path)[0]
    assert "customresourcedefinitions" not in asked
    assert "namespaces," not in asked


def test_definitions_are_never_pruned(files: dict[str, str]) -> None:
    assert "CustomResourceDefinition" not in files["objects.txt"]
    assert "Namespace " not in files["objects.txt"]
    assert LABEL not in files["00-namespaces.yaml"]


@pytest.mark.parametrize("name", ["apply.sh", "prune.sh"])
def test_shellcheck_has_nothing_to_say(name: str, files: dict[str, str], tmp_path: Path) -> None:
    file = executable(tmp_path / name, files[name])
    assert run([need("shellcheck"), file]) == ""


def test_a_label_of_a_long_name_fits() -> None:
    name = f"{'a' * 53}-{'b' * 40}"
    assert len(label_value(name)) <= 63
    assert label_value(name) != label_value(name + "c")
    assert label_value("istiod") == "istiod"


def test_charts_that_are_not_here_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ChartsMissingError):
        emit(mesh(), "manifests", EmitOptions(charts=str(tmp_path / "none")))


def script(files: dict[str, str], folder: Path, name: str, *arguments: str) -> list[str]:
    write(folder / "out", files)
    run([folder / "out" / name, *arguments], env=environment(folder, ""))
    return log(folder)


def environment(folder: Path, live: str) -> dict[str, str]:
    (folder / "live").write_text(live)
    text = KUBECTL.format(log=folder / "log", live=folder / "live")
    return {"PATH": os.environ["PATH"], "KUBECTL": str(executable(folder / "kubectl", text))}


def log(folder: Path) -> list[Any]:
    return (folder / "log").read_text().splitlines()
