"""The language model behind real endpoints, good and bad ones."""

import http.server
import json
import threading
from collections.abc import Iterator

import pytest
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from agents.data_search.environment import Environment
from agents.data_search.faults import LanguageModelError
from agents.data_search.model import make_model
from tests.agents.data_search.contexts import user_message

_ANSWER = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}}]}
_BODIES = {
    "answer": (200, "application/json", json.dumps(_ANSWER)),
    "page": (200, "text/html", "<html></html>"),
    "nothing": (200, "application/json", '{"choices": []}'),
    "broken": (200, "application/json", "{"),
}


class Endpoint(http.server.BaseHTTPRequestHandler):
    """Answers by the first part of its path: a status, a body, or one that never ends."""

    protocol_version = "HTTP/1.1"
    is_over = threading.Event()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        kind = self.path.split("/")[1]
        if kind == "never":
            self.is_over.wait(10)
            self.close_connection = True
            return
        status, media, body = _BODIES.get(kind) or (
            int(kind),
            "application/json",
            '{"error": "at host"}',
        )
        self.send_response(status)
        self.send_header("content-type", media)
        self.send_header("content-length", str(len(body)))
        self.send_header("x-should-retry", "false")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    Endpoint.is_over.set()
    server.shutdown()
    thread.join(5)
    server.server_close()


async def ask(base_url: str, *, timeout_s: float = 120) -> list[LlmResponse]:
    environment = Environment(
        llm_base_url=base_url,
        llm_model="m",
        llm_api_key="secret",
        llm_timeout_s=timeout_s,
    )
    model = make_model(environment)
    request = LlmRequest(contents=[user_message("hi")])
    try:
        return [response async for response in model.generate_content_async(request)]
    finally:
        await model.close()


async def test_an_answer_comes_through(endpoint: str) -> None:
    [response] = await ask(f"{endpoint}/answer")

    assert response.content is not None
    assert response.content.parts is not None
    assert response.content.parts[0].text == "hello"


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("401", "model_key"),
        ("403", "model_forbidden"),
        ("404", "model_missing"),
        ("400", "model_request"),
        ("429", "model_limit"),
        ("500", "model_fault"),
        ("page", "model_unreadable"),
        ("broken", "model_unreadable"),
        ("nothing", "model_empty"),
    ],
)
async def test_a_fault_is_named_without_its_details(endpoint: str, kind: str, code: str) -> None:
    with pytest.raises(LanguageModelError) as caught:
        await ask(f"{endpoint}/{kind}")

    assert caught.value.code == code
    assert "host" not in str(caught.value)


async def test_an_answer_that_never_comes_has_a_deadline(endpoint: str) -> None:
    with pytest.raises(LanguageModelError, match="did not answer in time"):
        await ask(f"{endpoint}/never", timeout_s=0.2)


async def test_a_model_that_is_away_is_named() -> None:
    with pytest.raises(LanguageModelError, match="does not answer"):
        await ask("http://127.0.0.1:1")


async def replay(question: str, agent: str) -> types.Part:
    """The recorded reply of an agent, asked as ADK asks."""
    config = types.GenerateContentConfig(
        system_instruction=f"# Role\n\n## Question\n{question}\n\n## Now\nAnswer.",
        labels={"adk_agent_name": agent},
    )
    model = make_model(Environment())
    request = LlmRequest(contents=[user_message(question)], config=config)
    [response] = [response async for response in model.generate_content_async(request)]
    await model.close()
    assert response.content
    [part] = response.content.parts or []
    return part


async def test_recorded_replies_replace_a_model_that_is_not_set() -> None:
    question = "How many orders are in each status?"

    written = await replay(question, "sql_generator")
    run = await replay(question, "sql_reviewer")

    assert written.text
    assert run.function_call
    assert run.function_call.name == "execute_postgres_query"
    assert run.function_call.args == {"sql_query": written.text}


async def test_without_a_model_other_questions_are_refused() -> None:
    with pytest.raises(LanguageModelError, match="set LLM_BASE_URL and LLM_MODEL"):
        await replay("How many orders are late?", "sql_generator")
