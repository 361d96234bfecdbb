"""The command: one question, or a conversation; answers on stdout, progress on stderr."""

import argparse
import asyncio
import logging
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from google.adk.agents.run_config import RunConfig
from google.adk.artifacts import FileArtifactService
from google.adk.events import Event
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from agents.data_search.application import build_app
from agents.data_search.constants import APP_NAME, RUN_ERROR, STOPPED_STAGE
from agents.data_search.environment import RECORDED_NOTICE, Environment, read_environment
from agents.data_search.faults import AgentError, SettingError, explain_fault
from agents.data_search.languages import detect_language
from agents.data_search.progress import describe_event

ANSWERED, FAILED, WRONG_USE, CANCELLED = 0, 1, 2, 130
_USER = "user"
# Three loops of three rounds with two agents, and the look-ups of one of them, stay below it.
_MAX_MODEL_CALLS = 60
_CLOSE_TIMEOUT_S = 10.0
_NOISY_LOGGERS = ("google_adk", "google_genai", "httpx", "httpx2", "mcp", "openai", "asyncio")


@dataclass(slots=True)
class Conversation:
    """A session with the agent, on one event loop."""

    runner: Runner
    session_id: str
    out: TextIO
    progress: TextIO
    _last_line: str = ""

    async def ask(self, question: str) -> int:
        """Write the answer to a question; the exit code that it deserves."""
        message = types.Content(role="user", parts=[types.Part.from_text(text=question)])
        code = ANSWERED
        async for event in self.runner.run_async(
            user_id=_USER,
            session_id=self.session_id,
            new_message=message,
            run_config=RunConfig(max_llm_calls=_MAX_MODEL_CALLS),
        ):
            code = max(code, self._tell(event))
        return code

    async def close(self) -> None:
        """Close the sessions with the tool server."""
        async with asyncio.timeout(_CLOSE_TIMEOUT_S):
            await self.runner.close()

    def _tell(self, event: Event) -> int:
        for line in describe_event(event):
            # A reviewer sends on what the agent before it found.
            if line != self._last_line:
                self.progress.write(line + "\n")
            self._last_line = line
        self.progress.flush()
        if event.author in {"root_agent", "answer"} and (text := _find_text(event)):
            self.out.write(text + "\n")
            self.out.flush()
        changes = event.actions.state_delta
        return FAILED if changes.get(RUN_ERROR) or changes.get(STOPPED_STAGE) else ANSWERED


async def open_conversation(environment: Environment, *, is_direct: bool = False) -> Conversation:
    """A new session, whose artifacts go to the environment's folder. Raises SettingError."""
    environment.artifacts_dir.mkdir(parents=True, exist_ok=True)
    runner = Runner(
        app=build_app(environment, is_direct=is_direct),
        session_service=InMemorySessionService(),
        artifact_service=FileArtifactService(root_dir=environment.artifacts_dir),
    )
    session = await runner.session_service.create_session(app_name=APP_NAME, user_id=_USER)
    return Conversation(runner, session.id, sys.stdout, sys.stderr)


def main(arguments: Sequence[str]) -> int:
    """Run the command; 0 answered, 1 the run failed, 2 wrong environment or usage, 130 cancelled."""
    options = _read_options(arguments)
    _quiet_libraries()
    try:
        environment = read_environment(os.environ)
        with asyncio.Runner() as loop:
            conversation = loop.run(open_conversation(environment, is_direct=options.direct))
            _say_start(environment)
            try:
                return _converse(loop, conversation, " ".join(options.question).strip())
            finally:
                loop.run(conversation.close())
    except SettingError as fault:
        sys.stderr.write(f"{fault}\n")
        return WRONG_USE
    except KeyboardInterrupt:
        sys.stderr.write("cancelled\n")
        return CANCELLED


def _converse(loop: asyncio.Runner, conversation: Conversation, question: str) -> int:
    """Answer the question, or those that are typed until the input ends; the last one's exit code."""
    if question:
        return _answer(loop, conversation, question)
    code = ANSWERED
    while (line := _read_line()) is not None:
        if line:
            code = _answer(loop, conversation, line)
    return code


def _answer(loop: asyncio.Runner, conversation: Conversation, question: str) -> int:
    try:
        return loop.run(conversation.ask(question))
    except AgentError as fault:
        sys.stderr.write(explain_fault(fault.code, detect_language(question)) + "\n")
    except Exception:
        # The border: whatever ADK raises becomes one line, and the log has the rest.
        logging.getLogger(__name__).exception("the run broke off")
        sys.stderr.write(explain_fault("own_fault", detect_language(question)) + "\n")
    return FAILED


def _read_line() -> str | None:
    """What is typed next, None at the end of the input."""
    if sys.stdin.isatty():
        sys.stderr.write("> ")
        sys.stderr.flush()
    line = sys.stdin.readline()
    return line.strip() if line else None


def _read_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m agents.data_search",
        description="Answers questions about data with a table, the SQL and files.",
        epilog="Without a question, each line of the input is one.",
    )
    parser.add_argument("question", nargs="*", help="in Korean, Japanese or English")
    parser.add_argument(
        "--direct", action="store_true", help="start at the pipeline, not at the root agent"
    )
    return parser.parse_args(arguments)


def _say_start(environment: Environment) -> None:
    if environment.is_recorded:
        sys.stderr.write(f"{RECORDED_NOTICE}\n")
    sys.stderr.write(f"files go to {environment.artifacts_dir}\n")


def _quiet_libraries() -> None:
    """The log says what we say; AGENT_LOG_LEVEL shows the libraries' too."""
    # Who sets ADK_ENABLE_MCP_MODERN_PROTOCOL knows that it is new.
    warnings.filterwarnings("ignore", r"\[EXPERIMENTAL\]", UserWarning)
    level = os.environ.get("AGENT_LOG_LEVEL", "").upper()
    logging.basicConfig(level=level or logging.ERROR, stream=sys.stderr)
    if not level:
        for name in _NOISY_LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _find_text(event: Event) -> str:
    parts = (event.content.parts if event.content else None) or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    return "" if event.partial else text.strip()
