"""The audit view as text: complete, linked, escaped, without values unless asked for, always the same bytes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from istio_convert import Conversion, Source, convert
from istio_convert.ledger import Outcome
from istio_convert.report.html import render
from istio_convert.report.html.text import MASK, Names, fragment, html, script_data, visible
from istio_convert.source.writer import dump
from tests.cli.running import HEAD

from .html_page import Page
from .samples import OPERATOR, SECRET

GATEWAY = "istio-ingressgateway/Deployment.istio-ingressgateway"
WEB_SHOP = Path(__file__).parents[2] / "fixtures" / "web-shop" / "input.yaml"

EVERYWHERE = f"""\
# {SECRET}
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata: {{name: mesh, annotations: {{a: {SECRET}}}}}  # {SECRET}
spec:
  hub: &hub {SECRET}
  meshConfig:
    accessLogFormat: |
      [%START_TIME%]
      {SECRET}
    defaultConfig:
      proxyMetadata: {{A: *hub, B: "x {SECRET}", C: !!str {SECRET}}}
  components:
    pilot:
      k8s:
        env:
          - name: TOKEN
            value: {SECRET}
          - name: {SECRET.upper().replace("-", "_")}
            value: one
        overlays:
          - kind: Deployment
            name: istiod
            patches:
              - path: spec.template.metadata.annotations.token
                value: {SECRET}
              - path: spec.template.spec.dnsConfig
                value:
                  searches: [{SECRET}]
    ingressGateways:
      - name: edge
        enabled: true
        k8s:
          podAnnotations: {{token: {SECRET}}}
          securityContext: {{}}
          nodeSelector:
