"""The general glossary: what is done, and the states that it leads to, finer than the seven actions."""

# A concept a line, as in core.retrieval.glossary_terms.
ACTS = """
rejection | reject, decline, deny, turn down, refusal | 반려, 거절, 거부, 기각 | 却下, 差し戻し, 差戻し, 拒否, 棄却
cancellation | cancel, cancellation, canceled, cancelled, call off, annul | 취소, 철회 | キャンセル, 取り消し, 取消, 取り消す, 取りやめ, 撤回
revocation | revoke, revocation, invalidate | 폐기, 무효, 효력 정지 | 無効, 破棄, 失効させ
assignment | assign, reassign, allocate, allocation | 배정, 할당, 지정, 배분 | 割り当て, 割当, 割り振り, アサイン, 配分
relocation | move, moved, relocate, relocation | 이동, 옮기, 옮겨, 옮길 | 移動, 移す, 移し, 移管, 移転
export | export, exporting, download, dump to file | 내보내기, 내보내, 다운로드, 내려받 | エクスポート, 書き出し, 書き出す, 出力, ダウンロード
import | import, upload, bulk load | 가져오기, 업로드, 임포트 | インポート, 取り込み, 取り込む, 取込, アップロード
confirmation | confirmation, confirm, acknowledge | 확정 | 確定, 確約
application_request | apply for, application form, submission, submit | 신청, 신청서, 제출 | 申請, 申込, 申し込み, 申し込む, 提出
request | request | 요청, 의뢰 | 依頼, リクエスト, 要求
renewal | renew, renewal, extend, extension, prolong | 갱신, 연장 | 延長, 契約更新, 自動更新, 更新日
completion | complete, completion, finish, finished | 완료 | 完了, 終わった, 済み
stop | stop, halt, shut down, shutdown | 중지, 정지, 중단 | 停止, 中止, 中断
resumption | resume, unpause | 재개 | 再開
restore | restore, recover, recovery, undelete, roll back, rollback, revert | 복원, 복구, 되돌리, 되돌려, 롤백 | 復元, 復旧, ロールバック, 巻き戻, 元に戻
reset | reset, reinitialize | 초기화, 재설정, 리셋 | 初期化, 再設定, リセット
copying | copy, duplicate, clone, replicate | 복사, 복제, 사본 | コピー, 複製, 写し
renaming | rename | 이름 변경, 이름 바꾸, 이름을 바꾸, 이름을 변경 | 名前変更, 名称変更, 名前を変え, リネーム
calculation | calculate, calculation, compute, calculator | 계산, 산출, 산정 | 計算, 算出, 試算
estimation | estimate, estimation | 추정 | 推定, 概算, 推計
aggregation | aggregate, aggregation, tally | 집계 | 集計
analysis | analysis, analyze, analyse | 분석 | 分析, 解析
summary | summary, summarize, summarise, digest | 요약 | 要約, サマリー, サマリ
verification | verify, verification, validate, validation | 검증 | 検証, 照合
escalation | escalate, escalation | 에스컬레이션, 상급자, 상위 부서 | エスカレーション, エスカレート, 上申
sharing | share, sharing | 공유 | 共有
unsubscription | unsubscribe, opt out | 구독 취소, 수신 거부, 구독 해지 | 購読解除, 配信停止, 受信拒否
upgrade | upgrade, downgrade, change plan, switch plan | 업그레이드, 다운그레이드 | アップグレード, ダウングレード, プラン変更
locking | lock, locked, unlock | 잠금, 잠긴, 잠그 | ロック, 施錠
activation | enable, disable, activate, deactivate, activation | 활성화, 비활성화 | 有効化, 無効化, 有効に
granting | grant, give access | 부여 | 付与
installation | install, installation | 설치 | インストール, 設置
connection | connect, connection, integration, integrate | 연결, 연동 | 接続, 連携
synchronization | sync, synchronize, synchronise | 동기화 | 同期
splitting | split, divide | 분할, 나누 | 分割
archive | archive | 보관, 아카이브 | アーカイブ, 保管
publication | publish, publication, go live | 게시, 공개 | 公開, 公表, 掲載
issuance | issuance, reissue | 발급, 발행, 재발급 | 発行, 再発行, 交付
adjustment | adjust, adjustment, correction | 조정, 보정, 정정 | 調整, 補正, 訂正
rescheduling | reschedule, postpone, postponement, change the date | 일정 변경, 연기, 미루, 미뤄, 날짜 변경 | 日程変更, 延期, 日時変更, 日付変更, 日を変更
monitoring | monitor, monitoring | 모니터링, 감시 | 監視, モニタリング
detection | detect, detection | 감지, 탐지 | 検知, 検出
unit_conversion | convert, converter | 변환, 환산 | 変換, 換算
draft | draft | 초안, 임시 저장 | 下書き, 草案, ドラフト
signature | signature, sign, e signature, sign off sheet | 서명, 사인, 전자서명 | 署名, サイン, 電子署名, 押印
packing | packing, pack | 포장, 포장재 | 梱包, 包装
loading | loading, unloading | 적재, 하역, 상차 | 積み込み, 荷下ろし, 積載, 荷役
job_promotion | job promotion, career advancement | 승진, 진급 | 昇進, 昇格
reaction | reaction, emoji, thumbs up | 반응, 좋아요, 이모지 | リアクション, いいね, 絵文字
withdrawal | withdrawal, withdraw, cash out | 출금, 인출 | 出金, 引き出し, 引出
top_up | top up, recharge | 충전 | チャージ
detail | detail | 상세, 세부 | 詳細, 内訳
pending | pending, awaiting, waiting, unprocessed, backlog | 대기 중, 대기중, 미처리, 미결, 처리 대기 | 待機, 処理待ち, 未処理, 未完了, 未対応, 承認待ち
remaining | remaining, days left, left over | 잔여, 남은, 남았, 남아 | 残り, 残って, 残数, 残日数
reason | reason, root cause | 사유, 원인, 이유 | 理由, 原因, 事由
result | result, outcome | 결과 | 結果
planning | planning, plan | 계획 | 計画
rule | rule | 규칙 | ルール, 規則
note | note, memo | 메모 | メモ, ノート
difference | difference, diff, discrepancy | 차이, 차액 | 差分, 差異, 違い, 差額
in_progress | in progress, ongoing, underway | 진행 중, 진행중 | 進行中, 対応中, 処理中
transit | in transit, on the way | 운송 중, 배송 중, 수송 중 | 輸送中, 配送中, 運送中
upcoming | upcoming, forthcoming | 다가오는, 예정된 | 今後の, これからの
latest | latest, most recent, newest | 최신, 최근 | 最新, 直近, 最近
content | content | 내용 | 内容, 中身
manual | manually, manual, by hand | 수동 | 手動, 手作業
automatic | automatic, automatically, automation | 자동 | 自動, オートメーション
private | private, confidential | 비공개, 기밀 | 非公開, 機密
default | default | 기본값 | 既定, デフォルト
actual | actual | 실제 | 実際, 実績値
"""
