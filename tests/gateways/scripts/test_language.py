"""The served language, in the processes in which it is served."""

from collections.abc import Awaitable
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import product

import pytest

from core.errors import (
    EvaluationError,
    ExpressionError,
)
from core.script import SCRIPT_FUNCTIONS, CompiledScript, compile_script
from core.toolspec import JsonValue
from gateways.scripts import language
from gateways.scripts.sandbox import missing_support
from gateways.scripts.workers import LOST_TEXT, ScriptWorkers
from tests.gateways.scripts.runs import LONG_MS

pytestmark = pytest.mark.skipif(missing_support() is not None, reason="the sandbox needs Linux")


CALLS = [
    "",
    "number",
    "number, 2",
    "number, 2, 3",
    "name",
    "name, 'a'",
    "values",
    "values, 2",
    "values, values",
    "records, 'kind'",
    "records, 'kind', 'size'",
    "day",
    "moment",
    "day, 3",
    "day, moment",
    "'2024-02-29T10:00:00+09:00'",
    "day, '%A %d %B %Y %j %U'",
    "moment, '%H:%M:%S %p'",
    "'[1, {}]'",
    "[values, values]",
]
ARGUMENTS: dict[str, object] = {
    "number": Decimal("2.50"),
    "name": "Straße 서울",
    "values": [3, 1.5, 2, 3],
    "day": date(2024, 2, 29),
    "moment": datetime(2024, 2, 29, 23, 30, tzinfo=UTC),
}
PREFIX = (
    "records = [{'kind': 'a', 'size': 1}, {'kind': 'b', 'size': 2}, {'kind': 'a', 'size': 3}]\n"
)
CLOCKS = {"now", "today"}


async def outcome(evaluation: Awaitable[JsonValue]) -> tuple[str, JsonValue]:
    try:
        return "result", await evaluation
    except EvaluationError as error:
        return "error", str(error)


async def evaluate_here(script: CompiledScript) -> JsonValue:
    return language.compile_script(script.text, script.names).evaluate(ARGUMENTS)


async def test_served_language_does_in_the_sandbox_what_it_does_outside() -> None:
    differences = {}
    async with ScriptWorkers() as workers:
        for name, call in product(sorted(SCRIPT_FUNCTIONS.keys() - CLOCKS), CALLS):
            text = f"{PREFIX}kept = [values, name, number, day, moment]\nresult = {name}({call})"
            with suppress(ExpressionError):
                script = compile_script(text, list(ARGUMENTS))
                outside = await outcome(evaluate_here(script))
                inside = await outcome(workers.run(script, ARGUMENTS, LONG_MS))
                if inside != outside:
                    differences[f"{name}({call})"] = (inside, outside)

    assert differences == {}


@pytest.mark.parametrize("clock", sorted(CLOCKS))
async def test_served_language_has_its_clocks_in_the_sandbox(clock: str) -> None:
    async with ScriptWorkers() as workers:
        script = compile_script(f"moment = {clock}()\nresult = year(moment) > 2000", [])

        assert await workers.run(script, {}, LONG_MS) is True


async def test_served_language_says_in_which_line_it_failed() -> None:
    async with ScriptWorkers() as workers:
        script = compile_script("b = a - 1\nresult = a / b", ["a"])

        with pytest.raises(EvaluationError, match="line 2"):
            await workers.run(script, {"a": 1}, LONG_MS)


async def test_served_language_ends_by_itself_when_it_takes_too_much() -> None:
    async with ScriptWorkers() as workers:
        script = compile_script(
            "kept = []\nwhile True:\n    kept.append('x' * a)\nresult = kept", ["a"]
        )

        with pytest.raises(EvaluationError) as caught:
            await workers.run(script, {"a": 100_000}, LONG_MS)
        assert caught.value.message != LOST_TEXT
