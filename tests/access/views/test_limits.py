"""The page of limits: what is used, and limits written, switched and deleted."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from access.keys import issue_key
from access.limits.models import LimitState, LimitTally, ToolLimit
from access.limits.usage import read_near_limits, read_uses
from access.tasks import forget_limit_windows, warn_of_limits
from core.limits import LimitBook
from tests.people import StaffWith


def text_of(response: Any) -> str:
    return str(response.content.decode())


def use(row: ToolLimit, number: int, subject: str = "") -> None:
    """Count so many calls of the row's first measure, as a runtime does."""
    limit = row.to_limit()
    window = LimitBook().windows([(limit, subject or limit.target_id)], timezone.now())[0]
    LimitTally.objects.create(
        key=window.key,
        runtime_id="5" * 32,
        used=number,
        ends_at=window.ends_at or timezone.now() + timedelta(days=1),
    )


def create(client: Client, **fields: str) -> Any:
    return client.post("/limits/new/", {"target_type": "ALL", **fields})


def test_limit_is_made_and_listed(admin: Client) -> None:
    User.objects.create_user("hong")

    response = create(
        admin, target_type="USER", target_id="hong", tool_name="sales", max_count="1000"
    )

    assert response.status_code == 302
    row = ToolLimit.objects.get()
    assert (row.target_type, row.target_id, row.tool_name, row.max_count, row.per_minute) == (
        *("USER", "hong", "sales"),
        *(1000, None),
    )
    page = text_of(admin.get("/limits/"))
    assert "hong" in page
    assert "1,000 calls a day" in page


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        pytest.param({}, "at least one number", id="nothing limited"),
        pytest.param({"max_count": "-1"}, "a limit is 0 or more", id="negative"),
        pytest.param({"max_count": "x"}, "whole number", id="no number"),
        pytest.param({"target_type": "X", "max_count": "1"}, "valid choice", id="no kind"),
        pytest.param(
            {"target_type": "USER", "target_id": "kim", "max_count": "1"},
            "no user of this name",
            id="unknown user",
        ),
        pytest.param(
            {"target_type": "KEY", "target_id": "kim", "max_count": "1"},
            "no key with this id",
            id="unknown key",
        ),
    ],
)
def test_wrong_form_comes_back_with_the_reason(
    admin: Client, fields: dict[str, str], words: str
) -> None:
    response = create(admin, **fields)

    assert response.status_code == 422
    assert words in text_of(response)
    assert not ToolLimit.objects.exists()


def test_limit_is_changed_switched_and_deleted(admin: Client) -> None:
    row = ToolLimit.objects.create(target_type="ALL", max_count=5)
    address = f"/limits/{row.pk}/"

    assert 'value="5"' in text_of(admin.get(address))
    admin.post(address, {"target_type": "TOOL", "target_id": "left over", "per_minute": "7"})
    admin.post(f"{address}switch/")
    row.refresh_from_db()
    assert (row.target_type, row.target_id, row.max_count, row.per_minute, row.is_active) == (
        *("TOOL", None, None, 7),
        False,
    )
    assert "switched off" in text_of(admin.get("/limits/"))
    admin.post(f"{address}delete/")
    assert not ToolLimit.objects.exists()


def test_bars_show_what_is_used_and_who_used_most(admin: Client) -> None:
    key = issue_key("etl").key
    row = ToolLimit.objects.create(target_type="KEY", max_count=1000)
    use(row, 100, "another")
    use(row, 850, key.key_id)

    (shown,) = read_uses([row])

    assert (shown.used, shown.who, shown.percent, shown.level) == (850, "etl", 85, "warn")
    page = text_of(admin.get("/limits/?level=warn"))
    assert "<b>850</b> of 1,000" in page
    assert "etl" in page
    assert "<b>850</b>" not in text_of(admin.get("/limits/?level=bad"))


def test_used_up_limit_is_found_behind_a_page_of_others(admin: Client) -> None:
    for number in range(101):
        ToolLimit.objects.create(target_type="ALL", tool_name=f"sales_{number:03}", max_count=10)
    use(ToolLimit.objects.create(target_type="USER", target_id="hong", max_count=7), 7, "hong")

    page = text_of(admin.get("/limits/?level=bad"))

    assert "<b>7</b> of 7" in page
    assert "sales_" not in page
    assert [label for label in ("102", ">1<", ">0<") if label not in page] == []


def test_limit_that_is_nearly_used_is_on_the_start_page_and_in_the_log(
    admin: Client, caplog: pytest.LogCaptureFixture
) -> None:
    row = ToolLimit.objects.create(target_type="ALL", tool_name="sales", max_count=10)
    use(row, 10)
    use(ToolLimit.objects.create(target_type="ALL", max_count=10), 7)

    assert [near.level for near in read_near_limits(ToolLimit.objects.all())] == ["bad"]
    assert "10 of 10 are used" in text_of(admin.get("/"))
    assert warn_of_limits() == 1
    assert "10 of 10 used by all" in caplog.text


def test_row_with_a_fault_is_named(admin: Client) -> None:
    row = ToolLimit.objects.create(target_type="GROUP", max_count=1)

    assert f"Row {row.pk} limits nothing: unknown kind of target" in text_of(admin.get("/limits/"))


def test_page_says_that_redis_is_away(admin: Client) -> None:
    LimitState.objects.update_or_create(pk=1, defaults={"in_postgres": True})

    assert "PostgreSQL counts meanwhile" in text_of(admin.get("/limits/"))


def test_csv_has_each_measure(admin: Client) -> None:
    ToolLimit.objects.create(target_type="TOOL", tool_name="=sales", max_count=5, at_once=2)

    lines = admin.get("/limits/export/").content.decode("utf-8-sig").splitlines()

    assert lines[0].startswith("id,target_type,target_id,tool_name,measure")
    assert [line.split(",")[4] for line in lines[1:]] == ["max_count", "at_once"]


def test_limits_are_found_by_key_user_and_tool(admin: Client) -> None:
    key = issue_key("etl nightly").key
    ToolLimit.objects.create(target_type="KEY", target_id=key.key_id, max_count=1)
    ToolLimit.objects.create(target_type="USER", target_id="hong", tool_name="sales", max_count=1)

    assert len(admin.get("/limits/?q=nightly").context["uses"]) == 1
    assert len(admin.get("/limits/?q=hong+sales").context["uses"]) == 1
    assert admin.get("/limits/?q=hong+nightly").context["uses"] == []


def test_those_who_may_only_look_are_offered_no_change(staff_with: StaffWith) -> None:
    row = ToolLimit.objects.create(target_type="ALL", max_count=1)
    client = staff_with("view_toollimit")

    assert "New limit" not in text_of(client.get("/limits/"))
    for address in ("new/", f"{row.pk}/", f"{row.pk}/switch/", f"{row.pk}/delete/"):
        assert client.post(f"/limits/{address}").status_code == 403
    assert ToolLimit.objects.get().is_active


def test_list_costs_the_same_whatever_its_length(
    admin: Client, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        ToolLimit.objects.create(target_type="USER", target_id=f"u{number}", max_count=5)

    with django_assert_max_num_queries(12):
        admin.get("/limits/")


@pytest.mark.django_db
def test_ended_windows_are_forgotten() -> None:
    ended = timezone.now() - timedelta(days=3)
    LimitTally.objects.create(key="old", runtime_id="5" * 32, used=1, ends_at=ended)
    use(ToolLimit.objects.create(target_type="ALL", max_count=5), 1)

    assert forget_limit_windows() == 1
    assert LimitTally.objects.count() == 1
