"""One run of the agent in this process, and what came of it."""

import csv
import io
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import openpyxl
import psycopg
from google.adk.artifacts import FileArtifactService
from google.adk.events import Event
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from agents.data_search.application import build_app
from agents.data_search.constants import APP_NAME, QUERY_RESULT, RUN_ERROR, STOPPED_STAGE
from agents.data_search.environment import Environment

USER = "tester"
ANSWERING = ("answer", "root_agent")

Rows = list[tuple[str, ...]]


@dataclass
class Outcome:
    """How a run ended: the answer's text, the state, every event, the files by extension."""

    text: str = ""
    state: dict[str, Any] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    @property
    def is_answered(self) -> bool:
        return not self.state.get(RUN_ERROR) and not self.state.get(STOPPED_STAGE)

    @property
    def sql(self) -> str:
        return str(self.result.get("sql", ""))

    @property
    def result(self) -> dict[str, Any]:
        return dict(self.state.get(QUERY_RESULT) or {})

    def calls(self, tool: str) -> int:
        """How often the agents called a tool."""
        return sum(c.name == tool for event in self.events for c in event.get_function_calls())


@dataclass
class Session:
    """A conversation with the agent; `events` yields a question's events as they come."""

    runner: Runner
    session_id: str

    def events(self, question: str, *files: types.Part) -> AsyncIterator[Event]:
        message = types.Content(role="user", parts=[types.Part.from_text(text=question), *files])
        return self.runner.run_async(user_id=USER, session_id=self.session_id, new_message=message)

    async def ask(self, question: str, *files: types.Part) -> Outcome:
        """The whole run."""
        outcome = Outcome()
        async for event in self.events(question, *files):
            outcome.events.append(event)
            if event.author in ANSWERING and (text := text_of(event)):
                outcome.text = text
        session = await self.runner.session_service.get_session(
            app_name=APP_NAME, user_id=USER, session_id=self.session_id
        )
        assert session
        outcome.state = dict(session.state)
        for name in outcome.result.get("artifacts", ()):
            outcome.files[name.rpartition(".")[2]] = await self.load(name)
        return outcome

    async def load(self, name: str) -> bytes:
        """An artifact's bytes."""
        service = self.runner.artifact_service
        assert service
        part = await service.load_artifact(
            app_name=APP_NAME, user_id=USER, session_id=self.session_id, filename=name
        )
        assert part
        assert part.inline_data
        return part.inline_data.data or b""


@asynccontextmanager
async def open_session(
    environment: Environment, *, is_direct: bool = True
) -> AsyncIterator[Session]:
    """A session of its own, with sessions in memory and files in the environment's folder."""
    runner = Runner(
        app=build_app(environment, is_direct=is_direct),
        session_service=InMemorySessionService(),
        artifact_service=FileArtifactService(root_dir=environment.artifacts_dir),
    )
    try:
        session = await runner.session_service.create_session(app_name=APP_NAME, user_id=USER)
        yield Session(runner, session.id)
    finally:
        await runner.close()


def text_of(event: Event) -> str:
    """The event's text, empty for a call or a part of a stream."""
    parts = (event.content.parts if event.content else None) or []
    return "" if event.partial else "".join(part.text or "" for part in parts)


def read_csv(data: bytes) -> Rows:
    """The rows below the heading; the byte-order mark by which Excel knows the encoding is needed."""
    assert data.startswith(b"\xef\xbb\xbf")
    return [tuple(map(plain, row)) for row in csv.reader(io.StringIO(data.decode("utf-8-sig")))][1:]


def read_xlsx(data: bytes) -> Rows:
    """The rows below the heading, of the only sheet."""
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True)
    [sheet] = book.worksheets
    rows = [tuple(map(plain, row)) for row in sheet.iter_rows(min_row=2, values_only=True)]
    book.close()
    return rows


def query(dsn: str, sql: str) -> Rows:
    """The database's own answer, past the server."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        return [tuple(map(plain, row)) for row in connection.execute(sql).fetchall()]


def plain(value: object) -> str:
    """A value as text that is the same from a database, a CSV file and a spreadsheet."""
    if value is None:
        return ""
    if isinstance(value, datetime) and not value.time().isoformat().strip("0:"):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    try:
        return f"{Decimal(str(value)):.2f}"
    except ArithmeticError:
        return str(value)


def markdown_rows(text: str) -> list[Sequence[str]]:
    """The cells of the table in an answer, without its heading."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def tool_answer_sizes(outcome: Outcome, tool: str) -> list[int]:
    """Letters of what the model is shown of each of a tool's answers."""
    responses = (r for event in outcome.events for r in event.get_function_responses())
    return [len(str(r.response)) for r in responses if r.name == tool]
