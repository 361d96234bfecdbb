"""Tools of the conformance suite that ask the client: by a request before 2026, by their result since."""

from collections.abc import Awaitable, Callable
from typing import Any

from fastmcp import Context
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)

Schema = dict[str, Any]

DEFAULTS: dict[str, Schema] = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {
        "type": "string",
        "enum": ["active", "inactive", "pending"],
        "default": "active",
    },
    "verified": {"type": "boolean", "default": True},
}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [
    {"const": f"value{number}", "title": f"{word} Option"}
    for number, word in enumerate(("First", "Second", "Third"), start=1)
]
ENUMS: dict[str, Schema] = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}


def _question(message: str, **properties: Schema) -> ElicitRequest:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _completion(prompt: str) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(text=prompt))
    return CreateMessageRequest(
        params=CreateMessageRequestParams(messages=[message], max_tokens=100)
    )


NAME = _question("What is your name?", name={"type": "string"})
CONFIRMATION = _question("Please confirm", ok={"type": "boolean"})
CAPITAL = _completion("What is the capital of France?")


async def _elicit(context: Context, question: ElicitRequest) -> str:
    params = question.params
    assert isinstance(params, ElicitRequestFormParams)
    result = await context.session.elicit_form(
        params.message, params.requested_schema, related_request_id=context.request_id
    )
    return f"Elicitation completed: action={result.action}, content={result.content}"


async def test_sampling(prompt: str, context: Context) -> str:
    """Asks the client's model."""
    # Not create_message(): it is deprecated, and warnings are errors here.
    result = await context.session.send_request(
        _completion(prompt),
        CreateMessageResult,
        metadata=ServerMessageMetadata(related_request_id=context.request_id),
    )
    return f"LLM response: {result.content}"


async def test_elicitation(message: str, context: Context) -> str:
    """Asks the client's user for a name and an address."""
    text = {"type": "string"}
    return await _elicit(context, _question(message, username=text, email=text))


async def test_elicitation_sep1034_defaults(context: Context) -> str:
    """Asks with a default value of every type."""
    return await _elicit(context, _question("Please check", **DEFAULTS))


async def test_elicitation_sep1330_enums(context: Context) -> str:
    """Asks with every form of a choice."""
    return await _elicit(context, _question("Please choose", **ENUMS))


def _ask(requests: dict[str, InputRequest], state: str | None = None) -> InputRequiredResult:
    return InputRequiredResult(input_requests=requests, request_state=state)


def _declares(session: ServerSession, **capabilities: Any) -> bool:
    return session.check_client_capability(ClientCapabilities(**capabilities))


async def test_missing_capability(context: Context) -> str:
    """Refuses a client that cannot sample."""
    if _declares(context.session, sampling={}):
        return "the client can sample"
    raise MCPError(
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        "this tool needs sampling",
        {"requiredCapabilities": {"sampling": {}}},
    )


async def test_streaming_elicitation(context: Context) -> str | InputRequiredResult:
    """Reports progress, then asks for a name."""
    await context.report_progress(1, 2)
    return "done" if context.input_responses else _ask({"user_name": NAME})


async def test_input_required_result_elicitation(context: Context) -> str | InputRequiredResult:
    """Asks for a name."""
    answer = (context.input_responses or {}).get("user_name")
    content = getattr(answer, "content", None)
    if not isinstance(content, dict):
        return _ask({"user_name": NAME})
    return f"Hello, {content['name']}!"


async def test_input_required_result_sampling(context: Context) -> str | InputRequiredResult:
    """Asks the client's model."""
    answer = (context.input_responses or {}).get("capital_question")
    return str(answer) if answer else _ask({"capital_question": CAPITAL})


async def test_input_required_result_list_roots(context: Context) -> str | InputRequiredResult:
    """Asks for the client's roots."""
    answer = (context.input_responses or {}).get("client_roots")
    return str(answer) if answer else _ask({"client_roots": ListRootsRequest()})


async def test_input_required_result_request_state(context: Context) -> str | InputRequiredResult:
    """Asks for a confirmation and keeps its state with the client."""
    if context.request_state == "asked" and context.input_responses:
        return "state-ok"
    return _ask({"confirm": CONFIRMATION}, "asked")


async def test_input_required_result_tampered_state(context: Context) -> str | InputRequiredResult:
    """Asks for a confirmation; the server seals the state, so that a changed one never comes here."""
    return await test_input_required_result_request_state(context)


async def test_input_required_result_multiple_inputs(context: Context) -> str | InputRequiredResult:
    """Asks the user, the model and for roots at once."""
    wanted = {"user_name", "greeting", "client_roots"}
    if context.request_state == "asked" and wanted <= (context.input_responses or {}).keys():
        return "done"
    greeting = _completion("Generate a greeting")
    requests: dict[str, InputRequest] = {
        "user_name": NAME,
        "greeting": greeting,
        "client_roots": ListRootsRequest(),
    }
    return _ask(requests, "asked")


async def test_input_required_result_multi_round(context: Context) -> str | InputRequiredResult:
    """Asks twice, one after the other."""
    answers = context.input_responses or {}
    if context.request_state == "two" and "step2" in answers:
        return "done"
    text = {"type": "string"}
    if context.request_state == "one" and "step1" in answers:
        second = _question("Step 2: What is your favorite color?", color=text)
        return _ask({"step2": second}, "two")
    return _ask({"step1": _question("Step 1: What is your name?", name=text)}, "one")


async def test_input_required_result_capabilities(context: Context) -> str | InputRequiredResult:
    """Asks for what the client can do, and nothing else."""
    requests: dict[str, InputRequest] = {}
    if _declares(context.session, sampling={}):
        requests["capital_question"] = CAPITAL
    if _declares(context.session, elicitation={}):
        requests["user_name"] = NAME
    return _ask(requests) if requests and not context.input_responses else "done"


async def test_input_required_result_prompt(context: Context) -> str | InputRequiredResult:
    """A prompt that first asks for its context."""
    answer = (context.input_responses or {}).get("user_context")
    question = _question("What context should the prompt use?", context={"type": "string"})
    return str(answer) if answer else _ask({"user_context": question})


TOOLS: tuple[Callable[..., Awaitable[Any]], ...] = (
    test_sampling,
    test_elicitation,
    test_elicitation_sep1034_defaults,
    test_elicitation_sep1330_enums,
    test_missing_capability,
    test_streaming_elicitation,
    test_input_required_result_elicitation,
    test_input_required_result_sampling,
    test_input_required_result_list_roots,
    test_input_required_result_request_state,
    test_input_required_result_tampered_state,
    test_input_required_result_multiple_inputs,
    test_input_required_result_multi_round,
    test_input_required_result_capabilities,
)
