"""A word is known again where another script borrowed it, or another ending was put to it."""

import pytest

from core.retrieval.glossary import Glossary
from core.retrieval.index import ToolIndex
from core.retrieval.kanji_readings import read_as_korean
from core.retrieval.kindred import find_root
from core.retrieval.model import Tool
from core.retrieval.profiles import Z_LINEAR
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import SearchQuery, parse_query
from core.retrieval.sounds import sounds_of
from core.retrieval.tool_texts import IndexEntry

TOOLS = (
    Tool("list_turbines", description="Lists the turbines of a site."),
    Tool("a", description="발전량을 날짜별로 집계합니다."),
    Tool("b", description="設備利用率とインバーターの温度を示す。"),
    Tool("c", description="Inspection of blades."),
)


@pytest.mark.parametrize(
    "words",
    [
        ("turbine", "turbines", "터빈", "タービン"),
        ("inverter", "인버터", "インバータ", "インバーター"),
        ("component", "컴포넌트", "コンポーネント"),
        ("generator", "제너레이터", "ジェネレーター"),
        ("ticket", "티켓", "チケット"),
        ("gearbox", "기어박스", "ギアボックス"),
    ],
    ids=lambda words: words[0],
)
def test_borrowed_word_sounds_the_same_in_every_script(words: tuple[str, ...]) -> None:
    assert set.intersection(*(set(sounds_of(word)) for word in words))


@pytest.mark.parametrize("word", ["습도", "온도", "fee", "42", "止", "あ", ""])
def test_word_that_was_not_borrowed_or_is_too_short_has_no_sound(word: str) -> None:
    assert sounds_of(word) == ()


@pytest.mark.parametrize(
    ("kanji", "hangul"),
    [("発電量", "발전량"), ("料金", "요금"), ("労働", "노동"), ("女性", "여성"), ("送料", "송료"), ("鱈", "·")],
)  # fmt: skip
def test_kanji_are_read_as_korean_reads_them(kanji: str, hangul: str) -> None:
    assert read_as_korean(kanji) == hangul


def test_root_is_that_of_every_ending_and_of_the_short_form() -> None:
    assert {find_root(word) for word in ("inspect", "Inspection", "inspectors")} == {"inspect"}
    assert find_root("qty") == find_root("quantity") == find_root("quantities")
    assert find_root("bus") == ""


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("터빈 보여줘", "list_turbines"),
        ("タービン", "list_turbines"),
        ("日別の発電量", "a"),
        ("설비 이용률", "b"),
        ("inverter", "b"),
        ("inspectors", "c"),
        ("率", "b"),
    ],
)
def test_tool_of_another_script_is_found_without_glossary_and_model(query: str, found: str) -> None:
    index = ToolIndex(Glossary())
    for tool in TOOLS:
        index.put(IndexEntry(tool))

    assert ToolRanker(index).rank(SearchQuery(query))[0].name == found


def test_word_that_was_found_by_its_kin_is_named() -> None:
    index = ToolIndex(Glossary())
    for tool in TOOLS:
        index.put(IndexEntry(tool))

    [first, *_] = ToolRanker(index).rank(SearchQuery("터빈 보여줘"))

    assert first.matched.words == ("터빈",)


def test_word_of_a_concept_or_an_action_needs_no_kin() -> None:
    parsed = parse_query(SearchQuery("delete turbine inspections"), Glossary(), Z_LINEAR)

    assert parsed.roots == ("≈Rturbin", "≈Rinspect")
