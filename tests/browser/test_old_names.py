"""A tool renamed in the browser: agents still reach it by its old name until somebody ends that."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from mcp_runtime.server import Runtime
from tests.browser.accessibility import Axe, overflow_of
from tests.browser.workbench_page import WorkbenchPage
from tests.factories import make_expression, make_token, number
from tests.mcp_runtime.conftest import Served, listening
from tools.aliases import ToolAlias

pytest_plugins = ["tests.browser.workbench_fixtures"]


def call(name: str) -> str:
    """The texts that an agent gets of a call by that name, from a runtime over HTTP."""
    token = make_token()

    async def ask() -> str:
        runtime = Runtime()
        async with (
            listening(runtime) as url,
            Served(runtime, url, token).client() as client,
        ):
            result = await client.call_tool(name, {"a": 21}, raise_on_error=False)
            return "\n".join(getattr(block, "text", "") for block in result.content)

    # Playwright's loop runs in this thread.
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, ask()).result()


@pytest.mark.django_db(transaction=True)
def test_renamed_tool_answers_by_its_old_name_until_that_is_ended(
    workbench: WorkbenchPage, axe: Axe
) -> None:
    page = workbench.page
    workbench.open(make_expression("a * 2", name="doubling", parameters=[number("a")]))
    page.get_by_label("Tool name").fill("twice")
    dialog = workbench.publish()
    days = dialog.get_by_label("Days for which the old names still answer")
    expect(days).to_have_value("30")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url.split("/")[-2]))
    days.fill("31")
    dialog.get_by_label("What changed?").fill("A shorter name.")
    dialog.get_by_role("button", name="Publish anyway").click()
    expect(page.locator("#saved")).not_to_contain_text("Draft")
    # A check of what the dialog asks could come behind the publication, at the tool's old address.
    assert sent == ["publish"]

    answer = call("doubling")
    page.goto(f"{workbench.url}/tools/twice/old-names/")

    assert "42" in answer
    assert "twice" in answer
    row = page.get_by_role("row").filter(has_text="doubling")
    expect(row).to_contain_text("twice")
    assert axe.violations(page) == []
    assert overflow_of(page) == 0
    row.get_by_role("button", name="End now").click()
    expect(page.get_by_role("row").filter(has_text="doubling")).to_contain_text("ended")
    assert not ToolAlias.objects.get().is_answered
    assert "twice" in call("doubling")
    assert "42" not in call("doubling")
