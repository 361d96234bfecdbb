"""What the conformance suite asks a server for by name, registered beside the tools of the rows.

On a server that mcp_runtime built, so that the suite runs through our HTTP settings, middleware,
providers and notifier. Tools that ask the client for something are in conformance_input.py.
"""

import asyncio
import base64
import io
import json
import wave
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from asgiref.sync import sync_to_async
from django.db.models import F, Value
from django.db.models.functions import Concat
from fastmcp import Context
from fastmcp.exceptions import ToolError
from fastmcp.prompts import Message, Prompt
from fastmcp.resources import ResourceContent, ResourceResult
from fastmcp.tools import Tool
from fastmcp.tools.base import ToolResult
from mcp.server.subscriptions import PromptsListChanged
from mcp_types import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)
from pydantic import Field

from mcp_runtime.server import Runtime
from tests.clients import conformance_input
from tools.models import ToolDefinition

ONE_RED_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
# The suite wants to see several notifications, so there is time between them.
STEP_S = 0.05
# Word for word what the scenario json-schema-2020-12 wants to find again in the list.
SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

ToolFunction = Callable[..., Awaitable[Any]]


def register(runtime: Runtime, together: list[Runtime]) -> None:
    """Offer on the server of `runtime` everything that the suite asks for.

    `together` are all runtimes that are served at one address.
    """
    mcp = runtime.mcp
    functions = (*TOOLS, *conformance_input.TOOLS, *_triggers(together))
    tools = [mcp.add_tool(function) for function in functions]
    tools.append(mcp.add_tool(_schema_tool()))
    _check_headers_of_calls(runtime, tools)
    for prompt in (*PROMPTS, conformance_input.test_input_required_result_prompt):
        mcp.add_prompt(Prompt.from_function(prompt))
    for (uri, mime_type), read in RESOURCES.items():
        mcp.resource(uri, mime_type=mime_type)(read)
    mcp.completion(lambda _reference, argument, _context: [f"{argument.value}ing"])


def _check_headers_of_calls(runtime: Runtime, tools: list[Tool]) -> None:
    # The hook of the runtime knows the rows alone.
    schemas = {tool.name: tool.parameters for tool in tools}
    of_rows = runtime.provider.input_schema
    runtime.mcp._mcp_server.get_tool_input_schema = lambda name: schemas.get(name, of_rows(name))


def _triggers(together: list[Runtime]) -> tuple[ToolFunction, ...]:
    async def test_trigger_tool_change() -> str:
        """Writes a row, as an administrator does: database, watcher and notifier do the rest."""
        longer = Concat(F("description_agent"), Value("."))
        await sync_to_async(ToolDefinition.objects.update)(description_agent=longer)
        return "changed"

    async def test_trigger_prompt_change() -> str:
        """Tells of a changed prompt; in the product there is none."""
        for runtime in together:
            await runtime.notifier._bus.publish(PromptsListChanged())
        return "changed"

    return test_trigger_tool_change, test_trigger_prompt_change


def _schema_tool() -> Tool:
    class SchemaTool(Tool):
        async def run(self, arguments: dict[str, Any]) -> ToolResult:
            return ToolResult(json.dumps(arguments))

    return SchemaTool(
        name="json_schema_2020_12_tool",
        description="Has an input schema of many keywords.",
        parameters=SCHEMA_2020_12,
    )


def _image() -> ImageContent:
    return ImageContent(data=base64.b64encode(ONE_RED_PIXEL).decode(), mime_type="image/png")


def _embedded(uri: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, text=text, mime_type=mime_type))


async def test_simple_text() -> ToolResult:
    """Answers with a text."""
    return ToolResult("This is a simple text response for testing.")


async def test_image_content() -> ToolResult:
    """Answers with an image."""
    return ToolResult([_image()])


async def test_audio_content() -> ToolResult:
    """Answers with a tenth of a second of silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8_000)
        sound.writeframes(bytes(2 * 800))
    data = base64.b64encode(file.getvalue()).decode()
    return ToolResult([AudioContent(data=data, mime_type="audio/wav")])


async def test_embedded_resource() -> ToolResult:
    """Answers with a resource."""
    return ToolResult(
        [_embedded("test://embedded-resource", "This is an embedded resource content.")]
    )


async def test_multiple_content_types() -> ToolResult:
    """Answers with a text, an image and a resource."""
    document = json.dumps({"test": "data", "value": 123})
    text = TextContent(text="Multiple content types test:")
    resource = _embedded("test://mixed-content-resource", document, "application/json")
    return ToolResult([text, _image(), resource])


async def test_error_handling() -> ToolResult:
    """Always fails."""
    raise ToolError("This tool intentionally returns an error for testing")


async def test_tool_with_logging(context: Context) -> str:
    """Logs three times while it runs."""
    await context.info("Tool execution started")
    await asyncio.sleep(STEP_S)
    await context.info("Tool processing data")
    await asyncio.sleep(STEP_S)
    await context.info("Tool execution completed")
    return "logged"


async def test_logging_tool(context: Context) -> str:
    """Logs; a client that set no level must not hear of it."""
    await context.info("nobody asked")
    return "logged"


async def test_tool_with_progress(context: Context) -> str:
    """Reports its progress three times."""
    for progress in (0, 50, 100):
        await context.report_progress(progress, 100)
        await asyncio.sleep(STEP_S)
    return "done"


async def test_custom_headers(
    region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})],
) -> str:
    """Has an argument that a client repeats in a header."""
    return region


TOOLS: tuple[ToolFunction, ...] = (
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_error_handling,
    test_tool_with_logging,
    test_logging_tool,
    test_tool_with_progress,
    test_custom_headers,
)


def test_simple_prompt() -> str:
    """A text."""
    return "This is a simple prompt for testing."


def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """A text with two arguments in it."""
    return f"Prompt with arguments: arg1={arg1!r}, arg2={arg2!r}"


def test_prompt_with_embedded_resource(resourceUri: str) -> list[Message]:  # noqa: N803 - the suite's name
    """A resource and a text."""
    resource = _embedded(resourceUri, "Embedded resource content for testing.")
    return [Message(resource), Message("Please process the embedded resource above.")]


def test_prompt_with_image() -> list[Message]:
    """An image and a text."""
    return [Message(_image()), Message("Please analyze the image above.")]


PROMPTS: tuple[Callable[..., Any], ...] = (
    test_simple_prompt,
    test_prompt_with_arguments,
    test_prompt_with_embedded_resource,
    test_prompt_with_image,
)


def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


def static_binary() -> bytes:
    """An image."""
    return ONE_RED_PIXEL


def watched_resource() -> str:
    """A text to which a client may subscribe."""
    return "watched"


def template_data(id: str) -> ResourceResult:
    """A document that names the identifier of its address."""
    document = {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}
    return ResourceResult([ResourceContent(json.dumps(document), mime_type="application/json")])


RESOURCES: dict[tuple[str, str], Callable[..., Any]] = {
    ("test://static-text", "text/plain"): static_text,
    ("test://static-binary", "image/png"): static_binary,
    ("test://watched-resource", "text/plain"): watched_resource,
    ("test://template/{id}/data", "application/json"): template_data,
}
