"""The lab's index follows the tools, the glossary and the stored vectors."""

from typing import Any

import numpy as np
import pytest
from django.db import transaction

from catalog.glossary.concepts import add_concept
from core.retrieval.request import SearchQuery
from tests.factories import make_tool
from tests.toolbuilder.search_lab.conftest import MODEL, rename, store_vectors
from toolbuilder.search_lab.index import LabIndex, read_lab_index
from toolbuilder.search_lab.search import rank_or_degrade
from toolbuilder.search_lab.weights import DEFAULT_PROFILE
from tools.models import ToolDefinition, ToolParameter, ToolVector

pytestmark = pytest.mark.usefixtures("shop")
NORTH = np.eye(4, dtype=np.float32)[0]


def find(text: str, lab: LabIndex | None = None) -> list[str]:
    found, _ = rank_or_degrade(lab or read_lab_index(), SearchQuery(text), DEFAULT_PROFILE)
    return [one.name for one in found]


def test_index_is_the_same_while_nothing_changes(django_assert_num_queries: Any) -> None:
    first = read_lab_index()

    with django_assert_num_queries(3):
        assert read_lab_index() is first


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(lambda: make_tool(name="weigh_parcels"), ["weigh_parcels"], id="new"),
        pytest.param(lambda: rename("find_stores", "weigh_all"), ["weigh_all"], id="renamed"),
        pytest.param(
            lambda: ToolDefinition.objects.filter(name="list_orders").update(
                description_user="weighs"
            ),
            ["list_orders"],
            id="described to people",
        ),
        pytest.param(
            lambda: ToolParameter.objects.update(param_name="weigh_in_kg"),
            ["find_stores"],
            id="parameter",
        ),
    ],
)
def test_change_is_found_by_the_next_search(change: Any, expected: list[str]) -> None:
    assert find("weigh") == []

    # A row's version is that of its transaction, and the test is one.
    with transaction.atomic():
        change()

    assert find("weigh") == expected
    assert len(read_lab_index().tools) == ToolDefinition.objects.count()


def test_tool_out_of_service_is_found_no_more_and_an_index_in_use_is_left_alone() -> None:
    before = read_lab_index()

    ToolDefinition.objects.filter(name="find_stores").update(is_active=False)

    assert find("stores") == []
    assert find("stores", before) == ["find_stores"]


def test_built_in_tools_are_found_beside_those_of_people(settings: Any) -> None:
    settings.MCP_BUILTIN_TOOLS = ["get_text_embedding", "search_tools"]

    assert find("embedding") == ["get_text_embedding"]
    assert "search_tools" not in find("search tools")
    assert find("stores") == ["find_stores"]


def test_bad_row_harms_no_other() -> None:
    ToolDefinition.objects.filter(name="find_stores").update(tool_type="COBOL")

    assert sorted(read_lab_index().tools) == ["delete_order", "list_orders"]


def test_bound_parameter_is_not_searched() -> None:
    ToolParameter.objects.update(binding="FIXED", bound_value="KR")

    assert read_lab_index().tools["find_stores"].parameters == ()


def test_term_of_the_glossary_is_found_at_once() -> None:
    assert find("물류거점") == []

    add_concept("hub", {"ko": "물류거점", "en": "orders of a customer"}, "ann")

    assert find("물류거점") == ["list_orders"]


def test_vectors_of_the_model_are_used_and_stale_ones_are_not(settings: Any) -> None:
    settings.TEXT_EMBEDDING_MODEL_NAME = MODEL
    store_vectors(find_stores=0, list_orders=1)
    ToolVector.objects.filter(tool_name="list_orders").update(content_hash="old")

    found, is_degraded = rank_or_degrade(
        read_lab_index(), SearchQuery("?!x", NORTH), DEFAULT_PROFILE
    )

    assert [one.name for one in found] == ["find_stores"]
    assert not is_degraded


@pytest.mark.parametrize("name_vector", [b"", b"123", b"\0" * 16, b"\0\0\x80\x3f" * 4])
def test_vectors_that_cannot_be_used_leave_words(settings: Any, name_vector: bytes) -> None:
    settings.TEXT_EMBEDDING_MODEL_NAME = MODEL
    store_vectors(find_stores=0)
    ToolVector.objects.update(name_vector=name_vector, text_vector=name_vector[:-1])

    found, is_degraded = rank_or_degrade(
        read_lab_index(), SearchQuery("stores", NORTH), DEFAULT_PROFILE
    )

    assert [one.name for one in found] == ["find_stores"]
    assert is_degraded


def test_question_of_another_dimension_is_searched_by_words(settings: Any) -> None:
    settings.TEXT_EMBEDDING_MODEL_NAME = MODEL
    store_vectors(find_stores=0)

    found, is_degraded = rank_or_degrade(
        read_lab_index(), SearchQuery("orders", np.ones(3)), DEFAULT_PROFILE
    )

    assert sorted(one.name for one in found) == ["delete_order", "list_orders"]
    assert is_degraded
