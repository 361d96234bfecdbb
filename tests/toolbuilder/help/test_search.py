"""The search over the documentation."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from toolbuilder.help.pages import find_page
from toolbuilder.help.search import search_help


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("optional clauses", "reference/statements"),
        ("HTTP_ALLOWED_HOSTS", "http-tools"),
        ("keycloak", "oauth"),
        ("search la", "search-lab"),
        ("audit trai", "operation"),
    ],
    ids=["heading", "setting", "name", "beginning", "beginning of a word"],
)
def test_the_section_on_it_is_among_the_first(query: str, page: str) -> None:
    assert page in [hit.section.page for hit in search_help(query)[:3]]


def test_every_hit_leads_to_its_heading_and_shows_the_word() -> None:
    hits = search_help("masking")

    assert hits
    for hit in hits:
        page = find_page(hit.section.page)
        assert page
        assert page.section(hit.section.anchor) is hit.section
    assert "<mark>mask" in hits[0].excerpt.lower()


def test_a_word_of_another_language_finds_what_means_the_same() -> None:
    assert search_help("비밀번호")
    assert search_help("設定")


def test_excerpts_are_escaped_and_nonsense_finds_nothing() -> None:
    assert search_help("zzzqqq") == []
    assert search_help("***") == []
    assert all("<script" not in hit.excerpt for hit in search_help("script"))


def test_it_is_a_page_and_a_part_of_one(client: Client, db: None) -> None:
    client.force_login(User.objects.create_user("ann"))

    page = client.get("/help/~/search/", {"q": "limits"}).text
    part = client.get("/help/~/search/", {"q": "limits"}, headers={"HX-Request": "true"}).text

    assert "<html" in page
    assert "<html" not in part
    assert 'href="/help/limits/' in part
    assert 'href="/help/limits/' in page
    assert "Nothing in the documentation" in client.get("/help/~/search/?q=zzzqqq").text


def test_the_palette_finds_the_documentation(client: Client, db: None) -> None:
    client.force_login(User.objects.create_user("ann", is_staff=True))

    assert (
        'href="/help/reference/statements/#optional-clauses"'
        in client.get("/palette/?q=optional+clauses").text
    )
