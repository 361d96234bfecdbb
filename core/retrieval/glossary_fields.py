"""The general glossary: words of single fields, from finance and logistics to health and schools."""

# A concept a line, as in core.retrieval.glossary_terms.
FIELDS = """
financial_statement | financial statement, income statement, profit and loss | 손익계산서, 재무제표 | 損益計算書, 財務諸表, 決算書
credit_note | credit note, credit memo | 대변 메모, 수정 세금계산서 | クレジットノート, 赤伝票
credit_limit | credit limit | 여신, 신용 한도 | 与信, 信用限度, 与信枠
credit_score | credit score, credit rating, creditworthiness | 신용 점수, 신용 등급, 신용등급 | 信用スコア, 信用格付, 信用情報
dunning | dunning, payment reminder, debt collection | 독촉, 추심, 독촉장 | 督促, 督促状, 債権回収
receivables_age | aging, ageing | 연령 분석, 채권 연령 | 年齢表, エイジング
reconciliation | reconciliation, reconcile | 대사 작업, 잔액 대조 | 突合, 消込, 突き合わせ
depreciation | depreciation, amortization | 감가상각 | 減価償却, 償却
dividend | dividend | 배당, 배당금 | 配当, 配当金
investment | investment, portfolio, invest, securities | 투자, 포트폴리오, 유가증권 | 投資, ポートフォリオ, 有価証券
cash | cash, petty cash | 현금 | 現金, 小口現金
fund | fund, funding | 자금, 펀드, 기금 | 資金, ファンド, 基金
payout | payout, disbursement | 지급, 지급액 | 支給, 払い出し
fee | commission, fee, service charge | 수수료, 커미션 | 手数料, コミッション
penalty | penalty, late fee, fine | 위약금, 연체료, 벌금, 과태료 | 違約金, 延滞金, 罰金, 遅延損害金
installment | installment, instalment, payment plan | 할부, 분납 | 分割払い, 割賦
chargeback | chargeback, payment dispute | 지불 거절, 차지백 | チャージバック, 支払異議
cost_center | cost center, cost centre | 코스트 센터, 원가 센터 | 原価センタ, コストセンター
ledger_account | chart of accounts, gl account, ledger account | 계정 과목, 계정과목 | 勘定科目
user_account | account, user account | 계정 | アカウント
collateral | collateral | 담보 | 担保
deposit | deposit, security deposit | 예금, 보증금, 예치 | 預金, 預け入れ, 敷金, 保証金
insurance_premium | insurance premium | 보험료 | 保険料
insurance_claim | insurance claim | 보험금, 보험 청구 | 保険金, 保険請求
compensation_claim | claim, compensation claim, damage claim | 보상, 배상 | 補償, 賠償, 弁償
stage | stage, phase | 단계 | 段階, フェーズ, ステージ
win_rate | win rate, closing rate | 수주율, 성공률 | 成約率, 受注率, 成功率
upsell | upsell, cross sell | 업셀, 교차 판매 | アップセル, クロスセル
partner | partner, affiliate, reseller, distributor | 파트너, 제휴사, 대리점, 총판 | パートナー, 提携先, 代理店
proposal | proposal, bid, tender, rfp | 제안서, 입찰 | 提案書, 入札
call_center | call center, call centre, contact center | 콜센터, 고객센터 | コールセンター, カスタマーセンター
knowledge_base | faq, knowledge base, help article | 자주 묻는 질문, 지식 베이스, 도움말 | よくある質問, ナレッジ, ヘルプ記事
service_level | sla, service level | 서비스 수준 | サービスレベル
warranty | warranty, guarantee | 보증 기간, 무상 보증, 워런티 | 保証期間, 製品保証, 保証書
replacement | replacement, product exchange | 교환 | 交換
tier | tier, membership level | 등급 | 等級, ランク
social_media | social media, sns, social network | 소셜 미디어, 소셜미디어 | ソーシャルメディア, ソーシャルネットワーク
article | blog post, article, post | 게시물, 게시글, 블로그 글 | 投稿, ブログ記事
video | video | 동영상, 영상, 비디오 | 動画, 映像, ビデオ
audio | audio, voice recording | 오디오, 음성, 녹음 | 音声, 録音, オーディオ
music | music, song, playlist | 음악, 노래, 재생 목록 | 音楽, 楽曲, 再生リスト
movie | movie, film, cinema | 영화 | 映画
restaurant | restaurant, dining | 식당, 레스토랑, 음식점 | レストラン, 飲食店
food | food, meal, recipe, cooking | 음식, 식사, 요리, 레시피, 조리법 | 食事, 料理, 食べ物, レシピ
taxi | taxi, cab | 택시 | タクシー
train | railway, train ticket | 기차, 열차, 철도 | 電車, 列車, 鉄道
airport | airport | 공항 | 空港
passenger | passenger, traveler, traveller | 승객, 탑승객, 여행자 | 乗客, 旅客, 旅行者
seat | seat | 좌석 | 座席, 空席
baggage | baggage, luggage | 수하물 | 手荷物
passport | passport, visa | 여권, 비자 | パスポート, 旅券, ビザ
guest | hotel guest, check in, check out, room service | 체크인, 체크아웃, 투숙객 | チェックイン, チェックアウト, 宿泊客
onboarding | onboarding, offboarding | 온보딩, 입사 | 入社, オンボーディング
certificate | certificate, certification, qualification | 증명서, 자격증 | 証明書, 資格
skill | skill, competency, expertise | 역량, 스킬 | スキル, 技能
benefits | employee benefit, welfare, perks | 복리후생, 복지 | 福利厚生
pension | pension, retirement plan, severance | 연금, 퇴직연금, 퇴직금 | 年金, 退職金
withholding | withholding, deduction | 공제, 원천징수 | 控除, 源泉徴収
org_chart | org chart, organization chart, reporting line | 조직도 | 組織図
public_holiday | public holiday, national holiday | 공휴일, 휴일 | 祝日, 休日
remote_work | remote work, telework, work from home | 재택근무, 원격 근무 | 在宅勤務, テレワーク, リモートワーク
probation | probation | 수습 | 試用期間
resume | resume document, cv, curriculum vitae | 이력서 | 履歴書, 職務経歴書
job_offer | job offer, offer letter | 채용 제안 | 内定, 採用通知
health_check | health checkup, medical checkup | 건강검진 | 健康診断, 人間ドック
birthday | birthday, date of birth, birth date | 생일, 생년월일 | 誕生日, 生年月日
age | age, age group | 연령, 나이, 연령대 | 年齢, 年代
gender | gender, sex | 성별 | 性別
nationality | nationality | 국적 | 国籍
driver | driver, delivery driver, truck driver | 기사, 운전기사, 배송기사, 운전자 | ドライバー, 運転手, 運転士
accident | accident, collision | 사고 | 事故
fuel | fuel, gasoline, diesel | 연료, 유류, 주유 | 燃料, 給油, ガソリン
customs | customs, customs clearance, customs declaration, import duty | 통관, 관세, 세관 | 通関, 関税, 税関
container | container | 컨테이너 | コンテナ
port | seaport, harbor, harbour, port | 항구, 항만 | 港湾, 寄港
vessel | vessel, cargo ship | 선박, 화물선 | 船舶, 貨物船, 本船
distance | distance, mileage, odometer | 거리, 주행거리 | 距離, 走行距離
proof_of_delivery | proof of delivery, delivery receipt | 인수증, 수령증, 배송 증빙 | 受領書, 受領証, 配達証明, 受領サイン
arrival | arrival, eta, arrive | 도착 | 到着
origin | origin, departure, depart | 출발지, 출발 | 出発地, 出発, 発地
destination | destination | 도착지, 목적지 | 到着地, 目的地, 着地
transport | transport, transportation, haulage | 운송, 수송 | 輸送, 運送
shipper | shipper, consignor, sender | 화주, 발송인, 송하인 | 荷主, 発送人, 送り主, 差出人
recipient | recipient, consignee, receiver, addressee | 수취인, 수신자, 받는 사람, 수령인 | 受取人, 受信者, 宛名
shelf | pallet, bin location, rack, shelf | 팔레트, 로케이션, 선반 | パレット, 棚番, ロケーション, 陳列棚
picking | picking, pick list | 피킹 | ピッキング
replenishment | reorder point, safety stock, replenishment, restock, replenish, reorder | 안전 재고, 안전재고, 재주문, 보충 | 安全在庫, 発注点, 補充
lot | lot number, batch number, serial number | 로트, 일련번호, 시리얼 번호 | ロット, シリアル番号, 製造番号
barcode | barcode, qr code | 바코드 | バーコード
lead_time | lead time, transit time, transit days | 리드타임, 소요 시간, 소요시간 | リードタイム, 所要時間, 所要日数
shelf_life | shelf life, best before | 유통기한, 소비기한 | 賞味期限, 消費期限
cold_chain | cold chain, refrigerated | 냉장, 냉동 | 冷蔵, 冷凍
hazardous | hazardous goods, dangerous goods | 위험물 | 危険物
trade | foreign trade, import and export | 무역, 수출입 | 貿易, 輸出入
machine | machine, equipment, machinery | 기계, 장비 | 機械, 装置
work_order | work order, production order, manufacturing order | 작업 지시, 작업지시 | 作業指示, 製造指図, 生産指示
yield | yield rate, scrap rate | 수율 | 歩留まり, 歩留り
sensor | sensor, iot, telemetry | 센서 | センサー, センサ
energy | energy, electricity, power consumption | 에너지, 전력, 전기 | エネルギー, 電力, 電気
emissions | carbon, emissions, co2 | 탄소, 배출량 | 炭素, 排出量
drawing | technical drawing, blueprint | 도면 | 図面, 設計図
safety | safety, workplace safety | 안전 | 安全
patient | patient, inpatient, outpatient | 환자 | 患者
doctor | doctor, physician, surgeon | 의사, 의료진, 주치의 | 医師, 医者, 主治医
nurse | nurse | 간호사 | 看護師
prescription | prescription, prescribe | 처방 | 処方, 処方箋
medicine | medicine, medication, drug | 의약품, 약물, 투약, 복약 | 医薬品, 薬剤, 投薬, 服薬
diagnosis | diagnosis, diagnose, disease, illness | 진단, 질병, 질환 | 診断, 病名, 疾患, 病気
treatment | treatment, therapy, surgery | 치료, 수술, 처치 | 治療, 手術, 処置
hospital | hospital, clinic | 병원, 의원, 클리닉 | 病院, 医院, クリニック
hospital_bed | hospital ward, hospital bed | 병동, 병상, 병실 | 病棟, 病床, 病室
lab_test | lab test, lab result, blood test | 검사 결과, 혈액 검사 | 検査結果, 血液検査, 検査値
medical_record | medical record, health record, ehr, emr | 진료 기록, 의무기록, 진료기록 | 診療記録, カルテ, 診療録
consultation | medical consultation, outpatient visit, consultation | 진료, 내원, 진찰 | 診察, 診療, 受診
vaccination | vaccination, vaccine | 예방접종, 백신 | 予防接種, ワクチン
allergy | allergy | 알레르기 | アレルギー
hospitalization | hospital admission, hospitalization, discharge | 입원, 퇴원 | 入院, 退院
student | student, pupil, learner | 학생, 수강생, 학습자 | 学生, 生徒, 受講者, 学習者
teacher | teacher, instructor, lecturer, professor, tutor | 교사, 강사, 교수, 선생님 | 教師, 講師, 教授, 先生
course | course, class, lecture, lesson, curriculum | 강의, 수업, 과목, 과정 | 講義, 授業, 科目, コース
enrollment | enroll, enrol, enrollment, enrolment | 수강, 수강 신청, 수강신청 | 受講, 履修
school_grade | school grade, gpa, report card | 성적, 학점 | 成績, 評定
exam | exam, examination, quiz | 시험, 퀴즈 | 試験, クイズ
homework | homework, coursework | 숙제, 과제물 | 宿題, 提出課題
school | school, university, college, campus | 학교, 대학, 캠퍼스 | 学校, 大学, キャンパス
tuition | tuition, scholarship | 등록금, 장학금, 수업료 | 授業料, 奨学金, 学費
timetable | timetable, class schedule | 시간표 | 時間割, 時刻表
book | textbook, library loan | 도서, 서적 | 図書, 書籍
property | real estate, apartment, housing | 부동산, 매물, 아파트, 주택 | 不動産, 物件, 住宅
tenant | tenant, lessee, renter | 임차인, 세입자, 입주자 | 借主, 賃借人, 入居者
rent | rent, rental | 임대료, 월세, 임대, 렌탈 | 賃料, 家賃, レンタル
building | building, facility, premises | 건물, 시설 | 建物, 施設
parking | parking, parking lot | 주차 | 駐車
access_card | visitor badge, access card, entry pass | 출입증, 출입 카드, 방문증 | 入館証, 社員証, 通行証
cleaning | cleaning, housekeeping | 청소 | 清掃, 掃除
site | site, hub | 거점, 사업장, 현장 | 拠点, 事業所, 現場
law | law, legal, lawsuit, litigation | 법률, 소송, 법무 | 法律, 法務, 訴訟
permit | permit, driving licence, driving license | 허가, 인허가, 면허 | 許認可, 免許, 認可
resident | citizen, resident | 시민, 주민, 거주자 | 市民, 住民, 居住者
consent | consent, opt in | 동의 | 同意, 承諾
donation | donation, donor, charity | 기부, 후원 | 寄付, 募金
subsidy | subsidy | 보조금, 지원금 | 補助金, 助成金
risk | risk, risk assessment | 위험, 리스크 | リスク, 危険度
patent | patent, trademark, intellectual property | 특허, 지식재산 | 特許, 知的財産, 商標
industry | industry, sector, line of business | 업종, 산업 | 業種, 業界, 産業
quality_rating | rate a supplier, grading | 채점, 점수 매기 | 採点, 点数付け
business_hours | business hours, opening hours | 영업시간, 운영 시간 | 営業時間
"""
