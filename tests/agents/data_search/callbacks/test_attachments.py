"""What came with a question becomes text for the prompts, and files."""

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from agents.data_search.callbacks.attachments import (
    read_attachments_before_agent_callback,
    show_images_before_model_callback,
)
from tests.agents.data_search.contexts import make_context, user_message

_PNG = types.Part.from_bytes(data=b"\x89PNG", mime_type="image/png")


def _file(name: str, data: bytes) -> types.Part:
    part = types.Part.from_bytes(data=data, mime_type="application/octet-stream")
    assert part.inline_data is not None
    part.inline_data.display_name = name
    return part


async def test_tables_and_images_are_described_and_tables_saved() -> None:
    files = (_file("stores.csv", b"store,region\nGangnam,KR\n"), _file("x.pdf", b"%PDF"), _PNG)
    context = await make_context(user_message("sales of these stores", *files))

    await read_attachments_before_agent_callback(context)

    described = context.state["attachments"]
    assert "stores.csv: a table of 2 columns, 1 of 1 rows shown" in described
    assert "| Gangnam | KR |" in described
    assert "x.pdf: cannot be read; attach CSV, XLSX or an image" in described
    assert "attachment 4: an image of" in described
    [artifact] = context.state["artifact_states"]["run-1"]["artifacts"]
    assert (artifact["type"], artifact["data_length"]) == ("table", 1)


async def test_reply_to_what_was_asked_back_speaks_of_the_same_files() -> None:
    turn = {"question": "q", "asked": "which?", "sql": "", "attachments": "stores.csv: a table"}
    context = await make_context("the first", {"turns": [turn]})

    await read_attachments_before_agent_callback(context)

    assert context.state["attachments"] == "stores.csv: a table"


async def test_model_that_reads_images_is_shown_them() -> None:
    request = LlmRequest()

    show_images_before_model_callback(await make_context(user_message("this", _PNG)), request)

    assert [part for content in request.contents for part in content.parts or []] == [_PNG]
