"""How pages are asked for and put together."""

import pytest

from core.errors import DataSourceError
from core.paging import PageAddress, Paging, first_page, items_of, join_pages, next_page
from core.toolspec import JsonValue

HERE = PageAddress("https://api.example/v1/items", "size=2")
LINK = Paging(kind="link", items="data", next="links.next")


def test_pages_have_numbers_until_one_is_empty() -> None:
    paging = Paging(kind="page", items="data", parameter="page")
    begin = first_page(paging, HERE)

    second = next_page(paging, {"data": [1]}, begin, number=1)

    assert (begin.query, second and second.query) == ("size=2&page=1", "size=2&page=2")
    assert next_page(paging, {"data": []}, begin, number=2) is None


@pytest.mark.parametrize("empty", ["", None, {"item": None}, {"item": ""}, {"item": []}], ids=str)
def test_page_without_items_is_the_last(empty: JsonValue) -> None:
    paging = Paging(kind="page", items="items.item", parameter="page")
    page: JsonValue = {"items": empty, "total": 0}

    assert items_of(paging, page) == []
    assert next_page(paging, page, HERE, number=1) is None
    assert join_pages(paging, page, []) == page


def test_cursor_is_sent_until_there_is_none() -> None:
    paging = Paging(kind="cursor", items="data", next="meta.cursor", parameter="after")

    second = next_page(paging, {"meta": {"cursor": "a b"}}, HERE, number=1)

    assert second == PageAddress(HERE.url, "size=2&after=a%20b")
    assert next_page(paging, {"meta": {"cursor": None}}, HERE, number=2) is None
    assert next_page(paging, {"meta": {"cursor": "a b"}}, second, number=2) is None


@pytest.mark.parametrize(
    ("link", "url", "query"),
    [
        pytest.param("/v1/items?page=2", HERE.url, "page=2", id="relative"),
        pytest.param("?page=2", HERE.url, "page=2", id="query alone"),
        pytest.param(
            "https://api.example/v2/x?q=a%20b", "https://api.example/v2/x", "q=a%20b", id="whole"
        ),
    ],
)
def test_link_in_the_answer_is_followed(link: str, url: str, query: str) -> None:
    found = next_page(LINK, {"links": {"next": link}}, HERE, number=1)

    assert found == PageAddress(url, query)


def test_link_header_is_followed() -> None:
    header = '<https://api.example/v1/items?page=1>; rel="prev", </v1/items?page=3>; rel="next"'

    found = next_page(Paging(kind="link"), [], HERE, number=1, link_header=header)

    assert found == PageAddress(HERE.url, "page=3")


def test_link_to_another_server_is_refused() -> None:
    with pytest.raises(DataSourceError, match="on another server"):
        next_page(LINK, {"links": {"next": "https://evil.example/v1"}}, HERE, number=1)


@pytest.mark.parametrize("link", ["/admin", "/v1/../admin", "/v1/%2E%2e/admin", "/v10/items"])
def test_link_out_of_the_service_is_refused(link: str) -> None:
    here = PageAddress("https://api.example/v1/items", "", "https://api.example/v1")

    with pytest.raises(DataSourceError, match="not below the service's address"):
        next_page(LINK, {"links": {"next": link}}, here, number=1)


def test_only_item_of_a_page_is_an_object_where_json_is_made_of_xml() -> None:
    paging = Paging(kind="page", items="items.item", parameter="pageNo")
    last = {"items": {"item": {"id": 101}}}

    assert items_of(paging, last) == [{"id": 101}]
    assert join_pages(paging, last, [{"id": 1}, {"id": 101}]) == {
        "items": {"item": [{"id": 1}, {"id": 101}]}
    }
    with pytest.raises(DataSourceError, match="have to be a list"):
        items_of(Paging(kind="page", parameter="pageNo"), last)


def test_pages_are_one_answer() -> None:
    first = {"data": {"items": [1, 2]}, "total": 3}
    paging = Paging(kind="page", items="data.items", parameter="page")

    assert join_pages(paging, first, [1, 2, 3]) == {"data": {"items": [1, 2, 3]}, "total": 3}
    assert first["data"] == {"items": [1, 2]}
    with pytest.raises(DataSourceError, match="have to be a list"):
        items_of(Paging(kind="link", items="total"), first)
