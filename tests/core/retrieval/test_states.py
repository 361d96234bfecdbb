"""A question that states a state, or names a record, is no wish to write."""

import pytest

from core.retrieval.actions import READING, actions_of_query
from core.retrieval.tokens import fold

STATES = """
registered webhooks|orders that were cancelled|refund policy|payment history|billing address of the account
deleted files in the trash|the charge on my card|overdue invoices|approved expense claims
등록된 카드|취소된 예약|취소 건수|결제 내역|결제 상태|납부 기한|환불 현황|정산 내역|승인된 휴가 신청|미납 요금
등록일이 오늘인 회원|최근 변경된 설정|登録済みの端末|キャンセルされた予約|キャンセル件数|支払い履歴|支払状況
返金状況|承認された休暇申請|登録している会員|変更履歴|未払いの請求|入金予定|更新日時
"""
WISHES = """
register a device|cancel the order|pay the invoice|refund the payment|approve the claim|add a member
장치를 등록해줘|예약을 취소해줘|사용자 삭제|요금을 결제해줘|청구서를 발행해줘|삭제된 파일 복원|환불 상태 변경
端末を登録する|予約をキャンセルしたい|請求書を支払う|返金してください|メンバーを追加|会議室の予約
"""


def _split(table: str) -> list[str]:
    return [query for line in table.split("\n") for query in line.split("|") if query]


@pytest.mark.parametrize("query", _split(STATES))
def test_state_or_record_is_asked_for_to_be_read(query: str) -> None:
    assert set(actions_of_query(fold(query))) <= READING


@pytest.mark.parametrize("query", _split(WISHES))
def test_wish_to_write_is_still_one(query: str) -> None:
    assert set(actions_of_query(fold(query))) - READING
