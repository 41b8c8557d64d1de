from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest

from istio_convert.cli.separate import folders
from tests.cli.running import CLEAN, HEAD, MANUAL, matches, run
from tests.cli.test_convert import contents


def write(count: int) -> list[str]:
    for number in range(count):
        text = MANUAL if number % 5 == 1 else CLEAN
        Path(f"op{number:03}.yaml").write_text(text.replace("spec:", f"spec:\n  hub: registry-{number}.example.com"))
    return [f"op{number:03}.yaml" for number in range(count)]


def test_each_file_gets_a_folder_with_the_bytes_of_a_run_of_its_own() -> None:
    names = write(20)
    assert run([*names, "--separate", "-o", "many", "-q"]).code == 0
    for name in names:
        run([name, "-o", f"one/{Path(name).stem}", "-q"])
    assert contents(Path("many")) == contents(Path("one"))


def test_a_failing_file_does_not_stop_the_rest() -> None:
    names = write(3)
    ran = run([names[0], "broken.yaml", *names[1:], "--separate", "-o", "many", "--fail-on", "manual"])
    assert ran.code == 1
    assert sorted(p.name for p in Path("many").iterdir()) == ["op000", "op001", "op002"]
    matches(
        ran.stderr,
        [
            "op001.yaml -> .*",
            "...",
            r"error: broken\.yaml:\d+:\d+: .*",
            "hint: .*",
            "input +result +fields +patch +inert +manual +lost +allowed",
            r"op000\.yaml +ok +\d+ .*",
            r"broken\.yaml +failed +- .*",
            r"op001\.yaml +findings +\d+ +0 +0 +1 .*",
            r"op002\.yaml +ok .*",
            "4 inputs: 2 ok, 1 failed, 1 findings",
        ],
    )


def test_parallel_and_serial_reports_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    names = write(40)
    parallel = run(["check", *names, "--report-format", "json"])
    monkeypatch.setattr("istio_convert.cli.fleet._WORTH_A_POOL", 1000)
    serial = run(["check", *names, "--report-format", "json"])
    assert parallel == serial
    assert [item["inputs"][0]["name"] for item in json.loads(serial.stdout)["reports"]] == names


def test_operators_of_two_meshes_in_one_file_get_a_folder_each() -> None:
    def operator(name: str, hub: str) -> str:
        return (
            HEAD + f"metadata:\n  name: {name}\nspec:\n  hub: {hub}\n  addonComponents:\n    kiali: {{enabled: true}}\n"
        )

    text = operator("one", "a.example.com") + "---\n" + operator("two", "b.example.com")
    Path("both.yaml").write_text(text)
    assert run(["both.yaml", "-o", "out", "-q"]).code == 1
    assert run(["both.yaml", "--separate", "-o", "out", "-q"]).code == 0
    assert sorted(p.name for p in Path("out/both").iterdir()) == ["one", "two"]
    for name, hub, line in (("one", "a", 8), ("two", "b", 17)):
        assert f"hub: {hub}.example.com" in Path(f"out/both/{name}/istiod.yaml").read_text()
        report = json.loads(Path(f"out/both/{name}/report.json").read_text())
        manual = [entry for entry in report["entries"] if entry["outcome"] == "manual"]
        assert [(entry["line"], entry["document"]) for entry in manual] == [(line, 0 if name == "one" else 1)]
    first, second = (json.loads(Path(f"out/both/{n}/report.json").read_text())["inputs"] for n in ("one", "two"))
    assert first == second, "the report names the file as it is on disk"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a.yaml", "b.yml"], ["a", "b"]),
        (["x/op.yaml", "y/op.yaml"], ["x-op", "y-op"]),
        (["x/a/op.yaml", "y/a/op.yaml", "c.yaml"], ["x-a-op", "y-a-op", "c"]),
        (["-"], ["stdin"]),
        (["../we ird/ö.yaml"], ["ö"]),
        (["../we ird/my op.yaml"], ["my-op"]),
        (["..yaml"], ["operator"]),
    ],
)
def test_folder_names(names: list[str], expected: list[str]) -> None:
    assert folders(names) == expected


def test_inputs_that_would_share_a_folder_are_refused() -> None:
    with pytest.raises(click.UsageError, match="a-b"):
        folders(["a b.yaml", "a-b.yaml"])


def test_a_fleet_is_compared_folder_by_folder() -> None:
    write(20)
    args = [".", "--separate", "--to", "1.25.3", "--fail-on", "never"]
    for name in ("broken", "clean", "inert", "manual", "patched"):
        Path(f"{name}.yaml").unlink()
    assert run([*args, "-o", "all", "-q"]).code == 0
    before = contents(Path("all"))
    ran = run([*args, "--diff", "all", "-q"])
    assert (ran.code, ran.stdout, ran.stderr) == (0, "", "")
    Path("op003.yaml").write_text("# changed\n" + CLEAN)
    Path("op004.yaml").write_text("# a comment\n" + Path("op004.yaml").read_text())
    Path("op007.yaml").unlink()
    ran = run([*args, "--diff", "all"])
    assert ran.code == 4
    assert "--- a/op003/istiod.yaml\n+++ b/op003/istiod.yaml\n" in ran.stdout
    assert "op004" not in ran.stdout
    assert f"{Path('all/op007')}: no operator is for this folder\n" in ran.stderr
    assert re.search(r"^op003\.yaml +differs ", ran.stderr, re.MULTILINE)
    assert contents(Path("all")) == before


def test_the_meshes_of_one_file_are_compared_each() -> None:
    text = "---\n".join(f"{HEAD}metadata: {{name: {n}}}\nspec: {{hub: {n}.example.com}}\n" for n in ("one", "two"))
    Path("both.yaml").write_text(text)
    args = ["both.yaml", "--separate", "-q", "--to", "1.25.3"]
    assert run([*args, "-o", "out"]).code == 0
    assert run([*args, "--diff", "out"]).code == 0
    Path("both.yaml").write_text(text.replace("two.example", "2.example"))
    ran = run([*args, "--diff", "out"])
    assert ran.code == 4
    assert "+++ b/both/two/istiod.yaml\n" in ran.stdout
    assert "both/one" not in ran.stdout


def test_a_file_that_fails_hides_no_folder_of_its_own() -> None:
    assert run(["clean.yaml", "--separate", "-q", "-o", "out"]).code == 0
    Path("clean.yaml").write_text("{{ nope }}\n")
    ran = run(["clean.yaml", "--separate", "-q", "--diff", "out"])
    assert ran.code == 1
    assert "no operator is for" not in ran.stderr
