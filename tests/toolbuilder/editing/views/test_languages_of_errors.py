"""Errors on pages, in the language of who reads them; what agents get stays English."""

from typing import Any

import pytest
from django.test import Client

from access.models import CallRecord
from access.reader_language import in_language, to_columns
from core.errors import DataSourceError, ToolboxError
from core.messages import message
from tests.factories import make_expression, make_tool, number
from tests.toolbuilder.editing.views.trials import COUNT, INTEGER, row, run
from toolbuilder.models import ToolTrial
from tools.models import QuarantinedTool, ToolDefinition
from tools.registry import read_served_rows, store_quarantine
from tools.source_loop import shared_loop

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def _closed_sources() -> Any:
    yield
    shared_loop().close()


def page_of(client: Client, address: str, language: str) -> str:
    return client.get(address, headers={"Accept-Language": language}).content.decode()


def run_in(client: Client, data: dict[str, str], language: str) -> Any:
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    return run(client, data)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Invalid arguments for count:\\n- most: must be at most 5 (got 7)"),
        ("ko", "count의 인수가 올바르지 않습니다:\\n- most: 5 이하여야 합니다(받은 값: 7)"),
        ("ja", "count の引数が正しくありません:\\n- most: 5 以下にしてください (受け取った値: 7)"),
    ],
)
def test_argument_error(admin: Client, language: str, text: str) -> None:
    make_tool(COUNT, name="count", parameters=[INTEGER | {"maximum": "5"}])

    response = run_in(admin, row("most", "7", max="5"), language)

    trial = response.context["trial"]
    assert trial.error == text.replace("\\n", "\n")
    assert trial.parameter == "most"
    assert [one.text for one in trial.exchange.texts] == [
        "Invalid arguments for count:\n- most: must be at most 5 (got 7)"
    ]
    assert ToolTrial.objects.get().error.startswith("Invalid arguments for count:")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "SQL 문은 하나만 쓸 수 있습니다. 이 ; 뒤의 내용을 지우세요"),
        ("ja", "SQL 文は 1 つだけです。この ; より後を削除してください"),
    ],
)
def test_statement_error_and_its_place(
    admin: Client, count: ToolDefinition, language: str, text: str
) -> None:
    data = row("most", "3") | {"definition": "SELECT n\nFROM generate_series(1, :most) n; SELECT 1"}

    trial = run_in(admin, data, language).context["trial"]

    assert (trial.error, trial.line) == (text, 2)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "텍스트와(과) 숫자에는 +을(를) 적용할 수 없습니다"),
        ("ja", "テキストと数値に + は適用できません"),
    ],
)
def test_error_of_a_running_script(admin: Client, language: str, text: str) -> None:
    script = "b = a\nresult = 'x' + b"
    make_expression(script, name="count", parameters=[number("a")])
    data = row("a", "1.5", type="NUMBER") | {"tool_type": "PYTHON", "definition": script}

    trial = run_in(admin, data, language).context["trial"]

    assert (trial.error, trial.line) == (text, 2)
    assert [one.text for one in trial.exchange.texts] == [
        "line 2: cannot apply + to a text and a number"
    ]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "SQL 문에서 쓰는 region이(가) 선언되지 않았습니다. 매개변수를 추가하세요"),
        ("ja", "SQL 文で使われている region が宣言されていません"),
    ],
)
def test_reason_of_a_quarantine(admin: Client, language: str, text: str) -> None:
    tool = make_tool("SELECT :region AS r", name="count")
    fault = message(
        "logic.names_undeclared",
        "the {logic} uses {names}, which is not declared; add the parameter",
        logic=message("logic.statement", "statement"),
        names="region",
    )
    store_quarantine({tool.pk: fault})

    assert QuarantinedTool.objects.get().reason.startswith("the statement uses region")
    assert text in page_of(admin, "/tools/", language)


def test_row_that_cannot_be_read_says_why_in_any_language(db: None) -> None:
    tool = make_tool("SELECT 1 AS one", parameters=[{"param_name": "a", "param_type": "WORD"}])

    reason = read_served_rows().unreadable[tool.pk]

    assert reason.code == "tool.column_choice"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "데이터 소스에 연결할 수 없습니다. 나중에 다시 시도하세요"),
        ("ja", "データソースに接続できません。後でもう一度お試しください"),
    ],
)
def test_recorded_call(admin: Client, language: str, text: str) -> None:
    away = message("source.unreachable", "the data source cannot be reached; try again later")
    call = {"outcome": "unavailable", "duration_ms": 1.0, "tool_name": "count"}
    CallRecord.objects.create(**call, **to_columns("error", away))
    CallRecord.objects.create(**call, error="an error that was stored before")

    page = page_of(admin, "/calls/", language)

    assert text in page
    assert "an error that was stored before" in page


def test_foreign_words_stay_as_they_are() -> None:
    error: ToolboxError = DataSourceError('relation "a list" does not exist')

    assert in_language(error) == 'relation "a list" does not exist'
