"""Parameters are found with the columns that a statement compares them with."""

import pytest

from core.statements.compared_columns import find_compared_columns

SHOP = frozenset({"customers"})


@pytest.mark.parametrize(
    ("condition", "column"),
    [
        ("email = :q", "email"),
        ("c.email = :q", "email"),
        ("lower(c.email) = lower(:q)", "email"),
        (":q = email", "email"),
        ("email IN (:a, :q)", "email"),
        ("email = ANY(:q)", "email"),
        ("birthday BETWEEN :a AND :q::date", "birthday"),
        ("email LIKE '%' || :q || '%' AND city = :city", "email"),
        ("email ILIKE :q OR city = :city", "email"),
        ("email = {{ q }}", "email"),
        ("email::text = :q", "email"),
        ("lower(trim((c.email)::text)) = :q", "email"),
        ("CAST(email AS text) = (:q)::text", "email"),
        ("coalesce(email, '') = :q", "email"),
        ("email LIKE concat('%', :q, '%')", "email"),
        ("email ~* :q", "email"),
        ("email IS NOT DISTINCT FROM :q", "email"),
        ("starts_with(email, :q)", "email"),
        ("(city = :city OR email = ANY((:q)::text[]))", "email"),
    ],
)
def test_parameter_is_found_with_its_column(condition: str, column: str) -> None:
    found = find_compared_columns(f"SELECT id FROM crm.customers c WHERE {condition}")  # noqa: S608

    assert found["q"] == {(column, SHOP)}


def test_alias_tells_whose_column_it_is() -> None:
    text = (
        "SELECT 1 FROM customers c JOIN products p ON p.id = c.product WHERE c.name = :a"
        " AND p.name = :b AND note = :c"
    )

    found = find_compared_columns(text)

    assert found["a"] == {("name", frozenset({"customers"}))}
    assert found["b"] == {("name", frozenset({"products"}))}
    assert found["c"] == {("note", frozenset({"customers", "products"}))}


def test_parameters_of_other_conditions_and_places_are_compared_with_nothing() -> None:
    text = (
        "SELECT coalesce(name, :unnamed) FROM customers WHERE email = :q AND id BETWEEN :low AND"
        " :high AND city IN (SELECT city FROM cities WHERE area > :area) ORDER BY :by LIMIT :count"
    )

    found = find_compared_columns(text)

    compared = {name: {column for column, _tables in columns} for name, columns in found.items()}
    assert compared == {"q": {"email"}, "low": {"id"}, "high": {"id"}, "area": {"area"}}
