"""Which release a conversion is for, and whether it says that applying the result is an upgrade."""

from __future__ import annotations

import json

import pytest

from istio_convert import convert
from istio_convert.catalog import newest
from tests.cli.running import HEAD


def of(*lines: str) -> str:
    return HEAD + "spec:\n" + "".join(f"  {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("tag", "version", "why"),
    [
        ("1.24.6", "1.24.6", "the release that the operator's tag names"),
        ("v1.24.6-distroless", "1.24.6", "the release that the operator's tag names"),
        ("1.24.6-corp.3", "1.24.6", "the release that the operator's tag begins with"),
        ("1.24", "1.24.6", "the release that the operator's tag names"),
        ("1.30", "1.30.3", "the release that the operator's tag names"),
        ("1.24.6.corp", "1.24.6", "the release that the operator's tag begins with"),
        ("1.24-corp", "1.24.6", "the release that the operator's tag begins with"),
        (
            "1.24.99",
            "1.24.6",
            "the newest patch of 1.24 that is known here; the operator's tag names 1.24.99, which is not",
        ),
        (
            "1.24.99-corp",
            "1.24.6",
            "the newest patch of 1.24 that is known here; the operator's tag names 1.24.99, which is not",
        ),
    ],
)
def test_a_tag_decides_as_far_as_it_can_be_read(tag: str, version: str, why: str) -> None:
    conversion = convert(of(f"tag: {tag}"))
    assert (conversion.version, conversion.why_version) == (version, why)
    assert not any("--to" in str(warning) for warning in conversion.warnings)


def test_the_tag_of_the_control_plane_decides_when_there_is_no_general_one() -> None:
    pilot = ("components:", "  pilot:", "    tag: 1.24.6")
    assert convert(of(*pilot)).version == "1.24.6"
    assert convert(of("tag: 1.25.3", *pilot)).version == "1.25.3"


@pytest.mark.parametrize(("tag", "word"), [("latest", "names no release of Istio"), ("1.18.2", "names 1.18.2")])
def test_a_tag_that_decides_nothing_asks_for_a_version(tag: str, word: str) -> None:
    conversion = convert(of(f"tag: {tag}"))
    assert conversion.version == newest()
    assert word in conversion.why_version
    warning = conversion.warnings[0]
    assert "--to" in str(warning.hint)
    assert (warning.origin.line, warning.origin.column) == (4, 8) if warning.origin else False


def test_an_operator_without_a_tag_is_no_reason_to_warn() -> None:
    conversion = convert(of("profile: default"))
    assert (conversion.version, conversion.upgrade, conversion.warnings) == (newest(), "", [])


@pytest.mark.parametrize(
    ("lines", "words", "steps"),
    [
        (
            ["tag: 1.24.6"],
            "the operator's tag is 1.24.6, the output is 1.26.8: applying it also upgrades, by 2",
            2,
        ),
        (["tag: 1.25.3-corp.1"], "tag is 1.25.3, the output is 1.26.8: applying it also upgrades, by 1 minor", 0),
        (["tag: 1.26.0"], "applying it also upgrades, within 1.26", 0),
        (["tag: 1.28.3"], "applying it also goes back, by 2 minor releases", 0),
        (["tag: 1.26.8"], "", 0),
        (["tag: 1.26"], "", 0),
        (
            ["revision: 1-24-6"],
            "the revision is called 1-24-6, the output is 1.26.8: applying it also upgrades, by 2",
            2,
        ),
        (["revision: 1-26-8"], "", 0),
        (["tag: 1.26.8", "revision: 1-24-6"], "the revision is called 1-24-6, the output is 1.26.8", 0),
        (["revision: canary"], "", 0),
        (["tag: 1.24.6", "revision: 1-24-6"], "; the revision keeps the name 1-24-6", 2),
    ],
)
def test_an_upgrade_is_said(lines: list[str], words: str, steps: int) -> None:
    conversion = convert(of(*lines), to="1.26.8")
    assert words in conversion.upgrade
    assert bool(words) == bool(conversion.upgrade)
    skipped = [warning for warning in conversion.warnings if "minor releases at once" in warning.message]
    assert [f"is {steps} minor" in warning.message for warning in skipped] == ([True] if steps else [])
    assert all("istio-convert plan" in str(warning.hint) for warning in skipped)


def test_an_upgrade_stands_in_the_readme_and_the_report() -> None:
    files = convert(of("tag: 1.25.3"), to="1.26.8").files()
    said = "the operator's tag is 1.25.3, the output is 1.26.8: applying it also upgrades, by 1 minor release"
    assert f"**This is an upgrade, too**: {said}.\n" in files["README.md"]
    assert f"**This is an upgrade, too**: {said}.\n" in files["REPORT.md"]
    assert json.loads(files["report.json"])["target"]["upgrade"] == said
    for target in ("argocd", "helmfile", "helm"):
        assert said in convert(of("tag: 1.25.3"), to="1.26.8").files(target)["README.md"]
