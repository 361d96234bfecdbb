"""Which columns hold what samples must not show, by their names: personal data and secrets.

Names are read as words of English, of Korean and of Japanese, in either script. A rule that knows
only names is wrong sometimes; a person can decide otherwise for a column.
"""

import re
from unicodedata import normalize

MASK = "***"

# One of these words anywhere makes a column sensitive.
_WORD_TEXT = """
email emails eml mail emailaddr emailaddress mailaddr mailaddress
phone phones phoneno phonenumber telephone tel telno mblno mbltelno msisdn cellphone cellno
mobileno hp hpno fax faxno homephone denwa keitai
address addresses addr addrs zipcode zip postcode postal jusho juusho
birth birthday birthdate birthplace dob brdt seinengappi
password passwords passwd pswd pwd passphrase passcode pin otp cvv cvc secret secrets token
credential credentials apikey secretkey privatekey accesskey cardno cardnumber
iban acctno actno accountno
ssn rrn rrno jumin juminno mynumber passport
ip ipv ipaddr ipaddress mac
username usernm fullname firstname lastname surname middlename nickname forename loginname
shimei namae
"""

# These words, one after the other.
_PHRASE_TEXT = """
email id|mail id|mobile no|mobile number|mobile num|contact no|contact number|cell number|cell no
street|remote addr|forwarded for
api key|secret key|private key|access key|encryption key|signing key|auth code|session key
card no|card num|card number|card nr|card pan|credit card|debit card
account no|account num|account number|acct no|acct number|acct num|bank account|account holder
social security|national id|tax id|my number|resident no|resident number|resident registration
residence card|driver license|drivers license|driving licence|driver licence|license no
license number
"""

# Whose name it has to be; `product_name` is not personal.
_PEOPLE_TEXT = """
full first last middle maiden given family sur nick legal preferred login kana
user users usr customer customers cust member members mbr person persons people employee
employees emp staff contact contacts buyer recipient receiver rcvr rcpt sender patient patients
student students teacher teachers owner guardian applicant applicants candidate candidates driver
guest guests client clients author authors payer payee cardholder holder subscriber subscribers
passenger passengers doctor nurse manager representative rep writer reporter ceo
"""
_NAME_WORDS = frozenset({"name", "names", "nm", "nme"})

# A column that ends so says something of the data and does not hold it.
_FLAG_SUFFIX_TEXT = """
at count cnt flag flg yn id ids type types status state verified confirmed enabled sent valid
opened clicked bounced template subject limit usage length len ratio rate score domain version
policy format required brand expires expiry attempts changed provider kind cd
"""
_FLAG_PREFIXES = frozenset(
    {"is", "has", "can", "was", "should", "needs", "accepts", "allow", "allows", "use", "num"}
)
_MEASURES = frozenset({"count", "cnt", "max", "min", "avg", "prompt", "completion", "tokenizer"})

_SENSITIVE_WORDS = frozenset(_WORD_TEXT.split())
_PEOPLE = frozenset(_PEOPLE_TEXT.split())
_FLAG_SUFFIXES = frozenset(_FLAG_SUFFIX_TEXT.split())
_PHRASES = frozenset(
    tuple(phrase.split()) for phrase in _PHRASE_TEXT.replace("\n", "|").split("|") if phrase
)
_LONGEST_PHRASE = max(map(len, _PHRASES))
_HANGUL_KANA_HAN = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

