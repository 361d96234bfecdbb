"""Wishes to change data, told from questions about it by their words, before anything is asked of a model.

It knows the plain forms only: a verb that commands, not one that describes ("deleted users", 삭제된, 登録した).
What it does not know is left to the model, to the check of the statement and to the server.
"""

import re
from typing import Final

# What comes before an English command, and what parts one command from the next.
_POLITE = (
    r"(?:please|kindly|just|now|then|also|go ahead and|let'?s|we (?:need|want) to|i (?:need|want)(?: you)? to"
    r"|i'?d like(?: you)? to|(?:can|could|would|will) you(?: please)?|is it possible to|help me(?: to)?)"
)
_OPENING = rf"(?:^|[.;:!?,\n]\s*|\b(?:and|then)\s+)(?:{_POLITE}\s+)*"
# These name something to be counted rather than done.
_NOUN = (
    r"(?:histor(?:y|ies)|frequenc(?:y|ies)|counts?|dates?|times?|logs?|rates?|flags?|requests?|events?|reasons?"
    r"|in|of|off|on|up|about|me|us|shipping|by|per|over)\b"
)
_THING = (
    r"(?:users?|customers?|members?|orders?|products?|stores?|sales|transactions?|records?|rows?|entr(?:y|ies)"
    r"|accounts?|prices?|stock|passwords?|e-?mails?|tables?|databases?|data|keys?|payments?|invoices?)"
)
_REPORT = r"(?:from|in|to) (?:the |this |my )?(?:count|total|result|list|sum|average|report|answer|chart|table above)"
_ENGLISH: Final = re.compile(
    rf"{_OPENING}(?:"
    rf"(?:delete|drop|truncate|erase|wipe|purge|destroy|insert|update|alter|overwrite|rename)\s+(?!{_NOUN})"
    rf"|(?:remove|add|change|modify|set|cancel|refund|reset|clear|register|deactivate|disable|edit|create|replace)"
    rf"\s+(?!{_NOUN})(?!(?:a|an|the) (?:list|report|summary|chart|ranking|overview|table (?:of|with|showing)))"
    rf"(?:[\w'-]+\s+){{0,4}}?{_THING}\b(?!.*{_REPORT})"
    r")",
    re.IGNORECASE,
)
# The ending of a Korean verb that commands or wishes.
_KOREAN_WISH = (
    r"(?:해|시켜|하여)\s*(?:줘|줄래|주(?:세요|십시오|실|시|길|렴)|달라|라(?![가-힣])|버려|요(?![가-힣])|[.!]|$)"
    r"|(?:하|시키)(?:라(?![가-힣])|세요|십시오|자(?![가-힣])|고 싶|길 바|기 바)|할래|부탁"
)
_KOREAN_NATIVE_WISH = (
    r"\s*(?:줘|줄래|주(?:세요|십시오|실|시|길|렴)|라(?![가-힣])|버려|요(?![가-힣])|[.!]|$)"
)
_KOREAN_VIEW = r"(?:별로|순서|정렬|순으로|그래프|차트|조건|결과|목록|기준|형식|단위|표에|표로|합계에|열을|컬럼)"
_KOREAN: Final = re.compile(
    rf"(?:삭제|말소|파기|초기화|취소|환불|업데이트|갱신|수정|등록|탈퇴|비활성화)(?:을|를|도|만)?\s*(?:{_KOREAN_WISH})"
    rf"|(?:지워|없애|비워|날려){_KOREAN_NATIVE_WISH}"
    r"|(?:삭제|초기화|말소)[.!]*\s*$"
)
_KOREAN_SOFT: Final = re.compile(
    rf"(?:변경|추가|제거|생성|입력)(?:을|를|도|만)?\s*(?:{_KOREAN_WISH})"
    rf"|(?:바꿔|고쳐|넣어|올려|내려){_KOREAN_NATIVE_WISH}"
)
_JAPANESE_WISH = (
    r"(?:して(?:ください|下さい|くれ|ほしい|欲しい|もらえ|おいて|[。!！]|$)|しろ|せよ|しなさい|をお願い|お願い"
    r"|したい(?:です|の|ん)?[。!！]?$|する[。!！]?$)"
)
_JAPANESE_NATIVE_WISH = r"(?:ください|下さい|くれ|ほしい|欲しい|もらえ|[。!！]|$)"
_JAPANESE_VIEW = (
    r"(?:別に|順に|順番|並び|グラフ|条件|結果|一覧から|表に|表から|形式|単位|合計に|列を)"
)
_JAPANESE: Final = re.compile(
    rf"(?:削除|消去|抹消|更新|修正|登録|キャンセル|返金|初期化|無効化|リセット|挿入|上書き){_JAPANESE_WISH}"
    rf"|(?:消して|取り消して|取消して|書き換えて|なくして){_JAPANESE_NATIVE_WISH}"
    r"|(?:削除|消去|初期化)[。!！]?\s*$"
)
_JAPANESE_SOFT: Final = re.compile(
    rf"(?:変更|追加|除去|作成){_JAPANESE_WISH}|(?:変えて|直して|入れて){_JAPANESE_NATIVE_WISH}"
)
_THING_NATIVE = re.compile(
    r"사용자|회원|고객|주문|상품|제품|매장|점포|거래|데이터|테이블|계정|가격|재고|비밀번호|이메일|레코드|행"
    r"|ユーザー?|会員|顧客|注文|商品|製品|店舗|取引|データ|テーブル|アカウント|価格|在庫|パスワード|メール|レコード|行"
)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？\n])")


def wants_to_write(question: str) -> bool:
    """Whether a question in English, Korean or Japanese plainly asks to change or delete data."""
    sentences = _SENTENCE_END.split(" ".join(question.split()).strip())
    return any(_commands(sentence.strip()) for sentence in sentences)


def _commands(sentence: str) -> bool:
    if _ENGLISH.search(sentence):
        return True
    is_about_view = re.search(f"{_KOREAN_VIEW}|{_JAPANESE_VIEW}", sentence) is not None
    if is_about_view:
        # "Take the cancelled orders out of the result" changes the answer, not the data.
        return False
    if _KOREAN.search(sentence) or _JAPANESE.search(sentence):
        return True
    is_soft = _KOREAN_SOFT.search(sentence) or _JAPANESE_SOFT.search(sentence)
    return bool(is_soft and _THING_NATIVE.search(sentence))
