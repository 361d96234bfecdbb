"""Texts, tags, masks and relations saved where they stand, as a browser posts them."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from catalog.browsing.addresses import address_of
from catalog.browsing.fields import column_text, table_text
from catalog.models import CatalogColumn, CatalogTable, TableRelation
from tests.catalog.browsing.test_views import HTMX, text_of
from tests.catalog.conftest import MakeSource
from tests.catalog.shop import make_shop, make_table, relate


def column_of(table: CatalogTable, name: str = "id") -> CatalogColumn:
    return table.columns.get(name=name)


def save_column(client: Client, column: CatalogColumn, text: str, **given: Any) -> Any:
    """The answer to a description that was typed where `given["seen"]` stood."""
    seen = given.get("seen", column.description)
    was = column_text(CatalogColumn(pk=column.pk, description=seen), "description", "").digest
    address = f"/catalogue/~/columns/{column.pk}/texts/description/"
    headers = given.get("headers", HTMX)
    return client.post(address, {"text": text, "was": was}, headers=headers)


@pytest.mark.parametrize("name", ["display_name", "description", "notes"])
def test_text_of_a_table_is_saved_in_place(admin: Client, name: str) -> None:
    table = make_table("t")
    was = table_text(table, name, "").digest
    address = f"/catalogue/~/tables/{table.pk}/texts/{name}/"

    response = admin.post(address, {"text": " 売上 ", "was": was}, headers=HTMX)

    table.refresh_from_db()
    assert getattr(table, name) == "売上"
    assert table.updated_by == "admin"
    assert "Saved" in text_of(response)
    assert "<html" not in text_of(response)


def test_description_of_a_column_is_saved_in_place(admin: Client) -> None:
    column = column_of(make_table("t"))

    response = save_column(admin, column, "line one\r\nline two")

    column.refresh_from_db()
    assert response.status_code == 200
    assert column.description == "line one\nline two"


def test_text_that_cannot_be_kept_is_given_back_with_the_reason(admin: Client) -> None:
    column = column_of(make_table("t"))

    response = save_column(admin, column, "x" * 5_001)

    assert response.status_code == 422
    assert "at most 5,000" in text_of(response)
    assert "x" * 5_001 in text_of(response)
    assert 'aria-invalid="true"' in text_of(response)


def test_stale_text_shows_both_and_can_be_saved_over_theirs(admin: Client) -> None:
    column = column_of(make_table("t"))
    CatalogColumn.objects.filter(pk=column.pk).update(description="theirs")

    stale = save_column(admin, column, "mine", seen="")
    told = stale.context["field"]
    again = save_column(admin, column, "mine", seen=told.stored)

    assert stale.status_code == 409
    assert "theirs" in text_of(stale)
    assert "mine" in text_of(stale)
    assert again.status_code == 200
    assert column_of(column.table).description == "mine"


def test_same_text_saved_twice_is_not_stale(admin: Client) -> None:
    column = column_of(make_table("t"))
    save_column(admin, column, "same")

    assert save_column(admin, column, "same", seen="").status_code == 200


def test_field_can_be_read_again(admin: Client) -> None:
    column = column_of(make_table("t"))

    response = admin.get(f"/catalogue/~/columns/{column.pk}/texts/description/", headers=HTMX)

    assert "data-inplace" in text_of(response)


def test_without_javascript_a_saved_text_leads_back_to_the_page(admin: Client) -> None:
    table = make_table("t")

    response = save_column(admin, column_of(table), "said", headers={})

    assert response.status_code == 302
    assert response["Location"] == address_of(table)


def test_without_javascript_a_refused_text_is_a_page(admin: Client) -> None:
    response = save_column(admin, column_of(make_table("t")), "\x07", headers={})

    assert response.status_code == 422
    assert "<html" in text_of(response)


@pytest.mark.parametrize("name", ["is_hidden", "updated_by", "nothing"])
def test_other_fields_have_no_address(admin: Client, name: str) -> None:
    table = make_table("t")

    assert admin.post(f"/catalogue/~/tables/{table.pk}/texts/{name}/").status_code == 404
    assert (
        admin.post(f"/catalogue/~/columns/{column_of(table).pk}/texts/{name}/").status_code == 404
    )


@pytest.mark.parametrize(("choice", "expected"), [("yes", True), ("no", False), ("", None)])
def test_mask_of_a_column_has_three_states(
    admin: Client, choice: str, expected: bool | None
) -> None:
    column = column_of(make_table("t", columns=("email",)), "email")
    column.is_masked = not expected
    column.save()

    page = admin.post(f"/catalogue/~/columns/{column.pk}/mask/", {"mask": choice}, headers=HTMX)

    column.refresh_from_db()
    assert column.is_masked is expected
    assert "masked, by rule" in text_of(page)


@pytest.mark.parametrize(("posted", "expected"), [({"hidden": "yes"}, True), ({}, False)])
def test_table_is_hidden_and_shown(admin: Client, posted: Any, expected: bool) -> None:
    table = make_table("t", is_hidden=not expected)

    admin.post(f"/catalogue/~/tables/{table.pk}/hidden/", posted, headers=HTMX)

    table.refresh_from_db()
    assert table.is_hidden is expected


def test_tags_are_added_and_removed(admin: Client) -> None:
    table = make_table("t", tags=["old"])
    address = f"/catalogue/~/tables/{table.pk}/tags/"

    admin.post(address, {"add": "매출"}, headers=HTMX)
    page = admin.post(address, {"remove": "old"}, headers=HTMX)

    assert list(table.tags.values_list("name", flat=True)) == ["매출"]
    assert "매출" in text_of(page)


def test_tag_that_is_too_long_is_refused_with_what_was_typed(admin: Client) -> None:
    table = make_table("t")

    page = admin.post(f"/catalogue/~/tables/{table.pk}/tags/", {"add": "x" * 51}, headers=HTMX)

    assert page.status_code == 422
    assert f'value="{"x" * 51}"' in text_of(page)


def test_relation_is_added_described_and_removed(admin: Client) -> None:
    table = make_table("orders", columns=("id", "mail"))
    make_table("users", columns=("email",))
    posted = {
        "target": "users",
        "relation_type": "own",
        "column": "mail",
        "target_column": "email",
        "description": "who ordered",
    }

    added = admin.post(f"/catalogue/~/tables/{table.pk}/relations/", posted, headers=HTMX)
    relation = TableRelation.objects.get()
    removed = admin.post(f"/catalogue/~/relations/{relation.pk}/remove/", headers=HTMX)

    assert "orders.mail = users.email" in text_of(added)
    assert relation.description == "who ordered"
    assert "No relations" in text_of(removed)
    assert not TableRelation.objects.exists()


@pytest.mark.parametrize(
    ("posted", "told"),
    [
        ({"target": "usres", "column": "id", "target_column": "id"}, "did you mean public.users"),
        ({"target": "users", "column": "nope", "target_column": "id"}, "has no column nope"),
        ({"target": "users"}, "which columns belong together"),
        ({"target": ""}, "required"),
    ],
    ids=["unknown table", "unknown column", "no join", "no table"],
)
def test_relation_that_cannot_be_is_refused_with_what_was_typed(
    admin: Client, posted: dict[str, str], told: str
) -> None:
    table = make_table("orders")
    make_table("users")

    page = admin.post(
        f"/catalogue/~/tables/{table.pk}/relations/",
        {"relation_type": "own", **posted},
        headers=HTMX,
    )

    assert page.status_code == 422
    assert told in text_of(page)
    assert f'value="{posted["target"]}"' in text_of(page)


def test_foreign_key_keeps_its_place_but_takes_a_description(admin: Client) -> None:
    table = make_shop()
    relation = table.relations.filter(relation_type="foreign_key").first()
    assert relation is not None
    page = admin.get(f"/catalogue/~/relations/{relation.pk}/text/", headers=HTMX)
    posted = {"text": "the shop", "was": page.context["field"].digest}

    admin.post(f"/catalogue/~/relations/{relation.pk}/text/", posted, headers=HTMX)
    refused = admin.post(f"/catalogue/~/relations/{relation.pk}/remove/", headers=HTMX)

    relation.refresh_from_db()
    assert relation.description == "the shop"
    assert refused.status_code == 422


def test_rows_of_a_restricted_source_cannot_be_written(
    client: Client, make_source: MakeSource
) -> None:
    table = make_table("salaries", source=make_source("hr", is_restricted=True))
    relation = relate(table, table, ("id", "id"))
    user = User.objects.create_user("kim", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="change_catalogtable"))
    client.force_login(user)
    addresses = [
        f"~/tables/{table.pk}/texts/notes/",
        f"~/tables/{table.pk}/tags/",
        f"~/tables/{table.pk}/hidden/",
        f"~/tables/{table.pk}/relations/",
        f"~/columns/{column_of(table).pk}/mask/",
        f"~/columns/{column_of(table).pk}/texts/description/",
        f"~/relations/{relation.pk}/text/",
        f"~/relations/{relation.pk}/remove/",
    ]

    answers = {client.post(f"/catalogue/{each}", {"text": "x"}).status_code for each in addresses}

    assert answers == {404}
