-- What the catalogue and search show of the demo shop. A table: a description in its own language,
-- in English and in the third, a line each; the last line has its names for display. A column: the
-- three languages on one line, separated by slashes.
-- Runs after shop.sql in the same transaction.

COMMENT ON TABLE stores IS
'店舗の基本情報。地域、店舗タイプ等を管理。
Stores: name, region (KR, JP, US), city and store type of each shop.
매장 마스터: 매장명, 지역, 도시, 매장 유형.
店舗マスタ / Stores / 매장 마스터';
COMMENT ON COLUMN stores.id IS '店舗ID / store id / 매장 ID';
COMMENT ON COLUMN stores.store_name IS '店舗名（現地語） / store name in the local language / 매장명';
COMMENT ON COLUMN stores.store_name_en IS '店舗名（英語） / store name in English / 매장 영문명';
COMMENT ON COLUMN stores.region IS '地域：KR 韓国、JP 日本、US アメリカ / region / 지역';
COMMENT ON COLUMN stores.city IS '都市 / city / 도시';
COMMENT ON COLUMN stores.store_type IS '店舗タイプ：FLAGSHIP、MALL、STREET、OUTLET、ONLINE / store type / 매장 유형';
COMMENT ON COLUMN stores.floor_area_m2 IS '売場面積（平方メートル）、オンラインはNULL / floor area in square metres, NULL online / 매장 면적';
COMMENT ON COLUMN stores.opened_on IS '開店日 / opening date / 개점일';
COMMENT ON COLUMN stores.opens_at IS '開店時刻（現地時間）、オンラインはNULL / opening time, local / 개점 시각';
COMMENT ON COLUMN stores.timezone IS 'タイムゾーン / time zone, IANA name / 시간대';
COMMENT ON COLUMN stores.contact_email IS '店舗の連絡先メールアドレス / contact e-mail of the store / 매장 연락처 이메일';
COMMENT ON COLUMN stores.is_open IS '営業中か / still in business / 영업 여부';

COMMENT ON TABLE products IS
'商品の基本情報。カテゴリ、価格等を管理。
Products: names in three languages, category, price, attributes and tags.
상품 마스터: 상품명, 카테고리, 가격, 속성, 태그.
商品マスタ / Products / 상품 마스터';
COMMENT ON COLUMN products.id IS '商品ID / product id / 상품 ID';
COMMENT ON COLUMN products.sku IS '商品コード（SKU） / stock keeping unit / 상품 코드';
COMMENT ON COLUMN products.product_name IS '商品名（日本語） / product name in Japanese / 일본어 상품명';
COMMENT ON COLUMN products.product_name_ko IS '商品名（韓国語） / product name in Korean / 한국어 상품명';
COMMENT ON COLUMN products.product_name_en IS '商品名（英語） / product name in English / 영어 상품명';
COMMENT ON COLUMN products.category IS 'カテゴリ：FOOD、DRINK、BEAUTY、FASHION、HOME、STATIONERY / category / 카테고리';
COMMENT ON COLUMN products.price IS '販売価格（税込、円） / list price including tax, yen / 판매 가격';
COMMENT ON COLUMN products.cost IS '仕入原価（円） / purchase cost, yen / 매입 원가';
COMMENT ON COLUMN products.attributes IS '商品属性のJSON：size、color、weight_g、origin、eco / attributes as JSON / 상품 속성';
COMMENT ON COLUMN products.tags IS 'タグの配列：gift、eco、bestseller、limited など / tags / 태그 목록';
COMMENT ON COLUMN products.is_active IS '販売中か / on sale now / 판매 여부';
COMMENT ON COLUMN products.launched_on IS '発売日 / launch date / 출시일';

COMMENT ON TABLE sales_transactions IS
'日次の売上データ。店舗別、商品別の売上金額と数量を記録。毎日午前2時にバッチ処理で更新される。
Sales transactions: amount and quantity by store and product, one row per sale. Filter by transaction_date.
매출 거래: 매장별, 상품별 매출 금액과 수량. 분석할 때는 transaction_date로 기간을 제한하세요.
売上トランザクション / Sales transactions / 매출 거래';
COMMENT ON COLUMN sales_transactions.id IS 'トランザクションID / transaction id / 거래 ID';
COMMENT ON COLUMN sales_transactions.store_id IS '店舗ID / store id / 매장 ID';
COMMENT ON COLUMN sales_transactions.product_id IS '商品ID / product id / 상품 ID';
COMMENT ON COLUMN sales_transactions.amount IS '売上金額（税込） / sales amount including tax, yen / 매출 금액';
COMMENT ON COLUMN sales_transactions.quantity IS '販売数量 / units sold / 판매 수량';
COMMENT ON COLUMN sales_transactions.transaction_date IS '取引日 / transaction date / 거래일';

