"""What tools do, in seven actions, and the Korean, Japanese and English words that ask for them."""

from typing import Literal, get_args

Action = Literal["list", "read", "create", "update", "delete", "send", "pay"]
ACTIONS: tuple[Action, ...] = get_args(Action)


def split_words(text: str) -> list[str]:
    """The entries of a table's line."""
    return [word.strip() for word in text.split(",")]


# Base forms: what an agent or a person asks for. A word under two actions asks for either.
ENGLISH: dict[Action, str] = {
    "list": "list, show, show me, search, find, query, browse, enumerate, display, look for, get all,"
    " list all, filter, ls, view, fetch, get, select, collect, how many, which,"
    " who, whos, whose, find out who, trace, explore, discover",
    "read": "read, get, fetch, retrieve, view, show, show me, display, look up, lookup, check, inspect,"
    " describe, open, see, tell me, give me, load, download, export, preview, query, calculate, count,"
    " compare, compute, summarize, summarise, analyze, analyse, verify, validate, status of,"
    " what is, what are, how much, how many, when is, where is, watch, monitor, track, estimate,"
    " cat, stat, detect, translate, convert,"
    " what, what s, whats, where, when, why, how, who, look at, explain, find out, figure out, trace, review,"
    " locate, predict, recommend, suggest, identify, determine, evaluate, assess, measure,"
    " diagnose, extract, is there, are there, is the, are the, do i have, do we have",
    "create": "create, add, insert, make, generate, register, build, open a, open an, set up, start,"
    " launch, put in, issue a, issue an, book, reserve, schedule, submit, upload, import, draft, compose,"
    " enroll, sign up, place, provision, init, initialize, clone, fork, copy, duplicate, save, record,"
    " write, post, hire, invite, append, mkdir, store,"
    " log, enter, key in, propose, leave a, jot down, note down, file a, file an, run, execute, trigger, initiate",
    "update": "update, change, modify, edit, set, put, patch, rename, move, replace, adjust, correct, fix,"
    " assign, reassign, unassign, approve, reject, enable, disable, activate, deactivate, mark, mark as,"
    " switch, transfer to, merge, restore, extend, renew, reschedule, postpone, convert to, upsert, sync,"
    " lock, unlock, pin, unpin, close, reopen, resolve, promote, toggle, raise, lower, increase, reduce,"
    " configure, apply, archive, grant, turn on, turn off, tag, label,"
    " stop, pause, hold, freeze, suspend, resume, block, unblock, mute, unmute, hide, unhide, run, rerun, re run,"
    " retry, restart, execute, trigger, start, kick off, swap, finish, complete, hand over,"
    " put on hold, revert, roll back, revise, amend, reset, rotate, upgrade, downgrade, confirm,"
    " allocate, relocate, turn up, turn down",
    "delete": "delete, remove, destroy, drop, purge, erase, cancel, terminate, revoke, clear, wipe, discard,"
    " get rid of, rm, rmdir, unregister, unsubscribe, uninstall, detach, dismiss, truncate, trash,"
    " throw away, void, abort, kill, prune, call off, take down, unlink, expire,"
    " scrap, ditch, throw out, pull back, take back, retire, decommission, discontinue, phase out, kick out, take off",
    "send": "send, notify, email, e mail, mail, message, share, publish, broadcast, forward, reply, announce,"
    " remind, text, alert, deliver, dispatch, post a message, ping, push, ship, escalate, tweet",
    "pay": "pay, pay for, charge, refund, reimburse, transfer, bill, settle, remit, purchase, buy, give back,"
    " capture, pay back, pay out, top up, donate, withdraw, deposit",
}

