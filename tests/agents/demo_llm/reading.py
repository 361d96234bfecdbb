"""What a question asks for, by its words alone: measure, groups, period, order, limit."""

import re
from dataclasses import dataclass, field
from typing import Literal

from tests.agents.demo_llm.periods import Period, take_period
from tests.agents.demo_llm.words import without_particle

Function = Literal["count", "sum", "avg", "max", "min"]
_NOUN = r"[\u30a0-\u30ff\u4e00-\u9fff々ーA-Za-z]"
_NUMBER_WORDS = {"three": 3, "five": 5, "ten": 10, "twenty": 20}
_BUCKETS = {
    "day": r"일별|날짜별|일자별|매일|日別|日ごと|毎日|日次|(?:(?:by|per|each|every) )?\b(?:daily|day)\b",
    "month": r"월별|월간|매월|달별|月別|月ごと|毎月|月次|(?:(?:by|per|each|every) )?\b(?:monthly|month)\b",
    "quarter": r"분기별|四半期別|四半期ごと|(?:(?:by|per|each|every) )?\b(?:quarterly|quarter)\b",
    "year": r"연도별|년도별|연별|매년|年別|年度別|年ごと|毎年|(?:(?:by|per|each|every) )?\b(?:yearly|annual|year)\b",
}
_FUNCTIONS: dict[Function, str] = {
    "count": r"how many|\bnumber of\b|\bcount of\b|\bcount\b|건수|개수|인원수?|몇\s*(?:명|개|건|곳)(?:인가요|이야|인지)?"
    r"|(?:(?<=[가-힣]{2})|(?<=[가-힣])\s)수(?=(?:를|을|는|은|가|이|와|과)?(?:[\s,.?]|$))|件数|人数|何(?:人|件|店|個|点)|(?<=[\u30a0-\u9fff])数(?!量)",
    "avg": r"평균|平均|\baverage\b|\bavg\b|\bmean\b",
    "sum": r"합계|총합|총액|총|합산|合計|総計|総額|総|\btotal\b|\bsum(?: of)?\b|\boverall\b",
    "max": r"최대|최고|最大|最高|\bmaximum\b|\bmax\b",
    "min": r"최소|최저|最小|最低|\bminimum\b|\bmin\b",
}
# What a superlative compares, where the word itself says it.
_IMPLIED = (
    (r"비싼|싼|저렴한", "가격"),
    (r"\b(?:most )?expensive\b|\bcheapest\b", "price"),
    (r"高価な|高額な|安い", "価格"),
    (r"(?:많이 )?팔린|판매된", "판매 수량"),
    (r"売れた|売れている|売れ筋", "販売数量"),
    (r"best[- ]selling|most sold", "units sold"),
)
_ASCENDING = r"낮은|적은|(?<!비)싼|저렴한|少ない|低い|安い|lowest|least|fewest|smallest|cheapest"
_DESCENDING = (
    r"높은|많은|큰|많이|비싼|多い|高い|大きい|高価な|高額な|highest|most|largest|biggest|best"
)
_SUPERLATIVE = re.compile(
    rf"(?:가장|제일|最も|一番)?\s*(?:{_ASCENDING}|{_DESCENDING})(?:\s*순서?(?:대로|으로|로)?|順(?:に)?)?"
)
_TOP = re.compile(
    r"(?:상위|톱|上位|トップ|top|first)\s*(\d+|three|five|ten|twenty)(?:개의?|곳의?|명의?|건|人|個|件|位|つ)?"
    r"|(?<!\d)(\d+)\s*(?:개|곳|명|건|人|個|件|つ)(?=[를을만의]?(?:[\s,.?]|$)|を|だけ)",
    re.IGNORECASE,
)
_COMPARISONS = (
    (r"(?:greater than|more than|over|above|>)", ">"),
    (r"(?:at least|>=)", ">="),
    (r"(?:less than|under|below|<)", "<"),
    (r"(?:at most|<=)", "<="),
)
_AFTER_NUMBER = {
    "이상": ">=",
    "以上": ">=",
    "초과": ">",
    "超": ">",
    "이하": "<=",
    "以下": "<=",
    "미만": "<",
    "未満": "<",
}
_NUMBER = r"([\d,]+(?:\.\d+)?)"
_NUMBER_THEN_WORD = re.compile(
    rf"([\w]+?)(?:이|가|은|는|が|は)?\s*{_NUMBER}\s*(?:엔|원|円|개|個|%)?\s*({'|'.join(_AFTER_NUMBER)})(?:인|の)?"
)
_GROUP_KO = re.compile(r"([가-힣A-Za-z]+)별(?:로|의)?(?![가-힣])")
_GROUP_JA = re.compile(rf"({_NOUN}+?)(?:別|ごと|毎)(?:の|に)?")
_GROUP_EN = re.compile(
    r"\b(?:by|per|(?:for|in|of|from)? ?each|(?:for|in|of)? ?every)\s+((?:[a-z]+[ -]?){1,3}?)(?:\s+and\s+([a-z]+))?"
    r"(?=\s*(?:[,.?;]|$)|\s+(?:in|since|from|with|for|over|above|below|under|before|after|during|by|per)\b)",
    re.IGNORECASE,
)
_STOPS = frozenset(
    re.findall(
        r"\S+",
        """a all an and are as at be best by can could data database did display do does each every find first for from
    get give had has have how i in information is it its list many me most much my of on or our over please rows
    every entries show table tell that the their them then there these they those to top us was we were what when
    which who whose with would you your highest lowest largest smallest descending ascending ordered sorted
    알려줘 알려주세요 보여줘 보여주세요 조회 조회해줘 찾아줘 구해줘 뽑아줘 대한 기준 전체 모든 각 순서 순 목록 리스트
    무엇 얼마 얼마인가요 인가요 있는 있는지 현황 해줘 주세요 좀 및 그리고 데이터 정보 가장 제일 내역 몇 매출별 어떤
    一覧 表示 検索 取得 全部 全 各 順 何 教 見 出 調 知 順番 情報 最 多 高 少 低 全件 上位 金""",
    )
)
_WORD = re.compile(
    r"[A-Za-z][A-Za-z'-]*|[가-힣]+|[\u30a0-\u30ff\u4e00-\u9fff々ー][\u30a0-\u30ff\u4e00-\u9fff々ー]*"
)
_VERB_ENDING = re.compile(r"(?<=[가-힣]{2})(?:한|된|하는|되는|했던|한지)$")


