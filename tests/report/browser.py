"""A headless Chromium for the tests of the page, and axe-core to judge it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

AXE_VERSION = "4.10.3"
WIDTH, HEIGHT = 1280, 860


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; skips the test where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("no Chromium with its chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.add_argument(f"--window-size={WIDTH},{HEIGHT}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        found.set_script_timeout(120)
        yield Browser(found)
    finally:
        found.quit()


def axe_source(folder: Path) -> str:
    """The text of axe-core: of the file that ISTIO_CONVERT_AXE names, else fetched by npm; skips without either."""
    named = os.environ.get("ISTIO_CONVERT_AXE")
    if named:
        return Path(named).read_text(encoding="utf-8")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no axe-core: ISTIO_CONVERT_AXE is not set and there is no npm")
    command = [
        npm,
        "install",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--prefix",
        str(folder),
        f"axe-core@{AXE_VERSION}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        pytest.skip("no axe-core: npm cannot fetch it here")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


class Browser:
    """What the tests ask of a browser. Elements are named by CSS selectors."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.cdp("Performance.enable", timeDomain="threadTicks")

    def cdp(self, command: str, **arguments: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, arguments)

    def emulate(self, *, width: int = WIDTH, height: int = HEIGHT, **features: str) -> None:
        """Set the size and media features, such as ``prefers_color_scheme="dark"``."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        media = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.cdp("Emulation.setEmulatedMedia", media="", features=media)

    def open(self, path: Path, fragment: str = "") -> None:
        self.driver.get("about:blank")
        self.logs("browser")
        self.logs("performance")
        self.driver.get(path.as_uri() + (f"#{fragment}" if fragment else ""))

    def logs(self, kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.driver.get_log(kind)
        return found

    def requests(self) -> list[str]:
        """What was asked for since the page was opened."""
        messages = [json.loads(entry["message"])["message"] for entry in self.logs("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def frame(self) -> None:
        """Wait until what was asked for is painted."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));"
        )

    def wait(self, condition: str) -> None:
        """Wait until a JavaScript expression is true."""
        script = (
            "const done = arguments[0]; let left = 200;"
            f"const look = () => ({condition}) ? done(true) : --left ? setTimeout(look, 25) : done(false); look();"
        )
        assert self.driver.execute_async_script(script), f"never came true: {condition}"

    def click(self, selector: str) -> None:
        self.driver.find_element("css selector", selector).click()
        self.frame()

    def point(self, selector: str) -> None:
        """Move the mouse over an element."""
        x, y = self.js(
            "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2];",
            selector,
        )
        self.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.frame()

    def keys(self, *names: str) -> None:
        """Press keys where the focus is; names as the driver's ``Keys`` has them, or single characters."""
        keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
        for name in names:
            self.driver.switch_to.active_element.send_keys(getattr(keys, name, name))
        self.frame()

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.js(
            "const shown = (e) => e.checkVisibility();"
            "return [...document.querySelectorAll(arguments[0])].filter(shown).map((e) => e.innerText)",
            selector,
        )
        return found

    def metrics(self) -> dict[str, float]:
        return {item["name"]: item["value"] for item in self.cdp("Performance.getMetrics")["metrics"]}
