"""Pictures of the pages for the documentation: `make pictures` writes them to docs/images.

An installation of its own is started in a temporary folder, with the demo shop; nothing of it stays.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from config.services.ports import choose_free_port
from tests.browser.chromium import launch_arguments

PROJECT = Path(__file__).parents[2]
IMAGES = PROJECT / "docs/images"
MAX_BYTES = 250_000
START_S = 300
DESKTOP = ViewportSize(width=1440, height=900)
PHONE = ViewportSize(width=390, height=844)
LOGIC = """-- 지역별 매출 상위 매장
SELECT s.store_name AS store,
       s.city,
       sum(d.total_amount) AS amount
FROM daily_sales_summary d
JOIN stores s ON s.id = d.store_id
WHERE s.region = :region
  AND d.summary_date >= :since
GROUP BY s.id, s.store_name, s.city
ORDER BY amount DESC, s.id
LIMIT :top_n"""
FIELDS = {
    "#name": "best_stores_of_region",
    "#description_agent": "Ranks the stores of one region by sales in yen since a day, best first. "
    "Use it for questions such as 'which stores in Korea did best this year'; for single days use "
    "daily_sales_trend. 지역별 매출 상위 매장을 조회합니다.",
    "#description_user": "지역에서 가장 많이 판 매장",
    "#p-region-description": "Region of the stores: KR, JP or US. 매장 지역.",
    "#p-region-test": "KR",
    "#p-since-description": "First day that counts, as 2026-01-31. 집계 시작일.",
    "#p-since-test": "2026-01-01",
    "#p-top_n-description": "How many stores at most. 최대 매장 수.",
    "#p-top_n-test": "8",
}


@dataclass(frozen=True)
class Installation:
    """Where the web side of an installation is, and who may sign in."""

    web: str
    admin_user: str
    admin_password: str


@dataclass(frozen=True)
class Photographer:
    """Takes pictures of pages as the administrator sees them."""

    browser: Browser
    installation: Installation

    def open(
        self, address: str, *, theme: str = "light", language: str = "en", phone: bool = False
    ) -> Page:
        """A page of a new window that looks so, with the administrator signed in."""
        web = self.installation.web
        viewport = PHONE if phone else DESKTOP
        context = self.browser.new_context(viewport=viewport, reduced_motion="reduce")
        for name, value in (("theme", theme), ("django_language", language)):
            context.add_cookies([{"name": name, "value": value, "url": web}])
        page = context.new_page()
        page.goto(f"{web}/sign-in/?next={address}")
        page.locator("[name=username]").fill(self.installation.admin_user)
        page.locator("[name=password]").fill(self.installation.admin_password)
        page.locator("[name=password]").press("Enter")
        page.wait_for_url(f"{web}{address}")
        return page


def main() -> None:
    """Write all pictures."""
    IMAGES.mkdir(exist_ok=True)
    with running_installation() as installation, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_arguments({}))
        take_pictures(Photographer(browser, installation))
        browser.close()


def take_pictures(photographer: Photographer) -> None:
    page = photographer.open("/start/")
    save(page, "start")
    address = write_tool(page, photographer.installation.web)
    for name, theme, language in (
        ("editor-light", "light", "en"),
        ("editor-dark", "dark", "en"),
        ("editor-ko", "light", "ko"),
    ):
        page = photographer.open(address, theme=theme, language=language)
        save(run(page), name)
        page.context.close()
    save(run(photographer.open(address, phone=True)), "editor-phone")
    page = run(photographer.open(address))
    page.locator("#publish").click()
    page.wait_for_url("**/tools/best_stores_of_region/")
    # Another name of a parameter is a change that agents stumble over.
    paste(page, LOGIC.replace(":since", ":since_day"))
    expect(page.locator("#p-since_day-description")).not_to_have_value("")
    page.locator("#publish").click()
    expect(page.locator("#publish-dialog")).to_be_visible()
    save(page, "publish")
    save(photographer.open("/tools/"), "tools")


def write_tool(page: Page, web: str) -> str:
    """The address of the draft of a good example."""
    page.goto(f"{web}/tools/~/new/")
    page.locator("button[value=empty-sql]").click()
    paste(page, LOGIC)
    expect(page.locator("#parameters .parameter-name")).to_have_count(3)
    for place, text in FIELDS.items():
        page.locator(place).fill(text)
    expect(page.locator("#saving")).to_have_attribute("data-state", "saved")
    return page.url.removeprefix(web)


def paste(page: Page, text: str) -> None:
    """Put the text in place of the logic, so that the editor neither indents nor closes anything."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.setData("text/plain", text);
            const paste = new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true});
            document.querySelector(".cm-content").dispatchEvent(paste);
        }""",
        text,
    )


def run(page: Page) -> Page:
    """The page with the rows of a test run, and the focus in the logic."""
    page.locator("#run").click()
    expect(page.locator("#result .grid-body [role=row]").first).to_be_visible()
    expect(page.locator("[role=treeitem]").first).to_be_attached()
    return page


def save(page: Page, name: str) -> None:
    """Write the picture; RuntimeError if it is too large for the documentation."""
    page.evaluate("() => { document.activeElement?.blur(); window.scrollTo(0, 0); }")
    path = IMAGES / f"{name}.png"
    page.screenshot(path=path, animations="disabled")
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise RuntimeError(f"{path.name} has {size} bytes, more than {MAX_BYTES}")


@contextmanager
def running_installation() -> Iterator[Installation]:
    """`manage.py up` in a temporary folder, ended afterwards."""
    with tempfile.TemporaryDirectory(prefix="toolbuilder-pictures-") as folder:
        port_web = choose_free_port()
        port_mcp = choose_free_port()
        ports = ["--port-web", str(port_web), "--port-mcp", str(port_mcp)]
        command = [sys.executable, str(PROJECT / "manage.py"), "up", "--data-dir", folder, *ports]
        process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.DEVNULL)
        try:
            yield wait_for(Path(folder) / "endpoints.json", process)
        finally:
            process.terminate()
            process.wait(60)


def wait_for(file: Path, process: subprocess.Popen[bytes]) -> Installation:
    """What the installation says of itself once it answers."""
    deadline = time.monotonic() + START_S
    while not file.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the installation did not start")
        time.sleep(0.2)
    said = json.loads(file.read_text())
    return Installation(**{name: said[name] for name in Installation.__dataclass_fields__})


if __name__ == "__main__":
    main()