COMMENT ON TABLE daily_sales_summary IS
'売上トランザクションを店舗別に日次集計したもの。
The rows of sales_transactions added up by day and store; use it when totals are enough.
일별 매출 요약: 매장별 하루 매출 합계. 합계만 필요할 때 사용.
日次売上サマリー / Daily sales summary / 일별 매출 요약';
COMMENT ON COLUMN daily_sales_summary.summary_date IS '集計日 / day that was added up / 집계일';
COMMENT ON COLUMN daily_sales_summary.store_id IS '店舗ID / store id / 매장 ID';
COMMENT ON COLUMN daily_sales_summary.transaction_count IS '取引件数 / number of sales / 거래 건수';
COMMENT ON COLUMN daily_sales_summary.total_quantity IS '販売数量の合計 / units sold in total / 총 판매 수량';
COMMENT ON COLUMN daily_sales_summary.total_amount IS '売上金額の合計（税込、円） / total sales amount including tax, yen / 총 매출 금액';
COMMENT ON COLUMN daily_sales_summary.average_amount IS '1件あたりの平均売上金額（円） / average amount per sale, yen / 건당 평균 금액';

COMMENT ON TABLE users IS
'쇼핑몰 회원. 계정, 이메일, 연락처, 등급, 가입일을 관리합니다.
Users: customers'' accounts with e-mail address, phone, country, grade and sign-up date.
会員（顧客）。アカウント、メールアドレス、連絡先、会員ランク、登録日。
회원 / Users / 会員';
COMMENT ON COLUMN users.user_id IS '고유 사용자 식별자 / unique user id / ユーザーID';
COMMENT ON COLUMN users.username IS '사용자명 / username, the log-in name / ユーザー名';
COMMENT ON COLUMN users.full_name IS '이름 / full name in the user''s own script / 氏名';
COMMENT ON COLUMN users.email IS '사용자 이메일 주소 / user''s e-mail address for log-in / メールアドレス';
COMMENT ON COLUMN users.contact_email IS '연락처 이메일, 없으면 NULL / second e-mail for contact, NULL if none / 連絡先メール';
COMMENT ON COLUMN users.phone IS '전화번호 / phone number, international form / 電話番号';
COMMENT ON COLUMN users.birth_date IS '생년월일, 모르면 NULL / date of birth, NULL if unknown / 生年月日';
COMMENT ON COLUMN users.country IS '국가: KR, JP, US / country / 国';
COMMENT ON COLUMN users.grade IS '회원 등급: BASIC, SILVER, GOLD, VIP / membership grade / 会員ランク';
COMMENT ON COLUMN users.is_active IS '활성 계정 여부 / account is active / 有効なアカウントか';
COMMENT ON COLUMN users.accepts_marketing IS '마케팅 수신 동의 / agreed to marketing mail / メルマガ配信の同意';
COMMENT ON COLUMN users.created_at IS '계정 생성 일시(가입일) / account created, sign-up time / 登録日時';
COMMENT ON COLUMN users.last_login_at IS '최근 로그인 일시, 없으면 NULL / last log-in, NULL if never / 最終ログイン日時';

COMMENT ON TABLE orders IS
'온라인 주문. 주문 상태, 주문일시, 합계 금액, 배송지를 관리합니다.
Orders: one row per online order with its status, time, totals and shipping address.
オンライン注文。注文ステータス、注文日時、合計金額、配送先。
주문 / Orders / 注文';
COMMENT ON COLUMN orders.order_id IS '주문 번호 / order id / 注文番号';
COMMENT ON COLUMN orders.public_id IS '외부 공개 주문 식별자(UUID) / id shown to customers / 公開用の注文ID';
COMMENT ON COLUMN orders.user_id IS '주문한 회원 / user who ordered / 注文した会員';
COMMENT ON COLUMN orders.status IS '주문 상태: pending, paid, shipped, delivered, cancelled, refunded / order status / 注文ステータス';
COMMENT ON COLUMN orders.ordered_at IS '주문 일시 / time of the order / 注文日時';
COMMENT ON COLUMN orders.delivered_at IS '배송 완료 일시, 미완료면 NULL / time of delivery, NULL before it / 配達完了日時';
COMMENT ON COLUMN orders.item_count IS '주문 상세 건수 / number of order lines / 明細行数';
COMMENT ON COLUMN orders.subtotal IS '상품 합계 금액(엔) / total of the lines, yen / 商品合計';
COMMENT ON COLUMN orders.shipping_fee IS '배송비(엔), 5,000엔 이상은 0 / shipping fee, yen; free from 5,000 / 送料';
COMMENT ON COLUMN orders.total_amount IS '결제 금액(엔) / amount to pay: subtotal + shipping fee, yen / 支払金額';
COMMENT ON COLUMN orders.contact_email IS '고객 연락처 이메일 / customer''s contact e-mail for this order / 顧客の連絡先メール';
COMMENT ON COLUMN orders.shipping_address IS '배송지 JSON: recipient, country, city, postal_code, phone / shipping address / 配送先';