KOREAN: dict[Action, str] = {
    "list": "목록, 조회, 검색, 리스트, 나열, 찾기, 찾아, 찾을, 보여, 전체 보기, 모두 보기, 탐색, 몇 건, 몇 개,"
    " 명단, 찾고 싶, 뽑아, 누구, 누가",
    "read": "조회, 확인, 보기, 보여, 읽기, 읽어, 알려, 가져오, 가져와, 상세, 열람, 불러오, 불러와, 찾아, 살펴,"
    " 알고 싶, 궁금, 얼마, 몇 건, 몇 개, 계산, 집계, 분석, 비교, 요약, 검증, 점검, 추적, 내려받, 다운로드, 번역, 보고 싶, 뽑아, 무엇,"
    " 누구, 누가, 언제, 어디, 어느, 어때, 어떤지, 어떻게 되, 왜, 몇 명, 몇 퍼센트, 뭐야, 뭐 있, 뭐가, 무슨,"
    " 예측, 산출, 추정, 추천, 진단, 몇 시, 며칠, 얼마나, 남았, 있어, 있나, 있는지, 있습니까",
    "create": "생성, 추가, 등록, 발행, 만들, 작성, 신규, 신청, 예약, 개설, 저장, 업로드, 삽입, 새로, 접수, 가입시, 복제, 복사, 기록,"
    " 입력, 넣어, 올려, 발급, 초대, 제출, 잡아,"
    " 적어, 남겨, 남기, 붙여, 달아, 시작, 실행, 주문해, 발주해, 올리",
    "update": "수정, 변경, 갱신, 바꾸, 바꿔, 편집, 고치, 고쳐, 업데이트, 설정, 배정, 할당, 승인, 반려, 활성화, 비활성화, 이동,"
    " 옮기, 옮겨, 연장, 조정, 복원, 닫아, 잠금, 병합, 교체, 적용, 인상, 인하, 지정, 재개, 보정, 정정, 동기화,"
    " 넘겨, 넘기, 멈춰, 멈추, 중지, 보류, 차단, 막아, 마무리, 완료 처리, 낮춰, 높여, 늘려, 줄여, 빼줘, 빼 줘,"
    " 실행, 다시 돌, 로 해줘, 로 해 줘, 되돌려, 시작, 초기화, 재설정, 업그레이드, 확정, 미뤄, 앞당",
    "delete": "삭제, 제거, 취소, 해제, 폐기, 지우, 지워, 없애, 없애줘, 말소, 철회, 탈퇴, 해지, 파기, 비우, 비워, 정리해, 종료, 회수, 중단, 무효,"
    " 단종, 빼버, 빼 버, 빼줘, 빼 줘, 걷어내",
    "send": "보내, 전송, 발송, 알림을, 통지, 공유, 전달, 송신, 게시, 배포, 공지, 회신, 답장, 통보, 안내해, 메일로, 알림 보내",
    "pay": "결제, 지불, 환불, 송금, 이체, 청구, 정산, 납부, 지급, 구매, 구입, 입금, 출금, 충전, 돌려줘, 돌려주, 상환",
}

JAPANESE: dict[Action, str] = {
    "list": "一覧, 検索, リスト, 探し, 探す, 調べ, 表示, 列挙, 照会, 見せ, 全件, 何件, 抽出,"
    " 見つけ, 洗い出, 一覧にし, リストにし, 誰",
    "read": "取得, 照会, 参照, 確認, 表示, 閲覧, 読み, 読む, 見る, 見せ, 見たい, 知りた, 教え, 詳細, 調べ, 調査, 計算, 集計, 分析,"
    " 比較, 要約, いくら, 何件, 検証, 追跡, ダウンロード, 翻訳, 参照する, 問い合わせ, 開い, 求め,"
    " どこ, 何処, どれ, どっち, どちら, どう, どんな, いつ, なぜ, 誰, 何, 何人, 何日, わかる, 分かる, グラフにし, 表にし,"
    " 予測, 算出, 推定, おすすめ, 診断, 何時, いくつ, ありますか, いますか, 残ってい",
    "create": "作成, 追加, 登録, 新規, 作る, 作り, 作って, 生成, 申請, 予約, 保存, アップロード, 挿入, 開設, 発行, 複製, コピー, 記録, 入力,"
    " 起票, 書い, 書き込, 書く, 招待, 提出, 立て,"
    " 残し, 残す, 足し, 足す, 付けて, 付与, つけて, 入れて, 入れと, 申し込, 発注し, 注文し, 起こし, 開始, 実行",
    "update": "更新, 変更, 修正, 編集, 変え, 設定, 割り当て, 割当, 承認, 却下, 有効化, 無効化, 有効に, 無効に, 移動, 直し, 直す, 延長, 調整,"
    " 復元, 閉じ, 切り替え, 書き換え, 名称変更, 差し替え, 適用, 統合, 同期, 訂正, 再開,"
    " 止め, 中断, 保留, 一時停止, 引き継, 回し, 任せ, クローズ, 完了に, 値下げし, 値上げし, にして, 実行, 再実行,"
    " 流し, ブロック, 差し戻, 引き下げ, 引き上げ, 初期化, リセット, アップグレード, 確定, 移し, 移す, 早め",
    "delete": "削除, 取り消, 取消, キャンセル, 解除, 破棄, 解約, 抹消, 消し, 消す, 消去, 除去, 廃棄, 撤回, 取り除, 退会, 終了, 停止, 中止, 外す, 外し, 無効,"
    " 捨て, 無くし, 取り下げ, 断って, 廃番, 使えなく, 打ち切, 廃止, 終わりに",
    "send": "送信, 送る, 送り, 送って, 通知, 共有, 配信, 転送, 発送, 投稿, 知らせ, 返信, 伝え, 公開, 連絡, 届け",
    "pay": "支払, 払う, 払い, 払っ, 決済, 返金, 払い戻, 送金, 振込, 振り込, 請求, 精算, 購入, 課金, 入金, 出金, チャージ, 買い, 買う, 納付",
}

