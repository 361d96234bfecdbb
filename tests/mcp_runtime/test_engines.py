"""A tool on each engine of its own kind: made on the pages as people make it, called as agents call it."""

import asyncio
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from catalog.models import DataSource
from config.services.postgres import EmbeddedPostgres
from tests.catalog.sources.pages import form
from tests.factories import make_token, make_tool
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


LETTERS = """
CREATE TABLE letter (tenant text);
INSERT INTO letter SELECT (ARRAY['KR', 'JP'])[n % 2 + 1] FROM generate_series(1, 20) AS n;
ALTER TABLE letter ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_tenant ON letter USING (tenant = nullif(current_setting('app.tenant', true), ''));
GRANT SELECT ON letter TO demo_reader;
"""


@pytest.fixture
def letters(embedded_postgres: EmbeddedPostgres) -> Iterator[dict[str, Any]]:
    """Where a table is whose rows are their tenants'."""
    with psycopg.connect(embedded_postgres.dsn("demo", "demo_owner"), autocommit=True) as owner:
        owner.execute(LETTERS)
        place = {"host": "127.0.0.1", "port": embedded_postgres.port, "database": "demo"}
        yield {
            **place,
            "username": "demo_reader",
            "secret": embedded_postgres.passwords["demo_reader"],
        }
        shared_loop().close()
        owner.execute("DROP TABLE letter")


def serve_letters(place: dict[str, Any]) -> list[str]:
    """A tool that asks for all letters, and keys of two tenants and of none."""
    browser = Client()
    browser.force_login(User.objects.create_superuser("ann"))
    identity = {"caller_identity": "app.tenant = claim:tenant", "timeout_ms": 60_000}
    added = browser.post("/sources/~/add/", form(name="letters", **place, **identity))
    assert added.status_code == 302, added.content.decode()
    source = DataSource.objects.get(name="letters")
    make_tool("SELECT tenant FROM letter", name="read_letters", data_source=source)
    assert "Call as" in browser.get("/tools/read_letters/").content.decode()
    claims: list[dict[str, str]] = [{"tenant": "KR"}, {"tenant": "JP"}, {}]
    return [make_token(f"key{n}", claims=given) for n, given in enumerate(claims)]


@pytest.mark.parametrize("era", ERAS)
async def test_each_key_reads_the_rows_of_its_tenant_alone(
    era: str, letters: dict[str, Any], serve: Serve
) -> None:
    tokens = await sync_to_async(serve_letters)(letters)

    async with serve() as served:

        async def ask(token: str) -> Any:
            async with served.client(era, token) as client:
                calls = (client.call_tool_mcp("read_letters", {}) for _ in range(10))
                return await asyncio.gather(*calls)

        korean, japanese, nobody = await asyncio.gather(*map(ask, tokens))

    for answers, tenant in ((korean, "KR"), (japanese, "JP")):
        for answer in answers:
            assert answer.structured_content["rows"] == [[tenant]] * 10
    assert all("needs the claim 'tenant'" in answer.content[0].text for answer in nobody)


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
