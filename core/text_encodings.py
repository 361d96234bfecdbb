"""In which encoding a file was saved: UTF-8, UTF-16, or what Korean and Japanese spreadsheets write."""

import codecs
import re

JUDGED_BYTES = 200_000
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HANGUL = re.compile("[가-힣]")
_KANA = re.compile("[ぁ-ゖァ-ヶー]")
# What a text of Western Europe looks like in CP932: a rare one for an accent, after a letter.
_HAN = re.compile("(?<![A-Za-z])[一-龠]")
_FIRST_RARE_HAN = 0x98
# Of all that is not ASCII; the rest may be half-width kana, in which either encoding reads the other.
_LEAST_SCORE = 0.1


def find_encoding(data: bytes, *, is_cut: bool = False) -> str:
    """The Python name of the encoding; "utf-8", which refuses them, of bytes that are none of these.

    With `is_cut` they are a piece from the beginning of more, and the last character may be cut.
    """
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if marked or _is_decodable(data, "utf-8", is_cut=is_cut):
        return marked or "utf-8"
    scores = {name: _score(data, name, is_cut=is_cut) for name in ("cp949", "cp932")}
    best = max(scores, key=scores.__getitem__)
    return best if scores[best] > _LEAST_SCORE else "utf-8"


def _is_decodable(data: bytes, encoding: str, *, is_cut: bool) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(data, final=not is_cut)
    except UnicodeDecodeError:
        return False
    return True


def _score(data: bytes, encoding: str, *, is_cut: bool) -> float:
    """How much the bytes look like text of the language that the encoding is for.

    Either encoding reads most bytes of the other: Korean as half-width kana, Japanese as syllables
    that nobody writes, which are those outside KS X 1001. Of Han characters those of JIS X 0208's first level count.
    """
    if not _is_decodable(data, encoding, is_cut=is_cut):
        return -1.0
    text = data[:JUDGED_BYTES].decode(encoding, "ignore")
    foreign = sum(not character.isascii() for character in text) or 1
    if encoding == "cp949":
        syllables = _HANGUL.findall(text)
        found = sum(len(syllable.encode("euc_kr", "ignore")) == 2 for syllable in syllables)
    else:
        common = [han for han in _HAN.findall(text) if han.encode(encoding)[0] < _FIRST_RARE_HAN]
        found = len(_KANA.findall(text)) + len(common)
    return found / foreign
