"""The estimate is near what real tokenizers count; the figures are theirs."""

import json

import pytest

from core.tokens import estimate_tokens, weigh_tokens

TABLE = json.dumps(
    {
        "name": "sales_transactions",
        "display_name": "売上トランザクション",
        "description": "日次の売上データ。店舗別、商品別の売上金額と数量を記録。",
        "tags": ["売上", "トランザクション", "日次"],
        "row_count": 5000000,
    },
    ensure_ascii=False,
    separators=(",", ":"),
)


# Counted by o200k_base and by the tokenizer of @anthropic-ai/tokenizer.
@pytest.mark.parametrize(
    ("text", "fewest", "most"),
    [
        pytest.param(TABLE, 66, 83, id="row of the overview"),
        pytest.param(
            "Rows of the sales ledger by store, one per sale and product. Filter by"
            " transaction_date; loaded every night at two.",
            25,
            26,
            id="English",
        ),
        pytest.param(
            "매장별, 상품별 매출 금액과 수량을 기록합니다. 분석할 때는 transaction_date로 기간을 제한하세요.",
            29,
            48,
            id="Korean",
        ),
        pytest.param(
            "毎日午前2時にバッチ処理で更新される。大量データのため全件取得は避けること。",
            30,
            35,
            id="Japanese",
        ),
        pytest.param(
            '[[1,101,501,1500.0,3,"2024-01-15"],[2,102,502,800.0,1,"2024-01-15"]]',
            40,
            41,
            id="rows",
        ),
    ],
)
def test_estimate_is_near_the_count_of_tokenizers(text: str, fewest: int, most: int) -> None:
    assert fewest * 0.9 <= estimate_tokens(text) <= most * 1.3


def test_weights_of_parts_add_up() -> None:
    parts = ["売上 sales 12", "매출 🎉", "é"]

    weights = [weigh_tokens(part.encode()) for part in parts]

    assert weigh_tokens("".join(parts).encode()) == pytest.approx(sum(weights))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("\ud800", 2, id="broken character"),
        pytest.param("a", 1, id="rounded up"),
    ],
)
def test_any_text_has_an_estimate(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
