"""Terms of a glossary are found in every language, the longest first."""

import pytest

from core.retrieval.glossary import Concept, Glossary

GLOSSARY = Glossary(
    [
        Concept("order", {"en": ("order",), "ko": ("주문",), "ja": ("注文",)}),
        Concept(
            "purchase_order", {"en": ("purchase order",), "ko": ("구매 주문",), "ja": ("発注",)}
        ),
        Concept(
            "revenue", {"en": ("revenue", "sales"), "ko": ("매출",), "ja": ("売上", "売り上げ")}
        ),
        Concept("selling", {"en": ("sales",), "ko": ("영업",), "ja": ("営業",)}),
        Concept("vip", {"en": ("VIP",), "ko": ("VIP고객",), "ja": ("ＶＩＰ",)}),
    ]
)


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        pytest.param("list my Orders", ("order",), id="English plural"),
        pytest.param("borders", (), id="not within an English word"),
        pytest.param("PurchaseOrder_id", ("purchase_order",), id="longest, in a name"),
        pytest.param("구매주문을 조회", ("purchase_order",), id="Korean without the space"),
        pytest.param("지난달주문의 매출", ("order", "revenue"), id="within Korean words"),
        pytest.param("売上と注文", ("revenue", "order"), id="Japanese, in order"),
        pytest.param("sales", ("revenue", "selling"), id="term of two concepts"),
        pytest.param("order of an order", ("order",), id="each once"),
        pytest.param("vip고객", ("vip",), id="two scripts"),
        pytest.param("", (), id="nothing"),
    ],
)
def test_concepts_of_a_text(text: str, concepts: tuple[str, ...]) -> None:
    assert GLOSSARY.find(text) == concepts


def test_longer_term_wins_from_an_earlier_one() -> None:
    glossary = Glossary([Concept("a", {"ja": ("一二",)}), Concept("b", {"ja": ("二三四",)})])

    assert glossary.find("一二三四") == ("b",)


def test_empty_glossary_finds_nothing() -> None:
    assert Glossary().find("주문 order 注文") == ()


def test_term_without_letters_is_passed_over() -> None:
    assert Glossary([Concept("x", {"en": ("--", "")})]).find("-- a") == ()
