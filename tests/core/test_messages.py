"""Messages: English as text, a code and values for every other language."""

from typing import Any

import pytest

from core.errors import DataSourceError, ToolboxError
from core.messages import Message, Value, counted, foreign, from_json, join, list_lines, message

KIND = message("kind.list", "a list")
FAULT = message("fault", "{name}: must be {kind}", name="{name}", kind=KIND)


def spanish(text: Message) -> str:
    return {"a list": "una lista", "{name}: must be {kind}": "{kind}: {name}"}.get(
        text.template, text.template
    )


def test_text_is_the_template_with_its_values() -> None:
    assert str(FAULT) == "{name}: must be a list"


def test_every_part_is_in_the_language_that_is_asked_for() -> None:
    whole = message("all", "{tool}:\n- {faults}", tool="t", faults=join([FAULT, "x"], "\n- "))

    assert whole.render(spanish) == "t:\n- una lista: {name}\n- x"


@pytest.mark.parametrize(
    ("template", "values"),
    [
        pytest.param("{name}", {}, id="no value"),
        pytest.param("{name.__class__}", {"name": "a"}, id="attribute"),
        pytest.param("{name:>999999999}", {"name": "a"}, id="endless"),
        pytest.param("{", {"name": "a"}, id="open brace"),
    ],
)
def test_what_is_no_placeholder_stays(template: str, values: dict[str, Value]) -> None:
    assert str(Message("code", template, values)) == template


@pytest.mark.parametrize(
    "text",
    [
        FAULT,
        foreign("the database's own words"),
        list_lines([FAULT, "plain"]),
        message("tables", counted("1 table", "{count} tables"), count=2_000),
    ],
    ids=["nested", "foreign", "lines", "counted"],
)
def test_stored_message_is_the_one_that_was_made(text: Message) -> None:
    read = from_json(text.to_json())

    assert read == text
    assert str(read) == str(text)


@pytest.mark.parametrize(
    "document", [None, "text", [], {"code": 1}, {"code": "a", "template": "b"}]
)
def test_what_other_programs_wrote_is_no_message(document: Any) -> None:
    assert from_json(document) is None


def test_size_bounds_the_text_without_making_it() -> None:
    bomb: Value = "x" * 100
    for _ in range(8):
        bomb = Message("bomb", "{x}" * 100, {"x": bomb})

    assert isinstance(bomb, Message)
    assert bomb.size() > 100**9
    assert FAULT.size() >= len(str(FAULT))


def test_error_has_the_message_and_its_english_text() -> None:
    error = ToolboxError(FAULT)

    assert (error.message, str(error)) == (FAULT, str(FAULT))


def test_foreign_text_of_an_error_has_no_code() -> None:
    error = DataSourceError('relation "{x}" does not exist')

    assert error.message.is_foreign
    assert error.message.render(spanish) == 'relation "{x}" does not exist'