"""
SECRET_KEY = SECRET.upper().replace("-", "_")
OTHER = f"apiVersion: v1\nkind: Secret\nstringData:\n  password: {SECRET}\n  more: >-\n    {SECRET}\n# {SECRET}\n"


def web_shop(to: str = "1.25.3") -> Conversion:
    return convert(Source("web-shop/input.yaml", WEB_SHOP.read_bytes()), to=to)


def everywhere() -> Conversion:
    sources = [Source("mesh.yaml", EVERYWHERE + "---\n" + OTHER)]
    return convert(sources, to="1.25.3", sets=[f"values.global.proxy.image={SECRET}", f"nonsense={SECRET}"])


CASES = {"web-shop": web_shop, "everywhere": everywhere, "sample": lambda: convert(OPERATOR, to="1.25.3")}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_without_show_values_the_page_holds_no_value(case: object) -> None:
    conversion = case()  # type: ignore[operator]
    page = render(conversion)
    assert SECRET not in page
    assert "data-v" not in Page(page).attributes
    public = {"IstioOperator", "Deployment", "Service", "PodDisruptionBudget", "edge", "mesh", "istiod"}
    for line in Page(page).side("source"):
        for word in re.findall(r"(?<=: )\S+", line.shown):
            assert word.strip("{}[],:") in ("", "&hub", "*hub", "!!str", MASK) or word.endswith(":") or word in public


def test_every_value_of_patches_and_values_is_masked_but_for_what_names_objects() -> None:
    shown = [line.shown for line in Page(render(everywhere())).side("result")]
    scalars = {text.split(": ", 1)[1] for text in shown if ": " in text}
    assert scalars == {MASK, "apps/v1", "Deployment", "istiod", "istio-system"}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_with_show_values_the_sources_can_be_read_back(case: object) -> None:
    conversion = case()  # type: ignore[operator]
    page = Page(render(conversion, show_values=True))
    expected = []
    for source in conversion.sources:
        text = source.text if isinstance(source.text, str) else source.text.decode()
        expected += text.removesuffix("\n").split("\n")
    expected += conversion.sets
    assert [line.full for line in page.side("source")] == expected


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_with_show_values_the_values_can_be_read_back(case: object) -> None:
    conversion = case()  # type: ignore[operator]
    page = Page(render(conversion, show_values=True))
    texts = ["\n".join(line.full for line in panel) + "\n" for panel in page.panels]
    for release in conversion.releases:
        assert not release.values.items or dump(release.values_data()) in texts


def test_with_show_values_they_are_hidden_until_shown() -> None:
    page = Page(render(everywhere(), show_values=True))
    assert all(SECRET not in line.shown for line in page.lines)
    assert sum(SECRET in line.full for line in page.lines) > 15
    assert SECRET not in page.scripts[0]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_entry_has_its_line_with_its_sign(case: object) -> None:
    conversion = case()  # type: ignore[operator]
    page = Page(render(conversion))
    order = list(Outcome)
    for number, entry in enumerate(conversion.ledger.entries):
        lines = page.on("source", number)
        assert lines, entry.leaf.path
        assert int(lines[0].attributes["data-n"]) == entry.leaf.line
    for line in page.side("source"):
        outcomes = {conversion.ledger.entries[number].outcome for number in line.entries}
        worst = max(outcomes, key=order.index).value if outcomes else ""
        assert line.sign == worst[:1].upper()
        assert not worst or worst in line.classes


@pytest.mark.parametrize("to", ["1.22.8", "1.25.3", "1.28.10", "1.30.3"])
def test_every_value_and_patch_has_its_counterpart(to: str) -> None:
    conversion = web_shop(to)
    page = Page(render(conversion))
    ids = set(page.ids)
    for number, entry in enumerate(conversion.ledger.entries):
        living = entry.outcome in (Outcome.VALUE, Outcome.PATCH)
        assert bool(page.on("result", number)) == living, entry.leaf.path
        if living:
            assert {line.sign for line in page.on("result", number)} <= {"V", "P"}
            assert all(anchor in ids for _, _, anchor in page.data["entries"][number]["places"])


def counterparts(page: Page, path: str) -> set[str]:
    number = next(number for number, entry in enumerate(page.data["entries"]) if entry["path"] == path)
    return {f"{line.attributes['id']} {line.sign}" for line in page.on("result", number)}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("spec.meshConfig.accessLogFile", {"o=istiod-1-23-2/meshConfig.accessLogFile V"}),
        ("spec.components.pilot.k8s.env[1].name", {"o=istiod-1-23-2/pilot.env.GOGC V"}),
        (
            "spec.components.pilot.k8s.tolerations[0].operator",
            {
                "o=istiod-1-23-2/Deployment.istiod-1-23-2/spec.template.spec.tolerations[1].operator P",
                "o=istiod-1-23-2/Deployment.istiod-1-23-2/spec.template.spec.tolerations[0].operator P",
            },
        ),
        (
            "spec.components.ingressGateways[0].k8s.overlays[0].patches[0].value.options[0].value",
            {
                f"o={GATEWAY}/spec.template.spec.dnsConfig.options[0].value P",
            },
        ),
        (
            "spec.components.ingressGateways[0].k8s.overlays[0].patches[1].path",
            {
                f"o={GATEWAY}/spec.template.spec.containers[0].lifecycle P",
            },
        ),
        (
            "spec.components.ingressGateways[0].label.tier",
            {
                "o=istio-ingressgateway/labels.tier V",
                f"o={GATEWAY}/spec.selector.matchLabels.tier P",
                "o=istio-ingressgateway/Service.istio-ingressgateway/spec.selector.tier P",
                "o=istio-ingressgateway/PodDisruptionBudget.istio-ingressgateway/spec.selector.matchLabels.tier P",
            },
        ),
    ],
)
def test_a_field_is_linked_to_the_very_line_it_became(path: str, expected: set[str]) -> None:
    found = counterparts(Page(render(web_shop())), path)
    assert found
    assert found <= expected


def test_a_json_patch_is_linked_by_its_pointer() -> None:
    text = """\
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  components:
    pilot:
      k8s:
        overlays:
          - kind: Deployment
            name: istiod
            patches:
              - path: spec.template.spec.containers.[name:discovery].args.[-1]
                value: --some-flag
              - path: spec.template.spec.containers.[name:discovery].args.[0]
                value: other
"""
    page = Page(render(convert(text, to="1.25.3")))
    overlay = "spec.components.pilot.k8s.overlays[0]"
    assert counterparts(page, f"{overlay}.patches[0].value") == {"o=istiod/Deployment.istiod/[0].value P"}
    assert counterparts(page, f"{overlay}.patches[1].value") == {"o=istiod/Deployment.istiod/[1].value P"}


def test_what_the_program_added_is_marked_as_such() -> None:
    lines = Page(render(web_shop())).side("result")
    added = {line.attributes["id"] for line in lines if line.sign == "+"}
    assert "o=istio-ingressgateway/serviceAccount.name" in added
    assert all(not line.entries for line in lines if line.sign == "+")


def test_deep_links_are_unique_and_lead_somewhere() -> None:
    page = Page(render(everywhere()))
    assert len(page.ids) == len(set(page.ids))
    targets = {f"#{name}" for name in page.ids}
    assert all(re.fullmatch(r"#[A-Za-z0-9/:@.\-_~\[\]=,$%]+", href) for href in page.hrefs)
    own = {f"#e={entry['key']}" for entry in page.data["entries"]}
    assert {href for href in page.hrefs if href.startswith("#")} <= targets | own
    assert "#e=spec.hub" in targets


def test_an_alias_stands_for_the_field_that_it_repeats() -> None:
    page = Page(render(everywhere()))
    number = next(
        number for number, entry in enumerate(page.data["entries"]) if entry["path"].endswith("proxyMetadata.A")
    )
    assert [line.attributes["data-n"] for line in page.on("source", number)] == ["6", "12"]


def test_the_page_needs_nothing_else() -> None:
    text = render(web_shop())
    page = Page(text)
    assert "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'" in text
    assert not page.attributes & {"src", "srcset", "action", "onclick", "onload", "ping"}
    assert all(href.startswith("#") for href in page.hrefs)
    assert not re.search(r"url\(|@import|@font-face|https?://", text)
    assert page.tags["script"] == 2
    assert page.tags["style"] == 1


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'`"


def test_hostile_names_are_text() -> None:
    text = f"""\
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  meshConfig:
    ? {dump(HOSTILE).strip()}
    : {dump(HOSTILE).strip()}
    "<!--": 1
    "/*style*/": <!--data-->
    "\\u202egnp.exe": x
  values:
    global:
      {dump(HOSTILE).strip()}: 1
