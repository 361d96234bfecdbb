"""Findings in the language of who reads them, whoever stored them and when."""

from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from access.reader_language import in_language
from catalog.models import CheckState, SourceCheck
from catalog.sources.checking import check_sources, store_report
from catalog.sources.findings import read_findings, translate_summary
from core.messages import Message, counted
from gateways.check_report import ConnectionReport, Finding, Level, ok, refused
from tests.catalog.conftest import MakeSource
from tests.catalog.sources.pages import ADD, LIST, Address, form, messages_of, nowhere

TABLES = ok(
    "reads",
    counted("The database has 1 table or view.", "The database has {count} tables and views."),
    count=1_200,
)
AWAY = {
    "ko": "이 호스트와 포트에서 응답하는 서버가 없습니다",
    "ja": "このホストとポートで待ち受けているサーバーがありません",
}
SUPERUSER = {"ko": "이 역할은 슈퍼유저입니다", "ja": "このロールはスーパーユーザーです"}

each_language = pytest.mark.parametrize("language", ["ko", "ja"])


def stored(report: Any) -> SourceCheck:
    return SourceCheck(state="ok", summary="The summary.", report=report)


def entry(**parts: Any) -> dict[str, Any]:
    return {"level": "OK", "code": "reads", "text": "Old text."} | parts


@pytest.mark.parametrize(
    ("language", "text"),
    [
        pytest.param("en", "The database has 1,200 tables and views.", id="en"),
        pytest.param("ko", "데이터베이스에 테이블과 뷰가 1,200개 있습니다.", id="ko"),
        pytest.param("ja", "データベースには 1,200 個のテーブルとビューがあります。", id="ja"),
    ],
)
def test_finding_is_said_in_the_active_language(language: str, text: str) -> None:
    with translation.override(language):
        assert in_language(TABLES.message) == text


@each_language
def test_finding_without_a_translation_is_said_in_english(language: str) -> None:
    with translation.override(language):
        assert (
            in_language(refused("x", "Only {name} knows.", name="nobody").message)
            == "Only nobody knows."
        )


@pytest.mark.django_db
def test_stored_finding_is_the_one_that_was_made(make_source: MakeSource) -> None:
    report = ConnectionReport(server="SQLite 3", findings=(TABLES, refused("x", "{a}", a="{b}")))
    store_report(make_source(), report)

    check = SourceCheck.objects.get()

    assert read_findings(check) == list(report.findings)
    assert [found["text"] for found in check.report["findings"]] == [TABLES.text, "{b}"]


def test_report_of_texts_alone_is_shown_as_it_is() -> None:
    check = stored({"findings": [entry(text="Queries may {not} be {formatted.")]})

    assert read_findings(check) == [
        Finding(Level.OK, Message("reads", "Queries may {not} be {formatted."))
    ]
    assert translate_summary(check) == "Queries may {not} be {formatted."


@each_language
def test_old_text_that_is_a_template_is_translated(language: str) -> None:
    check = stored({"findings": [entry(text="No damage was found.")]})

    with translation.override(language):
        assert translate_summary(check) != "No damage was found."


@pytest.mark.parametrize(
    "report",
    [
        pytest.param(None, id="null"),
        pytest.param([1], id="list"),
        pytest.param({}, id="empty"),
        pytest.param({"findings": "x"}, id="text"),
        pytest.param({"findings": [None, {}, entry(level="BAD"), entry(level=[])]}, id="entries"),
    ],
)
def test_report_that_is_none_leaves_the_summary(report: Any) -> None:
    assert translate_summary(stored(report)) == "The summary."


@pytest.mark.parametrize(
    ("values", "text"),
    [
        pytest.param({"count": "many"}, "many tables", id="count of text"),
        pytest.param({}, "{count} tables", id="no count"),
        pytest.param({"count": [2]}, "[2] tables", id="list"),
    ],
)
def test_odd_values_of_another_program_are_shown(values: Any, text: str) -> None:
    odd = entry(template="{count} tables", values=values, plural="{count} of them")

    assert translate_summary(stored({"findings": [odd]})) == text


@pytest.mark.django_db
@each_language
def test_pages_of_a_check_speak_the_language(
    admin: Client, make_source: MakeSource, language: str
) -> None:
    source = make_source(**nowhere())
    check_sources([source])

    pages = [
        admin.get(page, headers={"Accept-Language": language}).content.decode()
        for page in (LIST, f"{LIST}{source.pk}/check/")
    ]

    assert SourceCheck.objects.get().summary.startswith("Nothing listens at this host")
    assert [AWAY[language] in page for page in pages] == [True, True]
    assert [page for page in pages if "Nothing listens" in page] == []


@pytest.mark.django_db
@each_language
def test_form_refuses_in_the_language(admin: Client, address: Address, language: str) -> None:
    page = admin.post(
        ADD, form(**address("superuser")), headers={"Accept-Language": language}
    ).content.decode()

    assert SUPERUSER[language] in page


@pytest.mark.django_db
@each_language
def test_message_after_saving_speaks_the_language(admin: Client, language: str) -> None:
    response = admin.post(
        ADD, form(**nowhere()), headers={"Accept-Language": language}, follow=True
    )

    assert AWAY[language] in messages_of(response)


@pytest.mark.django_db
@each_language
def test_refusal_that_agents_read_stays_english(
    make_source: MakeSource, address: Address, language: str
) -> None:
    source = make_source(**address("superuser"))

    with translation.override(language):
        (check,) = check_sources([source])

    assert check.state == CheckState.REFUSED
    assert "The role is a superuser" in check.refusal
