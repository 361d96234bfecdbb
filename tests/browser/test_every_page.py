"""Every page there is, found by its address: on a phone, in both themes, with ids of five digits and long texts."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from access.issuers.models import IssuerRule, TokenIssuer
from access.keys import issue_key
from access.models import ApiKey, RuntimeInstance, ToolLimit
from catalog.models import CatalogScan, CatalogTable, DataSource, McpServer
from catalog.searching.texts import refresh_search_texts
from tests.access.calls import make_call, make_calls
from tests.addresses import list_addresses
from tests.browser.accessibility import PHONE, Axe, overflow_of
from tests.catalog.shop import make_shop
from tests.factories import make_tool, make_toolset
from tests.remote_mcp import RemoteServer, remote_server
from toolbuilder.editing.drafts import open_draft
from toolbuilder.history.versions import VersionEntry, record_version
from toolbuilder.models import (
    ReplayedCall,
    ReviewComment,
    SearchMeasurement,
    SearchQuestion,
    ToolReplay,
    ToolReview,
    ToolTrial,
    VersionOrigin,
)
from toolbuilder.taking_up.mcp_servers import read_tools
from tools.definitions import ToolDocument
from tools.models import QuarantinedTool, ToolDefinition, ToolSearch

LONG_NAME = "revenue_of_each_region_and_store_since_a_day_with_all_discounts"
LONG_TEXT = "Revenue/of/each/region/without/any/place/to/break/the/line: " * 3
FIRST_ID = 12_345
# Grouped digits in what is no text: an id, a value, an address.
GROUPED = """() => [...document.querySelectorAll("*")].flatMap(element => [...element.attributes]
    .filter(({name, value}) => /^(id|for|form|href|src|action|value|name|data-.*|hx-.*|aria-(controls|owns|labelledby|describedby)|width|height|viewBox)$/.test(name)
        && !/^data-(label|copied|one|many|theme)$/.test(name) && /\\d,\\d{3}(?!\\d)/.test(value))
    .map(({name, value}) => `${element.tagName} ${name}=${value}`))"""


@pytest.fixture(scope="module")
def remote() -> Iterator[RemoteServer]:
    with remote_server() as server:
        yield server


@pytest.fixture
def installation(administrator: User, settings: Any, remote: RemoteServer) -> dict[str, Any]:
    """One row or more of everything; returns what addresses are made of."""
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    _begin_ids_late()
    table = _make_catalogue()
    tool = _make_tool_with_past(administrator.username)
    make_toolset(LONG_NAME, LONG_NAME, "gone", title=LONG_TEXT[:100], description=LONG_TEXT)
    key = issue_key(f"key of {LONG_NAME}").key
    limit = ToolLimit.objects.create(target_type="KEY", tool_name=LONG_NAME, max_count=25_000)
    issuer = TokenIssuer.objects.create(name="corp", url="https://login.example.org")
    rule = IssuerRule.objects.create(
        issuer=issuer, claim=LONG_NAME, test="contains", value=LONG_NAME
    )
    scopes = {"allowed_tools": [LONG_NAME, "gone"], "toolsets": [LONG_NAME]}
    ApiKey.objects.filter(pk=key.pk).update(**scopes, allowed_networks=["2001:db8::/32"])
    make_calls(60, tool_name=LONG_NAME, caller=LONG_TEXT, key_id=key.key_id, row_count=25_000)
    call = make_call(
        LONG_NAME, outcome="tool_error", error=LONG_TEXT, arguments={"text": LONG_TEXT}
    )
    RuntimeInstance.objects.create(host=LONG_NAME, pid=7, version="0.1.0", tool_count=2_000)
    DataSource.objects.create(name="warehouse", engine="sqlite", path=f"/data/{LONG_NAME}.db")
    folder = Path(DataSource.objects.create(name="uploads", engine="files").files_folder)
    folder.mkdir(parents=True)
    with duckdb.connect() as files:
        files.sql("SELECT 1 AS id").write_parquet(str(folder / "people.parquet"))
    server = McpServer.objects.create(name="weather", server_url=remote.url)
    # Playwright's loop runs in this thread.
    with ThreadPoolExecutor() as threads:
        threads.submit(_read_tools, server).result()
    limit = ToolLimit.objects.create(target_type="USER", target_id=LONG_NAME, max_count=5)
    question = SearchQuestion.objects.create(text=LONG_TEXT, expected=[LONG_NAME], created_by="ann")
    ToolSearch.objects.create(query=LONG_TEXT, duration_ms=3.2)
    _make_measurements(question.pk)
    return {
        "name": LONG_NAME, "key_id": key.key_id, "key_pk": key.pk, "limit_pk": limit.pk, "issuer_pk": issuer.pk, "rule_pk": rule.pk,
        "grant_pk": 1, "user_pk": administrator.pk, "call_id": call.pk, "tool_id": tool.pk,
        "uid": open_draft(None, administrator.username).uid, "number": 1, "question_id": question.pk,
        "source_name": "main_db", "path": "public.sales_transactions", "table_id": table.pk,
        "column_id": table.columns.earliest("pk").pk, "relation_id": 1, "language": "ko", "rule": "42703",
        "scan_id": CatalogScan.objects.latest("pk").pk, "key": "absence", "help-page.name": "tools", "help-pane.name": "tools",
        "help-image.name": "tools.png", "source.name": "warehouse", "source-check.name": "warehouse",
        "source-edit.name": "warehouse", "source-delete.name": "warehouse", "secret": "key",
        **{f"source-{action}.name": "warehouse" for action in ("host-allow", "secret-keep", "secret-remove")},
        **{f"source-{action}.name": "uploads" for action in ("files", "file", "file-delete")}, "table": "people",
        **_make_review(tool), "alias_id": 1, "chat_id": 1, "entry": 1, "run_id": 1,
        **{f"mcp-server{action}.name": "weather" for action in ("", "-read", "-tools", "-edit", "-delete")},
    }  # fmt: skip


def _make_measurements(question_id: int) -> None:
    """Two, of which the second says that the question fell."""
    own = {"tool": LONG_NAME, "expected": [LONG_NAME], "degraded": True}
    facts = {"registry": 1, "glossary": "", "profile": "z_linear", "degraded_count": 2}
    first = {**own, "rank": 1, "ahead": []}
    SearchMeasurement.objects.create(kind="FIRST", outcomes={question_id: first}, **facts)
    move = {"before": 1, "after": 2, "cause": LONG_NAME, "rival": LONG_NAME, "source": "bm25", "change": -1.25, "how": "changed"}  # fmt: skip
    SearchMeasurement.objects.create(
        outcomes={question_id: {**own, "rank": 2, "ahead": [LONG_NAME]}}, moves={question_id: move}, cause_count=25_000,
        causes=[{"tool": LONG_NAME, "version": 2, "by": LONG_NAME, "former": ""}], **facts,
    )  # fmt: skip


def _make_review(tool: ToolDefinition) -> dict[str, int]:
    """A review and a replay of the tool, by the parts of their addresses."""
    served = ToolDocument.of_row(tool)
    changed = served.replace(definition=served.definition.replace("id, region", "id,\n  region"))
    review = ToolReview.objects.create(
        tool=tool, name=tool.name, document=changed.to_document(), asked_by="ann", note=LONG_TEXT,
        draft=open_draft(tool, "ann"), content_hash=changed.content_hash, base_hash=served.content_hash,
    )  # fmt: skip
    comment = ReviewComment.objects.create(
        review=review, author=LONG_NAME, text=LONG_TEXT, line=2, content_hash=changed.content_hash
    )
    replay = ToolReplay.objects.create(
        tool=tool, document=changed.to_document(), content_hash=changed.content_hash, served=served.to_document(),
        started_by="ann", requested=50, found=25_000, recorded=30_000, not_kept=2, state="DONE",
    )  # fmt: skip
    cell = {"text": LONG_TEXT, "is_changed": True}
    difference = {"columns": ["region"], "before": [[cell]], "after": [[cell]], "same_rows": 25_000,
                  "left_out": 3, "old_rows": 25_000, "new_rows": 25_000, "values": [["$.a", LONG_TEXT, None]]}  # fmt: skip
    ReplayedCall.objects.create(
        replay=replay, call_id=FIRST_ID, arguments={"region": LONG_TEXT}, caller=LONG_TEXT, at=timezone.now(),
        times=25_000, result="DIFFERS", difference=difference, old_ms=1_234.5, new_ms=2_345.6, old_tokens=25_000,
        new_tokens=25_000,
    )  # fmt: skip
    return {"review_id": review.pk, "comment_id": comment.pk, "replay_id": replay.pk}


def _read_tools(server: McpServer) -> None:
    read_tools(server)
    connection.close()


def _begin_ids_late() -> None:
    with connection.cursor() as cursor:
        for model in apps.get_models():
            if model._meta.app_label in {"access", "catalog", "toolbuilder", "tools"}:
                table, column = model._meta.db_table, model._meta.pk.column
                cursor.execute(
                    "SELECT setval(s, %s) FROM pg_get_serial_sequence(%s, %s) AS s WHERE s IS NOT NULL",
                    [FIRST_ID, table, column],
                )


def _make_catalogue() -> CatalogTable:
    table = make_shop()
    refresh_search_texts(list(CatalogTable.objects.values_list("pk", flat=True)))
    CatalogScan.objects.create(state="failed", error=LONG_TEXT, finished_at=timezone.now())
    return table


def _make_tool_with_past(username: str) -> ToolDefinition:
    tool = make_tool(
        "SELECT id, region FROM stores WHERE region = :region LIMIT :row_limit",
        name=LONG_NAME,
        title=LONG_TEXT,
        description_agent=LONG_TEXT,
        description_user=LONG_TEXT,
        parameters=["region", {"param_name": "row_limit", "param_type": "INTEGER"}],
        tags=["매장", LONG_NAME],
    )
    record_version(tool, VersionEntry(origin=VersionOrigin.PUBLISHED, author=username))
    ToolDefinition.objects.filter(pk=tool.pk).update(description_agent="Stores of a region.")
    record_version(
        tool, VersionEntry(origin=VersionOrigin.PUBLISHED, author=username, note=LONG_TEXT)
    )
    QuarantinedTool.objects.create(tool=tool, reason=LONG_TEXT)
    tool.refresh_from_db()
    logic = ToolDocument.of_row(tool).logic_hash
    arguments = {"region": LONG_TEXT, "row_limit": 25_000}
    for error in ("", LONG_TEXT):
        ToolTrial.objects.create(
            tool=tool,
            username=username,
            arguments=arguments,
            error=error,
            row_count=25_000,
            duration_ms=1_234.5,
            logic_hash=logic,
        )
    return tool


@pytest.fixture
def pages(
    administrator: User, installation: dict[str, Any], live_server: LiveServer
) -> dict[str, str]:
    """The address of each page by its name: of what answers with a whole document."""
    client = Client()
    client.force_login(administrator)
    found = {}
    for name, address in list_addresses(installation):
        response = client.get(address)
        # Files are streamed, and live pages never end.
        if response.status_code != 200 or response.streaming:
            continue
        if b"<!DOCTYPE html>" in response.content[:100]:
            found[name] = f"{live_server.url}{address}"
    assert len(found) > 40
    return found


# A hundred pages, each measured by axe: more than the three minutes of a test where the machine has other work.
@pytest.mark.timeout(900)
def test_every_page_fits_a_phone_and_is_accessible(
    signed_in: Page, pages: dict[str, str], axe: Axe
) -> None:
    signed_in.set_viewport_size(PHONE)
    faults = []
    for name, address in pages.items():
        signed_in.goto(address)
        # What is loaded is dim until it is there.
        expect(signed_in.locator(".htmx-request")).to_have_count(0)
        if width := overflow_of(signed_in):
            faults.append(f"{name}: {width} px too wide")
        faults += [f"{name}: {attribute}" for attribute in signed_in.evaluate(GROUPED)]
        faults += [f"{name}: {violation}" for violation in axe.violations(signed_in)]

    assert not faults, "\n".join(faults)
