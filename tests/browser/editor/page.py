"""A page with one editor, as tests use it."""

from typing import Any

from playwright.sync_api import Page, expect

# While new options are being looked for, those of before are shown and cannot be chosen.
OPTION = ".cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled) li"


class EditorPage:
    """A page whose editor can be typed into."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = f"{url}/editor/"
        self.content = page.locator(".cm-content")
        self.first_option = page.locator(OPTION).first

    def load(self) -> None:
        self.page.goto(self.url)
        expect(self.content).to_be_visible()

    def open(self, text: str = "", **options: object) -> None:
        self.page.evaluate("([options, text]) => start(options, text)", [options, text])

    def type_at(self, offset: int, text: str) -> None:
        self.page.evaluate(
            "at => { editor.view.dispatch({selection: {anchor: at}}); editor.focus(); }", offset
        )
        self.page.keyboard.type(text)

    def show(self, *found: dict[str, Any]) -> bool:
        shown: bool = self.page.evaluate("found => editor.showDiagnostics(found)", list(found))
        return shown

    @property
    def text(self) -> str:
        text: str = self.page.evaluate("editor.text")
        return text

    @property
    def analysed(self) -> list[str]:
        analysed: list[str] = self.page.evaluate("analysed")
        return analysed
