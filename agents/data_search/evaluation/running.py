"""One evaluation: each question asked in a session of its own, and what came of it."""

import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass

from google.adk.artifacts import InMemoryArtifactService
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from agents.data_search.application import build_app
from agents.data_search.constants import APP_NAME, QUERY_RESULT, RUN_ERROR, USAGE
from agents.data_search.environment import Environment
from agents.data_search.evaluation.cases import Case
from agents.data_search.evaluation.database import StatementReader
from agents.data_search.evaluation.rows import say_the_same

_USER = "evaluation"
_LANGUAGES = ("ko", "ja", "en")


@dataclass(frozen=True, slots=True)
class EvaluatedCase:
    """How a case came out; `verdict` is "right", "wrong rows", "no answer" or "answered"."""

    id: str
    question: str
    language: str
    verdict: str
    sql: str
    told: str
    model_calls: int
    tokens: int
    seconds: float

    @property
    def is_right(self) -> bool:
        return self.verdict == "right"


async def evaluate(
    environment: Environment, cases: Sequence[Case], *, is_direct: bool = False
) -> AsyncIterator[EvaluatedCase]:
    """The outcome of each case, one after the other. Raises SettingError."""
    runner = Runner(
        app=build_app(environment, is_direct=is_direct),
        session_service=InMemorySessionService(),
        artifact_service=InMemoryArtifactService(),
    )
    try:
        async with StatementReader(environment) as reader:
            for case in cases:
                yield await _ask(runner, reader, case)
    finally:
        await runner.close()


async def _ask(runner: Runner, reader: StatementReader, case: Case) -> EvaluatedCase:
    sessions = runner.session_service
    session = await sessions.create_session(app_name=APP_NAME, user_id=_USER)
    message = types.Content(role="user", parts=[types.Part.from_text(text=case.question)])
    began, told = time.monotonic(), ""
    async for event in runner.run_async(user_id=_USER, session_id=session.id, new_message=message):
        parts = (event.content.parts if event.content else None) or []
        told = "".join(part.text or "" for part in parts) or told
    seconds = time.monotonic() - began
    ended = await sessions.get_session(app_name=APP_NAME, user_id=_USER, session_id=session.id)
    state = ended.state if ended else {}
    sql = str((state.get(QUERY_RESULT) or {}).get("sql", ""))
    usage = state.get(USAGE) or {}
    return EvaluatedCase(
        id=case.id,
        question=case.question,
        language=case.language,
        verdict=await _judge(reader, case, sql, str(state.get(RUN_ERROR) or "")),
        sql=sql,
        told=told,
        model_calls=usage.get("model_calls", 0),
        tokens=usage.get("tokens", 0),
        seconds=round(seconds, 2),
    )


async def _judge(reader: StatementReader, case: Case, sql: str, refusal: str) -> str:
    if case.refusal:
        # A model may also say in its own words that nothing fits; what counts is that no rows came.
        return "answered" if sql else "right"
    if not sql:
        return "no answer"
    expected, actual = await reader.read(case.sql), await reader.read(sql)
    return "right" if say_the_same(expected, actual) else "wrong rows"


def write_report(outcomes: Sequence[EvaluatedCase], model: str) -> str:
    """The outcomes as Markdown: a table of shares, one of cases, and the answers that were not right."""
    lines = [
        f"# The agent with {model}",
        "",
        "| language | right | of | calls | tokens | seconds |",
    ]
    lines.append("|---|---|---|---|---|---|")
    for language in (*_LANGUAGES, "all"):
        own = [each for each in outcomes if language in {each.language, "all"}]
        right = sum(each.is_right for each in own)
        calls, tokens = sum(each.model_calls for each in own), sum(each.tokens for each in own)
        seconds = sum(each.seconds for each in own)
        lines.append(
            f"| {language} | {right} | {len(own)} | {calls} | {tokens:,} | {seconds:.1f} |"
        )
    lines += ["", "| case | verdict | calls | tokens | seconds |", "|---|---|---|---|---|"]
    lines += [
        f"| {each.id} | {each.verdict} | {each.model_calls} | {each.tokens:,} | {each.seconds} |"
        for each in outcomes
    ]
    for each in outcomes:
        if not each.is_right:
            lines += ["", f"## {each.id}: {each.question}", "", each.told.strip()]
    return "\n".join(lines) + "\n"


def to_records(outcomes: Sequence[EvaluatedCase]) -> list[dict[str, object]]:
    """The outcomes as plain JSON."""
    return [asdict(each) for each in outcomes]
