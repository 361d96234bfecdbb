"""How pages are shown, and what axe-core says of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize

SCRIPT = Path(__file__).parents[1] / "clients/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = "tags => axe.run(document, {runOnly: tags, resultTypes: ['violations']})"


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
each_look = pytest.mark.parametrize(
    "look",
    [
        pytest.param(Look("light", DESKTOP), id="light desktop"),
        pytest.param(Look("dark", DESKTOP), id="dark desktop"),
        pytest.param(Look("light", PHONE), id="light phone"),
        pytest.param(Look("dark", PHONE), id="dark phone"),
    ],
)


@dataclass(frozen=True)
class Axe:
    """Looks for violations of WCAG 2.2 AA."""

    script: str

    def violations(self, page: Page) -> list[str]:
        """One line for each element that breaks a rule, after all animations are over."""
        page.evaluate("Promise.all(document.getAnimations().map(each => each.finished))")
        page.evaluate(self.script)
        found: dict[str, Any] = page.evaluate(RUN, RULES)
        return [
            f"{rule['id']}: {node['html'][:160]}: {node['failureSummary']}"
            for rule in found["violations"]
            for node in rule["nodes"]
        ]


def overflow_of(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    width: int = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return width
