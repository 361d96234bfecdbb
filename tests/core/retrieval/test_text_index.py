"""Lexical search finds what shares words with the query, in three languages."""

import pytest

from core.retrieval.bm25f import TextIndex
from core.retrieval.tokens import find_terms

TEXTS = [
    "table: users, column: email, type: VARCHAR(255), description: 사용자 이메일 주소",
    "table: users, column: created_at, type: TIMESTAMP, description: 계정 생성 일시(가입일)",
    "table: orders, column: shipping_fee, type: NUMERIC, description: shipping fee, yen / 送料",
    "table: stores, column: floor_area_m2, description: 売場面積 / floor area in square metres",
    "table: products, column: tags, description: タグの配列",
]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        pytest.param("user_id userId USER_ID", ["user", "id"] * 3, id="names of columns"),
        pytest.param("HTTPServer", ["http", "server"], id="capitals"),
        pytest.param("floor_area_m2", ["floor", "area", "m", "2"], id="digits"),
        pytest.param("Ｅメール ①", ["e", "メー", "ール", "1"], id="compatibility characters"),
        pytest.param("사용자의 이메일은", ["사용", "용자", "이메", "메일"], id="particles"),
        pytest.param("국가 값", ["국가", "값"], id="short Hangul"),
        pytest.param("매장에서는", ["매장"], id="particle of two parts"),
        pytest.param("店舗のタグ", ["店舗", "タグ"], id="hiragana is left out"),
        pytest.param("都道府県", ["都道", "道府", "府県"], id="kanji"),
        pytest.param("naïve Größe Привет", ["naïv", "gröss", "привет"], id="other alphabets"),
        pytest.param("한글", ["한글"], id="letters of Hangul apart"),
        pytest.param(" _-,. \0", [], id="nothing"),
    ],
)
def test_terms_of_a_text(text: str, terms: list[str]) -> None:
    assert find_terms(text) == terms


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("create creates created creating", id="create"),
        pytest.param("ship ships shipped shipping", id="ship"),
        pytest.param("category categories", id="category"),
        pytest.param("address addresses", id="address"),
        pytest.param("sale sales", id="sale"),
        pytest.param("box boxes", id="box"),
        pytest.param("fill fills filled filling", id="fill"),
    ],
)
def test_forms_of_an_english_word_are_one_term(words: str) -> None:
    assert len(set(find_terms(words))) == 1


@pytest.mark.parametrize("word", ["status", "analysis", "business", "id", "gas", "ring", "red"])
def test_ending_that_is_no_ending_stays(word: str) -> None:
    assert find_terms(word) == [word]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        pytest.param("e-mail address of the users", 0, id="English"),
        pytest.param("이메일을 알려줘", 0, id="Korean"),
        pytest.param("언제 가입한 계정인가", 1, id="Korean compound"),
        pytest.param("送料はいくらですか", 2, id="Japanese"),
        pytest.param("店の売場の面積", 3, id="Japanese apart"),
        pytest.param("タグ", 4, id="katakana"),
        pytest.param("shippingFee", 2, id="name of a column"),
    ],
)
def test_best_text_comes_first(query: str, best: int) -> None:
    ranked = TextIndex(TEXTS).rank(query, 3)

    assert ranked[0][0] == best


def test_scores_descend_and_are_positive() -> None:
    scores = [score for _, score in TextIndex(TEXTS).rank("table users column", 5)]

    assert len(scores) == 5
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


def test_equal_texts_keep_their_order() -> None:
    index = TextIndex(["sales", "stores", "sales", "sales"])

    assert [number for number, _ in index.rank("sales", 2)] == [0, 2]


def test_rare_word_counts_more_than_a_common_one() -> None:
    index = TextIndex(["store city", "store", "store", "city region", "store"])

    assert index.rank("store region", 1)[0][0] == 3


def test_short_text_is_better_than_a_long_one() -> None:
    index = TextIndex(["price " + "word " * 50, "price"])

    assert index.rank("price", 1)[0][0] == 1


@pytest.mark.parametrize("query", ["", "の", "nothing", "\ud800"])
def test_query_without_known_words_finds_nothing(query: str) -> None:
    assert TextIndex(TEXTS).rank(query, 5) == []


@pytest.mark.parametrize("limit", [0, -1])
def test_no_result_is_wanted(limit: int) -> None:
    assert TextIndex(TEXTS).rank("users", limit) == []


def test_empty_index_finds_nothing() -> None:
    assert TextIndex([]).rank("users", 5) == []
