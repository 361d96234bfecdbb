"""What a key sees at an endpoint, and why not the rest."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from access.keys import issue_key
from access.limits.models import LimitCount, ToolLimit, read_limits
from access.limits.usage import limit_zone
from access.models import ApiKey
from core.limits import LimitBook
from tests.factories import make_data_source, make_expression, make_tool, make_toolset
from tests.people import StaffWith
from tests.rendered import text_of

pytestmark = pytest.mark.django_db


def make_key(**columns: Any) -> int:
    key = issue_key("claude").key
    ApiKey.objects.filter(pk=key.pk).update(**columns)
    return key.pk


def explain(client: Client, key_pk: int, query: str = "") -> dict[str, tuple[bool, str]]:
    page = client.get(f"/keys/{key_pk}/sees/?{query}").context["page"]
    return {line.name: (line.is_seen, str(line.because)) for line in page}


def test_each_tool_is_seen_or_not_for_a_reason(admin: Client) -> None:
    for name in ("by_name", "by_set", "by_none"):
        make_expression(name=name)
    make_toolset("sales-kr", "by_set")
    key = make_key(
        allowed_tools=["by_name", "gone"], toolsets=["sales-kr"], builtin_groups=["database"],
        free_sql_sources=[],
    )  # fmt: skip

    seen = explain(admin, key)

    assert seen["by_name"] == (True, "the tool is granted by its name")
    assert seen["by_set"] == (True, "the toolset sales-kr")
    assert seen["by_none"][0] is False
    assert seen["gone"] == (False, "no tool of this name is served now")
    assert seen["execute_postgres_query"][1].startswith("SQL of the caller's own is not granted")


def test_limit_that_refuses_now_is_named(admin: Client) -> None:
    for name in ("used_up", "free"):
        make_expression(name=name)
    key = ApiKey.objects.get(pk=make_key())
    columns = {"target_type": "KEY", "target_id": key.key_id, "tool_name": "used_up"}
    row = ToolLimit.objects.create(max_count=2, **columns)
    book = LimitBook(read_limits(), limit_zone())
    (window,) = book.windows(book.concerning("", key.key_id, "used_up"), timezone.now())
    assert window.ends_at
    LimitCount.objects.create(key=window.key, used=2, ends_at=window.ends_at)

    page = text_of(admin.get(f"/keys/{key.pk}/sees/?q=used_up"))
    free = text_of(admin.get(f"/keys/{key.pk}/sees/?q=free"))
    ToolLimit.objects.filter(pk=row.pk).update(max_count=3)
    raised = text_of(admin.get(f"/keys/{key.pk}/sees/?q=used_up"))

    assert "2 calls of the tool used_up a day; all of it is used, and it starts again at" in page
    assert "refused now" not in free + raised


def test_endpoint_and_filters_choose_what_is_shown(admin: Client) -> None:
    for name in ("by_name", "by_set"):
        make_expression(name=name)
    make_toolset("sales-kr", "by_set")
    key = make_key(allowed_tools=["by_name"], toolsets=["sales-kr"])

    at_set = explain(admin, key, "at=sales-kr&q=by")

    assert at_set["by_name"] == (False, "it is not in the toolset of this endpoint")
    assert at_set["by_set"][0] is True
    assert set(explain(admin, key, "show=sees")) == {"by_name", "by_set"}
    assert "by_set" not in explain(admin, key, "show=not")
    assert set(explain(admin, key, "at=nowhere&q=BY_")) == {"by_name", "by_set"}


def test_tools_that_the_asking_person_may_not_know_are_not_listed(staff_with: StaffWith) -> None:
    make_tool(name="salaries", data_source=make_data_source("hr", is_restricted=True))
    key = make_key(allowed_tools=["salaries"])
    clerk = staff_with("view_apikey")

    assert "salaries" not in clerk.get(f"/keys/{key}/sees/").content.decode()


def test_revoked_key_is_said_to_see_nothing_now(admin: Client) -> None:
    key = make_key()
    admin.post(f"/keys/{key}/revoke/")

    assert "Nobody gets in with this key now" in admin.get(f"/keys/{key}/sees/").content.decode()
