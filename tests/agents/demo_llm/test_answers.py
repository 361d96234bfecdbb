"""The scripted model over HTTP, by OpenAI's own client: each role reads its sections."""

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from tests.agents.demo_llm.answers import PROSE
from tests.agents.demo_llm.library import CATALOGUE, DOCUMENTS, prompt, rows, tools
from tests.agents.demo_llm.serving import demo_model
from tests.agents.demo_llm.variants import MODEL_NAME, NOTICE, Variant

QUESTION = "2024년 1월 이후 분관별 대출료 합계"
KEYWORDS = '{"requested_entity": "대출료", "requested_columns": ["대출료"], "conditional_columns": [], "inferred_columns": []}'
COLUMNS = rows(
    ("대출료", "lib.loans", "fee"),
    ("분관", "lib.branches", "branch_name"),
    ("2024년 1월 이후", "lib.loans", "lent_on"),
)
DESCRIBED = {"Reference_documents": DOCUMENTS, "Catalogue": CATALOGUE}
NOT_FOUND = (
    "Error while querying DB: column 'fe' does not exist"
    " (hint: Perhaps you meant to reference the column 'loans.fee'.)"
)


@pytest.fixture(scope="module")
def model() -> Iterator[openai.OpenAI]:
    with demo_model() as base_url:
        yield openai.OpenAI(base_url=base_url, api_key="none", max_retries=0, timeout=120)


def ask(
    model: openai.OpenAI, messages: Any, variant: str = MODEL_NAME, offered: tuple[str, ...] = ()
) -> Any:
    declared: Any = tools(*offered) or openai.omit
    answer = model.chat.completions.create(model=variant, messages=messages, tools=declared)
    return answer.choices[0].message


def called(message: Any) -> dict[str, Any]:
    """The arguments of the one call in a message."""
    [call] = message.tool_calls
    return dict(json.loads(call.function.arguments))


def test_extractor_names_what_the_question_asks_for(model: openai.OpenAI) -> None:
    message = ask(model, prompt("column_name_extractor", QUESTION))

    assert json.loads(message.content) == {
        "requested_entity": "대출료",
        "requested_columns": ["대출료"],
        "conditional_columns": ["2024년 1월 이후"],
        "inferred_columns": ["분관"],
    }


def test_reviewer_completes_the_extraction(model: openai.OpenAI) -> None:
    messages = prompt("column_name_reviewer", QUESTION, Keywords=KEYWORDS)

    message = ask(model, messages, offered=("complete_column_extraction",))

    assert called(message) == {
        "extracted_columns": {"items": [{"extracted_column_name": "대출료"}]}
    }


@pytest.mark.parametrize("keywords", ["", "no JSON", '{"requested_columns": []}'])
def test_reviewer_asks_for_names_where_there_are_none(model: openai.OpenAI, keywords: str) -> None:
    messages = prompt("column_name_reviewer", QUESTION, Keywords=keywords)

    message = ask(model, messages, offered=("complete_column_extraction",))

    assert message.tool_calls is None
    assert message.content.startswith("No column is named")


def test_standardizer_maps_keywords_to_described_columns(model: openai.OpenAI) -> None:
    messages = prompt("column_name_standardizer", QUESTION, Keywords=KEYWORDS, **DESCRIBED)

    assert json.loads(ask(model, messages).content) == json.loads(COLUMNS)


def test_standardizer_has_nothing_to_map_without_documents(model: openai.OpenAI) -> None:
    message = ask(model, prompt("column_name_standardizer", QUESTION, Keywords=KEYWORDS))

    assert message.content.startswith("There are no reference documents")


def test_standardizer_looks_up_the_tables_that_keys_lead_to(model: openai.OpenAI) -> None:
    loans = "\n".join(line for line in CATALOGUE.splitlines() if ".loans." in line)
    messages: list[Any] = [
        *prompt("column_name_standardizer", QUESTION, Keywords=KEYWORDS, Catalogue=loans)
    ]

    asked = ask(model, messages, offered=("get_table_details",))
    messages += [asked.model_dump(exclude_none=True), details_of_branches(asked)]
    mapped = json.loads(ask(model, messages, offered=("get_table_details",)).content)

    assert called(asked) == {"table_names": ["branches", "books"]}
    assert mapped == json.loads(COLUMNS)


