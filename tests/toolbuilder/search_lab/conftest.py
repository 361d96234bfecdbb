"""Tools of a small shop, and vectors that runtimes would have made of them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from django.utils import translation

from core.execution import CompiledTool
from core.retrieval.tool_texts import hash_texts
from tests.factories import make_tool
from toolbuilder.search_lab.index import shared_keeper
from tools.finding.index import to_search_tool
from tools.models import ToolDefinition, ToolVector
from tools.registry import read_served_rows
from tools.source_loop import shared_loop

MODEL = "a-model"


@pytest.fixture(autouse=True)
def _fresh(settings: Any) -> Iterator[None]:
    """Nothing of another test is remembered; a request leaves its language behind in the thread."""
    settings.MCP_BUILTIN_TOOLS = ["none"]
    shared_keeper.cache_clear()
    with translation.override("en"):
        yield
    shared_loop().close()


@pytest.fixture
def shop(db: None) -> None:
    """Three tools, of which one deletes."""
    make_tool(
        name="list_orders", title="주문 목록", description_agent="Lists the orders of a customer."
    )
    make_tool(
        name="find_stores", description_agent="지역별 매장을 조회합니다.", parameters=["region"]
    )
    make_tool(
        name="delete_order",
        description_agent="Deletes an order.",
        annotations={"readOnlyHint": False, "destructiveHint": True},
    )


def store_vectors(**directions: int) -> None:
    """Unit vectors along one of 4 axes as those of the tools' present texts, by name."""
    for spec in read_served_rows().specs:
        if spec.name in directions:
            vector = np.eye(4, dtype="<f4")[directions[spec.name]].tobytes()
            ToolVector.objects.create(
                tool_name=spec.name,
                model=MODEL,
                content_hash=hash_texts(to_search_tool(CompiledTool(spec))),
                name_vector=vector,
                text_vector=vector,
            )


def rename(before: str, after: str) -> None:
    ToolDefinition.objects.filter(name=before).update(name=after)
