"""The encoding of a text that a spreadsheet saved."""

import pytest

from core.text_encodings import find_encoding


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("점포,매출\n강남점,1\n", "cp949"),
        ("店舗,価格\n", "cp932"),
        ("渋谷ストア,1\n", "cp932"),
        ("점포 渋谷 café\n", "utf-8"),
        ("점포\n", "utf-16"),
        ("점포\n", "utf-8-sig"),
    ],
)
def test_texts_say_what_they_are_in(text: str, encoding: str) -> None:
    assert find_encoding(text.encode(encoding)) == encoding


@pytest.mark.parametrize(
    "data",
    [
        "café,crème brûlée\nGrüße,2\n".encode("latin-1"),
        "it’s,the shop’s\n".encode("cp1252"),
        b"\xff\xff,1\n",
    ],
    ids=["latin-1", "cp1252", "nothing"],
)
def test_text_of_no_known_encoding_is_refused_by_utf_8(data: bytes) -> None:
    assert find_encoding(data) == "utf-8"


@pytest.mark.parametrize(
    ("text", "encoding"), [("매장", "cp949"), ("매장", "utf-8"), ("渋谷ア", "cp932")]
)
def test_last_character_of_a_beginning_may_be_cut(text: str, encoding: str) -> None:
    assert find_encoding(text.encode(encoding)[:-1], is_cut=True) == encoding
