"""The page of the audit trail: filters, places, an entry, the check, the file."""

import csv
from io import StringIO
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.test import AsyncClient, Client

from access.audit.models import AuditEntry
from tests.factories import make_token, make_tool, make_toolset
from tests.people import StaffWith

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_trail")]


def names(client: Client, query: str = "") -> list[str]:
    page = client.get(f"/audit/{query}").context["page"]
    return [entry.target_name for entry in page.entries]


def test_entries_are_found_by_kind_actor_action_text_and_day(admin: Client) -> None:
    make_toolset("kr")
    tool = make_tool("SELECT 'needle' AS one", name="sales")
    tool.delete()
    admin.post("/limits/new/", {"target_type": "ALL", "max_count": 5})

    assert names(admin, "?kind=h_mcp_toolset") == ["kr"]
    assert names(admin, "?actor=admin") == ["ALL"]
    assert names(admin, "?action=delete") == ["sales"]
    assert names(admin, "?q=NEEDLE") == ["sales", "sales"]
    assert names(admin, f"?kind=h_custom_tool&target={tool.pk}") == []
    assert names(admin, "?end=1999-01-01") == []
    assert len(names(admin, "?action=nonsense&start=x&before=x")) == AuditEntry.objects.count()


def test_pages_are_found_by_their_place(admin: Client) -> None:
    for number in range(120):
        make_toolset(f"set-{number}")

    first = admin.get("/audit/?kind=h_mcp_toolset").context["page"]
    second = admin.get(first.older).context["page"]
    third = admin.get(second.older).context["page"]
    back = admin.get(third.newer).context["page"]

    assert [len(page.entries) for page in (first, second, third)] == [50, 50, 20]
    assert (first.newer, third.older) == ("", "")
    assert back.entries == second.entries


def test_entry_shows_what_was_before_and_after(admin: Client) -> None:
    tool = make_tool("SELECT 1 AS one", name="sales")
    tool.definition = "SELECT 2 AS two"
    tool.save()
    entry = AuditEntry.objects.filter(kind="h_custom_tool").latest("number")

    page = admin.get(f"/audit/{entry.number}/").content.decode()
    drawer = admin.get(f"/audit/{entry.number}/", headers={"HX-Request": "true"}).content.decode()

    assert "SELECT 1 AS one" in page
    assert "SELECT 2 AS two" in page
    assert "audit-drawer" in drawer


def test_broken_chain_is_said_on_the_page(admin: Client) -> None:
    make_tool(name="sales")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE h_audit DISABLE TRIGGER refuse_change")
        cursor.execute("UPDATE h_audit SET actor = 'bob' WHERE number = 2")
        cursor.execute("ALTER TABLE h_audit ENABLE TRIGGER refuse_change")

    assert "Entry 2 is not what was written" in admin.get("/audit/").content.decode()
    answer = admin.post("/audit/verify/", follow=True).content.decode()
    assert "Entry 2 is not what was written" in answer


def test_whole_chain_is_said_after_a_check(admin: Client) -> None:
    make_tool(name="sales")

    answer = admin.post("/audit/verify/", follow=True).content.decode()

    assert "entries are as they were written" in answer


def test_file_holds_every_filtered_entry_oldest_first() -> None:
    user = User.objects.create_superuser("admin")
    for number in range(3):
        make_toolset(f"set-{number}")
    client = AsyncClient()

    async def read() -> str:
        await client.aforce_login(user)
        response: Any = await client.get("/audit/export/?kind=h_mcp_toolset")
        return b"".join([part async for part in response]).decode()

    rows = list(csv.DictReader(StringIO(async_to_sync(read)().removeprefix("\ufeff"))))

    assert [row["target_name"] for row in rows] == ["set-0", "set-1", "set-2"]
    assert [row["hash"] for row in rows] == [
        bytes(entry.hash).hex()
        for entry in AuditEntry.objects.filter(kind="h_mcp_toolset").order_by("number")
    ]


def test_command_writes_the_same_file(admin: Client) -> None:
    make_token()
    output = StringIO()

    call_command("audit", "export", stdout=output)

    rows = list(csv.DictReader(StringIO(output.getvalue().removeprefix("\ufeff"))))
    assert len(rows) == AuditEntry.objects.count()


def test_file_holds_numbers_beyond_64_bits() -> None:
    parameter = {"param_name": "j", "param_type": "JSON", "is_required": "N", "default": [10**22]}
    make_tool("SELECT :j AS j", name="wide", parameters=[parameter])
    output = StringIO()

    call_command("audit", "export", stdout=output)

    assert "10000000000000000000000" in output.getvalue()


def test_only_those_with_the_right_see_it(staff_with: StaffWith) -> None:
    client = staff_with("view_apikey", "view_callrecord")

    for address in ("/audit/", "/audit/export/", "/audit/1/"):
        assert client.get(address).status_code == 403
    assert client.post("/audit/verify/").status_code == 403
    assert "Audit trail" not in client.get("/keys/").content.decode()