# Parts of Korean and Japanese names, without blanks; sensitive anywhere in a name.
_NATIVE_PARTS = re.compile(
    "이메일|전자우편|메일주소|전화번호|휴대폰|휴대전화|핸드폰|연락처|팩스번호|주소|우편번호|생년월일|생일|출생"
    "|비밀번호|패스워드|비번|인증키|비밀키|액세스토큰|카드번호|계좌|주민등록|주민번호|외국인등록번호|여권번호|면허번호"
    "|성명|성함|고객명|회원명|사용자명|직원명|사원명|담당자명|수취인명|수령인명|예금주|환자명|학생명"
    "|(?:고객|회원|사용자|직원|사원|담당자|수취인|수령인|환자|학생|받는사람|보내는사람)(?:의)?이름|아이피"
    "|メール(?:アドレス)?$|メールアドレス|電話|携帯番号|ファックス番号|fax番号|住所|郵便番号|生年月日|誕生日"
    "|パスワード|暗証番号|秘密鍵|アクセストークン|カード番号|口座番号|口座名義|マイナンバー|個人番号|旅券番号"
    "|パスポート|免許証番号|氏名|姓名|顧客名|会員名|利用者名|ユーザー?名|社員名|従業員名|担当者名|宛名|患者名"
    "|(?:顧客|会員|ユーザー?|利用者|社員|担当者|患者)(?:の)?名前|ipアドレス|連絡先"
)
# Sensitive only as the whole name: a product has a name too.
_NATIVE_NAMES = re.compile(
    "이름|메일|전화|휴대|팩스|名前|名|姓|メール|携帯|フリガナ|ふりがな|氏|명의"
)
# Addresses that lead to no person, and what only looks like one of the parts.
_NATIVE_HARMLESS = re.compile(
    "(?:웹|홈페이지|사이트|url|이미지|파일|메모리)주소|メール(?:マガジン|配信)|電話会議|住所コード"
)
_NATIVE_FLAGS = re.compile(
    "(?:여부|건수|횟수|개수|일시|유형|구분|상태|코드|동의|길이"
    "|フラグ|有無|件数|回数|区分|種別|種類|日時|状態|コード|同意|済み?|番号の桁数)$"
)
# In English comments only whole phrases: a comment may mention much that the column does not hold.
_COMMENT_PHRASES = re.compile(
    r"\be-?mails?(?: address)?(?:es)?$|\be-?mail address|\b(?:tele)?phone numbers?\b|\bphone$"
    r"|\bdate of birth\b|\bbirth ?(?:date|day)\b|\b(?:full|first|last|given|family) name\b"
    r"|\bpasswords?\b(?! (?:changed|policy))|\bsocial security\b|\bpassport number\b"
    r"|\b(?:credit|debit) card(?: number)?$|\b(?:home|postal|street|shipping|billing) address\b"
    r"|\bip address\b|\bapi key\b|\baccess token\b|\bbank account\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# What follows explains, and may name things that this column does not hold.
_CLAUSE_END = re.compile(r"[.,;:(\n。、，；：（・]")
_COMMENT_LIMIT = 100
_BLANKS = re.compile(r"[\s_\-]+")


def is_sensitive(column_name: str, comment: str = "", table_name: str = "") -> bool:
    """Whether a column's values are personal data or secrets.

    Of the comment the first clause counts. `table_name` tells a person's name from others: `name`
    is one in `customers` and none in `products`.
    """
    words = _split(column_name)
    native = _compact(column_name)
    if _is_measure(words) or _NATIVE_FLAGS.search(native):
        return False
    names_secret = not _SENSITIVE_WORDS.isdisjoint(words) or any(
        words[start:end] in _PHRASES
        for end in range(1, len(words) + 1)
        for start in range(max(end - _LONGEST_PHRASE, 0), end)
    )
    clause = _CLAUSE_END.split(comment[:_COMMENT_LIMIT].strip(), maxsplit=1)[0]
    comment_says_secret = any(
        not _NATIVE_FLAGS.search(_compact(part))
        and (_says_secret(_compact(part)) or _COMMENT_PHRASES.search(part))
        for part in clause.split("/")
    )
    return (
        names_secret
        or comment_says_secret
        or _is_personal_name(words, _split(table_name))
        or _says_secret(native)
    )


def _is_measure(words: tuple[str, ...]) -> bool:
    """Whether the column counts, dates or classifies something rather than holding it."""
    if not words:
        return False
    # Most ids are numbers without a meaning, but not a national id.
    is_phrase = any(words[-length:] in _PHRASES for length in range(1, _LONGEST_PHRASE + 1))
    is_measured = words[-1] in _FLAG_SUFFIXES and len(words) > 1 and not is_phrase
    return words[0] in _FLAG_PREFIXES or is_measured or not _MEASURES.isdisjoint(words)


def _is_personal_name(words: tuple[str, ...], table_words: tuple[str, ...]) -> bool:
    """Whether the last words say `name`, of a person: here, or in the name of the table."""
    stem = words[:-1] if words and words[-1] in {"en", "ko", "ja", "kana", "kanji"} else words
    if not stem or stem[-1] not in _NAME_WORDS:
        return False
    owner = stem[-2] if len(stem) > 1 else ""
    is_of_table = owner in {"", "display", "disp"} and not _PEOPLE.isdisjoint(table_words)
    return owner in _PEOPLE or is_of_table


def _says_secret(native: str) -> bool:
    if not _HANGUL_KANA_HAN.search(native):
        return False
    text = _NATIVE_HARMLESS.sub("", native)
    return bool(_NATIVE_PARTS.search(text) or _NATIVE_NAMES.fullmatch(text))


def _split(name: str) -> tuple[str, ...]:
    """Words in lower case: `contactEmail2` and `CONTACT_EMAIL_2` are both contact, email."""
    return tuple(word.lower() for word in _WORD.findall(normalize("NFKC", name)))


def _compact(text: str) -> str:
    """The text without blanks and underscores, in one form of each character."""
    return _BLANKS.sub("", normalize("NFKC", text)).casefold()