@dataclass(frozen=True)
class Comparison:
    """A column's word, an operator and a number."""

    keyword: str
    operator: str
    number: str


@dataclass(frozen=True)
class Reading:
    """A question taken apart; `subject` is what is left, in order: measure, entity, values."""

    subject: tuple[str, ...]
    groups: tuple[str, ...] = ()
    function: Function | None = None
    bucket: str | None = None
    bucket_phrase: str = ""
    period: Period = field(default_factory=Period)
    limit: int | None = None
    has_order: bool = False
    is_ascending: bool = False
    comparisons: tuple[Comparison, ...] = ()
    text: str = ""


def read_question(question: str) -> Reading:
    """The question's reading; a question of filler words alone has no subject."""
    text = question.strip()
    period, rest = take_period(text)
    comparisons, rest = _take_comparisons(rest)
    bucket, bucket_phrase, rest = _take_bucket(rest)
    implied, is_ascending, has_order, rest = _take_order(rest)
    limit, rest = _take_limit(rest, has_order=has_order)
    groups, rest = _take_groups(rest)
    function, rest = _take_function(rest)
    subject = tuple(dict.fromkeys([*implied, *_words(rest)]))
    if limit and groups and subject and re.search(r"\bby\b", text, re.IGNORECASE):
        # "top 5 products by sales" groups by what comes first and sorts by what is named last.
        subject, groups = groups, (" ".join(subject),)
    return Reading(
        subject=subject,
        groups=groups,
        function=function,
        bucket=bucket,
        bucket_phrase=bucket_phrase,
        period=period,
        limit=limit,
        has_order=has_order or limit is not None,
        is_ascending=is_ascending,
        comparisons=comparisons,
        text=text,
    )


def _take_comparisons(text: str) -> tuple[tuple[Comparison, ...], str]:
    found: list[Comparison] = []
    for match in _NUMBER_THEN_WORD.finditer(text):
        word, number, after = match.groups()
        found.append(Comparison(without_particle(word), _AFTER_NUMBER[after], _plain(number)))
        text = text.replace(match[0], " ", 1)
    for words, operator in _COMPARISONS:
        pattern = re.compile(rf"\b([a-z_]+)\s+(?:is |are |was )?{words}\s*{_NUMBER}", re.IGNORECASE)
        for match in pattern.finditer(text):
            found.append(Comparison(match[1], operator, _plain(match[2])))
            text = text.replace(match[0], " ", 1)
    return tuple(found), text


def _take_bucket(text: str) -> tuple[str | None, str, str]:
    for bucket, words in _BUCKETS.items():
        match = re.search(words, text, re.IGNORECASE)
        if match:
            return bucket, match[0].strip(), text.replace(match[0], " ", 1)
    return None, "", text


def _take_order(text: str) -> tuple[list[str], bool, bool, str]:
    """What a superlative compares, if it says so; ascending; whether there is one; the rest."""
    is_ascending = re.search(_ASCENDING, text, re.IGNORECASE) is not None
    implied: list[str] = []
    has_order = False
    for words, keyword in _IMPLIED:
        if re.search(words, text, re.IGNORECASE):
            implied, has_order = [keyword], True
            text = re.sub(words, " ", text, flags=re.IGNORECASE)
    rest, count = _SUPERLATIVE.subn(" ", text)
    return implied, is_ascending, has_order or count > 0, rest


def _take_limit(text: str, *, has_order: bool) -> tuple[int | None, str]:
    for match in _TOP.finditer(text):
        number = match[1] or (match[2] if has_order else None)
        if number:
            limit = _NUMBER_WORDS.get(number.lower()) or int(number)
            return limit, text.replace(match[0], " ", 1)
    return None, text


def _take_groups(text: str) -> tuple[tuple[str, ...], str]:
    groups: list[str] = []
    for pattern in (_GROUP_KO, _GROUP_JA, _GROUP_EN):
        for match in pattern.finditer(text):
            groups += [without_particle(part.strip()) for part in match.groups() if part]
            text = text.replace(match[0], " ", 1)
    return tuple(g for g in dict.fromkeys(groups) if g.lower() not in _STOPS), text


def _take_function(text: str) -> tuple[Function | None, str]:
    for function, words in _FUNCTIONS.items():
        rest, count = re.subn(words, " ", text, flags=re.IGNORECASE)
        if count:
            return function, rest
    return None, text


def _words(text: str) -> list[str]:
    found = (_VERB_ENDING.sub("", without_particle(word)) for word in _WORD.findall(text))
    return [
        word
        for word in found
        if word.lower() not in _STOPS and not (len(word) == 1 and "가" <= word <= "힣")
    ]


def _plain(number: str) -> str:
    return number.replace(",", "").rstrip(".")
