"""Questions put to a model: which tool it chooses, and what is said of that."""

import csv
import io
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from access.models import CallRecord
from core.toolspec import JsonValue
from gateways.chat_model.client import ToolRequest
from tests.chat_model import Request, ScriptedModel, answers_of, calling, question_of, saying
from tests.factories import make_tool
from tests.people import StaffWith
from toolbuilder.models import PlaygroundQuestion, PlaygroundRun, PlaygroundState, SearchQuestion
from toolbuilder.playground.evaluating import ChoiceVerdict, judge

HTMX = {"HX-Request": "true"}
REGION = {
    "type": "object",
    "properties": {"region": {"type": "string"}, "top": {"type": "integer"}},
    "required": ["region"],
    "additionalProperties": False,
}
# Twenty questions, eight in Korean, six each in Japanese and English: text, tool, and what the model does.
QUESTIONS = [
    *((f"한국 매출 {n}위", "sales_by_region", calling("sales_by_region", region="KR")) for n in range(6)),
    ("반품률이 높은 상품", "return_rate", saying("모르겠습니다.")),
    ("이메일로 회원 찾기", "find_member", calling("sales_by_region", region="KR")),
    *((f"地域{n}の売上", "sales_by_region", calling("sales_by_region", region="KR")) for n in range(4)),
    ("返品率の高い商品", "return_rate", calling("sales_by_region", region="JP")),
    ("会員を探す", "find_member", calling("call_tool", name="find_member", arguments={"email": "a"})),
    ("Sales of Japan", "sales_by_region", calling("sales_by_region", region="Japan")),
    ("Tell a joke", "", saying("No.")),
    ("Sing a song", "", calling("find_member", email="x")),
    ("Find a member", "find_member", calling("find_member")),
    *((f"Return rate {n}", "return_rate", calling("return_rate", product="p")) for n in range(2)),
]  # fmt: skip


def ask(question: str, expected: str, arguments: Any, request: ToolRequest | None) -> ChoiceVerdict:
    row = PlaygroundQuestion(text=question, expected=expected, arguments=arguments)
    return judge(row, request, {"sales": REGION})[0]


def called(name: str, arguments: JsonValue) -> ToolRequest:
    return ToolRequest("1", name, arguments, "")


@pytest.mark.parametrize(
    ("expected", "arguments", "request_made", "verdict"),
    [
        (
            "sales",
            {"region": "KR"},
            called("sales", {"region": "KR", "top": 3}),
            ChoiceVerdict.RIGHT,
        ),
        ("sales", {"region": "KR"}, called("sales", {"region": "JP"}), ChoiceVerdict.WRONG_VALUE),
        ("sales", {"top": 3}, called("sales", {"region": "JP"}), ChoiceVerdict.WRONG_VALUE),
        ("sales", None, called("sales", {"top": 3}), ChoiceVerdict.REFUSED),
        ("sales", None, called("sales", {"region": "KR", "x": 1}), ChoiceVerdict.REFUSED),
        ("sales", None, called("sales", None), ChoiceVerdict.REFUSED),
        ("sales", None, called("stock", {}), ChoiceVerdict.WRONG_TOOL),
        ("sales", None, None, ChoiceVerdict.NO_CALL),
        ("", None, None, ChoiceVerdict.RIGHT),
        ("", None, called("sales", {"region": "KR"}), ChoiceVerdict.WRONG_TOOL),
        (
            "sales",
            {"region": "KR"},
            called("call_tool", {"name": "sales", "arguments": {"region": "KR"}}),
            ChoiceVerdict.RIGHT,
        ),
    ],
)
def test_verdict_says_whether_the_call_is_what_was_expected(
    expected: str, arguments: Any, request_made: ToolRequest | None, verdict: ChoiceVerdict
) -> None:
    assert ask("What?", expected, arguments, request_made) is verdict


def bring_in(browser: Client, set_name: str) -> None:
    """Read QUESTIONS from a file."""
    rows = [["question", "expected", "arguments"]]
    for text, expected, _said in QUESTIONS:
        arguments = '{"region": "JP"}' if text == "Sales of Japan" else ""
        rows.append([text, expected or "none", arguments])
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    upload = SimpleUploadedFile("questions.csv", file.getvalue().encode())
    browser.post("/playground/questions/import/", {"file": upload, "set": set_name})


def run_all(browser: Client, set_name: str) -> tuple[PlaygroundRun, str]:
    """The run of a set at its end, and the page then."""
    page = browser.post("/playground/runs/", {"set": set_name}, headers=HTMX)
    run = PlaygroundRun.objects.get()
    while run.state == PlaygroundState.RUNNING:
        page = browser.post(f"/playground/runs/{run.pk}/step/", headers=HTMX)
        run.refresh_from_db()
    return run, page.content.decode()


