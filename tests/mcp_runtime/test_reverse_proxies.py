"""Both eras get through the proxies of deploy/, and streams are not held back."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from asgiref.sync import sync_to_async
from fastmcp import Client, Context
from fastmcp.client.transports import StreamableHttpTransport
from mcp.client.subscriptions import listen

from config.services.processes import Keeper
from tests.factories import make_expression
from tests.mcp_runtime.conftest import ERAS, Serve
from tests.mcp_runtime.test_changes import ChangeListener
from tests.proxies import PROXIES, Site, proxying
from tests.waiting import LIMIT_S, eventually

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("name", PROXIES)
async def test_agents_of_both_eras_work_through_the_proxy_and_hear_at_once(  # noqa: PLR0917 - fixtures
    name: str, serve: Serve, psql: Callable[[str], None], tmp_path: Path, keeper: Keeper
) -> None:
    was_heard = asyncio.Event()

    async def report_and_wait(context: Context) -> str:
        await context.report_progress(1, 2)
        await asyncio.wait_for(was_heard.wait(), LIMIT_S)
        return "heard"

    await sync_to_async(make_expression)(name="multiply")
    async with serve() as served:
        served.runtime.mcp.add_tool(report_and_wait)
        opening = proxying(name, [urlsplit(served.url).netloc], tmp_path, keeper)
        site = await asyncio.to_thread(opening.__enter__)
        try:
            await _check(site, served.token, psql, was_heard)
        finally:
            await asyncio.to_thread(opening.__exit__, None, None, None)


async def _check(
    site: Site, token: str, psql: Callable[[str], None], was_heard: asyncio.Event
) -> None:
    def client(era: str, **options: Any) -> Client[Any]:
        headers = {"Authorization": f"Bearer {token}"}
        transport = StreamableHttpTransport(f"{site.url}/mcp", headers=headers, verify=site.trust)
        return Client(transport, mode=era, **options)

    async def note_progress(*_: object) -> None:
        was_heard.set()

    for era in ERAS:
        was_heard.clear()
        async with client(era, progress_handler=note_progress) as agent:
            assert (await agent.call_tool("multiply", {"a": 6, "b": 7})).data == 42
            # The call ends when its progress has come, which a proxy that buffers would send with its end.
            assert (await agent.call_tool("report_and_wait")).data == "heard"

    listener = ChangeListener()
    async with (
        client("legacy", message_handler=listener) as legacy,
        client("2026-07-28") as modern,
        listen(modern.session, tools_list_changed=True) as events,
    ):
        await legacy.list_tools()

        async def is_told() -> bool:
            # The stream of the earlier era may not be open yet; the next edit is one more to be told of.
            psql("UPDATE h_custom_tool SET definition = definition || ' * 1'")
            await asyncio.wait([asyncio.ensure_future(listener.heard.wait())], timeout=2)
            return listener.heard.is_set()

        # Were anything held back, nothing would come before the streams end.
        await eventually(is_told)
        async with asyncio.timeout(LIMIT_S):
            assert type(await anext(aiter(events))).__name__ == "ToolsListChanged"

    async with httpx.AsyncClient(verify=site.trust, timeout=LIMIT_S) as http:
        assert (await http.get(f"{site.url}/metrics")).status_code == 404
