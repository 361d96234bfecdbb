-- The demo shop: 24 stores in Korea, Japan and the United States, from 2024-01-15 to 2026-10-31.
-- Every figure follows from its row number, so each load gives the same rows. Amounts are yen
-- unless a column says otherwise. Tables first, then rows, then keys and indexes, which is the
-- fast order; loading.py runs this and shop_comments.sql in one transaction.

SET LOCAL search_path = public;
SET LOCAL TimeZone = 'UTC';

CREATE TYPE order_status AS ENUM ('pending', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded');

CREATE TABLE stores (
    id integer PRIMARY KEY,
    store_name varchar(100) NOT NULL,
    store_name_en varchar(100) NOT NULL,
    region char(2) NOT NULL CHECK (region IN ('KR', 'JP', 'US')),
    city varchar(60) NOT NULL,
    store_type varchar(20) NOT NULL CHECK (store_type IN ('FLAGSHIP', 'MALL', 'STREET', 'OUTLET', 'ONLINE')),
    floor_area_m2 numeric(8, 1) CHECK (floor_area_m2 > 0),
    opened_on date NOT NULL,
    opens_at time,
    timezone varchar(40) NOT NULL,
    contact_email varchar(255) NOT NULL,
    is_open boolean NOT NULL DEFAULT true
);

CREATE TABLE products (
    id integer PRIMARY KEY,
    sku varchar(20) NOT NULL UNIQUE,
    product_name varchar(120) NOT NULL,
    product_name_ko varchar(120) NOT NULL,
    product_name_en varchar(120) NOT NULL,
    category varchar(20) NOT NULL CHECK (category IN ('FOOD', 'DRINK', 'BEAUTY', 'FASHION', 'HOME', 'STATIONERY')),
    price decimal(10, 2) NOT NULL CHECK (price > 0),
    cost decimal(10, 2) NOT NULL CHECK (cost >= 0),
    attributes jsonb NOT NULL DEFAULT '{}',
    tags text[] NOT NULL DEFAULT '{}',
    is_active boolean NOT NULL DEFAULT true,
    launched_on date NOT NULL
);

CREATE TABLE sales_transactions (
    id bigint NOT NULL,
    store_id integer NOT NULL,
    product_id integer NOT NULL,
    amount decimal(10, 2) NOT NULL CHECK (amount >= 0),
    quantity integer NOT NULL CHECK (quantity > 0),
    transaction_date date NOT NULL
);

CREATE TABLE daily_sales_summary (
    summary_date date NOT NULL,
    store_id integer NOT NULL,
    transaction_count integer NOT NULL CHECK (transaction_count > 0),
    total_quantity integer NOT NULL CHECK (total_quantity > 0),
    total_amount decimal(12, 2) NOT NULL CHECK (total_amount >= 0),
    average_amount decimal(10, 2) NOT NULL CHECK (average_amount >= 0)
);

CREATE TABLE users (
    user_id integer PRIMARY KEY,
    username varchar(100) NOT NULL UNIQUE,
    full_name varchar(100) NOT NULL,
    email varchar(255) NOT NULL,
    contact_email varchar(255),
    phone varchar(30),
    birth_date date,
    country char(2) NOT NULL CHECK (country IN ('KR', 'JP', 'US')),
    grade varchar(10) NOT NULL CHECK (grade IN ('BASIC', 'SILVER', 'GOLD', 'VIP')),
    is_active boolean NOT NULL DEFAULT true,
    accepts_marketing boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    last_login_at timestamptz,
    CHECK (last_login_at >= created_at)
);

CREATE TABLE orders (
    order_id bigint PRIMARY KEY,
    public_id uuid NOT NULL UNIQUE,
    user_id integer NOT NULL,
    status order_status NOT NULL,
    ordered_at timestamptz NOT NULL,
    delivered_at timestamptz,
    item_count integer NOT NULL CHECK (item_count > 0),
    subtotal numeric(12, 2) NOT NULL CHECK (subtotal >= 0),
    shipping_fee numeric(8, 2) NOT NULL CHECK (shipping_fee >= 0),
    total_amount numeric(12, 2) NOT NULL,
    contact_email varchar(255) NOT NULL,
    shipping_address jsonb NOT NULL,
    CHECK (total_amount = subtotal + shipping_fee),
    CHECK (delivered_at > ordered_at)
);

CREATE TABLE order_items (
    order_id bigint NOT NULL,
    line_no smallint NOT NULL CHECK (line_no > 0),
    product_id integer NOT NULL,
    quantity integer NOT NULL CHECK (quantity > 0),
    unit_price numeric(10, 2) NOT NULL CHECK (unit_price > 0),
    discount_rate numeric(4, 3) NOT NULL DEFAULT 0 CHECK (discount_rate >= 0 AND discount_rate < 1),
    line_total numeric(12, 2) NOT NULL
        GENERATED ALWAYS AS (round(quantity * unit_price * (1 - discount_rate), 2)) STORED
);

CREATE TABLE h_user (
    uid text PRIMARY KEY,
    user_nm text NOT NULL UNIQUE,
    display_nm text NOT NULL,
    email text NOT NULL,
    dept_nm text NOT NULL,
    use_yn char(1) NOT NULL DEFAULT 'Y' CHECK (use_yn IN ('Y', 'N')),
    reg_dt timestamptz NOT NULL
);

CREATE TABLE h_mcp_tool_limit (
    id integer PRIMARY KEY,
    target_type text NOT NULL CHECK (target_type IN ('USER', 'KEY', 'TOOL', 'ALL')),
    target_id text,
    tool_name text,
    max_count integer NOT NULL CHECK (max_count >= 0),
    per_minute integer CHECK (per_minute > 0),
    CHECK ((target_id IS NULL) = (target_type IN ('TOOL', 'ALL')))
);

-- A number in [0, 1) that follows from row and salt alone. Hash partitioning relies on
-- hashint8extended giving the same answer in every release; setseed() and random() would give
-- rows that change with the plan.
CREATE FUNCTION demo_noise(row_number bigint, salt bigint) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (hashint8extended(row_number, salt) & 4294967295) / 4294967296.0::double precision;

INSERT INTO stores (id, store_name, store_name_en, region, city, store_type, floor_area_m2, opened_on,
                    opens_at, timezone, contact_email)
SELECT id, store_name, store_name_en, region, city, store_type, floor_area_m2, opened_on::date,
       CASE WHEN store_type <> 'ONLINE' THEN time '10:00' END,
       CASE region WHEN 'KR' THEN 'Asia/Seoul' WHEN 'JP' THEN 'Asia/Tokyo' ELSE 'America/Los_Angeles' END,
       'store' || id || '@shop.example.com'
FROM (VALUES
    (101, '渋谷店', 'Shibuya', 'JP', 'Tokyo', 'FLAGSHIP', 1480.0, '2012-04-01'),
    (102, '新宿店', 'Shinjuku', 'JP', 'Tokyo', 'MALL', 820.5, '2014-09-12'),
    (103, '강남점', 'Gangnam', 'KR', 'Seoul', 'FLAGSHIP', 1320.0, '2013-03-15'),
    (104, '홍대점', 'Hongdae', 'KR', 'Seoul', 'STREET', 410.0, '2016-05-20'),
    (105, '梅田店', 'Umeda', 'JP', 'Osaka', 'MALL', 760.0, '2015-11-01'),
    (106, '心斎橋店', 'Shinsaibashi', 'JP', 'Osaka', 'STREET', 380.0, '2017-07-07'),
    (107, '부산 서면점', 'Busan Seomyeon', 'KR', 'Busan', 'MALL', 690.0, '2018-02-09'),
    (108, '대구 동성로점', 'Daegu Dongseongno', 'KR', 'Daegu', 'STREET', 350.5, '2019-10-04'),
    (109, '名古屋栄店', 'Nagoya Sakae', 'JP', 'Nagoya', 'STREET', 420.0, '2018-06-01'),
    (110, '札幌店', 'Sapporo', 'JP', 'Sapporo', 'MALL', 540.0, '2019-12-06'),
    (111, '잠실점', 'Jamsil', 'KR', 'Seoul', 'MALL', 880.0, '2017-08-25'),
    (112, '여의도점', 'Yeouido', 'KR', 'Seoul', 'MALL', 920.0, '2021-02-26'),
    (113, 'Union Square', 'Union Square', 'US', 'San Francisco', 'FLAGSHIP', 1150.0, '2019-09-20'),
    (114, 'Santa Monica', 'Santa Monica', 'US', 'Los Angeles', 'STREET', 460.0, '2021-05-14'),
    (115, 'Bellevue', 'Bellevue', 'US', 'Seattle', 'MALL', 610.0, '2022-03-11'),
    (116, '福岡天神店', 'Fukuoka Tenjin', 'JP', 'Fukuoka', 'MALL', 505.0, '2020-10-16'),
    (117, '仙台アウトレット店', 'Sendai Outlet', 'JP', 'Sendai', 'OUTLET', 700.0, '2021-07-22'),
    (118, '御殿場アウトレット店', 'Gotemba Outlet', 'JP', 'Gotemba', 'OUTLET', 930.0, '2016-04-28'),
    (119, '여주 아울렛점', 'Yeoju Outlet', 'KR', 'Yeoju', 'OUTLET', 850.0, '2018-11-02'),
    (120, '제주점', 'Jeju', 'KR', 'Jeju', 'STREET', 300.0, '2022-06-17'),
    (121, 'Livermore Outlet', 'Livermore Outlet', 'US', 'Livermore', 'OUTLET', 780.0, '2023-05-26'),
    (122, '日本オンラインストア', 'Japan online store', 'JP', 'Tokyo', 'ONLINE', NULL, '2015-01-10'),
    (123, '한국 온라인몰', 'Korea online mall', 'KR', 'Seoul', 'ONLINE', NULL, '2015-03-02'),
    (124, 'US online store', 'US online store', 'US', 'San Francisco', 'ONLINE', NULL, '2020-01-06')
) AS row (id, store_name, store_name_en, region, city, store_type, floor_area_m2, opened_on);

-- 40 articles, each as it is, as a large one and as a gift set.
INSERT INTO products
SELECT 500 + item + 40 * variant, 'SKU-' || lpad((500 + item + 40 * variant)::text, 5, '0'),
       name_ja || (ARRAY['', '（大）', ' ギフトセット'])[variant + 1],
       name_ko || (ARRAY['', ' (대)', ' 선물세트'])[variant + 1],
       name_en || (ARRAY['', ' (large)', ' gift set'])[variant + 1],
       category, round(price * (ARRAY[1, 1.8, 2.6])[variant + 1], -1), round(price * (ARRAY[0.52, 0.9, 1.4])[variant + 1], -1),
       jsonb_build_object('size', (ARRAY['M', 'L', 'GIFT'])[variant + 1],
                          'color', (ARRAY['white', 'black', 'green', 'blue', 'red'])[item % 5 + 1],
                          'weight_g', (60 + item * 17) * (variant + 1),
                          'origin', (ARRAY['KR', 'JP', 'US'])[item % 3 + 1],
                          'eco', item % 4 = 0),
       array_remove(ARRAY[lower(category), CASE WHEN variant = 2 THEN 'gift' END, CASE WHEN item % 4 = 0 THEN 'eco' END,
                          CASE WHEN item % 7 = 1 THEN 'bestseller' END, CASE WHEN item % 9 = 2 THEN 'limited' END], NULL),
       item NOT IN (19, 38) OR variant = 0, date '2022-02-01' + item * 9 + variant * 120
FROM (VALUES
    (1, 'FOOD', 500, '抹茶クッキー', '말차 쿠키', 'Matcha cookies'),
    (2, 'DRINK', 800, 'ほうじ茶', '호지차', 'Roasted green tea'),
    (3, 'FOOD', 1100, '韓国海苔セット', '김 세트', 'Seasoned seaweed'),
    (4, 'BEAUTY', 1800, 'シートマスク', '시트 마스크', 'Sheet masks'),
    (5, 'BEAUTY', 2600, '日焼け止め', '선크림', 'Sunscreen'),
    (6, 'STATIONERY', 450, 'ノート', '노트', 'Notebook'),
    (7, 'STATIONERY', 320, 'ボールペン', '볼펜', 'Ballpoint pen'),
    (8, 'HOME', 3200, 'ブランケット', '담요', 'Blanket'),
    (9, 'HOME', 5400, '加湿器', '가습기', 'Humidifier'),
    (10, 'FASHION', 2900, 'Tシャツ', '티셔츠', 'T-shirt'),
    (11, 'FASHION', 6900, 'パーカー', '후드티', 'Hoodie'),
    (12, 'DRINK', 650, 'アイスコーヒー', '아이스 커피', 'Iced coffee'),
    (13, 'DRINK', 580, 'ゆず茶', '유자차', 'Citron tea'),
    (14, 'FOOD', 780, 'インスタントラーメン', '라면', 'Instant noodles'),
    (15, 'FOOD', 1350, 'チョコレート', '초콜릿', 'Chocolate'),
    (16, 'BEAUTY', 2200, 'リップバーム', '립밤', 'Lip balm'),
    (17, 'BEAUTY', 3400, '化粧水', '스킨 토너', 'Skin toner'),
    (18, 'HOME', 1900, 'マグカップ', '머그컵', 'Mug'),
    (19, 'HOME', 2700, 'アロマキャンドル', '아로마 캔들', 'Scented candle'),
    (20, 'FASHION', 1500, '靴下セット', '양말 세트', 'Socks'),
    (21, 'FASHION', 8900, 'ジャケット', '재킷', 'Jacket'),
    (22, 'STATIONERY', 980, '手帳', '다이어리', 'Planner'),
    (23, 'STATIONERY', 260, '付箋', '포스트잇', 'Sticky notes'),
    (24, 'FOOD', 620, 'グラノーラ', '그래놀라', 'Granola'),
    (25, 'DRINK', 420, '炭酸水', '탄산수', 'Sparkling water'),
    (26, 'DRINK', 1600, 'コーヒー豆', '원두 커피', 'Coffee beans'),
    (27, 'BEAUTY', 4800, '香水', '향수', 'Perfume'),
    (28, 'HOME', 7800, '電気ケトル', '전기 주전자', 'Electric kettle'),
    (29, 'HOME', 1200, 'タオル', '수건', 'Towel'),
    (30, 'FASHION', 3900, 'エコバッグ', '에코백', 'Canvas bag'),
    (31, 'FASHION', 2400, '帽子', '모자', 'Cap'),
    (32, 'FOOD', 940, '蜂蜜', '꿀', 'Honey'),
    (33, 'FOOD', 1680, 'キムチ', '김치', 'Kimchi'),
    (34, 'STATIONERY', 1400, '万年筆インク', '만년필 잉크', 'Fountain pen ink'),
    (35, 'STATIONERY', 5200, '万年筆', '만년필', 'Fountain pen'),
    (36, 'BEAUTY', 1250, 'ハンドクリーム', '핸드크림', 'Hand cream'),
    (37, 'DRINK', 2100, '緑茶ティーバッグ', '녹차 티백', 'Green tea bags'),
    (38, 'HOME', 9800, '卓上ヒーター', '탁상 히터', 'Desk heater'),
    (39, 'FASHION', 4600, 'マフラー', '목도리', 'Scarf'),
    (40, 'HOME', 2300, '弁当箱', '도시락통', 'Lunch box')
) AS article (item, category, price, name_ja, name_ko, name_en), generate_series(0, 2) AS variant;

-- Sales: visitors by store, weekday, season, holidays and growth; the three rows of the catalogue's
-- sample come first.
INSERT INTO sales_transactions
VALUES (1, 101, 501, 1500.00, 3, '2024-01-15'), (2, 102, 502, 800.00, 1, '2024-01-15'), (3, 101, 503, 2200.00, 2, '2024-01-16');

INSERT INTO sales_transactions
WITH traffic AS (
    SELECT id AS store_id, region, day::date AS day, extract(month FROM day) AS month,
           (CASE store_type WHEN 'FLAGSHIP' THEN 9 WHEN 'ONLINE' THEN 7 WHEN 'MALL' THEN 5.6 WHEN 'OUTLET' THEN 4.4 ELSE 3.4 END)
           * (CASE region WHEN 'JP' THEN 1.0 WHEN 'KR' THEN 1.08 ELSE 0.86 END)
           * (CASE WHEN store_type = 'ONLINE' OR extract(isodow FROM day) < 5 THEN 0.88 WHEN extract(isodow FROM day) = 6 THEN 1.34 ELSE 1.15 END)
           * (1 + 0.14 * cos(2 * pi() * (extract(doy FROM day)::float8 - 355) / 365))
           * (CASE WHEN region = 'US' AND to_char(day, 'MMDD') BETWEEN '1124' AND '1202' THEN 1.9
                   WHEN region = 'JP' AND to_char(day, 'MMDD') BETWEEN '0429' AND '0505' THEN 1.5
                   WHEN region = 'KR' AND to_char(day, 'MMDD') BETWEEN '0918' AND '1003' THEN 1.4
                   WHEN to_char(day, 'MMDD') BETWEEN '1218' AND '1225' THEN 1.45 ELSE 1 END)
           * (1 + (day::date - date '2024-01-15') * (CASE region WHEN 'KR' THEN 0.00022 WHEN 'US' THEN 0.00015 ELSE 0.00006 END))
           * (0.8 + 0.4 * demo_noise(id * 100000 + (day::date - date '2024-01-01'), 1)) AS expected
    FROM stores, generate_series(timestamp '2024-01-15', timestamp '2026-10-31', interval '1 day') AS day
), sale AS (
    SELECT 3 + row_number() OVER (ORDER BY day, store_id, nth) AS id, store_id, region, day, month
    FROM traffic, generate_series(1, floor(expected + 0.5)::integer) AS nth
), basket AS (
    SELECT id, store_id, region, day,
           CASE WHEN demo_noise(id, 2) < 0.16 AND month IN (6, 7, 8) THEN (ARRAY[505, 512, 525, 510, 531])[1 + floor(5 * demo_noise(id, 3))::integer]
                WHEN demo_noise(id, 2) < 0.16 AND month IN (11, 12, 1) THEN (ARRAY[508, 509, 538, 539, 515])[1 + floor(5 * demo_noise(id, 3))::integer]
                ELSE 501 + (floor(120 * power(demo_noise(id, 3), 1.6))::integer
                            + CASE region WHEN 'KR' THEN 12 WHEN 'US' THEN 25 ELSE 0 END) % 120 END AS product_id,
           1 + floor(5 * power(demo_noise(id, 4), 2.8))::integer AS quantity,
           CASE WHEN demo_noise(id, 5) < 0.12 THEN 0.90 WHEN demo_noise(id, 5) < 0.18 THEN 0.80 ELSE 1 END AS paid_share
    FROM sale
)
SELECT basket.id, store_id, product_id, round(price * quantity * paid_share), quantity, day
FROM basket JOIN products ON products.id = product_id
ORDER BY basket.id;

INSERT INTO daily_sales_summary
SELECT transaction_date, store_id, count(*), sum(quantity), sum(amount), round(avg(amount), 2)
FROM sales_transactions
GROUP BY transaction_date, store_id
ORDER BY transaction_date, store_id;

INSERT INTO users
WITH member AS (
    SELECT id, CASE id WHEN 1 THEN 'US' WHEN 2 THEN 'US' WHEN 3 THEN 'KR' WHEN 4 THEN 'JP'
                       ELSE (ARRAY['KR', 'KR', 'KR', 'JP', 'JP', 'US'])[1 + floor(6 * demo_noise(id, 11))::integer] END AS country,
           1 + floor(12 * demo_noise(id, 12))::integer AS family, 1 + floor(12 * demo_noise(id, 13))::integer AS given,
           -- The last hundred came over from the members' card of earlier years.
           CASE WHEN id > 1900 THEN timestamptz '2021-03-01 09:00+09' + (id - 1900) * interval '10 days'
                ELSE timestamptz '2024-01-02 09:30+09' + id * interval '13 hours 1 minute' + interval '1 second' * floor(9000 * demo_noise(id, 14)) END AS created_at
    FROM generate_series(1, 2000) AS id
), named AS (
    SELECT *, CASE country
               WHEN 'KR' THEN (ARRAY['kim', 'lee', 'park', 'choi', 'jung', 'kang', 'cho', 'yoon', 'jang', 'lim', 'han', 'shin'])[family]
               WHEN 'JP' THEN (ARRAY['sato', 'suzuki', 'takahashi', 'tanaka', 'ito', 'watanabe', 'yamamoto', 'nakamura', 'kobayashi', 'kato', 'yoshida', 'yamada'])[family]
               ELSE (ARRAY['smith', 'johnson', 'brown', 'garcia', 'miller', 'davis', 'lopez', 'wilson', 'clark', 'lewis', 'young', 'hall'])[family] END AS family_en,
           CASE country
               WHEN 'KR' THEN (ARRAY['minjun', 'seoyeon', 'jiho', 'jiwoo', 'hayoon', 'dohyun', 'sua', 'yejun', 'eunji', 'junho', 'soyoung', 'taeyang'])[given]
               WHEN 'JP' THEN (ARRAY['haruto', 'yui', 'sota', 'aoi', 'yuto', 'hina', 'ren', 'sakura', 'kenta', 'misaki', 'daiki', 'ayaka'])[given]
               ELSE (ARRAY['james', 'mary', 'robert', 'linda', 'david', 'susan', 'daniel', 'emily', 'kevin', 'laura', 'brian', 'megan'])[given] END AS given_en,
           CASE country
               WHEN 'KR' THEN (ARRAY['김', '이', '박', '최', '정', '강', '조', '윤', '장', '임', '한', '신'])[family]
                              || (ARRAY['민준', '서연', '지호', '지우', '하윤', '도현', '수아', '예준', '은지', '준호', '소영', '태양'])[given]
               WHEN 'JP' THEN (ARRAY['佐藤', '鈴木', '高橋', '田中', '伊藤', '渡辺', '山本', '中村', '小林', '加藤', '吉田', '山田'])[family]
                              || ' ' || (ARRAY['陽翔', '結衣', '颯太', '葵', '悠斗', '陽菜', '蓮', '桜', '健太', '美咲', '大輝', '彩花'])[given] END AS local_name
    FROM member
)
SELECT id,
       CASE id WHEN 1 THEN 'john_doe' WHEN 2 THEN 'jane_smith' WHEN 3 THEN 'hong_gildong' WHEN 4 THEN 'yamada_taro'
               ELSE given_en || '_' || family_en || id END,
       CASE id WHEN 1 THEN 'John Doe' WHEN 2 THEN 'Jane Smith' WHEN 3 THEN '홍길동' WHEN 4 THEN '山田 太郎'
               ELSE coalesce(local_name, initcap(given_en || ' ' || family_en)) END,
       CASE id WHEN 1 THEN 'john' WHEN 2 THEN 'jane' WHEN 3 THEN 'hong' WHEN 4 THEN 'taro'
               ELSE given_en || '.' || family_en || id END || '@example.com',
       CASE WHEN id % 3 = 0 THEN given_en || id || '@mail.example.net' END,
       CASE country WHEN 'KR' THEN '+82-10-' WHEN 'JP' THEN '+81-90-' ELSE '+1-555-' END
           || lpad(floor(9000 * demo_noise(id, 15))::text, 4, '0') || '-' || lpad(id::text, 4, '0'),
       CASE WHEN id % 11 <> 0 THEN date '1955-01-01' + floor(18200 * demo_noise(id, 16))::integer END,
       country,
       CASE WHEN demo_noise(id, 17) < 0.03 THEN 'VIP' WHEN demo_noise(id, 17) < 0.15 THEN 'GOLD'
            WHEN demo_noise(id, 17) < 0.40 THEN 'SILVER' ELSE 'BASIC' END,
       id <= 4 OR demo_noise(id, 18) > 0.09, demo_noise(id, 19) < 0.55, created_at,
       CASE WHEN id % 13 <> 0 THEN date_trunc('second', created_at + (timestamptz '2026-10-31 23:00+09' - created_at) * demo_noise(id, 20)) END
FROM named
ORDER BY id;

INSERT INTO order_items (order_id, line_no, product_id, quantity, unit_price, discount_rate)
SELECT purchase, line, products.id, 1 + floor(3 * power(demo_noise(purchase * 8 + line, 22), 2))::integer, price,
       (ARRAY[0, 0, 0, 0, 0.05, 0.1, 0.2])[1 + floor(7 * demo_noise(purchase * 8 + line, 23))::integer]
FROM generate_series(1, 8000) AS purchase
     CROSS JOIN LATERAL generate_series(1, 1 + floor(4 * power(demo_noise(purchase, 21), 1.5))::integer) AS line
     JOIN products ON products.id = 501 + floor(120 * power(demo_noise(purchase * 8 + line, 24), 1.4))::integer
ORDER BY purchase, line;

INSERT INTO orders
WITH purchase AS (
    SELECT order_id, count(*) AS item_count, sum(line_total) AS subtotal,
           -- Low numbers order more often: the oldest accounts are the most loyal.
           1 + floor(2000 * power(demo_noise(order_id, 31), 1.3))::integer AS user_id,
           row_number() OVER (ORDER BY order_id) / count(*) OVER ()::float8 AS progress
    FROM order_items GROUP BY order_id
), dated AS (
    -- Never before the account, nor in the future: `progress` moves from one to the other.
    SELECT purchase.*, users.contact_email, users.email, users.full_name, users.country, users.phone,
           date_trunc('second', users.created_at + interval '1 hour' + (timestamptz '2026-10-31 20:00+09' - users.created_at) * power(progress, 1.2)) AS ordered_at
    FROM purchase JOIN users USING (user_id)
), stated AS (
    SELECT *, (CASE WHEN ordered_at > '2026-10-30' THEN 'pending' WHEN ordered_at > '2026-10-28' THEN 'paid'
                    WHEN ordered_at > '2026-10-25' THEN 'shipped' WHEN demo_noise(order_id, 32) < 0.04 THEN 'cancelled'
                    WHEN demo_noise(order_id, 32) < 0.07 THEN 'refunded' ELSE 'delivered' END)::order_status AS status
    FROM dated
)
SELECT order_id, md5('order ' || order_id)::uuid, user_id, status, ordered_at,
       CASE WHEN status IN ('delivered', 'refunded') THEN date_trunc('minute', ordered_at + interval '1 day' * (1 + 4 * demo_noise(order_id, 33))) END,
       item_count, subtotal, CASE WHEN subtotal >= 5000 THEN 0 ELSE 550 END,
       subtotal + CASE WHEN subtotal >= 5000 THEN 0 ELSE 550 END, coalesce(contact_email, email),
       jsonb_build_object('recipient', full_name, 'country', country, 'phone', phone,
           'city', (CASE country WHEN 'KR' THEN ARRAY['Seoul', 'Busan', 'Daegu', 'Incheon'] WHEN 'JP' THEN ARRAY['Tokyo', 'Osaka', 'Nagoya', 'Fukuoka']
                    ELSE ARRAY['San Francisco', 'Los Angeles', 'Seattle', 'New York'] END)[1 + floor(4 * demo_noise(user_id, 34))::integer],
           'postal_code', lpad(floor(99999 * demo_noise(user_id, 35))::text, 5, '0'))
FROM stated
ORDER BY order_id;

INSERT INTO h_user (uid, user_nm, display_nm, email, dept_nm, use_yn, reg_dt) VALUES
    ('U1001', 'hong', '홍길동', 'hong@corp.example.com', '데이터팀', 'Y', '2024-01-08 09:00+09'),
    ('U1002', 'kim', '김영희', 'kim@corp.example.com', '마케팅팀', 'Y', '2024-01-08 09:00+09'),
    ('U1003', 'lee', '이철수', 'lee@corp.example.com', '데이터팀', 'Y', '2024-02-01 09:00+09'),
    ('U1004', 'tanaka', '田中 葵', 'tanaka@corp.example.com', '営業部', 'Y', '2024-03-04 09:00+09'),
    ('U1005', 'suzuki', '鈴木 蓮', 'suzuki@corp.example.com', '分析部', 'Y', '2024-04-01 09:00+09'),
    ('U1006', 'smith', 'Emily Smith', 'smith@corp.example.com', 'Operations', 'Y', '2024-05-13 09:00-07'),
    ('U1007', 'park', '박민수', 'park@corp.example.com', '재무팀', 'N', '2024-01-15 09:00+09');

INSERT INTO h_mcp_tool_limit (id, target_type, target_id, tool_name, max_count, per_minute) VALUES
    (1, 'ALL', NULL, NULL, 1000, 60),
    (2, 'USER', 'U1001', NULL, 50, NULL),
    (3, 'USER', 'U1002', NULL, 30, 10),
    (4, 'USER', 'U1003', 'execute_postgres_query', 200, 20),
    (5, 'USER', 'U1004', NULL, 100, NULL),
    (6, 'USER', 'U1006', NULL, 500, 30),
    (7, 'KEY', 'batch-report', NULL, 5000, 120),
    (8, 'TOOL', NULL, 'execute_postgres_query', 10000, NULL);

DROP FUNCTION demo_noise(bigint, bigint);

ALTER TABLE sales_transactions ADD PRIMARY KEY (id);
ALTER TABLE sales_transactions ADD FOREIGN KEY (store_id) REFERENCES stores (id), ADD FOREIGN KEY (product_id) REFERENCES products (id);
ALTER TABLE daily_sales_summary ADD PRIMARY KEY (summary_date, store_id), ADD FOREIGN KEY (store_id) REFERENCES stores (id);
ALTER TABLE orders ADD FOREIGN KEY (user_id) REFERENCES users (user_id);
ALTER TABLE order_items ADD PRIMARY KEY (order_id, line_no), ADD FOREIGN KEY (order_id) REFERENCES orders (order_id),
    ADD FOREIGN KEY (product_id) REFERENCES products (id);
CREATE INDEX ON sales_transactions (transaction_date);
CREATE INDEX ON sales_transactions (store_id, transaction_date);
CREATE INDEX ON sales_transactions (product_id, transaction_date);
CREATE INDEX ON daily_sales_summary (store_id, summary_date);
CREATE INDEX ON products (category);
CREATE INDEX ON products USING gin (attributes);
CREATE INDEX ON products USING gin (tags);
CREATE UNIQUE INDEX ON users (lower(email));
CREATE INDEX ON users (created_at);
CREATE INDEX ON orders (user_id, ordered_at);
CREATE INDEX ON orders (ordered_at);
CREATE INDEX ON order_items (product_id);
CREATE INDEX ON h_mcp_tool_limit (target_type, target_id);
