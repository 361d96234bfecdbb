"""Which texts the tools that embed take: no more than can be embedded within their deadline."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateways.embeddings.settings import EmbeddingSettings
from gateways.embeddings.texts import make_batches, prepare_texts
from tests.mcp_runtime.conftest import Serve, Served
from tools.builtin.embedding_tools import EMBEDDING_TIMEOUT_MS, MAX_CHARACTERS, MAX_TEXTS

SETTINGS = EmbeddingSettings(url="http://localhost:1", model="any")


@given(
    lengths=st.lists(st.integers(1, 3_000), min_size=1, max_size=MAX_TEXTS).filter(
        lambda lengths: sum(lengths) <= MAX_CHARACTERS
    )
)
def test_times_of_all_requests_of_a_call_are_within_its_deadline(lengths: list[int]) -> None:
    assert longest_s(lengths) <= EMBEDDING_TIMEOUT_MS / 1_000


def test_texts_of_the_longest_length_are_within_the_deadline() -> None:
    lengths = [SETTINGS.max_characters] * (MAX_CHARACTERS // SETTINGS.max_characters)

    assert longest_s(lengths) <= EMBEDDING_TIMEOUT_MS / 1_000


def longest_s(lengths: list[int]) -> float:
    """Seconds until the last request of these texts has ended or was given up."""
    texts = prepare_texts(["x" * length for length in lengths], SETTINGS.max_characters).texts
    batches = make_batches(texts, SETTINGS.batch_size)
    return sum(SETTINGS.request_timeout_s(sum(map(len, batch))) for batch in batches)


async def error_of(served: Served, tool: str, arguments: dict[str, Any]) -> str:
    result = await served.call(tool, **arguments)
    assert result.is_error
    return str(result.content[0].text)


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "blank texts": (
        "get_text_embedding",
        {"text_list": ["a", " ", ""]},
        "text_list[1]: must not be blank\n- text_list[2]: must not be blank",
    ),
    "too many texts": (
        "get_text_embedding",
        {"text_list": ["a"] * 129},
        "text_list: must have at most 128 items (got 129)",
    ),
    "too much text": (
        "get_text_embedding",
        {"text_list": ["a" * 1_000] * 12 + ["b"]},
        "text_list: must have at most 12,000 characters together (got 12,001)",
    ),
    "too much to search for": (
        "search_similar_documents",
        {"query_list": ["a" * 12_001]},
        "query_list: must have at most 12,000 characters together (got 12,001)",
    ),
    "no list": (
        "get_text_embedding",
        {"text_list": "a"},
        'text_list: must be a list of texts (got "a")',
    ),
    "too few results": (
        "search_similar_documents",
        {"query_list": ["a"], "n_results": 0},
        "n_results: must be at least 1 (got 0)",
    ),
    "too many queries": (
        "search_similar_documents",
        {"query_list": ["a"] * 33},
        "query_list: must have at most 32 items (got 33)",
    ),
    "too many results": (
        "get_sql_reference_documents",
        {"user_query": "a", "n_results": 101},
        "n_results: must be at most 100 (got 101)",
    ),
    "blank question": (
        "get_sql_reference_documents",
        {"user_query": " \n"},
        "user_query: must not be blank",
    ),
}


@pytest.mark.django_db(transaction=True)
async def test_wrong_arguments_are_named_one_per_line(
    serve: Serve, subtests: pytest.Subtests
) -> None:
    async with serve() as served:
        for case, (tool, arguments, line) in WRONG.items():
            with subtests.test(case):
                text = await error_of(served, tool, arguments)

                assert text == f"Invalid arguments for {tool}:\n- {line}"
