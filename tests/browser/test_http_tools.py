"""An HTTP tool from "New tool" by a curl command to the call of an agent."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import expect

from mcp_runtime.server import Runtime
from tests.browser.accessibility import Axe, overflow_of
from tests.browser.workbench_page import WorkbenchPage
from tests.factories import make_token
from tests.mcp_runtime.conftest import Served, listening

pytest_plugins = ["tests.browser.workbench_fixtures"]

SECRET = "hunter2-hunter2"
DAYS = [{"date": f"2026-11-2{day}", "temp": {"max": 12 - day}} for day in range(3)]


class Weather(BaseHTTPRequestHandler):
    """Three days of weather for those who have the secret, and under /open/ for everybody."""

    def do_GET(self) -> None:
        is_known = f"Bearer {SECRET}" == self.headers["Authorization"] or "/open/" in self.path
        city = self.path.partition("?")[0].rpartition("/")[2]
        body = json.dumps({"city": city, "daily": DAYS} if is_known else {}).encode()
        self.send_response(200 if is_known else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: Any) -> None:
        """Nothing."""


@pytest.fixture
def weather_url(settings: Any) -> Iterator[str]:
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Weather)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def call(name: str, arguments: dict[str, Any]) -> Any:
    """What an agent gets of a call, from a runtime over HTTP."""
    token = make_token()

    async def ask() -> Any:
        runtime = Runtime()
        async with listening(runtime) as url, Served(runtime, url, token).client() as client:
            return (await client.call_tool(name, arguments)).structured_content

    # Playwright's loop runs in this thread.
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, ask()).result()


@pytest.mark.django_db(transaction=True)
def test_curl_command_becomes_a_tool_that_agents_call(
    workbench: WorkbenchPage, weather_url: str, axe: Axe
) -> None:
    page = workbench.page
    page.goto(f"{workbench.url}/tools/~/new/")
    command = f"curl '{weather_url}/forecast/Seoul?days=3' -H 'Authorization: Bearer {SECRET}'"
    page.get_by_label("curl command").fill(command)
    page.get_by_label("Name of the service").fill("weather")
    page.get_by_role("button", name="Make a tool of it").click()
    expect(page.get_by_label("curl command")).to_have_value(command)
    page.get_by_role("button", name="Allow 127.0.0.1").click()

    page.locator("#http-path").fill("/forecast/{city}")
    expect(workbench.row("city")).to_be_visible()
    page.locator("#p-city-test").fill("Busan")
    workbench.run()
    exchange = workbench.show("Request and response")
    expect(exchange).to_contain_text("200 OK")
    expect(exchange).to_contain_text("WEATHER_TOKEN")
    expect(exchange).not_to_contain_text(SECRET)

    page.get_by_role("button", name="daily list of 3").click()
    expect(page.locator("#http-keep-path")).to_have_value("daily[]")
    expect(page.locator("#http-kept")).to_contain_text("3 rows")
    page.locator(".http-tabs").get_by_text("Body").click()
    assert overflow_of(page) == 0
    assert axe.violations(page) == []

    page.get_by_label("For the agent", exact=True).fill(
        "The forecast of a city. Use it for weather."
    )
    workbench.expect_saved()
    dialog = workbench.publish()
    dialog.get_by_role("button", name="Publish").click()
    expect(page.locator("#saved")).to_contain_text("Live v")

    answer = call("get_forecast_seoul", {"city": "Jeju", "days": 2})
    assert answer == {"result": DAYS}
