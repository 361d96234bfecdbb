"""A query puts the tool first that does what it asks for, in every profile."""

import pytest

from core.ingest.mcp import read_mcp_tool
from core.library import tools_of_openapi
from core.retrieval.model import Tool
from core.retrieval.profiles import PROFILES, SEED, Profile
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import SearchQuery
from core.retrieval.tool_texts import IndexEntry
from tests.core.retrieval.catalogue import DELETES, READS, WRITES, make_index, make_ranker

pytestmark = pytest.mark.parametrize(
    "profile", [pytest.param(profile, id=name) for name, profile in PROFILES.items()]
)
FILES = [
    {
        "name": "read_file",
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "remove_file",
        "inputSchema": {"type": "object"},
        "annotations": {"destructiveHint": True},
    },
]


def best(ranker: ToolRanker, text: str, profile: Profile) -> str:
    return ranker.rank(SearchQuery(text), profile=profile)[0].name


@pytest.mark.parametrize(
    ("query", "name"),
    [
        pytest.param("get user", "get_user", id="read"),
        pytest.param("create user", "create_user", id="write"),
        pytest.param("delete user", "delete_user", id="delete"),
        pytest.param("사용자 수정", "update_user", id="Korean write"),
        pytest.param("ユーザーを削除", "delete_user", id="Japanese delete"),
    ],
)
def test_tool_that_does_what_is_asked_is_first(profile: Profile, query: str, name: str) -> None:
    assert best(make_ranker(), query, profile) == name


def test_annotations_find_a_tool_of_another_language(profile: Profile) -> None:
    ranker = make_ranker(
        Tool("a", description="one", annotations=READS),
        Tool("b", description="two", annotations=DELETES),
        Tool("c", description="three", annotations=WRITES),
    )

    assert best(ranker, "삭제", profile) == "b"


def test_query_without_known_verbs_goes_by_words_alone(profile: Profile) -> None:
    found = make_ranker().rank(SearchQuery("weather forecast"), profile=profile)

    assert found[0].name == "get_weather"
    assert {tool.signals["annotation"] for tool in found} == {0.5}


def test_tools_without_annotations_are_found(profile: Profile) -> None:
    ranker = make_ranker(Tool("delete_note", description="a note"), Tool("list_cities"))

    assert best(ranker, "delete the note", profile) == "delete_note"


def test_tools_of_an_mcp_server_are_found(profile: Profile) -> None:
    tools = map(read_mcp_tool, FILES)

    assert best(make_ranker(*tools), "remove a file", profile) == "remove_file"


def test_operations_of_a_document_are_found(profile: Profile) -> None:
    operations = {
        "get": {"operationId": "getPets", "summary": "Pets", "responses": {}},
        "delete": {"operationId": "deletePets", "summary": "Pets", "responses": {}},
    }
    document = {
        "openapi": "3.0.0",
        "info": {"title": "Pets", "version": "1"},
        "paths": {"/pets": operations},
    }
    tools = tools_of_openapi(document)

    assert best(make_ranker(*tools), "delete pets", profile) == "deletePets"


def test_vectors_find_what_shares_no_word(profile: Profile) -> None:
    index = make_index(Tool("alpha"), Tool("beta"))
    index.put(IndexEntry(Tool("alpha"), vectors=([1.0, 0.0], [1.0, 0.0])))
    index.put(IndexEntry(Tool("beta"), vectors=([0.0, 1.0], [0.0, 1.0])))

    found = ToolRanker(index).rank(SearchQuery("other words", vector=[0.1, 0.9]), profile=profile)

    assert [tool.name for tool in found] == ["beta", "alpha"]


def test_graph_counts_in_the_first_profile_only(profile: Profile) -> None:
    signals = [
        tool.signals["graph"] for tool in make_ranker().rank(SearchQuery("user"), profile=profile)
    ]

    assert any(signals) == (profile == SEED)
