"""What the pages on the scenarios say is what the plans do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from istio_convert import migrate
from tests.migrate.cases import FOLDER, Case, cases

DOCS = FOLDER.parents[1] / "docs" / "migrations"
PAGES = sorted(DOCS.glob("*.md"))
CASES = {case.name: case for case in cases()}


def cases_of(page: Path) -> list[Case]:
    return [CASES[name] for name in re.findall(r"`fixtures/migrations/([\w-]+)`", page.read_text(encoding="utf-8"))]


def test_every_scenario_has_a_page() -> None:
    assert len(PAGES) == 5
    assert {case.name for page in PAGES for case in cases_of(page)} == set(CASES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_scripts_that_a_page_names_are_in_its_plans(page: Path) -> None:
    named = set(re.findall(r"\d\d-[\w-]+\.sh", page.read_text(encoding="utf-8")))
    written = {path.name for case in cases_of(page) for path in (case.folder / "expected").iterdir()}
    assert len(named) > 2 or page.stem == "two-meshes"
    assert named <= written


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_findings_that_a_page_names_are_found(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = {f"{f.level.value}: {f.id}: {f.text}" for case in cases_of(page) for f in case.plan().findings}
    for line in re.findall(r"(?m)^(?:blocker|warning): .*$", text):
        assert any(known.startswith(line.removesuffix(" …")) for known in found), line


@pytest.mark.parametrize(
    ("page", "name", "adopted", "removed"),
    [
        ("operator-to-flux", "flux-in-place", "the {} objects that the charts render", None),
        ("operator-to-flux", "flux-canary-alb", None, "and {} objects of the old plane go"),
        ("operator-canary", "operator-canary", None, "{} objects, in this order"),
        ("argocd-canary", "argocd-canary", None, "Then the {} objects of the"),
        ("helmfile-terraform", "helmfile-in-place", "{} objects that the charts render", None),
    ],
)
def test_numbers(page: str, name: str, adopted: str | None, removed: str | None) -> None:
    text = " ".join((DOCS / f"{page}.md").read_text(encoding="utf-8").split())
    plan = CASES[name].plan()
    assert plan.adoptions is not None
    assert plan.removals is not None
    if adopted:
        assert adopted.format(len(plan.adoptions)) in text
    if removed:
        assert removed.format(len(plan.removals)) in text


def test_the_guide_names_the_kinds_of_a_dump() -> None:
    """Its command gets what the script gets, and its table names each kind."""
    text = (DOCS.parent / "guides" / "migrate.md").read_text(encoding="utf-8")
    [listed] = re.findall(r"kubectl get --all-namespaces --show-managed-fields -o yaml (\S+) ", text)
    library = migrate.files(cases()[0].plan())["lib.sh"]
    [kinds] = re.findall(r"(?s)\nkinds='(.*?)'", library)
    [more] = re.findall(r"(?s)for kind in \$kinds (.*?); do\n    if \[\[ \"\$kind\" == \"\$definitions", library)
    names = {word for word in [*kinds.split(), *more.split()] if word.islower() and word[0].isalpha()}
    # these three are named otherwise: by variables of the script, by a selector, without their schemas
    expected = (names | {"istiooperators.install.istio.io"}) - {"configmaps", "applications.argoproj.io"}
    assert set(listed.split(",")) == expected
    [table] = re.findall(r"(?s)### What a dump holds\n(.*?)\n### ", text)
    squeezed = table.lower().replace(" ", "")
    short = {name.partition(".")[0].removesuffix("configurations") for name in expected}
    webhooks = {name for name in short if name.endswith("webhook")}
    assert {name for name in short - webhooks if name not in squeezed} == set()
    assert "mutatingandvalidatingwebhookconfigurations" in squeezed
