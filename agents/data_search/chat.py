"""The command: one question, or a conversation; answers on stdout, progress on stderr."""

import argparse
import asyncio
import logging
import mimetypes
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.adk.agents.run_config import RunConfig
from google.adk.artifacts import FileArtifactService
from google.adk.events import Event
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from agents.data_search.application import build_app
from agents.data_search.catalogue import one_line
from agents.data_search.constants import (
    APP_NAME,
    COLUMN_NAMES_STATES,
    DONE_STAGES,
    FEEDBACK_KEYS,
    QUERY_RESULT,
    RUN_ERROR,
    SQL_QUERY,
    STAGES,
    STANDARD_COLUMNS,
    STOPPED_STAGE,
)
from agents.data_search.environment import RECORDED_NOTICE, Environment, read_environment
from agents.data_search.faults import AgentError, SettingError, explain_fault
from agents.data_search.languages import detect_language
from agents.data_search.replies import read_column_names, read_standard_columns

ANSWERED, FAILED, WRONG_USE, CANCELLED = 0, 1, 2, 130
_USER = "user"
# Three loops of three rounds with two agents, and the look-ups of one of them, stay below it.
_MAX_MODEL_CALLS = 60
_CLOSE_TIMEOUT_S = 10.0
_LINE_CHARACTERS = 200
_TITLES = ("column extraction", "column standardization", "SQL generation")
_NOISY_LOGGERS = ("google_adk", "google_genai", "httpx", "httpx2", "mcp", "openai", "asyncio")


@dataclass(slots=True)
class Conversation:
    """A session with the agent, on one event loop."""

    runner: Runner
    session_id: str
    _last_line: str = ""

    async def ask(self, question: str, files: Sequence[Path] = ()) -> int:
        """Write the answer to a question that came with these files; its exit code."""
        parts = [types.Part.from_text(text=question), *map(read_part, files)]
        message = types.Content(role="user", parts=parts)
        code = ANSWERED
        async for event in self.runner.run_async(
            user_id=_USER,
            session_id=self.session_id,
            new_message=message,
            run_config=RunConfig(max_llm_calls=_MAX_MODEL_CALLS),
        ):
            for line in describe_event(event):
                # A reviewer sends on what the agent before it found.
                if line != self._last_line:
                    sys.stderr.write(line + "\n")
                self._last_line = line
            sys.stderr.flush()
            parts = (event.content.parts if event.content else None) or []
            text = "".join(part.text for part in parts if part.text and not part.thought).strip()
            if event.author in {"root_agent", "answer"} and text and not event.partial:
                sys.stdout.write(text + "\n")
                sys.stdout.flush()
            changes = event.actions.state_delta
            if changes.get(RUN_ERROR) or changes.get(STOPPED_STAGE):
                code = FAILED
        return code

    async def close(self) -> None:
        """Close the sessions with the tool server."""
        async with asyncio.timeout(_CLOSE_TIMEOUT_S):
            await self.runner.close()


async def open_conversation(environment: Environment, *, is_direct: bool = False) -> Conversation:
    """A new session, whose artifacts go to the environment's folder. Raises SettingError."""
    environment.artifacts_dir.mkdir(parents=True, exist_ok=True)
    runner = Runner(
        app=build_app(environment, is_direct=is_direct),
        session_service=InMemorySessionService(),
        artifact_service=FileArtifactService(root_dir=environment.artifacts_dir),
    )
    session = await runner.session_service.create_session(app_name=APP_NAME, user_id=_USER)
    return Conversation(runner, session.id)


