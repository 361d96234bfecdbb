"""XML is read as JSON values, and nothing in it costs more than its length."""

import pytest

from core.toolspec import JsonValue
from core.xml_values import read_xml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("<a>  서울 &amp; 부산\n</a>", {"a": "서울 & 부산"}, id="text"),
        pytest.param("<a/>", {"a": None}, id="empty"),
        pytest.param("<a><b>1</b><c/></a>", {"a": {"b": "1", "c": None}}, id="elements"),
        pytest.param("<a><b>1</b><c>2</c><b>3</b><b/></a>", {"a": {"b": ["1", "3", None], "c": "2"}}, id="list"),
        pytest.param('<a id="7"><b>1</b></a>', {"a": {"@id": "7", "b": "1"}}, id="attribute"),
        pytest.param('<a id="7">x</a>', {"a": {"@id": "7", "#text": "x"}}, id="attribute and text"),
        pytest.param("<a>x <b>1</b> y</a>", {"a": {"b": "1", "#text": "x  y"}}, id="texts between"),
        pytest.param('<s:a xmlns:s="urn:x" s:n="1"><s:b>1</s:b></s:a>', {"a": {"@n": "1", "b": "1"}}, id="namespace"),
        pytest.param('<?xml version="1.0" encoding="EUC-KR"?><a>값</a>', {"a": "값"}, id="encoding of what it was"),
        pytest.param("<a><![CDATA[<b>]]></a>", {"a": "<b>"}, id="CDATA"),
    ],
)  # fmt: skip
def test_xml_is_read_as_a_value(text: str, value: JsonValue) -> None:
    assert read_xml(text) == value


def test_long_text_is_read_in_pieces() -> None:
    items = [f"값 {number}" for number in range(20_000)]

    value = read_xml(f"<a>{''.join(f'<b>{item}</b>' for item in items)}</a>")

    assert value == {"a": {"b": items}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("", "no element found", id="nothing"),
        pytest.param("<a><b></a>", "mismatched tag", id="broken"),
        pytest.param('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "a document type is not read", id="entities"),
        pytest.param('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "a document type is not read", id="file"),
        pytest.param("<a>&x;</a>", "undefined entity", id="undeclared"),
        pytest.param("<a>" * 101 + "</a>" * 101, "more than 100 levels", id="deep"),
        pytest.param("<a>" * 200_000, "no element found", id="very deep"),
        pytest.param(f"<a>{'<b/>' * 500_000}</a>", "more than 500,000 tags", id="many elements"),
        pytest.param(f"<a {'b= ' * 500_000}/>", "more than 500,000 tags", id="many attributes"),
        pytest.param("<a>\x00</a>", "not well-formed", id="NUL"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_xml(text)
