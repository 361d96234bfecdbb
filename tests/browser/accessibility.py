"""How pages are shown, and what axe-core says of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

SCRIPT = Path(__file__).parents[1] / "clients/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# The rules whose answer depends on the theme.
COLOUR_RULES = ["color-contrast", "link-in-text-block"]
# No rule of these reads the style sheets again, and what is told of an element is its HTML.
RUN = """rules => axe.run(document, {
    runOnly: rules, resultTypes: ['violations'], reporter: 'no-passes', preload: false, selectors: false
})"""
# Looked at in each frame: `finished` of a transition that another one replaced may never settle. A
# cursor that blinks and the bar of a run never end.
MOTION_IS_OVER = """async () => {
    const ends = each => Number.isFinite(each.effect?.getComputedTiming().endTime);
    const isMoving = each => each.playState === 'running' && ends(each);
    while (document.getAnimations().some(isMoving)) {
        await new Promise(requestAnimationFrame);
    }
}"""
SWITCH_THEME = """() => {
    const shown = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = shown === 'dark' ? 'light' : 'dark';
    return shown;
}"""
SHOW_THEME = "theme => { document.documentElement.dataset.theme = theme; }"

LANGUAGES = ["en", "ko"]


@dataclass(frozen=True)
class Look:
    """How a page is shown."""

    theme: str
    viewport: ViewportSize

    def apply(self, page: Page, url: str, language: str = "en") -> None:
        """Show the next page that is loaded from `url` this way."""
        page.set_viewport_size(self.viewport)
        for name, value in (("theme", self.theme), ("django_language", language)):
            page.context.add_cookies([{"name": name, "value": value, "url": url}])


DESKTOP = ViewportSize(width=1440, height=900)
PHONE = ViewportSize(width=390, height=844)
# Each page is loaded in both themes and sizes; `Axe` sees the other theme of each size as well.
each_look = pytest.mark.parametrize(
    "look",
    [
        pytest.param(Look("light", DESKTOP), id="light desktop"),
        pytest.param(Look("dark", PHONE), id="dark phone"),
    ],
)


@dataclass(frozen=True)
class Axe:
    """Looks for violations of WCAG 2.2 AA."""

    script: str

    def violations(self, page: Page) -> list[str]:
        """One line for each element that breaks a rule, in the theme that is shown or the other."""
        # What waits for its answer is faded.
        expect(page.locator(".htmx-request")).to_have_count(0)
        page.evaluate(MOTION_IS_OVER)
        if not page.evaluate("'axe' in window"):
            page.evaluate(self.script)
        found = self._run(page, RULES)
        shown = page.evaluate(SWITCH_THEME)
        page.evaluate(MOTION_IS_OVER)
        found += self._run(page, COLOUR_RULES)
        page.evaluate(SHOW_THEME, shown)
        return found

    def _run(self, page: Page, rules: list[str]) -> list[str]:
        found: dict[str, Any] = page.evaluate(RUN, rules)
        theme = page.evaluate("document.documentElement.dataset.theme")
        return [
            f"{rule['id']}, {theme}: {node['html'][:160]}: {node['failureSummary']}"
            for rule in found["violations"]
            for node in rule["nodes"]
        ]


def overflow_of(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    width: int = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return width