COMMENT ON TABLE order_items IS
'주문 상세. 주문마다 어떤 상품을 몇 개, 얼마에 샀는지 기록합니다.
Order lines: product, quantity, unit price and discount of each line of an order.
注文明細。注文ごとの商品、数量、単価、割引率。
주문 상세 / Order lines / 注文明細';
COMMENT ON COLUMN order_items.order_id IS '주문 번호 / order id / 注文番号';
COMMENT ON COLUMN order_items.line_no IS '주문 상세 순번 / line number within the order / 明細番号';
COMMENT ON COLUMN order_items.product_id IS '상품 ID / product id / 商品ID';
COMMENT ON COLUMN order_items.quantity IS '수량 / quantity / 数量';
COMMENT ON COLUMN order_items.unit_price IS '단가(엔) / unit price, yen / 単価';
COMMENT ON COLUMN order_items.discount_rate IS '할인율, 0.1은 10% / discount, 0.1 is 10 % / 割引率';
COMMENT ON COLUMN order_items.line_total IS '할인 후 금액(엔) / amount of the line after discount, yen / 明細金額';

COMMENT ON TABLE h_user IS
'도구 사용자. MCP 도구를 사용하는 사내 직원 계정입니다.
Tool users: employees who may call MCP tools; h_mcp_tool_limit.target_id refers to uid.
ツール利用者。MCPツールを使う社員のアカウント。
도구 사용자 / Tool users / ツール利用者';
COMMENT ON COLUMN h_user.uid IS '사용자 ID / user id, text / ユーザーID';
COMMENT ON COLUMN h_user.user_nm IS '사용자명(로그인) / log-in name / ユーザー名';
COMMENT ON COLUMN h_user.display_nm IS '표시 이름 / display name / 表示名';
COMMENT ON COLUMN h_user.email IS '직원 이메일 / employee''s e-mail / 社員メールアドレス';
COMMENT ON COLUMN h_user.dept_nm IS '부서명 / department / 部署名';
COMMENT ON COLUMN h_user.use_yn IS '사용 여부: Y, N / in use / 使用中か';
COMMENT ON COLUMN h_user.reg_dt IS '등록 일시 / registered at / 登録日時';

COMMENT ON TABLE h_mcp_tool_limit IS
'MCP 도구 사용 제한량. 사용자, 키, 도구별 하루 및 분당 호출 한도입니다.
MCP tool limits: calls allowed per day and per minute for a user, key, tool or everyone.
MCPツールの利用上限。ユーザー、キー、ツール別の1日および1分あたりの呼び出し回数。
도구 사용 제한량 / Tool limits / ツール利用上限';
COMMENT ON COLUMN h_mcp_tool_limit.id IS '제한 ID / limit id / 制限ID';
COMMENT ON COLUMN h_mcp_tool_limit.target_type IS '대상 유형: USER, KEY, TOOL, ALL / kind of target / 対象の種類';
COMMENT ON COLUMN h_mcp_tool_limit.target_id IS '대상 ID(USER이면 h_user.uid), TOOL과 ALL은 NULL / target id / 対象ID';
COMMENT ON COLUMN h_mcp_tool_limit.tool_name IS '도구 이름, NULL은 모든 도구 / tool name, NULL is every tool / ツール名';
COMMENT ON COLUMN h_mcp_tool_limit.max_count IS '하루 최대 호출 횟수(일일 제한량) / calls allowed per day / 1日の上限回数';
COMMENT ON COLUMN h_mcp_tool_limit.per_minute IS '분당 최대 호출 횟수, NULL은 제한 없음 / calls per minute, NULL is no limit / 1分の上限回数';

COMMENT ON TYPE order_status IS '주문 상태 / status of an order, in the order of its life / 注文ステータス';

DO $$
BEGIN
    -- Elsewhere default privileges do it; here it is for a database that was prepared otherwise.
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'demo_reader') THEN
        GRANT SELECT ON ALL TABLES IN SCHEMA public TO demo_reader;
    END IF;
END
$$;

ANALYZE stores, products, sales_transactions, daily_sales_summary, users, orders, order_items, h_user, h_mcp_tool_limit;
