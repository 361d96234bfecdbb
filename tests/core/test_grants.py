"""What a grant lets a caller see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.grants import (
    EVERYTHING,
    NOTHING,
    BuiltinGroup,
    Grant,
    ToolPlace,
    ToolsetSpec,
    Visibility,
)

PLACES = {
    "execute_postgres_query": ToolPlace((), BuiltinGroup.DATABASE, ""),
    "get_tags": ToolPlace((), BuiltinGroup.CATALOGUE),
    "sales_by_region": ToolPlace(("sales",)),
    "refunds": ToolPlace(("sales", "orders")),
    "stock": ToolPlace(),
}
TOOLSETS = {
    "named": ToolsetSpec("named", tools=frozenset({"stock", "get_tags", "gone"})),
    "tagged": ToolsetSpec("tagged", tags=frozenset({"sales"})),
}
VISIBILITY = Visibility(PLACES, TOOLSETS)


@pytest.mark.parametrize(
    ("grant", "toolset", "seen"),
    [
        pytest.param(EVERYTHING, "", None, id="everything"),
        pytest.param(NOTHING, "", set(), id="nothing"),
        pytest.param(Grant(tools=frozenset({"stock", "gone"})), "", {"stock"}, id="names"),
        pytest.param(
            Grant(tools=frozenset(), toolsets=frozenset({"named", "none"})),
            "",
            {"stock", "get_tags"},
            id="a toolset",
        ),
        pytest.param(
            Grant(tools=frozenset(), toolsets=frozenset({"tagged"})),
            "",
            {"sales_by_region", "refunds"},
            id="a toolset of tags",
        ),
        pytest.param(
            Grant(tools=frozenset(), groups=frozenset({"database"})),
            "",
            {"execute_postgres_query"},
            id="a group",
        ),
        pytest.param(
            Grant(sources=frozenset({"other"})),
            "",
            PLACES.keys() - {"execute_postgres_query"},
            id="no SQL of its own on the default source",
        ),
        pytest.param(EVERYTHING, "named", {"stock", "get_tags"}, id="an endpoint"),
        pytest.param(EVERYTHING, "none", set(), id="an endpoint that there is not"),
        pytest.param(
            Grant(tools=frozenset({"refunds"}), toolsets=frozenset({"named"})),
            "tagged",
            {"refunds"},
            id="an endpoint of which one tool is granted",
        ),
    ],
)
def test_caller_sees_what_is_granted(grant: Grant, toolset: str, seen: set[str] | None) -> None:
    assert VISIBILITY.names(grant, toolset) == seen


NAMES = st.frozensets(st.sampled_from([*PLACES, "gone"]))


GRANTS = st.builds(
    Grant,
    tools=st.none() | NAMES,
    toolsets=st.frozensets(st.sampled_from(["named", "tagged", "none"])),
    groups=st.frozensets(st.sampled_from(BuiltinGroup)),
    sources=st.none() | st.frozensets(st.sampled_from(["", "other"])),
)


@given(grant=GRANTS, toolset=st.sampled_from(["", "named", "tagged", "none"]))
def test_explanation_says_what_is_seen(grant: Grant, toolset: str) -> None:
    seen = VISIBILITY.names(grant, toolset)

    explained = {name for name in PLACES if VISIBILITY.explain(grant, toolset, name).is_seen}
    assert explained == (PLACES.keys() if seen is None else seen)
