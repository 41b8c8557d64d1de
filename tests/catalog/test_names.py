"""The field names of MeshConfig and of Kubernetes objects: reading them, and that the data is what the modules say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from istio_convert.catalog import versions
from istio_convert.catalog.build import MESH, facts_at, fill_names
from istio_convert.catalog.build.gotypes import kubernetes_names, to_text
from istio_convert.catalog.build.protos import mesh_names
from istio_convert.catalog.data import load, read_text
from istio_convert.catalog.names import is_quantity, json_name
from istio_convert.catalog.names import mesh_names as names_at
from istio_convert.catalog.ranges import contains
from tests.cli.running import run

from .go_modules import module_at_hand

ISTIO = {name: module_at_hand("istio.io/api", name) for name in load(MESH)["module"]}
KUBERNETES = json.loads(read_text("fields", "kubernetes.json"))["modules"]


@pytest.mark.parametrize("module", [name for name, folder in ISTIO.items() if folder] or [None])
def test_the_names_of_mesh_config_are_those_of_the_module(module: str | None) -> None:
    if module is None:
        pytest.skip("no version of istio.io/api is in Go's module cache: go mod download istio.io/api@v1.31.0")
    folder, ranges = ISTIO[module], load(MESH)["module"][module]
    assert folder is not None
    found = {name: content for name, content in mesh_names(folder).items() if content}
    releases = [release.version for release in versions() if contains(ranges, release.version)]
    assert releases
    for version in releases:
        assert facts_at(load(MESH), version) == found, version


def test_the_names_of_kubernetes_are_those_of_the_modules(tmp_path: Path) -> None:
    found = [module_at_hand(f"k8s.io/{name.partition('@')[0]}", name.partition("@")[2]) for name in KUBERNETES]
    folders = [folder for folder in found if folder]
    if len(folders) < len(KUBERNETES):
        pytest.skip(f"not in Go's module cache: k8s.io/{', k8s.io/'.join(KUBERNETES)}")
    assert to_text(kubernetes_names(folders)) == read_text("fields", "kubernetes.json")
    ran = run(["catalog", "kubernetes", *map(str, folders), "-o", str(tmp_path)])
    assert ran.code == 0, ran.stderr
    assert (tmp_path / "fields" / "kubernetes.json").read_text("utf-8") == read_text("fields", "kubernetes.json")


def test_every_release_has_names_and_a_module() -> None:
    for release in versions():
        content = facts_at(load(MESH), release.version)
        assert len(content["module"]) == 1, release
        assert len(content["MeshConfig"]) > 40, release


CONFIG = """
syntax = "proto3";
package a.mesh; // a comment with message Not { string here = 1; }
import "other/more.proto";
import "google/protobuf/duration.proto";
option go_package = "x;//y";
/* message Nor { string here = 1; } */
message MeshConfig {
  reserved 3, 4 to 8; reserved "gone";
  option deprecated = true;
  string access_log_file = 1 [(x.y) = { a: 1, b: "}" }, deprecated = true];
  enum Mode { option allow_alias = true; ON = 0; OFF = 1 [deprecated = true]; reserved 2; }
  message Inner { repeated a.other.Far far = 1; MeshConfig again = 2; google.protobuf.Duration wait = 3; }
  oneof one { Inner first_one = 9; .a.mesh.MeshConfig.Mode second = 10; }
  map<string, Inner> by_name = 11;
  repeated Mode modes = 12;
  string odd = 13 [json_name = "Other"];
}
"""
NETWORK = 'package a.mesh; import "mesh/v1alpha1/config.proto"; message Network { Far far = 1; message Far {} }'
MORE = "package a.other; message Far { int32 http2_max_requests = 1; }"


def module_with(folder: Path, more: str) -> Path:
    texts = {"mesh/v1alpha1/config.proto": CONFIG, "mesh/v1alpha1/network.proto": NETWORK, "other/more.proto": more}
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_names_are_read_from_protos(tmp_path: Path) -> None:
    assert mesh_names(module_with(tmp_path / "api@v1.2.3", MORE)) == {
        "MeshConfig": {
            "accessLogFile": "",
            "byName": "*MeshConfig.Inner",
            "firstOne": "MeshConfig.Inner",
            "modes": "MeshConfig.Mode",
            "Other": "",
            "second": "MeshConfig.Mode",
        },
        "MeshConfig.Inner": {"again": "MeshConfig", "far": "Far", "wait": ""},
        "MeshConfig.Mode": {"ON", "OFF"},
        "Far": {"http2MaxRequests": ""},
        "Network": {"far": "Network.Far"},
        "Network.Far": {},
        "module": {"v1.2.3"},
    }


def test_two_messages_of_one_name_are_no_data(tmp_path: Path) -> None:
    more = "package a.other; message Far { MeshConfig near = 1; message Near {} } message MeshConfig { string a = 1; }"
    with pytest.raises(ValueError, match="have one name"):
        mesh_names(module_with(tmp_path, more))


def test_a_folder_that_is_no_module_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        mesh_names(tmp_path)
    ran = run(["catalog", "kubernetes", str(tmp_path)])
    assert ran.code == 1
    assert "no types.go of k8s.io/api and k8s.io/apimachinery has ClusterRole" in ran.stderr


TYPES = """
// Deployment has a comment with type Not struct {
type Deployment struct {
\tmetav1.TypeMeta `json:",inline"`
\t// +optional
\tmetav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
\tSpec   Spec   `json:"spec,omitempty"`
\tStatus Status `json:"status,omitempty"`
}
type Spec struct {
\tItems    []*Item                      `json:"items,omitempty"`
\tLimits   ResourceList                 `json:"limits,omitempty"`
\tSize     *resource.Quantity           `json:"size,omitempty"`
\tText     map[string]string            `json:"text,omitempty"`
\tByName   map[string]Item              `json:"byName,omitempty"`
\tProtocol Protocol                     `json:"protocol,omitempty"`
\tOpen     OpenWord                     `json:"open,omitempty"`
\tHidden   string                       `json:"-"`
\tAt       metav1.Time                  `json:"at,omitempty"`
}
type Item struct {
\tSource `json:",inline" protobuf:"bytes,2,opt,name=source"`
}
type Source struct {
\tName string `json:"name"`
}
type Status struct {
\tGone string `json:"gone"`
}
type ResourceList map[ResourceName]resource.Quantity
// +enum
type Protocol string
type OpenWord string
const (
\tProtocolTCP Protocol = "TCP"
\tProtocolUDP Protocol = "UDP"
\tOpenA OpenWord = "A"
)
"""
META = (
    'type TypeMeta struct {\n\tKind string `json:"kind"`\n}\ntype ObjectMeta struct {\n\tName string `json:"name"`\n}\n'
)


def test_names_are_read_from_go_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("istio_convert.catalog.build.gotypes.ROOTS", ("Deployment",))
    older = TYPES.replace("Name string", "Old string").replace('json:"name"', 'json:"old"')
    for name, text in {"new/apps/v1": TYPES, "new/pkg/apis/meta/v1": META, "old/apps/v1": older}.items():
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "types.go").write_text(text, encoding="utf-8")
    assert kubernetes_names([tmp_path / "new", tmp_path / "old"]) == {
        "modules": ["new", "old"],
        "types": {
            "Deployment": {"kind": "", "metadata": "ObjectMeta", "spec": "Spec", "status": ""},
            "Item": {"name": ""},
            "ObjectMeta": {"name": ""},
            "Spec": {
                "at": "",
                "byName": "*Item",
                "items": "Item",
                "limits": "*Quantity",
                "open": "",
                "protocol": "Protocol",
                "size": "Quantity",
                "text": "",
            },
        },
        "words": {"Protocol": ["TCP", "UDP"]},
    }


def test_a_release_without_names_has_those_of_the_one_before() -> None:
    facts = {"1.1.0": {}, "1.2.0": {MESH: {"A": {"a": ""}}}, "1.3.0": {}, "1.4.0": {MESH: {"A": {"b": ""}}}}
    fill_names(facts, list(facts))
    assert [sorted(one.get(MESH, {}).get("A", {})) for one in facts.values()] == [[], ["a"], ["a"], ["b"]]


def test_what_other_releases_know_is_told() -> None:
    assert names_at("1.25.3").elsewhere("MeshConfig", "zone_aware_lb_setting") == "1.31.0.."
    assert names_at("1.25.3").elsewhere("MeshConfig", "thriftConfig") == ""


@pytest.mark.parametrize(
    ("name", "spelled"),
    [("access_log_file", "accessLogFile"), ("h2_upgrade_policy", "h2UpgradePolicy"), ("sni", "sni")],
)
def test_json_spells_names_in_camel_case(name: str, spelled: str) -> None:
    assert json_name(name) == spelled


QUANTITIES = "0 1 500m 1.5Gi 12e6 1E 1e-3 1E+3 +1 -1 .5 5. 100Mi 1Ki 3n 3u 2k 2T 2Pi 1Ei"
NO_QUANTITIES = "500milli 1.2.3 . + Gi 1GB 1Gib 1e 1e+-3 m 1mi 1K a 1, 1g"


@pytest.mark.parametrize("text", QUANTITIES.split())
def test_quantities(text: str) -> None:
    assert is_quantity(text)


@pytest.mark.parametrize("text", NO_QUANTITIES.split())
def test_no_quantities(text: str) -> None:
    assert not is_quantity(text)
