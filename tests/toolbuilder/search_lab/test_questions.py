"""Saved questions, their file and their rates."""

import pytest
from django.contrib.auth.models import User

from core.errors import EditError, ImportFileError
from tests.factories import make_tool
from toolbuilder.models import SearchQuestion
from toolbuilder.search_lab import questions
from toolbuilder.search_lab.measuring import measure_questions, rate
from toolbuilder.search_lab.questions import export_questions, import_questions, save_question
from toolbuilder.search_lab.weights import DEFAULT_PROFILE

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("ranks", "hits", "mrr"),
    [
        pytest.param([], (0, 0, 0), 0, id="none"),
        pytest.param([1, 2, 4, None], (25, 50, 75), (1 + 1 / 2 + 1 / 4) / 4, id="mixed"),
        pytest.param([6], (0, 0, 0), 1 / 6, id="far behind"),
    ],
)
def test_rates_are_shares_of_all_questions(
    ranks: list[int | None], hits: tuple[float, ...], mrr: float
) -> None:
    rates = rate("", ranks)

    assert rates.hits == hits
    assert rates.mrr == pytest.approx(mrr)


@pytest.mark.usefixtures("shop")
def test_questions_are_measured_worst_first_and_by_language() -> None:
    save_question("orders of a customer", ["list_orders"], "ann")
    save_question("지역별 매장", ["find_stores"], "ann")
    save_question("weather", ["forecast"], "ann")

    measured = measure_questions(
        list(SearchQuestion.objects.all()), DEFAULT_PROFILE, User.objects.create_superuser("admin")
    )

    assert [one.rank for one in measured.questions] == [None, 1, 1]
    assert measured.questions[0].unknown == ("forecast",)
    assert [(one.label, one.count) for one in measured.rates] == [("", 3), ("ko", 1), ("en", 2)]
    assert measured.overall.hits[0] == pytest.approx(200 / 3)
    assert measured.degraded_count == 3


def test_question_saved_again_expects_both_tools() -> None:
    save_question("  orders   of today ", ["a"], "ann")
    save_question("orders of today", ["b", "a"], "bob")

    [question] = SearchQuestion.objects.all()
    assert question.expected == ["a", "b"]
    assert (question.language, question.created_by) == ("en", "ann")


@pytest.mark.parametrize(
    ("text", "expected", "reason"),
    [
        pytest.param(" \n", ["a"], "has words", id="no words"),
        pytest.param("x" * 1_001, ["a"], "at most 1,000", id="too long"),
        pytest.param("orders", [" "], "which tool", id="no tool"),
        pytest.param("orders", [str(n) for n in range(21)], "at most 20", id="too many tools"),
    ],
)
def test_question_that_cannot_be_kept_is_refused(
    text: str, expected: list[str], reason: str
) -> None:
    with pytest.raises(EditError, match=reason):
        save_question(text, expected, "ann")


def test_one_question_too_many_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "MAX_QUESTIONS", 1)
    save_question("one", ["a"], "ann")

    with pytest.raises(EditError, match="remove some first"):
        save_question("two", ["a"], "ann")


def test_exported_questions_come_back() -> None:
    make_tool(name="a")
    texts = ["=1+1 orders", "매출, 어제", '"quoted"', "売上は？"]
    for text in texts:
        save_question(text, ["a", "b"], "ann")
    file = export_questions(SearchQuestion.objects.all())
    SearchQuestion.objects.all().delete()

    count = import_questions(file.encode(), "bob")

    assert count == 4
    assert set(SearchQuestion.objects.values_list("text", flat=True)) == set(texts)
    assert SearchQuestion.objects.filter(expected=["a", "b"], language="ja").count() == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", "first line", id="empty"),
        pytest.param(b"text,tools\nx,y", "first line", id="other columns"),
        pytest.param(b'question,expected\n"a', "no CSV", id="open quote"),
        pytest.param(b"x" * 2_000_001, "more than 2 MB", id="too large"),
    ],
)
def test_file_that_is_none_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ImportFileError, match=reason):
        import_questions(data, "ann")


def test_bad_line_is_named_and_nothing_is_kept() -> None:
    with pytest.raises(EditError, match="line 3: say which tool"):
        import_questions(b"question,expected\na,b\nc,\n", "ann")

    assert not SearchQuestion.objects.exists()
