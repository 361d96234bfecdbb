"""The measure of `adk eval`: whether the answer's SQL gives the rows of the expected SQL."""

import os
from collections.abc import Sequence

from google.adk.evaluation.eval_case import Invocation
from google.adk.evaluation.eval_metrics import EvalMetric
from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, PerInvocationResult
from google.genai import types

from agents.data_search.environment import read_environment
from agents.data_search.evaluation.cases import find_sql
from agents.data_search.evaluation.database import StatementReader
from agents.data_search.evaluation.rows import say_the_same


async def same_rows(
    metric: EvalMetric,
    actual: Sequence[Invocation],
    expected: Sequence[Invocation] | None,
    _scenario: object = None,
) -> EvaluationResult:
    """The share of the questions that are answered with the right rows, or rightly without any."""
    results: list[PerInvocationResult] = []
    async with StatementReader(read_environment(os.environ)) as reader:
        for one, other in zip(actual, expected or (), strict=True):
            wanted = find_sql(_text_of(other.final_response))
            given = find_sql(_text_of(one.final_response))
            is_right = not given
            if wanted:
                is_right = bool(given) and await _gives_the_same(reader, wanted, given)
            results.append(
                PerInvocationResult(
                    actual_invocation=one,
                    expected_invocation=other,
                    score=float(is_right),
                    eval_status=EvalStatus.PASSED if is_right else EvalStatus.FAILED,
                )
            )
    score = sum(result.score or 0 for result in results) / max(1, len(results))
    status = EvalStatus.PASSED if score == 1 else EvalStatus.FAILED
    return EvaluationResult(
        overall_score=score, overall_eval_status=status, per_invocation_results=results
    )


async def _gives_the_same(reader: StatementReader, wanted: str, given: str) -> bool:
    expected = await reader.read(wanted)
    try:
        return say_the_same(expected, await reader.read(given))
    except ValueError:
        # The database refuses what the model wrote.
        return False


def _text_of(content: types.Content | None) -> str:
    return "".join(part.text or "" for part in (content.parts if content else None) or [])