def main(arguments: Sequence[str]) -> int:
    """Run the command; 0 answered, 1 the run failed, 2 wrong environment or usage, 130 cancelled."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.data_search",
        description="Answers questions about data with a table, the SQL and files.",
        epilog="Without a question, each line of the input is one.",
    )
    parser.add_argument("question", nargs="*", help="in Korean, Japanese or English")
    parser.add_argument(
        "--file",
        action="append",
        type=Path,
        default=[],
        help="CSV, XLSX or an image that the (first) question is about; may be given again",
    )
    parser.add_argument(
        "--direct", action="store_true", help="start at the pipeline, not at the root agent"
    )
    options = parser.parse_args(arguments)
    _quiet_libraries()
    try:
        environment = read_environment(os.environ)
        with asyncio.Runner() as loop:
            conversation = loop.run(open_conversation(environment, is_direct=options.direct))
            if environment.is_recorded:
                sys.stderr.write(f"{RECORDED_NOTICE}\n")
            sys.stderr.write(f"files go to {environment.artifacts_dir}\n")
            try:
                question = " ".join(options.question).strip()
                return _converse(loop, conversation, question, options.file)
            finally:
                loop.run(conversation.close())
    except SettingError as fault:
        sys.stderr.write(f"{fault}\n")
        return WRONG_USE
    except KeyboardInterrupt:
        sys.stderr.write("cancelled\n")
        return CANCELLED


def _quiet_libraries() -> None:
    """The log holds our own lines; AGENT_LOG_LEVEL shows the libraries' too."""
    # People who set ADK_ENABLE_MCP_MODERN_PROTOCOL know that it is new.
    warnings.filterwarnings("ignore", r"\[EXPERIMENTAL\]", UserWarning)
    level = os.environ.get("AGENT_LOG_LEVEL", "").upper()
    logging.basicConfig(level=level or logging.ERROR, stream=sys.stderr)
    if not level:
        for name in _NOISY_LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def read_part(file: Path) -> types.Part:
    """The file as a part of a message. Raises SettingError if it cannot be read."""
    mime_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    try:
        part = types.Part.from_bytes(data=file.read_bytes(), mime_type=mime_type)
    except OSError as error:
        raise SettingError(f"the file {file.name} cannot be read") from error
    if part.inline_data:
        part.inline_data.display_name = file.name
    return part


def _converse(
    loop: asyncio.Runner, conversation: Conversation, question: str, files: Sequence[Path]
) -> int:
    """Answer the question, or those that are typed until the input ends; the last one's exit code."""
    if question:
        return _answer(loop, conversation, question, files)
    code = ANSWERED
    while True:
        if sys.stdin.isatty():
            sys.stderr.write("> ")
            sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            return code
        if line.strip():
            code = _answer(loop, conversation, line.strip(), files)
            files = ()


def _answer(
    loop: asyncio.Runner, conversation: Conversation, question: str, files: Sequence[Path]
) -> int:
    try:
        return loop.run(conversation.ask(question, files))
    except SettingError:
        raise
    except AgentError as fault:
        sys.stderr.write(explain_fault(fault.code, detect_language(question)) + "\n")
    except Exception:
        # The border: whatever ADK raises becomes one line, and the log has the rest.
        logging.getLogger(__name__).exception("the run broke off")
        sys.stderr.write(explain_fault("own_fault", detect_language(question)) + "\n")
    return FAILED


def describe_event(event: Event) -> list[str]:
    """What a run is doing, in a line for each step; none for an event that changed nothing of interest."""
    changes = event.actions.state_delta
    # What clears the state at the start of a run is no step of it.
    if not changes or changes.get(DONE_STAGES) == []:
        return []
    lines: list[str] = []
    for number, stage in enumerate(STAGES):
        steps = [_describe_result(number, changes)]
        if feedback := changes.get(FEEDBACK_KEYS[stage]):
            steps.append(f"to correct: {one_line(feedback)}")
        if stage in (changes.get(DONE_STAGES) or ())[-1:]:
            steps.append("done")
        mark = f"[{number + 1}/{len(STAGES)}] {_TITLES[number]}: "
        lines += [(mark + step)[:_LINE_CHARACTERS] for step in steps if step]
    return lines


def _describe_result(number: int, changes: Mapping[str, Any]) -> str:
    match number:
        case 0:
            names = read_column_names(str(changes.get(COLUMN_NAMES_STATES) or ""))
            return ", ".join(names.names()) if names else ""
        case 1:
            columns = read_standard_columns(str(changes.get(STANDARD_COLUMNS) or ""))
            return ", ".join(f"{column.table}.{column.column}" for column in columns)
        case _:
            result = changes.get(QUERY_RESULT)
            return f"{result['row_count']:,} rows" if result else one_line(changes.get(SQL_QUERY))
