"""The general glossary: words of business, data and software work that mean the same in three languages.

This table holds nouns, and the few verbs by which people mean a noun: who asks what was sold asks for
revenue. What is done and single fields have tables of their own. Nothing is so short that it is found within
other words.
"""

from core.retrieval.glossary import Concept
from core.retrieval.glossary_fields import FIELDS
from core.retrieval.glossary_verbs import ACTS

LANGUAGES = ("en", "ko", "ja")

# One concept a line: its id and its terms in English, Korean and Japanese, the most usual first.
_TABLE = """
customer | customer, client, buyer, shopper, regulars, regular customer, member, account holder name | 고객, 거래처, 구매자, 손님, 단골, 회원 | 顧客, お客様, 得意先, 取引先, 購入者, 常連, お客さん, 会員
contact | contact, contact person, contact details, contact information | 연락처, 담당자 연락처, 연락 담당 | 連絡先, コンタクト, 連絡窓口
order | order, sales order, customer order | 주문, 오더, 수주, 주문서 | 注文, オーダー, 受注, ご注文
order_line | order line, line item, order item | 주문 항목, 주문 상세, 품목 내역 | 注文明細, 明細行, 受注明細
purchase_order | purchase order, procurement order, po, on order | 발주, 구매 주문, 발주서, 발주 내역 | 発注, 発注書, 購買注文, 発注済, 注文書
quotation | quote, quotation, price offer | 견적, 견적서 | 見積, 見積書, 見積もり
cart | cart, shopping cart, basket | 장바구니, 쇼핑 카트 | カート, 買い物かご, ショッピングカート
refund | refund, reimbursement, money back, refunded amount, refunded | 환불, 환급, 환불금 | 返金, 払い戻し, 払戻し, 払戻, お金を返, 返戻
return | product return, returned goods, sales return, rma, return request, send back, sent back, returned item | 반품, 반송, 돌려보낸, 돌려보내, 반납 | 返品, 返送, 送り返, 返却
invoice | invoice, billing statement, bill, invoicing, billing | 청구서, 송장, 인보이스, 세금계산서 | 請求書, インボイス, 請求明細, 請求
receipt | receipt, proof of payment | 영수증, 영수 내역 | 領収書, レシート, 領収証
payment | payment, settlement, pay, paid | 결제, 지불, 대금, 납부, 납입, 입금 | 支払い, 支払, 決済, 入金
payment_method | payment method, credit card, means of payment, debit card, card | 결제 수단, 신용카드, 결제수단, 카드 | 支払方法, 支払い方法, クレジットカード, 決済手段, カード
receivable | receivable, accounts receivable, outstanding balance, unpaid invoice, overdue invoice, unpaid, owe us, owes us, arrears | 미수금, 외상매출금, 매출채권, 미수, 미납, 연체, 못 받은 돈 | 売掛金, 未収金, 売掛, 未払い, 未回収, 滞納, 未入金
payable | payable, accounts payable, bill to pay, amount due, have to pay, unpaid bill, accounts to pay | 미지급금, 외상매입금, 매입채무, 줄 돈, 지급 예정, 지급해야, 지급할, 미지급 | 買掛金, 未払金, 買掛, 支払予定, 支払期日
tax | tax, vat, sales tax, tax return, taxes | 세금, 부가세, 부가가치세, 세액, 세무, 납세 | 税金, 消費税, 税額, 付加価値税, 税務, 納税
account_bank | bank account, account number | 은행 계좌, 계좌, 계좌번호 | 銀行口座, 口座番号, 口座
transaction | transaction, transaction history | 거래 내역, 거래내역, 트랜잭션 | 取引履歴, 取引, トランザクション
transfer_money | wire transfer, bank transfer, remittance | 송금, 계좌 이체, 이체 | 送金, 振込, 口座振替, 振り込み
currency | currency, foreign currency | 통화, 외화 | 通貨, 外貨
exchange_rate | exchange rate, fx rate, conversion rate | 환율 | 為替レート, 為替, 換算レート
subscription | subscription, recurring plan, membership plan | 구독, 정기 구독, 정기결제 | サブスクリプション, 定期購読, サブスク, 定期購入
shipment | shipment, consignment, dispatch note, parcel, package, outbound shipment | 출하, 출고, 선적, 택배, 소포, 화물 | 出荷, 積荷, 荷物, 小包, 発送
delivery | delivery, shipping, parcel, package, delivered, deliver | 배송, 택배, 배달, 소포 | 配送, 配達, 宅配, お届け, 荷物, 配達完了
tracking_number | tracking number, waybill | 운송장, 송장 번호, 운송장번호 | 追跡番号, 送り状, 伝票番号
carrier | carrier, shipping company, courier | 운송사, 택배사, 배송업체, 택배 회사, 배송사, 운송 회사 | 配送業者, 運送会社, 宅配業者, 宅配会社, 配送会社
address | address, postal address, shipping address, recipient address, ship to | 주소, 배송지, 수령지 | 住所, 届け先, 配送先, 届先, 送付先, お届け先
postal_code | postal code, zip code, postcode | 우편번호 | 郵便番号
inventory | inventory, stock, stock level, on hand, in stock, stock quantity | 재고, 재고량, 보유 수량, 재고 수량, 재고가 | 在庫, 在庫数, ストック, 在庫量, 在庫状況
warehouse | warehouse, depot, distribution center, fulfillment center, fulfilment centre, distribution centre | 창고, 물류센터, 물류 센터, 풀필먼트 | 倉庫, 物流センター, 配送センター, 物流拠点
stock_receipt | goods receipt, inbound stock, goods received, incoming goods, inbound delivery | 입고, 입하, 검수 | 入荷, 入庫, 検収, 荷受け
shortage | shortage, out of stock, stockout, low stock, run out, running out, sold out, low stock level, below minimum | 품절, 재고 부족, 결품, 부족, 품귀, 재고가 부족, 모자라 | 欠品, 在庫切れ, 品切れ, 在庫不足, 不足, 残りわずか, 売り切れ, 足りない, 足りなく
store | store, shop, outlet, retail store, branch store | 매장, 점포, 가게, 상점, 매장별, 지점별 | 店舗, 店頭, 売り場, ショップ, 店舗別, 各店
branch_office | branch office, local office | 지점, 지사, 영업소 | 支店, 支社, 営業所
region | region, area, territory, district | 지역, 권역, 구역 | 地域, 地方, エリア, 地区
country | country, nation | 국가, 나라 | 国別, 国名, 国コード
city | city, town, municipality | 도시, 시군구 | 都市, 市区町村
location | location, coordinates, geolocation, whereabouts, locate | 위치, 장소, 좌표, 현재 위치, 어디 있, 어디에 있 | 位置, 場所, 所在地, 座標, 現在地, どこにある, どこにい
product | product, item, goods, merchandise, sku, commodity | 상품, 제품, 물품, 품목, 물건, 상품 정보 | 商品, 製品, 品目, 品物, アイテム, 商材, 物品
brand | brand, label brand | 브랜드, 상표 | ブランド, 銘柄
category | category, product group, classification | 카테고리, 분류, 상품군 | カテゴリ, カテゴリー, 分類, 区分
price | price, unit price, list price, pricing, selling price | 가격, 단가, 판매가, 판매 가격, 판매 단가 | 価格, 単価, 値段, 販売価格, 販売単価, 値上げ, 値下げ
discount | discount, price reduction, rebate, sale price | 할인, 에누리 | 割引, 値引, 値引き
coupon | coupon, voucher, promo code, gift card | 쿠폰, 상품권, 할인권 | クーポン, 割引券, 商品券
promotion | sales promotion, special offer, promo | 프로모션, 판촉, 행사 할인 | プロモーション, 販促, 特売, バーゲン
loyalty_points | loyalty points, reward points, points, bonus points | 적립금, 마일리지, 적립 포인트, 포인트 | 会員ポイント, 獲得ポイント, マイレージ, ポイント残高, ポイント
review | review, rating, star rating, feedback, customer feedback | 리뷰, 후기, 평점, 상품평, 사용기, 이용 후기 | レビュー, 口コミ, 評価点, クチコミ, 感想, 評判
employee | employee, staff, worker, personnel, team member, coworker, colleague, workforce, new hire | 직원, 사원, 임직원, 종업원, 동료, 신입, 인력, 정규직 | 従業員, 社員, 職員, スタッフ, 同僚, 新入社員, 正社員, 人員
manager | manager, supervisor, team leader | 관리자, 팀장, 상사, 매니저 | 上司, 管理職, マネージャー, 責任者
department | department, division, business unit, dept | 부서, 사업부, 본부 | 部署, 部門, 事業部
organization | organization, organisation, company, enterprise | 조직, 회사, 기업, 법인 | 組織, 会社, 企業, 法人
job_position | job title, job position, rank | 직급, 직책, 직위 | 役職, 職位, 肩書
salary | salary, wage, pay slip, payroll, compensation, paycheck, payslip, take home pay, net pay, earnings statement | 급여, 월급, 임금, 연봉, 봉급, 실수령액, 급여 명세, 급여명세서, 급여 내역 | 給与, 給料, 賃金, 年俸, 手取り, 給与明細, 給料明細
bonus | bonus, incentive pay | 상여금, 성과급, 보너스 | 賞与, ボーナス, 報奨金
leave | vacation, time off, day off, pto, annual leave, paid leave, sick leave, leave request, request leave, leave balance, leave type, on leave, take leave, days off, holiday request | 휴가, 연차, 휴무, 반차, 병가, 쉬는 날 | 休暇, 有給, 年休, お休み, 半休, 休み, 病欠
attendance | attendance, timesheet, clock in, working hours, attendance record, time card | 근태, 출퇴근, 근무 시간, 출석, 근태 기록, 퇴근 | 勤怠, 出退勤, 勤務時間, 出勤, 退勤, 打刻
shift | work shift, duty roster | 교대 근무, 근무표, 근무 일정 | シフト, 当番表, 勤務表
recruitment | recruitment, recruiting, job opening, hiring, hire, recruit, job posting, open position | 채용, 구인, 모집 공고, 채용 공고 | 採用, 求人, 募集要項, 採用情報, 求人票, 募集
applicant | applicant, candidate, job seeker | 지원자, 응시자, 입사 지원 | 応募者, 候補者, 志願者
training | training, education, training course | 교육, 연수, 강좌 | 研修, 講座, 教育, トレーニング
performance_review | performance review, appraisal | 인사 평가, 인사평가, 성과 평가 | 人事評価, 人事考課, 業績評価
meeting | meeting, conference | 회의, 미팅 | 会議, ミーティング, 打ち合わせ, 打合せ
meeting_room | meeting room, conference room, room, meeting space | 회의실, 회의 공간, 빈 방 | 会議室, 部屋, 会議スペース, 会議の部屋
calendar | calendar, schedule, agenda | 일정, 캘린더, 달력, 스케줄 | 予定, カレンダー, スケジュール, 日程
event | event, occasion | 이벤트, 행사 | イベント, 催し, 行事
reservation | reservation, booking, appointment | 예약, 예약 내역 | 予約, アポイント
contract | contract, agreement, lease, terms and conditions | 계약, 계약서, 협약, 임대차, 약정, 조항 | 契約, 契約書, 協定, 賃貸借, 約款, 取り決め
contract_expiry | contract expiry, expiration date, expiry date, expire, expiring, expired | 만료일, 유효 기간, 계약 만료, 유효기간, 만료, 만료 예정 | 満了日, 有効期限, 契約満了, 満了, 期限切れ, 失効
supplier | supplier, vendor, provider, supply company, subcontractor | 공급업체, 공급사, 납품업체, 협력사, 벤더, 업체, 매입처 | 仕入先, 供給業者, サプライヤー, 納入業者, ベンダー, 業者, 調達先
purchase | purchasing, procurement, purchase, buy, bought | 구매, 매입, 조달, 구입 | 購買, 仕入, 仕入れ, 調達, 購入
sales_lead | sales lead, prospect, lead | 잠재 고객, 잠재고객, 가망 고객, 리드 고객 | 見込み客, 見込客, リード顧客, 潜在顧客
sales_opportunity | opportunity, deal, sales pipeline, sales deal | 영업 기회, 영업기회, 상담 건, 영업 건 | 商談, 案件, 営業機会, 営業案件
salesperson | salesperson, sales rep, sales representative, account executive | 영업사원, 영업 담당자, 판매원 | 営業担当, 営業担当者, 販売員, セールス担当
campaign | campaign, marketing campaign, advertisement, ad, ads, advertising, advertising campaign | 캠페인, 광고, 마케팅 캠페인, 홍보, 광고 캠페인 | キャンペーン, 広告, 販促キャンペーン, 宣伝, 広告施策, 施策
newsletter | newsletter, mailing list | 뉴스레터, 소식지, 메일링 리스트 | ニュースレター, メルマガ, メールマガジン
conversion | conversion, conversion rate of visitors, click through rate | 전환율, 클릭률 | 転換率, コンバージョン, クリック率
churn | churn, retention rate, churn risk, lapsed customer, stop buying | 이탈률, 이탈 고객, 해지율, 이탈, 이탈 위험, 휴면 고객 | 解約率, 離脱率, チャーン, 離反, 離脱, 休眠顧客
segment | segment, cohort | 세그먼트, 고객군, 코호트 | セグメント, 顧客層, コホート
survey | survey, questionnaire, poll, feedback form | 설문, 설문조사, 만족도 조사 | アンケート, 調査票, 満足度調査
complaint | complaint, grievance | 불만, 민원, 컴플레인, 클레임 | 苦情, クレーム, 不満
inquiry | inquiry, enquiry | 문의, 질의, 문의사항 | 問い合わせ, 問合せ, お問い合わせ
ticket | support ticket, ticket, help desk request | 티켓, 지원 요청, 상담 티켓 | チケット, サポート依頼, 問い合わせ票
incident | incident, outage, malfunction, system failure, downtime, is down, went down, system down, not working | 장애, 인시던트, 고장, 다운타임, 시스템 장애 | 障害, インシデント, 故障, 停止障害, ダウン, システム障害
task | task, to do, todo, assignment, work item | 작업, 할 일, 과제, 태스크 | タスク, 作業, やること, 課題項目
project | project, initiative | 프로젝트, 사업 과제 | プロジェクト, 企画案件
milestone | milestone, deliverable | 마일스톤, 이정표 | マイルストーン, 成果物
deadline | deadline, due date, delivery date | 마감, 기한, 납기, 마감일 | 締切, 締め切り, 納期, 期限, 期日
priority | priority, urgency, severity, urgent, high priority | 우선순위, 긴급도, 심각도, 긴급, 시급 | 優先度, 優先順位, 緊急度, 重要度, 緊急, 至急
status | status, progress | 상태, 진행 상황, 현황, 진행률 | 状態, ステータス, 状況, 進捗
approval | approval, sign off, authorization request, approve, authorise, authorize | 승인, 결재, 품의, 승인 요청 | 承認, 決裁, 稟議, 承認依頼
workflow | workflow, business process, procedure, approval flow | 워크플로, 업무 절차, 업무 흐름, 프로세스, 결재 흐름 | ワークフロー, 業務手順, 業務フロー, プロセス, 承認フロー
revenue | revenue, sales, turnover, sales amount, proceeds, sell, sold, selling, earn, earnings from sales, make money, made money, sales figures | 매출, 매출액, 수익, 판매액, 판매 실적, 팔았, 팔린, 팔려, 팔리, 팔릴, 벌었, 벌어들, 장사, 판매량, 판매 | 売上, 売上高, 収益, 売り上げ, 販売額, 売れ, 売って, 売った, 稼い, 稼ぎ, 販売, 販売実績
cost | cost, expense, expenditure, spending | 비용, 원가, 경비, 지출 | 費用, 原価, 経費, コスト, 支出
expense_claim | expense claim, expense report, travel expense | 경비 청구, 지출 결의, 출장비, 출장 경비, 경비 신청 | 経費精算, 出張旅費, 交通費, 立替精算, 経費申請
margin | margin, profit margin, gross margin | 마진, 이익률, 이윤 | 粗利, マージン, 利益率, 粗利益
profit | profit, net income, earnings, profitable, in the black, profit and loss | 이익, 순이익, 영업이익, 손익, 흑자, 손익계산서 | 利益, 純利益, 営業利益, 損益, 黒字, 儲け, 儲か, 損益計算書
loss | loss, deficit, in the red, losing money | 손실, 적자, 손해 | 損失, 赤字, 欠損, 損害
budget | budget, appropriation, spending limit | 예산, 예산액 | 予算, 予算額
forecast | forecast, prediction, projection, demand forecast, outlook, predict, expected sales | 예측, 전망, 수요 예측, 예상 | 予測, 見通し, 需要予測, 予想, 見込み
target | target, goal, quota, objective | 목표, 목표치, 할당량 | 目標, ノルマ, 目標値
asset | asset, fixed asset, fixed assets | 자산, 비품, 고정자산, 설비, 유형자산 | 資産, 備品, 固定資産, 設備, 有形資産
ledger | ledger, journal entry, general ledger, bookkeeping, accounting entry, journal, debit and credit | 원장, 분개, 전표, 장부, 회계 전표, 장부 기록 | 元帳, 仕訳, 帳簿, 会計伝票, 仕訳伝票, 記帳
balance | balance, account balance | 잔액, 잔고 | 残高
loan | loan, credit line, mortgage, debt | 대출, 차입금, 융자, 부채 | 融資, 借入, 住宅ローン, 負債
interest_rate | interest rate, accrued interest | 이자, 금리, 이자율 | 利息, 金利, 利率
insurance | insurance, insurance policy | 보험, 보험 증권 | 保険, 保険証券
quantity | quantity, amount of units | 수량, 물량, 개수 | 数量, 個数, 物量
day | day, daily, today, yesterday, tomorrow | 일별, 일간, 매일, 오늘, 어제, 내일, 하루 | 日別, 日次, 毎日, 今日, 昨日, 明日, 本日
date | calendar date, day of month | 날짜, 일자, 날짜별 | 日付, 年月日, 日にち
week | week, weekly, last week, next week, this week | 주별, 주간, 매주, 이번 주, 지난주, 다음 주, 다음주, 이번주, 지난 주, 저번 주 | 週別, 週次, 週間, 毎週, 今週, 先週, 来週
month | month, monthly, last month, next month, this month | 월별, 월간, 매월, 이번 달, 지난달, 다음 달, 다음달, 저번 달, 이번달, 지난 달 | 月別, 月次, 月間, 毎月, 今月, 先月, 来月, 月ごと
quarter | quarter, quarterly, q1, q2, q3, q4 | 분기, 분기별, 사분기 | 四半期, 四半期別, 四半期ごと
year | year, annual, yearly, fiscal year, last year, next year, this year, annually | 연도, 연간, 연별, 매년, 올해, 작년, 회계연도, 내년, 해마다, 연말 | 年度, 年間, 年次, 毎年, 今年, 昨年, 来年, 年ごと
period | period, date range, time range, duration | 기간, 날짜 범위, 조회 기간 | 期間, 日付範囲, 対象期間
average | average, mean value, avg | 평균, 평균값 | 平均, 平均値
sum | sum, total, subtotal, grand total | 합계, 총합, 총액, 누계 | 合計, 総計, 総額, 累計
count | count, number of, how many times, total number | 건수, 횟수 | 件数, 総数, 回数
maximum | maximum, max, highest, peak | 최대, 최댓값, 최고값, 최고치 | 最大, 最大値, 最高値, ピーク
minimum | minimum, min, lowest | 최소, 최솟값, 최저값, 최저치 | 最小, 最小値, 最低値
median | median, percentile, quantile | 중앙값, 중위수, 백분위 | 中央値, 百分位, パーセンタイル
ratio | ratio, percentage, proportion, share of total | 비율, 백분율, 퍼센트, 점유율 | 比率, 割合, パーセント, 構成比
growth | growth, increase rate, growth rate, year over year | 성장률, 증가율, 증감률, 전년 대비 | 成長率, 増加率, 伸び率, 前年比
trend | trend, time series, tendency | 추이, 추세, 트렌드, 시계열 | 推移, 傾向, トレンド, 時系列
ranking | ranking, top list, best seller, leaderboard, best selling, top selling, popular, most popular | 순위, 랭킹, 상위, 베스트셀러, 인기, 잘 팔리 | 順位, ランキング, 上位, 売れ筋, 人気, トップ
statistics | statistics, metrics, analytics, summary statistics, kpis | 통계, 지표, 분석 지표, 수치 | 統計, 指標, メトリクス, 数値
kpi | kpi, key performance indicator | 핵심 성과 지표, 핵심성과지표 | 重要業績評価指標, 業績指標
report | report, business report, summary report | 보고서, 리포트, 보고 자료 | レポート, 報告書, 帳票
dashboard | dashboard, scoreboard | 대시보드, 현황판 | ダッシュボード, 状況盤
chart | chart, graph, plot, visualization, visualisation | 차트, 그래프, 도표, 시각화 | チャート, グラフ, 図表, 可視化
anomaly | anomaly, outlier, abnormal value | 이상치, 이상 징후, 이상값 | 異常値, 外れ値, 異常検知
database | database, data source, data warehouse | 데이터베이스, 데이터 소스, 데이터소스, 디비 | データベース, データソース, データウェアハウス
table | table, relation table | 테이블 | テーブル, 表一覧
column | column, table field | 컬럼, 칼럼 | カラム, 列名, 列一覧
row | row, data row, table row | 레코드, 행 데이터 | レコード, 行データ
schema | schema, data model, table definition | 스키마, 데이터 모델, 테이블 정의 | スキーマ, データモデル, テーブル定義
sql_query | sql, sql query, sql statement | 쿼리, 질의문, 쿼리문 | クエリ, クエリー, 問合せ文
backup | backup, snapshot, restore point | 백업, 스냅샷 | バックアップ, スナップショット
metadata | metadata, data dictionary, data catalog, data catalogue | 메타데이터, 데이터 사전, 데이터 카탈로그 | メタデータ, データ辞書, データカタログ
embedding | embedding, vector, text vector | 임베딩, 벡터 | 埋め込み, ベクトル, エンベディング
user | user, end user, account holder | 사용자, 이용자, 유저 | ユーザー, ユーザ, 利用者
member | member, membership, subscriber | 회원, 구성원, 멤버 | 会員, メンバー, 加入者
profile | profile, personal information, personal data, privacy, gdpr, pii | 프로필, 프로파일, 개인정보, 개인 정보, 개인 데이터 | プロフィール, 個人情報, プロファイル, 個人データ, プライバシー
role | role, user role | 역할, 직무 | 役割, ユーザーロール
permission | permission, access right, privilege, access control | 권한, 접근 권한 | 権限, アクセス権, 許可
team | team, group, user group | 그룹, 소속 팀, 팀원 | チーム, グループ
password | password, passphrase | 비밀번호, 패스워드, 암호 | パスワード, 暗証番号
login | login, sign in, log in, authentication | 로그인, 인증, 접속 기록 | ログイン, 認証, サインイン
api_key | api key, access token, credential, token | 액세스 토큰, 접근 토큰, 인증 키, 자격 증명, 토큰, 접근 키 | アクセストークン, 認証キー, 資格情報, トークン, アクセスキー
audit_log | audit log, activity log, event log, log entry, audit trail, access log | 감사 로그, 활동 기록, 로그 기록, 접근 기록, 접속 이력, 열람 기록 | 監査ログ, 操作履歴, 操作ログ, アクセスログ, アクセス履歴, 閲覧履歴
file | file, attachment | 파일, 첨부 | ファイル, 添付
folder | folder, directory | 폴더, 디렉터리, 디렉토리 | フォルダ, フォルダー, ディレクトリ
document | document, paper document | 문서, 서류 | 文書, 書類, ドキュメント
image | image, picture, photo, photograph | 이미지, 사진, 그림 파일 | 画像, 写真, イメージ
spreadsheet | spreadsheet, worksheet, excel, csv | 스프레드시트, 엑셀, 시트 | スプレッドシート, エクセル, ワークシート
message | message, chat message, direct message | 메시지, 쪽지, 대화 메시지 | メッセージ, 伝言, チャットメッセージ
email | email, e-mail, mail, mailbox | 이메일, 전자우편, 메일, 편지함 | メール, 電子メール, Eメール, 受信箱
notification | notification, reminder, notice, push notification, notify, remind | 알림, 통지, 공지, 알림 메시지 | 通知, お知らせ, リマインダー, 通知メッセージ
channel | channel, chat room | 채널, 채팅방, 대화방 | チャンネル, チャットルーム, チャネル
comment | comment, remark, leave a note, internal note, reply | 댓글, 코멘트, 비고, 메모 내용, 답글, 답변 | コメント, 備考, メモ書き, 返信, コメント欄
phone | phone, phone number, telephone | 전화번호, 전화, 휴대폰, 통화 기록 | 電話, 電話番号, 携帯電話, 通話
website | website, web page, url, web site | 웹사이트, 홈페이지, 웹페이지 | ウェブサイト, ホームページ, ウェブページ, サイト
tag | tag, label, keyword tag | 태그, 라벨, 꼬리표 | タグ, ラベル
setting | setting, configuration, preference, option, settings | 설정, 환경설정, 구성 정보 | 設定, 環境設定, 構成情報
issue | issue, bug, bug report, github issue, ticket | 이슈, 버그, 결함, 티켓 | イシュー, バグ, 不具合, 課題, チケット
pull_request | pull request, merge request, pr, prs | 풀 리퀘스트, 풀리퀘스트, 병합 요청, 풀리퀘 | プルリクエスト, プルリク, マージリクエスト, プルリクエスト一覧
repository | repository, repo, code repository, git repository | 저장소, 리포지토리, 레포지토리, 레포, 깃 저장소 | リポジトリ, レポジトリ
commit | commit, changeset, revision | 커밋, 변경 이력, 리비전 | コミット, 変更履歴, リビジョン
branch | branch, git branch | 브랜치 | ブランチ
release | release, version, deployment, rollout | 릴리스, 배포, 버전 | リリース, デプロイ, バージョン
pipeline_build | build pipeline, ci pipeline, build job, workflow run, pipeline, ci, workflow, github action, continuous integration | 빌드, 파이프라인, 자동 빌드, 지속적 통합, 빌드 결과 | ビルド, パイプライン, 自動テスト, 継続的インテグレーション
server | server, host, virtual machine, instance | 서버, 호스트, 가상 머신, 인스턴스 | サーバー, サーバ, 仮想マシン, インスタンス
manufacturing | manufacturing, production, production line | 생산, 제조, 제조 공정 | 生産, 製造, 工程
factory | factory, manufacturing plant | 공장 | 工場
raw_material | raw material, bill of materials, component part | 원자재, 원재료, 자재, 부품 | 原材料, 資材, 部品, 部材
quality | quality, quality control, inspection | 품질, 품질 검사, 품질관리 | 品質, 品質検査, 品質管理, 検品
maintenance | maintenance, upkeep, repair | 유지보수, 정비, 수리 | 保守, メンテナンス, 修理, 点検
vehicle | vehicle, truck, car, fleet | 차량, 자동차, 트럭 | 車両, 自動車, トラック
travel | travel, trip, flight, business trip | 출장, 여행, 항공편 | 出張, 旅行, フライト, 航空便
policy | policy, regulation, guideline, compliance | 정책, 규정, 지침 | 規程, 規定, 方針, ポリシー
dead_stock | dead stock, slow moving stock, overstock, unsold stock | 악성 재고, 장기 재고, 미판매, 과잉 재고 | 不良在庫, 滞留在庫, 売れ残り, 過剰在庫
stock_movement | stock movement, inventory movement, stock transfer, transfer stock, move stock | 입출고, 재고 이동, 수불, 재고 이전 | 入出庫, 在庫移動, 受払, 在庫移管
stocktaking | stocktake, stock count, cycle count, physical count | 실사, 재고 조사 | 棚卸, 棚卸し, 実地棚卸
stock_turnover | inventory turnover, stock turnover, turnover ratio | 회전율, 재고 회전 | 回転率, 在庫回転
discontinuation | discontinue, discontinued, end of life, phase out | 단종, 판매 종료, 판매 중지 | 廃番, 販売終了, 生産終了, 終売
product_text | product page, product description, item description, page copy | 상세페이지, 상세 페이지, 상품 설명, 문구 | 商品説明, 商品ページ, 説明文, 紹介文
competitor | competitor, rival, competing company | 경쟁사, 경쟁 업체, 타사 | 競合, 競合他社, ライバル, 他社
headcount | headcount, number of employees, number of people, staffing | 인원, 직원 수, 재직자 | 在籍, 社員数, 人数, 人員数
absence | absence, absent, absentee, out of office, out of the office | 부재, 결근 | 欠勤, 不在, 欠席
overtime | overtime, extra hours | 초과 근무, 야근, 연장 근무, 시간외 | 残業, 時間外, 超過勤務
resignation | resignation, resigned, employee turnover, staff turnover, attrition, leaver, quit, leave the company | 퇴사, 퇴직, 이직률, 퇴사자, 퇴직자 | 退職, 離職, 離職率, 退職者
interview | interview, job interview | 면접, 인터뷰 | 面接, インタビュー
lifetime_value | lifetime value, ltv, customer value | 생애 가치, 생애가치, 고객 가치 | 生涯価値, 顧客価値
ad_spend | ad spend, advertising cost, media spend | 광고비, 광고 비용, 매체비 | 広告費, 広告コスト, 媒体費
visitor | visitor, website traffic, page view, site visit | 방문자, 방문, 트래픽, 유입 | 訪問者, 来訪, アクセス数, トラフィック, 閲覧数, 流入
click | click, impression | 클릭, 노출 | クリック数, インプレッション
search_term | search term, search keyword | 검색어, 검색 키워드 | 検索語, 検索キーワード, 検索ワード
balance_sheet | balance sheet, statement of financial position | 재무상태표, 대차대조표, 재무 상태표 | 貸借対照表, バランスシート
cash_flow | cash flow, cash position, liquidity | 현금흐름, 현금 흐름, 자금 흐름 | キャッシュフロー, 資金繰り, 現金収支
accounting | accountant, bookkeeper, finance, accounting department | 회계, 경리, 재무 | 経理, 会計, 財務
closing | month end closing, fiscal closing, close the books | 결산 | 決算, 締め処理
delay | delay, delayed, late, overdue, behind schedule, past due | 지연, 늦어, 늦은, 늦게, 연착 | 遅延, 遅れ, 遅い, 延着
on_time | on time, punctual, on time delivery | 정시, 제때, 제시간, 납기 준수 | 定時, 期日通り, 期日内, 時間通り
damage | damage, damaged, broken, breakage | 파손, 깨진, 깨졌, 손상, 망가 | 破損, 壊れ, 割れ, 損傷
defect | defect, defective, faulty, defect rate | 불량, 불량률, 하자 | 不良, 不良品, 不良率, 欠陥
fraud | fraud, suspicious, scam | 사기, 의심, 수상한, 부정 거래, 도난 | 不正, 不審, 詐欺, 怪しい, 盗難
hold | hold, on hold, suspend, pause, freeze | 보류, 일시중지, 일시 중지, 일시정지, 잠시 멈 | 保留, 一時停止, 凍結, 差し止め
resolution | resolved, resolution, solved | 해결, 종결, 마무리 | 解決, 決着
assignee | assignee, person in charge, owner in charge | 담당자, 담당 | 担当者, 担当
delivery_route | route, delivery route, itinerary | 경로, 노선, 배차, 배송 동선 | ルート, 経路, 配車
pickup | pickup, pick up, collection of parcels | 집하, 픽업, 수거 | 集荷, 引き取り, ピックアップ
printing | printer, print, printing | 프린터, 출력, 인쇄 | プリンター, 印刷, プリンタ
device | device, laptop, computer, pc, hardware | 노트북, 컴퓨터, 기기, 단말, 전산 장비 | ノートパソコン, ノートPC, パソコン, 端末, 機器, デバイス
license | license, licence, software seat | 라이선스, 라이센스, 사용권 | ライセンス, 使用許諾
software | software, application software | 소프트웨어, 애플리케이션 | ソフトウェア, アプリ, アプリケーション
vacancy | free, available, vacant, availability | 빈자리, 비어, 비는, 이용 가능 | 空き, 空いて, 空室, 空室状況
utilization | utilization, utilisation, occupancy, capacity, space left | 가동률, 적재율, 수용, 여유 공간, 점유 | 稼働率, 充填率, 収容, 空きスペース
usage | usage, consumption | 사용량, 사용 현황, 이용 현황, 이용률 | 使用量, 利用状況, 使用状況, 利用量
limit | limit, upper limit, rate limit, allowance | 한도, 제한, 상한 | 上限, 制限, 限度
termination | termination, contract termination | 해지, 계약 종료, 해약 | 解約, 契約解除, 打ち切り
audit | audit, audit finding, internal audit | 감사 결과, 감사 지적, 내부 감사, 지적 사항, 지적사항 | 監査, 指摘事項, 内部監査
lineage | lineage, data lineage, dependency, impact analysis | 계보, 영향도, 의존성 | リネージ, 依存関係, 影響範囲
job | job, batch, batch job, scheduled job, cron, etl, data pipeline | 배치, 배치 작업, 예약 작업, 데이터 작업 | ジョブ, バッチ, 定期実行
error | error, failed, fail, failure, crash, exception | 오류, 에러, 실패 | エラー, 失敗, 異常終了, 落ちた
rerun | rerun, run again, retry, restart | 재실행, 다시 실행, 재시도 | 再実行, 再試行, リトライ
score | score, scorecard, evaluation, assessment | 점수, 평가 | 評価, スコア, 点数
satisfaction | customer satisfaction, csat, nps, satisfaction | 만족도, 고객 만족 | 満足度, 顧客満足
response_time | response time, reply time, first response | 응답 시간, 응답시간, 답변 시간 | 応答時間, 返答時間, 初回応答
history | history, past records, historical | 이력, 내역, 과거 기록 | 履歴, 経緯, 過去の記録
weight | weight, dimensions | 무게, 중량, 부피 | 重量, 重さ, 寸法
shipping_fee | shipping fee, shipping cost, freight, postage | 배송비, 운임, 택배비, 배송 요금 | 送料, 運賃, 配送料
comparison | comparison, compare, versus, difference between | 비교, 대비 | 比較, 対比
attainment | attainment, achievement, achieved | 달성, 달성률, 달성도 | 達成, 達成率
hour | hour, hourly | 시간별, 시간대 | 時間別, 時間帯
alert | alert, warning, alarm | 경고, 알람 | アラート, 警告, 警報
secret | secret, environment secret | 시크릿, 비밀 값, 비밀값 | シークレット, 機密情報
variable | variable, environment variable | 변수, 환경 변수 | 変数, 環境変数
star | star, stargazer, favorite, favourite, bookmark | 즐겨찾기, 별표 | お気に入り, ブックマーク
fork | fork, forked repository | 포크 | フォーク
merge | merge, merge commit | 머지, 병합 | マージ
vulnerability | vulnerability, vulnerable, security hole, cve | 취약점, 보안 문제, 보안 취약 | 脆弱性, セキュリティ問題
webhook | webhook, callback url | 웹훅 | ウェブフック
job_log | log file, console output, job log, build log | 실행 로그, 로그 파일, 콘솔 출력 | 実行ログ, ログファイル, コンソール出力
language | programming language, language | 프로그래밍 언어, 언어 | プログラミング言語, 言語
contributor | contributor, collaborator, committer | 기여자, 협업자, 공동 작업자 | 貢献者, コントリビューター, 共同作業者, コラボレーター
protection | protected, protection, force push | 보호 규칙, 브랜치 보호 | 保護ルール, ブランチ保護
reviewer | reviewer, review request | 리뷰어, 검토자 | レビュアー, レビュワー
invitation | invitation, invite | 초대, 초대장 | 招待, 招待状
block | block, ban, blocked user | 차단, 접근 차단 | ブロック, 締め出
artifact | artifact, build output | 아티팩트, 빌드 산출물 | アーティファクト, ビルド成果物
cache | cache, cached | 캐시 | キャッシュ
follower | follower, following | 팔로워, 팔로우 | フォロワー
endpoint | endpoint, api endpoint | 엔드포인트 | エンドポイント
checkpoint | checkpoint | 체크포인트 | チェックポイント
translation | translation, translate, translator | 번역, 통역 | 翻訳, 通訳
weather | weather, temperature | 날씨, 기온 | 天気, 気温, 天候
map | map, directions | 지도, 길찾기 | 地図, 道順
hotel | hotel, accommodation, lodging | 호텔, 숙소, 숙박 | ホテル, 宿泊
news | news, news article | 뉴스, 기사 | ニュース, 記事
stock_price | stock price, share price, equity | 주가, 주식 | 株価, 株式
"""

