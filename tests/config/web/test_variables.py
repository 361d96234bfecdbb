"""The variables as the settings page tells them."""

import re
from typing import Any

import pytest
from django.conf import settings

from config.web.variable_texts import parse_variables
from config.web.variables import (
    ShownVariable,
    hide_credentials,
    is_secret,
    list_variables,
    read_variables,
    split_markdown,
)


def shown(name: str) -> ShownVariable:
    found = [one for _group, each in list_variables() for one in each if one.variable.name == name]
    assert len(found) == 1
    return found[0]


def test_every_variable_that_the_settings_read_is_listed() -> None:
    read = re.compile(r'env\.(?:text|words|number|flag|choice)\(\s*"(\w+)"')
    names = set(read.findall((settings.BASE_DIR / "config/settings.py").read_text()))

    assert names <= {variable.name for variable in read_variables()}


def test_variables_stand_under_their_headings() -> None:
    groups = [group for group, _variables in list_variables()]

    assert len(groups) == len(set(groups))
    assert shown("MCP_PUBLIC_URL").variable.group == "The served side"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(5005, "5005", id="number"),
        pytest.param(["a", "b"], "a, b", id="list"),
        pytest.param(True, "on", id="flag"),
    ],
)
def test_effective_value_is_that_of_the_settings(
    monkeypatch: Any, value: object, expected: str
) -> None:
    monkeypatch.setattr(settings, "MCP_PORT", value)

    assert shown("MCP_PORT").value == expected


def test_origin_says_where_a_value_comes_from(monkeypatch: Any) -> None:
    monkeypatch.setenv("MCP_PORT", "4003")
    monkeypatch.delenv("LOG_LEVEL", raising=False)

    assert (shown("MCP_PORT").origin, shown("LOG_LEVEL").origin) == ("environment", "")


def test_each_data_source_of_the_environment_has_a_row(monkeypatch: Any) -> None:
    monkeypatch.setenv("DATA_SOURCE_SALES_EU_URL", "sqlite:////data/shop.db")

    assert shown("DATA_SOURCE_SALES_EU_URL").value == "sqlite:////data/shop.db"


@pytest.mark.parametrize(
    "name",
    ["SECRET_KEY", "FIELD_ENCRYPTION_KEYS", "POSTGRESQL_DB_PASS", "TEXT_EMBEDDING_API_KEY", "DOCUMENT_SERVER_TOKEN"],
)  # fmt: skip
def test_secrets_have_no_value(monkeypatch: Any, name: str) -> None:
    monkeypatch.setenv(name, "hush")

    assert is_secret(name)
    assert (shown(name).value, shown(name).origin) == ("", "environment")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("postgresql://u:hush@h:5432/d", "postgresql://•••@h:5432/d", id="password"),
        pytest.param("https://hush@h/v1", "https://•••@h/v1", id="token as a name"),
        pytest.param("redis://:hush@h/0", "redis://•••@h/0", id="password alone"),
        pytest.param("postgresql://u:hu@s/h#x@h/d", "postgresql://•••@h/d", id="marks in it"),
        pytest.param("postgresql://u:h?ush@h/d", "postgresql://•••", id="question mark in it"),
        pytest.param("postgresql://h/d?password=hush&sslmode=require", "postgresql://h/d?password=•••&sslmode=require", id="option"),
        pytest.param("postgresql://h/d?password=x@hush", "postgresql://•••", id="at sign in an option"),
        pytest.param("http://h:8000/v1", "http://h:8000/v1", id="nothing to hide"),
    ],
)  # fmt: skip
def test_addresses_lose_their_passwords(value: str, expected: str) -> None:
    assert hide_credentials(value) == expected


@pytest.mark.parametrize(
    "value", ["u:hush@h/d", "host=h password=hush"], ids=["no scheme", "words"]
)
def test_address_that_is_none_is_hidden(monkeypatch: Any, value: str) -> None:
    monkeypatch.setattr(settings, "DATABASE_URL", value)

    assert shown("DATABASE_URL").value == "•••"


def test_markdown_becomes_words_and_code() -> None:
    pieces = split_markdown("the built-in tools: `all`, or names")

    assert pieces == [("the built-in tools: ", False), ("all", True), (", or names", False)]


def test_links_of_the_page_are_words_alone() -> None:
    page = "## Some\n| `MCP_TOOLS` | | the [built-in tools](builtin-tools.md): `all` |"

    assert [one.meaning for one in parse_variables(page)] == ["the built-in tools: `all`"]
