"""The shipped glossary: every concept in three languages, no term with two meanings by accident."""

import unicodedata
from collections import Counter

import pytest

from core.retrieval.glossary import Glossary
from core.retrieval.glossary_terms import CONCEPTS, LANGUAGES

# Terms that belong to two concepts on purpose, by language.
SHARED: dict[str, frozenset[str]] = {
    "en": frozenset({"member", "package", "parcel", "profit and loss", "ticket", "workflow"}),
    "ko": frozenset({"기사", "소포", "손익계산서", "택배", "티켓", "회원"}),
    "ja": frozenset({"チケット", "会員", "損益計算書", "荷物"}),
}
GLOSSARY = Glossary(CONCEPTS)


def test_every_concept_has_an_id_of_its_own() -> None:
    assert len({concept.id for concept in CONCEPTS}) == len(CONCEPTS)
    assert 450 <= len(CONCEPTS) <= 600


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_concept_has_terms_in_each_language(language: str) -> None:
    assert [each.id for each in CONCEPTS if not all(each.terms[language])] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_term_belongs_to_one_concept(language: str) -> None:
    terms = Counter(term.casefold() for each in CONCEPTS for term in each.terms[language])

    assert {term for term, count in terms.items() if count > 1} == SHARED[language]


def test_terms_are_written_in_their_script_and_never_so_short_that_they_hide_in_words() -> None:
    terms = [
        (language, term)
        for each in CONCEPTS
        for language in LANGUAGES
        for term in each.terms[language]
    ]

    assert [term for _language, term in terms if len(term) < 2] == []
    assert [term for _language, term in terms if term != unicodedata.normalize("NFKC", term)] == []
    assert [term for language, term in terms if (language == "en") != term.isascii()] == []


@pytest.mark.parametrize(
    ("texts", "concept"),
    [
        pytest.param(("monthly revenue", "월별 매출", "月別の売上"), "revenue", id="revenue"),
        pytest.param(("list of customers", "고객 목록", "顧客一覧"), "customer", id="customer"),
        pytest.param(("refunds of today", "환불 내역", "返金の履歴"), "refund", id="refund"),
        pytest.param(("annual leave", "연차 신청", "有給の申請"), "leave", id="leave"),
        pytest.param(("stock on hand", "재고 조회", "在庫を調べる"), "inventory", id="inventory"),
        pytest.param(("patient", "환자 조회", "患者の一覧"), "patient", id="health"),
        pytest.param(("customs clearance", "통관 신고", "通関の状況"), "customs", id="trade"),
        pytest.param(("approve it", "승인해줘", "承認する"), "approval", id="approve"),
        pytest.param(("enrol a student", "수강 신청", "履修登録"), "enrollment", id="school"),
        pytest.param(("pull requests", "풀리퀘스트", "プルリクエスト"), "pull_request", id="code"),
    ],
)
def test_one_meaning_is_found_in_every_language(texts: tuple[str, ...], concept: str) -> None:
    assert [text for text in texts if concept not in GLOSSARY.find(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("블로그 프로그램 카탈로그", id="log in Korean words"),
        pytest.param("ブログとカタログ", id="log in Japanese words"),
        pytest.param("コントロールとスクロール", id="role in Japanese words"),
        pytest.param("returns nothing", id="return as a verb"),
    ],
)
def test_a_term_is_not_found_within_another_word(text: str) -> None:
    assert GLOSSARY.find(text) == ()