# Words of software and data work.
_SOFTWARE = """
environment | environment | 개발 환경, 운영 환경, 실행 환경 | 開発環境, 本番環境, 実行環境
service_status | service status, uptime, health check, up and running | 가동 상태, 서비스 상태, 가동 여부 | 稼働状況, 稼働状態, 死活監視
system | system | 시스템 | システム
feature_flag | feature flag, feature toggle | 기능 플래그 | フィーチャーフラグ, 機能フラグ
performance | performance, latency, throughput, slow | 성능, 응답 속도, 느린, 느려 | 性能, レイテンシ, 処理速度
memory | memory usage, ram, cpu, memory | 메모리 | メモリ, メモリー
storage | disk, storage, disk space | 디스크, 스토리지, 저장 공간 | ディスク, ストレージ, 空き容量
network | network, ip address, vpn, firewall | 네트워크, 방화벽 | ネットワーク, ファイアウォール
domain | domain, dns, domain name | 도메인 | ドメイン
tls_certificate | ssl certificate, tls certificate | 인증서 | サーバー証明書, 電子証明書
cluster | cluster, kubernetes, docker | 클러스터, 쿠버네티스 | クラスタ, クラスター
queue | queue, message queue | 대기열, 메시지 큐 | 待ち行列, メッセージキュー
session | session | 세션 | セッション
plugin | plugin, add on | 플러그인, 확장 기능 | プラグイン, 拡張機能
source_code | source code, code snippet | 소스 코드, 소스코드 | ソースコード
test | test, unit test, test case | 테스트 | テスト
script | script, command, shell command | 스크립트, 명령어 | スクリプト, コマンド
code_review | code review, review a pull request | 코드 리뷰, 리뷰 요청 | コードレビュー, レビュー依頼
discussion | discussion, thread, conversation | 토론, 스레드 | 議論, スレッド, ディスカッション
dataset | dataset, data set | 데이터셋, 데이터 세트, 데이터 집합 | データセット
ml_model | machine learning, ml model, model training | 머신러닝, 기계 학습, 기계학습 | 機械学習, 学習モデル
chatbot | prompt, llm, chatbot, ai assistant | 프롬프트, 챗봇, 인공지능 | プロンプト, チャットボット, 人工知能
data_quality | data quality, missing values, duplicate records | 데이터 품질, 결측, 중복 | データ品質, 重複
database_index | index | 인덱스, 색인 | インデックス, 索引
database_key | primary key, foreign key | 기본 키, 외래 키, 기본키, 외래키 | 主キー, 外部キー
row_count | row count, number of rows | 행 수, 레코드 수 | 行数, レコード数
migration | migration, migrate | 마이그레이션, 이관 | マイグレーション, データ移行, 移行
timezone | timezone, time zone | 표준 시간대, 타임존 | タイムゾーン
sentiment | sentiment | 감성 분석, 감정 분석 | 感情分析
keyword | keyword | 키워드 | キーワード
form | form, input form | 양식, 서식 | フォーム, 様式, 書式
template | template | 템플릿 | テンプレート, ひな形, 雛形
active_user | active user, dau, mau | 활성 사용자, 활성 이용자 | アクティブユーザー, アクティブ利用者
signup | signup, new signup | 신규 가입, 가입자 | 新規会員, 会員登録, 新規登録者
funnel | funnel | 퍼널 | ファネル
experiment | ab test, experiment | 실험 | 実験
recurring_revenue | mrr, arr, recurring revenue | 반복 매출 | 継続収益, 経常収益
trial | free trial, trial period | 무료 체험, 체험판 | 無料体験, お試し
pricing_plan | pricing plan, rate plan, subscription plan, premium plan, price plan | 요금제, 플랜 | 料金プラン, プラン
portal | portal | 포털 | ポータル
location_gps | gps, gps position | 위성 위치 | 車両位置, 位置情報
unit | unit of measure | 단위 | 単位
size | size | 크기, 사이즈 | サイズ, 大きさ
color | color, colour | 색상 | カラー, 色彩
"""

_LINES = f"{_TABLE}{ACTS}{FIELDS}{_SOFTWARE}".split("\n")
_CELLS = ([cell.strip() for cell in line.split("|")] for line in _LINES if line)
CONCEPTS: tuple[Concept, ...] = tuple(
    Concept(
        concept_id,
        {
            language: tuple(term.strip() for term in terms.split(","))
            for language, terms in zip(LANGUAGES, cells, strict=True)
        },
    )
    for concept_id, *cells in _CELLS
)
