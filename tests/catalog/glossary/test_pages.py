"""The page of the glossary as a browser asks for it."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from catalog.glossary.concepts import add_concept, edit_note, find_entry, set_concept_active
from catalog.glossary.views import _terms_field
from catalog.models import GlossaryConcept
from core.retrieval.glossary_terms import CONCEPTS

HTMX = {"HX-Request": "true"}
PAGE = "/catalogue/~/glossary/"
HOSTILE = "<script>alert(1)</script>"


def text_of(response: Any) -> str:
    return str(response.content.decode())


def keys_of(response: Any) -> list[str]:
    return [row.entry.key for row in response.context["rows"]]


def save(client: Client, language: str, text: str, was: str = "") -> Any:
    entry = find_entry("order")
    assert entry is not None
    digest = was or _terms_field(entry, language).digest
    address = f"{PAGE}order/terms/{language}/"
    return client.post(address, {"text": text, "was": digest}, headers=HTMX)


@pytest.fixture
def reader(db: None) -> Client:
    """A browser of somebody of the staff without the right to edit the catalogue."""
    client = Client()
    client.force_login(User.objects.create_user("kim", is_staff=True))
    return client


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("q=お客様", ["customer"], id="Japanese term"),
        pytest.param("q=CUSTOMER+お客様", ["customer"], id="each word, any case"),
        pytest.param("q=on+the+quay", ["crane"], id="note"),
        pytest.param("state=own", ["crane"], id="added"),
        pytest.param("state=off", ["order"], id="switched off"),
        pytest.param("state=changed", ["order"], id="changed"),
        pytest.param("q=zzzz", [], id="nothing"),
    ],
)
def test_page_shows_what_its_address_asks_for(
    admin: Client, query: str, expected: list[str]
) -> None:
    edit_note(add_concept("crane", {"en": "crane"}, "ann"), "On the quay.", "ann")
    set_concept_active("order", "ann", is_active=False)

    assert keys_of(admin.get(f"{PAGE}?{query}")) == expected


def test_page_asks_few_queries_and_has_pages(admin: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(5):
        page = admin.get(f"{PAGE}?page=2&state=nonsense")

    assert f"51–100 / {len(CONCEPTS)}" in text_of(page)
    assert keys_of(page) == sorted(one.id for one in CONCEPTS)[50:100]


def test_search_answers_htmx_with_the_list_and_its_address(admin: Client) -> None:
    response = admin.get(f"{PAGE}?q=quota&state=", headers=HTMX)

    assert response["HX-Push-Url"].endswith("/glossary/?q=quota")
    assert "concepts" in text_of(response)
    assert "<html" not in text_of(response)


def test_terms_are_saved_in_place(admin: Client) -> None:
    response = save(admin, "ko", "주문 , 오더용지")

    assert GlossaryConcept.objects.get().terms["ko"] == ["주문", "오더용지"]
    assert "주문, 오더용지" in text_of(response)
    assert "Saved" in text_of(response)


@pytest.mark.parametrize(
    ("text", "was", "told"),
    [
        pytest.param("x", "", (422, "two letters"), id="one letter"),
        pytest.param("고객", "", (422, "customer already"), id="of another concept"),
        pytest.param("오더 철", "elsewhere", (409, "Somebody else"), id="stale"),
    ],
)
def test_terms_that_are_not_saved_stay_in_the_field(
    admin: Client, text: str, was: str, told: tuple[int, str]
) -> None:
    response = save(admin, "ko", text, was)

    assert response.status_code == told[0]
    assert told[1] in text_of(response)
    assert text in text_of(response)
    assert not GlossaryConcept.objects.exists()


def test_note_is_saved_in_place_and_shown_as_text(admin: Client) -> None:
    was = admin.get(f"{PAGE}?q=order_line").context["rows"][0].note.digest

    response = admin.post(f"{PAGE}order_line/note/", {"text": HOSTILE, "was": was}, headers=HTMX)

    assert GlossaryConcept.objects.get().note == HOSTILE
    assert HOSTILE not in text_of(response)


def test_concept_is_added_and_shown(admin: Client) -> None:
    response = admin.post(f"{PAGE}add/", {"en": "gantry crane", "ko": "크레인"}, follow=True)

    assert keys_of(response) == ["gantry_crane"]
    assert "gantry_crane was added" in text_of(response)


def test_concept_that_cannot_be_added_comes_back_with_the_reason(admin: Client) -> None:
    response = admin.post(f"{PAGE}add/", {"en": "customer", "ko": HOSTILE, "key": "buyers"})

    assert response.status_code == 422
    assert "is a term of customer already" in text_of(response)
    assert 'value="buyers"' in text_of(response)
    assert HOSTILE not in text_of(response)


def test_concept_is_switched_off_and_reset(admin: Client) -> None:
    off = admin.post(f"{PAGE}order/active/", {"active": "no"}, headers=HTMX)
    row = GlossaryConcept.objects.get()
    reset = admin.post(f"{PAGE}order/reset/", headers=HTMX)

    assert not row.is_active
    assert "Switch on" in text_of(off)
    assert "Switch off" in text_of(reset)
    assert not GlossaryConcept.objects.exists()


def test_added_concept_is_deleted_and_its_row_with_it(admin: Client) -> None:
    add_concept("crane", {"en": "crane"}, "ann")

    response = admin.post(f"{PAGE}crane/reset/", headers=HTMX)

    assert response.content == b""
    assert find_entry("crane") is None


def test_export_holds_every_concept(admin: Client) -> None:
    add_concept("crane", {"en": "=crane()"}, "ann")

    text = text_of(admin.get(f"{PAGE}export/"))

    assert text.count("\r\n") == len(CONCEPTS) + 2
    assert "crane,,,'=crane(),,yes" in text.lower()


def test_file_is_brought_back_whole_or_refused(admin: Client) -> None:
    good = SimpleUploadedFile("words.csv", b"key,en\ncrane,crane")
    bad = SimpleUploadedFile("words.csv", b"key,en\n-,crane")

    page = admin.post(f"{PAGE}import/", {"file": good}, follow=True)
    refused = admin.post(f"{PAGE}import/", {"file": bad})

    assert "1 concept was changed" in text_of(page)
    assert refused.status_code == 422
    assert "line 2: a key has small letters" in text_of(refused)


@pytest.mark.parametrize(
    "path", ["import/", "add/", "order/terms/ko/", "order/note/", "order/active/", "order/reset/"]
)
def test_readers_see_terms_and_change_none(reader: Client, path: str) -> None:
    page = reader.get(f"{PAGE}?q=お客様")

    assert "顧客, " in text_of(page)
    assert "<textarea" not in text_of(page)
    assert reader.post(f"{PAGE}{path}").status_code == 403


@pytest.mark.parametrize("path", ["none/note/", "order/terms/fr/", "none/terms/ko/", "none/reset/"])
def test_unknown_concepts_and_languages_are_not_found(admin: Client, path: str) -> None:
    assert admin.post(f"{PAGE}{path}").status_code == 404