@pytest.fixture
def shop(transactional_db: None) -> None:
    """Three tools, one of which the model will miss."""
    for name, parameter in (
        ("sales_by_region", "region"), ("return_rate", "product"), ("find_member", "email"),
    ):  # fmt: skip
        make_tool(
            f"SELECT :{parameter} AS {parameter}", name=name, description_agent=f"About {name}.",
            parameters=[{"param_name": parameter, "param_type": "STRING"}],
        )  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_twenty_questions_in_three_languages_are_judged(
    shop: None, served_side: str, model: ScriptedModel, admin: Client
) -> None:
    replies = {text: said for text, _expected, said in QUESTIONS}

    def answer(request: Request) -> Any:
        question = question_of(request)
        if question.startswith("Return") and not answers_of(request):
            return calling("search_tools", query="returns")
        return replies[question]

    model.answer = answer
    bring_in(admin, "Sales")

    run, text = run_all(admin, "Sales")

    verdicts = [row["verdict"] for row in run.verdicts]
    assert {name: verdicts.count(name) for name in set(verdicts)} == {
        "right": 14, "wrong_tool": 3, "no_call": 1, "wrong_value": 1, "refused": 1,
    }  # fmt: skip
    assert "70 %" in text
    assert "region &quot;Japan&quot;, should be &quot;JP&quot;" in text
    assert "email was left out, it is required" in text
    assert "does not say:" in text
    assert text.count("<tr>") == 21
    looks = admin.get("/playground/evaluation/?set=Sales&show=ko", headers=HTMX).content.decode()
    assert looks.count("<tr>") == 9
    wrong = admin.get("/playground/evaluation/?set=Sales&show=wrong", headers=HTMX)
    assert wrong.content.decode().count("<tr>") == 7
    export = admin.get("/playground/evaluation/csv/?set=Sales").content.decode("utf-8-sig")
    assert sum(row["verdict"] == "right" for row in csv.DictReader(io.StringIO(export))) == 14
    # Nothing but the search was carried out.
    names = set(CallRecord.objects.values_list("tool_name", flat=True))
    assert names <= {"search_tools"}


@pytest.mark.django_db(transaction=True)
def test_fault_of_the_model_halts_the_run_and_it_goes_on(
    shop: None, served_side: str, model: ScriptedModel, admin: Client
) -> None:
    for text in ("One", "Two"):
        admin.post("/playground/questions/", {"text": text, "set": "S"}, headers=HTMX)
    model.answer = lambda _request: (429, b"{}")
    admin.post("/playground/runs/", {"set": "S"}, headers=HTMX)
    run = PlaygroundRun.objects.get()

    failed = admin.post(f"/playground/runs/{run.pk}/step/", headers=HTMX).content.decode()
    model.answer = lambda _request: saying("No.")
    admin.post(f"/playground/runs/{run.pk}/step/", {"again": "1"}, headers=HTMX)
    run.refresh_from_db()

    assert "over its limit" in failed
    assert "Stopped after 0 of 2." in failed
    assert [row["verdict"] for row in run.verdicts] == ["right", "right"]


@pytest.mark.django_db
def test_questions_come_from_the_search_lab(admin: Client) -> None:
    make_tool(name="sales")
    SearchQuestion.objects.create(text="지역별 매출", expected=["sales", "other"], language="ko")

    admin.post("/playground/questions/import/", {"lab": "1", "set": "Lab"})

    row = PlaygroundQuestion.objects.get()
    assert (row.set_name, row.text, row.expected, row.language) == (
        "Lab",
        "지역별 매출",
        "sales",
        "ko",
    )


@pytest.mark.django_db
def test_set_that_nobody_named_is_named_in_the_readers_language(admin: Client) -> None:
    admin.cookies["django_language"] = "ko"

    page = admin.get("/playground/?view=evaluation").content.decode()

    option = page.partition('<option value="Questions" selected>')[2].partition("</option>")[0]
    assert option.strip() == "질문"


def test_bad_arguments_and_readers_change_nothing(admin: Client, staff_with: StaffWith) -> None:
    fields = {"text": "What?", "expected": "sales", "arguments": "[1]"}

    refused = admin.post("/playground/questions/", fields, headers=HTMX)
    forbidden = staff_with("view_tooldefinition").post("/playground/questions/", {"text": "What?"})

    assert refused.status_code == 422
    assert "are a JSON object such as" in refused.content.decode()
    assert forbidden.status_code == 403
    assert not PlaygroundQuestion.objects.exists()
