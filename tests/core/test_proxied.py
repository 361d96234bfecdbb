"""Calls of proxied tools: arguments against what was accepted, answers against what was promised."""

from typing import Any

import pytest

from core.errors import ArgumentsError, DataSourceError, DefinitionError
from core.ingest.remote_tools import RemoteTool, read_remote_tool
from core.proxied import ProxiedChecks, ProxiedSpec, wire_content
from core.results import Answer

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "maximum": 9}},
    "required": ["city"],
    "additionalProperties": False,
}
OUTPUT = {"type": "object", "properties": {"sun": {"type": "boolean"}}, "required": ["sun"]}
TEXT = {"type": "text", "text": "sunny"}


def tool(**changes: Any) -> RemoteTool:
    return read_remote_tool({"name": "forecast", "inputSchema": SCHEMA, **changes})


def checks(accepted: RemoteTool | None = None, **changes: Any) -> ProxiedChecks:
    given = {"id": 1, "name": "weather_forecast", "byte_limit": 1_000, "timeout_ms": 1_000}
    return ProxiedChecks(
        ProxiedSpec(server="weather", accepted=accepted or tool(), **{**given, **changes})
    )


def test_fitting_arguments_stay_as_they_are() -> None:
    assert checks().check_arguments({"city": "Seoul"}) == {"city": "Seoul"}


def test_every_argument_that_does_not_fit_is_named() -> None:
    with pytest.raises(ArgumentsError) as caught:
        checks().check_arguments({"days": 10, "more": 1})

    first, *lines = str(caught.value).splitlines()
    assert first == "Invalid arguments for weather_forecast:"
    assert sorted(line.split(":")[0] for line in lines) == ["- city", "- days", "- more"]


def test_changed_tool_goes_on_where_its_arguments_fit_both() -> None:
    seen = tool(inputSchema={**SCHEMA, "required": ["city", "days"]})

    assert checks(seen=seen).check_arguments({"city": "Seoul", "days": 1})
    with pytest.raises(ArgumentsError, match=r"was changed on its server .*days"):
        checks(seen=seen).check_arguments({"city": "Seoul"})


def test_what_the_server_newly_takes_is_not_accepted() -> None:
    properties = {**SCHEMA["properties"], "password": {"type": "string"}}  # type: ignore[dict-item]
    seen = tool(inputSchema={**SCHEMA, "properties": properties})

    with pytest.raises(ArgumentsError, match="password"):
        checks(seen=seen).check_arguments({"city": "Seoul", "password": "x"})


def test_hints_that_are_not_given_are_taken_for_the_worst() -> None:
    spec = ProxiedSpec(
        id=1,
        name="x",
        server="w",
        accepted=tool(annotations={"readOnlyHint": True}),
        byte_limit=1,
        timeout_ms=1,
    )

    assert spec.annotations == {
        "readOnlyHint": True,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": True,
    }


def test_answer_is_passed_on_as_it_is() -> None:
    picture = {"type": "image", "data": "eA==", "mimeType": "image/png"}
    answer = checks().read_answer({"content": [TEXT, picture], "structuredContent": None})

    assert wire_content(answer) == {"content": [TEXT, picture]}
    assert answer.texts == ("sunny",)


def test_structured_content_is_passed_on() -> None:
    answer = checks(tool(outputSchema=OUTPUT)).read_answer({"structuredContent": {"sun": True}})

    assert wire_content(answer) == {"content": [], "structuredContent": {"sun": True}}


def test_answer_of_another_tool_is_texts_and_structured_content() -> None:
    assert wire_content(Answer(structured={"result": 1}, texts=("1",))) == {
        "content": [{"type": "text", "text": "1"}],
        "structuredContent": {"result": 1},
    }


@pytest.mark.parametrize(
    ("result", "text"),
    [
        pytest.param({"isError": True, "content": [TEXT]}, "^sunny$", id="error of the tool"),
        pytest.param({"isError": True, "content": []}, "and not why", id="error without a reason"),
        pytest.param(
            {"isError": True, "content": [], "structuredContent": {"code": "E42"}},
            '^{"code":"E42"}$',
            id="error with structure alone",
        ),
        pytest.param(
            {
                "isError": True,
                "content": [{"type": "resource", "resource": {"uri": "x://log", "text": "full"}}],
            },
            "^full$",
            id="error with a resource alone",
        ),
        pytest.param({"content": "x"}, "no list of content", id="text for content"),
        pytest.param({"content": [{"type": "virus"}]}, "unknown kind", id="unknown kind"),
        pytest.param({"content": [{"type": "text", "text": 5}]}, "unknown kind", id="no text"),
        pytest.param({"structuredContent": {"sun": "x"}}, "output schema promises .*sun", id="lie"),
        pytest.param({"structuredContent": [1]}, "sent none", id="no object"),
        pytest.param({"content": [TEXT]}, "sent none", id="nothing structured"),
        pytest.param({"content": [{**TEXT, "text": "x" * 999}]}, "more than the limit", id="huge"),
    ],
)
def test_answer_that_is_not_what_was_promised_is_an_error(
    result: dict[str, Any], text: str
) -> None:
    with pytest.raises(DataSourceError, match=text):
        checks(tool(outputSchema=OUTPUT)).read_answer(result)


def test_name_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(DefinitionError, match="choose a shorter namespace"):
        checks(name="x" * 65)
