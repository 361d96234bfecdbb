"""Columns that samples must not show, told by their names."""

import pytest

from core.catalogue.masking import is_sensitive

SENSITIVE = """
email customer_email contactEmail EMAIL_ADDR email2 user_mail email_id emails eml_addr
phone phone_number mobile_no telNo mbl_telno hp_no fax homePhone contact_number
address addr1 shipping_address street_address zip_code postal_code residenceAddress
birth_date birthday dob date_of_birth BRDT birth_ymd
password password_hash passwd user_pwd api_key apiKey access_token refreshToken client_secret
private_key pin cvv session_token
card_number credit_card card_no CARDNO account_no bank_account acct_num iban
ssn social_security_number rrn jumin_no my_number passport_no national_id driver_license
ip ip_address client_ip IPAddress remote_addr mac_address
full_name first_name lastName user_name username user_nm customer_name cust_nm nickname full_name_en
recipient_name emp_nm member_name
이름 성명 이메일 이메일주소 휴대폰번호 전화번호 연락처 주소 배송지주소 생년월일 비밀번호 주민등록번호 계좌번호
카드번호 고객명 회원_이름 고객_전화번호 여권번호 우편번호
氏名 名前 顧客名 メールアドレス メール 電話番号 携帯電話 住所 郵便番号 生年月日 パスワード マイナンバー 口座番号
カード番号 ユーザー名 担当者名 フリガナ 会員の名前 ｅｍａｉｌ
"""
HARMLESS = """
id name product_name store_name table_name column_name file_name host_name dept_nm company_name
product_name_ko store_name_en display_name city_name brand_nm
email_sent_at email_verified email_count is_email_verified phone_type address_id address_type
password_changed_at token_count max_tokens prompt_tokens token_limit has_phone use_email
key sort_key primary_key foreign_key public_id card_type card_brand gift_card_id account_id
account_type region city country zipper shipping_fee recipe ship_date description tip_amount
amount quantity transaction_date status grade pinned spinner mailing_status tokenizer mobile
is_mobile sales accepts_marketing compass
상품명 상품이름 매장명 테이블이름 이메일수신여부 전화건수 홈페이지주소 주문일시 금액 수량 부서명 주소유형
商品名 店舗名 部署名 地域 数量 金額 メール配信フラグ 電話件数 住所コード 商品名前 電話区分 署名
"""


def test_personal_data_and_secrets_are_sensitive() -> None:
    assert [name for name in SENSITIVE.split() if not is_sensitive(name)] == []


def test_other_columns_are_not_sensitive() -> None:
    assert [name for name in HARMLESS.split() if is_sensitive(name)] == []


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("c7", "고객의 이메일 주소, 없으면 NULL"),
        ("c7", "사용자명(로그인) / log-in name / ユーザー名"),
        ("c7", "店舗の連絡先メールアドレス / contact"),
        ("c7", "生年月日 / date of birth"),
        ("c7", "Customer's e-mail address"),
        ("c7", "Phone number, with country code"),
        ("c7", "고객 이름"),
    ],
    ids=["korean", "slashes", "japanese", "birth", "english", "clause", "blank"],
)
def test_comment_tells_what_the_name_hides(name: str, comment: str) -> None:
    assert is_sensitive(name, comment)


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("ordered_by", "Who ordered; the e-mail address is in users"),
        ("price", "판매 가격 / list price / 販売価格"),
        ("store_name", "店舗名（現地語） / store name in the local language / 매장명"),
        ("accepts_marketing", "마케팅 수신 동의 / agreed to marketing mail / メルマガ配信の同意"),
        ("c7", "이메일 수신 여부"),
        ("email_verified", "Whether the e-mail address was verified"),
        ("c7", "x" * 100_000),
    ],
    ids=["second clause", "price", "store", "flag", "korean flag", "measure", "long"],
)
def test_comment_that_only_mentions_something_changes_nothing(name: str, comment: str) -> None:
    assert not is_sensitive(name, comment)


@pytest.mark.parametrize(
    ("table", "column", "expected"),
    [
        ("customers", "name", True),
        ("h_user", "display_nm", True),
        ("employee", "NAME", True),
        ("products", "name", False),
        ("h_user", "dept_nm", False),
    ],
)
def test_table_tells_whose_name_it_is(table: str, column: str, expected: bool) -> None:
    assert is_sensitive(column, table_name=table) is expected
