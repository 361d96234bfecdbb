"""The editor's page as tests use it."""

from playwright.sync_api import Locator, Page, expect

from tools.models import ToolDefinition
from tools.registry import read_served_rows


class WorkbenchPage:
    """The editor's page: what is written, saved, run and published in it."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.logic = page.locator(".cm-content")
        self.status = page.locator("#status")
        self.result = page.locator("#result")
        self.rows = self.result.locator(".grid-body").get_by_role("row")
        self.parameters = page.locator("#parameters .parameter-name")

    def open(self, tool: ToolDefinition | str) -> None:
        """Load the editor of a tool, or of the page with that address, and wait until it can be used."""
        address = tool if isinstance(tool, str) else f"/tools/{tool.name}/"
        self.page.goto(f"{self.url}{address}")
        self.wait()

    def wait(self) -> None:
        """Wait until the editor can be used."""
        expect(self.logic).to_be_visible()

    def write(self, text: str) -> None:
        """Put `text` in place of the logic, as a paste does."""
        self.logic.focus()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)
        # Nothing is analysed while names are offered.
        self.page.keyboard.press("Escape")

    def row(self, name: str) -> Locator:
        """The row of a parameter."""
        return self.page.get_by_role("group", name=name, exact=True)

    def expect_saved(self) -> None:
        """Wait until nothing is left to save."""
        expect(self.page.locator("#saving")).to_have_attribute("data-state", "saved")

    def show(self, tab: str) -> Locator:
        """Open a tab of the result; its panel."""
        self.page.get_by_role("tab", name=tab).click()
        return self.page.get_by_role("tabpanel", name=tab)

    def run(self) -> None:
        """Press Test run and wait for the rows."""
        self.page.get_by_role("button", name="Test run").click()
        expect(self.result.locator("[data-figures]")).to_be_attached()

    def publish(self) -> Locator:
        """Press Publish; the dialog that may ask."""
        self.page.get_by_role("button", name="Publish", exact=True).first.click()
        return self.page.locator("#publish-dialog")


def read_served() -> dict[str, list[str]]:
    """The parameters of every tool that agents are listed, by its name."""
    return {
        spec.name: [f"{one.name}: {one.type.value}" for one in spec.parameters]
        for spec in read_served_rows().specs
    }
