"""A tool on each engine of its own kind: made on the pages as people make it, called as agents call it."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.catalog.sources.pages import form
from tests.mariadb_server import MariadbServer
from tests.mcp_runtime.conftest import ERAS, Serve
from tools.source_loop import shared_loop

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = [(1, "Seoul", 12.5), (2, "東京", 7.25), (3, "O'Hare \\", None)]
# What is written as a value becomes a parameter.
QUERY = "SELECT id, name, price FROM stores WHERE name = 'Seoul' ORDER BY id"


@pytest.fixture(autouse=True)
def _own_files(settings: Any, tmp_path: Path) -> Iterator[None]:
    """Uploads have a folder of their own, and nobody takes the scan that follows them."""
    settings.FILES_DIR, settings.REDIS_URL = str(tmp_path), "redis://127.0.0.1:1/0"
    yield
    shared_loop().close()


def add_mariadb(browser: Client, server: MariadbServer) -> None:
    """A data source on a real server, by the form."""
    found = server.make_database(
        "agents",
        "CREATE TABLE stores (id int PRIMARY KEY, name varchar(50), price decimal(10, 2))",
        "INSERT INTO stores VALUES (1, 'Seoul', 12.5), (2, '東京', 7.25), (3, 'O''Hare \\\\', NULL)",
    )
    place = {"host": found.host, "port": found.port, "database": found.database}
    place |= {"username": found.user, "secret": found.password}
    posted = form(engine="mysql", name="shop", timeout_ms=60_000, **place)
    added = browser.post("/sources/~/add/", posted)
    assert added.status_code == 302, added.content.decode()


def add_files(browser: Client) -> None:
    """A data source of files, and a CSV that is uploaded to it."""
    added = browser.post(
        "/sources/~/add/", form(engine="files", name="shop", port="", timeout_ms=60_000)
    )
    assert added.status_code == 302, added.content.decode()
    content = 'id,name,price\n1,Seoul,12.5\n2,東京,7.25\n3,"O\'Hare \\",\n'
    file = SimpleUploadedFile("stores.csv", content.encode())
    review = browser.post("/sources/shop/files/", {"file": file})
    assert review.status_code == 302, review.content.decode()
    kept = browser.post(review["Location"], {"intent": "keep"}, follow=True)
    assert "stores has 3 rows." in kept.content.decode()


def publish(add: Callable[[Client], None]) -> None:
    """The query as a tool, by the pages of a new tool and of the editor."""
    browser = Client()
    browser.force_login(User.objects.create_superuser("ann"))
    add(browser)
    new = {"source": "shop", "sql": QUERY, "name": "find_store", "create": "1"}
    begun = browser.post("/tools/~/from-sql/", new)
    assert begun.status_code == 302, begun.content.decode()
    editor = browser.get(begun["Location"]).content.decode()
    [revision] = re.findall(r'name="revision" value="(\d+)"', editor)
    fields = {"description_agent": "Finds a store by its exact name, with its price."}
    asked = {"revision": revision, "page_token": "here", "confirmed": "1", **fields}
    answer = browser.post(f"{begun['Location']}publish/", asked, headers={"HX-Request": "true"})
    assert answer.get("HX-Replace-Url") == "/tools/find_store/", answer.content.decode()


@pytest.fixture(params=["mysql", "files"])
def add(request: pytest.FixtureRequest) -> Callable[[Client], None]:
    """Adds the data source of each kind."""
    if request.param == "files":
        return add_files
    return partial(add_mariadb, server=request.getfixturevalue("mariadb"))


async def test_tool_that_people_make_answers_agents_of_both_eras(
    add: Callable[[Client], None], serve: Serve
) -> None:
    await sync_to_async(publish)(add)

    async with serve() as served:
        for era in ERAS:
            async with served.client(era) as client:
                tools = {tool.name: tool for tool in await client.list_tools()}
                answers = [
                    await client.call_tool("find_store", {"name": name}) for _, name, _ in ROWS
                ]
                refused = await client.call_tool("find_store", {}, raise_on_error=False)

            assert tools["find_store"].input_schema["properties"]["name"]["type"] == "string"
            assert [answer.structured_content["rows"] for answer in answers] == [
                [list(row)] for row in ROWS
            ]
            assert "name: required" in refused.content[0].text