# Forms in which descriptions open, and which in a request would be something else.
DESCRIPTIVE: dict[Action, str] = {
    "list": "returns a list, returns all, returns the list",
    "read": "returns, return, provides, provide, gives",
}

# Things whose names hold an action word: who asks for a 저장소 does not want to save (저장).
THINGS = (
    "저장소, 저장 공간, 등록금, 등록증, 등록번호, 신청서, 신청자, 주문서, 예약금, 발송인, 발송지, 검색어,"
    " 검색 엔진, 결제 수단, 수정본, 정산서, 청구서, 청구액, 수 있어, 수 있나, 수 있는지, 수 있습니까,"
    " 미납, 미지급, 미결제, 미정산, 미환불, 미청구, 未払い, 未払, 未入金, 未請求, 未決済, 支払い先, 支払い方法,"
    " 送信元, 送信者, 検索語, 検索エンジン, 登録者, 登録番号, 申請書, 予約表, 請求書, 設定値, 支払先,"
    " 支払期日, 支払方法, 購入者, 購入履歴, 発送元, 通知書, 注文書"
)

# Before and after an action word that is not to be done: don't delete, 삭제하지 말고, 削除しないで.
NOT_BEFORE = "do not, don t, dont, never, without, not, instead of, rather than"
NOT_AFTER = (
    "하지 말, 하지말, 하지 마, 하지마, 하지 않, 하지않, 지 말, 지 마, 지 않, 말고, 대신,"
    " しない, せず, ないで, しては, ではなく, じゃなく"
)

# What follows an action word that only describes a thing: 삭제된 사용자, 削除された注文.
PARTICIPLES = (
    *(
        "된",
        "되었",
        "됐",
        "됬",
        "되나",
        "한 ",
        "했던",
        "했어",
        "했나",
        "했는지",
        "하던",
        "하는지",
        "할 ",
    ),
    *("당한", "중인", "완료된", "자 "),
    *(
        "された",
        "されて",
        "済",
        "した",
        "している",
        "していない",
        "してない",
        "かどうか",
        "中の",
        "者",
        "ずみ",
    ),
)

# What follows an action word that is part of a noun: 결제 내역, 変更履歴, payment history.
RECORDS = (
    *(
        "내역",
        "이력",
        "현황",
        "건수",
        "상태",
        "기한",
        "기간",
        "일자",
        "일시",
        "날짜",
        "예정",
        "금액",
        "방법",
    ),
    *(
        "수단",
        "사유",
        "여부",
        "목록",
        "명세",
        "횟수",
        "비율",
        "시점",
        "조건",
        "정책",
        "규정",
        "대상",
        "일이",
        "일은",
    ),
    *(
        "履歴",
        "件数",
        "状況",
        "状態",
        "日時",
        "日付",
        "期限",
        "期間",
        "予定",
        "金額",
        "方法",
        "明細",
        "理由",
    ),
    *("回数", "一覧", "条件", "規定", "待ち", "率", "額", "日が", "日は", "済"),
)
RECORDS_ENGLISH = (
    "policy, policies, history, status, statuses, method, methods, terms, schedule, date, dates, rate, rates,"
    " reason, reasons, amount, amounts, log, logs, count, counts, fee, fees, requests, volume, total, totals"
)
# Action words that are things as well: what is described at the end of 취소된 예약 or 未払いの請求.
THINGS_TOO = frozenset(
    split_words(
        "예약, 신청, 설정, 청구, 기록, 결제, 등록, 제출, 초대, 発行, 予約, 申請, 設定, 請求, 記録, 決済, 登録, 提出, 招待, 通知"
    )
)
# Before an English word that is then a noun: in the trash, a refund.
DETERMINERS = "the, a, an, my, our, your, their, his, her, its, this, that, these, those"

# What follows an action word that another one joins: 찾아서 변경해줘, 検索してキャンセルする.
JOINING = (
    *(
        "하고",
        "하여",
        "해서",
        "하며",
        "하면서",
        "하거나",
        "한 뒤",
        "한 후",
        "한 다음",
        "고 ",
        "서 ",
    ),
    *(" 후", "후 ", " 및", " 또는", " 그리고", "와 ", "과 "),
    *("して", "した後", "したあと", "し ", "するか", "て ", "てから", "って", "んで"),
    *("と", "や", " または", "または", "及び", "および", "か"),
)
