"""The audit view in a real browser: hovering, filters, search, deep links, keys, values, themes, print, speed."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from istio_convert import Source, convert
from istio_convert.report.html import render

from .browser import Browser, axe_source, chromium
from .samples import OPERATOR, SECRET

WEB_SHOP = Path(__file__).parents[2] / "fixtures" / "web-shop" / "input.yaml"
MIN_REPLICAS = "spec.components.pilot.k8s.hpaSpec.minReplicas"
SOURCE = f'#source a[id="e={MIN_REPLICAS}"]'
RESULT = '#result [id="o=istiod-1-23-2/pilot.autoscaleMin"] a'
CHANGED = "document.querySelector('#component').dispatchEvent(new Event('change'))"

GATEWAY = """\
      - name: gateway-{n}
        enabled: true
        k8s:
          hpaSpec:
            minReplicas: 2
            maxReplicas: 5
          env:
            - name: FIRST
              value: "1"
            - name: SECOND
              value: "2"
          nodeSelector:
            pool: edge
          overlays:
            - kind: Deployment
              name: gateway-{n}
              patches:
                - path: spec.template.spec.dnsConfig
                  value:
                    options:
                      - name: ndots
                        value: "1"
          nonsense: 3
"""


def large(lines: int) -> str:
    """An operator of so many lines."""
    head = "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n  components:\n    ingressGateways:\n"
    count = (lines - head.count("\n")) // GATEWAY.count("\n")
    return head + "".join(GATEWAY.format(n=number) for number in range(count))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(autouse=True)
def _quiet(browser: Browser) -> Iterator[None]:
    """Every test ends without a word on the console, and without a request but for the page itself."""
    browser.emulate()
    yield
    assert browser.logs("browser") == []
    assert all(url.startswith("file:///") and url.endswith(".html") for url in requests_of(browser))


def requests_of(browser: Browser) -> list[str]:
    return [url.partition("#")[0] for url in browser.requests() if url != "about:blank"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    shop = convert(Source("web-shop.yaml", WEB_SHOP.read_bytes()), to="1.25.3")
    sample = convert(Source("operator.yaml", OPERATOR), to="1.25.3")
    texts = {
        "shop": render(shop),
        "sample": render(sample),
        "values": render(sample, show_values=True),
        "large": render(convert(Source("large.yaml", large(2000)), to="1.25.3")),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


def test_opening_the_page_is_the_only_request(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["shop"])
    browser.frame()
    assert requests_of(browser) == [pages["shop"].as_uri()]


def lit(browser: Browser, side: str) -> list[str]:
    return [text.strip() for text in browser.texts(f"#{side} .l.hit code")]


def test_hovering_shows_the_counterpart_and_scrolls_to_it(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["shop"])
    browser.js("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", SOURCE)
    assert not lit(browser, "result")
    browser.point(SOURCE)
    assert lit(browser, "source") == ["minReplicas: ••••"]
    assert lit(browser, "result") == ["autoscaleMin: ••••"]
    browser.wait(
        "(box => box.top > 200 && box.bottom < innerHeight - 100)"
        f"(document.querySelector('{RESULT}').getBoundingClientRect())"
    )
    assert MIN_REPLICAS in browser.texts("#details")[0]
    browser.point(RESULT)
    assert lit(browser, "source") == ["minReplicas: ••••"]
    browser.point("h1")
    assert not lit(browser, "source")


def test_hovering_a_line_shows_all_that_stands_on_it(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["shop"])
    line = "#source .l[data-n='55'] b"
    browser.js("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", line)
    browser.point(line)
    assert {text.split(":")[0].lstrip("- ") for text in lit(browser, "result")} == {
        "key",
        "operator",
        "value",
        "effect",
    }
    assert len(browser.texts("#cards .card")) == 4


def test_a_line_that_the_program_added_says_so(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["shop"])
    added = '#result [id="o=istio-ingressgateway/serviceAccount.name"]'
    browser.js("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", added)
    browser.point(added)
    assert "istio-convert set it" in browser.texts("#details")[0]


def test_a_deep_link_shows_its_field_on_both_sides(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["shop"], f"e={MIN_REPLICAS}")
    for selector in (SOURCE, RESULT):
        box = browser.js("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)
        pane = browser.js(
            "return document.querySelector(arguments[0]).closest('.pane').getBoundingClientRect().toJSON()", selector
        )
        assert pane["top"] < box["top"] < box["bottom"] < pane["bottom"]
    assert browser.js("return document.activeElement.id") == f"e={MIN_REPLICAS}"
    assert [text.strip() for text in browser.texts("#result .l.kept code")] == ["autoscaleMin: ••••"]


def test_a_deep_link_survives_being_encoded(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["shop"], "e=spec.components.ingressGateways%5B0%5D.label.tier")
    assert browser.texts("#source .l.kept code") == ["          tier: ••••"]


def test_selecting_makes_the_address_a_deep_link_and_back_goes_back(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["shop"])
    browser.click("#source a[id='e=spec.revision']")
    assert browser.js("return location.hash") == "#e=spec.revision"
    browser.point("h1")
    assert lit(browser, "source") == ["revision: ••••"]
    browser.click("#source a[id='e=spec.profile']")
    assert browser.js("return location.hash") == "#e=spec.profile"
    browser.js("history.back()")
    browser.wait("location.hash === '#e=spec.revision'")
    browser.wait("document.querySelector('#source .l.kept').innerText.includes('revision')")
    browser.click("#close")
    assert browser.js("return location.hash") == ""
    assert not browser.texts(".l.kept")


def test_filters_show_the_fields_and_the_keys_above_them(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["sample"])
    browser.click(".chip[data-o='manual']")
    assert [text.strip() for text in browser.texts("#source .l code")] == [
        "spec:",
        "components:",
        "pilot:",
        "k8s:",
        "replicas|<b>: ••••",
        "addonComponents:",
        "kiali:",
        "enabled: ••••",
    ]
    assert browser.texts("#count") == ["2 of 11 fields"]
    assert browser.texts("#result .empty") == ["Nothing here passes the filters."]
    browser.click(".chip[data-o='patch']")
    signs = {text for text in browser.texts("#source .l b") if text}
    assert signs == {"M", "P"}
    browser.click("#clear")
    assert len(browser.texts("#source .l")) == OPERATOR.count("\n")
    assert browser.texts("#count") == [""]


def test_the_component_filter_leaves_its_releases(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["shop"])
    assert len(browser.texts(".unit h3")) == 3
    browser.js("document.querySelector('#component').value = 'ingressGateways'")
    browser.js(CHANGED)
    browser.frame()
    assert browser.texts(".unit h3") == ["istio-ingressgateway"]
    shown = [text.strip() for text in browser.texts("#source .l code")]
    assert "ingressGateways:" in shown
    assert "pilot:" not in shown


def test_search_finds_paths_rules_and_lines(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["shop"])
    browser.click("#search")
    browser.keys(*"accesslog")
    browser.wait("document.querySelector('#count').textContent === '2 of 83 fields'")
    assert [text.strip() for text in browser.texts("#source .l code")] == [
        "spec:",
        "meshConfig:",
        "accessLogFile: ••••",
        "accessLogEncoding: ••••",
    ]
    browser.wait("CSS.highlights.get('found').size === 4")
    browser.js("document.querySelector('#search').value = ''")
    browser.keys(*"k8s.tolerations")
    browser.wait("document.querySelector('#count').textContent === '8 of 83 fields'")


def test_a_link_to_a_hidden_field_takes_the_filters_away(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["sample"])
    browser.click(".chip[data-o='value']")
    browser.click("#findings a[href='#e=spec.addonComponents.kiali.enabled']")
    assert browser.texts(".chip[aria-pressed='true']") == []
    assert browser.texts("#source .l.kept code") == ["      enabled: ••••"]


def test_the_keyboard_reaches_everything(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["shop"])
    reachable = "return [...document.querySelectorAll(arguments[0])].filter((e) => e.tabIndex === 0).length"
    assert browser.js(reachable, "#source a") == 1
    assert browser.js(reachable, "#result a") == 1
    browser.js("document.querySelector('#source a').focus()")
    browser.keys(*["ARROW_DOWN"] * 5)
    assert browser.js("return document.activeElement.id") == "e=spec.revision"
    assert "spec.revision: value" in browser.js("return document.querySelector('#said').textContent")
    assert "revision: ••••" in lit(browser, "result")
    browser.keys("ARROW_RIGHT")
    assert browser.js("return document.activeElement.closest('.l').id") == "o=istiod-1-23-2/revision"
    browser.keys("ARROW_LEFT")
    assert browser.js("return document.activeElement.id") == "e=spec.revision"
    browser.keys("ENTER")
    assert browser.js("return location.hash") == "#e=spec.revision"
    browser.keys("ESCAPE")
    assert browser.js("return location.hash") == ""
    browser.keys("END")
    assert browser.js("return document.activeElement.id").startswith("e=spec.components.egressGateways[0]")
    browser.keys("/")
    assert browser.js("return document.activeElement.id") == "search"


def test_keys_lead_from_finding_to_finding(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["sample"])
    browser.js("document.querySelector('#source a').focus()")
    browser.keys("n")
    first = browser.js("return location.hash")
    browser.keys("n")
    second = browser.js("return location.hash")
    assert first != second
    browser.keys("p")
    assert browser.js("return location.hash") == first
    browser.click("#next")
    assert browser.js("return location.hash") == second


def test_values_are_hidden_until_shown(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["values"])
    assert not any(SECRET in text for text in browser.texts("body"))
    browser.click("#reveal")
    shown = "\n".join(browser.texts("#source .l code"))
    assert shown.rstrip() == OPERATOR.rstrip()
    labels = browser.js("return document.querySelector('#source a[id=\"e=spec.hub\"]').getAttribute('aria-label')")
    assert labels == f"hub: overridden: registry.example.com/{SECRET}"
    browser.click("#search")
    browser.keys(*SECRET)
    browser.wait("document.querySelector('#count').textContent.startsWith('5 of')")
    browser.click("#reveal")
    assert not any(SECRET in text for text in browser.texts("#source"))
    assert browser.texts("#count") == ["0 of 11 fields"]


def test_without_values_there_is_no_switch(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["sample"])
    assert browser.js("return document.querySelector('#reveal')") is None
    assert SECRET not in browser.driver.page_source


def test_the_theme_follows_the_system_until_it_is_chosen(browser: Browser, pages: dict[str, Path]) -> None:
    background = "return getComputedStyle(document.body).backgroundColor"
    browser.emulate(prefers_color_scheme="light")
    browser.open(pages["sample"])
    light = browser.js(background)
    browser.emulate(prefers_color_scheme="dark")
    dark = browser.js(background)
    assert light == "rgb(255, 255, 255)"
    assert dark != light
    browser.click("#theme")
    assert browser.js(background) == light
    browser.open(pages["sample"])
    assert browser.js(background) == light, "the choice is kept"
    browser.click("#theme")
    browser.click("#theme")
    assert browser.js(background) == dark


def test_help_opens_and_closes(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["sample"])
    browser.click("#help")
    assert browser.js("return document.querySelector('#about').open")
    browser.keys("ESCAPE")
    assert not browser.js("return document.querySelector('#about').open")


def test_without_scripts_everything_is_there_and_links_work(browser: Browser, pages: dict[str, Path]) -> None:
    browser.cdp("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(pages["sample"], "e=spec.addonComponents.kiali.enabled")
    finally:
        browser.cdp("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.js("return document.documentElement.className") == ""
    assert browser.texts(".scripted") == []
    assert len(browser.texts("#source .l")) == OPERATOR.count("\n")
    assert browser.js("return document.querySelector(':target').id") == "e=spec.addonComponents.kiali.enabled"


def test_it_prints_all_lines_with_their_signs(browser: Browser, pages: dict[str, Path]) -> None:
    browser.emulate(prefers_color_scheme="dark")
    browser.open(pages["shop"])
    browser.cdp("Emulation.setEmulatedMedia", media="print")
    assert browser.js("return getComputedStyle(document.documentElement).colorScheme") == "light"
    assert browser.js("return getComputedStyle(document.querySelector('#source')).overflow") == "visible"
    assert browser.texts(".scripted, dialog") == []
    assert browser.texts(".printed h2") == ["Legend"]
    pdf = base64.b64decode(browser.cdp("Page.printToPDF", printBackground=False)["data"])
    assert pdf.count(b"/Type /Page\n") >= 4


def test_a_narrow_screen_stacks_the_sides_and_never_scrolls_sideways(browser: Browser, pages: dict[str, Path]) -> None:
    browser.emulate(width=360, height=760)
    browser.open(pages["shop"], f"e={MIN_REPLICAS}")
    assert browser.js("return document.documentElement.scrollWidth") <= 360
    top, bottom = browser.js(
        "const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.top, box.bottom]", SOURCE
    )
    assert -1 < top < bottom < 760


def test_the_page_could_not_send_anything(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["sample"])
    outcome = browser.driver.execute_async_script(
        "const done = arguments[0]; const seen = [];"
        "document.addEventListener('securitypolicyviolation', (e) => seen.push(e.effectiveDirective));"
        "fetch('https://example.invalid/').catch(() => 0).then(() => { new Image().src = 'https://example.invalid/x.png';"
        "setTimeout(() => done(seen.sort()), 200); });"
    )
    assert outcome == ["connect-src", "img-src"]
    assert all("violates" in entry["message"] for entry in browser.logs("browser"))
    browser.requests()  # the attempts above are in the log, too


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return axe_source(tmp_path_factory.mktemp("axe"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", ["plain", "selected", "filtered", "help", "values", "narrow"])
def test_axe_finds_nothing(browser: Browser, pages: dict[str, Path], axe: str, scheme: str, state: str) -> None:
    size = {"width": 390, "height": 800} if state == "narrow" else {}
    browser.emulate(prefers_color_scheme=scheme, **size)  # type: ignore[arg-type]
    browser.open(pages["values" if state == "values" else "sample"])
    browser.js("localStorage.clear(); document.documentElement.removeAttribute('data-theme')")
    actions = {
        "selected": lambda: browser.click("#source a[id='e=spec.hub']"),
        "filtered": lambda: browser.click(".chip[data-o='inert']"),
        "help": lambda: browser.click("#help"),
        "values": lambda: browser.click("#reveal"),
    }
    actions.get(state, browser.frame)()
    browser.js(
        "const style = document.createElement('style'); style.textContent = '* { transition: none !important }';"
        "document.head.append(style)"
    )
    browser.frame()
    browser.js(axe)
    found = browser.driver.execute_async_script(
        "const done = arguments[0];"
        "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
        ".then((r) => done(r.violations.map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)"
        " + ' ' + (n.any[0] || n.all[0] || n.none[0] || {}).message)])))"
    )
    assert found == [], json.dumps(found, indent=1, ensure_ascii=False)


def layouts(browser: Browser, script: str) -> float:
    """How often the page is laid out for a script and its frames: what makes a large page slow, on any machine."""
    before = browser.metrics()
    browser.js(script)
    browser.frame()
    return browser.metrics()["LayoutCount"] - before["LayoutCount"]


def test_two_thousand_lines_stay_smooth(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["large"])
    assert browser.js("return document.querySelectorAll('#source .l').length") > 1900
    browser.frame()
    over = (
        "const tokens = document.querySelectorAll('#source a[data-e]');"
        "tokens[{n} % tokens.length].dispatchEvent(new PointerEvent('pointerover', {{bubbles: true}}));"
    )
    assert max(layouts(browser, over.format(n=number * 37)) for number in range(25)) <= 6
    for script in (
        "document.querySelector('.chip[data-o=\"manual\"]').click()",
        "document.querySelector('#clear').click()",
        f"document.querySelector('#search').value = 'pool'; {CHANGED}",
        "document.querySelector('#clear').click()",
    ):
        assert layouts(browser, script) <= 8
    scroll = "document.querySelector('#source').scrollTop += 500"
    assert max(layouts(browser, scroll) for _ in range(15)) <= 4
