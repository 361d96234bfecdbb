"""The call log as a browser asks for it."""

import csv
import io
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connection
from django.test import AsyncClient, Client
from django.utils import timezone, translation

from access import call_log
from access.keys import issue_key
from access.reader_language import in_language, to_columns
from core.argument_texts import REQUIRED, list_faults, name_fault
from tests.access.calls import make_call, make_calls
from tests.factories import make_expression
from tests.people import StaffWith

HTMX = {"HX-Request": "true"}
HOSTILE = "<script>alert(1)</script>"


def text_of(response: Any) -> str:
    content = response.getvalue() if response.streaming else response.content
    return str(content.decode())


def shown(response: Any) -> list[str]:
    return [call.tool_name for call in response.context["page"].calls]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("", ["bad", "good", "old"], id="all, newest first"),
        pytest.param("tool=good", ["good"], id="tool"),
        pytest.param("caller=ann", ["good"], id="caller"),
        pytest.param("key=abcd1234", ["bad"], id="key"),
        pytest.param("outcome=failed", ["bad"], id="all errors"),
        pytest.param("outcome=ok", ["good", "old"], id="one outcome"),
        pytest.param("q=RELATION", ["bad"], id="text of the error"),
        pytest.param("start={today}", ["bad", "good"], id="from a day"),
        pytest.param("end={today}", ["bad", "good", "old"], id="to a day, included"),
        pytest.param("end={today}T00:00", ["old"], id="to a minute"),
        pytest.param("client=Cursor", ["good"], id="client"),
        pytest.param("ip=10.0.0.7", ["good"], id="address"),
        pytest.param("session=s1&request=r1", ["good"], id="session and request"),
        pytest.param("start=2026-99-99&end=x&outcome=x&before=x&after=_1", ["bad", "good", "old"], id="nonsense"),
        pytest.param("start=9999-12-31&end=9999-12-31", ["bad", "good", "old"], id="end of time"),
        pytest.param("before=9999-01-01T00:00:00-23:59_1", ["bad", "good", "old"], id="zone that is none"),
        pytest.param("before=9999-12-31T23:59:59-14:00_1", ["bad", "good", "old"], id="place after all time"),
        pytest.param("q=%00&tool=nothing", [], id="nothing"),
    ],
)  # fmt: skip
def test_log_shows_what_its_address_asks_for(
    admin: Client, query: str, expected: list[str]
) -> None:
    make_call("old", seconds_ago=3 * 86_400)
    origin = {"client_name": "Cursor", "address": "10.0.0.7", "session": "s1", "request_id": "r1"}
    make_call("good", seconds_ago=0.2, caller="ann", **origin)
    make_call("bad", key_id="abcd1234", outcome="tool_error", error='relation "x" is not there')

    response = admin.get(f"/calls/?{query.format(today=timezone.localdate())}")

    assert shown(response) == expected


@pytest.mark.parametrize("language", ["ko", "ja"])
def test_error_is_found_by_the_words_that_its_reader_sees(admin: Client, language: str) -> None:
    error = list_faults("sales", [name_fault("region", REQUIRED)])
    make_call("bad", outcome="invalid_arguments", **to_columns("error", error))
    make_call("other", outcome="tool_error", error='relation "x" is not there')
    with translation.override(language):
        words = in_language(REQUIRED)

    address, headers = "/calls/?q=", {"Accept-Language": language}

    assert words != str(REQUIRED)
    assert shown(admin.get(address + words, headers=headers)) == ["bad"]
    assert shown(admin.get(f"{address}region", headers=headers)) == ["bad"]
    assert shown(admin.get(f"{address}{words} {words}", headers=headers)) == []
    assert shown(admin.get(address + words)) == []


def test_pages_of_the_log_meet_without_gap_or_overlap(admin: Client) -> None:
    make_calls(120)
    moment = timezone.now()
    # Of one moment: the place in the log has to tell them apart.
    for number in range(3):
        make_call(f"same_{number}", at=moment)
    first = admin.get("/calls/").context["page"]
    second = admin.get("/calls/", {"before": first.older}).context["page"]
    third = admin.get("/calls/", {"before": second.older}).context["page"]

    ids = [call.pk for page in (first, second, third) for call in page.calls]
    back = admin.get("/calls/", {"after": third.newer}).context["page"]

    assert len(ids) == len(set(ids)) == 123
    assert (third.older, first.newer) == ("", "")
    assert [call.pk for call in back.calls] == [call.pk for call in second.calls]


def test_log_asks_the_same_number_of_queries_for_any_number_of_calls(
    admin: Client, django_assert_num_queries: Any
) -> None:
    make_calls(60, key_id="abcd1234")

    with django_assert_num_queries(7):
        admin.get("/calls/")