"""
    harmless = Page(render(convert(Source("x.yaml", text.replace(HOSTILE[:40], "y")), to="1.25.3"), show_values=True))
    page = Page(render(convert(Source(f"{HOSTILE}.yaml", text), to="1.25.3"), show_values=True))
    assert page.attributes == harmless.attributes
    assert set(page.tags) == set(harmless.tags)
    assert "img" not in page.tags
    assert page.tags["script"] == 2
    assert page.data["entries"]
    assert [line.full for line in page.side("source")] == text.removesuffix("\n").split("\n")


def test_characters_that_reorder_or_hide_text_are_written_out() -> None:
    assert visible("a\u202eb\x1b[31m\u200b\ud800ä\t") == "a\\u202eb\\x1b[31m\\u200b\\ud800ä\t"
    assert html('<a href="x">&\'') == "&lt;a href=&quot;x&quot;&gt;&amp;&#x27;"
    assert script_data({"a": "</script>&\u2028"}) == '{"a":"\\u003c/script\\u003e\\u0026\\u2028"}'
    assert fragment('a["b c"]#ä\'<') == "a[%22b%20c%22]%23%C3%A4%27%3C"
    names = Names()
    assert [names.take(name) for name in ("a", "a~2", "a", "a")] == ["a", "a~2", "a~3", "a~4"]


def test_a_file_name_that_is_no_text_can_be_shown() -> None:
    page = render(convert(Source("\udcff.yaml", OPERATOR), to="1.25.3"))
    page.encode()
    assert "\\udcff.yaml" in page


def test_findings_come_first_by_severity_and_once_per_reason() -> None:
    text = render(convert(OPERATOR, to="1.25.3"))
    listed = re.search(r'<details id="findings" open><summary>(.*?)</summary>(.*?)</details>', text, re.S)
    assert listed is not None
    signs = re.findall(r"<li class=\"(\w+)\">", listed[2])
    assert signs == sorted(signs, key=["lost", "manual", "inert", "warning"].index)
    assert "spec.addonComponents.kiali.enabled" in listed[2]
    assert len(re.findall("<p>", listed[2])) == len(set(re.findall("<p>(.*?)</p>", listed[2])))


def test_no_findings_are_said_too() -> None:
    assert "no finding, no warning" in render(convert(HEAD, to="1.25.3"))


def test_an_upgrade_is_said() -> None:
    said = "This is an upgrade, too: the operator&#x27;s tag is 1.23.2, the output is 1.25.3: "
    assert said in render(web_shop())
    assert said not in render(convert(HEAD, to="1.25.3"))


def test_nothing_enabled_is_said() -> None:
    text = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec: {profile: empty}\n"
    assert "No release: no component is enabled." in render(convert(text, to="1.25.3"))


def test_output_too_deep_for_the_reader_is_left_out_with_a_word() -> None:
    deep = "[" * 85 + "x" + "]" * 85
    text = f"""\
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  components:
    pilot:
      k8s:
        overlays:
          - kind: Deployment
            name: istiod
            patches:
              - path: a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t
                value: {deep}
"""
    assert "Nested too deeply to be shown here" in render(convert(text, to="1.25.3"))


def test_the_bytes_are_always_the_same() -> None:
    program = (
        "import sys; from pathlib import Path; from istio_convert import Source, convert;"
        "from istio_convert.report.html import render;"
        f"text = render(convert(Source('web-shop/input.yaml', Path({str(WEB_SHOP)!r}).read_bytes()), to='1.25.3'));"
        "sys.stdout.buffer.write(text.encode())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {render(web_shop()).encode()}
