"""What the column `allowed_tools` of a key means, whoever wrote it."""

from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import connection
from django.test import Client

from access.allowed_tools import check_allowed_tools, read_allowed_tools
from access.keys import create_key, find_key, issue_key
from access.models import ApiKey
from tests.factories import make_token

EMPTIED = ["[]", "{}", '""', "null", "0", "false"]
MALFORMED = [*EMPTIED, "true", "7", '"*"', '"sales"', '{"*": true}', '[["*"]]', '["*", 1]']


def write_raw(allowed_tools: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE h_api_key SET allowed_tools = %s::jsonb", [allowed_tools])


@pytest.mark.django_db
@pytest.mark.parametrize("written", MALFORMED)
def test_emptied_or_malformed_list_allows_nothing(written: str) -> None:
    token = make_token()
    write_raw(written)

    key = find_key(token)

    assert key is not None
    assert key.tools == frozenset()


@pytest.mark.django_db
@pytest.mark.parametrize("written", EMPTIED)
def test_rest_api_refuses_a_key_with_an_emptied_list(client: Client, written: str) -> None:
    token = make_token()
    write_raw(written)

    response = client.get("/api/tables", headers={"Authorization": f"Bearer {token}"})

    assert response.status_code == 403


@pytest.mark.django_db
def test_row_without_the_column_allows_nothing() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO h_api_key (key_id, digest, name) VALUES ('aaaaaaaa', 'x', 'written')"
        )

    assert ApiKey.objects.get().tools == frozenset()


@pytest.mark.parametrize(
    ("stored", "allowed"),
    [
        pytest.param(["*"], None, id="every tool"),
        pytest.param(["sales", "stores"], {"sales", "stores"}, id="names"),
        pytest.param(["*", "sales"], {"*", "sales"}, id="the mark among names is a name"),
        pytest.param([], set(), id="no name"),
    ],
)
def test_every_tool_is_written_in_one_way(stored: list[str], allowed: set[str] | None) -> None:
    assert read_allowed_tools(stored) == allowed


def test_key_that_may_use_nothing_is_refused() -> None:
    with pytest.raises(ValidationError, match="Name at least one tool"):
        ApiKey(name="agent", allowed_tools=[]).clean()

    ApiKey(name="agent", toolsets=["sales"]).clean()
    ApiKey(name="agent", builtin_groups=["catalogue"]).clean()


@pytest.mark.parametrize("stored", [{}, "", None, 0, ["*", "a"], [" "], [1], "*"], ids=repr)
def test_forms_refuse_what_is_no_list_of_names(stored: object) -> None:
    with pytest.raises(ValidationError, match="Name at least one tool"):
        check_allowed_tools(stored)


@pytest.mark.django_db
def test_issued_key_says_every_tool_in_its_row() -> None:
    assert issue_key("agent").key.allowed_tools == ["*"]
    assert create_key(ApiKey(name="b", allowed_tools=["sales"])).key.tools == frozenset({"sales"})


@pytest.mark.django_db
def test_command_names_the_tools_of_a_key() -> None:
    call_command(
        "create_api_key", "a", "--tool", "sales", "--tool", "stores", stdout=StringIO(), stderr=StringIO()
    )  # fmt: skip
    call_command("create_api_key", "b", stdout=StringIO(), stderr=StringIO())

    written = dict(ApiKey.objects.values_list("name", "allowed_tools"))
    assert written == {"a": ["sales", "stores"], "b": ["*"]}


@pytest.mark.django_db
def test_command_tells_of_names_that_nothing_has() -> None:
    told = StringIO()
    tools = ["--tool", "get_tags", "--tool", "get_tag"]
    sources = ["--sql-source", "main_db", "--sql-source", "lake"]
    command = ("create_api_key", "a", *tools, *sources)
    # With the checks, as on the command line: they load the pages, which know the tools.
    call_command(*command, skip_checks=False, stdout=StringIO(), stderr=told)

    created, *warnings = told.getvalue().splitlines()
    assert warnings == [
        "Warning: there is no tool 'get_tag' as yet; did you mean 'get_tags'?",
        "Warning: there is no data source 'lake' as yet",
    ]
    assert "created" in created
    assert ApiKey.objects.get().allowed_tools == ["get_tags", "get_tag"]