def test_text_of_many_failures_and_of_few_is_found_to_the_last(
    admin: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    monkeypatch.setattr(call_log, "NEWEST_FAILURES", 55)
    make_call("rare", seconds_ago=99, outcome="tool_error", error="a rare one")
    make_calls(60, outcome="tool_error", error="gone")

    # One more finds where the newest failures begin, and another reads on where they do not fill the page.
    with django_assert_num_queries(8):
        first = admin.get("/calls/?q=GON")
    with django_assert_num_queries(9):
        rare = admin.get("/calls/?q=rare")

    rest = admin.get("/calls/", {"q": "GON", "before": first.context["page"].older})
    assert (len(shown(first)), len(shown(rest)), shown(rare)) == (50, 10, ["rare"])


def test_text_is_asked_as_its_index_has_it(admin_user: User) -> None:
    found = call_log.filter_calls(call_log.CallLogState(q="rare one"), admin_user)
    with connection.cursor() as cursor:
        # Of few rows any index would do.
        cursor.execute("SET LOCAL enable_seqscan = off; DROP INDEX call_record_failed")

    assert "Index Cond: (upper(error) ~~ '%RARE ONE%'::text)" in found.order_by().explain()


def test_filters_answer_htmx_with_the_list_and_its_address(admin: Client) -> None:
    make_call("sales")

    response = admin.get("/calls/?tool=sales&q=", headers=HTMX)

    assert response["HX-Push-Url"] == "/calls/?tool=sales"
    assert "<html" not in text_of(response)


def test_drawer_and_page_tell_the_exact_call(admin: Client) -> None:
    issued = issue_key("claude")
    call = make_call(
        HOSTILE,
        key_id=issued.key.key_id,
        arguments={"city": HOSTILE, "n": 1},
        outcome="tool_error",
        error=HOSTILE,
        revision=77,
    )

    drawer = text_of(admin.get(f"/calls/{call.pk}/", headers=HTMX))
    page = text_of(admin.get(f"/calls/{call.pk}/"))

    for text in (drawer, page):
        assert HOSTILE not in text
        assert "&quot;n&quot;: 1" in text
        assert "claude" in text
        assert "77" in text
    assert "data-open" in drawer


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("full", {"Busan", "city_name"}), ("names", {"city_name"}), ("none", set())],
)
def test_stricter_policy_hides_what_is_stored(
    admin: Client, settings: Any, policy: str, expected: set[str]
) -> None:
    settings.CALL_LOG_ARGUMENTS = policy
    call = make_call(arguments={"city_name": "Busan"})

    texts = [text_of(admin.get(address)) for address in (f"/calls/{call.pk}/", "/calls/export/")]

    for text in texts:
        assert {word for word in ("Busan", "city_name") if word in text} == expected


def test_export_is_the_filtered_log_and_runs_in_no_spreadsheet(admin: Client) -> None:
    make_call("sales", caller="=HYPERLINK(1)", outcome="tool_error", error="없음")
    make_call("other")

    response = admin.get("/calls/export/?tool=sales")

    rows = list(csv.DictReader(io.StringIO(text_of(response).removeprefix("\ufeff"))))
    assert [row["caller"] for row in rows] == ["'=HYPERLINK(1)"]
    assert rows[0]["error"] == "없음"
    assert "calls-" in response["Content-Disposition"]


@pytest.mark.parametrize("address", ["/calls/", "/calls/export/", "/calls/1/"])
def test_log_is_for_those_who_may_see_it(staff_with: StaffWith, address: str) -> None:
    make_call()

    assert staff_with("view_apikey").get(address).status_code == 403
    assert Client().get(address).status_code == 302


def test_empty_log_says_how_calls_come(admin: Client) -> None:
    assert "No calls yet" in text_of(admin.get("/calls/"))
    assert "No call matches" in text_of(admin.get("/calls/?tool=x"))


def test_page_of_a_call_says_the_id_of_its_request(admin: Client) -> None:
    call = make_call("sum", request_id="4be1a02c9f3d7e58")

    assert "4be1a02c9f3d7e58" in text_of(admin.get(f"/calls/{call.pk}/"))


def test_live_log_answers_only_what_is_new(admin: Client) -> None:
    make_call("first", seconds_ago=5)
    address = "/calls/?live=1"
    page = admin.get(address, headers=HTMX).context["page"]

    unchanged = admin.get(address, {"live": "1", "seen": page.newest}, headers=HTMX)
    make_call("second")
    changed = admin.get(address, {"live": "1", "seen": page.newest}, headers=HTMX)

    assert unchanged.status_code == 204
    assert shown(changed) == ["second", "first"]
    assert 'hx-trigger="every 2s"' in text_of(changed)
    assert "every 2s" not in text_of(admin.get("/calls/", headers=HTMX))


def test_export_has_every_call_once_in_as_many_parts_as_it_takes(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_log, "EXPORT_CHUNK", 7)
    make_calls(21)
    for number in range(3):
        make_call(f"tool_{number}", seconds_ago=100)

    response = admin.get("/calls/export/")

    text = text_of(response).removeprefix("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 24
    assert "\r\n\r\n" not in text
    assert {row["tool_name"] for row in rows} == {"sales", "tool_0", "tool_1", "tool_2"}


@pytest.mark.django_db(transaction=True)
async def test_export_is_sent_while_it_is_read(admin_user: User) -> None:
    await sync_to_async(make_calls)(3)
    client = AsyncClient()
    await client.aforce_login(admin_user)

    response: Any = await client.get("/calls/export/")

    parts = [part async for part in response]
    assert len(parts) == 2
    assert parts[1].count(b"\r\n") == 3


def test_page_of_a_call_says_from_where_it_came(admin: Client) -> None:
    call = make_call(
        client_name="Cursor", client_version="1.2", address="10.0.0.7", endpoint="shop"
    )

    page = text_of(admin.get(f"/calls/{call.pk}/"))

    for word in ("Cursor", "1.2", "10.0.0.7", "/mcp/shop"):
        assert word in page


def test_editor_opens_with_the_values_of_a_call(admin: Client) -> None:
    make_expression("a + b", name="sum")
    call = make_call("sum", arguments={"a": 6, "b": "***", "gone": 1})

    page = admin.get(f"/calls/{call.pk}/")
    link = f"/tools/sum/?call={call.pk}"
    assert link in text_of(page)
    editor = admin.get(link)

    assert {row.name: row.test for row in editor.context["page"].rows} == {"a": "6", "b": ""}
    other = make_call("other", arguments={"a": 7})
    assert admin.get(f"/tools/sum/?call={other.pk}").context["page"].rows[0].test == ""
