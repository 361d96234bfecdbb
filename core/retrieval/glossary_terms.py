"""The general glossary: words of business, data and software work that mean the same in three languages.

Nouns only, since what a tool does is told by its action words, and nothing so short that it is found
within other words.
"""

from core.retrieval.glossary import Concept

LANGUAGES = ("en", "ko", "ja")

# One concept a line: its id and its terms in English, Korean and Japanese, the most usual first.
_TABLE = """
customer | customer, client, buyer, shopper | 고객, 거래처, 구매자, 손님 | 顧客, お客様, 得意先, 取引先, 購入者
contact | contact, contact person, contact details | 연락처, 담당자 연락처 | 連絡先, コンタクト
order | order, sales order | 주문, 오더, 수주 | 注文, オーダー, 受注
order_line | order line, line item, order item | 주문 항목, 주문 상세, 품목 내역 | 注文明細, 明細行, 受注明細
purchase_order | purchase order, procurement order | 발주, 구매 주문, 발주서 | 発注, 発注書, 購買注文
quotation | quote, quotation, price offer | 견적, 견적서 | 見積, 見積書, 見積もり
cart | cart, shopping cart, basket | 장바구니, 쇼핑 카트 | カート, 買い物かご, ショッピングカート
refund | refund, reimbursement, money back | 환불, 환급 | 返金, 払い戻し, 払戻し, 払戻
return | product return, returned goods, sales return, rma | 반품, 반송 | 返品, 返送
invoice | invoice, billing statement, bill | 청구서, 송장, 인보이스, 세금계산서 | 請求書, インボイス, 請求明細
receipt | receipt, proof of payment | 영수증, 영수 내역 | 領収書, レシート, 領収証
payment | payment, settlement | 결제, 지불, 대금, 납부 | 支払い, 支払, 決済, 入金
payment_method | payment method, credit card, means of payment | 결제 수단, 신용카드, 결제수단 | 支払方法, 支払い方法, クレジットカード, 決済手段
receivable | receivable, accounts receivable, outstanding balance | 미수금, 외상매출금, 매출채권 | 売掛金, 未収金, 売掛
payable | payable, accounts payable | 미지급금, 외상매입금, 매입채무 | 買掛金, 未払金, 買掛
tax | tax, vat, sales tax | 세금, 부가세, 부가가치세, 세액 | 税金, 消費税, 税額, 付加価値税
account_bank | bank account, account number | 은행 계좌, 계좌, 계좌번호 | 銀行口座, 口座番号, 口座
transaction | transaction, transaction history | 거래 내역, 거래내역, 트랜잭션 | 取引履歴, 取引, トランザクション
transfer_money | wire transfer, bank transfer, remittance | 송금, 계좌 이체, 이체 | 送金, 振込, 口座振替, 振り込み
currency | currency, foreign currency | 통화, 외화 | 通貨, 外貨
exchange_rate | exchange rate, fx rate, conversion rate | 환율 | 為替レート, 為替, 換算レート
subscription | subscription, recurring plan, membership plan | 구독, 정기 구독, 정기결제 | サブスクリプション, 定期購読, サブスク, 定期購入
shipment | shipment, consignment, dispatch note | 출하, 출고, 선적 | 出荷, 積荷
delivery | delivery, shipping, parcel | 배송, 택배, 배달 | 配送, 配達, 宅配, お届け
tracking_number | tracking number, waybill | 운송장, 송장 번호, 운송장번호 | 追跡番号, 送り状, 伝票番号
carrier | carrier, shipping company, courier | 운송사, 택배사, 배송업체 | 配送業者, 運送会社, 宅配業者
address | address, postal address, shipping address | 주소, 배송지 | 住所, 届け先, 配送先, 届先
postal_code | postal code, zip code, postcode | 우편번호 | 郵便番号
inventory | inventory, stock, stock level, on hand | 재고, 재고량, 보유 수량 | 在庫, 在庫数, ストック
warehouse | warehouse, depot, distribution center | 창고, 물류센터 | 倉庫, 物流センター
stock_receipt | goods receipt, inbound stock, receiving | 입고, 입하 | 入荷, 入庫
shortage | shortage, out of stock, stockout | 품절, 재고 부족, 결품 | 欠品, 在庫切れ, 品切れ, 在庫不足
store | store, shop, outlet, retail store | 매장, 점포, 가게, 상점 | 店舗, 店頭, 売り場, ショップ
branch_office | branch office, local office | 지점, 지사, 영업소 | 支店, 支社, 営業所
region | region, area, territory, district | 지역, 권역, 구역 | 地域, 地方, エリア, 地区
country | country, nation | 국가, 나라 | 国別, 国名, 国コード
city | city, town, municipality | 도시, 시군구 | 都市, 市区町村
location | location, coordinates, geolocation | 위치, 장소, 좌표 | 位置, 場所, 所在地, 座標
product | product, item, goods, merchandise, sku | 상품, 제품, 물품, 품목 | 商品, 製品, 品目, 品物
brand | brand, label brand | 브랜드, 상표 | ブランド, 銘柄
category | category, product group, classification | 카테고리, 분류, 상품군 | カテゴリ, カテゴリー, 分類, 区分
price | price, unit price, list price | 가격, 단가, 판매가 | 価格, 単価, 値段, 販売価格
discount | discount, markdown, price reduction, rebate | 할인, 에누리 | 割引, 値引, 値引き
coupon | coupon, voucher, promo code, gift card | 쿠폰, 상품권, 할인권 | クーポン, 割引券, 商品券
promotion | sales promotion, special offer, promo | 프로모션, 판촉, 행사 할인 | プロモーション, 販促, 特売, バーゲン
loyalty_points | loyalty points, reward points | 적립금, 마일리지, 적립 포인트 | 会員ポイント, 獲得ポイント, マイレージ, ポイント残高
review | review, rating, star rating | 리뷰, 후기, 평점, 상품평 | レビュー, 口コミ, 評価点, クチコミ
employee | employee, staff, worker, personnel, team member | 직원, 사원, 임직원, 종업원 | 従業員, 社員, 職員, スタッフ
manager | manager, supervisor, team leader | 관리자, 팀장, 상사, 매니저 | 上司, 管理職, マネージャー, 責任者
department | department, division, business unit | 부서, 사업부 | 部署, 部門, 事業部
organization | organization, organisation, company, enterprise | 조직, 회사, 기업, 법인 | 組織, 会社, 企業, 法人
job_position | job title, job position, rank | 직급, 직책, 직위 | 役職, 職位, 肩書
salary | salary, wage, pay slip, payroll, compensation | 급여, 월급, 임금, 연봉, 봉급 | 給与, 給料, 賃金, 年俸
bonus | bonus, incentive pay | 상여금, 성과급, 보너스 | 賞与, ボーナス, 報奨金
leave | leave, vacation, time off, day off, pto, annual leave | 휴가, 연차, 휴무 | 休暇, 有給, 年休, お休み
attendance | attendance, timesheet, clock in, working hours | 근태, 출퇴근, 근무 시간, 출석 | 勤怠, 出退勤, 勤務時間, 出勤
shift | work shift, duty roster | 교대 근무, 근무표, 근무 일정 | シフト, 当番表, 勤務表
recruitment | recruitment, recruiting, job opening, hiring | 채용, 구인, 모집 공고 | 採用, 求人, 募集要項
applicant | applicant, candidate, job seeker | 지원자, 응시자, 입사 지원 | 応募者, 候補者, 志願者
training | training, education, training course | 교육, 연수, 강좌 | 研修, 講座, 教育, トレーニング
performance_review | performance review, appraisal | 인사 평가, 인사평가, 성과 평가 | 人事評価, 人事考課, 業績評価
meeting | meeting, conference | 회의, 미팅 | 会議, ミーティング, 打ち合わせ, 打合せ
meeting_room | meeting room, conference room | 회의실 | 会議室
calendar | calendar, schedule, agenda | 일정, 캘린더, 달력, 스케줄 | 予定, カレンダー, スケジュール, 日程
event | event, occasion | 이벤트, 행사 | イベント, 催し, 行事
reservation | reservation, booking, appointment | 예약, 예약 내역 | 予約, アポイント
contract | contract, agreement | 계약, 계약서, 협약 | 契約, 契約書, 協定
contract_expiry | contract expiry, expiration date, expiry date | 만료일, 유효 기간, 계약 만료, 유효기간 | 満了日, 有効期限, 契約満了
supplier | supplier, vendor, provider | 공급업체, 공급사, 납품업체, 협력사, 벤더 | 仕入先, 供給業者, サプライヤー, 納入業者, ベンダー
purchase | purchasing, procurement, purchase | 구매, 매입, 조달 | 購買, 仕入, 仕入れ, 調達, 購入
sales_lead | sales lead, prospect | 잠재 고객, 잠재고객, 가망 고객, 리드 고객 | 見込み客, 見込客, リード顧客, 潜在顧客
sales_opportunity | opportunity, deal, sales pipeline | 영업 기회, 영업기회, 상담 건 | 商談, 案件, 営業機会
salesperson | salesperson, sales rep, sales representative, account executive | 영업사원, 영업 담당자, 판매원 | 営業担当, 営業担当者, 販売員, セールス担当
campaign | campaign, marketing campaign, advertisement | 캠페인, 광고, 마케팅 캠페인 | キャンペーン, 広告, 販促キャンペーン
newsletter | newsletter, mailing list | 뉴스레터, 소식지, 메일링 리스트 | ニュースレター, メルマガ, メールマガジン
conversion | conversion, conversion rate of visitors, click through rate | 전환율, 클릭률 | 転換率, コンバージョン, クリック率
churn | churn, attrition, retention rate | 이탈률, 이탈 고객, 해지율 | 解約率, 離脱率, チャーン, 離反
segment | segment, cohort | 세그먼트, 고객군, 코호트 | セグメント, 顧客層, コホート
survey | survey, questionnaire, poll, feedback form | 설문, 설문조사, 만족도 조사 | アンケート, 調査票, 満足度調査
complaint | complaint, grievance | 불만, 민원, 컴플레인, 클레임 | 苦情, クレーム, 不満
inquiry | inquiry, enquiry | 문의, 질의, 문의사항 | 問い合わせ, 問合せ, お問い合わせ
ticket | support ticket, ticket, help desk request | 티켓, 지원 요청, 상담 티켓 | チケット, サポート依頼, 問い合わせ票
incident | incident, outage, failure, malfunction | 장애, 인시던트, 고장 | 障害, インシデント, 故障
task | task, to do, todo, assignment, work item | 작업, 할 일, 과제, 태스크 | タスク, 作業, やること, 課題項目
project | project, initiative | 프로젝트, 사업 과제 | プロジェクト, 企画案件
milestone | milestone, deliverable | 마일스톤, 이정표 | マイルストーン, 成果物
deadline | deadline, due date, delivery date | 마감, 기한, 납기, 마감일 | 締切, 締め切り, 納期, 期限, 期日
priority | priority, urgency, severity | 우선순위, 긴급도, 심각도 | 優先度, 優先順位, 緊急度, 重要度
status | status, progress | 상태, 진행 상황, 현황, 진행률 | 状態, ステータス, 状況, 進捗
approval | approval, sign off, authorization request | 승인, 결재, 품의 | 承認, 決裁, 稟議
workflow | workflow, business process, procedure | 워크플로, 업무 절차, 업무 흐름, 프로세스 | ワークフロー, 業務手順, 業務フロー, プロセス
revenue | revenue, sales, turnover, sales amount, proceeds | 매출, 매출액, 수익, 판매액, 판매 실적 | 売上, 売上高, 収益, 売り上げ, 販売額
cost | cost, expense, expenditure, spending | 비용, 원가, 경비, 지출 | 費用, 原価, 経費, コスト, 支出
expense_claim | expense claim, expense report, travel expense | 경비 청구, 지출 결의, 출장비, 출장 경비 | 経費精算, 出張旅費, 交通費, 立替精算
margin | margin, profit margin, gross margin | 마진, 이익률, 이윤 | 粗利, マージン, 利益率, 粗利益
profit | profit, net income, earnings | 이익, 순이익, 영업이익, 손익 | 利益, 純利益, 営業利益, 損益
loss | loss, deficit | 손실, 적자 | 損失, 赤字, 欠損
budget | budget, appropriation | 예산 | 予算
forecast | forecast, prediction, projection, demand forecast | 예측, 전망, 수요 예측 | 予測, 見通し, 需要予測
target | target, goal, quota, objective | 목표, 목표치, 할당량 | 目標, ノルマ, 目標値
asset | asset, fixed asset, equipment | 자산, 비품, 고정자산, 설비 | 資産, 備品, 固定資産, 設備
ledger | ledger, journal entry, general ledger, bookkeeping | 원장, 분개, 전표, 장부 | 元帳, 仕訳, 帳簿, 会計伝票
balance | balance, account balance | 잔액, 잔고 | 残高
loan | loan, credit line, mortgage, debt | 대출, 차입금, 융자, 부채 | 融資, 借入, 住宅ローン, 負債
interest_rate | interest rate, accrued interest | 이자, 금리, 이자율 | 利息, 金利, 利率
insurance | insurance, insurance policy | 보험, 보험 증권 | 保険, 保険証券
quantity | quantity, amount of units | 수량, 물량, 개수 | 数量, 個数, 物量
day | day, daily, today | 일별, 일간, 매일, 오늘 | 日別, 日次, 毎日, 今日
date | date, calendar date | 날짜, 일자 | 日付, 年月日
week | week, weekly | 주별, 주간, 매주, 이번 주, 지난주 | 週別, 週次, 週間, 毎週, 今週, 先週
month | month, monthly | 월별, 월간, 매월, 이번 달, 지난달 | 月別, 月次, 月間, 毎月, 今月, 先月
quarter | quarter, quarterly | 분기, 분기별 | 四半期, 四半期別
year | year, annual, yearly, fiscal year | 연도, 연간, 연별, 매년, 올해, 작년, 회계연도 | 年度, 年間, 年次, 毎年, 今年, 昨年
period | period, date range, time range, duration | 기간, 날짜 범위, 조회 기간 | 期間, 日付範囲, 対象期間
average | average, mean value, avg | 평균, 평균값 | 平均, 平均値
sum | sum, total, subtotal, grand total | 합계, 총합, 총액, 누계 | 合計, 総計, 総額, 累計
count | count, number of, headcount | 건수, 인원수 | 件数, 人数, 総数
maximum | maximum, max, highest, peak | 최대, 최댓값, 최고값, 최고치 | 最大, 最大値, 最高値, ピーク
minimum | minimum, min, lowest | 최소, 최솟값, 최저값, 최저치 | 最小, 最小値, 最低値
median | median, percentile, quantile | 중앙값, 중위수, 백분위 | 中央値, 百分位, パーセンタイル
ratio | ratio, percentage, proportion, share of total | 비율, 백분율, 퍼센트, 점유율 | 比率, 割合, パーセント, 構成比
growth | growth, increase rate, growth rate, year over year | 성장률, 증가율, 증감률, 전년 대비 | 成長率, 増加率, 伸び率, 前年比
trend | trend, time series, tendency | 추이, 추세, 트렌드, 시계열 | 推移, 傾向, トレンド, 時系列
ranking | ranking, top list, best seller, leaderboard | 순위, 랭킹, 상위, 베스트셀러 | 順位, ランキング, 上位, 売れ筋
statistics | statistics, stats, metrics, analytics | 통계, 지표, 분석 지표 | 統計, 指標, メトリクス
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
profile | profile, personal information | 프로필, 프로파일, 개인정보, 개인 정보 | プロフィール, 個人情報, プロファイル
role | role, user role | 역할, 직무 | 役割, ユーザーロール
permission | permission, access right, privilege, access control | 권한, 접근 권한 | 権限, アクセス権, 許可
team | team, group, user group | 그룹, 소속 팀, 팀원 | チーム, グループ
password | password, passphrase | 비밀번호, 패스워드, 암호 | パスワード, 暗証番号
login | login, sign in, log in, authentication | 로그인, 인증, 접속 기록 | ログイン, 認証, サインイン
api_key | api key, access token, credential, secret | 액세스 토큰, 접근 토큰, 인증 키, 자격 증명 | アクセストークン, 認証キー, 資格情報, トークン
audit_log | audit log, activity log, event log, log entry | 감사 로그, 활동 기록, 로그 기록, 이력 | 監査ログ, 操作履歴, 操作ログ, 履歴
file | file, attachment | 파일, 첨부 | ファイル, 添付
folder | folder, directory | 폴더, 디렉터리, 디렉토리 | フォルダ, フォルダー, ディレクトリ
document | document, paper document, doc | 문서, 서류 | 文書, 書類, ドキュメント
image | image, picture, photo, photograph | 이미지, 사진, 그림 파일 | 画像, 写真, イメージ
spreadsheet | spreadsheet, worksheet, excel, csv | 스프레드시트, 엑셀, 시트 | スプレッドシート, エクセル, ワークシート
message | message, chat message, direct message | 메시지, 쪽지, 대화 메시지 | メッセージ, 伝言, チャットメッセージ
email | email, e-mail, mail, mailbox | 이메일, 전자우편, 메일, 편지함 | メール, 電子メール, Eメール, 受信箱
notification | notification, alert, reminder | 알림, 통지, 알람, 공지 | 通知, アラート, お知らせ, リマインダー
channel | channel, chat room | 채널, 채팅방, 대화방 | チャンネル, チャットルーム, チャネル
comment | comment, remark, note | 댓글, 코멘트, 비고, 메모 내용 | コメント, 備考, メモ書き
phone | phone, phone number, telephone | 전화번호, 전화, 휴대폰, 통화 기록 | 電話, 電話番号, 携帯電話, 通話
website | website, web page, url, web site | 웹사이트, 홈페이지, 웹페이지 | ウェブサイト, ホームページ, ウェブページ, サイト
tag | tag, label, keyword tag | 태그, 라벨, 꼬리표 | タグ, ラベル
setting | setting, configuration, preference, option | 설정, 환경설정, 구성 정보 | 設定, 環境設定, 構成情報
issue | issue, bug, defect, bug report | 이슈, 버그, 결함 | イシュー, バグ, 不具合, 課題
pull_request | pull request, merge request | 풀 리퀘스트, 풀리퀘스트, 병합 요청 | プルリクエスト, プルリク, マージリクエスト
repository | repository, repo, code repository | 저장소, 리포지토리, 레포지토리, 레포 | リポジトリ, レポジトリ
commit | commit, changeset, revision | 커밋, 변경 이력, 리비전 | コミット, 変更履歴, リビジョン
branch | branch, git branch | 브랜치 | ブランチ
release | release, version, deployment, rollout | 릴리스, 배포, 버전 | リリース, デプロイ, バージョン
pipeline_build | build pipeline, ci pipeline, build job, workflow run | 빌드, 파이프라인, 자동 빌드 | ビルド, パイプライン
server | server, host, virtual machine, instance | 서버, 호스트, 가상 머신, 인스턴스 | サーバー, サーバ, 仮想マシン, インスタンス
manufacturing | manufacturing, production, production line | 생산, 제조, 제조 공정 | 生産, 製造, 工程
factory | factory, manufacturing plant | 공장 | 工場
raw_material | raw material, bill of materials, component part | 원자재, 원재료, 자재, 부품 | 原材料, 資材, 部品, 部材
quality | quality, quality control, inspection | 품질, 품질 검사, 품질관리 | 品質, 品質検査, 品質管理, 検品
maintenance | maintenance, upkeep, repair | 유지보수, 정비, 수리 | 保守, メンテナンス, 修理, 点検
vehicle | vehicle, truck, car, fleet | 차량, 자동차, 트럭 | 車両, 自動車, トラック
travel | travel, trip, flight, business trip | 출장, 여행, 항공편 | 出張, 旅行, フライト, 航空便
policy | policy, regulation, guideline, compliance | 정책, 규정, 지침 | 規程, 規定, 方針, ポリシー
"""


def _concepts(table: str) -> tuple[Concept, ...]:
    return tuple(map(_concept, table.strip().splitlines()))


def _concept(line: str) -> Concept:
    concept_id, *written = (part.strip() for part in line.split("|"))
    terms = (tuple(term.strip() for term in each.split(",")) for each in written)
    return Concept(concept_id, dict(zip(LANGUAGES, terms, strict=True)))


CONCEPTS: tuple[Concept, ...] = _concepts(_TABLE)