def details_of_branches(asked: Any) -> dict[str, str]:
    """The tool's answer as an MCP client passes it on."""
    names = [
        {"name": "branch_no", "type": "integer", "description": "분관 번호", "primary_key": True},
        {"name": "branch_name", "type": "varchar(80)", "description": "branch name / 분관명"},
    ]
    table = {"name": "branches", "schema": "lib", "display_name": "분관", "columns": names}
    content = json.dumps({"structuredContent": {"tables": [table]}}, ensure_ascii=False)
    return {"role": "tool", "tool_call_id": asked.tool_calls[0].id, "content": content}


def test_standards_reviewer_sends_the_columns_on(model: openai.OpenAI) -> None:
    messages = prompt("column_name_standard_reviewer", QUESTION, Columns=COLUMNS)

    message = ask(model, messages, offered=("complete_column_standardization",))

    assert called(message) == {"columns": json.loads(COLUMNS)}


def generate(model: openai.OpenAI, variant: str = MODEL_NAME, **sections: str) -> str:
    given = {"Columns": COLUMNS, **DESCRIBED, **sections}
    return str(ask(model, prompt("sql_generator", QUESTION, **given), variant).content)


def test_generator_writes_sql_from_the_standard_columns(model: openai.OpenAI) -> None:
    assert "sum(loans.fee)" in generate(model)
    assert generate(model, Columns="").startswith("There are no standard columns")


def test_misspelt_column_is_mended_by_the_databases_hint_alone(model: openai.OpenAI) -> None:
    first = generate(model, Variant.MISSPELLS_FIRST)
    unhelped = generate(model, Variant.MISSPELLS_FIRST, SQL=first, Feedback="Something is wrong.")
    second = generate(model, Variant.MISSPELLS_FIRST, SQL=first, Feedback=NOT_FOUND)

    assert "sum(loans.fe)" in first
    assert unhelped == first
    assert second == generate(model)


def test_sql_reviewer_runs_the_statement(model: openai.OpenAI) -> None:
    messages = prompt("sql_reviewer", QUESTION, SQL="SELECT 1")

    message = ask(model, messages, offered=("execute_postgres_query",))

    assert called(message) == {"sql_query": "SELECT 1"}


def test_root_hands_a_question_over_and_answers_small_talk(model: openai.OpenAI) -> None:
    offered = ("transfer_to_agent",)

    handed = ask(model, prompt("root_agent", QUESTION), offered=offered)
    talked = ask(model, prompt("root_agent", "please"), offered=offered)

    assert called(handed) == {"agent_name": "data_search_agent"}
    assert NOTICE in talked.content


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        (Variant.PROSE, PROSE),
        (Variant.WRITES, "DELETE FROM loans"),
        (Variant.FENCED_NBSP, "```sql\nSELECT\u00a0"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_variant_makes_its_mistake(model: openai.OpenAI, variant: Variant, expected: str) -> None:
    assert expected in generate(model, variant)


def test_variant_that_never_answers_leaves_others_their_answers(model: openai.OpenAI) -> None:
    impatient = model.with_options(timeout=0.3)

    with pytest.raises(openai.APITimeoutError):
        generate(impatient, Variant.NEVER_ANSWERS)

    assert "sum(loans.fee)" in generate(model)


@pytest.mark.parametrize("role", ["sql_generator", "sql_reviewer"])
def test_stream_says_the_same(model: openai.OpenAI, role: str) -> None:
    messages: Any = prompt(role, QUESTION, Columns=COLUMNS, SQL="SELECT 1", **DESCRIBED)
    offered: Any = tools("execute_postgres_query")
    whole = ask(model, messages, offered=("execute_postgres_query",))

    with model.chat.completions.stream(
        model=MODEL_NAME, messages=messages, tools=offered, stream_options={"include_usage": True}
    ) as stream:
        streamed = stream.get_final_completion()

    message = streamed.choices[0].message
    assert (message.content or None) == whole.content
    assert bool(message.tool_calls) == bool(whole.tool_calls)
    assert streamed.usage
    assert streamed.usage.total_tokens > 0


@pytest.mark.parametrize(
    "body",
    [
        {"model": "gpt-9", "messages": prompt("root_agent", "x")},
        {"model": MODEL_NAME, "messages": []},
    ],
    ids=["unknown-model", "no-messages"],
)
def test_request_that_is_none_is_refused(model: openai.OpenAI, body: dict[str, Any]) -> None:
    with pytest.raises(openai.BadRequestError, match="messages"):
        model.chat.completions.create(**body)


def test_models_are_labelled_as_scripted(model: openai.OpenAI) -> None:
    listed = list(model.models.list())

    assert listed[0].id == MODEL_NAME == "toolbuilder-demo (scripted)"
    assert {each.owned_by for each in listed} == {
        "demo model: scripted answers, not a language model"
    }
