"""The pages of reference documents: to look at and to delete."""

import pytest
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from catalog.models import ReferenceDocument
from tests.catalog.documents.conftest import column, columns, load

LIST = "/admin/catalog/referencedocument/"

pytestmark = pytest.mark.django_db


def test_list_shows_documents_and_whether_they_are_found(admin: Client) -> None:
    load(column(description="long " * 100))

    page = admin.get(LIST).content.decode()

    assert "column:users.email" in page
    assert "long…" in page
    assert "icon-no.svg" in page


@pytest.mark.parametrize(
    ("search", "count"),
    [
        pytest.param("q=users.c2", 1, id="text"),
        pytest.param("q=%EC%9D%B4%EB%A9%94%EC%9D%BC", 1, id="Korean"),
        pytest.param("source=b", 1, id="source"),
        pytest.param("kind=query", 0, id="kind"),
    ],
)
def test_list_is_searched_and_filtered(admin: Client, search: str, count: int) -> None:
    load(*columns(3))
    load(column(), source="b")

    response = admin.get(f"{LIST}?{search}")

    assert response.context["cl"].result_count == count


def test_list_asks_as_often_for_many_as_for_one(
    admin: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    load(*columns(50))

    with django_assert_max_num_queries(9):
        admin.get(LIST)


def test_document_is_shown_and_not_changed(admin: Client) -> None:
    load(column())
    row = ReferenceDocument.objects.get()

    page = admin.get(f"{LIST}{row.pk}/change/").content.decode()

    assert "사용자 이메일 주소" in page
    assert 'name="_save"' not in page
    assert admin.get(f"{LIST}add/").status_code == 403


def test_document_is_deleted(admin: Client) -> None:
    load(column())
    row = ReferenceDocument.objects.get()

    admin.post(f"{LIST}{row.pk}/delete/", {"post": "yes"})

    assert not ReferenceDocument.objects.exists()
